"""Touching points advanced within a step.

Points move as their link turns, those of a rim also around the link, while a solver uses the same
arms for a whole step. `carry_points` compensates for that.
"""

from __future__ import annotations

from stiction.collision.points import RIM, rim_of, rim_point
from stiction.compiler.compiled import formula, kernel
from stiction.kernels.kinematics import arm_to, link_drift, seen_from, velocity_of_origin
from stiction.kernels.spatial import load_twist, point_velocity
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    load_vector,
    scale,
    store_vector,
    sub,
    zero_vector,
)

LARGEST_TURN = 0.5  # largest angle around a rim that velocities follow; beyond, a step is too long


@kernel
def carry_points(points, dynamics, contact, arm_time, velocity_time, dt):
    """Advance the arms and velocities of the touching points by the given times, at constant twist.

    As a link turns, its touching point moves away from the arm at which a solver stopped it in the
    step before. With one arm per step, solvers would therefore remove energy from everything that
    rolls or pivots, in proportion to dt. With forces applied at the arm of the middle of the step,
    and the velocity at its end constrained at the arm of its end, the work on a point that does not
    slip is zero to second order, and the point does not sink. Points of rims and balls also move
    along their links.

    After detection at the middle of the step (Leapfrog), velocities advance by dt / 2. After
    detection at its start (Runge-Kutta), velocities advance by dt and arms by dt / 2.
    `contact.carried` is the velocity gained in a whole step of length dt, also because the ground
    changed its own: minus that, velocities are those at the start.
    """
    touching, drift = -1, load_twist(dynamics.drift, 0)
    for row in range(contact.count[0]):
        link, r = contact.body_a[row], load_vector(contact.arm, row)
        if contact.point[row] >= len(points.link):
            carry_between(dynamics, contact, row, arm_time, velocity_time, dt)
            continue
        if contact.touching[row] != touching:
            touching, drift = contact.touching[row], link_drift(dynamics, link)
        n, w = load_vector(contact.normal, row), load_twist(dynamics.velocity, link).angular
        moving = moving_point_velocity(points, dynamics, link, contact.point[row], n, velocity_time)
        moving = sub(moving, velocity_of_origin(dynamics, link))
        rate = add(point_velocity(drift, r), cross(w, moving))
        gained = add(load_vector(contact.carried, row), scale(dt, rate))
        store_vector(contact.carried, row, gained)
        v = add(load_vector(contact.velocity, row), scale(velocity_time, rate))
        store_vector(contact.velocity, row, v)
        store_vector(contact.arm, row, add(r, scale(arm_time, moving)))


@kernel
def carry_between(dynamics, contact, row, arm_time, velocity_time, dt):
    """Advance a point between two links.

    Where a ball, or the side of a capsule or a cylinder, touches something flat, the point moves
    with the centre or the axis: it rolls. Between two of these it divides the path from centre to
    centre. Any other point moves with the mean of the velocities of both links, and on scenery
    with its link.
    """
    a, b, r = contact.body_a[row], contact.body_b[row], load_vector(contact.arm, row)
    first, n = load_twist(dynamics.velocity, a), load_vector(contact.normal, row)
    radius, radius_b = contact.radius[row, 0], contact.radius[row, 1]
    moving = point_velocity(first, add(r, scale(radius, n)))
    other = zero_vector(dt)
    if b > 0:
        part = part_of_second(radius, radius_b)
        s, second = seen_from(dynamics, a, b, r), load_twist(dynamics.velocity, b)
        beyond = point_velocity(second, sub(s, scale(radius_b, n)))
        moving = add(scale(like(dt, 1) - part, moving), scale(part, beyond))
        from_b = sub(moving, velocity_of_origin(dynamics, b))
        other = add(point_velocity(link_drift(dynamics, b), s), cross(second.angular, from_b))
    elif radius_b > like(dt, 0):
        moving = scale(like(dt, 1) - part_of_second(radius, radius_b), moving)
    moving = sub(moving, velocity_of_origin(dynamics, a))
    rate = add(point_velocity(link_drift(dynamics, a), r), cross(first.angular, moving))
    rate = sub(rate, other)
    store_vector(contact.carried, row, scale(dt, rate))
    v = add(load_vector(contact.velocity, row), scale(velocity_time, rate))
    store_vector(contact.velocity, row, v)
    store_vector(contact.arm, row, add(r, scale(arm_time, moving)))


@formula
def part_of_second(radius, radius_b):
    """How much the velocity of the second of two bodies counts in that of a point between them."""
    if radius == radius_b:
        return like(radius, 0.5)
    if radius == like(radius, 0) or radius_b == like(radius, 0):
        return like(radius, 0 if radius > radius_b else 1)
    return radius / (radius + radius_b)


@kernel
def moving_point_velocity(points, dynamics, link, i, n, time):
    """Velocity of contact point i, including its motion along the link."""
    centre = arm_to(dynamics, link, load_vector(points.centre, i))
    twist = load_twist(dynamics.velocity, link)
    v = point_velocity(twist, centre)
    if points.kind[i] == RIM:
        v = add(v, rim_point_velocity(points, dynamics, link, i, n, time))
    return v


@kernel
def rim_point_velocity(points, dynamics, link, i, n, time):
    """Velocity of contact point i relative to the centre of its rim.

    `down` moves with the axis and rotates about it, at the rate of the direction into the ground
    perpendicular to the axis, divided by its steepness. That rotation is limited to LARGEST_TURN
    in `time`, for rims that are nearly level.
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
    # down turns about the axis at `turning`, and moves with the axis
    spin = add(cross(axis, axis_rate), scale(turning, axis))
    return cross(spin, rim_point(points, rim, i))
