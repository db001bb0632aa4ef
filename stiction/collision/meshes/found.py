"""Points between a convex shape and a mesh, before four are chosen for each side.

The points of a pair may have several normals: a foot on stairs touches a tread and a riser. They
are sorted by the axis of the mesh that their normal is closest to, so that each of the three sides
has its own manifold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.collision.meshes.meshes import SIDES
from stiction.collision.pairs.clip import ALIKE_DEPTH, MOST, choose_four, deepest_of
from stiction.collision.pairs.faces import Corners, make_corners
from stiction.compiler.compiled import formula, kernel, subroutine
from stiction.kernels.vectors import dot, like, load_vector, store_vector, sub

CAPACITY = 32  # points of a side; more are thinned as they come
WEIGHTS = (0.9, 0.8, 1.0)  # of the axes: no side begins where normals are often, at 45 degrees
FEATURES = 1 << 23  # those of corners of convex shapes are smaller, others are larger
SAME_NORMAL = 0.999  # cosine between normals of points that may be the same


class FoundPoints(NamedTuple):
    """Scratch. Points of side s are rows s CAPACITY + k with k < count[s], in axes of the mesh."""

    count: np.ndarray  # type: ignore[assignment]  # (SIDES)
    point: np.ndarray  # (rows, 3) from the position of the convex shape [m]
    normal: np.ndarray  # (rows, 3)
    depth: np.ndarray  # (rows) [m]
    feature: np.ndarray  # (rows)
    closest: np.ndarray  # (1) least distance so far [m]
    towards: np.ndarray  # (3) its normal
    point_a: np.ndarray  # (3) closest or deepest point of the shape
    point_b: np.ndarray  # (3) and of the mesh
    corners: Corners  # to choose from
    corner_depth: np.ndarray  # (CAPACITY) [m]
    value: np.ndarray  # (CAPACITY) what they are chosen by


def make_found(capacity: int = CAPACITY) -> FoundPoints:
    """Scratch for one pair; of no size where there is no mesh."""
    rows = SIDES * capacity
    return FoundPoints(
        np.zeros(SIDES, int),
        np.zeros((rows, 3)),
        np.zeros((rows, 3)),
        np.zeros(rows),
        np.zeros(rows, int),
        np.zeros(1),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        make_corners(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
    )


@formula
def side_of(normal):
    """The side that a normal in axes of the mesh belongs to."""
    x = like(normal[0], WEIGHTS[0]) * abs(normal[0])
    y = like(normal[0], WEIGHTS[1]) * abs(normal[1])
    z = like(normal[0], WEIGHTS[2]) * abs(normal[2])
    if x > y and x > z:
        return 0
    return 1 if y > z else 2


@kernel
def add_found(found, point, normal, depth, feature, size):
    """Add a point, unless its side has a deeper one there; `size` is that of the shape [m]."""
    side = side_of(normal)
    slack = like(size, ALIKE_DEPTH) * size
    row, count = CAPACITY * side, found.count[side]
    for k in range(row, row + count):
        apart = sub(load_vector(found.point, k), point)
        if dot(apart, apart) <= slack * slack and dot(load_vector(found.normal, k), normal) > like(
            size, SAME_NORMAL
        ):
            if depth > found.depth[k]:
                put_row(found, k, point, normal, depth, feature)
            return
    if count == CAPACITY:
        count = thin_side(found, side, size)
    put_row(found, row + count, point, normal, depth, feature)
    found.count[side] = count + 1


@kernel
def put_row(found, k, point, normal, depth, feature):
    """Write a point."""
    store_vector(found.point, k, point)
    store_vector(found.normal, k, normal)
    found.depth[k] = depth
    found.feature[k] = feature


@subroutine
def thin_side(found, side, size):
    """Keep four points that represent a side, in their order; returns how many they are."""
    row, count, corners = CAPACITY * side, found.count[side], found.corners
    depth = found.corner_depth
    if count <= MOST:
        return count
    staged = stage(found, row, count, 0, True)
    stage(found, row, count, staged, False)
    normal = load_vector(found.normal, corners.label[deepest_of(depth, count)])
    a, b, c, d = choose_four(corners, count, depth, normal, size, found.value)
    a, b, c, d = corners.label[a], corners.label[b], corners.label[c], corners.label[d]
    kept = 0
    for k in range(row, row + count):
        if k == a or k == b or k == c or k == d:
            point, along = load_vector(found.point, k), load_vector(found.normal, k)
            put_row(found, row + kept, point, along, found.depth[k], found.feature[k])
            kept += 1
    found.count[side] = kept
    return kept


@kernel
def stage(found, row, count, staged, of_shape):
    """Copy the points of a side that are corners of the shape, or the others; how many there are.

    Those of the shape come first: of equal ones, the first is chosen.
    """
    for k in range(row, row + count):
        if (found.feature[k] < FEATURES) == of_shape:
            store_vector(found.corners.point, staged, load_vector(found.point, k))
            found.corners.label[staged] = k
            found.corner_depth[staged] = found.depth[k]
            staged += 1
    return staged
