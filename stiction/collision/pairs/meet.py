"""Distance, closest points, normal and contact manifold of two convex shapes.

round shapes with each other         closed forms on their axes
a sphere and a box or a cylinder     closed forms
two boxes                            separating axes, confirmed by the overlap of two faces
all others                           gjk.py where cores are apart, epa.py where they overlap;
                                     then normals of faces, axes and edges close to the result
                                     are tried, so that flat contact has the exact normal
"""

from __future__ import annotations

import math

from stiction.collision.pairs.boxes import least_overlap
from stiction.collision.pairs.clip import ALIKE_DEPTH, Manifold, deepest_of, make_manifold
from stiction.collision.pairs.epa import penetrate
from stiction.collision.pairs.faces import supporting_face
from stiction.collision.pairs.gjk import APART, OUT_OF_REACH, OVERLAPPING, STALLED, separate
from stiction.collision.pairs.manifold import PairScratch, make_scratch, touch
from stiction.collision.pairs.nearest import (
    SOLVED,
    UNSOLVED,
    Nearest,
    mirrored,
    nearest_segments,
    nearest_to_centre,
    with_radii,
)
from stiction.collision.pairs.shapes import (
    BOX,
    CAPSULE,
    CYLINDER,
    SPHERE,
    Pose,
    Shapes,
    Solid,
    axis_of,
    depth_along,
    extent_of,
    radius_of,
    solid_at,
    tolerance,
    unit_or,
)
from stiction.compiler.compiled import formula, kernel, subroutine
from stiction.kernels.vectors import (
    add,
    column,
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

__all__ = [
    "SOLVED",
    "UNSOLVED",
    "Manifold",
    "PairScratch",
    "Pose",
    "Shapes",
    "make_manifold",
    "make_scratch",
    "meet_shapes",
]

ROUGHLY = 1e-6  # accuracy of the depth of round cores before it is refined, over their extent
MOST_REFINEMENTS = 20
NEAR = 0.999  # cosine between the normal found and one that is tried


@formula
def is_round(solid):
    """Whether the solid is a point or a segment with a radius."""
    return solid.kind == SPHERE or solid.kind == CAPSULE


# ------------------------------------------------------------------------------------ exact normals


@kernel
def better_normal(hulls, A, B, normal, tried, slack):
    """`tried`, in either sense, if it is close to the normal and separates as well; else that."""
    length = math.sqrt(dot(tried, tried))
    cosine = dot(tried, normal)
    if abs(cosine) < like(length, NEAR) * length or length == like(length, 0):
        return normal
    tried = scale(
        (like(length, 1) if cosine > like(length, 0) else like(length, -1)) / length, tried
    )
    if depth_along(hulls, A, B, tried) <= depth_along(hulls, A, B, normal) + slack:
        return tried
    return normal


@kernel
def exact_normal(hulls, A, B, normal, slack, scratch):
    """Normal of a face, a side or two edges that separates as well as a normal close to it."""
    minus = like(slack, -1)
    face = supporting_face(hulls, A, scale(minus, normal), scratch.face_a)
    normal = better_normal(hulls, A, B, normal, face.normal, slack)
    face = supporting_face(hulls, B, normal, scratch.face_b)
    normal = better_normal(hulls, A, B, normal, face.normal, slack)
    for k in range(3):
        if A.kind == CYLINDER and B.kind == BOX:
            tried = cross(axis_of(A), column(B.rotation, k))
        elif A.kind == BOX and B.kind == CYLINDER:
            tried = cross(axis_of(B), column(A.rotation, k))
        else:
            tried = cross(axis_of(A), axis_of(B))
        if A.kind == CYLINDER or B.kind == CYLINDER:
            normal = better_normal(hulls, A, B, normal, tried, slack)
    return normal


# ----------------------------------------------------------------------------------- closest points


@kernel
def refined(hulls, A, B, near, size, scratch):
    """Closest points of overlapping cores from approximate ones.

    A is moved out of B along the normal, a little further than necessary. The closest points of the
    two then yield a better normal: its error becomes smaller by the ratio of the depth and the
    radius of curvature of the differences, so that flat faces are found exactly.
    """
    larger, apart = max(extent_of(A), extent_of(B)) + size, like(size, 0.01) * size
    for _ in range(MOST_REFINEMENTS):
        way = scale(apart - near.distance, near.normal)
        moved = Solid(A.kind, A.size, A.hull, add(A.position, way), A.rotation)
        found = separate(
            hulls, moved, B, near.normal, like(size, math.inf), larger, scratch.simplex
        )
        length = math.sqrt(dot(found.apart, found.apart))
        if found.case != APART:
            break
        normal = scale(like(size, 1) / length, found.apart)
        distance = -depth_along(hulls, A, B, normal)
        gain = distance - near.distance
        if gain >= like(size, 0):
            point_a = sub(found.point_a, way)
            point_b = sub(found.point_a, found.apart)
            near = Nearest(near.status, distance, normal, point_a, point_b)
        if gain <= like(size, 0.1) * tolerance(size) * size:
            break
    return near


@subroutine
def nearest_cores(hulls, A, B, reach, size, scratch):
    """Closest points of two cores, one of which has a volume; `size` is that of the smaller one.

    A distance above `reach` is not exact.
    """
    larger = max(extent_of(A), extent_of(B)) + size
    towards = unit_or(sub(A.position, B.position), column(A.rotation, 0))
    found = separate(hulls, A, B, towards, reach, larger, scratch.simplex)
    distance = math.sqrt(dot(found.apart, found.apart))
    near = Nearest(
        UNSOLVED if found.case == STALLED else SOLVED,
        distance,
        scale(like(size, 1) / distance, found.apart),
        found.point_a,
        sub(found.point_a, found.apart),
    )
    if found.case == OUT_OF_REACH:
        least = -depth_along(hulls, A, B, near.normal)
        return Nearest(SOLVED, least, near.normal, near.point_a, near.point_b)
    if found.case == OVERLAPPING:
        if A.kind == CYLINDER or B.kind == CYLINDER:
            goal = like(size, ROUGHLY) * size
            near = penetrate(hulls, A, B, larger, goal, scratch.polytope)
            near = refined(hulls, A, B, near, size, scratch)
        else:
            goal = tolerance(size) * size
            near = penetrate(hulls, A, B, larger, goal, scratch.polytope)
    slack = like(size, 32) * rounding(size) * larger
    normal = exact_normal(hulls, A, B, near.normal, slack, scratch)
    depth = depth_along(hulls, A, B, normal)
    return Nearest(near.status, -depth, normal, near.point_a, near.point_b)


@kernel
def meet_boxes(hulls, A, B, reach, size, scratch, manifold):
    """Closest points and manifold of two boxes."""
    axis = least_overlap(A, B)
    zero = zero_vector(size)
    near = Nearest(SOLVED, -axis.depth, axis.normal, zero, zero)
    manifold.count[0] = 0
    if near.distance > reach:
        return near
    touch(hulls, A, B, near, reach, size, scratch, manifold)
    k = deepest_of(manifold.depth, manifold.count[0])
    attained = like(size, 10) * tolerance(size) * size
    if axis.depth > like(size, 0):
        attained = like(size, ALIKE_DEPTH) * size  # the deepest corner may not be among the four
    if manifold.depth[k] >= axis.depth - attained and manifold.feature[k] > 0:
        half = scale(like(size, 0.5) * axis.depth, axis.normal)
        middle = load_vector(manifold.point, k)
        return Nearest(SOLVED, -axis.depth, axis.normal, sub(middle, half), add(middle, half))
    near = nearest_cores(hulls, A, B, reach, size, scratch)  # apart at an edge or a corner
    touch(hulls, A, B, near, reach, size, scratch, manifold)
    return near


@kernel
def nearest_of(hulls, A, B, reach, size, scratch):
    """Closest points of two solids that are not both boxes."""
    r_a, r_b = radius_of(A), radius_of(B)
    if is_round(A) and is_round(B):
        near = nearest_segments(A, B)
    elif A.kind == SPHERE and (B.kind == BOX or B.kind == CYLINDER):
        near = nearest_to_centre(A, B)
    elif B.kind == SPHERE and (A.kind == BOX or A.kind == CYLINDER):
        near = mirrored(nearest_to_centre(B, A))
    else:
        near = nearest_cores(hulls, A, B, reach + r_a + r_b, size, scratch)
    return with_radii(near, r_a, r_b)


@kernel
def meet_shapes(shapes, a, pose_a, b, pose_b, reach, scratch, manifold):
    """Write the contact manifold of shapes a and b: points whose gap is at most `reach` [m].

    Returns UNSOLVED if an iteration did not converge: `manifold` then holds its best result. If the
    shapes are further apart than `reach`, the manifold has no point and `distance` is above `reach`
    without being exact.
    """
    hulls, origin = shapes.hulls, pose_b.position
    A = solid_at(shapes, a, sub(pose_a.position, origin), pose_a.rotation)
    B = solid_at(shapes, b, zero_vector(reach), pose_b.rotation)
    size = min(extent_of(A), extent_of(B))
    if A.kind == BOX and B.kind == BOX:
        near = meet_boxes(hulls, A, B, reach, size, scratch, manifold)
    else:
        near = nearest_of(hulls, A, B, reach, size, scratch)
        touch(hulls, A, B, near, reach, size, scratch, manifold)
    manifold.distance[0] = near.distance
    for k in range(3):
        manifold.towards[k] = near.normal[k]
        manifold.point_a[k] = near.point_a[k] + origin[k]
        manifold.point_b[k] = near.point_b[k] + origin[k]
    for i in range(manifold.count[0]):
        store_vector(manifold.point, i, add(load_vector(manifold.point, i), origin))
    return near.status
