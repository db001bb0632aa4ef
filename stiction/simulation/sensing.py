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
        self.rows = rows
        self.record = allocate_record(world, points, rows, CHANNELS, between)  # a ring
        self._first = np.zeros(1, np.int64)  # step from which on all are known

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Arrays that later readings depend on."""
        if self.rows == 0:
            return ()
        return (self._first, *(getattr(self.record, name) for name in CHANNELS))

    def forget(self, taken: int) -> None:
        """Forget all steps up to now."""
        self._first[0] = taken

    def copy(self, record: Record, first_row: int, taken: int, n: int) -> None:
        """Copy the last of n steps from the record of every step; taken: steps so far."""
        steps = np.arange(taken - min(n, self.rows), taken)
        for name in CHANNELS if self.rows else ():
            getattr(self.record, name)[steps % self.rows] = getattr(record, name)[steps - first_row]

    def readings(self, state: State, taken: int, seed: int) -> dict[str, np.ndarray]:
        """What the sensors read after `taken` steps, by name; state: the present one."""
        if self.rows == 0:
            return {}
        last = np.arange(taken - self.rows, taken)
        known = last >= self._first[0]
        kept = {name: getattr(self.record, name)[last % self.rows][None] for name in CHANNELS}
        now = State(state.q[None], state.v[None], state.time)
        steps = steps_of(self.record._replace(**kept), known[None], now, self._dt)
        found = readings_of(self._bound, self._delays, steps, seed, [self._bound.around.forces])
        return by_name(self._bound, found[0])
