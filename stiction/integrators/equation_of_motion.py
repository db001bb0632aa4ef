"""What an integrator asks for: the accelerations of a state, H a + b = u + J' f.

`prepare` computes everything that the state and the time alone decide; `settle` then finds the
accelerations together with the modes of the joints (stuck, sliding, at a stop), once in a step;
`accelerate` finds them with the modes that were settled, in the later stages of a step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import overload

from stiction.compiled import INLINED, kernel
from stiction.contact.contact_model import Memory, contact_forces
from stiction.control.controller import control, prescribe
from stiction.kernels.articulated import (
    articulated_accelerations,
    articulated_bodies,
    rigid_bodies,
)
from stiction.kernels.contact import Contact, Ground, Places, add_contact_forces, detect
from stiction.kernels.forces import Forces, external_forces
from stiction.kernels.joint_space import (
    bias,
    factor_free_part,
    joint_space_accelerations,
    joint_space_inertia,
)
from stiction.kernels.joints import (
    begin_descent,
    descend,
    guess_mode,
    hold_mode,
    pivot,
    sliding_friction,
)
from stiction.kernels.kinematics import forward_kinematics, velocities, zero_rows
from stiction.kernels.spatial import like
from stiction.kernels.tree import JOINTS_UNSETTLED, OK, PRESCRIBED, Dynamics

PIVOTS = 6  # so often all wrong modes are changed at once; then one at a time, by descent


class ArticulatedBody(NamedTuple):
    """Forward dynamics by the articulated-body algorithm: one pass, cost linear in the links."""


class JointSpace(NamedTuple):
    """Forward dynamics by the joint-space inertia H and its sparse factor."""


class Surface(NamedTuple):
    """Where robots may touch the ground, what touches now, and what the contact model remembers."""

    places: Places
    ground: Ground
    contact: Contact
    memory: Memory
    room: np.ndarray  # (places, numbers) room that the model asks for


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


# ---------------------------------------------------------------------------- the two ways to solve


def prepare_method(method, dynamics):
    """Compute what the method needs besides kinematics and rigid bodies."""
    _METHODS[type(method)][0](dynamics)


def solve_method(method, dynamics):
    """Write accelerations, and reactions where accelerations are known, for the present modes."""
    _METHODS[type(method)][1](dynamics)


@kernel
def _nothing_more(dynamics):
    """Do nothing: the articulated-body algorithm needs no preparation."""


@kernel
def _articulated(dynamics):
    articulated_bodies(dynamics)
    articulated_accelerations(dynamics)


@kernel
def _inertia_and_bias(dynamics):
    bias(dynamics)
    joint_space_inertia(dynamics)


@kernel
def _joint_space(dynamics):
    factor_free_part(dynamics)
    joint_space_accelerations(dynamics)


_METHODS = {
    ArticulatedBody: (_nothing_more, _articulated),
    JointSpace: (_inertia_and_bias, _joint_space),
}


# Not inline="always": with numba-cuda 0.30 that made a kernel trap on the device.
@overload(prepare_method, jit_options=INLINED)
def _prepare_method(method, dynamics):
    chosen = _METHODS[method.instance_class][0]
    return lambda method, dynamics: chosen(dynamics)


@overload(solve_method, jit_options=INLINED)
def _solve_method(method, dynamics):
    chosen = _METHODS[method.instance_class][1]
    return lambda method, dynamics: chosen(dynamics)


# --------------------------------------------------------------------------------------- evaluation


@kernel
def prepare(system, instant, q, v):
    """Compute all that q, v and the time alone decide; returns a status.

    Prescribed coordinates are overwritten first.
    """
    dynamics = system.dynamics
    prescribe(system.controllers, dynamics, instant.time, q, v)
    forward_kinematics(dynamics, q)
    velocities(dynamics, v)
    rigid_bodies(dynamics)
    zero_rows(dynamics.external)
    external_forces(system.forces, dynamics, instant.time, instant.step_time, instant.dt)
    status = touch(system.model, system.surface, dynamics, instant.dt)
    for d in range(len(v)):
        dynamics.control[d] = 0
        dynamics.control_damping[d] = 0
    control(system.controllers, dynamics, instant.time, q, v)
    known_forces(dynamics, instant.implicit, q, v)
    prepare_method(system.method, dynamics)
    return status


@kernel
def touch(model, surface, dynamics, dt):
    """Find the touching points and add the forces that the contact model gives them; a status."""
    contact = surface.contact
    detect(surface.places, surface.ground, dynamics, contact, like(dt, 0))
    status = contact_forces(model, dynamics, contact, surface.memory, surface.room, dt)
    add_contact_forces(dynamics, contact)
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
def settle(method, dynamics, dt, q, v, shares):
    """Find accelerations and joint modes that fit each other; returns a status.

    `joints.py` tells the method. From q, the position moves on by
    dt (shares[0] v + shares[1] v_next), which decides when a stop is reached.
    """
    for d in range(len(v)):
        dynamics.mode[d] = guess_mode(dynamics.tree, dynamics.mode[d], d, v)
        hold_mode(dynamics, d, q, v, dt, shares)
    for attempt in range(PIVOTS + 20 * len(v)):
        solve_method(method, dynamics)
        if attempt < PIVOTS:
            if pivot(dynamics, q, v, dt, shares) == 0:
                return OK
        elif attempt == PIVOTS:
            begin_descent(dynamics, q, v, dt, shares)
        elif descend(dynamics, q, v, dt, shares):
            return OK
    return JOINTS_UNSETTLED


@kernel
def accelerate(method, dynamics, v):
    """Find the accelerations with the modes that `settle` found, in a later stage of the step."""
    for d in range(len(dynamics.tau)):
        friction = sliding_friction(dynamics.tree, dynamics.mode[d], d, v)
        dynamics.tau[d] = dynamics.known[d] + friction
    solve_method(method, dynamics)


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
