"""Shapes as arrays for kernels, and how far a convex one extends in a direction.

A sphere is a point with a radius and a capsule is a segment with a radius. The point and the
segment are their cores; the core of every other shape is the shape itself.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from stiction.compiler.compiled import formula, kernel, subroutine
from stiction.description.description import SHAPE_KINDS
from stiction.kernels.vectors import (
    add,
    dot,
    like,
    load_vector,
    point_of_frame,
    scale,
    sub,
    transform_transposed,
    zero_vector,
)

SPHERE = SHAPE_KINDS.index("sphere")
CAPSULE = SHAPE_KINDS.index("capsule")
BOX = SHAPE_KINDS.index("box")
CYLINDER = SHAPE_KINDS.index("cylinder")
HULL = SHAPE_KINDS.index("hull")
MESH = SHAPE_KINDS.index("mesh")
LYING = 1e-3  # cosine between axis and normal below which a cylinder touches along its side


class Hulls(NamedTuple):
    """Convex hulls, in the axes of their shapes. What belongs to hull k begins at `first_...[k]`.

    Corners of a face run counterclockwise, seen from outside.
    """

    vertex: np.ndarray  # (vertices, 3) [m]
    first_vertex: np.ndarray  # (hulls + 1)
    normal: np.ndarray  # (faces, 3) unit vectors, outwards
    corner: np.ndarray  # (corners) vertices of faces, counted from the first of the hull
    first_corner: np.ndarray  # (faces + 1)
    face: np.ndarray  # (corners) faces around vertices
    first_face: np.ndarray  # (vertices + 1) into `face`


class Shapes(NamedTuple):
    """Convex shapes, and sides of meshes; `kind` and `size` as in the description."""

    kind: np.ndarray  # (n) index into SHAPE_KINDS
    size: np.ndarray  # (n, 3) [m]; of a hull, three times its largest coordinate
    hull: np.ndarray  # (n) number of the hull, for shapes of this kind
    hulls: Hulls
    mesh: np.ndarray  # (n) number of the mesh, for shapes that are a side of one
    side: np.ndarray  # (n) which side: see `FoundPoints`
    meshes: Any  # Meshes, or NoMeshes


class Pose(NamedTuple):
    """Where a shape is."""

    position: tuple  # [m]
    rotation: tuple  # matrix that maps axes of the shape to world axes


class Solid(NamedTuple):
    """One shape at one instant, in world axes about a common point."""

    kind: int
    size: tuple  # [m]
    hull: int
    position: tuple  # [m]
    rotation: tuple


@kernel
def solid_at(shapes, i, position, rotation):
    """Shape i at a pose."""
    size = load_vector(shapes.size, i)
    return Solid(shapes.kind[i], size, shapes.hull[i], position, rotation)


@formula
def radius_of(solid):
    """Radius around the core [m]."""
    if solid.kind == SPHERE or solid.kind == CAPSULE:
        return solid.size[0]
    return like(solid.size[0], 0)


@kernel
def radius_at(shapes, i, rotation, normal):
    """Radius of the surface of shape i where it has a normal, 0 if it is not round there [m]."""
    kind, radius = shapes.kind[i], shapes.size[i, 0]
    axis = (rotation[0][2], rotation[1][2], rotation[2][2])
    if kind == SPHERE or kind == CAPSULE:
        return radius
    if kind == CYLINDER and abs(dot(axis, normal)) < like(radius, LYING):
        return radius
    return like(radius, 0)


@formula
def extent_of(solid):
    """Largest dimension that is given [m]."""
    if solid.kind == SPHERE:
        return solid.size[0]
    if solid.kind == CAPSULE or solid.kind == CYLINDER:
        return max(solid.size[0], solid.size[1])
    return max(solid.size[0], max(solid.size[1], solid.size[2]))


@formula
def axis_of(solid):
    """Axis of a capsule or a cylinder: unit vector z of its frame."""
    return (solid.rotation[0][2], solid.rotation[1][2], solid.rotation[2][2])


@formula
def half_length_of(solid):
    """Half length of the core of a sphere or a capsule, or of a cylinder [m]."""
    return like(solid.size[0], 0) if solid.kind == SPHERE else solid.size[1]


@formula
def copied_sign(size, x):
    """Size with the sign of x."""
    return -size if x < like(x, 0) else size


@kernel
def furthest_vertex(hulls, hull, direction):
    """Vertex of a hull that is furthest in a direction, both in the axes of the shape."""
    first = hulls.first_vertex[hull]
    furthest, most = first, dot(load_vector(hulls.vertex, first), direction)
    for k in range(first + 1, hulls.first_vertex[hull + 1]):
        along = dot(load_vector(hulls.vertex, k), direction)
        if along > most:
            furthest, most = k, along
    return furthest


@kernel
def support(hulls, solid, direction):
    """Point of the core that is furthest in a direction."""
    d = transform_transposed(solid.rotation, direction)
    a, b, c = solid.size
    x = zero_vector(a)
    if solid.kind == BOX:
        x = (copied_sign(a, d[0]), copied_sign(b, d[1]), copied_sign(c, d[2]))
    elif solid.kind == CAPSULE:
        x = (x[0], x[1], copied_sign(b, d[2]))
    elif solid.kind == CYLINDER:
        across = math.sqrt(d[0] * d[0] + d[1] * d[1])
        if across > like(a, 0):
            x = (a * d[0] / across, a * d[1] / across, copied_sign(b, d[2]))
        else:
            x = (a, x[1], copied_sign(b, d[2]))
    elif solid.kind == HULL:
        x = load_vector(hulls.vertex, furthest_vertex(hulls, solid.hull, d))
    return point_of_frame(solid.position, solid.rotation, x)


class Support(NamedTuple):
    """Extreme point of the differences a - b of points of two cores."""

    difference: tuple  # [m]
    point_a: tuple  # a [m]


@subroutine
def support_of_differences(hulls, A, B, direction):
    """Difference of points of the cores of A and B that is furthest in a direction."""
    a = support(hulls, A, direction)
    return Support(sub(a, support(hulls, B, scale(like(a[0], -1), direction))), a)


@kernel
def depth_along(hulls, A, B, normal):
    """How far A must move along the normal to leave B, cores only [m]; negative if apart."""
    inwards = scale(like(normal[0], -1), normal)
    return dot(support_of_differences(hulls, A, B, inwards).difference, inwards)


# ------------------------------------------------------------------------------------------ numbers


@formula
def tolerance(x):
    """Relative accuracy asked of iterations, in the precision of x."""
    one = like(x, 1)
    return like(x, 1e-9) if one + like(x, 1e-10) > one else like(x, 1e-5)


@formula
def unit_or(a, otherwise):
    """The direction of a; `otherwise` if a is zero."""
    length = math.sqrt(dot(a, a))
    if length > like(length, 0):
        return scale(like(length, 1) / length, a)
    return otherwise


@formula
def any_perpendicular(a):
    """A unit vector perpendicular to unit vector a."""
    zero, one = like(a[0], 0), like(a[0], 1)
    other = (one, zero, zero) if abs(a[0]) < like(a[0], 0.6) else (zero, one, zero)
    return unit_or(sub(other, scale(dot(a, other), a)), other)


@formula
def midpoint(a, b):
    """(a + b) / 2."""
    return scale(like(a[0], 0.5), add(a, b))
