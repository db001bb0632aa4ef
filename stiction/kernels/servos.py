"""Servos with force limits: which of them saturate in a step.

A servo gives `force - damping (v_next - v)`, clipped to its limits. Whether it saturates depends on
the acceleration, so saturation is solved for together with the modes of the joints. Deciding it by
the velocity at the start of the step would let a servo whose damping is large compared with the
inertia it moves jump from one limit to the other in every step. The clipped force never rises with
velocity, so the step still minimises a convex function (see joints.py).
"""

from stiction.compiler.compiled import kernel
from stiction.kernels.tree import PRESCRIBED
from stiction.kernels.vectors import like

AT_LOWER_LIMIT, LINEAR, AT_UPPER_LIMIT = -1, 0, 1  # saturation of a servo


@kernel
def clear_control(dynamics):
    """Remove the forces of all controllers."""
    for d in range(len(dynamics.control)):
        dynamics.control[d] = 0
        dynamics.control_damping[d] = 0
        dynamics.servo_damping[d] = 0


@kernel
def add_servo(dynamics, d, force, damping, lower, upper):
    """Add a servo to coordinate d: a force with slope -`damping` over velocity, within limits.

    `force` is the unclipped force at the present velocity. If several servos drive a coordinate,
    all but the first are clipped at the present velocity.
    """
    if damping > 0 and dynamics.servo_damping[d] == 0:
        dynamics.servo[d] = force
        dynamics.servo_damping[d] = damping
        dynamics.servo_lower[d], dynamics.servo_upper[d] = lower, upper
        return
    bounded = min(max(force, lower), upper)
    dynamics.control[d] += bounded
    if bounded == force and damping > 0:
        dynamics.control_damping[d] += damping


@kernel
def present_saturation(dynamics, d):
    """Saturation of the servo on coordinate d at the present velocity."""
    if dynamics.servo[d] > dynamics.servo_upper[d]:
        return AT_UPPER_LIMIT
    return AT_LOWER_LIMIT if dynamics.servo[d] < dynamics.servo_lower[d] else LINEAR


@kernel
def servo_force(dynamics, d):
    """Force of the servo on coordinate d, without the implicit part of its damping."""
    if dynamics.servo_damping[d] == 0:
        return like(dynamics.servo[d], 0)
    if dynamics.saturation[d] == LINEAR:
        return dynamics.servo[d]
    upper = dynamics.saturation[d] == AT_UPPER_LIMIT
    return dynamics.servo_upper[d] if upper else dynamics.servo_lower[d]


@kernel
def present_forces(dynamics, forces):
    """Write the forces of all controllers at the present velocities, (nv)."""
    for d in range(len(forces)):
        dynamics.saturation[d] = present_saturation(dynamics, d)
        forces[d] = dynamics.control[d] + servo_force(dynamics, d)


@kernel
def active_damping(dynamics, d):
    """Damping of coordinate d: of its joint, its controllers and its servo unless saturated."""
    damping = dynamics.tree.damping[d] + dynamics.control_damping[d]
    return damping + dynamics.servo_damping[d] if dynamics.saturation[d] == LINEAR else damping


@kernel
def set_implicit_damping(dynamics, d, dt, implicit):
    """Write the implicit part of the damping of coordinate d.

    A damper acts on v + implicit a. Where that would reverse the velocity, it acts just late enough
    to bring the coordinate to rest: D >= damping dt.
    """
    damping = active_damping(dynamics, d)
    dynamics.resistance[d] = implicit * damping
    dynamics.least_D[d] = dt * damping if implicit > 0 else like(dt, 0)


@kernel
def control_force(dynamics, d, implicit):
    """Force of all controllers on coordinate d over the step, implicit damping included."""
    force = dynamics.control[d] + servo_force(dynamics, d)
    within = dynamics.servo_damping[d] if dynamics.saturation[d] == LINEAR else like(force, 0)
    later = damping_delay(dynamics, d, implicit) * dynamics.acceleration[d]
    return force - (dynamics.control_damping[d] + within) * later


@kernel
def damping_delay(dynamics, d, implicit):
    """Time between the start of the step and the velocity that dampers of d act on [s]."""
    damping = active_damping(dynamics, d)
    return dynamics.resistance[d] / damping if damping > 0 else implicit


@kernel
def clear_saturations(dynamics):
    """Forget the saturations of the last step: rounding must not depend on them."""
    for d in range(len(dynamics.saturation)):
        dynamics.saturation[d] = LINEAR


@kernel
def guess_saturations(dynamics, dt, implicit):
    """Start from the present saturations, less those that the last acceleration would end."""
    for d in range(len(dynamics.mode)):
        if dynamics.servo_damping[d] > 0:
            set_saturation(dynamics, d, present_saturation(dynamics, d), dt, implicit)
            if dynamics.saturation[d] != LINEAR:
                at = judged_saturation(dynamics, d, dt, implicit, dynamics.last_acceleration[d])
                set_saturation(dynamics, d, at, dt, implicit)


@kernel
def set_saturation(dynamics, d, at, dt, implicit):
    """Set the saturation of the servo on coordinate d, and all that depends on it."""
    if at != dynamics.saturation[d]:
        dynamics.known[d] -= servo_force(dynamics, d)
        dynamics.tau[d] -= servo_force(dynamics, d)
        dynamics.saturation[d] = at
        dynamics.known[d] += servo_force(dynamics, d)
        dynamics.tau[d] += servo_force(dynamics, d)
        set_implicit_damping(dynamics, d, dt, implicit)


@kernel
def judged_saturation(dynamics, d, dt, implicit, acceleration):
    """Saturation of the servo on coordinate d that an acceleration implies."""
    at, lower, upper = dynamics.saturation[d], dynamics.servo_lower[d], dynamics.servo_upper[d]
    now, slope = dynamics.servo[d], dynamics.servo_damping[d]
    last = now - slope * dt * acceleration  # dampers act on velocities within the step
    if at == LINEAR and lower <= min(now, last) and max(now, last) <= upper:
        return LINEAR
    late = damping_delay(dynamics, d, implicit) if at == LINEAR else implicit
    change = slope * late * acceleration
    force = now - change
    rounding = dynamics.tree.slack[0] * (abs(now) + abs(change))
    if at == LINEAR:
        if force > upper + rounding:
            return AT_UPPER_LIMIT
        return AT_LOWER_LIMIT if force < lower - rounding else LINEAR
    returns = force < upper - rounding if at == AT_UPPER_LIMIT else force > lower + rounding
    return LINEAR if returns else at


@kernel
def update_saturations(dynamics, dt, implicit, only_saturate):
    """Change the saturations that contradict the accelerations; returns how many.

    `only_saturate`: servos reach their limits but do not leave them, so that iterations end.
    """
    changed = 0
    for d in range(len(dynamics.mode)):
        if dynamics.servo_damping[d] > 0 and dynamics.mode[d] != PRESCRIBED:
            at = judged_saturation(dynamics, d, dt, implicit, dynamics.acceleration[d])
            if at != dynamics.saturation[d] and (at != LINEAR or not only_saturate):
                set_saturation(dynamics, d, at, dt, implicit)
                changed += 1
    return changed
