"""Microseconds of each part of a step, repeated many times at the state of a simulation.

A part calls the kernels of a step on the arrays of the simulation. "joints and contact" contains
the articulated bodies, the accelerations and what models that use them need, repeated as often as
the joint modes required in the last step. "whole step" is the mean over many steps from there; it
exceeds the sum of the parts if some of them are harder than the last.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.collision.detection import add_contact_forces, detect
from stiction.compiler.compiled import kernel, routine
from stiction.contact.contact_model import (
    FORCE_LAW,
    IMPULSE_SOLVER,
    MODELS,
    contact_forces,
)
from stiction.contact.families.impulse_law import answer_to_impulses
from stiction.control.controller import control
from stiction.integrators.semi_implicit import record_forces
from stiction.kernels.articulated import (
    articulated_accelerations,
    articulated_bodies,
    move_links,
)
from stiction.kernels.kinematics import advance, zero_rows
from stiction.kernels.response import add_wrenches, gather_wrenches, respond_to_wrenches
from stiction.kernels.servos import clear_control
from stiction.kernels.touching_pairs import place_pairs
from stiction.step.record import Record, keep_forces
from stiction.step.step import add_springs_and_dampers, solve_motion
from stiction.step.system import Instant, Shares, StepState, System, Work

COUNT, REPEATS = 2000, 5  # repetitions of a part per call, and number of calls, best taken


class Step(NamedTuple):
    """The arrays that a step works on."""

    system: System
    state: StepState
    work: Work
    record: Record
    instant: Instant
    reach: float  # time horizon for detecting points [s]


def profile_step(simulation: st.Simulation) -> dict[str, float | None]:
    """Microseconds of each part and of a whole step, at the state of a simulation."""
    record = simulation.allocate_record(COUNT)
    begin = simulation.save_state()

    def take_steps(n: int) -> None:
        simulation.restore_state(begin)
        simulation.advance(record, 1, n)

    whole = microseconds(take_steps)
    system, dt = simulation._system, simulation.dt
    family = MODELS[type(system.model)].family
    instant = Instant(dt / 2, 0.0, dt, dt / 2)
    arrays = (system, simulation._state, simulation._work, record)
    step = Step(*arrays, instant, dt if family == IMPULSE_SOLVER else 0.0)
    times: dict[str, float | None] = {}
    left_out = OF_SOLVERS if family == FORCE_LAW else OF_LAWS
    for k, part in enumerate(PARTS):
        times[part] = None if part in left_out else microseconds(_repeat, k, step)
    return {**times, "whole step": whole}


def microseconds(repeat: Callable[..., None], *args: Any) -> float:
    """Best time per repetition, of COUNT [us]; repeat: takes their number and `args`."""
    repeat(1, *args)  # compiles
    best = np.inf
    for _ in range(REPEATS):
        begun = time.perf_counter()
        repeat(COUNT, *args)
        best = min(best, time.perf_counter() - begun)
    return round(best / COUNT * 1e6, 3)


# -------------------------------------------------------------------------------------------- parts


@kernel
def _links(n: int, step: Step) -> None:
    for _ in range(n):
        move_links(step.system.dynamics, step.state.q, step.state.v)


@kernel
def _detection(n: int, step: Step) -> None:
    surface = step.system.surface
    for _ in range(n):
        detect(surface.points, surface.ground, step.system.dynamics, surface.contact, step.reach)


@kernel
def _contact_model(n: int, step: Step) -> None:
    system, surface = step.system, step.system.surface
    for _ in range(n):
        contact_forces(
            system.model,
            system.dynamics,
            surface.contact,
            surface.memory,
            surface.work,
            step.instant.dt,
        )


@kernel
def _touching_inertia(n: int, step: Step) -> None:
    system, contact = step.system, step.system.surface.contact
    response = system.surface.work.response
    for _ in range(n):
        place_pairs(system.dynamics, contact, response)
        answer_to_impulses(system, step.instant.dt)


@kernel
def _response(n: int, step: Step) -> None:
    system, contact = step.system, step.system.surface.contact
    response = system.surface.work.response
    for _ in range(n):
        gather_wrenches(contact, response)
        respond_to_wrenches(contact, response)
        add_wrenches(system.dynamics, contact, response, 1.0 / step.instant.dt)


@kernel
def _contact_wrenches(n: int, step: Step) -> None:
    for _ in range(n):
        zero_rows(step.system.dynamics.load)
        add_contact_forces(step.system.dynamics, step.system.surface.contact)


@kernel
def _control(n: int, step: Step) -> None:
    system, dynamics, state = step.system, step.system.dynamics, step.state
    for _ in range(n):
        clear_control(dynamics)
        control(system.controllers, system.control_memory, dynamics, step.instant, state.q, state.v)
        add_springs_and_dampers(dynamics, step.instant, state.q, state.v)


@kernel
def _articulated_bodies(n: int, step: Step) -> None:
    for _ in range(n):
        articulated_bodies(step.system.dynamics)


@kernel
def _accelerations(n: int, step: Step) -> None:
    for _ in range(n):
        articulated_accelerations(step.system.dynamics)


@kernel
def _solve_motion(n: int, step: Step) -> None:
    system, state = step.system, step.state
    for _ in range(n):
        solve_motion(system, step.instant, state.q, state.v, Shares(0.0, 1.0, 0.5))


@kernel
def _integration(n: int, step: Step) -> None:
    q, state = step.work.q, step.state
    for _ in range(n):
        for k in range(len(q)):
            q[k] = state.q[k]
        advance(step.system.dynamics.tree, q, state.v, step.instant.dt)


@kernel
def _recording(n: int, step: Step) -> None:
    for row in range(n):
        for k in range(len(step.state.q)):
            step.record.q[row, k] = step.state.q[k]
        for d in range(len(step.state.v)):
            step.record.v[row, d] = step.state.v[d]
        record_forces(step.system, step.work, step.instant, 1.0)
        keep_forces(step.record, step.work, row, step.instant.dt)


PARTS = (
    "links",
    "control",
    "detection",
    "articulated bodies",
    "accelerations",
    "touching link inertia",
    "contact model",
    "wrenches",
    "response",
    "joints and contact",
    "integration",
    "recording",
)
OF_SOLVERS, OF_LAWS = ("touching link inertia", "response"), ("wrenches",)


@routine
def _repeat(n: int, part: int, step: Step) -> None:
    """Repeat a part; one routine for all, as unpacking arrays from Python is slow to compile."""
    if part == 0:
        _links(n, step)
    elif part == 1:
        _control(n, step)
    elif part == 2:
        _detection(n, step)
    elif part == 3:
        _articulated_bodies(n, step)
    elif part == 4:
        _accelerations(n, step)
    elif part == 5:
        _touching_inertia(n, step)
    elif part == 6:
        _contact_model(n, step)
    elif part == 7:
        _contact_wrenches(n, step)
    elif part == 8:
        _response(n, step)
    elif part == 9:
        _solve_motion(n, step)
    elif part == 10:
        _integration(n, step)
    elif part == 11:
        _recording(n, step)
