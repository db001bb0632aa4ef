"""Contact points on links that may touch the ground, and what touches at one instant.

Every colliding shape is a set of contact points with a radius: a sphere's centre, both ends of a
capsule, the corners of a box, the vertices of a hull, the points of a set of points, and three
points on each rim of a cylinder, 120 degrees apart, of which the first is always the lowest point
of the rim: a cylinder rolls on that one, lies on two and stands on three. A point keeps its number
for good, so that a contact model can remember a point.

The contact points of a link form a group within a sphere; a group whose sphere is out of reach
costs no more than finding that out.

Points move as a link turns, those of a rim also around the link, while a solver keeps their arms
for a whole step. `carry_points` makes up for that, and `find_missed` looks for points that were
out of reach as the step began and are not with the accelerations found since.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.collision.terrain import clearance, meet
from stiction.compiler.compiled import kernel
from stiction.kernels.kinematics import arm_to, last_dof, link_drift
from stiction.kernels.spatial import (
    load_twist,
    load_wrench,
    point_acceleration,
    point_velocity,
    store_wrench,
    twist_add,
    twist_scale,
    wrench_add,
    wrench_at_point,
)
from stiction.kernels.vectors import (
    add,
    column,
    cross,
    dot,
    like,
    load_matrix,
    load_vector,
    scale,
    store_vector,
    sub,
    transform,
    zero_vector,
)

NEVER = -1e9  # a floor that no point falls below: such a point is not held up [m/s]
BALL, RIM = 0, 1  # kinds of contact points
REACH = 10.0  # contact points that could touch within a step at so many times gravity are watched
LEVEL = 1e-5  # tilt below which the lowest point of a rim stays near one point of it [rad]
LARGEST_TURN = 0.5  # around a rim by which velocities are carried on; beyond, a step is too long


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
    share: np.ndarray  # (n) of the stiffness and damping of force laws
    extent: np.ndarray  # (1) farthest that a point may be from O of its tree [m]
    size: np.ndarray  # (1) the same with slides at zero, a length of the robots [m]
    group_link: np.ndarray  # (groups)
    group_first: np.ndarray  # (groups + 1) first point; those of group g end where g + 1 begins
    group_centre: np.ndarray  # (groups, 3) of a sphere around its contact points, in the link [m]
    group_radius: np.ndarray  # (groups) [m]


class Contact(NamedTuple):
    """The touching points of one instant; the first `count[0]` rows are points, in world axes.

    Points of one link are neighbours; `touching` numbers the links that touch, in the same order.
    """

    count: np.ndarray  # type: ignore[assignment]  # (1) how many rows are in use
    touching_count: np.ndarray  # (1) how many links touch
    touching_link: np.ndarray  # (groups) their numbers in the tree
    touching: np.ndarray  # (capacity)
    point: np.ndarray  # (capacity) number of the contact point
    group: np.ndarray  # (capacity)
    pair: np.ndarray  # (capacity) row of `table`
    body_a: np.ndarray  # (capacity) link that touches
    body_b: np.ndarray  # (capacity) link that is touched, 0 for the ground
    depth: np.ndarray  # (capacity) penetration [m], positive inside the ground, else minus the gap
    arm: np.ndarray  # (capacity, 3) the point relative to O of the tree of body_a [m]
    normal: np.ndarray  # (capacity, 3) unit normal pointing out of the ground
    velocity: np.ndarray  # (capacity, 3) of the point against the ground [m/s]
    carried: np.ndarray  # (capacity, 3) what it has gained since the step began by turning [m/s]
    share: np.ndarray  # (capacity) of the stiffness and damping of force laws that a point has
    least_velocity: (
        np.ndarray
    )  # (capacity) slowest velocity along the normal at the end of the step [m/s]
    force: np.ndarray  # (capacity, 3) force on body_a [N]; a force law writes it
    impulse: np.ndarray  # (capacity, 3) impulse on body_a [N s]; an impulse solver writes it
    table: np.ndarray  # (pairs, fields) parameters of the model per pair of materials
    reach: np.ndarray  # (groups) gap within which a point is watched, beside its way in a step [m]
    margin: np.ndarray  # (groups) least such gap among the contact points that are not [m]


class Rim(NamedTuple):
    """A rim at one instant, in world axes."""

    axis: tuple  # unit vector
    down: tuple  # unit vector across the axis that leads most into the ground
    steepness: float  # of this direction: sine of the tilt
    fixed: tuple  # what keeps `down` with the link where the rim is level


@kernel
def rim_of(points, dynamics, link, n, i):
    """The rim of contact point i, of a link, over a ground with normal n.

    Of a level rim no point is the lowest. There `down` leads to one that is fixed in the link. It
    gets there smoothly: it is off by (LEVEL / tilt)^2 [rad], the depth by LEVEL times the radius at
    most.
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
    if steepness < like(steepness, LEVEL / 100):  # just where the two cancel
        into, steepness = fixed, like(steepness, LEVEL)
    return Rim(axis, scale(like(steepness, 1) / steepness, into), steepness, fixed)


@kernel
def rim_point(points, rim, i):
    """Where contact point i is on its rim, from the centre of the rim."""
    turn, across = points.turn[i], cross(rim.axis, rim.down)
    out = add(scale(math.cos(turn), rim.down), scale(math.sin(turn), across))
    return scale(points.radius[i], out)


@kernel
def meet_ground(points, ground, dynamics, link, i):
    """The deepest point of contact point i, of a link, relative to O, and its `Meeting`.

    A rim turns with the normal of the ground below its centre.
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


# ---------------------------------------------------------------------------------------- detection


@kernel
def group_gap(points, ground, dynamics, g):
    """Distance between the ground and the sphere of group g [m]; may be too short."""
    link = points.group_link[g]
    origin = load_vector(dynamics.origin, dynamics.tree.root[link])
    centre = arm_to(dynamics, link, load_vector(points.group_centre, g))
    return clearance(ground, add(origin, centre)) - points.group_radius[g]


@kernel
def group_speed(points, dynamics, belt, g):
    """Speed against the ground that no point of group g exceeds [m/s]."""
    link = points.group_link[g]
    twist = load_twist(dynamics.velocity, link)
    centre = arm_to(dynamics, link, load_vector(points.group_centre, g))
    v, w = sub(point_velocity(twist, centre), belt), twist.angular
    return math.sqrt(dot(v, v)) + points.group_radius[g] * math.sqrt(dot(w, w))


@kernel
def detect(points, ground, dynamics, contact, reach_time):
    """Write the rows of `contact`: every point in the ground or, for reach_time > 0, close to it.

    A point is close that comes to the ground within reach_time at the speed it has, or would at an
    acceleration of REACH times gravity. `find_missed` tells of others once accelerations are known.
    """
    gravity = dynamics.tree.gravity
    g = (gravity[0], gravity[1], gravity[2])
    way = like(reach_time, REACH / 2) * math.sqrt(dot(g, g)) * reach_time * reach_time
    for group in range(len(points.group_link)):
        contact.reach[group] = way
    detect_within_reach(points, ground, dynamics, contact, reach_time)


@kernel
def detect_within_reach(points, ground, dynamics, contact, reach_time):
    """Write the rows of `contact`: every point whose gap is below its way plus `contact.reach`."""
    belt = (ground.velocity[0], ground.velocity[1], ground.velocity[2])
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
            store_vector(contact.carried, count, zero_vector(reach_time))
            count += 1
        contact.margin[g] = margin
        if count > before:
            contact.touching_link[links] = link
            links += 1
    contact.count[0] = count
    contact.touching_count[0] = links


# ------------------------------------------------------ what accelerations and turning do in a step


@kernel
def acceleration_of(dynamics, link):
    """Acceleration of a link with those of the coordinates, J a + J_dot v, as a twist about O."""
    tree, total = dynamics.tree, link_drift(dynamics, link)
    d = last_dof(tree, link)
    while d >= 0:
        total = twist_add(total, twist_scale(dynamics.acceleration[d], load_twist(dynamics.S, d)))
        d = tree.dof_parent[d]
    return total


@kernel
def may_be_missed(points, dynamics, contact, v, dt):
    """Tell whether accelerations might bring a point to the ground within dt that was left out."""
    farthest = dt * dt * acceleration_bound(points, dynamics, v)
    for g in range(len(points.group_link)):
        if contact.margin[g] < farthest:
            return True
    return False


@kernel
def find_missed(points, ground, dynamics, contact, dt):
    """Tell whether accelerations bring a point to the ground within dt that `detect` left out.

    `contact.reach` grows so that `detect_within_reach` finds all of them. The accelerations are
    those of the coordinates as they are now. Positions move on by v dt + a dt^2 at most, with any
    integrator.
    """
    belt = (ground.velocity[0], ground.velocity[1], ground.velocity[2])
    missed = False
    for g in range(len(points.group_link)):
        link, widest = points.group_link[g], contact.reach[g]
        a, twist = acceleration_of(dynamics, link), load_twist(dynamics.velocity, link)
        if contact.margin[g] >= dt * dt * largest_acceleration(points, dynamics, g, a, twist):
            continue
        for i in range(points.group_first[g], points.group_first[g + 1]):
            r, met = meet_ground(points, ground, dynamics, link, i)
            nearing = dot(met.normal, sub(point_velocity(twist, r), belt))
            gap = min(dt * nearing, like(dt, 0)) - met.depth
            down = -dot(met.normal, point_acceleration(a, twist, r))
            if gap >= contact.reach[g] and gap < dt * dt * down:
                widest = max(widest, dt * dt * down)
        if widest > contact.reach[g]:
            contact.reach[g] = widest
            missed = True
    return missed


@kernel
def acceleration_bound(points, dynamics, v):
    """Acceleration that no point exceeds [m/s2], for little: one sum over all coordinates.

    Each coordinate moves a point with an arm of at most twice the extent, or straight on; products
    of velocities act at such arms, or twice (Coriolis).
    """
    rates, speeds = like(dynamics.acceleration[0], 0), like(dynamics.acceleration[0], 0)
    for d in range(len(v)):
        rates += abs(dynamics.acceleration[d])
        speeds += abs(v[d])
    two = like(rates, 2)
    return (rates + speeds * speeds) * (two + two * points.extent[0])


@kernel
def largest_acceleration(points, dynamics, g, a, twist):
    """Acceleration that no point of group g exceeds [m/s2], whose link moves like this."""
    centre = arm_to(dynamics, points.group_link[g], load_vector(points.group_centre, g))
    linear, w = point_acceleration(a, twist, centre), twist.angular
    turning = math.sqrt(dot(a.angular, a.angular)) + dot(w, w)
    return math.sqrt(dot(linear, linear)) + points.group_radius[g] * turning


@kernel
def carry_points(points, dynamics, contact, arm_time, velocity_time, dt):
    """Make arms and velocities of the touching points those of a while later, with the same motion.

    Held at one arm throughout a step while its link turns, a point is held a little off: where the
    step before has stopped it, it is no more. So solvers would take energy from all that rolls or
    pivots, in proportion to dt. With forces at the arm of the middle of the step, and velocities at
    the end of the step held at the arm of the end, the work on a point that does not slip is none,
    to second order, and it does not sink. Points of rims and balls move along their links as well.

    From a detection at the middle of the step (Leapfrog) velocities are dt / 2 ahead. From one at
    its beginning (Runge-Kutta) they are dt ahead and the arms dt / 2. What velocities gain in a
    whole step of length dt is kept: less that, they are those of the beginning.
    """
    touching, drift = -1, load_twist(dynamics.drift, 0)
    for row in range(contact.count[0]):
        link, r = contact.body_a[row], load_vector(contact.arm, row)
        if contact.touching[row] != touching:
            touching, drift = contact.touching[row], link_drift(dynamics, link)
        n, w = load_vector(contact.normal, row), load_twist(dynamics.velocity, link).angular
        moving = moving_point_velocity(points, dynamics, link, contact.point[row], n, velocity_time)
        rate = add(point_velocity(drift, r), cross(w, moving))
        store_vector(contact.carried, row, scale(dt, rate))
        v = add(load_vector(contact.velocity, row), scale(velocity_time, rate))
        store_vector(contact.velocity, row, v)
        origin = load_twist(dynamics.velocity, dynamics.tree.root[link]).linear
        store_vector(contact.arm, row, add(r, scale(arm_time, sub(moving, origin))))


@kernel
def moving_point_velocity(points, dynamics, link, i, n, time):
    """Velocity with which contact point i moves, along its link as well."""
    centre = arm_to(dynamics, link, load_vector(points.centre, i))
    twist = load_twist(dynamics.velocity, link)
    v = point_velocity(twist, centre)
    if points.kind[i] == RIM:
        v = add(v, rim_point_velocity(points, dynamics, link, i, n, time))
    return v


@kernel
def rim_point_velocity(points, dynamics, link, i, n, time):
    """Velocity of contact point i against the centre of its rim.

    `down` follows the axis: around it, at the rate of the direction into the ground across it, over
    its steepness. It is limited to LARGEST_TURN in `time`, for rims that are nearly level.
    """
    rim = rim_of(points, dynamics, link, n, i)
    axis, down = rim.axis, rim.down
    w = load_twist(dynamics.velocity, link).angular
    axis_rate = cross(w, axis)
    into_rate = add(scale(dot(n, axis), axis_rate), cross(w, rim.fixed))
    across = cross(axis, down)
    turning = dot(across, into_rate) / rim.steepness
    most = like(turning, LARGEST_TURN) / time
    turning = min(max(turning, -most), most)
    # down turns about the axis at `turning`, and with the axis wherever that goes
    spin = add(cross(axis, axis_rate), scale(turning, axis))
    return cross(spin, rim_point(points, rim, i))


@kernel
def add_contact_forces(dynamics, contact):
    """Add the forces of the touching points to the external wrenches of their links."""
    for i in range(contact.count[0]):
        link = contact.body_a[i]
        f = wrench_at_point(load_vector(contact.force, i), load_vector(contact.arm, i))
        store_wrench(dynamics.load, link, wrench_add(load_wrench(dynamics.load, link), f))
