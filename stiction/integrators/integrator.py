"""The plug-in point for integrators: parameter tuples whose type picks the compiled kernels.

    def first(params, time, dt): ...  # -> instant, shares

    @integrator(MyIntegrator, first)
    def my_integrator(params, system, state, work, instant): ...  # -> status

The loop finds the accelerations of the state at the instant that `first` names, together with the
modes of the joints and the impulses of contact solvers: from that state the position moves on by
dt (shares[0] v + shares[1] v_next). The integrator then moves `state.q` and `state.v` to the end of
the step, with `prepare` and `accelerate` of equation_of_motion.py for further stages; the last
thing that it does is `prescribe` at the end of the step. Where `first` is not the begin of the
step, `lead(params, system, state, work, dt)` moves the state there before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from stiction.compiled import INLINED, refuse_second
from stiction.errors import InputError


class Kernels(NamedTuple):
    """What an integrator is made of."""

    first: Callable[..., Any]
    lead: Callable[..., Any]
    finish: Callable[..., int]


INTEGRATORS: dict[type, Kernels] = {}
ARGUMENTS = {
    "first": ("params", "time", "dt"),
    "lead": ("params", "system", "state", "work", "dt"),
    "finish": ("params", "system", "state", "work", "instant"),
}


class StepState(NamedTuple):
    """The arrays that a step changes; the modes of the joints are in `Dynamics`."""

    q: np.ndarray  # (nq)
    v: np.ndarray  # (nv)


class Work(NamedTuple):
    """Room for integrators, and what acted in the step, for the record."""

    q: np.ndarray  # (nq) state at a stage
    v: np.ndarray  # (nv)
    q_rate: np.ndarray  # (nq) rate at a stage
    q_sum: np.ndarray  # (nq) weighted sum of rates
    v_sum: np.ndarray  # (nv)
    wanted: np.ndarray  # (1) 1 if what acts in this step is to be recorded
    share: np.ndarray  # (1) weight of the stages that are recorded, -1 before the first
    torque: np.ndarray  # (nv) of controllers and prescribed motion, at the first of them
    passive: np.ndarray  # (nv) friction and stops
    impulse: np.ndarray  # (places, 3) of contact, over all stages
    depth: np.ndarray  # (places) penetration
    slip: np.ndarray  # (places, 3) velocity along the ground
    contact_velocity: np.ndarray  # (places, 3) at the end of the step, less the slowest allowed
    solver: np.ndarray  # (3) iterations, residual and stage of the contact solver
    first_q: np.ndarray  # (nq) where the step, or what is left of it, begins
    first_v: np.ndarray  # (nv)
    first_mode: np.ndarray  # (nv)
    total_torque: np.ndarray  # (nv) mean over all parts of the step
    total_passive: np.ndarray  # (nv)
    total_impulse: np.ndarray  # (places, 3) of contact, over all parts of the step
    total_solver: np.ndarray  # (3) all iterations, worst residual and stage


def stay(params, system, state, work, dt):
    """Leave the state where the step begins."""


def integrator(
    kind: type, first: Callable[..., Any], lead: Callable[..., Any] = stay
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Register the kernels of an integrator for such parameters; the decorated one finishes."""

    def declare(function: Callable[..., int]) -> Callable[..., int]:
        kernels = Kernels(first, lead, function)
        for kernel, (name, wanted) in zip(kernels, ARGUMENTS.items(), strict=True):
            found = tuple(inspect.signature(kernel).parameters)
            if found != wanted:
                raise InputError(
                    f"integrator '{function.__name__}': {name} '{kernel.__name__}' takes {found}; "
                    f"it must take {wanted}"
                )
        before = INTEGRATORS.get(kind)
        refuse_second(kind, before.finish if before else None, function)
        INTEGRATORS[kind] = kernels
        return function

    return declare


def first_evaluation(params, time, dt):
    """When the accelerations are sought first, and how the position moves on from there."""
    return INTEGRATORS[type(params)].first(params, time, dt)


def lead_there(params, system, state, work, dt):
    """Move the state from the begin of a step to where the accelerations are sought first."""
    INTEGRATORS[type(params)].lead(params, system, state, work, dt)


def finish_step(params, system, state, work, instant):
    """Move the state to the end of the step, with the accelerations found; returns a status."""
    return INTEGRATORS[type(params)].finish(params, system, state, work, instant)


# Compiled as they are: one level of calls less.


@overload(first_evaluation, jit_options=INLINED)
def _first_evaluation(params, time, dt):
    return INTEGRATORS[params.instance_class].first


@overload(lead_there, jit_options=INLINED)
def _lead_there(params, system, state, work, dt):
    return INTEGRATORS[params.instance_class].lead


@overload(finish_step, jit_options=INLINED)
def _finish_step(params, system, state, work, instant):
    return INTEGRATORS[params.instance_class].finish
