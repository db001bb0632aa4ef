"""`Portions`: steps in portions, each recorded into the same memory."""

from __future__ import annotations

import numpy as np

from stiction.kernels.tree import OK
from stiction.motion.motion import Motion
from stiction.simulation.chunks import chunks
from stiction.simulation.simulation import Simulation
from stiction.world.world import State

MOST_MEMORY = 32e6  # of a portion [bytes]
MOST_STEPS = 1000  # in a portion


class Portions:
    """Takes the steps of a simulation in portions; the memory that it uses does not grow."""

    def __init__(self, simulation: Simulation) -> None:
        """Allocate the record of one portion."""
        self.simulation = simulation
        row = sum(array[0].nbytes for array in simulation.allocate_record(1))
        self.steps = int(np.clip(MOST_MEMORY // row, 10, MOST_STEPS))  # of a portion, at most
        self._record = simulation.allocate_record(self.steps + 1)
        self._parameters = simulation.parameters() | {"record every": 1}

    def take(self, n: int) -> Motion:
        """Take n steps, at most `steps`; returns their motion, which lasts until the next call.

        Its last row is the state after them. A step that fails raises a SimulationError.
        """
        simulation, record = self.simulation, self._record
        first, begun = simulation.unsolved.steps, simulation.time
        for count in chunks(n):
            status = simulation.advance(record, 1, count, first)
            if status != OK:
                kept = max(simulation.unsolved.steps - first, 1)
                motion = self._motion(kept, begun)
                before = [motion.state(k) for k in range(max(0, kept - 3), kept)]
                raise simulation.failure(status, before, motion)
        self._write_last(n, simulation.state)
        return self._motion(n + 1, begun)

    def _write_last(self, row: int, state: State) -> None:
        """Write the state after the last step, whose forces are not known yet."""
        for name, array in self._record._asdict().items():
            array[row] = getattr(state, name) if name in ("q", "v") else np.nan

    def _motion(self, rows: int, begun: float) -> Motion:
        time = begun + np.arange(rows) * self.simulation.dt
        kept = {name: array[:rows] for name, array in self._record._asdict().items()}
        return Motion(self.simulation.world, time, **kept, parameters=self._parameters)
