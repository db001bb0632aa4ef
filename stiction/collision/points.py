"""Contact points of links, as arrays for kernels, and where each meets the ground.

Every colliding shape is a set of contact points with a radius: a sphere's centre, both ends of a
capsule, the corners of a box, the vertices of a hull, the points of a set of points, and three
points on each rim of a cylinder, 120 degrees apart, of which the first is always the lowest point
of the rim: a cylinder rolls on that one, lies on two and stands on three. A point keeps its number
throughout a run, so that a contact model can remember a point.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.collision.terrain import meet
from stiction.compiler.compiled import kernel
from stiction.kernels.kinematics import arm_to
from stiction.kernels.vectors import (
    add,
    column,
    cross,
    dot,
    like,
    load_matrix,
    load_vector,
    scale,
    sub,
    transform,
)

BALL, RIM = 0, 1  # kinds of contact points
LEVEL = 1e-5  # tilt below which the lowest point of a rim is nearly fixed to the link [rad]


class ContactPoints(NamedTuple):
    """Constant: where links may touch the ground."""

    kind: np.ndarray  # (n) BALL: a point with a radius; RIM: a point on a circle
    link: np.ndarray  # (n)
    centre: np.ndarray  # (n, 3) in the link [m]
    axis: np.ndarray  # (n, 3) of a rim, in the link
    radius: np.ndarray  # (n) [m]
    turn: np.ndarray  # (n) of a rim: angle from its lowest point [rad]
    group: np.ndarray  # (n) number of the link among those with contact points: a foot
    pair: np.ndarray  # (n) row of `Contact.table` for the first of the ground's materials
    share: np.ndarray  # (n) fraction of a force law's stiffness and damping
    extent: np.ndarray  # (1) largest possible distance of a point from O of its tree [m]
    size: np.ndarray  # (1) the same with prismatic joints at zero: size of the robots [m]
    group_link: np.ndarray  # (groups)
    group_first: np.ndarray  # (groups + 1) first point; those of group g end where g + 1 begins
    group_centre: np.ndarray  # (groups, 3) of a sphere around its contact points, in the link [m]
    group_radius: np.ndarray  # (groups) [m]


class Rim(NamedTuple):
    """A rim at one instant, in world axes."""

    axis: tuple  # unit vector
    down: tuple  # unit vector perpendicular to the axis, steepest into the ground
    steepness: float  # of this direction: sine of the tilt
    fixed: tuple  # vector that ties `down` to the link where the rim is level


@kernel
def rim_of(points, dynamics, link, n, i):
    """The rim of contact point i, of a link, over a ground with normal n.

    A level rim has no lowest point. There `down` points to one that is fixed in the link, with a
    smooth transition: `down` is off by (LEVEL / tilt)^2 [rad], the depth by at most LEVEL times the
    radius.
    """
    R = load_matrix(dynamics.rotation, link)
    local = load_vector(points.axis, i)
    axis = transform(R, local)
    other = column(R, 0) if abs(local[0]) < like(local[0], 0.7) else column(R, 1)
    sideways = cross(axis, other)
    tilted = sub(scale(dot(n, axis), axis), n)
    level = like(axis[0], LEVEL)
    pull = level * level / (level + math.sqrt(dot(tilted, tilted)))
    fixed = scale(pull / math.sqrt(dot(sideways, sideways)), sideways)
    into = add(tilted, fixed)
    steepness = math.sqrt(dot(into, into))
    if steepness < like(steepness, LEVEL / 100):  # exactly where the two cancel
        into, steepness = fixed, like(steepness, LEVEL)
    return Rim(axis, scale(like(steepness, 1) / steepness, into), steepness, fixed)


@kernel
def rim_point(points, rim, i):
    """Position of contact point i on its rim, relative to the centre of the rim."""
    turn, across = points.turn[i], cross(rim.axis, rim.down)
    out = add(scale(math.cos(turn), rim.down), scale(math.sin(turn), across))
    return scale(points.radius[i], out)


@kernel
def meet_ground(points, ground, dynamics, link, i):
    """Deepest point of contact point i of a link, relative to O, and its `Meeting`.

    `down` of a rim follows the normal of the ground below its centre.
    """
    radius = points.radius[i]
    origin = load_vector(dynamics.origin, dynamics.tree.root[link])
    r = arm_to(dynamics, link, load_vector(points.centre, i))
    if points.kind[i] == RIM:
        radius = like(radius, 0)
        n = meet(ground, add(origin, r), radius).normal
        r = add(r, rim_point(points, rim_of(points, dynamics, link, n, i), i))
    met = meet(ground, add(origin, r), radius)
    return add(r, met.offset), met


@kernel
def deepest(points, ground, dynamics, root):
    """Depth of the deepest point of a tree of links; minus infinity if it has none."""
    depth = like(dynamics.origin[root, 2], -math.inf)
    for i in range(len(points.link)):
        if dynamics.tree.root[points.link[i]] == root:
            depth = max(depth, meet_ground(points, ground, dynamics, points.link[i], i)[1].depth)
    return depth
