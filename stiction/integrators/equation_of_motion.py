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
    accelerate_coordinates,
    eliminate_coordinates,
    prepare_method,
)
from stiction.integrators.touching import (
    Surface,
    accept_held,
    hold,
    resist,
    resist_again,
    seek,
    seek_again,
    solves,
    touch,
    tries_together,
)
from stiction.kernels.articulated import move_links_at
from stiction.kernels.forces import Forces, external_forces
from stiction.kernels.joints import (
    begin_descent,
    descend,
    guess_mode,
    hold_mode,
    pivot,
    sliding_friction,
)
from stiction.kernels.servos import (
    clear_control,
    control_force,
    guess_saturations,
    present_saturation,
    servo_force,
    set_implicit_damping,
    update_saturations,
)
from stiction.kernels.spatial import like
from stiction.kernels.tree import JOINTS_UNSETTLED, LOOSE, OK, PRESCRIBED, Dynamics

BLOCKS = 3  # tries in which all wrong modes change at once; in later ones the worst of them do ...
WORST = 0.5  # ... those contradicted by at least this part of the worst contradiction ...
SINGLE = 10  # ... and after so many tries one at a time, since blocks may go round in circles
SWIFT = 2  # tries in which a sliding joint may reverse at once, without being tried as stuck
CREEP = 1e-3  # that is no sliding: two feet and stuck joints are a rigid loop, see `judged_mode`
PIVOTS = 4  # with impulses held, all wrong modes are changed at once so often; then by descent
ROUNDS = 6  # so often joints and contact are solved in turn where they do not settle together
TOGETHER, JOINTS, CHECK = 0, 1, 2  # whose turn it is: both, joints with impulses held, contact


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
    return prepare_at(system, instant, q, v, v)


@kernel
def prepare_at(system, instant, q, v, v_products):
    """Do what `prepare` does, with the products of velocities taken at v_products."""
    dynamics = system.dynamics
    prescribe(system.controllers, dynamics, instant.time, q, v)
    move_links_at(dynamics, q, v, v_products)
    external_forces(system.forces, dynamics, instant.time, instant.step_time, instant.dt)
    status = touch(system.model, system.surface, dynamics, instant)
    clear_control(dynamics)
    control(system.controllers, dynamics, instant.time, q, v)
    known_forces(dynamics, instant, q, v)
    prepare_method(system.method, dynamics)
    return status


@kernel
def known_forces(dynamics, instant, q, v):
    """Control, applied forces, springs and dampers; and how dampers act later in the step.

    Where nothing acts later, servos are at their limits now; else `settle` finds out.
    """
    tree = dynamics.tree
    for d in range(len(v)):
        if instant.implicit == 0:
            dynamics.saturation[d] = present_saturation(dynamics, d)
        force = dynamics.control[d] + servo_force(dynamics, d)
        force += dynamics.applied[d] - tree.damping[d] * v[d]
        if tree.stiffness[d] > 0:
            force -= tree.stiffness[d] * (q[tree.dof_q[d]] - tree.spring_reference[d])
        dynamics.known[d] = force
        set_implicit_damping(dynamics, d, instant.dt, instant.implicit)


@kernel
def settle(system, instant, q, v, shares):
    """Find accelerations, contact impulses and joint modes that fit each other; returns a status.

    `joints.py` tells how modes are found, `Shares` how positions move on, which decides when a stop
    or the ground is reached. Each try solves contact for the present modes and changes the modes
    that the solution speaks against. Where that does not end, the joints are settled with the
    impulses held, then the impulses with these modes, in turn; with a law, which need not have an
    answer that fits, only until it goes round in circles. In the end the joints have the last
    word: their friction and stops are right, and a step in which a solver's impulses would be
    others with the final modes is unsolved.
    """
    dynamics, dt, model = system.dynamics, instant.dt, system.model
    seek(model, system.surface, dynamics, instant, shares)
    guess_saturations(dynamics, instant.dt, instant.implicit)
    for d in range(len(v)):
        dynamics.mode[d], dynamics.released[d] = guess_mode(dynamics, d, v, dt), LOOSE
        hold_mode(dynamics, d, q, v, dt, shares)
    turn, tries, rounds, status = TOGETHER, 0, 0, OK
    asked = before = -1  # for which modes contact was solved last, and the time before
    while True:  # one place each for elimination and contact: the compiler inlines them
        eliminate_coordinates(system.method, dynamics)
        if turn != JOINTS:
            asked, before = fingerprint(dynamics), asked
            status = resist(model, system, instant, shares)
        accelerate_coordinates(system.method, dynamics)
        fits = change_modes(dynamics, instant, q, v, shares, turn, tries)
        tries += 1
        factor = like(dt, 0)  # by which the impulses act as known forces from now on
        circles = not solves(model) and fingerprint(dynamics) == (
            asked if turn == JOINTS else before
        )
        if turn == TOGETHER:
            if fits and not seek_again(model, system.surface, dynamics, instant, shares, v):
                return status
            if circles or tries == tries_together(model):
                factor = like(dt, 1) / dt
        elif turn == CHECK:
            if fits:
                return status
            factor = like(dt, 1) / dt
        elif fits:
            if rounds == 0:  # no impulses
                return status
            if circles or rounds > ROUNDS:
                accept_held(model, system.surface, dynamics, dt)
                return status
            factor = like(dt, -1) / dt
        elif tries == PIVOTS + 20 * len(v):
            return JOINTS_UNSETTLED
        if factor != 0:
            held = hold(model, system.surface, dynamics, factor)
            prepare_method(system.method, dynamics)
            turn, tries = JOINTS if factor > 0 else CHECK, 0
            if held and factor > 0:
                rounds += 1 + ROUNDS * circles


@kernel
def fingerprint(dynamics):
    """Return a number that tells modes of joints and servos from others, nearly always."""
    total = 0
    for d in range(len(dynamics.mode)):
        total = (21 * total + 3 * dynamics.mode[d] + dynamics.saturation[d] + 1) % 1000003
    return total


@kernel
def change_modes(dynamics, instant, q, v, shares, turn, tries):
    """Change modes of joints and servos that the accelerations speak against.

    Tells whether there are none.
    """
    dt = instant.dt
    if turn == JOINTS and tries == PIVOTS:
        begin_descent(dynamics, q, v, dt, shares)
        return False
    if turn == JOINTS and tries > PIVOTS:
        if not descend(dynamics, q, v, dt, shares):
            return False
        if update_saturations(dynamics, dt, instant.implicit, True) == 0:
            return True
        begin_descent(dynamics, q, v, dt, shares)
        return False
    creep = like(dt, 0 if turn == JOINTS else CREEP)
    share = like(dt, 0)
    if turn == TOGETHER and tries >= BLOCKS:
        share = like(dt, WORST if tries < SINGLE else 1)
    changed = update_saturations(dynamics, dt, instant.implicit, tries >= BLOCKS)
    return changed + pivot(dynamics, q, v, dt, shares, creep, share, tries < SWIFT) == 0


@kernel
def accelerate(system, instant, v):
    """Find the accelerations with the modes that `settle` found, in a later stage of the step.

    Returns a status.
    """
    dynamics = system.dynamics
    for d in range(len(dynamics.tau)):
        friction = sliding_friction(dynamics.tree, dynamics.mode[d], d, v)
        dynamics.tau[d] = dynamics.known[d] + friction
    eliminate_coordinates(system.method, dynamics)
    status = resist_again(system.model, system, instant)
    accelerate_coordinates(system.method, dynamics)
    return status


@kernel
def torque(dynamics, d, implicit):
    """Return the force that a controller gives coordinate d, or that prescribing it takes."""
    force = control_force(dynamics, d, implicit) + dynamics.applied[d]
    return force + dynamics.reaction[d] if dynamics.mode[d] == PRESCRIBED else force


@kernel
def passive_force(dynamics, d):
    """Friction and stop force on coordinate d."""
    friction = dynamics.tau[d] - dynamics.known[d]
    return friction if dynamics.mode[d] == PRESCRIBED else friction + dynamics.reaction[d]
