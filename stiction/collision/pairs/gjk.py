"""Closest points of two cores that are apart: the algorithm of Gilbert, Johnson and Keerthi.

The distance of A and B is that of the origin from the differences a - b of their points. The
iteration keeps the simplex of at most four extreme differences on which the closest point lies.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from stiction.collision.pairs.shapes import support_of_differences, tolerance
from stiction.compiler.compiled import formula, kernel, subroutine
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    load_vector,
    rounding,
    scale,
    store_vector,
    sub,
)

MOST_ITERATIONS = 64
APART, OVERLAPPING, OUT_OF_REACH, STALLED = 0, 1, 2, 3  # how the iteration ended


class Separation(NamedTuple):
    """Result of the iteration."""

    case: int  # APART, OVERLAPPING, OUT_OF_REACH or STALLED
    apart: tuple  # from the closest point of B to that of A [m]
    point_a: tuple  # [m]


# ------------------------------------------------------------- weights of the closest point to zero


@formula
def weights_on_segment(a, b):
    """Weights of a and b in the point closest to the origin on a segment."""
    ab = sub(b, a)
    zero, one, length = like(a[0], 0), like(a[0], 1), dot(ab, ab)
    t = min(max(-dot(a, ab) / length, zero), one) if length > zero else zero
    return one - t, t


@formula
def normal_of_triangle(a, b, c):
    """Twice the area of a triangle, as a vector; from its shortest edge, against rounding."""
    ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
    u, v, w = dot(ab, ab), dot(bc, bc), dot(ca, ca)
    if u <= v and u <= w:
        return cross(ca, ab)
    return cross(ab, bc) if v <= w else cross(bc, ca)


@formula
def weights_inside(a, b, c, normal):
    """Weights of the foot of the origin on the plane of a triangle whose edge b c is short."""
    one = like(a[0], 1) / dot(normal, normal)
    w_a = one * dot(cross(b, sub(c, b)), normal)  # b x c with less rounding
    w_b = one * dot(cross(c, sub(a, c)), normal)
    return w_a, w_b, like(a[0], 1) - w_a - w_b


@formula
def weights_on_triangle(a, b, c):
    """Weights of a, b and c in the point closest to the origin on a triangle."""
    zero, normal = like(a[0], 0), normal_of_triangle(a, b, c)
    if dot(normal, normal) > zero:
        ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
        u, v, w = dot(ab, ab), dot(bc, bc), dot(ca, ca)
        if v <= u and v <= w:
            w_a, w_b, w_c = weights_inside(a, b, c, normal)
        elif w <= u:
            w_b, w_c, w_a = weights_inside(b, c, a, normal)
        else:
            w_c, w_a, w_b = weights_inside(c, a, b, normal)
        if w_a >= zero and w_b >= zero and w_c >= zero:
            return w_a, w_b, w_c
    s, t = weights_on_segment(a, b)  # the closest of the three edges
    point = add(scale(s, a), scale(t, b))
    least, best = dot(point, point), (s, t, zero)
    s, t = weights_on_segment(b, c)
    point = add(scale(s, b), scale(t, c))
    if dot(point, point) < least:
        least, best = dot(point, point), (zero, s, t)
    s, t = weights_on_segment(c, a)
    point = add(scale(s, c), scale(t, a))
    if dot(point, point) < least:
        best = (t, zero, s)
    return best


@formula
def combined(w, a, b, c, d):
    """Sum of vectors a to d with weights w."""
    return add(add(scale(w[0], a), scale(w[1], b)), add(scale(w[2], c), scale(w[3], d)))


@formula
def beyond(a, b, c, d):
    """Whether the origin is on the other side of the plane a b c than d, or on the plane."""
    normal, zero = normal_of_triangle(a, b, c), like(a[0], 0)
    here, there = dot(normal, a), dot(normal, sub(d, a))
    return here * there >= zero or there == zero


@kernel
def weights_on_tetrahedron(a, b, c, d):
    """Weights in the point closest to the origin; the sum is zero if the origin is inside."""
    zero = like(a[0], 0)
    best, least = (zero, zero, zero, zero), like(a[0], math.inf)
    if beyond(a, b, c, d):
        w = weights_on_triangle(a, b, c)
        w4 = (w[0], w[1], w[2], zero)
        point = combined(w4, a, b, c, d)
        best, least = w4, dot(point, point)
    if beyond(a, c, d, b):
        w = weights_on_triangle(a, c, d)
        w4 = (w[0], zero, w[1], w[2])
        point = combined(w4, a, b, c, d)
        if dot(point, point) < least:
            best, least = w4, dot(point, point)
    if beyond(a, d, b, c):
        w = weights_on_triangle(a, d, b)
        w4 = (w[0], w[2], zero, w[1])
        point = combined(w4, a, b, c, d)
        if dot(point, point) < least:
            best, least = w4, dot(point, point)
    if beyond(b, d, c, a):
        w = weights_on_triangle(b, d, c)
        w4 = (zero, w[0], w[2], w[1])
        point = combined(w4, a, b, c, d)
        if dot(point, point) < least:
            best = w4
    return best


@kernel
def weights_on_simplex(simplex, count):
    """Weights of the first `count` differences in their point closest to the origin."""
    a = load_vector(simplex.difference, 0)
    zero, one = like(a[0], 0), like(a[0], 1)
    if count == 1:
        return (one, zero, zero, zero)
    b = load_vector(simplex.difference, 1)
    if count == 2:
        s, t = weights_on_segment(a, b)
        return (s, t, zero, zero)
    c = load_vector(simplex.difference, 2)
    if count == 3:
        w = weights_on_triangle(a, b, c)
        return (w[0], w[1], w[2], zero)
    return weights_on_tetrahedron(a, b, c, load_vector(simplex.difference, 3))


# ---------------------------------------------------------------------------------------- iteration


@kernel
def weighted(points, weights, count):
    """Sum of the first `count` rows with weights."""
    total = scale(weights[0], load_vector(points, 0))
    for k in range(1, count):
        total = add(total, scale(weights[k], load_vector(points, k)))
    return total


@kernel
def without_unused(simplex, weights, count):
    """Drop differences of weight zero; the weights and the number of those left."""
    zero = like(weights[0], 0)
    kept, left = 0, (zero, zero, zero, zero)
    for k in range(count):
        w = weights[k]
        if w > zero:
            if kept < k:
                store_vector(simplex.difference, kept, load_vector(simplex.difference, k))
                store_vector(simplex.point_a, kept, load_vector(simplex.point_a, k))
            left = (
                w if kept == 0 else left[0],
                w if kept == 1 else left[1],
                w if kept == 2 else left[2],
                w if kept == 3 else left[3],
            )
            kept += 1
    return left, kept


@kernel
def known(simplex, count, difference):
    """Whether a difference is in the simplex already."""
    for k in range(count):
        other = load_vector(simplex.difference, k)
        if other[0] == difference[0] and other[1] == difference[1] and other[2] == difference[2]:
            return True
    return False


@subroutine
def separate(hulls, A, B, v, reach, size, simplex):
    """Closest points of two cores, unless they overlap or are further apart than `reach`.

    v is a guess of the direction from B to A; `size` is the extent of both [m]. Cores closer than
    ten tolerances of it count as overlapping.
    """
    zero, one = like(size, 0), like(size, 1)
    precise, smallest = like(size, 4) * rounding(size), like(size, 10) * tolerance(size) * size
    count, weights, square, case = 0, (one, zero, zero, zero), like(size, math.inf), -1
    accepted = STALLED
    for _ in range(MOST_ITERATIONS):
        new = support_of_differences(hulls, A, B, scale(like(size, -1), v))
        along, length = dot(v, new.difference), math.sqrt(dot(v, v))
        if along > reach * length:
            case = OUT_OF_REACH
            break
        gap = square - along  # bounds the square of the error of v
        accepted = APART if gap <= like(size, 100) * tolerance(size) * size * length else STALLED
        if count > 0 and (
            gap <= precise * (like(size, 10) * square + size * length)
            or known(simplex, count, new.difference)
        ):
            case = accepted
            break
        store_vector(simplex.difference, count, new.difference)
        store_vector(simplex.point_a, count, new.point_a)
        trial = weights_on_simplex(simplex, count + 1)
        closest = weighted(simplex.difference, trial, count + 1)
        if trial[0] + trial[1] + trial[2] + trial[3] == zero or dot(closest, closest) <= (
            smallest * smallest
        ):
            case = OVERLAPPING
            break
        if dot(closest, closest) >= square:  # no progress: rounding
            case = accepted
            break
        weights, count = without_unused(simplex, trial, count + 1)
        v, square = closest, dot(closest, closest)
    if case < 0:
        case = accepted
    return Separation(case, v, weighted(simplex.point_a, weights, max(count, 1)))
