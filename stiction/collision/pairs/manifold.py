"""The contact manifold of two solids whose normal is known.

Two faces, or a face and the side of a round solid, touch where one lies over the other, seen along
the normal: the difference of their heights is linear there, so it is largest in a corner. Two
round sides touch at the ends of their overlap, or at the one point where they cross.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.collision.meshes.found import CAPACITY, FoundPoints, make_found
from stiction.collision.pairs.clip import (
    ALIKE_DEPTH,
    MOST,
    choose_four,
    clip,
    deepest_of,
)
from stiction.collision.pairs.epa import Polytope, make_polytope
from stiction.collision.pairs.faces import RIM_CORNERS, Corners, Face, make_corners, supporting_face
from stiction.collision.pairs.nearest import clamped
from stiction.collision.pairs.shapes import (
    CYLINDER,
    LYING,
    SPHERE,
    Hulls,
    axis_of,
    half_length_of,
    midpoint,
)
from stiction.compiler.compiled import formula, kernel, subroutine
from stiction.kernels.vectors import add, dot, like, load_vector, scale, store_vector, sub

CLOSEST = 0  # feature of the closest points, where no corner or edge stands for them


class Simplex(NamedTuple):
    """Scratch of gjk.py: up to four extreme differences."""

    difference: np.ndarray  # (4, 3) [m]
    point_a: np.ndarray  # (4, 3) [m]


class PairScratch(NamedTuple):
    """Scratch of `meet_shapes`."""

    simplex: Simplex
    polytope: Polytope
    face_a: Corners
    face_b: Corners
    clipped: Corners
    depth: np.ndarray  # (corners) [m]
    value: np.ndarray  # (corners) what corners are chosen by
    found: FoundPoints  # on a mesh


def make_scratch(hulls: Hulls, meshes: bool = False) -> PairScratch:
    """Scratch for shapes with these hulls, and for meshes if there are any."""
    most = int(np.diff(hulls.first_corner).max(initial=RIM_CORNERS))
    corners = 2 * most + 4
    return PairScratch(
        Simplex(np.zeros((4, 3)), np.zeros((4, 3))),
        make_polytope(),
        make_corners(corners),
        make_corners(corners),
        make_corners(corners),
        np.zeros(corners),
        np.zeros(corners),
        make_found(CAPACITY if meshes else 0),
    )


@kernel
def put_point(manifold, point, normal, depth, feature):
    """Add a point, unless there are four."""
    k = manifold.count[0]
    if k < MOST:
        store_vector(manifold.point, k, point)
        store_vector(manifold.normal, k, normal)
        manifold.depth[k] = depth
        manifold.feature[k] = feature
        manifold.count[0] = k + 1


@kernel
def put_closest(manifold, near):
    """Add the closest points of two solids."""
    middle = midpoint(near.point_a, near.point_b)
    put_point(manifold, middle, near.normal, -near.distance, CLOSEST)


# -------------------------------------------------------------------------------------- round sides


@formula
def lies(solid, normal):
    """Whether a capsule or a cylinder touches with its side, not with a rim."""
    return solid.kind != CYLINDER or abs(dot(axis_of(solid), normal)) < like(normal[0], LYING)


@kernel
def put_end(manifold, A, B, near, reach, slack, k):
    """Add the point where end k (0, 1) of the side of A lies over the side of B, if within reach.

    The second of two solids has its ends as k = 2, 3 and does not repeat points of the first.
    """
    first, second = (A, B) if k < 2 else (B, A)
    half, bound = half_length_of(first), half_length_of(second)
    end = add(first.position, scale(half if k % 2 == 0 else -half, axis_of(first)))
    along = dot(sub(end, second.position), axis_of(second))
    if abs(along) > bound + (slack if k < 2 else -slack):
        return
    foot = add(second.position, scale(clamped(along, bound), axis_of(second)))
    apart = sub(end, foot) if k < 2 else sub(foot, end)
    distance, normal = math.sqrt(dot(apart, apart)), near.normal
    if distance > slack:
        normal = scale(like(distance, 1) / distance, apart)
    depth = A.size[0] + B.size[0] - distance
    if (
        depth < -reach
        or depth > -near.distance + slack
        or not (lies(A, normal) and lies(B, normal))
    ):
        return
    low = sub(end, scale(first.size[0] if k < 2 else -first.size[0], normal))
    high = add(foot, scale(second.size[0] if k < 2 else -second.size[0], normal))
    put_point(manifold, midpoint(low, high), normal, depth, k + 1)


@kernel
def touch_along_sides(A, B, near, reach, size, manifold):
    """Manifold of two capsules or cylinders that touch with their sides."""
    slack = like(size, ALIKE_DEPTH) * size
    for k in range(4):
        put_end(manifold, A, B, near, reach, slack, k)
    for k in range(manifold.count[0]):
        if manifold.depth[k] >= -near.distance - slack:
            return
    manifold.count[0] = min(manifold.count[0], MOST - 1)
    put_closest(manifold, near)


# -------------------------------------------------------------------------------------------- faces


@kernel
def measure_depths(incident, count, reference, face, along, reach, depth):
    """Depth of the corners of one face in the plane of another; returns how many are in reach.

    Corners out of reach are removed. `along` is the normal that points out of the reference.
    """
    through, slope = load_vector(reference.point, 0), dot(along, face.normal)
    kept = 0
    for k in range(count):
        point = load_vector(incident.point, k)
        below = dot(sub(through, point), face.normal) / slope
        if below >= -reach:
            store_vector(incident.point, kept, point)
            incident.origin[kept] = incident.origin[k]
            depth[kept] = below
            kept += 1
    return kept


@kernel
def put_corners(manifold, incident, count, along, normal, flag, size, scratch):
    """Add corners of a clipped face: all, or four that represent them."""
    depth, half = scratch.depth, like(size, 0.5)
    chosen = (0, 1, 2, 3)
    if count > MOST:
        chosen = choose_four(incident, count, depth, along, size, scratch.value)
    for j in range(min(count, MOST)):
        k = chosen[j]
        if (j > 0 and k == chosen[0]) or (j > 1 and k == chosen[1]) or (j > 2 and k == chosen[2]):
            continue
        middle = add(load_vector(incident.point, k), scale(half * depth[k], along))
        put_point(manifold, middle, normal, depth[k], 1 + flag + 2 * incident.origin[k])


class Over(NamedTuple):
    """One face over another, which clips it."""

    corners: int  # of the face that is clipped
    face: Face  # that clips it
    along: tuple  # unit vector out of that face
    flag: int  # 1 if that is the face of A


@kernel
def touch_over(incident, reference, over, near, reach, size, scratch, manifold):
    """Add the corners of a face that are over another one."""
    count = clip(
        incident, over.corners, reference, over.face.count, over.along, size, scratch.clipped
    )
    count = measure_depths(incident, count, reference, over.face, over.along, reach, scratch.depth)
    slack = like(size, ALIKE_DEPTH) * size
    if count == 0 or scratch.depth[deepest_of(scratch.depth, count)] < -near.distance - slack:
        put_closest(manifold, near)
    put_corners(manifold, incident, count, over.along, near.normal, over.flag, size, scratch)


@subroutine
def touch_with_faces(hulls, A, B, near, reach, size, scratch, manifold):
    """Manifold of two solids, at least one of which touches with a face.

    `size` is the extent of the smaller one [m]. The closest points are added if no corner is as
    deep as they are.
    """
    normal, inwards = near.normal, scale(like(size, -1), near.normal)
    face_a = supporting_face(hulls, A, inwards, scratch.face_a)
    face_b = supporting_face(hulls, B, normal, scratch.face_b)
    if face_a.count == 2 and face_b.count == 2:
        touch_along_sides(A, B, near, reach, size, manifold)
        return
    slope_a, slope_b = dot(face_a.normal, inwards), dot(face_b.normal, normal)
    count, sides = face_a.count, face_b.count
    if sides == 2 or (count > 2 and slope_b < like(size, 0.5) * slope_a):
        over = Over(corners=sides, face=face_a, along=inwards, flag=1)
        touch_over(scratch.face_b, scratch.face_a, over, near, reach, size, scratch, manifold)
    else:
        over = Over(corners=count, face=face_b, along=normal, flag=0)
        touch_over(scratch.face_a, scratch.face_b, over, near, reach, size, scratch, manifold)


@kernel
def touch(hulls, A, B, near, reach, size, scratch, manifold):
    """Write the points of the manifold of two solids with known closest points."""
    manifold.count[0] = 0
    if near.distance <= reach:
        if A.kind == SPHERE or B.kind == SPHERE:
            put_closest(manifold, near)
        else:
            touch_with_faces(hulls, A, B, near, reach, size, scratch, manifold)
