"""What an integrator asks for: the accelerations of a state, H a + b = u + J' f.

`prepare` computes everything that the state and the time alone decide; `settle` then finds the
accelerations together with the modes of the joints (stuck, sliding, at a stop) and the impulses of
contact solvers, once in a step; `accelerate` finds them with what was settled, in the later stages
of a step.
"""

from __future__ import annotations

from typing import NamedTuple

from stiction.compiled import kernel
from stiction.control.controller import control, prescribe
from stiction.integrators.forward_dynamics import (
    ArticulatedBody,
    JointSpace,
    prepare_method,
    solve_method,
)
from stiction.integrators.touching import (
    Surface,
    hold,
    resist,
    resist_again,
    seek,
    touch,
    tries_together,
)
from stiction.kernels.articulated import move_links
from stiction.kernels.forces import Forces, external_forces
from stiction.kernels.joints import (
    begin_descent,
    descend,
    guess_mode,
    hold_mode,
    pivot,
    sliding_friction,
)
from stiction.kernels.spatial import like
from stiction.kernels.tree import JOINTS_UNSETTLED, OK, PRESCRIBED, Dynamics

BLOCKS = 3  # so often all wrong modes are changed at once; then one at a time
PIVOTS = 4  # with impulses held, all wrong modes are changed at once so often; then by descent


class System(NamedTuple):
    """All that decides the accelerations of a state."""

    dynamics: Dynamics
    method: ArticulatedBody | JointSpace
    controllers: tuple
    forces: Forces
    model: NamedTuple  # parameters of the contact model
    surface: Surface


class Instant(NamedTuple):
    """When an evaluation takes place, and for how long."""

    time: float  # of the evaluation [s]
    step_time: float  # begin of the step [s]
    dt: float  # length of the step [s]
    implicit: float  # for how long damping is taken at the end of the step instead of now [s]


# --------------------------------------------------------------------------------------- evaluation


@kernel
def prepare(system, instant, q, v):
    """Compute all that q, v and the time alone decide; returns a status.

    Prescribed coordinates are overwritten first.
    """
    dynamics = system.dynamics
    prescribe(system.controllers, dynamics, instant.time, q, v)
    move_links(dynamics, q, v)
    external_forces(system.forces, dynamics, instant.time, instant.step_time, instant.dt)
    status = touch(system.model, system.surface, dynamics, instant)
    for d in range(len(v)):
        dynamics.control[d] = 0
        dynamics.control_damping[d] = 0
    control(system.controllers, dynamics, instant.time, q, v)
    known_forces(dynamics, instant.implicit, q, v)
    prepare_method(system.method, dynamics)
    return status


@kernel
def known_forces(dynamics, implicit, q, v):
    """Control, applied forces, springs and dampers; and the damping that acts at the step's end."""
    tree = dynamics.tree
    for d in range(len(v)):
        force = dynamics.control[d] + dynamics.applied[d] - tree.damping[d] * v[d]
        if tree.stiffness[d] > 0:
            force -= tree.stiffness[d] * (q[tree.dof_q[d]] - tree.spring_reference[d])
        dynamics.known[d] = force
        dynamics.resistance[d] = implicit * (tree.damping[d] + dynamics.control_damping[d])


@kernel
def settle(system, instant, q, v, shares):
    """Find accelerations, contact impulses and joint modes that fit each other; returns a status.

    `joints.py` tells how modes are found. From q, the position moves on by
    dt (shares[0] v + shares[1] v_next), which decides when a stop or the ground is reached. Where
    modes and impulses do not settle together, modes are settled with the last impulses held, then
    the impulses with these modes.
    """
    dynamics, dt = system.dynamics, instant.dt
    together = tries_together(system.model)
    seek(system.model, system.surface, dynamics, instant, shares)
    for d in range(len(v)):
        dynamics.mode[d] = guess_mode(dynamics.tree, dynamics.mode[d], d, v)
        hold_mode(dynamics, d, q, v, dt, shares)
    settled, held, touched = False, False, OK
    for attempt in range(together + PIVOTS + 20 * len(v)):
        solve_method(system.method, dynamics)
        if not held:
            touched = resist(system.model, system, instant, shares)
        if settled:
            return touched
        if attempt < together:
            fits = pivot(dynamics, q, v, dt, shares, attempt < BLOCKS) == 0
        elif attempt < together + PIVOTS:
            fits = pivot(dynamics, q, v, dt, shares, True) == 0
        elif attempt == together + PIVOTS:
            begin_descent(dynamics, q, v, dt, shares)
            fits = False
        else:
            fits = descend(dynamics, q, v, dt, shares)
        if fits and not held:
            return touched
        if fits:
            hold(system.model, system.surface, dynamics, like(dt, -1) / dt)
            prepare_method(system.method, dynamics)
            settled, held = True, False
        elif attempt == together - 1:
            held = hold(system.model, system.surface, dynamics, like(dt, 1) / dt)
            prepare_method(system.method, dynamics)
    return JOINTS_UNSETTLED


@kernel
def accelerate(system, instant, v):
    """Find the accelerations with the modes that `settle` found, in a later stage of the step.

    Returns a status.
    """
    dynamics = system.dynamics
    for d in range(len(dynamics.tau)):
        friction = sliding_friction(dynamics.tree, dynamics.mode[d], d, v)
        dynamics.tau[d] = dynamics.known[d] + friction
    solve_method(system.method, dynamics)
    return resist_again(system.model, system, instant)


@kernel
def torque(dynamics, d):
    """Return the force that a controller gives coordinate d, or that prescribing it takes."""
    if dynamics.mode[d] == PRESCRIBED:
        return dynamics.control[d] + dynamics.applied[d] + dynamics.reaction[d]
    return dynamics.control[d] + dynamics.applied[d]


@kernel
def passive_force(dynamics, d):
    """Friction and stop force on coordinate d."""
    friction = dynamics.tau[d] - dynamics.known[d]
    return friction if dynamics.mode[d] == PRESCRIBED else friction + dynamics.reaction[d]
