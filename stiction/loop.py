"""The compiled loop: steps, divergence check, recording. Python never runs inside it."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numba.extending import overload

from stiction.compiled import INLINED, kernel, routine_with
from stiction.contact.contact_model import IMPULSE_SOLVER, MODELS
from stiction.control.controller import CONTROLLERS, PRESCRIBERS
from stiction.integrators.drift import remove_drift
from stiction.integrators.equation_of_motion import (
    Settling,
    begin_settling,
    prepare,
    settle_once,
)
from stiction.integrators.integrator import (
    INTEGRATORS,
    finish_step,
    first_evaluation,
    lead_there,
)
from stiction.integrators.touching import APPROACH, IMPACT, WHOLE
from stiction.kernels.kinematics import zero_rows
from stiction.kernels.spatial import like
from stiction.kernels.tree import DIVERGED, OK

IMPACTS = 8  # in one step; what follows is taken as a whole
MOMENT = 1e-6  # duration of an impact in steps: forces that are not impulses do nothing in it
SPEED_LIMIT = 1e6  # a state faster than this has exploded [m/s or rad/s]


class Record(NamedTuple):
    """What a run keeps: a row before every `every`-th step, and the forces that act in it.

    Arrays may have fewer rows, or none: what does not fit is not kept.
    """

    q: np.ndarray  # (rows, nq)
    v: np.ndarray  # (rows, nv)
    torque: np.ndarray  # (rows, nv)
    passive: np.ndarray  # (rows, nv)
    force: np.ndarray  # (rows, places, 3)
    depth: np.ndarray  # (rows, places)
    slip: np.ndarray  # (rows, places, 3)
    contact_velocity: np.ndarray  # (rows, places, 3)
    solver: np.ndarray  # (rows, 3)


class Clock(NamedTuple):
    """Time as a count of steps, so that it does not drift."""

    start: float  # time of step 0 [s]
    dt: float  # [s]
    every: int  # steps between two rows of the record


@kernel
def fault(state):
    """First coordinate of v not finite or too fast, nv + that of q, or -1 if all is well."""
    for d in range(len(state.v)):
        if not abs(state.v[d]) < SPEED_LIMIT:
            return d
    for k in range(len(state.q)):
        if not math.isfinite(state.q[k]):
            return len(state.v) + k
    return -1


@kernel
def copy_row(record, row, values, factor):
    """Write `factor` times the values into a row of a record, if it has one."""
    if row < len(record):
        for k in range(len(values)):
            record[row, k] = factor * values[k]


@kernel
def copy_rows(record, row, values, factor):
    """Write `factor` times the vectors into a row of a record, if it has one."""
    if row < len(record):
        for i in range(len(values)):
            for k in range(3):
                record[row, i, k] = factor * values[i, k]


@kernel
def keep_state(record, state, row, dt):
    """Copy the state into a row of the record."""
    one = like(dt, 1)
    copy_row(record.q, row, state.q, one)
    copy_row(record.v, row, state.v, one)


@kernel
def keep_forces(record, work, row, dt):
    """Copy what acted in the step into a row of the record."""
    one = like(dt, 1)
    copy_row(record.torque, row, work.total_torque, one)
    copy_row(record.passive, row, work.total_passive, one)
    copy_row(record.solver, row, work.total_solver, one)
    copy_row(record.depth, row, work.depth, one)
    copy_rows(record.force, row, work.total_impulse, one / dt)
    copy_rows(record.slip, row, work.slip, one)
    copy_rows(record.contact_velocity, row, work.contact_velocity, one)


@kernel
def commit(memory):
    """Make what the contact model wrote in the step what it remembers."""
    for i in range(memory.now.shape[0]):
        for k in range(memory.now.shape[1]):
            memory.now[i, k] = memory.trial[i, k]
    for i in range(memory.group_now.shape[0]):
        for k in range(memory.group_now.shape[1]):
            memory.group_now[i, k] = memory.group_trial[i, k]


# ------------------------------------------------------------------------- one step, in its parts


@kernel
def keep_beginning(system, state, work):
    """Remember where the step, or what is left of it, begins."""
    for k in range(len(state.q)):
        work.first_q[k] = state.q[k]
    for d in range(len(state.v)):
        work.first_v[d] = state.v[d]
        work.first_mode[d] = system.dynamics.mode[d]


@kernel
def go_back(system, state, work):
    """Return to where the step, or what is left of it, began."""
    for k in range(len(state.q)):
        state.q[k] = work.first_q[k]
    for d in range(len(state.v)):
        state.v[d] = work.first_v[d]
        system.dynamics.mode[d] = work.first_mode[d]


@kernel
def clear_totals(work):
    """Forget what the last step did."""
    if work.wanted[0] == 0:
        return
    zero_rows(work.total_impulse)
    for d in range(len(work.torque)):
        work.total_torque[d], work.total_passive[d] = 0, 0
    for k in range(3):
        work.total_solver[k] = 0


@kernel
def add_part(work, share):
    """Add what a part of the step did to what the step did; `share`: how long it is in steps."""
    if work.wanted[0] == 0:
        return
    for d in range(len(work.torque)):
        work.total_torque[d] += share * work.torque[d]
        work.total_passive[d] += share * work.passive[d]
    for i in range(len(work.depth)):
        for k in range(3):
            work.total_impulse[i, k] += work.impulse[i, k]
    work.total_solver[0] += work.solver[0]
    work.total_solver[1] = max(work.total_solver[1], work.solver[1])
    work.total_solver[2] = max(work.total_solver[2], work.solver[2])


class Part(NamedTuple):
    """What is taken of a step at once: all of it, or up to an impact, the impact, and the rest."""

    phase: int  # WHOLE, APPROACH or IMPACT
    time: float  # of its begin [s]
    length: float  # [s]
    left: float  # of the step, from its begin on [s]
    impacts: int  # so far in the step


@kernel
def begin_step(system, work, time, dt):
    """Forget the last step; returns the first part of this one, which is all of it if it can be."""
    system.surface.impact[0], system.surface.impact[1] = like(dt, math.inf), dt
    clear_totals(work)
    return Part(WHOLE, time, dt, dt, 0)


@kernel
def begin_part(params, system, state, work, part):
    """Prepare the search for the accelerations in a part; returns a status and the search."""
    system.surface.phase[0], system.surface.phase[1] = part.phase, 0
    work.share[0] = -1
    lead_there(params, system, state, work, part.length)
    instant, shares = first_evaluation(params, part.time, part.length)
    status = prepare(system, instant, state.q, state.v)
    return status, begin_settling(system, instant, state.q, state.v, shares)


def keep_for_impacts(model, system, state, work, part):
    """Keep the begin of a part if it may have to be taken again, because of an impact in it."""
    _way(type(model))[0](system, state, work, part)


def part_after(model, system, state, work, part, dt):
    """Return the part of the step that comes next, and whether the step ended before it."""
    return _way(type(model))[1](system, state, work, part, dt)


@kernel
def _keep_nothing(system, state, work, part):
    """Do nothing: a step is taken as a whole."""


@kernel
def _no_more(system, state, work, part, dt):
    """End the step."""
    add_part(work, like(dt, 1))
    return part, True


@kernel
def _keep_whole(system, state, work, part):
    """Keep the begin of a part in which there may be an impact."""
    if part.phase == WHOLE:
        keep_beginning(system, state, work)


@kernel
def _through_impacts(system, state, work, part, dt):
    """Go through the impacts of a step in which points come down fast.

    To the first impact, the impact, and the rest, which may have impacts of its own. A ball that
    comes to rest has ever more of them: after IMPACTS, the rest of the step is taken as a whole.
    """
    moment = like(dt, MOMENT) * dt
    phase, time, length, left, impacts = part
    if phase == WHOLE:
        until = system.surface.impact[0]
        if impacts == IMPACTS or not until < length:
            add_part(work, length / dt)
            remove_drift(system, state, work)
            return part, True
        go_back(system, state, work)
        if until <= moment:
            return Part(IMPACT, time, moment, left, impacts + 1), False
        return Part(APPROACH, time, until, left, impacts + 1), False
    add_part(work, length / dt)
    if phase == APPROACH:
        return Part(IMPACT, time + length, moment, left - length, impacts), False
    left = max(left - length, moment)
    return Part(WHOLE, time, left, left, impacts), False


def _way(kind):
    solver = MODELS[kind].family == IMPULSE_SOLVER
    return (_keep_whole, _through_impacts) if solver else (_keep_nothing, _no_more)


@overload(keep_for_impacts, jit_options=INLINED)
def _keep_for_impacts(model, system, state, work, part):
    chosen = _way(model.instance_class)[0]
    return lambda model, system, state, work, part: chosen(system, state, work, part)


@overload(part_after, jit_options=INLINED)
def _part_after(model, system, state, work, part, dt):
    chosen = _way(model.instance_class)[1]
    return lambda model, system, state, work, part, dt: chosen(system, state, work, part, dt)


# ---------------------------------------------------------------------------------------- the loop


@kernel
def step_begins(system, state, work, record, clock, step, last):
    """Record the state; returns the first part of the step."""
    keep = step % clock.every == 0
    if keep:
        keep_state(record, state, step // clock.every, clock.dt)
    work.wanted[0] = like(clock.dt, keep or step == last - 1)
    time = clock.start + like(clock.dt, step) * clock.dt
    return begin_step(system, work, time, clock.dt)


@kernel
def step_ends(system, state, work, record, clock, step, status, report):
    """Commit and record what the step did; returns its status."""
    commit(system.surface.memory)
    if step % clock.every == 0:
        keep_forces(record, work, step // clock.every, clock.dt)
    report[0] = step + 1
    report[1] = fault(state)
    return DIVERGED if report[1] >= 0 else status


def run(params, system, state, work, record, clock, first, last, report):
    """Take the steps first .. last; returns a status. report: (steps taken, faulty coordinate).

    One loop over trials to settle joints and contact, not one in each step: on a GPU worlds whose
    steps need more trials than others' let these go on with their next steps.
    """
    step, status = first, OK
    part, now = begin_step(system, work, clock.start, clock.dt), Settling(0, False, False, OK)
    step_is_over, part_is_over = True, True
    while True:
        if step_is_over:
            if step == last or status != OK:
                return status
            part = step_begins(system, state, work, record, clock, step, last)
        if part_is_over:
            keep_for_impacts(system.model, system, state, work, part)
            prepared, now = begin_part(params, system, state, work, part)
            status = max(status, prepared)
        instant, shares = first_evaluation(params, part.time, part.length)
        part_is_over, now = settle_once(system, instant, state.q, state.v, shares, now)
        step_is_over = False
        if part_is_over:
            finished = finish_step(params, system, state, work, instant)
            status = max(status, now.status, finished)
            part, step_is_over = part_after(system.model, system, state, work, part, clock.dt)
        if step_is_over:
            status = step_ends(system, state, work, record, clock, step, status, report)
            step += 1


@cache
def loop_for(*types):
    """Return the compiled loop for plug-ins of these types.

    Declared once per combination, so that its cache folder can be named after the sources of just
    these.
    """
    return routine_with(run, plug_ins_of(*types))


def plug_ins_of(*types):
    """Return what is compiled for plug-ins of these types: the types and their kernels."""
    kernels = [
        registry[kind]
        for registry in (CONTROLLERS, PRESCRIBERS)
        for kind in types
        if kind in registry
    ]
    kernels += [kernel for kind in types for kernel in INTEGRATORS.get(kind, ())]
    return [*types, *kernels, *(MODELS[kind].kernel for kind in types if kind in MODELS)]
