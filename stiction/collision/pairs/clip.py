"""The part of one face that lies over another, and the four points that represent it.

Corners of the remainder are distinguished by their origin:

    corner of the clipped face      its label
    corner of the clipping face     LABELS + its label
    crossing of two edges           2 LABELS (1 + label of the clipping edge) + label of the other

So the same corner is found again while the faces slide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.collision.pairs.shapes import unit_or
from stiction.compiler.compiled import formula, kernel
from stiction.kernels.vectors import add, cross, dot, like, load_vector, scale, store_vector, sub

MOST = 4  # points of a manifold
LABELS = 1024  # labels are smaller
SLACK = 1e-5  # corners outside by this fraction of the smaller solid's extent are kept
ALIKE = 1e-3  # relative difference of areas and distances that count as equal
ALIKE_DEPTH = 1e-5  # difference of depths that count as equal, over the smaller solid's extent


class Manifold(NamedTuple):
    """Contact between two shapes A and B. The first `count[0]` rows are points, in world axes."""

    count: np.ndarray  # type: ignore[assignment]  # (1)
    point: np.ndarray  # (4, 3) midway between the two surfaces [m]
    normal: np.ndarray  # (4, 3) unit vector from B to A
    depth: np.ndarray  # (4) [m], minus the gap outside
    feature: np.ndarray  # (4) which corners or edges touch
    distance: np.ndarray  # (1) of the shapes [m], minus the depth if they overlap
    towards: np.ndarray  # (3) unit vector from B to A along which they are that far apart
    point_a: np.ndarray  # (3) closest or deepest point of A [m]
    point_b: np.ndarray  # (3) and of B [m]


def make_manifold() -> Manifold:
    """A manifold without points."""
    return Manifold(
        np.zeros(1, int),
        np.zeros((MOST, 3)),
        np.zeros((MOST, 3)),
        np.zeros(MOST),
        np.zeros(MOST, int),
        np.zeros(1),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
    )


@formula
def crossing(label, side):
    """Origin of a corner where an edge crosses a side of the clipping face."""
    return label + 2 * LABELS * (side + 1)


@kernel
def put_corner(corners, count, point, label, origin):
    """Store a corner; the number of corners."""
    store_vector(corners.point, count, point)
    corners.label[count] = label
    corners.origin[count] = origin
    return count + 1


@kernel
def clip_by_side(source, count, target, through, outwards, slack, side):
    """Cut off what is outside one side of a face; the number of corners left in `target`.

    Two corners are a segment, more are a polygon. Edges along the clipping face have labels from
    LABELS on.
    """
    kept = 0
    for k in range(count):
        here = load_vector(source.point, k)
        out = dot(sub(here, through), outwards)
        if out <= slack:
            kept = put_corner(target, kept, here, source.label[k], source.origin[k])
        following = k + 1 if k + 1 < count else 0
        if count == 2 and following == 0:
            break  # a segment has one edge
        there = load_vector(source.point, following)
        out_there = dot(sub(there, through), outwards)
        if (out <= slack) != (out_there <= slack):
            if out <= slack and out >= -slack:
                target.label[kept - 1] = LABELS + side  # the corner itself is the crossing
            elif out < -slack or out_there < -slack:
                point = add(here, scale(out / (out - out_there), sub(there, here)))
                label = LABELS + side if out <= slack else source.label[k]
                kept = put_corner(target, kept, point, label, crossing(source.label[k], side))
    return kept


@kernel
def clip(incident, count, reference, sides, along, size, other):
    """Clip a face by another one, both seen along a unit vector.

    The result is in `incident` again; returns the number of corners. `other` is scratch.
    """
    slack = like(size, SLACK) * size
    for k in range(count):
        incident.origin[k] = incident.label[k]
    for s in range(sides):
        corner = load_vector(reference.point, s)
        following = load_vector(reference.point, s + 1 if s + 1 < sides else 0)
        outwards = unit_or(cross(sub(following, corner), along), along)
        label = reference.label[s]
        if s % 2 == 0:
            count = clip_by_side(incident, count, other, corner, outwards, slack, label)
        else:
            count = clip_by_side(other, count, incident, corner, outwards, slack, label)
    if sides % 2 == 1:
        for k in range(count):
            point = load_vector(other.point, k)
            put_corner(incident, k, point, other.label[k], other.origin[k])
    return without_repetition(incident, count, reference, sides, along, slack)


@kernel
def corner_below(reference, sides, point, along, slack):
    """The corner of a face on which a point lies, seen along a unit vector; -1 if on none."""
    for s in range(sides):
        apart = sub(point, load_vector(reference.point, s))
        height = dot(apart, along)
        if dot(apart, apart) - height * height <= slack * slack:
            return s
    return -1


@kernel
def without_repetition(incident, count, reference, sides, along, slack):
    """Drop what is found twice; crossings at a corner of the clipping face count as that corner."""
    kept = 0
    for k in range(count):
        point, origin = load_vector(incident.point, k), incident.origin[k]
        if origin >= 2 * LABELS:
            s = corner_below(reference, sides, point, along, like(slack, 4) * slack)
            if s >= 0:
                origin = LABELS + reference.label[s]
        repeated = False
        for j in range(kept):
            repeated = repeated or incident.origin[j] == origin
        if not repeated:
            kept = put_corner(incident, kept, point, incident.label[k], origin)
    return kept


# ---------------------------------------------------------------------------------------- selection


@kernel
def first_of_largest(value, count, slack):
    """The first of the largest values, and of those that are smaller by at most `slack`."""
    largest = value[0]
    for k in range(1, count):
        largest = max(largest, value[k])
    chosen = 0
    while value[chosen] < largest - slack:
        chosen += 1
    return chosen


@kernel
def distances_from(corners, count, i, value):
    """Write the squared distance of every corner from corner i; returns the largest."""
    largest = like(value[0], 0)
    for k in range(count):
        apart = sub(load_vector(corners.point, k), load_vector(corners.point, i))
        value[k] = dot(apart, apart)
        largest = max(largest, value[k])
    return largest


@kernel
def areas_over(corners, count, i, j, normal, value):
    """Write twice the signed area of corners i, j and every corner; returns the largest."""
    a = load_vector(corners.point, i)
    ab, largest = sub(load_vector(corners.point, j), a), like(value[0], 0)
    for k in range(count):
        value[k] = dot(cross(ab, sub(load_vector(corners.point, k), a)), normal)
        largest = max(largest, abs(value[k]))
    return largest


@kernel
def choose_four(corners, count, depth, normal, size, value):
    """Indices of four of the corners: a deepest one, one far from it, and two far to the sides.

    Nearly equal ones are chosen in their order, so that small motions do not change the choice.
    """
    alike = like(size, ALIKE)
    a = first_of_largest(depth, count, like(size, ALIKE_DEPTH) * size)
    slack = alike * distances_from(corners, count, a, value)
    b = first_of_largest(value, count, slack)
    slack = alike * areas_over(corners, count, a, b, normal, value)
    c = first_of_largest(value, count, slack)
    for k in range(count):
        value[k] = -value[k]
    return a, b, c, first_of_largest(value, count, slack)


@kernel
def deepest_of(depth, count):
    """Index of the largest depth."""
    return first_of_largest(depth, count, like(depth[0], 0))
