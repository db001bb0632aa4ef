"""The two ways to solve the equation of motion, H a + b = tau + J' f, picked by type."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from stiction.compiler.compiled import as_python, chooses, kernel
from stiction.kernels.articulated import (
    add_articulated_coordinate_response,
    add_response,
    articulated_accelerations,
    articulated_bodies,
    link_unit_responses,
)
from stiction.kernels.joint_space import (
    add_joint_space_coordinate_response,
    add_joint_space_response,
    bias,
    factor_free_part,
    joint_space_accelerations,
    joint_space_forces,
    joint_space_inertia,
    link_joint_space_unit_responses,
)


class ArticulatedBody(NamedTuple):
    """Forward dynamics by the articulated-body algorithm: one pass, cost linear in the links."""


class JointSpace(NamedTuple):
    """Forward dynamics by the joint-space inertia H and its sparse factor."""


def prepare_method(method, dynamics):
    """Compute what the method needs besides kinematics and rigid bodies."""
    _METHODS[type(method)].prepare(method, dynamics)


def eliminate_coordinates(method, dynamics):
    """Write U, D and the force u left to accelerate each coordinate, for the present modes."""
    _METHODS[type(method)].eliminate(method, dynamics)


def unit_responses_of(method, dynamics, link, at, responses, b):
    """Write the unit responses of a link at a point into responses[b], along its path."""
    _METHODS[type(method)].unit_responses(method, dynamics, link, at, responses, b)


def add_coordinate_response(method, dynamics, d, factor, responses, row):
    """Add `factor` times the response of coordinate d to responses[row], along its path."""
    add = _METHODS[type(method)].coordinate_response
    add(method, dynamics, d, factor, responses, row)


def accelerate_coordinates(method, dynamics):
    """Write the unknown accelerations, and the reactions to known ones, from the forces u."""
    _METHODS[type(method)].accelerate(method, dynamics)


def respond(method, dynamics, change):
    """change += H^-1 J' f for the forces f, which `u` holds as `add_response` describes."""
    _METHODS[type(method)].respond(method, dynamics, change)


class _Parts(NamedTuple):
    """The functions of a method."""

    prepare: Callable[..., None]
    eliminate: Callable[..., None]
    unit_responses: Callable[..., None]
    coordinate_response: Callable[..., None]
    accelerate: Callable[..., None]
    respond: Callable[..., None]


@kernel
def _nothing_more(method, dynamics):
    """Do nothing: the articulated-body algorithm needs no preparation."""


@kernel
def _articulated_bodies(method, dynamics):
    articulated_bodies(dynamics)


@kernel
def _articulated_unit_responses(method, dynamics, link, at, responses, b):
    link_unit_responses(dynamics, link, at, responses, b)


@kernel
def _articulated_coordinate_response(method, dynamics, d, factor, responses, row):
    add_articulated_coordinate_response(dynamics, d, factor, responses, row)


@kernel
def _articulated_accelerations(method, dynamics):
    articulated_accelerations(dynamics)


@kernel
def _articulated_response(method, dynamics, change):
    add_response(dynamics, change)


@kernel
def _inertia_and_bias(method, dynamics):
    bias(dynamics)
    joint_space_inertia(dynamics)


@kernel
def _joint_space_factor(method, dynamics):
    factor_free_part(dynamics)
    joint_space_forces(dynamics)


@kernel
def _joint_space_unit_responses(method, dynamics, link, at, responses, b):
    link_joint_space_unit_responses(dynamics, link, at, responses, b)


@kernel
def _joint_space_coordinate_response(method, dynamics, d, factor, responses, row):
    add_joint_space_coordinate_response(dynamics, d, factor, responses, row)


@kernel
def _joint_space_accelerations(method, dynamics):
    joint_space_accelerations(dynamics)


@kernel
def _joint_space_response(method, dynamics, change):
    add_joint_space_response(dynamics, change)


_METHODS = {
    ArticulatedBody: _Parts(
        prepare=_nothing_more,
        eliminate=_articulated_bodies,
        unit_responses=_articulated_unit_responses,
        coordinate_response=_articulated_coordinate_response,
        accelerate=_articulated_accelerations,
        respond=_articulated_response,
    ),
    JointSpace: _Parts(
        prepare=_inertia_and_bias,
        eliminate=_joint_space_factor,
        unit_responses=_joint_space_unit_responses,
        coordinate_response=_joint_space_coordinate_response,
        accelerate=_joint_space_accelerations,
        respond=_joint_space_response,
    ),
}


# Not inline="always": with numba-cuda 0.30 that makes a kernel trap on the device.
@chooses(prepare_method)
def _prepare_method(method, dynamics):
    return as_python(_METHODS[method.instance_class].prepare)


@chooses(eliminate_coordinates)
def _eliminate_coordinates(method, dynamics):
    return as_python(_METHODS[method.instance_class].eliminate)


@chooses(unit_responses_of)
def _unit_responses_of(method, dynamics, link, at, responses, b):
    return as_python(_METHODS[method.instance_class].unit_responses)


@chooses(add_coordinate_response)
def _add_coordinate_response(method, dynamics, d, factor, responses, row):
    return as_python(_METHODS[method.instance_class].coordinate_response)


@chooses(accelerate_coordinates)
def _accelerate_coordinates(method, dynamics):
    return as_python(_METHODS[method.instance_class].accelerate)


@chooses(respond)
def _respond(method, dynamics, change):
    return as_python(_METHODS[method.instance_class].respond)
