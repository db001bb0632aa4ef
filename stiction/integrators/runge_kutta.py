"""The classical Runge-Kutta method of fourth order.

Quaternions follow their own differential equation, q (0, w) / 2, as four numbers, and are
normalised at the end of the step; averaging stage velocities instead would be only second order in
the rotations. Joint friction and stops are decided in the first stage and held: a stuck coordinate
decelerates evenly to rest.
"""

from typing import NamedTuple

from stiction.control.controller import prescribe
from stiction.kernels.kinematics import accelerated, normalize_quaternions, position_rate
from stiction.kernels.tree import OK
from stiction.kernels.vectors import like
from stiction.step.integrator import Accounting, integrator
from stiction.step.record import record_forces
from stiction.step.step import compute_forces, solve_motion, solve_motion_again
from stiction.step.system import Instant, Shares


class RungeKutta4(NamedTuple):
    """Classical Runge-Kutta: four evaluations, fourth order, everything explicit."""


@integrator(
    RungeKutta4,
    growth=lambda z: 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4))),
    accounting=Accounting(torque_held=False),  # torques recorded at the first of four stages
)
def runge_kutta4(params, system, state, work, time, dt):
    """Take one step of the classical Runge-Kutta method."""
    q, v, dynamics = state.q, state.v, system.dynamics
    zero, one = like(dt, 0), like(dt, 1)
    for k in range(len(q)):
        work.q[k], work.q_sum[k] = q[k], zero
    for d in range(len(v)):
        work.v[d], work.v_sum[d] = v[d], zero
    status = OK
    for stage in range(4):
        elapsed = zero if stage == 0 else (dt if stage == 3 else like(dt, 0.5) * dt)
        weight = one if stage == 0 or stage == 3 else like(dt, 2)
        reach = dt if stage == 2 else like(dt, 0.5) * dt  # from here to the next stage
        instant = Instant(time + elapsed, time, dt, zero)
        status = max(status, compute_forces(system, instant, work.q, work.v, work.v))
        if stage == 0:
            shares = Shares(like(dt, 0.5), like(dt, 0.5), like(dt, 0.5))
            settled = solve_motion(system, instant, work.q, work.v, shares)
            status = max(status, settled)
        else:
            status = max(status, solve_motion_again(system, instant, work.v))
        record_forces(system, work, instant, weight / like(dt, 6))
        position_rate(dynamics.tree, work.q, work.v, work.q_rate)
        for k in range(len(q)):
            work.q_sum[k] += weight * work.q_rate[k]
            work.q[k] = q[k] + reach * work.q_rate[k]
        for d in range(len(v)):
            work.v_sum[d] += weight * dynamics.acceleration[d]
            work.v[d] = v[d] + reach * dynamics.acceleration[d]
    sixth = dt / like(dt, 6)
    for k in range(len(q)):
        q[k] += sixth * work.q_sum[k]
    for d in range(len(v)):
        v[d] = accelerated(v[d], sixth * work.v_sum[d])
    normalize_quaternions(dynamics.tree, q)
    prescribe(system.controllers, dynamics, time + dt, q, v)
    return status
