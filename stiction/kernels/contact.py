"""Places on links that may touch the ground, and what touches at one instant.

Every colliding shape is a set of places with a radius: the centre of a sphere, the two ends of a
capsule, the corners of a box, the vertices of a hull, and three points on each rim of a cylinder,
which turn with the ground so that the first is the lowest. A place keeps its number for good, so
that a contact model can remember a point.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.compiled import kernel
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
    wrench_add,
    wrench_at_point,
)

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
    pair: np.ndarray  # (n) pair of materials, a row of `Contact.table`


class Ground(NamedTuple):
    """A plane through `point` with its normal, which moves along itself (a belt)."""

    point: np.ndarray  # (3) [m]
    normal: np.ndarray  # (3) unit vector out of the ground
    velocity: np.ndarray  # (3) [m/s]


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
def touching_arm(places, dynamics, n, i):
    """The point of place i that is deepest in the ground, relative to O."""
    link = places.link[i]
    centre = arm_to(dynamics, link, load_vector(places.centre, i))
    if places.kind[i] == BALL:
        return sub(centre, scale(places.radius[i], n))
    R = load_matrix(dynamics.rotation, link)
    local = load_vector(places.axis, i)
    axis = add(
        add(scale(local[0], column(R, 0)), scale(local[1], column(R, 1))),
        scale(local[2], column(R, 2)),
    )
    sideways = column(R, 0) if abs(local[0]) < like(local[0], 0.7) else column(R, 1)
    down = lowest_direction(n, axis, sideways)
    out = add(
        scale(math.cos(places.turn[i]), down),
        scale(math.sin(places.turn[i]), cross(axis, down)),
    )
    return add(centre, scale(places.radius[i], out))


@kernel
def detect(places, ground, dynamics, contact, reach_time):
    """Write the rows of `contact`: every place in the ground or, for reach_time > 0, close to it.

    A place is close that comes to the ground within reach_time at the speed it has, or would at an
    acceleration of REACH_ACCELERATION.
    """
    n = (ground.normal[0], ground.normal[1], ground.normal[2])
    level = (ground.point[0], ground.point[1], ground.point[2])
    belt = (ground.velocity[0], ground.velocity[1], ground.velocity[2])
    fall = like(reach_time, REACH_ACCELERATION / 2) * reach_time * reach_time
    count, slots, last_link = 0, 0, -1
    for i in range(len(places.link)):
        link = places.link[i]
        r = touching_arm(places, dynamics, n, i)
        origin = load_vector(dynamics.origin, dynamics.tree.root[link])
        depth = -dot(n, add(sub(origin, level), r))
        if depth <= 0 and reach_time == 0:
            continue
        v = sub(point_velocity(load_twist(dynamics.velocity, link), r), belt)
        if depth <= min(like(depth, 0), reach_time * dot(n, v)) - fall:
            continue
        if link != last_link:
            contact.slot_link[slots] = link
            last_link = link
            slots += 1
        contact.point[count] = i
        contact.slot[count] = slots - 1
        contact.group[count] = places.group[i]
        contact.pair[count] = places.pair[i]
        contact.body_a[count] = link
        contact.body_b[count] = 0
        contact.depth[count] = depth
        store_vector(contact.arm, count, r)
        store_vector(contact.normal, count, n)
        store_vector(contact.velocity, count, v)
        count += 1
    contact.count[0] = count
    contact.slots[0] = slots


@kernel
def add_contact_forces(dynamics, contact):
    """Add the forces of the touching points to the external wrenches of their links."""
    for i in range(contact.count[0]):
        link = contact.body_a[i]
        f = wrench_at_point(load_vector(contact.force, i), load_vector(contact.arm, i))
        store_wrench(dynamics.external, link, wrench_add(load_wrench(dynamics.external, link), f))
