"""Places on links that may touch the ground, and what touches at one instant.

Every colliding shape is a set of places with a radius: the centre of a sphere, the two ends of a
capsule, the corners of a box, the vertices of a hull, the points of a set of points, and three
points on each rim of a cylinder, which turn with the ground so that the first is the lowest. A
place keeps its number for good, so that a contact model can remember a point.

The places of a link are a group, in a sphere; a group whose sphere is out of reach costs no more
than to find that out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.compiled import formula, kernel
from stiction.kernels.kinematics import arm_to
from stiction.kernels.spatial import (
    add,
    column,
    cross,
    dot,
    like,
    load_matrix,
    load_twist,
    load_vector,
    load_wrench,
    point_velocity,
    scale,
    store_vector,
    store_wrench,
    sub,
    transform,
    wrench_add,
    wrench_at_point,
)
from stiction.kernels.terrain import clearance, meet

NEVER = -1e9  # a floor that no point falls below: such a point is not held up [m/s]
BALL, RIM = 0, 1  # kinds of places
REACH_ACCELERATION = 100.0  # places that could touch within a step at this are watched [m/s2]


class Places(NamedTuple):
    """Constant: where links may touch the ground."""

    kind: np.ndarray  # (n) BALL: a point with a radius; RIM: a point on a circle
    link: np.ndarray  # (n)
    centre: np.ndarray  # (n, 3) in the link [m]
    axis: np.ndarray  # (n, 3) of a rim, in the link
    radius: np.ndarray  # (n) [m]
    turn: np.ndarray  # (n) of a rim: angle from its lowest point [rad]
    group: np.ndarray  # (n) number of the link among those with places: a foot
    pair: np.ndarray  # (n) row of `Contact.table` for the first of the ground's materials
    group_link: np.ndarray  # (groups)
    group_first: np.ndarray  # (groups + 1) first place; those of group g end where g + 1 begins
    group_centre: np.ndarray  # (groups, 3) of a sphere around its places, in the link [m]
    group_radius: np.ndarray  # (groups) [m]


class Contact(NamedTuple):
    """The touching points of one instant; the first `count[0]` rows are points, in world axes.

    Points of one link are neighbours and share a slot; the first `slots[0]` slots are in use.
    """

    count: np.ndarray  # type: ignore[assignment]  # (1) how many rows are in use
    slots: np.ndarray  # (1) how many slots are in use
    slot_link: np.ndarray  # (groups) link of each slot
    slot: np.ndarray  # (capacity)
    point: np.ndarray  # (capacity) which place touches
    group: np.ndarray  # (capacity)
    pair: np.ndarray  # (capacity) row of `table`
    body_a: np.ndarray  # (capacity) link that touches
    body_b: np.ndarray  # (capacity) link that is touched, 0 for the ground
    depth: np.ndarray  # (capacity) penetration [m], positive inside the ground, else minus the gap
    arm: np.ndarray  # (capacity, 3) the point relative to O of the tree of body_a [m]
    normal: np.ndarray  # (capacity, 3) unit normal pointing out of the ground
    velocity: np.ndarray  # (capacity, 3) of the point against the ground [m/s]
    floor: np.ndarray  # (capacity) slowest velocity along the normal at the end of the step [m/s]
    force: np.ndarray  # (capacity, 3) force on body_a [N]; a force law writes it
    impulse: np.ndarray  # (capacity, 3) impulse on body_a [N s]; an impulse solver writes it
    table: np.ndarray  # (pairs, fields) parameters of the model per pair of materials


@kernel
def lowest_direction(n, axis, sideways):
    """Unit vector across the axis that leads most into the ground; `sideways` if all are level."""
    across = sub(scale(dot(n, axis), axis), n)
    length = math.sqrt(dot(across, across))
    if length < like(length, 1e-6):
        return sideways
    return scale(like(length, 1) / length, across)


@kernel
def rim_point(places, dynamics, link, centre, n, i):
    """The point of a rim that place i is for a ground with normal n, relative to O."""
    R = load_matrix(dynamics.rotation, link)
    local = load_vector(places.axis, i)
    axis = transform(R, local)
    sideways = column(R, 0) if abs(local[0]) < like(local[0], 0.7) else column(R, 1)
    down = lowest_direction(n, axis, sideways)
    out = add(
        scale(math.cos(places.turn[i]), down),
        scale(math.sin(places.turn[i]), cross(axis, down)),
    )
    return add(centre, scale(places.radius[i], out))


@kernel
def touching(places, ground, dynamics, link, i):
    """The point of place i, of a link, deepest in the ground, relative to O, and its `Meeting`.

    A rim turns with the normal of the ground below its centre.
    """
    radius = places.radius[i]
    origin = load_vector(dynamics.origin, dynamics.tree.root[link])
    r = arm_to(dynamics, link, load_vector(places.centre, i))
    if places.kind[i] == RIM:
        radius = like(radius, 0)
        n = meet(ground, add(origin, r), radius).normal
        r = rim_point(places, dynamics, link, r, n, i)
    met = meet(ground, add(origin, r), radius)
    return add(r, met.offset), met


@kernel
def deepest(places, ground, dynamics, root):
    """Depth of the deepest place of a tree of links; minus infinity if it has none."""
    depth = like(dynamics.origin[root, 2], -math.inf)
    for i in range(len(places.link)):
        if dynamics.tree.root[places.link[i]] == root:
            depth = max(depth, touching(places, ground, dynamics, places.link[i], i)[1].depth)
    return depth


@formula
def way_fallen(time):
    """Way at REACH_ACCELERATION from rest [m]."""
    return like(time, REACH_ACCELERATION / 2) * time * time


@kernel
def out_of_reach(places, ground, dynamics, belt, g, reach_time):
    """Tell whether no place of group g can be what `detect` looks for."""
    link, radius = places.group_link[g], places.group_radius[g]
    origin = load_vector(dynamics.origin, dynamics.tree.root[link])
    centre = arm_to(dynamics, link, load_vector(places.group_centre, g))
    gap = clearance(ground, add(origin, centre)) - radius
    if reach_time == 0 or gap < 0:
        return gap >= 0
    twist = load_twist(dynamics.velocity, link)
    v = sub(point_velocity(twist, centre), belt)
    speed = math.sqrt(dot(v, v)) + radius * math.sqrt(dot(twist.angular, twist.angular))
    return gap >= reach_time * speed + way_fallen(reach_time)


@kernel
def detect(places, ground, dynamics, contact, reach_time):
    """Write the rows of `contact`: every place in the ground or, for reach_time > 0, close to it.

    A place is close that comes to the ground within reach_time at the speed it has, or would at an
    acceleration of REACH_ACCELERATION.
    """
    belt = (ground.velocity[0], ground.velocity[1], ground.velocity[2])
    count, slots = 0, 0
    for g in range(len(places.group_link)):
        link, first, last = places.group_link[g], places.group_first[g], places.group_first[g + 1]
        if last - first > 1 and out_of_reach(places, ground, dynamics, belt, g, reach_time):
            continue
        before = count
        for i in range(first, last):
            r, met = touching(places, ground, dynamics, link, i)
            if met.depth <= 0 and reach_time == 0:
                continue
            v = sub(point_velocity(load_twist(dynamics.velocity, link), r), belt)
            nearing = min(reach_time * dot(met.normal, v), like(reach_time, 0))
            if met.depth <= nearing - way_fallen(reach_time):
                continue
            contact.point[count] = i
            contact.slot[count] = slots
            contact.group[count] = g
            contact.pair[count] = places.pair[i] + met.material
            contact.body_a[count] = link
            contact.body_b[count] = 0
            contact.depth[count] = met.depth
            store_vector(contact.arm, count, r)
            store_vector(contact.normal, count, met.normal)
            store_vector(contact.velocity, count, v)
            count += 1
        if count > before:
            contact.slot_link[slots] = link
            slots += 1
    contact.count[0] = count
    contact.slots[0] = slots


@kernel
def add_contact_forces(dynamics, contact):
    """Add the forces of the touching points to the external wrenches of their links."""
    for i in range(contact.count[0]):
        link = contact.body_a[i]
        f = wrench_at_point(load_vector(contact.force, i), load_vector(contact.arm, i))
        store_wrench(dynamics.load, link, wrench_add(load_wrench(dynamics.load, link), f))
