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
    begin = np.append(0, np.cumsum(points.sum(axis=1)))
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


def on_ground(rows: Mapping[str, np.ndarray]) -> Touched:
    """The points of some rows of a record that touched the ground."""
    dense = {name: rows[name] for name in CHANNELS}
    return touched_of(dense, (dense["contact_state"] != 0) | (dense["depth"] > 0))


def on_bodies(rows: Mapping[str, np.ndarray]) -> Touched:
    """The points of some rows of a record at which bodies touched each other."""
    between = rows["between"]
    return touched_of({"between": between}, between[..., SHAPES] > 0)
