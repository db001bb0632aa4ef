"""Forces along the coordinates, constant or from a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.control.controller import controller
from stiction.description.arguments import numbers
from stiction.errors import InputError
from stiction.kernels.forces import table_row

if TYPE_CHECKING:
    from stiction.world.world import World


class TorqueTable(NamedTuple):
    """Rows of forces, each held until the next one's time."""

    time: np.ndarray  # (n) [s]
    torque: np.ndarray  # (n, nv) [N m or N]


@controller(TorqueTable, held=True)
def table_torque(params, dynamics, time, q, v):
    """Add the current row of the table; nothing before the first."""
    last = len(params.time) - 1
    if time < params.time[0]:
        return
    row = last if time >= params.time[last] else table_row(params.time, 0, last, time)
    for d in range(len(v)):
        dynamics.control[d] += params.torque[row, d]


@dataclass(frozen=True)
class Torques:
    """Forces along all nv coordinates: one vector, or rows (n, nv) held between their times."""

    torque: ArrayLike  # [N m or N], order of v
    time: ArrayLike | None = None  # [s]

    def bind(self, world: World) -> TorqueTable:
        """Return the compiled form for a world."""
        return TorqueTable(*held_table("torque", self.torque, self.time, world.nv))


def held_table(what: str, value: ArrayLike, time: ArrayLike | None, columns: int) -> tuple:
    """Time (n) and value (n, columns) of a checked table; one row for a vector without time."""
    rows = numbers(value)
    given = rows.shape
    if time is None:
        rows, times = rows[None], np.array([-np.inf])
    else:
        times = numbers(time)
        if (
            times.ndim != 1
            or not len(times)
            or not np.isfinite(times).all()
            or (np.diff(times) <= 0).any()
        ):
            raise InputError(f"{what}: time must be finite, strictly increasing numbers in s")
    if rows.shape != (len(times), columns):
        raise InputError(
            f"{what}: found shape {given}; expected ({columns},), or (n, {columns}) with n times"
        )
    if not np.isfinite(rows).all():
        entry = np.argwhere(~np.isfinite(rows))[0].tolist()
        raise InputError(f"{what}: entry {entry} is {rows[*entry]}, which is not finite")
    return times, rows
