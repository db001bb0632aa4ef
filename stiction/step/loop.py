"""The compiled loop: steps, divergence check, recording. Python never runs inside it."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from stiction.collision.bodies import commit_bodies
from stiction.collision.pairs.clip import MOST as POINTS
from stiction.compiler.announced import Announcement
from stiction.compiler.bound import bundle_of
from stiction.compiler.compiled import kernel, routine_with, subroutine
from stiction.contact.contact_model import (
    ACCELERATION_LAW,
    FORCE_LAW,
    IMPULSE_LAW,
    IMPULSE_SOLVER,
    MODELS,
    NoContact,
    points_of_ground,
)
from stiction.contact.contact_state import STATES
from stiction.control.controller import CONTROLLERS, PRESCRIBERS
from stiction.kernels.response import NOT_CONVERGED
from stiction.kernels.tree import DIVERGED, OK
from stiction.kernels.vectors import like
from stiction.step.integrator import INTEGRATORS
from stiction.step.record import RESIDUAL, STAGE, Record, keep_forces, keep_state
from stiction.step.step import step
from stiction.step.system import StepState, System, Work

RING = -1
NOTHING = 0  # steps between two rows of a record that has none
NOT_FINITE, ALARM = 32, 64  # status of a call of the loop, besides those of a step
SPEED_LIMIT = 1e6  # a state faster than this has diverged [m/s or rad/s]
# of compiling the loop, by the family of the contact model, on an idle core [s]
SECONDS = {FORCE_LAW: 20.0, ACCELERATION_LAW: 20.0, IMPULSE_LAW: 30.0, IMPULSE_SOLVER: 50.0}


class Report(NamedTuple):
    """The outcome of a run so far; unlike the record, it counts every step."""

    steps: np.ndarray  # (1) taken so far
    fault: np.ndarray  # (1) coordinate at fault, see `fault`; -1 if none
    unsolved: np.ndarray  # (1) steps whose contact problem or joint friction was not solved
    worst_step: np.ndarray  # (1) the one of these with the largest residual
    worst_residual: np.ndarray  # (1) that residual
    contact_work: np.ndarray  # (1) of all steps so far, if each was recorded [J]
    most_work: np.ndarray  # (1) its largest value so far: energy from the ground [J]
    most_step: np.ndarray  # (1) step after which it was largest
    unfinished: np.ndarray  # (1) steps that used up their effort and left some work to the next one


class Alarm(NamedTuple):
    """When a call of the loop says ALARM: beyond these, Python looks whether to warn."""

    unsolved: np.ndarray  # (1) steps
    work: np.ndarray  # (1) of contact, if every step is recorded [J]
    depth: np.ndarray  # (1) in the last step [m]; infinite: not looked at


class Clock(NamedTuple):
    """Time as a count of steps, so that it does not drift."""

    start: float  # time of step 0 [s]
    dt: float  # [s]
    every: int  # steps between two rows of the record, or NOTHING
    first_row: int  # of the run, which is row 0 of the record; those before are not recorded. RING:
    # the record holds the last rows, each at its number modulo theirs


class Moving(NamedTuple):
    """Everything that steps need and change."""

    params: Any  # of the integrator
    system: System
    state: StepState
    work: Work
    report: Report
    before: StepState  # the state before the first step of the call
    alarm: Alarm


class Recorded(NamedTuple):
    """Where and when the state and the forces are recorded."""

    record: Record
    clock: Clock


@kernel
def fault(state):
    """Index of the first bad coordinate of v, or nv + that of q; -1 if there is none.

    A velocity is bad if it is not finite or too fast, a position if it is not finite. Loops without
    an exit, which take several coordinates at once, find out whether to look for one.
    """
    bad = 0
    for d in range(len(state.v)):
        bad += not abs(state.v[d]) < SPEED_LIMIT
    for k in range(len(state.q)):
        bad += not math.isfinite(state.q[k])
    return first_fault(state) if bad > 0 else -1


@subroutine
def first_fault(state):
    """Index of the first bad coordinate, of which there is at least one."""
    for d in range(len(state.v)):
        if not abs(state.v[d]) < SPEED_LIMIT:
            return d
    k = 0
    while math.isfinite(state.q[k]):
        k += 1
    return len(state.v) + k


@kernel
def commit(contact, memory):
    """Commit what the contact model wrote in the step to its memory.

    That is for the ground and for near pairs: what others had is forgotten when they are near
    again.
    """
    copy_rows(memory.trial, memory.now, 0, points_of_ground(contact, memory))
    for k in range(contact.near_count[0]):
        copy_rows(memory.trial, memory.now, contact.near[k], contact.near[k] + POINTS)
    copy_rows(memory.group_trial, memory.group_now, 0, len(memory.group_now))


@kernel
def copy_rows(source, target, first, end):
    """Copy rows, four numbers at a time: one instruction, where a short loop takes many."""
    columns = source.shape[1]
    fours = columns - columns % 4
    if columns == 0:
        return
    for i in range(first, end):
        for k in range(0, fours, 4):
            a, b, c, d = source[i, k], source[i, k + 1], source[i, k + 2], source[i, k + 3]
            target[i, k], target[i, k + 1], target[i, k + 2], target[i, k + 3] = a, b, c, d
        for k in range(fours, columns):
            target[i, k] = source[i, k]


@kernel
def count_unsolved(report, solved, step):
    """Count a step whose contact problem was not solved, and remember the worst."""
    if solved[STAGE] < NOT_CONVERGED:
        return
    if report.unsolved[0] == 0 or solved[RESIDUAL] > report.worst_residual[0]:
        report.worst_step[0], report.worst_residual[0] = step, solved[RESIDUAL]
    report.unsolved[0] += 1


@kernel
def add_work(report, done, step):
    """Add the work of contact in a step, and remember when the sum was largest.

    The sum stays at or below zero if contact only dissipates energy or returns what it stored.
    """
    report.contact_work[0] += done
    if report.contact_work[0] > report.most_work[0]:
        report.most_work[0], report.most_step[0] = report.contact_work[0], step


def run(params, system, state, work, record, clock, first, last, report):
    """Take the steps from first to last - 1; returns a status.

    Its arguments are everything that a step needs.
    """
    response = system.surface.work.response
    for number in range(first, last):
        keep = clock.every != NOTHING and number % clock.every == 0
        row = number // clock.every - clock.first_row if keep else 0
        if keep and clock.first_row == RING:
            row = (row + RING) % len(record.q)
        if keep:
            keep_state(record, state, row, clock.dt)
        work.wanted[0] = like(clock.dt, keep or number == last - 1)
        response.report.all_iterations[0], response.effort.used_up[0] = 0, 0
        time = clock.start + like(clock.dt, number) * clock.dt
        status = step(params, system, state, work, time, clock.dt)
        commit(system.surface.contact, system.surface.memory)
        status = max(status, commit_bodies(system.surface.bodies))
        if keep:
            keep_forces(record, work, row, clock.dt)
        if clock.every == 1:
            add_work(report, work.total_work[0], number)
        count_unsolved(report, work.total_solver, number)
        report.unfinished[0] += response.effort.used_up[0]
        report.steps[0] = number + 1
        report.fault[0] = fault(state)
        if report.fault[0] >= 0:
            return DIVERGED
        if status != OK:
            return status
    return OK


take_steps = kernel(run)


@kernel
def is_alarming(work, report, alarm):
    """Whether Python must look if there is something to warn of."""
    if report.unsolved[0] > alarm.unsolved[0] or report.most_work[0] > alarm.work[0]:
        return True
    limit = alarm.depth[0]
    if limit < math.inf:
        for depth in work.depth:
            if depth > limit:
                return True
    return False


@kernel
def copy_state(source, target):
    """Copy a state."""
    for k in range(len(source.q)):
        target.q[k] = source.q[k]
    for d in range(len(source.v)):
        target.v[d] = source.v[d]


def run_checking(moving, recorded, first, last):
    """Take the steps from first to last - 1; returns a status, plus ALARM.

    Nothing happens if a force along a coordinate is not finite.
    """
    state, work, report = moving.state, moving.work, moving.report
    for force in moving.system.dynamics.applied:
        if not math.isfinite(force):
            return NOT_FINITE
    copy_state(state, moving.before)
    status = take_steps(
        moving.params,
        moving.system,
        state,
        work,
        recorded.record,
        recorded.clock,
        first,
        last,
        report,
    )
    return status + ALARM if is_alarming(work, report, moving.alarm) else status


run_bundles = kernel(run_checking)


def run_bound(moving, recorded, first, last):
    """`run_checking` with handles of its bundles: the one function that Python calls."""
    return run_bundles(bundle_of(moving), bundle_of(recorded), first, last)


@cache
def loop_for(*types):
    """Return the compiled loop, `run_bound`, for plug-ins of these types.

    It is declared once per combination, so that its cache folder is named after the sources of
    these plug-ins alone.
    """
    return routine_with(run_bound, plug_ins_of(*types), announcement_of(*types))


def announcement_of(*types: Any) -> Announcement:
    """The message while the loop for these plug-ins is compiled: the name of the contact model."""
    kind = next((kind for kind in types if kind in MODELS and kind is not NoContact), None)
    if kind is None:
        return Announcement("the step without contact", SECONDS[FORCE_LAW])
    return Announcement(kind.__name__, SECONDS[MODELS[kind].family])


def plug_ins_of(*types):
    """Return the types and their kernels, from which the loop is compiled."""
    kernels = [
        registry[kind]
        for registry in (INTEGRATORS, CONTROLLERS, PRESCRIBERS, STATES)
        for kind in types
        if kind in registry
    ]
    return [*types, *kernels, *(MODELS[kind].kernel for kind in types if kind in MODELS)]
