"""The two ways to solve the equation of motion, H a + b = tau + J' f, picked by type."""

from __future__ import annotations

from typing import NamedTuple

from numba.extending import overload

from stiction.compiled import INLINED, as_python, kernel
from stiction.kernels.articulated import (
    add_response,
    articulated_accelerations,
    articulated_bodies,
    link_modes,
)
from stiction.kernels.joint_space import (
    add_joint_space_response,
    bias,
    factor_free_part,
    joint_space_accelerations,
    joint_space_inertia,
    link_joint_space_modes,
)
from stiction.kernels.spatial import load_vector


class ArticulatedBody(NamedTuple):
    """Forward dynamics by the articulated-body algorithm: one pass, cost linear in the links."""


class JointSpace(NamedTuple):
    """Forward dynamics by the joint-space inertia H and its sparse factor."""


def prepare_method(method, dynamics):
    """Compute what the method needs besides kinematics and rigid bodies."""
    _METHODS[type(method)][0](method, dynamics)


def solve_method(method, dynamics):
    """Write accelerations, and reactions where accelerations are known, for the present modes."""
    _METHODS[type(method)][1](method, dynamics)


def slot_modes(method, dynamics, contact, response):
    """Write `response.modes` of the slots, from what `solve_method` left behind."""
    _METHODS[type(method)][2](method, dynamics, contact, response)


def respond(method, dynamics, change):
    """change += H^-1 J' f for the wrenches f that `pA` holds, one per link, and their reactions."""
    _METHODS[type(method)][3](dynamics, change)


@kernel
def _nothing_more(method, dynamics):
    """Do nothing: the articulated-body algorithm needs no preparation."""


@kernel
def _articulated(method, dynamics):
    articulated_bodies(dynamics)
    articulated_accelerations(dynamics)


@kernel
def _articulated_slots(method, dynamics, contact, response):
    for slot in range(contact.slots[0]):
        centre = load_vector(response.centre, slot)
        link_modes(dynamics, contact.slot_link[slot], centre, response.modes, slot)


@kernel
def _inertia_and_bias(method, dynamics):
    bias(dynamics)
    joint_space_inertia(dynamics)


@kernel
def _joint_space(method, dynamics):
    factor_free_part(dynamics)
    joint_space_accelerations(dynamics)


@kernel
def _joint_space_slots(method, dynamics, contact, response):
    for slot in range(contact.slots[0]):
        centre = load_vector(response.centre, slot)
        link_joint_space_modes(dynamics, contact.slot_link[slot], centre, response.modes, slot)


_METHODS = {
    ArticulatedBody: (_nothing_more, _articulated, _articulated_slots, add_response),
    JointSpace: (_inertia_and_bias, _joint_space, _joint_space_slots, add_joint_space_response),
}


# Not inline="always": with numba-cuda 0.30 that made a kernel trap on the device.
@overload(prepare_method, jit_options=INLINED)
def _prepare_method(method, dynamics):
    return as_python(_METHODS[method.instance_class][0])


@overload(solve_method, jit_options=INLINED)
def _solve_method(method, dynamics):
    return as_python(_METHODS[method.instance_class][1])


@overload(slot_modes, jit_options=INLINED)
def _slot_modes(method, dynamics, contact, response):
    return as_python(_METHODS[method.instance_class][2])


@overload(respond, jit_options=INLINED)
def _respond(method, dynamics, change):
    chosen = _METHODS[method.instance_class][3]
    return lambda method, dynamics, change: chosen(dynamics, change)
