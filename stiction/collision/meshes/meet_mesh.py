"""The contact manifolds of a convex shape and a mesh, one for each of the mesh's three sides."""

from __future__ import annotations

import math
from typing import Any

from stiction.collision.meshes.found import CAPACITY, thin_side
from stiction.collision.meshes.meshes import SIDES, Meshes, NoMeshes
from stiction.collision.meshes.triangle import meet_triangle
from stiction.collision.pairs.meet import meet_shapes
from stiction.collision.pairs.nearest import SOLVED
from stiction.collision.pairs.shapes import (
    HULL,
    MESH,
    Solid,
    extent_of,
    radius_of,
    solid_at,
    support,
)
from stiction.compiler.compiled import as_python, chooses, formula, kernel, subroutine
from stiction.kernels.vectors import (
    add,
    column,
    dot,
    like,
    load_vector,
    scale,
    store_vector,
    sub,
    transform,
    transform_transposed,
    zero_vector,
)


@formula
def seen_in(R, A):
    """R' A: the axes of A in those of R."""
    x = transform_transposed(R, column(A, 0))
    y = transform_transposed(R, column(A, 1))
    z = transform_transposed(R, column(A, 2))
    return ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2]))


@formula
def unit_axes(x):
    """The unit matrix, in the precision of x."""
    zero, one = like(x, 0), like(x, 1)
    return ((one, zero, zero), (zero, one, zero), (zero, zero, one))


@kernel
def corner_of_box(hulls, A, sign, reach):
    """Corner of the box around A, enlarged by its reach, from the position of A."""
    axes, more = unit_axes(sign), sign * (radius_of(A) + reach)
    x = support(hulls, A, scale(sign, axes[0]))[0] + more
    y = support(hulls, A, scale(sign, axes[1]))[1] + more
    z = support(hulls, A, scale(sign, axes[2]))[2] + more
    return (x, y, z)


@kernel
def is_apart(meshes, node, low, high):
    """Whether the box of a node and another one do not overlap."""
    apart = False
    for k in range(3):
        apart = apart or meshes.low[node, k] > high[k] or meshes.high[node, k] < low[k]
    return apart


@kernel
def is_beside(R, corners, low, high):
    """Whether a triangle is outside a box in axes R."""
    a, b = transform_transposed(R, corners[0]), transform_transposed(R, corners[1])
    c, beside = transform_transposed(R, corners[2]), False
    for k in range(3):
        beside = beside or min(a[k], min(b[k], c[k])) > high[k]
        beside = beside or max(a[k], max(b[k], c[k])) < low[k]
    return beside


@subroutine
def find_points(shapes, A, mesh, place, reach, scratch, manifold):
    """Find the points of A, at the origin, on a mesh seen from `place`; returns a status."""
    hulls, meshes, found = shapes.hulls, shapes.meshes, scratch.found
    for side in range(SIDES):
        found.count[side] = 0
    found.closest[0] = like(reach, math.inf)
    low = add(place, corner_of_box(hulls, A, like(reach, -1), reach))
    high = add(place, corner_of_box(hulls, A, like(reach, 1), reach))
    node, end, status = meshes.first_node[mesh], meshes.first_node[mesh + 1], SOLVED
    axes = unit_axes(reach)
    unturned = Solid(A.kind, A.size, A.hull, A.position, axes)
    own_low = corner_of_box(hulls, unturned, like(reach, -1), reach)
    own_high = corner_of_box(hulls, unturned, like(reach, 1), reach)
    while node < end:
        if is_apart(meshes, node, low, high):
            node = meshes.escape[node]
            continue
        for t in range(meshes.begin[node], meshes.end[node]):
            hull, extent = meshes.first_hull[0] + t, meshes.extent[t]
            centre, first = sub(load_vector(meshes.centre, t), place), hulls.first_vertex[hull]
            corners = (
                add(load_vector(hulls.vertex, first), centre),
                add(load_vector(hulls.vertex, first + 1), centre),
                add(load_vector(hulls.vertex, first + 2), centre),
            )
            if is_beside(A.rotation, corners, own_low, own_high):
                continue
            T = Solid(HULL, (extent, extent, extent), hull, centre, axes)
            solved = meet_triangle(shapes, A, T, t, corners, reach, scratch, manifold)
            status = max(status, solved)
        node += 1
    return status


@kernel
def meet_mesh(shapes, a, pose_a, b, pose_b, reach, scratch, manifold):
    """Write the manifold of shape a and side b of a mesh; returns a status.

    The search is done for the first side and holds for those that follow it.
    """
    R, side, found, status = pose_b.rotation, shapes.side[b], scratch.found, SOLVED
    turned = seen_in(R, pose_a.rotation)
    A = solid_at(shapes, a, zero_vector(reach), turned)
    if side == 0:
        place = transform_transposed(R, sub(pose_a.position, pose_b.position))
        status = find_points(shapes, A, shapes.mesh[b], place, reach, scratch, manifold)
    manifold.count[0] = thin_side(found, side, extent_of(A))
    for k in range(manifold.count[0]):
        row = CAPACITY * side + k
        point = transform(R, load_vector(found.point, row))
        store_vector(manifold.point, k, add(pose_a.position, point))
        store_vector(manifold.normal, k, transform(R, load_vector(found.normal, row)))
        manifold.depth[k], manifold.feature[k] = found.depth[row], found.feature[row]
    manifold.distance[0] = found.closest[0]
    for k in range(3):
        axis = (R[k][0], R[k][1], R[k][2])
        towards = (found.towards[0], found.towards[1], found.towards[2])
        manifold.towards[k] = dot(axis, towards)
        point_a = (found.point_a[0], found.point_a[1], found.point_a[2])
        manifold.point_a[k] = pose_a.position[k] + dot(axis, point_a)
        point_b = (found.point_b[0], found.point_b[1], found.point_b[2])
        manifold.point_b[k] = pose_a.position[k] + dot(axis, point_b)
    return status


# ---------------------------------------------------------------------------------------- any shape


def meet(shapes: Any, *rest: Any) -> int:
    """Write the manifold of shapes a and b, of which b may be a mesh; see `meet_shapes`."""
    return _MEET[type(shapes.meshes)](shapes, *rest)


@kernel
def _meet_any(shapes, a, pose_a, b, pose_b, reach, scratch, manifold):
    if shapes.kind[b] == MESH:
        return meet_mesh(shapes, a, pose_a, b, pose_b, reach, scratch, manifold)
    return meet_shapes(shapes, a, pose_a, b, pose_b, reach, scratch, manifold)


_MEET = {NoMeshes: meet_shapes, Meshes: _meet_any}


@chooses(meet)
def _meet(shapes, a, pose_a, b, pose_b, reach, scratch, manifold):
    return as_python(_MEET[shapes.types[shapes.fields.index("meshes")].instance_class])
