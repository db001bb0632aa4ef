"""What a run records: in memory, or to a file during the run.

The compiled loop writes dense rows into scratch for a block of rows. Between two calls of it, the
points that touched are taken out of the block, and the scratch is used again: memory grows with
what touches, not with the points that may.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError, MotionFileError, SimulationError
from stiction.files.written import check_target
from stiction.motion.arrays import STATES, stored
from stiction.motion.file import attributes_of, robots_of
from stiction.motion.motion import Motion
from stiction.motion.parts import Writer
from stiction.motion.touched import CHANNELS, OF_BODIES, Growing, Touched, on_bodies, on_ground
from stiction.simulation.arguments import is_count
from stiction.step.record import Record

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation

BLOCK_BYTES, BLOCK_ROWS = 32e6, 1024  # most scratch of a block [bytes], and most rows
PART_BYTES = 16e6  # of a part of a file, before compression
PART_SECONDS = 5.0  # a run that is killed loses at most what it recorded in this time
LONGEST_RECORD = 16e9  # [bytes] in memory
POINTWISE = (*CHANNELS, *OF_BODIES)
ALONG = tuple(name for name in Record._fields if name not in POINTWISE)  # q, v, torque, ...


@dataclass(frozen=True)
class Recording:
    """What a run records: one in every `every` steps.

    to: a file that is written during the run, in constant memory. `simulate` then returns only the
    last sample, and `Motion.load` reads the rest, even if the run was killed.
    """

    every: int = 1
    to: str | Path | None = None


def checked_recording(record: Any) -> Recording:
    """Return the recording after checking it."""
    if not (isinstance(record, Recording) and is_count(record.every)):
        raise InputError(f"record: found {record!r}; give Recording(every=n) with n >= 1")
    if record.to is not None:
        check_target(record.to, MotionFileError)
    return record


class Recorder:
    """The rows of a run: states of all, and what touched."""

    def __init__(
        self, simulation: Simulation, record: Recording, rows: int, parameters: dict[str, Any]
    ) -> None:
        """Allocate for a run of so many rows; parameters: the settings of the run."""
        self.simulation, self.every, self.rows = simulation, record.every, rows
        self.parameters = parameters
        self.started, self.first = simulation.time, 0  # first: row of the run at which a block is
        one = simulation.allocate_record(1)
        size = sum(array.nbytes for array in self._scratched(one).values())
        self.block = int(max(1, min(BLOCK_ROWS, rows, BLOCK_BYTES // max(size, 1))))
        self.deepest = np.zeros(one.depth.shape[1])  # of each point [m]
        scratch = simulation.allocate_record(self.block)
        self._scratch = self._scratched(scratch)
        self._allocate(one)

    def _scratched(self, record: Record) -> dict[str, np.ndarray]:
        """The arrays that are used again for each block."""
        return {name: array for name, array in record._asdict().items() if name in POINTWISE}

    def _allocate(self, one: Record) -> None:
        """Allocate what is kept of all rows."""
        known = one._asdict()
        shapes = {name: (self.rows, *known[name].shape[1:]) for name in ALONG}
        size = sum(8.0 * float(np.prod(shape, dtype=float)) for shape in shapes.values())
        if size > LONGEST_RECORD:
            raise InputError(
                f"recording {self.rows:.3g} time steps would take more than "
                f"{LONGEST_RECORD / 1e9:.0f} GB; record fewer with Recording(every=n), or to a "
                "file with Recording(to=path)"
            )
        self._along = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._size = size
        self._kept = self._growing(self.rows)

    def _growing(self, rows: int) -> tuple[Growing, Growing]:
        """Room for what touches in so many rows, on the ground and on bodies."""
        points, between = len(self.deepest), self._scratch["between"].shape[1]
        return Growing(points, rows, CHANNELS), Growing(between, rows, OF_BODIES)

    @property
    def record(self) -> Record:
        """What the loop writes into: a block of rows from `first`."""
        end = self.first + self.block
        along = {name: array[self.first : end] for name, array in self._along.items()}
        return Record(**along, **self._scratch)

    @property
    def room(self) -> int:
        """Steps until the block is full; a full block is kept first."""
        if self.recorded == self.first + self.block:
            self.keep()
        return (self.first + self.block) * self.every - self.simulation._steps

    @property
    def recorded(self) -> int:
        """Rows of the run so far."""
        return -(-self.simulation._steps // self.every)

    def keep(self, unknown: bool = False) -> None:
        """Keep what touched in the rows of the block, and begin the next one.

        unknown: the block is one row, of a state without forces.
        """
        count = 1 if unknown else self.recorded - self.first
        if count > 0:
            with uninterrupted():
                self._keep(count, unknown)

    def _keep(self, count: int, unknown: bool) -> None:
        rows = {name: array[:count] for name, array in self._scratch.items()}
        if unknown:
            for array in rows.values():
                array[:] = 0.0
        ground, bodies = self._kept
        new = ground.add(rows, on_ground(rows), unknown)
        np.maximum.at(self.deepest, ground.point[new], ground.values["depth"][new])
        bodies.add(rows, on_bodies(rows), unknown)
        self.first += count
        self._kept_rows(count)

    def _kept_rows(self, count: int) -> None:
        """Called when so many rows were kept."""
        if self._size + sum(each.nbytes for each in self._kept) > LONGEST_RECORD:
            raise SimulationError(
                f"at t = {self.simulation.time:.6g} s the record takes more than "
                f"{LONGEST_RECORD / 1e9:.0f} GB; record less with Recording(every=n), or to a file "
                "with Recording(to=path)"
            )

    def add_last(self, q: np.ndarray, v: np.ndarray) -> None:
        """Add the state at the end, in a row without forces."""
        self.keep()
        record = self.record
        for name in ALONG:
            getattr(record, name)[0] = np.nan
        record.q[0], record.v[0] = q, v
        self.keep(unknown=True)

    def add_first(self, q: np.ndarray, v: np.ndarray) -> None:
        """Write the state at the start where the first step would: nothing else is known."""
        record = self.record
        record.q[0], record.v[0] = q, v
        self.keep(unknown=True)

    def tick(self) -> None:
        """Called ten times a second."""

    def motion(self) -> Motion:
        """What was recorded."""
        self.keep()
        ground, bodies = (each.touched() for each in self._kept)
        along = {name: array[: self.first] for name, array in self._along.items()}
        return self._motion(along, ground, bodies, 0)

    def _motion(
        self, along: Mapping[str, np.ndarray], ground: Touched, bodies: Touched, first: int
    ) -> Motion:
        return Motion.of_touched(
            self.simulation.world,
            ground,
            bodies,
            time=self._times(first, len(ground)),
            **along,
            parameters=self.parameters | {"unsolved": asdict(self.simulation.unsolved)},
        )

    def _times(self, first: int, count: int) -> np.ndarray:
        """Times of so many rows [s]."""
        step = self.every * self.simulation.dt
        return self.started + np.arange(first, first + count) * step


class FileRecorder(Recorder):
    """The same, to a file in parts; in memory there is no more than a part."""

    def __init__(
        self, simulation: Simulation, record: Recording, rows: int, parameters: dict[str, Any]
    ) -> None:
        """Begin the file with the world and the settings of the run."""
        super().__init__(simulation, record, rows, parameters)
        none = {name: array[:0] for name, array in self._along.items()}
        ground, bodies = (each.touched() for each in self._kept)
        nothing = self._motion(none, ground, bodies, 0)
        assert record.to is not None
        self.writer = Writer(record.to, attributes_of(nothing), robots_of(simulation.world))
        self._written = time.monotonic()

    def _allocate(self, one: Record) -> None:
        known = one._asdict()
        self._along = {name: np.zeros((self.block, *known[name].shape[1:])) for name in ALONG}
        self._begin_part()

    def _begin_part(self) -> None:
        """Forget what was written; the next part starts with the row `first`."""
        self._row, self._kept = self.first, self._growing(0)
        self._pending: list[dict[str, np.ndarray]] = []

    @property
    def record(self) -> Record:
        """What the loop writes into, the same arrays for every block."""
        return Record(**self._along, **self._scratch)

    def _kept_rows(self, count: int) -> None:
        self._pending.append({name: array[:count].copy() for name, array in self._along.items()})
        size = sum(array.nbytes for along in self._pending for array in along.values())
        if size + sum(each.nbytes for each in self._kept) > PART_BYTES:
            self._flush()

    def tick(self) -> None:
        """Write what was recorded, if the last write was a while ago."""
        if time.monotonic() - self._written > PART_SECONDS:
            self.keep()
            with uninterrupted():
                self._flush()

    def _flush(self) -> None:
        """Write a part with all rows that are not yet in the file."""
        self._written = time.monotonic()
        if self._pending:
            names = [name for name in STATES if name != "time"]
            states = {name: np.concatenate([one[name] for one in self._pending]) for name in names}
            states["time"] = self._times(self._row, self.first - self._row)
            ground, bodies = (each.touched() for each in self._kept)
            last = np.array([len(ground) - 1])
            row = {name: array[last] for name, array in states.items()}
            self._last = (row, ground.at(last), bodies.at(last))
            self.writer.add(self._row, stored(states, ground, bodies))
            self._begin_part()

    def motion(self) -> Motion:
        """Write the rest; returns only the last sample."""
        self.keep()
        with uninterrupted():
            self._flush()
            row, ground, bodies = self._last
            del row["time"]
            found = self._motion(row, ground, bodies, self.first - 1)
            self.writer.end(found.parameters)
        return found


def recorder_of(
    simulation: Simulation, record: Recording, rows: int, parameters: dict[str, Any]
) -> Recorder:
    """The recorder of a run, in memory or to a file."""
    kind = Recorder if record.to is None else FileRecorder
    return kind(simulation, record, rows, parameters)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C within it takes effect at its end: rows are kept whole, and once."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Ctrl-C is for the main thread
        return
    before, caught = signal.getsignal(signal.SIGINT), []
    if before is not None:
        signal.signal(signal.SIGINT, lambda *given: caught.append(given))
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
        if caught and callable(before):
            before(*caught[0])
