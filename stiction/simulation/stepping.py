"""How a simulation takes its steps: in one compiled call, or in several with Python between."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.arguments import shown
from stiction.errors import InputError
from stiction.kernels.tree import OK
from stiction.motion.motion import Motion
from stiction.simulation.allocation import allocate_record
from stiction.simulation.arguments import MOST_STEPS, is_count, is_real
from stiction.simulation.chunks import chunks
from stiction.simulation.contacts import forget_forces
from stiction.simulation.failures import Fault, failure_of
from stiction.simulation.native import NativeLoop, moving_of
from stiction.simulation.open_recording import OpenRecorder
from stiction.simulation.python_controller import InPython
from stiction.simulation.recording import Recording
from stiction.simulation.sensing import Sensing
from stiction.simulation.watch import Watch
from stiction.step.loop import ALARM, NOT_FINITE, RING, Clock, Recorded, Report
from stiction.step.record import Record
from stiction.step.system import StepState, System, Work
from stiction.world.world import State, World, checked_vector


class Stepping:
    """The part of a `Simulation` that takes steps."""

    world: World
    dt: float
    _integrator: Any
    _system: System
    _state: StepState
    _work: Work
    _report: Report
    _start: float
    _held: np.ndarray
    _python: InPython
    _recording: Recording | None
    _sensing: Sensing
    point_names: list[str]

    def _begin_stepping(self) -> None:
        """Allocate what steps need."""
        self.checked = False  # whether steps run without the compiler, every index checked
        self._watch = Watch(self)  # type: ignore[arg-type]
        sensing = self._sensing.rows > 0
        self._nothing_recorded = self._sensing.record if sensing else self.allocate_record(0)
        self._first_row = RING if sensing else 0  # of what sensors need, or of nothing
        self._applied = self._system.dynamics.applied
        self._shape = self._applied.shape
        self._applied_once = False  # whether `applied` is to be what is held again
        self._called = 0  # steps before the last compiled call
        self._loop: NativeLoop | None = None
        self._plain: Any = None  # what a single step needs, if Python has nothing to do
        self._plain_until = -1.0  # the first step for which it does not serve
        self._plain_clock = Clock(self._start, self.dt, 1, self._first_row)
        self._recorder: OpenRecorder | None = None

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Refuse copies and pickles: compiled code knows the arrays by their addresses."""
        raise InputError(
            "a Simulation cannot be copied or pickled; make another one with the same arguments, "
            "and give it the state: other.restore_state(simulation.save_state())"
        )

    @property
    def time(self) -> float:
        """Current time [s]."""
        return self._start + self._steps * self.dt

    @property
    def _steps(self) -> int:
        """Steps since the time `_start`."""
        return int(self._report.steps.item())

    def warn_once(self, stacklevel: int) -> list[str]:
        """Warn, once per simulation, of unsolved steps, shapes, and energy that contact added.

        Returns the messages about shapes and energy.
        """
        return self._watch.warn_once(stacklevel + 1)

    def run(self, duration: float) -> None:
        """Take steps for at least `duration` [s], in as few compiled calls as possible."""
        if not (is_real(duration) and 0 <= duration < MOST_STEPS * self.dt):
            raise InputError(
                f"run(): duration is {shown(duration)}; give a finite, non-negative time in s"
            )
        steps = math.ceil(duration / self.dt * (1 - 1e-12))
        if steps > 0:
            self._apply(None)
            self._look(self._take(steps), stacklevel=2)

    def step(self, torque: ArrayLike | None = None, n: int = 1) -> None:
        """Take n steps with forces `torque` along the coordinates, (nv), on top of controllers.

        By default the forces act that `torque` was set to. The first unsolved step gives an
        `UnsolvedWarning`; `unsolved` counts them all. Energy that contact adds and too much depth
        in the last of the n steps give a `StabilityWarning`. Ctrl-C ends it between two steps.
        """
        if torque.__class__ is np.ndarray and torque.shape == self._shape:
            self._applied[:] = torque  # compiled code checks that they are finite
            self._applied_once = True
        elif torque is not None or self._applied_once:
            self._apply(torque)
        first = self._called = self._report.steps.item()
        if first >= self._plain_until or self.checked or n.__class__ is not int or n != 1:
            if not is_count(n):
                raise InputError(f"step(n={n!r}): give a positive integer")
            self._look(self._take(n), stacklevel=2)
            return
        entry, moving, recorded = self._plain
        status = entry(moving, recorded, first, first + 1)
        doubtful = self._watch.doubtful
        if status or (doubtful is not None and doubtful[0]):
            self._look(status, stacklevel=2)

    def _apply(self, torque: ArrayLike | None) -> None:
        """Let forces act in the next steps; by default those that are held."""
        if torque is None:
            self._applied[:] = self._held
        else:
            self._applied[:] = self._checked_torque(torque)
        self._applied_once = torque is not None

    def _take(self, n: int) -> int:
        """Take n steps, recorded and with controllers in Python; returns a status, plus ALARM."""
        if self._steps >= self._plain_until:
            self._prepare()
        base, status = self._applied.copy(), OK
        try:
            for count in chunks(n):
                while count > 0:
                    status, taken = self._take_some(count, base)
                    if status not in (OK, ALARM):
                        return status
                    count -= taken
        finally:  # also after Ctrl-C
            row = self._first_row if self._recorder is None else self._recorder.first
            if row != self._plain_clock.first_row:
                self._plain_until = -1.0  # the record has gone on to another block
        return status

    def _take_some(self, most: int, base: np.ndarray) -> tuple[int, int]:
        """Take steps until Python has something to do; returns a status and their number."""
        record, every, first_row = self._nothing_recorded, 1, self._first_row
        if self._python:
            most = min(most, self._python.act(self, base, self._applied))  # type: ignore[arg-type]
            self._applied_once = True
        if self._recorder is not None:
            most = min(most, self._recorder.room)
            record, every = self._recorder.record, self._recorder.every
            first_row = self._recorder.first
        status = self._advance(record, every, most, first_row)
        if self._recorder is not None and every == 1:
            taken = self._steps - self._called
            self._sensing.copy(record, first_row, self._steps, taken)
        return status, most

    def _look(self, status: int, stacklevel: int) -> None:
        """Warn of what there is to warn of, and raise the error of a status."""
        moving = self._native().moving
        if status & NOT_FINITE:
            self._checked_torque(self._applied)
        self.warn_once(stacklevel + 1)
        self._watch.warn_of_depth(stacklevel + 1)
        self._watch.set_limits(moving.alarm)
        if status & ~ALARM:
            time = self._start + self._called * self.dt
            before = State(moving.before.q.copy(), moving.before.v.copy(), time)
            motion = None if self._recorder is None else self._recorder.motion()
            self._plain_until = -1.0
            raise self.failure(status & ~ALARM, [before], motion)

    def _checked_torque(self, torque: ArrayLike) -> np.ndarray:
        return checked_vector("torque", torque, self.world.nv, "force", self.world.dof_name)

    def advance(self, record: Record, every: int, n: int, first_row: int = 0) -> int:
        """Take n steps in one compiled call; returns a status.

        first_row: the row of the run that is the first of the record.
        """
        status = self._advance(record, every, n, first_row) & ~ALARM
        self._sensing.forget(self._steps)
        return status

    def _advance(self, record: Record, every: int, n: int, first_row: int) -> int:
        """The same; the status may be ALARM, too."""
        clock = Clock(self._start, self.dt, every, first_row)
        first = self._called = self._steps
        loop = self._native()
        run = loop.checked if self.checked else loop
        return run(record, clock, first, first + n)

    def _native(self) -> NativeLoop:
        """The compiled loop, with the arrays that are stepped now."""
        arrays = (self._integrator, self._system, self._state, self._work, self._report)
        loop = self._loop
        if loop is None or any(a is not b for a, b in zip(loop.moving, arrays, strict=False)):
            loop = self._loop = NativeLoop(moving_of(*arrays))
            self._watch.set_limits(loop.moving.alarm)
        return loop

    def _prepare(self) -> None:
        """Make what a single step needs, if Python has nothing to do in it."""
        if self._python or self.checked or (self._recorder is not None and self._sensing.rows):
            return
        loop, record, until = self._native(), self._nothing_recorded, math.inf
        clock, recorder = Clock(self._start, self.dt, 1, self._first_row), self._recorder
        if recorder is not None:
            until = self._steps + recorder.room
            record = recorder.record
            clock = Clock(self._start, self.dt, recorder.every, recorder.first)
        entry, recorded = loop.prepared(Recorded(record, clock))
        self._plain, self._plain_until = (entry, loop.handle, recorded), until
        self._plain_clock = clock

    def _begin_anew(self) -> None:
        """Begin a record at the present state; results and forces of earlier steps are dropped."""
        self._python.clear()
        forget_forces(self._work)
        if self._recording is not None:
            self._recorder = OpenRecorder(self, self._recording)  # type: ignore[arg-type]
        if self._recording is not None or self._start != self._plain_clock.start:
            self._plain_until = -1.0

    def allocate_record(self, rows: int) -> Record:
        """Return arrays for a record of `rows` rows."""
        between = len(self._work.between)
        return allocate_record(self.world, len(self.point_names), rows, between=between)

    def failure(self, status: int, before: list[State], motion: Motion | None) -> Exception:
        """Return the error for a status; `before`: the last good states, oldest first."""
        fault = Fault(status, int(self._report.fault[0]), self._state, self._steps, self.time)
        return failure_of(self.world, self._system, self.dt, fault, before, motion)
