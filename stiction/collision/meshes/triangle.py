"""A convex shape against one triangle of a mesh.

Triangles are one-sided: only what is in front of them touches them. A shape over a triangle touches
its face. At its edges and corners a contact counts only if no neighbour is closer that way: its
normal must lie between the normals of the triangles that meet there. So a shape that slides over a
flat or concave edge does not notice it, and every place where the mesh is closest to the shape,
seen from nearby, gives a contact: a ball in a corner has one on each wall.

Where shape and triangle overlap, the shortest way out may be sideways, across an edge that other
triangles continue. The way out is then along the normal of the triangle, if the shape is more in
front of it than behind it.
"""

from __future__ import annotations

import math

from stiction.collision.meshes.found import FEATURES, add_found
from stiction.collision.pairs.clip import ALIKE_DEPTH, LABELS, clip, deepest_of
from stiction.collision.pairs.faces import Face, supporting_face
from stiction.collision.pairs.gjk import APART, OUT_OF_REACH, separate, weights_on_triangle
from stiction.collision.pairs.manifold import measure_depths, put_closest, touch
from stiction.collision.pairs.meet import nearest_cores
from stiction.collision.pairs.nearest import SOLVED, Nearest, with_radii
from stiction.collision.pairs.shapes import (
    CAPSULE,
    SPHERE,
    extent_of,
    radius_of,
    support,
    tolerance,
    unit_or,
)
from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.vectors import add, cross, dot, like, load_vector, scale, sub

CONE = 1e-6  # how far a normal may be outside those of the triangles around it [rad]
ON_EDGE = 1e-5  # corners that are as high to this fraction of the triangle are one edge or face


# ----------------------------------------------------------------------------- normals at the edges


@subroutine
def faces_outwards(meshes, t, corners, normal):
    """Whether a normal at the part of triangle t that it supports lies between those around it."""
    slack, outwards = like(normal[0], CONE), True
    heights = (dot(corners[0], normal), dot(corners[1], normal), dot(corners[2], normal))
    highest = max(heights[0], max(heights[1], heights[2]))
    level = highest - like(normal[0], ON_EDGE) * meshes.extent[t]
    count, last, lowest = 0, 0, 0
    for k in range(3):
        if heights[k] >= level:
            count += 1
            last = k
        else:
            lowest = k
    if count == 3:
        outwards = dot(normal, load_vector(meshes.normal, t)) > like(normal[0], 0)
    elif count == 2:
        edge = lowest + 1 if lowest < 2 else 0
        outwards = (
            dot(normal, load_vector(meshes.across, 3 * t + edge)) >= -slack
            and dot(normal, load_vector(meshes.edge_normal, 3 * t + edge)) >= -slack
        )
    else:
        vertex = meshes.vertex[t, last]
        outwards = dot(normal, load_vector(meshes.vertex_normal, vertex)) >= -slack
        for k in range(meshes.first_spoke[vertex], meshes.first_spoke[vertex + 1]):
            outwards = outwards and dot(normal, load_vector(meshes.spoke, k)) <= slack
    return outwards


# ------------------------------------------------------------------------------------------ results


@kernel
def note_closest(found, near):
    """Remember the closest points of the pair."""
    if near.distance < found.closest[0]:
        found.closest[0] = near.distance
        for k in range(3):
            found.towards[k] = near.normal[k]
            found.point_a[k], found.point_b[k] = near.point_a[k], near.point_b[k]


@kernel
def feature_on(meshes, t, feature):
    """Feature of a point on triangle t: corners of the shape keep theirs on all triangles."""
    if feature == 0:
        return feature
    label, over_shape = (feature - 1) >> 1, (feature & 1) == 0  # whether the shape's face clips
    if label >= 2 * LABELS:  # two edges cross
        return FEATURES + ((feature + 7919 * t) & 0x3FFFFFFF)
    corner = label & (LABELS - 1)
    if (label < LABELS) == over_shape:  # a corner of the triangle
        return FEATURES + meshes.vertex[t, corner]
    return 1 + corner


@subroutine
def add_points(meshes, t, size, found, manifold):
    """Add the points of the manifold to those of the pair."""
    for k in range(manifold.count[0]):
        point, normal = load_vector(manifold.point, k), load_vector(manifold.normal, k)
        feature = feature_on(meshes, t, manifold.feature[k])
        add_found(found, point, normal, manifold.depth[k], feature, size)


# ------------------------------------------------------------------------------------------- sphere


@kernel
def meet_sphere(meshes, A, t, corners, reach, scratch, manifold):
    """Point of a sphere, whose centre is the origin, on triangle t."""
    n, radius, zero = load_vector(meshes.normal, t), A.size[0], like(reach, 0)
    w = weights_on_triangle(corners[0], corners[1], corners[2])
    point = add(add(scale(w[0], corners[0]), scale(w[1], corners[1])), scale(w[2], corners[2]))
    distance, height = math.sqrt(dot(point, point)), -dot(n, corners[0])
    if height <= zero or distance > reach + radius:
        return
    normal = n
    if not (w[0] > zero and w[1] > zero and w[2] > zero):
        normal = scale(like(reach, -1) / distance, point)
        if not faces_outwards(meshes, t, corners, normal):
            return
    near = Nearest(SOLVED, distance, normal, scale(distance - distance, n), point)
    near = with_radii(near, radius, zero)
    note_closest(scratch.found, near)
    manifold.count[0] = 0
    put_closest(manifold, near)
    add_points(meshes, t, radius, scratch.found, manifold)


# ------------------------------------------------------------------------------------- other shapes


@subroutine
def clip_over(hulls, A, T, n, reach, size, scratch):
    """Clip the face of A over triangle T to it; returns how many corners are within reach."""
    face = supporting_face(hulls, A, scale(like(size, -1), n), scratch.face_a)
    supporting_face(hulls, T, n, scratch.face_b)
    count = clip(scratch.face_a, face.count, scratch.face_b, 3, n, size, scratch.clipped)
    plane = Face(3, n)
    return measure_depths(scratch.face_a, count, scratch.face_b, plane, n, reach, scratch.depth)


@subroutine
def add_clipped(meshes, t, n, count, most, size, scratch):
    """Add the corners of a clipped face over triangle t that are at most so deep [m]."""
    depth, half, corners = scratch.depth, like(size, 0.5), scratch.face_a
    for k in range(count):
        if depth[k] <= most:
            point = load_vector(corners.point, k)
            feature = feature_on(meshes, t, 1 + 2 * corners.origin[k])
            above = add(point, scale(half * depth[k], n))
            add_found(scratch.found, above, n, depth[k], feature, size)
            near = Nearest(SOLVED, -depth[k], n, point, add(point, scale(depth[k], n)))
            note_closest(scratch.found, near)


@kernel
def is_flat_around(meshes, t):
    """Whether nothing leaves triangle t across its edges: its neighbours continue it."""
    return meshes.bends[3 * t] + meshes.bends[3 * t + 1] + meshes.bends[3 * t + 2] == 0


@subroutine
def least_way_aside(hulls, meshes, A, t, corners, n):
    """How far A must move in the plane of triangle t to leave it across an edge that bends [m]."""
    least = like(n[0], math.inf)
    for k in range(3):
        if meshes.bends[3 * t + k] == 1:
            following = corners[k + 1 if k < 2 else 0]
            out = unit_or(cross(sub(following, corners[k]), n), n)
            furthest = support(hulls, A, scale(like(n[0], -1), out))
            least = min(least, dot(out, sub(corners[k], furthest)))
    return least + radius_of(A)


@subroutine
def nearest_to_triangle(hulls, A, T, n, reach, size, scratch):
    """Closest points of A and a triangle; the distance is infinite if a capsule's axis meets it."""
    radius = radius_of(A)
    if A.kind != CAPSULE:
        return with_radii(nearest_cores(hulls, A, T, reach, size, scratch), radius, radius - radius)
    larger = extent_of(A) + size
    found = separate(hulls, A, T, n, reach + radius, larger, scratch.simplex)
    distance = math.sqrt(dot(found.apart, found.apart))
    normal = unit_or(found.apart, n)
    if found.case == OUT_OF_REACH:
        distance = reach + radius + radius
    elif found.case != APART:
        distance = like(size, math.inf)
    near = Nearest(SOLVED, distance, normal, found.point_a, sub(found.point_a, found.apart))
    return with_radii(near, radius, radius - radius)


@kernel
def meet_face(shapes, A, T, t, corners, reach, scratch, manifold):
    """Points of a shape that is not a sphere, at the origin, on triangle t; returns a status."""
    hulls, meshes = shapes.hulls, shapes.meshes
    n, radius, zero = load_vector(meshes.normal, t), radius_of(A), like(reach, 0)
    size = min(extent_of(A), meshes.extent[t])
    lowest = support(hulls, A, scale(like(reach, -1), n))
    low = dot(n, sub(lowest, corners[0])) - radius
    high = dot(n, sub(support(hulls, A, n), corners[0])) + radius
    if low > reach or high <= zero:
        return SOLVED
    in_front, flat = high > -low, is_flat_around(meshes, t)
    count = clip_over(hulls, A, T, n, reach, size, scratch)
    slack = like(size, 10) * tolerance(size) * size
    if low < zero:
        slack = like(size, ALIKE_DEPTH) * size
    is_over = count > 0 and scratch.depth[deepest_of(scratch.depth, count)] >= -low - slack
    on_face = low >= zero or (in_front and flat)
    if is_over and in_front and not on_face:
        on_face = -low <= least_way_aside(hulls, meshes, A, t, corners, n)
    most = like(size, math.inf) if on_face else zero
    add_clipped(meshes, t, n, count, most, extent_of(A), scratch)
    if flat or (on_face and is_over):
        return SOLVED
    near = nearest_to_triangle(hulls, A, T, n, reach, size, scratch)
    crossing = near.distance < zero or near.distance == like(size, math.inf)
    if near.distance <= reach and faces_outwards(meshes, t, corners, near.normal):
        note_closest(scratch.found, near)
        touch(hulls, A, T, near, reach, size, scratch, manifold)
        add_points(meshes, t, extent_of(A), scratch.found, manifold)
    elif crossing and in_front:
        count = clip_over(hulls, A, T, n, reach, size, scratch)
        add_clipped(meshes, t, n, count, like(size, math.inf), extent_of(A), scratch)
    return near.status


@kernel
def meet_triangle(shapes, A, T, t, corners, reach, scratch, manifold):
    """Add the points of a shape at the origin on triangle t; returns a status."""
    if A.kind == SPHERE:
        meet_sphere(shapes.meshes, A, t, corners, reach, scratch, manifold)
        return SOLVED
    return meet_face(shapes, A, T, t, corners, reach, scratch, manifold)
