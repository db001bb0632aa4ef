"""Closest points of two solids in closed form: balls and segments, boxes, cylinders.

Where two cores meet, the distance is negative and the points are the deepest of each shape.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from stiction.collision.pairs.shapes import (
    BOX,
    any_perpendicular,
    axis_of,
    copied_sign,
    half_length_of,
    unit_or,
)
from stiction.compiler.compiled import formula, kernel
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    rounding,
    scale,
    sub,
    transform,
    transform_transposed,
)

SOLVED, UNSOLVED = 0, 1  # status: an iteration may end before it converges


class Nearest(NamedTuple):
    """Closest points of two solids; deepest points if they overlap."""

    status: int  # SOLVED or UNSOLVED
    distance: float  # [m], minus the depth if they overlap
    normal: tuple  # unit vector from B to A
    point_a: tuple  # [m]
    point_b: tuple  # [m]


@formula
def with_radii(near, radius_a, radius_b):
    """From the closest points of the cores, those of the shapes."""
    return Nearest(
        near.status,
        near.distance - radius_a - radius_b,
        near.normal,
        sub(near.point_a, scale(radius_a, near.normal)),
        add(near.point_b, scale(radius_b, near.normal)),
    )


@formula
def mirrored(near):
    """The same with A and B exchanged."""
    turned = scale(like(near.distance, -1), near.normal)
    return Nearest(near.status, near.distance, turned, near.point_b, near.point_a)


# ----------------------------------------------------------------------------------------- segments


@formula
def clamped(x, bound):
    """The number in [-bound, bound] closest to x."""
    return min(max(x, -bound), bound)


@formula
def closest_on_segments(offset, u, v, a, b):
    """Closest points of two segments, as distances s along u and t along v from the middles.

    `offset` leads from the middle of the second segment to that of the first; a and b are the half
    lengths.
    """
    along, w_u, w_v = dot(u, v), dot(offset, u), dot(offset, v)
    across = like(a, 1) - along * along
    s = like(a, 0)
    if across > rounding(a):
        s = clamped((along * w_v - w_u) / across, a)
    t = clamped(w_v + s * along, b)
    s = clamped(t * along - w_u, a)
    return s, clamped(w_v + s * along, b)


@kernel
def nearest_segments(A, B):
    """Closest points of the axes of two solids: spheres, capsules or cylinders."""
    u, v, offset = axis_of(A), axis_of(B), sub(A.position, B.position)
    a, b = half_length_of(A), half_length_of(B)
    s, t = closest_on_segments(offset, u, v, a, b)
    point_a, point_b = add(A.position, scale(s, u)), add(B.position, scale(t, v))
    apart, sideways = sub(point_a, point_b), cross(u, v)
    distance, sine = math.sqrt(dot(apart, apart)), math.sqrt(dot(sideways, sideways))
    smallest = like(a, 1e4) * rounding(a)
    if distance > smallest * (a + b + math.sqrt(dot(offset, offset))):
        return Nearest(SOLVED, distance, scale(like(a, 1) / distance, apart), point_a, point_b)
    normal = any_perpendicular(u if a > b else v)  # the segments meet
    if a == like(a, 0) and b == like(b, 0):
        normal = unit_or(apart, normal)
    elif a > like(a, 0) and b > like(b, 0) and sine > smallest:
        normal = scale(like(a, 1) / sine, sideways)
    if dot(normal, offset) < like(a, 0):
        normal = scale(like(a, -1), normal)
    return Nearest(SOLVED, dot(normal, apart), normal, point_a, point_b)


# -------------------------------------------------------------------- a point and a box, a cylinder


@formula
def out_of_box(x, half):
    """Shortest path from the surface of a box to a point x: distance and direction."""
    zero, one = like(x[0], 0), like(x[0], 1)
    e = (abs(x[0]) - half[0], abs(x[1]) - half[1], abs(x[2]) - half[2])
    out = (max(e[0], zero), max(e[1], zero), max(e[2], zero))
    distance = math.sqrt(dot(out, out))
    if distance > zero:
        out = scale(one / distance, out)
    elif e[0] >= e[1] and e[0] >= e[2]:
        distance, out = e[0], (one, zero, zero)
    elif e[1] >= e[2]:
        distance, out = e[1], (zero, one, zero)
    else:
        distance, out = e[2], (zero, zero, one)
    return distance, (
        copied_sign(out[0], x[0]),
        copied_sign(out[1], x[1]),
        copied_sign(out[2], x[2]),
    )


@formula
def out_of_cylinder(x, radius, half):
    """Shortest path from the surface of a cylinder to a point x: distance and direction."""
    zero, one = like(radius, 0), like(radius, 1)
    across = math.sqrt(x[0] * x[0] + x[1] * x[1])
    radial = (x[0] / across, x[1] / across) if across > zero else (one, zero)
    aside, above = across - radius, abs(x[2]) - half
    if aside > zero and above > zero:
        distance = math.sqrt(aside * aside + above * above)
        aside, above = aside / distance, above / distance
    elif aside > above:
        distance, aside, above = aside, one, zero
    else:
        distance, aside, above = above, zero, one
    return distance, (aside * radial[0], aside * radial[1], copied_sign(above, x[2]))


@kernel
def nearest_to_centre(A, B):
    """Closest points of the centre of A and a box or a cylinder B."""
    x = transform_transposed(B.rotation, sub(A.position, B.position))
    if B.kind == BOX:
        distance, out = out_of_box(x, B.size)
    else:
        distance, out = out_of_cylinder(x, B.size[0], B.size[1])
    normal = transform(B.rotation, out)
    point_b = sub(A.position, scale(distance, normal))
    return Nearest(SOLVED, distance, normal, A.position, point_b)
