"""What the sensors of a batch read: its last steps, as many as the longest delay needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from stiction.batch.problem import Problem
from stiction.kernels.tree import OK
from stiction.sensors.bound import bind_sensors
from stiction.sensors.history import CHANNELS, delays, readings_of, steps_of
from stiction.sensors.readings import by_name
from stiction.simulation.allocation import allocate_record
from stiction.step.record import Record
from stiction.world.bodies import points_between
from stiction.world.world import State


class BatchSensing:
    """The last steps of all worlds of a batch and the sensors that read them.

    A record of only the last step stays where the engine made it until it is read. Delays need
    more steps; these are copied to the host after every call.
    """

    def __init__(self, problem: Problem, engine: Any) -> None:
        """Bind the sensors of the worlds; nothing is known before the first step."""
        self._problem, self._engine = problem, engine
        self._bound = bind_sensors(problem.world, len(problem.point_names))
        self._delays = delays(self._bound, problem.dt)
        self._rows = self._delays[-1].steps + 1 if self._delays else 0
        self._number = np.full((problem.worlds, self._rows), -1, np.int64)
        self._record = engine.make_record(self._one(min(self._rows, 1)))
        self._kept = engine.host_record(engine.make_record(self._one(self._rows)))

    def _one(self, rows: int) -> Record:
        problem = self._problem
        between = points_between(problem.surface.bodies)
        return allocate_record(problem.world, len(problem.point_names), rows, CHANNELS, between)

    def begin(self, first: int, n: int) -> tuple[Any, int]:
        """Return a record for the last of n steps, and the step of its first row."""
        rows = min(n, self._rows)
        if self._rows > 1:
            self._record = self._engine.make_record(self._one(rows))
        return self._record, first + n - rows

    def end(self, first: int, n: int) -> None:
        """Note that the steps were taken."""
        rows = min(n, self._rows)
        old = self._rows - rows
        self._number[:, :old] = self._number[:, rows:].copy()
        self._number[:, old:] = np.arange(first + n - rows, first + n)
        if self._rows <= 1:
            return
        found = self._engine.host_record(self._record)
        for name in CHANNELS:
            kept = getattr(self._kept, name)
            kept[:, :old] = kept[:, rows:].copy()
            kept[:, old:] = getattr(found, name)

    def forget(self, worlds: np.ndarray) -> None:
        """Forget the steps of worlds that start over."""
        self._number[worlds] = -1

    def readings(self, taken: int, seed: int) -> dict[str, np.ndarray]:
        """What the sensors read after `taken` steps, by name, (worlds, size)."""
        problem, engine = self._problem, self._engine
        if self._rows == 0:
            return {}
        kept = engine.host_record(self._record) if self._rows == 1 else self._kept
        known = self._number == np.arange(taken - self._rows, taken)
        known &= known[:, -1:] & (self._number >= 0)
        q, v = (engine.host(name).astype(np.float64) for name in ("q", "v"))
        now = State(q, v, problem.start + taken * problem.dt)
        steps = steps_of(kept, known, now, problem.dt)
        found = readings_of(self._bound, self._delays, steps, seed, problem.forces)
        found[engine.host("status").reshape(-1) != OK] = np.nan
        return by_name(self._bound, found)
