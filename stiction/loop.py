"""The compiled loop: steps, divergence check, recording. Python never runs inside it."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from stiction.compiled import kernel, routine_with
from stiction.contact.contact_model import MODELS
from stiction.control.controller import CONTROLLERS, PRESCRIBERS
from stiction.integrators.integrator import INTEGRATORS, take_step
from stiction.kernels.spatial import like
from stiction.kernels.tree import DIVERGED, OK

SPEED_LIMIT = 1e6  # a state faster than this has exploded [m/s or rad/s]


class Record(NamedTuple):
    """What a run keeps: a row before every `every`-th step, and the forces that act in it."""

    q: np.ndarray  # (rows, nq)
    v: np.ndarray  # (rows, nv)
    torque: np.ndarray  # (rows, nv)
    passive: np.ndarray  # (rows, nv)
    force: np.ndarray  # (rows, places, 3)
    depth: np.ndarray  # (rows, places)
    slip: np.ndarray  # (rows, places, 3)


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
def keep_forces(record, work, row):
    """Copy what acted in the step into a row of the record."""
    for d in range(len(work.torque)):
        record.torque[row, d] = work.torque[d]
        record.passive[row, d] = work.passive[d]
    for i in range(len(work.depth)):
        record.depth[row, i] = work.depth[i]
        for k in range(3):
            record.force[row, i, k] = work.force[i, k]
            record.slip[row, i, k] = work.slip[i, k]


@kernel
def commit(memory):
    """Make what the contact model wrote in the step what it remembers."""
    for i in range(memory.now.shape[0]):
        for k in range(memory.now.shape[1]):
            memory.now[i, k] = memory.trial[i, k]
    for i in range(memory.group_now.shape[0]):
        for k in range(memory.group_now.shape[1]):
            memory.group_now[i, k] = memory.group_trial[i, k]


def run(params, system, state, work, record, clock, first, last, report):
    """Take the steps first .. last; returns a status. report: (steps taken, faulty coordinate)."""
    for step in range(first, last):
        row = step // clock.every
        keep = step % clock.every == 0 and row < len(record.q)
        if keep:
            for k in range(len(state.q)):
                record.q[row, k] = state.q[k]
            for d in range(len(state.v)):
                record.v[row, d] = state.v[d]
        time = clock.start + like(clock.dt, step) * clock.dt
        status = take_step(params, system, state, work, time, clock.dt)
        commit(system.surface.memory)
        if keep:
            keep_forces(record, work, row)
        report[0] = step + 1
        report[1] = fault(state)
        if report[1] >= 0:
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
    kernels = [
        registry[kind]
        for registry in (INTEGRATORS, CONTROLLERS, PRESCRIBERS)
        for kind in types
        if kind in registry
    ] + [MODELS[kind].kernel for kind in types if kind in MODELS]
    return routine_with(run, [*types, *kernels])
