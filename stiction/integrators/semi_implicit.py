"""Semi-implicit Euler, and a variant of second order that costs two evaluations."""

from typing import NamedTuple

from stiction.control.controller import prescribe
from stiction.kernels.kinematics import accelerated, advance
from stiction.kernels.tree import OK
from stiction.kernels.vectors import like
from stiction.step.integrator import Accounting, integrator
from stiction.step.record import record_forces
from stiction.step.step import (
    compute_forces,
    compute_forces_behind,
    solve_motion,
    solve_motion_again,
)
from stiction.step.system import Instant, Shares


class SemiImplicitEuler(NamedTuple):
    """v_next = v + dt a(q, v), q_next = q + dt v_next; first order, damping implicit."""


class Leapfrog(NamedTuple):
    """Half a step of position, one of velocity, half of position; second order, damping implicit.

    The acceleration is taken at the middle of the step, q + v dt/2, first with v and then with the
    velocity at the middle that this gives. Constant accelerations are integrated exactly.
    """


@integrator(SemiImplicitEuler, accounting=Accounting(configuration=0.0, damping=1.0))
def semi_implicit_euler(params, system, state, work, time, dt):
    """Take one step of semi-implicit Euler."""
    q, v, dynamics = state.q, state.v, system.dynamics
    instant = Instant(time, time, dt, dt)
    touched = compute_forces(system, instant, q, v, v)
    settled = solve_motion(system, instant, q, v, Shares(like(dt, 0), like(dt, 1), like(dt, 1)))
    record_forces(system, work, instant, like(dt, 1))
    for d in range(len(v)):
        v[d] = accelerated(v[d], dt * dynamics.acceleration[d])
    advance(dynamics.tree, q, v, dt)
    prescribe(system.controllers, dynamics, time + dt, q, v)
    return max(touched, settled)


@integrator(Leapfrog)
def leapfrog(params, system, state, work, time, dt):
    """Take one step of leapfrog."""
    q, v, dynamics = state.q, state.v, system.dynamics
    half = like(dt, 0.5) * dt
    instant = Instant(time + half, time, dt, half)
    advance(dynamics.tree, q, v, half)
    for d in range(len(v)):
        work.v[d] = v[d]
        work.v_sum[d] = 0
    status = OK
    for evaluation in range(2):
        behind = half if evaluation == 0 else like(dt, 0)
        found = compute_forces_behind(system, instant, q, work.v, work.v, behind)
        status = max(status, found)
        for d in range(len(v)):  # damping acts at v + a dt/2 with the new a; v_sum holds the last
            dynamics.known[d] += dynamics.resistance[d] * work.v_sum[d]
        if evaluation == 0:
            shares = Shares(like(dt, 0), like(dt, 0.5), like(dt, 0.5))
            status = max(status, solve_motion(system, instant, q, v, shares))
        else:
            status = max(status, solve_motion_again(system, instant, work.v))
        record_forces(system, work, instant, like(dt, evaluation))
        for d in range(len(v)):
            work.v_sum[d] = dynamics.acceleration[d]
            work.v[d] = v[d] + half * dynamics.acceleration[d]
    for d in range(len(v)):
        v[d] = accelerated(v[d], dt * dynamics.acceleration[d])
    advance(dynamics.tree, q, v, half)
    prescribe(system.controllers, dynamics, time + dt, q, v)
    return status
