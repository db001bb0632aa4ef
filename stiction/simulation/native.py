"""Calls of the compiled loop: what it needs is stored once, and a call passes addresses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config

from stiction.compiler.bound import Handle
from stiction.compiler.checked import run_checked
from stiction.step.loop import (
    Alarm,
    Clock,
    Moving,
    Recorded,
    Report,
    loop_for,
    run_bound,
    run_checking,
)
from stiction.step.record import Record
from stiction.step.system import StepState, System, Work


def moving_of(
    integrator: Any, system: System, state: StepState, work: Work, report: Report
) -> Moving:
    """Everything that steps need and change; there is no alarm until limits are set."""
    real = state.q.dtype
    never = np.iinfo(np.int64).max
    alarm = Alarm(np.full(1, never), np.full(1, np.inf, real), np.full(1, np.inf, real))
    before = StepState(state.q.copy(), state.v.copy())
    return Moving(integrator, system, state, work, report, before, alarm)


def loop_of(moving: Moving) -> Any:
    """The loop for the plug-ins of a run, not yet compiled."""
    system = moving.system
    parts = (moving.params, system.method, system.model, *system.controllers)
    kinds: list[Any] = [type(part) for part in parts]
    return loop_for(*kinds)


def entry_of(run: Any, moving: Handle, recorded: Handle) -> Any:
    """The compiled function (handle of `Moving`, handle of `Recorded`, first, last) -> status.

    It does not look at types: it takes handles of the types of these two, and no others.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return run_bound
    kinds = (moving.kind, recorded.kind)  # types are unique, and slow to compare
    for signature, compiled in list(dict.items(run.overloads)):  # its own would hash the types
        if signature[0] is kinds[0] and signature[1] is kinds[1]:
            return compiled.entry_point
    run(moving, recorded, 0, 0)  # takes no step
    return entry_of(run, moving, recorded)


class NativeLoop:
    """The compiled loop of one run; it is compiled for the first record that it gets."""

    def __init__(self, moving: Moving) -> None:
        """Store what the loop needs; arrays may be written to later, but not replaced."""
        self.moving, self.handle = moving, Handle(moving)
        self._run = loop_of(moving)
        self._recorded: Recorded | None = None  # of the last call
        self._call: Any = None  # the compiled function, and a handle of it

    def prepared(self, recorded: Recorded) -> tuple[Any, Handle]:
        """The compiled function for a record, see `entry_of`, and a handle of the record."""
        handle = Handle(recorded)
        return entry_of(self._run, self.handle, handle), handle

    def __call__(self, record: Record, clock: Clock, first: int, last: int) -> int:
        """Take the steps from first to last - 1; returns a status, plus ALARM."""
        before = self._recorded
        if before is None or before.record is not record or before.clock != clock:
            self._recorded = Recorded(record, clock)
            self._call = self.prepared(self._recorded)
        entry, handle = self._call
        return entry(self.handle, handle, first, last)

    def checked(self, record: Record, clock: Clock, first: int, last: int) -> int:
        """The same without the compiler, every index checked."""
        return run_checked(run_checking, self.moving, Recorded(record, clock), first, last)
