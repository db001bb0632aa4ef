"""What the sensors of a simulation read: the last steps, as many as the longest delay needs."""

from __future__ import annotations

import numpy as np

from stiction.kernels.forces import Forces
from stiction.sensors.bound import bind_sensors
from stiction.sensors.history import CHANNELS, delays, readings_of, steps_of
from stiction.sensors.readings import by_name
from stiction.simulation.allocation import allocate_record
from stiction.step.record import Record
from stiction.world.world import State, World


class Sensing:
    """The last steps of a simulation and the sensors that read them."""

    def __init__(self, world: World, points: int, between: int, forces: Forces, dt: float) -> None:
        """Bind the sensors of a world; points: on the ground, between: of bodies."""
        self._bound, self._dt = bind_sensors(world, points, forces), dt
        self._delays = delays(self._bound, dt)
        rows = self._delays[-1].steps + 1 if self._delays else 0
        self.record = allocate_record(world, points, rows, CHANNELS, between)
        self._number = np.full(rows, -1, np.int64)  # of the step in each row

    def begin(self, taken: int, n: int) -> int:
        """Make room for n more steps; returns the step of the first row, for the record."""
        rows = len(self._number)
        kept, first = max(rows - n, 0), taken + n - rows
        if kept:
            for array in self.arrays():
                array[:kept] = array[rows - kept :].copy()
        self._number[kept:] = np.arange(first + kept, first + rows)
        return first

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Arrays that later readings depend on."""
        if not len(self._number):
            return ()
        return (self._number, *(getattr(self.record, name) for name in CHANNELS))

    def readings(self, state: State, taken: int, seed: int) -> dict[str, np.ndarray]:
        """What the sensors read after `taken` steps, by name; state: the present one."""
        rows = len(self._number)
        if rows == 0:
            return {}
        known = self._number == np.arange(taken - rows, taken)
        known &= known[-1] & (self._number >= 0)
        record = Record(*(array[None] for array in self.record))
        now = State(state.q[None], state.v[None], state.time)
        steps = steps_of(record, known[None], now, self._dt)
        found = readings_of(self._bound, self._delays, steps, seed, [self._bound.around.forces])
        return by_name(self._bound, found[0])
