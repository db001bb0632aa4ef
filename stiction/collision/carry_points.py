"""Touching points carried on through a step.

Points move as a link turns, those of a rim also around the link, while a solver keeps their arms
for a whole step. `carry_points` makes up for that.
"""

from __future__ import annotations

from stiction.collision.points import RIM, rim_of, rim_point
from stiction.compiler.compiled import kernel
from stiction.kernels.kinematics import arm_to, link_drift
from stiction.kernels.spatial import load_twist, point_velocity
from stiction.kernels.vectors import add, cross, dot, like, load_vector, scale, store_vector, sub

LARGEST_TURN = 0.5  # around a rim by which velocities are carried on; beyond, a step is too long


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
