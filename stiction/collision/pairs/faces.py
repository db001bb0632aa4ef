"""The face of a solid that supports a contact: the corners that are near its extreme point.

    sphere      none: it touches at one point
    capsule     the two ends of its side
    cylinder    the two ends of its side, or RIM_CORNERS points of a rim
    box, hull   the corners of a face

Corners have numbers that stay with the solid. The first point of a rim is always the one furthest
in the direction asked for, so that a tilted cylinder rolls on it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.collision.pairs.shapes import (
    BOX,
    CAPSULE,
    CYLINDER,
    SPHERE,
    axis_of,
    copied_sign,
    furthest_vertex,
    half_length_of,
    unit_or,
)
from stiction.compiler.compiled import kernel
from stiction.kernels.vectors import (
    add,
    column,
    cross,
    dot,
    like,
    load_vector,
    point_of_frame,
    scale,
    store_vector,
    sub,
    transform,
    transform_transposed,
)

RIM_CORNERS = 8
RIM_COSINES = tuple(math.cos(2 * math.pi * k / RIM_CORNERS) for k in range(RIM_CORNERS))
RIM_SINES = tuple(math.sin(2 * math.pi * k / RIM_CORNERS) for k in range(RIM_CORNERS))
STEEP = 0.7  # cosine between a direction and the axis above which a cylinder shows its rim
LEVEL = 1e-5  # tilt below which the extreme point of a rim is nearly fixed to the solid [rad]


class Corners(NamedTuple):
    """Scratch: corners of a polygon, counterclockwise seen from outside the solid."""

    point: np.ndarray  # (n, 3) [m]
    label: np.ndarray  # (n) number of the corner, or of the edge that begins there
    origin: np.ndarray  # (n) how the corner came about: see clip.py


def make_corners(most: int) -> Corners:
    """Scratch for polygons of at most that many corners."""
    return Corners(np.zeros((most, 3)), np.zeros(most, int), np.zeros(most, int))


class Face(NamedTuple):
    """Number of corners and outward normal of a supporting face."""

    count: int  # type: ignore[assignment]
    normal: tuple  # unit vector


@kernel
def side_line(solid, direction, corners):
    """The two ends of the side of a capsule or a cylinder, and its normal."""
    axis, half = axis_of(solid), half_length_of(solid)
    radial = unit_or(sub(direction, scale(dot(direction, axis), axis)), direction)
    if solid.kind == CAPSULE:
        radial = direction
    middle = add(solid.position, scale(solid.size[0], radial))
    store_vector(corners.point, 0, add(middle, scale(half, axis)))
    store_vector(corners.point, 1, sub(middle, scale(half, axis)))
    corners.label[0], corners.label[1] = 0, 1
    return Face(2, radial)


@kernel
def rim_face(solid, direction, corners):
    """Points of a rim, from the one furthest in the direction; fixed to the solid where level.

    The transition is smooth: the first point is off by (LEVEL / tilt)^2 [rad].
    """
    axis = axis_of(solid)
    along = dot(direction, axis)
    normal = axis if along >= like(along, 0) else scale(like(along, -1), axis)
    tilted = sub(direction, scale(along, axis))
    level = like(along, LEVEL)
    pull = level * level / (level + math.sqrt(dot(tilted, tilted)))
    fixed = scale(pull, column(solid.rotation, 0))
    out = unit_or(add(tilted, fixed), column(solid.rotation, 0))
    across = cross(normal, out)
    centre = add(solid.position, scale(solid.size[1], normal))
    radius, first = solid.size[0], 2 if along >= like(along, 0) else 2 + RIM_CORNERS
    for k in range(RIM_CORNERS):
        turned = add(
            scale(like(along, RIM_COSINES[k]), out), scale(like(along, RIM_SINES[k]), across)
        )
        store_vector(corners.point, k, add(centre, scale(radius, turned)))
        corners.label[k] = first + k
    return Face(RIM_CORNERS, normal)


@kernel
def box_face(solid, direction, corners):
    """The corners of the side of a box that faces a direction most."""
    d = transform_transposed(solid.rotation, direction)
    k = 0
    if abs(d[1]) > abs(d[0]):
        k = 1
    if abs(d[2]) > max(abs(d[0]), abs(d[1])):
        k = 2
    i = (k + 1) % 3
    zero, up = like(d[0], 0), d[k] >= like(d[0], 0)
    for c in range(4):
        i_up, j_up = (c == 0 or c == 3), c < 2
        if not up:  # the other way round
            i_up, j_up = j_up, i_up
        label, x = 0, (zero, zero, zero)
        for axis in range(3):
            above = up if axis == k else (i_up if axis == i else j_up)
            half = solid.size[axis] if above else -solid.size[axis]
            label += (1 << axis) if above else 0
            x = (
                half if axis == 0 else x[0],
                half if axis == 1 else x[1],
                half if axis == 2 else x[2],
            )
        store_vector(corners.point, c, point_of_frame(solid.position, solid.rotation, x))
        corners.label[c] = label
    one = like(d[0], 1)
    return Face(4, scale(copied_sign(one, d[k]), column(solid.rotation, k)))


@kernel
def neighbours(hulls, face, corner):
    """The corners of a face of a hull after and before one of them, both -1 if it is not one."""
    begin, end = hulls.first_corner[face], hulls.first_corner[face + 1]
    for k in range(begin, end):
        if hulls.corner[k] == corner:
            after = hulls.corner[k + 1 if k + 1 < end else begin]
            return after, hulls.corner[k - 1 if k > begin else end - 1]
    return -1, -1


@kernel
def extreme_edge(hulls, first, vertex, d):
    """Of the neighbours of an extreme vertex the one furthest in the direction, as a corner."""
    furthest, most = -1, like(d[0], -math.inf)
    for k in range(hulls.first_face[vertex], hulls.first_face[vertex + 1]):
        after, _ = neighbours(hulls, hulls.face[k], vertex - first)
        along = dot(load_vector(hulls.vertex, first + after), d)
        if along > most:
            furthest, most = after, along
    return furthest


@kernel
def hull_face(hulls, solid, direction, corners):
    """The corners of a face of a hull: of the two at its extreme edge, the one that faces more.

    The extreme edge leads from the extreme vertex to the furthest of its neighbours.
    """
    d = transform_transposed(solid.rotation, direction)
    vertex, first = furthest_vertex(hulls, solid.hull, d), hulls.first_vertex[solid.hull]
    other, best = extreme_edge(hulls, first, vertex, d), -1
    for k in range(hulls.first_face[vertex], hulls.first_face[vertex + 1]):
        face = hulls.face[k]
        after, before = neighbours(hulls, face, vertex - first)
        if (after == other or before == other) and (
            best < 0
            or dot(load_vector(hulls.normal, face), d) > dot(load_vector(hulls.normal, best), d)
        ):
            best = face
    begin = hulls.first_corner[best]
    count = hulls.first_corner[best + 1] - begin
    for k in range(count):
        corner = hulls.corner[begin + k]
        x = load_vector(hulls.vertex, first + corner)
        store_vector(corners.point, k, point_of_frame(solid.position, solid.rotation, x))
        corners.label[k] = corner
    return Face(count, transform(solid.rotation, load_vector(hulls.normal, best)))


@kernel
def supporting_face(hulls, solid, direction, corners):
    """Write the corners of the face that supports contact in a direction."""
    if solid.kind == BOX:
        return box_face(solid, direction, corners)
    if solid.kind == SPHERE:
        return Face(0, direction)
    if solid.kind == CAPSULE:
        return side_line(solid, direction, corners)
    if solid.kind == CYLINDER:
        if abs(dot(axis_of(solid), direction)) > like(direction[0], STEEP):
            return rim_face(solid, direction, corners)
        return side_line(solid, direction, corners)
    return hull_face(hulls, solid, direction, corners)
