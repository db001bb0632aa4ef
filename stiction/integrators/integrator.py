"""The plug-in point for integrators: parameter tuples whose type picks the compiled kernel.

    @integrator(MyIntegrator)
    def my_integrator(params, system, state, work, time, dt): ...  # -> status

moves `state.q` and `state.v` from time to time + dt. `prepare`, `settle` and `accelerate` of
equation_of_motion.py give the accelerations; the last thing that an integrator does is `prescribe`
at the end of the step.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from stiction.compiled import chooses, refuse_second
from stiction.errors import InputError

INTEGRATORS: dict[type, Callable[..., int]] = {}
GROWTH: dict[type, Callable[[Any], Any]] = {}
ARGUMENTS = ("params", "system", "state", "work", "time", "dt")


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
    contact_work: np.ndarray  # (1) that contact does on the robots against the ground [J]
    first_q: np.ndarray  # (nq) where the step, or what is left of it, begins
    first_v: np.ndarray  # (nv)
    first_mode: np.ndarray  # (nv)
    total_torque: np.ndarray  # (nv) mean over all parts of the step
    total_passive: np.ndarray  # (nv)
    total_impulse: np.ndarray  # (places, 3) of contact, over all parts of the step
    total_work: np.ndarray  # (1) of contact, over all parts of the step [J]
    total_solver: np.ndarray  # (3) iterations of all solutions, worst residual and stage of parts


def integrator(
    kind: type, growth: Callable[[Any], Any] | None = None
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Register a kernel `(params, system, state, work, time, dt) -> status` for such parameters.

    growth: of an integrator that takes damping explicitly, by what a step multiplies a solution of
    x' = (z / dt) x, a function of complex z; `simulate` then warns of steps too long for servos,
    springs and dampers of joints.
    """

    def declare(function: Callable[..., int]) -> Callable[..., int]:
        found = tuple(inspect.signature(function).parameters)
        if found != ARGUMENTS:
            raise InputError(
                f"integrator '{function.__name__}' takes {found}; it must take {ARGUMENTS}"
            )
        refuse_second(kind, INTEGRATORS.get(kind), function)
        INTEGRATORS[kind] = function
        if growth is not None:
            GROWTH[kind] = growth
        return function

    return declare


def take_step(params: Any, system: Any, state: Any, work: Any, time: float, dt: float) -> int:
    """Move the state by one step with the integrator that `params` belongs to; returns a status."""
    return INTEGRATORS[type(params)](params, system, state, work, time, dt)


@chooses(take_step)
def _take_step(params, system, state, work, time, dt):
    return INTEGRATORS[params.instance_class]  # compiled as it is: one level of calls less
