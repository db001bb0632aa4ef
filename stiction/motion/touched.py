"""Arrays over contact points of which only those that touched are kept.

A robot may have thousands of points, of which a few touch at a time. A row of a run keeps the
numbers of these and their values; a dense array, with zeros for all others, is made on request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stiction.step.record import BETWEEN, SHAPES

# channels of the points on the ground, and their shape at a point
CHANNELS: dict[str, tuple[int, ...]] = {
    "force": (3,),
    "depth": (),
    "slip": (3,),
    "contact_velocity": (3,),
    "contact_state": (),
}
OF_BODIES: dict[str, tuple[int, ...]] = {"between": (BETWEEN,)}  # of the points between bodies
EXPECTED = 64  # points that touch at a time; if more do, arrays are made larger


@dataclass(frozen=True)
class Touched:
    """Channels of the points that touched: those of row k are from begin[k] to begin[k + 1]."""

    points: int  # that may touch
    begin: np.ndarray  # (n + 1)
    point: np.ndarray  # (m) number of the point
    values: dict[str, np.ndarray]  # channel: (m, ...)
    unknown: np.ndarray  # (n) bool: nothing is known of this row, its dense values are NaN

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.unknown)

    @property
    def nbytes(self) -> int:
        """Size in memory [bytes]."""
        arrays = (self.begin, self.point, self.unknown, *self.values.values())
        return sum(array.nbytes for array in arrays)

    @property
    def row(self) -> np.ndarray:
        """Row of each value, (m)."""
        return np.repeat(np.arange(len(self)), np.diff(self.begin))

    def dense(self, channel: str) -> np.ndarray:
        """All points in all rows, (n, points, ...): zero where a point does not touch."""
        values = self.values[channel]
        found = np.zeros((len(self), self.points, *values.shape[1:]))
        found[self.row, self.point] = values
        found[self.unknown] = np.nan
        return found

    def total(self, channel: str, points: np.ndarray | None = None) -> np.ndarray:
        """Sum over all points, or over some by number, in each row, (n, ...)."""
        chosen = np.ones(self.points, bool)
        if points is not None:
            chosen[:] = False
            chosen[points] = True
        taken = np.flatnonzero(chosen[self.point])
        values = self.values[channel][taken]
        found = np.zeros((len(self), *values.shape[1:]))
        np.add.at(found, self.row[taken], values)
        found[self.unknown] = np.nan
        return found

    def largest(self, channel: str) -> np.ndarray:
        """Largest value in each row, at least 0, (n)."""
        found = np.zeros(len(self))
        np.maximum.at(found, self.row, self.values[channel])
        found[self.unknown] = np.nan
        return found

    def at(self, rows: np.ndarray) -> Touched:
        """Some of the rows, in the order given."""
        rows = np.asarray(rows)
        counts = np.diff(self.begin)[rows]
        begin = np.append(0, np.cumsum(counts))
        # position of each value that is taken: the start of its row, and how far in it
        chosen = np.repeat(self.begin[rows] - begin[:-1], counts) + np.arange(begin[-1])
        values = {name: array[chosen] for name, array in self.values.items()}
        return Touched(self.points, begin, self.point[chosen], values, self.unknown[rows])


def touched_of(dense: Mapping[str, np.ndarray], points: np.ndarray | None = None) -> Touched:
    """Keep the points that touched of dense channels (n, points, ...).

    points: (n, points) bool, which points these are; by default all with a value that is not zero.
    Rows in which all values are NaN are unknown.
    """
    first = next(iter(dense.values()))
    n, width = first.shape[:2]
    unknown = np.zeros(n, bool)
    if points is None:
        axes = {name: tuple(range(2, array.ndim)) for name, array in dense.items()}
        points = np.zeros((n, width), bool)
        for name, array in dense.items():
            points |= (array != 0).any(axis=axes[name])
        unknown = np.full(n, width > 0)
        for array in dense.values():
            unknown &= np.isnan(array).reshape(n, -1).all(axis=1)
        points[unknown] = False
    chosen = np.flatnonzero(points)
    begin = np.append(0, np.cumsum(np.count_nonzero(points, axis=1)))
    values = {
        name: array.reshape(n * width, *array.shape[2:])[chosen] for name, array in dense.items()
    }
    return Touched(width, begin, (chosen % max(width, 1)).astype(np.int32), values, unknown)


def joined(parts: Sequence[Touched]) -> Touched:
    """The rows of several runs, one after the other."""
    first = parts[0]
    counts = np.concatenate([np.diff(part.begin) for part in parts])
    values = {name: np.concatenate([part.values[name] for part in parts]) for name in first.values}
    point = np.concatenate([part.point for part in parts])
    unknown = np.concatenate([part.unknown for part in parts])
    return Touched(first.points, np.append(0, np.cumsum(counts)), point, values, unknown)


def on_ground(rows: Mapping[str, np.ndarray]) -> np.ndarray:
    """The points of some rows of a record that touched the ground, (n, points)."""
    return (rows["contact_state"] != 0) | (rows["depth"] > 0)


def on_bodies(rows: Mapping[str, np.ndarray]) -> np.ndarray:
    """The points of some rows of a record at which bodies touched each other, (n, points)."""
    return rows["between"][..., SHAPES] > 0


class Growing:
    """What touched in the rows of a run, which are added block by block."""

    def __init__(self, points: int, rows: int, channels: Mapping[str, tuple[int, ...]]) -> None:
        """Make room for this many rows; memory that is not written to costs nothing."""
        self.points, self.rows, self.size = points, 0, 0
        self.begin, self.unknown = np.zeros(rows + 1, np.int64), np.zeros(rows, bool)
        capacity = rows * min(points, EXPECTED)
        self.point = np.empty(capacity, np.int32)
        self.values = {name: np.empty((capacity, *shape)) for name, shape in channels.items()}

    def add(
        self, dense: Mapping[str, np.ndarray], points: np.ndarray, unknown: bool = False
    ) -> slice:
        """Add rows of dense channels; returns where their values are.

        points: (n, points) bool, which of them touched.
        """
        n, width = points.shape
        chosen = np.flatnonzero(points)
        begin, end = self.size, self.size + len(chosen)
        if end > len(self.point):
            self.point = _grown(self.point, 2 * end)
            self.values = {name: _grown(array, 2 * end) for name, array in self.values.items()}
        if self.rows + n > len(self.unknown):
            self.begin = _grown(self.begin, 2 * (self.rows + n) + 1)
            self.unknown = _grown(self.unknown, 2 * (self.rows + n))
        self.point[begin:end] = chosen - width * (chosen // max(width, 1))  # faster than %
        for name, kept in self.values.items():
            array, out = dense[name].reshape(n * width, *kept.shape[1:]), kept[begin:end]
            if len(chosen) == len(array):
                out[:] = array
            else:
                np.take(array, chosen, axis=0, out=out, mode="clip")  # faster than an index
        rows_end = width * np.arange(1, n + 1)
        self.begin[self.rows + 1 : self.rows + n + 1] = begin + np.searchsorted(chosen, rows_end)
        self.unknown[self.rows : self.rows + n] = unknown
        self.rows, self.size = self.rows + n, end
        return slice(begin, end)

    @property
    def nbytes(self) -> int:
        """Size of what was written [bytes]."""
        each = self.point.itemsize + sum(array[:1].nbytes for array in self.values.values())
        return self.size * each + self.begin.nbytes

    def touched(self) -> Touched:
        """All rows so far; it shares the memory."""
        values = {name: array[: self.size] for name, array in self.values.items()}
        begin, unknown = self.begin[: self.rows + 1], self.unknown[: self.rows]
        return Touched(self.points, begin, self.point[: self.size], values, unknown)


def _grown(array: np.ndarray, length: int) -> np.ndarray:
    """A longer array that begins with the values of this one."""
    larger = np.empty((length, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
