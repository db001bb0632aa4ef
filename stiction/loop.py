"""The compiled loop: steps, divergence check, recording. Python never runs inside it."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from stiction.compiled import as_python, chooses, kernel, routine_with
from stiction.contact.contact_model import IMPULSE_SOLVER, MODELS
from stiction.contact.warm_start import NOT_CONVERGED
from stiction.control.controller import CONTROLLERS, PRESCRIBERS
from stiction.integrators.drift import remove_drift
from stiction.integrators.integrator import INTEGRATORS, take_step
from stiction.integrators.sliding import finish_slides
from stiction.integrators.touching import APPROACH, EARLIEST, IMPACT, WHOLE, begin_step
from stiction.kernels.kinematics import zero_rows
from stiction.kernels.response import ALL_ITERATIONS
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


class Report(NamedTuple):
    """What became of a run; unlike the record it counts every step."""

    steps: np.ndarray  # (1) taken so far
    fault: np.ndarray  # (1) coordinate at fault, see `fault`; -1 if all is well
    unsolved: np.ndarray  # (1) steps whose contact problem or joint friction was not solved
    worst_step: np.ndarray  # (1) the one of these with the largest residual
    worst_residual: np.ndarray  # (1) that residual
    contact_work: np.ndarray  # (1) of all steps so far, if each was recorded [J]
    most_work: np.ndarray  # (1) the largest that this ever was: energy from the ground [J]
    most_step: np.ndarray  # (1) after which it was


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
def keep_acceleration(dynamics):
    """Remember the accelerations of a part of the step that was taken, for those that follow."""
    for d in range(len(dynamics.acceleration)):
        dynamics.last_acceleration[d] = dynamics.acceleration[d]


@kernel
def clear_totals(work):
    """Forget what the last step did."""
    for k in range(3):
        work.total_solver[k] = 0
    if work.wanted[0] == 0:
        return
    zero_rows(work.total_impulse)
    work.total_work[0] = 0
    for d in range(len(work.torque)):
        work.total_torque[d], work.total_passive[d] = 0, 0


@kernel
def add_part(system, work, share):
    """Add what a part of the step did to what the step did; `share`: how long it is in steps.

    How well its contact problem was solved counts in every step, also in those not recorded.
    """
    solved = system.surface.work.response.report
    work.total_solver[0] = solved[ALL_ITERATIONS]
    work.total_solver[1] = max(work.total_solver[1], solved[1])
    work.total_solver[2] = max(work.total_solver[2], solved[2])
    if work.wanted[0] == 0:
        return
    for d in range(len(work.torque)):
        work.total_torque[d] += share * work.torque[d]
        work.total_passive[d] += share * work.passive[d]
    for i in range(len(work.depth)):
        for k in range(3):
            work.total_impulse[i, k] += work.impulse[i, k]
    work.total_work[0] += work.contact_work[0]


def step_with(model, params, system, state, work, time, dt):
    """Take one step in the way that the contact model needs; returns a status."""
    return _way(type(model))(model, params, system, state, work, time, dt)


def _way(kind):
    return step_through_impacts if MODELS[kind].family == IMPULSE_SOLVER else plain_step


@chooses(step_with)
def _step_with(model, params, system, state, work, time, dt):
    return as_python(_way(model.instance_class))


@kernel
def plain_step(model, params, system, state, work, time, dt):
    """Take one step as a whole; returns a status."""
    system.surface.phase[0], system.surface.phase[1] = WHOLE, 0
    work.share[0] = -1
    status = take_step(params, system, state, work, time, dt)
    keep_acceleration(system.dynamics)
    clear_totals(work)
    add_part(system, work, like(dt, 1))
    return status


@kernel
def step_through_impacts(model, params, system, state, work, time, dt):
    """Take one step; one in which points come down fast, in parts; returns a status.

    To the first impact, the impact, and the rest, which may have impacts of its own. A ball that
    comes to rest has ever more of them: after IMPACTS, the rest of the step is taken as a whole.
    """
    surface = system.surface
    begin_step(surface, system.dynamics, dt)
    clear_totals(work)
    phase, impacts, left, part = WHOLE, 0, dt, dt
    status = OK
    while True:
        if phase == WHOLE:
            keep_beginning(system, state, work)
        surface.phase[0], surface.phase[1] = phase, 0
        work.share[0] = -1
        status = max(status, take_step(params, system, state, work, time, part))
        if phase == WHOLE:
            until = surface.impact[EARLIEST]
            if impacts == IMPACTS or not until < part:
                keep_acceleration(system.dynamics)
                add_part(system, work, part / dt)
                finish_slides(system, state, work, part)
                remove_drift(system, state, work)
                return status
            go_back(system, state, work)
            impacts += 1
            phase, part = APPROACH, until
            if until <= like(dt, MOMENT) * dt:
                phase, part = IMPACT, like(dt, MOMENT) * dt
            continue
        add_part(system, work, part / dt)
        if phase == APPROACH:
            keep_acceleration(system.dynamics)
            finish_slides(system, state, work, part)
            time += part
            left -= part
            phase, part = IMPACT, like(dt, MOMENT) * dt
        else:
            left = max(left - part, like(dt, MOMENT) * dt)
            phase, part = WHOLE, left


@kernel
def count_unsolved(report, solved, step):
    """Count a step whose contact problem was not solved, and remember the worst."""
    if solved[2] < NOT_CONVERGED:
        return
    if report.unsolved[0] == 0 or solved[1] > report.worst_residual[0]:
        report.worst_step[0], report.worst_residual[0] = step, solved[1]
    report.unsolved[0] += 1


@kernel
def add_work(report, done, step):
    """Add the work of contact in a step, and remember when the sum was largest.

    It is never above zero where the ground only takes energy, or gives back what it has taken.
    """
    report.contact_work[0] += done
    if report.contact_work[0] > report.most_work[0]:
        report.most_work[0], report.most_step[0] = report.contact_work[0], step


def run(params, system, state, work, record, clock, first, last, report):
    """Take the steps first .. last; returns a status."""
    for step in range(first, last):
        row, keep = step // clock.every, step % clock.every == 0
        if keep:
            keep_state(record, state, row, clock.dt)
        work.wanted[0] = like(clock.dt, keep or step == last - 1)
        system.surface.work.response.report[ALL_ITERATIONS] = 0
        time = clock.start + like(clock.dt, step) * clock.dt
        status = step_with(system.model, params, system, state, work, time, clock.dt)
        commit(system.surface.memory)
        if keep:
            keep_forces(record, work, row, clock.dt)
        if clock.every == 1:
            add_work(report, work.total_work[0], step)
        count_unsolved(report, work.total_solver, step)
        report.steps[0] = step + 1
        report.fault[0] = fault(state)
        if report.fault[0] >= 0:
            return DIVERGED
        if status != OK:
            return status
    return OK


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
        for registry in (INTEGRATORS, CONTROLLERS, PRESCRIBERS)
        for kind in types
        if kind in registry
    ]
    return [*types, *kernels, *(MODELS[kind].kernel for kind in types if kind in MODELS)]
