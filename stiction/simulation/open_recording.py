"""The record of a simulation whose length is not known: it grows by blocks of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError
from stiction.motion.motion import Motion
from stiction.motion.touched import Growing, Touched, joined
from stiction.simulation.recording import ALONG, BLOCK_ROWS, Recorder, Recording, checked_recording
from stiction.step.record import Record

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation


def recording_of(record: Any) -> Recording | None:
    """The recording that a `Simulation` was asked for, checked; None if it records nothing."""
    if record is None or record is False:
        return None
    found = checked_recording(Recording() if record is True else record)
    if found.to is not None:
        raise InputError(
            f"record: found Recording(to={str(found.to)!r}); a Simulation records in memory: give "
            "record=True or Recording(every=n), and save simulation.motion"
        )
    return found


class OpenRecorder(Recorder):
    """Rows from the present step on, until the simulation is set to another state."""

    def __init__(self, simulation: Simulation, record: Recording) -> None:
        """Begin with the next row."""
        parameters = simulation.parameters() | {"record every": record.every}
        super().__init__(simulation, record, BLOCK_ROWS, parameters)
        self.started, self.first = simulation._start, self.recorded
        self.begun = self.first

    def _allocate(self, one: Record) -> None:
        known = one._asdict()
        along = {name: np.zeros((self.block, *known[name].shape[1:])) for name in ALONG}
        self._record = Record(**along, **self._scratch)
        self._parts: list[dict[str, np.ndarray]] = []
        self._size, self._kept = 0.0, self._growing(0)

    @property
    def record(self) -> Record:
        """What the loop writes into, the same arrays for every block."""
        return self._record

    def _kept_rows(self, count: int) -> None:
        part = {name: getattr(self._record, name)[:count].copy() for name in ALONG}
        self._size += sum(array.nbytes for array in part.values())
        self._parts.append(part)
        super()._kept_rows(count)

    def motion(self) -> Motion:
        """What was recorded so far, and the present state if its row is due."""
        self.keep()
        parts, touched = list(self._parts), [[each.touched()] for each in self._kept]
        simulation = self.simulation
        if simulation._steps % self.every == 0:
            last = {
                name: np.full((1, *getattr(self._record, name).shape[1:]), np.nan) for name in ALONG
            }
            last["q"][0], last["v"][0] = simulation._state.q, simulation._state.v
            parts.append(last)
            for rows, each in zip(touched, self._kept, strict=True):
                rows.append(unknown_row(each))
        ground, bodies = (joined(rows) for rows in touched)
        empty = {name: getattr(self._record, name)[:0] for name in ALONG}
        along = {name: np.concatenate([one[name] for one in [empty, *parts]]) for name in ALONG}
        self.parameters["duration"] = simulation.time - self._times(self.begun, 1)[0]
        return self._motion(along, ground, bodies, self.begun)


def unknown_row(like: Growing) -> Touched:
    """One row of which nothing is known."""
    values = {name: array[:0] for name, array in like.values.items()}
    begin = np.zeros(2, np.int64)
    return Touched(like.points, begin, like.point[:0], values, np.ones(1, bool))
