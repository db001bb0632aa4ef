"""Two boxes: the axis along which they overlap least or are furthest apart."""

from __future__ import annotations

import math
from typing import NamedTuple

from stiction.collision.pairs.shapes import tolerance
from stiction.compiler.compiled import formula, kernel
from stiction.kernels.vectors import column, cross, dot, like, scale, sub

PARALLEL = 1e-5  # sine of the angle between edges that are too parallel to span an axis


class Axis(NamedTuple):
    """A direction and how far the boxes overlap along it."""

    depth: float  # [m], negative if they are apart
    normal: tuple  # unit vector from B to A


@formula
def half_width(box, direction):
    """Half width of a box along a unit vector [m]."""
    return (
        box.size[0] * abs(dot(column(box.rotation, 0), direction))
        + box.size[1] * abs(dot(column(box.rotation, 1), direction))
        + box.size[2] * abs(dot(column(box.rotation, 2), direction))
    )


@formula
def overlap(A, B, offset, direction):
    """How far boxes overlap along a unit vector; the normal is turned from B to A."""
    along = dot(offset, direction)
    normal = direction if along >= like(along, 0) else scale(like(along, -1), direction)
    return Axis(half_width(A, direction) + half_width(B, direction) - abs(along), normal)


@kernel
def least_overlap(A, B):
    """The axis of least overlap among the normals of the faces and the edges' common normals.

    Where several overlap equally, faces of B come before those of A, and edges last.
    """
    offset = sub(A.position, B.position)
    size = max(max(A.size[0], A.size[1]), A.size[2]) + max(max(B.size[0], B.size[1]), B.size[2])
    slack = tolerance(size) * size
    best = overlap(A, B, offset, column(B.rotation, 0))
    for k in range(1, 3):
        axis = overlap(A, B, offset, column(B.rotation, k))
        if axis.depth < best.depth - slack:
            best = axis
    for k in range(3):
        axis = overlap(A, B, offset, column(A.rotation, k))
        if axis.depth < best.depth - slack:
            best = axis
    for i in range(3):
        for j in range(3):
            direction = cross(column(A.rotation, i), column(B.rotation, j))
            sine = math.sqrt(dot(direction, direction))
            if sine > like(sine, PARALLEL):
                axis = overlap(A, B, offset, scale(like(sine, 1) / sine, direction))
                if axis.depth < best.depth - slack:
                    best = axis
    return best
