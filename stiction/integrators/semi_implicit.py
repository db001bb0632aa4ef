"""Semi-implicit Euler, and a variant of second order that costs two evaluations."""

from typing import NamedTuple

from stiction.compiled import kernel
from stiction.control.controller import prescribe
from stiction.integrators.equation_of_motion import (
    Instant,
    accelerate,
    passive_force,
    prepare,
    torque,
)
from stiction.integrators.integrator import integrator
from stiction.integrators.touching import record_contact
from stiction.kernels.kinematics import advance
from stiction.kernels.spatial import like
from stiction.kernels.tree import OK


class SemiImplicitEuler(NamedTuple):
    """v_next = v + dt a(q, v), q_next = q + dt v_next; first order, damping implicit."""


class Leapfrog(NamedTuple):
    """Half a step of position, one of velocity, half of position; second order, damping implicit.

    The acceleration is taken at the middle of the step, q + v dt/2, first with v and then with the
    velocity at the middle that this gives. Constant accelerations are integrated exactly.
    """


@kernel
def record_forces(system, work, instant, share):
    """Keep what acts: forces along coordinates at the first stage, contact as the mean of all.

    `share` is the weight of the stage in the step.
    """
    if work.wanted[0] == 0:
        return
    dynamics = system.dynamics
    first = work.share[0] < 0
    work.share[0] = share if first else work.share[0] + share
    if first:
        for d in range(len(work.torque)):
            work.torque[d] = torque(dynamics, d)
            work.passive[d] = passive_force(dynamics, d)
    record_contact(system.model, system.surface, dynamics, work, instant.dt, share, first)


def _at_begin(params, time, dt):
    """Sought at the begin of the step, which ends at q + dt v_next."""
    return Instant(time, time, dt, dt), (like(dt, 0), like(dt, 1))


@integrator(SemiImplicitEuler, _at_begin)
def semi_implicit_euler(params, system, state, work, instant):
    """Take one step of semi-implicit Euler."""
    q, v, dynamics, dt = state.q, state.v, system.dynamics, instant.dt
    record_forces(system, work, instant, like(dt, 1))
    for d in range(len(v)):
        v[d] += dt * dynamics.acceleration[d]
    advance(dynamics.tree, q, v, dt)
    prescribe(system.controllers, dynamics, instant.step_time + dt, q, v)
    return OK


def _in_the_middle(params, time, dt):
    """Sought in the middle of the step, which ends at that q + dt/2 v_next."""
    half = like(dt, 0.5) * dt
    return Instant(time + half, time, dt, half), (like(dt, 0), like(dt, 0.5))


def _half_a_step(params, system, state, work, dt):
    """Move the position to the middle of the step."""
    advance(system.dynamics.tree, state.q, state.v, like(dt, 0.5) * dt)


@integrator(Leapfrog, _in_the_middle, _half_a_step)
def leapfrog(params, system, state, work, instant):
    """Take one step of leapfrog."""
    q, v, dynamics, dt = state.q, state.v, system.dynamics, instant.dt
    half = like(dt, 0.5) * dt
    record_forces(system, work, instant, like(dt, 0))
    for d in range(len(v)):
        work.v_sum[d] = dynamics.acceleration[d]
        work.v[d] = v[d] + half * dynamics.acceleration[d]
    status = prepare(system, instant, q, work.v)
    for d in range(len(v)):  # damping acts at v + a dt/2 with the new a; v_sum holds the last
        dynamics.known[d] += dynamics.resistance[d] * work.v_sum[d]
    status = max(status, accelerate(system, instant, work.v))
    record_forces(system, work, instant, like(dt, 1))
    for d in range(len(v)):
        v[d] += dt * dynamics.acceleration[d]
    advance(dynamics.tree, q, v, half)
    prescribe(system.controllers, dynamics, instant.step_time + dt, q, v)
    return status
