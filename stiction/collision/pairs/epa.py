"""Depth of two overlapping cores: the expanding polytope algorithm.

The depth is the distance of the origin from the boundary of the differences a - b of points of A
and B. A polytope of extreme differences grows where its face is closest to the origin. The offset
of that face is a lower bound of the depth, the extent of the differences along any normal an upper
bound. Offsets are signed, so that cores which touch, or just do not, need no other treatment.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.collision.pairs.gjk import normal_of_triangle, weights_on_triangle
from stiction.collision.pairs.nearest import SOLVED, UNSOLVED, Nearest
from stiction.collision.pairs.shapes import (
    any_perpendicular,
    support_of_differences,
    unit_or,
)
from stiction.compiler.compiled import kernel, subroutine
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
    zero_vector,
)

MOST_VERTICES = 96
MOST_FACES = 2 * MOST_VERTICES
ENOUGH = 1e2  # where rounding or memory ends the growth, this multiple of the goal is accepted


class Polytope(NamedTuple):
    """Scratch: extreme differences and the triangles between them, corners counterclockwise."""

    difference: np.ndarray  # (MOST_VERTICES, 3) [m]
    point_a: np.ndarray  # (MOST_VERTICES, 3) [m]
    corner: np.ndarray  # (MOST_FACES, 3) vertices
    normal: np.ndarray  # (MOST_FACES, 3) unit vectors, outwards; zero for a face without area
    offset: np.ndarray  # (MOST_FACES) of the plane from the origin [m]
    slack: np.ndarray  # (MOST_FACES) rounding error of the plane across the polytope [m]
    edge: np.ndarray  # (MOST_FACES, 2) vertices: border of the faces that a new vertex sees


def make_polytope() -> Polytope:
    """Scratch of `penetrate`."""
    return Polytope(
        np.zeros((MOST_VERTICES, 3)),
        np.zeros((MOST_VERTICES, 3)),
        np.zeros((MOST_FACES, 3), int),
        np.zeros((MOST_FACES, 3)),
        np.zeros(MOST_FACES),
        np.zeros(MOST_FACES),
        np.zeros((MOST_FACES, 2), int),
    )


@kernel
def add_vertex(polytope, count, new):
    """Store an extreme difference as vertex `count`."""
    store_vector(polytope.difference, count, new.difference)
    store_vector(polytope.point_a, count, new.point_a)


@kernel
def add_face(polytope, f, i, j, k, size):
    """Store the triangle of vertices i, j, k as face f."""
    a, b = load_vector(polytope.difference, i), load_vector(polytope.difference, j)
    c = load_vector(polytope.difference, k)
    ab, ac, bc = sub(b, a), sub(c, a), sub(c, b)
    normal = normal_of_triangle(a, b, c)
    area = math.sqrt(dot(normal, normal))
    longest = max(dot(ab, ab), max(dot(ac, ac), dot(bc, bc)))
    offset = like(size, math.inf)
    if area > like(size, 16) * rounding(size) * max(longest, size * rounding(size) * size):
        normal = scale(like(size, 1) / area, normal)
        offset = dot(normal, a)
    else:
        normal = scale(like(size, 0), normal)
    polytope.corner[f, 0], polytope.corner[f, 1], polytope.corner[f, 2] = i, j, k
    store_vector(polytope.normal, f, normal)
    polytope.offset[f] = offset
    spread = size * math.sqrt(longest) / area if area > like(size, 0) else like(size, 0)
    polytope.slack[f] = like(size, 4) * rounding(size) * size * (like(size, 1) + spread)


@kernel
def further_of_two(hulls, A, B, direction, reference):
    """Of the extreme differences along and against a direction, the one further from a point."""
    new = support_of_differences(hulls, A, B, direction)
    other = support_of_differences(hulls, A, B, scale(like(direction[0], -1), direction))
    along = dot(sub(new.difference, reference), direction)
    against = -dot(sub(other.difference, reference), direction)
    return new if along >= against else other


@kernel
def begin(hulls, A, B, towards, size, polytope):
    """Make the polytope a tetrahedron; at least one of A and B must have a volume."""
    first = support_of_differences(hulls, A, B, towards)
    a = first.difference
    second = support_of_differences(hulls, A, B, scale(like(size, -1), towards))
    ab = sub(second.difference, a)
    across = any_perpendicular(unit_or(ab, towards))
    third = further_of_two(hulls, A, B, across, a)
    up = unit_or(cross(ab, sub(third.difference, a)), towards)
    fourth = further_of_two(hulls, A, B, up, a)
    add_vertex(polytope, 0, first)
    add_vertex(polytope, 1, second)
    add_vertex(polytope, 2, third)
    add_vertex(polytope, 3, fourth)
    i, j = 1, 2
    if dot(up, sub(fourth.difference, a)) > like(size, 0):
        i, j = 2, 1
    add_face(polytope, 0, 0, i, j, size)
    add_face(polytope, 1, 0, j, 3, size)
    add_face(polytope, 2, 0, 3, i, size)
    add_face(polytope, 3, 3, j, i, size)


@kernel
def add_edge(polytope, edges, i, j):
    """Add the edge i j to the border, or remove j i from it; the number of edges."""
    for k in range(edges):
        if polytope.edge[k, 0] == j and polytope.edge[k, 1] == i:
            polytope.edge[k, 0], polytope.edge[k, 1] = (
                polytope.edge[edges - 1, 0],
                polytope.edge[edges - 1, 1],
            )
            return edges - 1
    polytope.edge[edges, 0], polytope.edge[edges, 1] = i, j
    return edges + 1


@kernel
def move_face(polytope, source, target):
    """Copy a face."""
    for k in range(3):
        polytope.corner[target, k] = polytope.corner[source, k]
        polytope.normal[target, k] = polytope.normal[source, k]
    polytope.offset[target] = polytope.offset[source]
    polytope.slack[target] = polytope.slack[source]


@kernel
def expand(polytope, faces, closest, vertex, size):
    """Replace the faces that a vertex sees, `closest` among them; the number of faces.

    It is negative if there is no memory left.
    """
    new, edges, f = load_vector(polytope.difference, vertex), 0, 0
    while f < faces:
        above = dot(load_vector(polytope.normal, f), new) - polytope.offset[f]
        seen = above > polytope.slack[f]
        if not (seen or f == closest):
            f += 1
            continue
        if edges + 3 > MOST_FACES:
            return -1
        i, j, k = polytope.corner[f, 0], polytope.corner[f, 1], polytope.corner[f, 2]
        edges = add_edge(polytope, edges, i, j)
        edges = add_edge(polytope, edges, j, k)
        edges = add_edge(polytope, edges, k, i)
        faces -= 1
        move_face(polytope, faces, f)
        if f == closest:
            closest = -1
        elif closest == faces:
            closest = f
    if faces + edges > MOST_FACES:
        return -1
    for k in range(edges):
        add_face(polytope, faces + k, polytope.edge[k, 0], polytope.edge[k, 1], vertex, size)
    return faces + edges


@kernel
def closest_face(polytope, faces):
    """The face whose plane is closest to the origin, or furthest on the inner side of it."""
    closest = 0
    for f in range(1, faces):
        if polytope.offset[f] < polytope.offset[closest]:
            closest = f
    return closest


@kernel
def closest_points(polytope, faces, highest):
    """Points of A and B whose difference is closest to the origin on faces up to an offset.

    Several triangles may lie in the plane of the closest face; the origin is above one of them.
    """
    least, best, weights = like(highest, math.inf), 0, zero_vector(highest)
    for f in range(faces):
        if polytope.offset[f] <= highest:
            a = load_vector(polytope.difference, polytope.corner[f, 0])
            b = load_vector(polytope.difference, polytope.corner[f, 1])
            c = load_vector(polytope.difference, polytope.corner[f, 2])
            w = weights_on_triangle(a, b, c)
            point = add(add(scale(w[0], a), scale(w[1], b)), scale(w[2], c))
            if dot(point, point) < least:
                least, best, weights = dot(point, point), f, w
    point_a, difference = zero_vector(highest), zero_vector(highest)
    for k in range(3):
        i = polytope.corner[best, k]
        point_a = add(point_a, scale(weights[k], load_vector(polytope.point_a, i)))
        difference = add(difference, scale(weights[k], load_vector(polytope.difference, i)))
    return point_a, sub(point_a, difference)


@subroutine
def penetrate(hulls, A, B, size, goal, polytope):
    """Depth, normal and deepest points of two cores that overlap or touch.

    `size` is the extent of both [m]. The normal separates A and B exactly at the distance given;
    another one may do so with less motion by at most `goal` [m].
    """
    zero, one = like(size, 0), like(size, 1)
    towards = unit_or(sub(A.position, B.position), (one, zero, zero))
    begin(hulls, A, B, towards, size, polytope)
    goal += like(size, 16) * rounding(size) * size
    depth, normal, faces, error = like(size, math.inf), towards, 4, zero
    closest = closest_face(polytope, faces)
    for vertex in range(4, MOST_VERTICES):
        outwards = load_vector(polytope.normal, closest)
        new = support_of_differences(hulls, A, B, outwards)
        extent = dot(new.difference, outwards)
        if extent < depth:
            depth, normal = extent, outwards
        error = depth - polytope.offset[closest]
        if error <= goal:
            break
        lowest = polytope.offset[closest]
        add_vertex(polytope, vertex, new)
        grown = expand(polytope, faces, closest, vertex, size)
        if grown < 0:
            break
        faces = grown
        closest = closest_face(polytope, faces)
        if lowest > zero and polytope.offset[closest] < lowest - goal:
            break  # impossible without rounding: faces have become too small
    status = SOLVED if error <= like(size, ENOUGH) * goal else UNSOLVED
    point_a, point_b = closest_points(polytope, faces, depth + goal)
    return Nearest(status, -depth, scale(like(size, -1), normal), point_a, point_b)
