"""Plug-ins that reach outside their arrays."""

from typing import NamedTuple

from stiction.extend import (
    IMPULSE_SOLVER,
    OK,
    contact_model,
    controller,
    kernel,
    scale,
    store_vector,
    vector,
)


class Beyond(NamedTuple):
    """Writes one row further than there are points."""

    stiffness: float = 1e4


@contact_model(Beyond)
def beyond(params, dynamics, contact, memory, work, dt):
    for i in range(contact.count[0] + 1):
        store_vector(contact.force, i, (0.0, 0.0, params.stiffness))
    return OK


class BeyondByItself(NamedTuple):
    """Does the same without the help of a function."""

    stiffness: float = 1e4


@contact_model(BeyondByItself)
def beyond_by_itself(params, dynamics, contact, memory, work, dt):
    contact.force[contact.count[0], 2] = params.stiffness
    return OK


class Behind(NamedTuple):
    """Writes the row before the first one."""

    stiffness: float = 1e4


@kernel
def push(contact, i, force):
    store_vector(contact.force, i, scale(force, vector(contact.normal, i)))


@contact_model(Behind)
def behind(params, dynamics, contact, memory, work, dt):
    for i in range(contact.count[0]):
        push(contact, i - 1, params.stiffness)
    return OK


class Forgetful(NamedTuple):
    """Remembers more than it declares."""


@contact_model(Forgetful, family=IMPULSE_SOLVER, point_memory=1)
def forgetful(params, dynamics, contact, memory, work, dt):
    for i in range(contact.count[0]):
        memory.trial[contact.point[i], 1] = 1.0
    return OK


class Pulls(NamedTuple):
    """Drives a joint that there is not."""

    force: float = 1.0


@controller(Pulls)
def pulls(params, dynamics, time, q, v):
    dynamics.control[len(v)] += params.force


class Divides(NamedTuple):
    """Divides by zero, where it should not."""

    stiffness: float = 0.0


@contact_model(Divides)
def divides(params, dynamics, contact, memory, work, dt):
    for i in range(contact.count[0]):
        store_vector(contact.force, i, (0.0, 0.0, 1.0 / float(params.stiffness)))
    return OK
