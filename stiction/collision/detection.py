"""What touches at one instant: the rows of `Contact`.

The contact points of a link form a group within a sphere; a group whose sphere is out of reach
costs only that test. `find_missed` looks for points that were out of reach at the start of the step
and are within reach at the accelerations found since.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.collision.belt import GAINED, VELOCITY
from stiction.collision.points import meet_ground
from stiction.collision.terrain import clearance
from stiction.compiler.compiled import kernel
from stiction.kernels.kinematics import (
    accelerate_links,
    arm_to,
    link_drift,
    seen_from,
    velocity_from_origin,
)
from stiction.kernels.spatial import (
    load_twist,
    load_wrench,
    point_acceleration,
    point_velocity,
    store_wrench,
    twist_add,
    wrench_add,
    wrench_at_point,
)
from stiction.kernels.vectors import (
    add,
    dot,
    like,
    load_vector,
    scale,
    store_vector,
    sub,
)

NEVER = -1e9  # least velocity of a point that is not held up: no point is as fast [m/s]
REACH = 10.0  # points that could touch within a step at this multiple of gravity are detected


class Contact(NamedTuple):
    """The touching points of one instant; the first `count[0]` rows are points, in world axes.

    Points of one touching pair are neighbours; `touching` numbers these pairs, in the same order. A
    pair is a link and what it touches: the ground, or another link.
    """

    count: np.ndarray  # type: ignore[assignment]  # (1) number of rows in use
    touching_count: np.ndarray  # (1) number of touching pairs
    touching_link: np.ndarray  # (pairs) link that touches
    touched_link: np.ndarray  # (pairs) link that is touched, 0 for the ground
    touching: np.ndarray  # (capacity)
    point: np.ndarray  # (capacity) number of the contact point
    group: np.ndarray  # (capacity)
    pair: np.ndarray  # (capacity) row of `table`
    body_a: np.ndarray  # (capacity) link that touches
    body_b: np.ndarray  # (capacity) link that is touched, 0 for the ground
    shape: np.ndarray  # (capacity, 2) of both bodies, where they are not the ground
    depth: np.ndarray  # (capacity) penetration [m], positive inside the ground, else minus the gap
    arm: np.ndarray  # (capacity, 3) the point relative to O of the tree of body_a [m]
    normal: np.ndarray  # (capacity, 3) unit normal pointing out of the ground, or of body_b
    velocity: np.ndarray  # (capacity, 3) of the point of body_a relative to that of body_b [m/s]
    # (capacity, 3) velocity gained in the step as the links turn and as the ground speeds up [m/s]
    carried: np.ndarray
    radius: np.ndarray  # (capacity, 2) of round surfaces of both bodies there, 0 for others [m]
    share: np.ndarray  # (capacity) fraction of a force law's stiffness and damping at this point
    least_velocity: np.ndarray  # (capacity) along the normal, at the end of the step [m/s]
    force: np.ndarray  # (capacity, 3) force on body_a [N], its opposite on body_b; of a force law
    impulse: np.ndarray  # (capacity, 3) impulse on body_a [N s]; of an impulse solver
    table: np.ndarray  # (pairs, fields) parameters of the model per pair of materials
    reach: np.ndarray  # (groups) detection distance of points, beyond their travel in a step [m]
    margin: np.ndarray  # (groups) smallest gap, less the travel, among points not detected [m]
    # (3, 3) of the ground: velocity, its gain in the step [m/s], and travel since time 0 [m]
    belt: np.ndarray
    near: np.ndarray  # (slots) number of the first of the contact points of each near pair
    near_count: np.ndarray  # (1) number of near pairs, which may touch: others remember nothing


# arrays with a row for each touching point; only the first `count[0]` are in use
ROWS = (
    *("touching", "point", "group", "pair", "body_a", "body_b", "shape", "depth", "arm", "normal"),
    *("velocity", "carried", "radius", "share", "least_velocity", "force", "impulse"),
)


@kernel
def group_gap(points, ground, dynamics, g):
    """Lower bound of the distance between the ground and the sphere of group g [m]."""
    link = points.group_link[g]
    origin = load_vector(dynamics.origin, dynamics.tree.root[link])
    centre = arm_to(dynamics, link, load_vector(points.group_centre, g))
    return clearance(ground, add(origin, centre)) - points.group_radius[g]


@kernel
def group_speed(points, dynamics, belt, g):
    """Upper bound of the speed of all points of group g relative to the ground [m/s]."""
    link = points.group_link[g]
    twist = load_twist(dynamics.velocity, link)
    centre = arm_to(dynamics, link, load_vector(points.group_centre, g))
    v, w = sub(point_velocity(twist, centre), belt), twist.angular
    return math.sqrt(dot(v, v)) + points.group_radius[g] * math.sqrt(dot(w, w))


@kernel
def detect(points, ground, dynamics, contact, reach_time):
    """Write the rows of `contact`: every point in the ground or, for reach_time > 0, close to it.

    A point is close if it reaches the ground within reach_time at its present speed, or would at an
    acceleration of REACH times gravity. `find_missed` finds others once accelerations are known.
    """
    gravity = dynamics.tree.gravity
    g = (gravity[0], gravity[1], gravity[2])
    way = like(reach_time, REACH / 2) * math.sqrt(dot(g, g)) * reach_time * reach_time
    for group in range(len(points.group_link)):
        contact.reach[group] = way
    detect_within_reach(points, ground, dynamics, contact, reach_time)


@kernel
def detect_within_reach(points, ground, dynamics, contact, reach_time):
    """Write the rows of `contact`: every point whose gap is below travel + `contact.reach`."""
    belt, gained = load_vector(contact.belt, VELOCITY), load_vector(contact.belt, GAINED)
    lost = scale(like(reach_time, -1), gained)
    count, links = 0, 0
    for g in range(len(points.group_link)):
        link, first, last = points.group_link[g], points.group_first[g], points.group_first[g + 1]
        reach, margin = contact.reach[g], like(reach_time, math.inf)
        if last - first > 1:
            gap = group_gap(points, ground, dynamics, g)
            if gap >= 0:
                if reach_time > 0:
                    gap -= reach_time * group_speed(points, dynamics, belt, g)
                if gap >= reach:
                    contact.margin[g] = gap
                    continue
        before = count
        for i in range(first, last):
            r, met = meet_ground(points, ground, dynamics, link, i)
            if met.depth <= 0 and reach_time == 0:
                continue
            v = sub(point_velocity(load_twist(dynamics.velocity, link), r), belt)
            gap = min(reach_time * dot(met.normal, v), like(reach_time, 0)) - met.depth
            if gap >= reach:
                margin = min(margin, gap)
                continue
            contact.point[count] = i
            contact.touching[count] = links
            contact.group[count] = g
            contact.pair[count] = points.pair[i] + met.material
            contact.body_a[count] = link
            contact.body_b[count] = 0
            contact.depth[count] = met.depth
            contact.share[count] = points.share[i]
            store_vector(contact.arm, count, r)
            store_vector(contact.normal, count, met.normal)
            store_vector(contact.velocity, count, v)
            store_vector(contact.carried, count, lost)
            count += 1
        contact.margin[g] = margin
        if count > before:
            contact.touching_link[links], contact.touched_link[links] = link, 0
            links += 1
    contact.count[0] = count
    contact.touching_count[0] = links


# ----------------------------------------------------- points that accelerations bring within reach


@kernel
def acceleration_of(dynamics, link):
    """Acceleration of a link, J a + J_dot v, as a twist seen from O; after `accelerate_links`."""
    return twist_add(link_drift(dynamics, link), load_twist(dynamics.link_acceleration, link))


@kernel
def may_be_missed(points, dynamics, contact, v, dt):
    """Return whether accelerations may bring an undetected point to the ground within dt."""
    farthest = dt * dt * acceleration_bound(points, dynamics, v)
    for g in range(len(points.group_link)):
        if contact.margin[g] < farthest:
            return True
    return False


@kernel
def links_may_miss(points, dynamics, contact, dt):
    """The same, by bounds of the points of each link. Writes the accelerations of the links."""
    accelerate_links(dynamics)
    for g in range(len(points.group_link)):
        link = points.group_link[g]
        a, seen = acceleration_of(dynamics, link), velocity_from_origin(dynamics, link)
        if contact.margin[g] < dt * dt * largest_acceleration(points, dynamics, g, a, seen):
            return True
    return False


@kernel
def find_missed(points, ground, dynamics, contact, dt):
    """Return whether accelerations bring a point to the ground within dt that `detect` left out.

    `contact.reach` grows so that `detect_within_reach` finds all of them. The accelerations are the
    present ones of the links. With any integrator, positions advance by at most
    v dt + a dt^2. Writes the accelerations of the links.
    """
    accelerate_links(dynamics)
    belt = load_vector(contact.belt, VELOCITY)
    missed = False
    for g in range(len(points.group_link)):
        link, widest = points.group_link[g], contact.reach[g]
        a, seen = acceleration_of(dynamics, link), velocity_from_origin(dynamics, link)
        if contact.margin[g] >= dt * dt * largest_acceleration(points, dynamics, g, a, seen):
            continue
        twist = load_twist(dynamics.velocity, link)
        for i in range(points.group_first[g], points.group_first[g + 1]):
            r, met = meet_ground(points, ground, dynamics, link, i)
            nearing = dot(met.normal, sub(point_velocity(twist, r), belt))
            gap = min(dt * nearing, like(dt, 0)) - met.depth
            down = -dot(met.normal, point_acceleration(a, seen, r))
            if gap >= contact.reach[g] and gap < dt * dt * down:
                widest = max(widest, dt * dt * down)
        if widest > contact.reach[g]:
            contact.reach[g] = widest
            missed = True
    return missed


@kernel
def acceleration_bound(points, dynamics, v):
    """Cheap upper bound of the acceleration of all points [m/s2]: one sum over all coordinates.

    Each coordinate moves a point at an arm of at most twice the extent, or along a line; velocity
    products act at such arms, or twice (Coriolis).
    """
    rates, speeds = like(dynamics.acceleration[0], 0), like(dynamics.acceleration[0], 0)
    for d in range(len(v)):
        rates += abs(dynamics.acceleration[d])
        speeds += abs(v[d])
    two = like(rates, 2)
    return (rates + speeds * speeds) * (two + two * points.extent[0])


@kernel
def largest_acceleration(points, dynamics, g, a, seen):
    """Upper bound of the acceleration of the points of group g [m/s2]; a, seen: of its link."""
    centre = arm_to(dynamics, points.group_link[g], load_vector(points.group_centre, g))
    linear, w = point_acceleration(a, seen, centre), seen.angular
    turning = math.sqrt(dot(a.angular, a.angular)) + dot(w, w)
    return math.sqrt(dot(linear, linear)) + points.group_radius[g] * turning


@kernel
def add_contact_forces(dynamics, contact):
    """Add the forces of the touching points to the external wrenches of their links.

    A link that is touched gets the opposite force.
    """
    for i in range(contact.count[0]):
        a, b = contact.body_a[i], contact.body_b[i]
        force, r = load_vector(contact.force, i), load_vector(contact.arm, i)
        f = wrench_at_point(force, r)
        store_wrench(dynamics.load, a, wrench_add(load_wrench(dynamics.load, a), f))
        if b > 0:
            f = wrench_at_point(scale(like(force[0], -1), force), seen_from(dynamics, a, b, r))
            store_wrench(dynamics.load, b, wrench_add(load_wrench(dynamics.load, b), f))
