"""`Reference`: coordinates as functions of time, cubic between samples; and its compiled form.

Between two samples every column is the cubic with the given values and slopes at both (Hermite).
Before the first and after the last sample it holds the value there, at rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.compiler.compiled import kernel
from stiction.description.arguments import numbers, shown
from stiction.errors import InputError
from stiction.kernels.forces import table_row
from stiction.kernels.planar import planar_bases
from stiction.kernels.tree import FREE, SPHERICAL
from stiction.kernels.vectors import like, rounding

if TYPE_CHECKING:
    from stiction.world.world import World

SUMS = 4.0  # rounding errors of a time: the end of a step is a sum


class Spline(NamedTuple):
    """Samples of several columns and their slopes."""

    time: np.ndarray  # (n) [s]
    value: np.ndarray  # (n, columns)
    slope: np.ndarray  # (n, columns)


@kernel
def spline_at(spline, column, time):
    """Value, first and second derivative of a column; at a sample, the second of what follows.

    A sample that is later only by rounding is reached.
    """
    last, zero = len(spline.time) - 1, like(time, 0)
    late = like(time, SUMS) * rounding(time) * abs(time)
    if time < spline.time[0] - late:
        return spline.value[0, column], zero, zero
    if time > spline.time[last] + late:
        return spline.value[last, column], zero, zero
    k = table_row(spline.time, 0, last, time + late)
    h = spline.time[k + 1] - spline.time[k]
    x = (time - spline.time[k]) / h
    a, b = spline.value[k, column], spline.slope[k, column] * h
    rise = spline.value[k + 1, column] - a
    end = spline.slope[k + 1, column] * h
    c = like(x, 3) * rise - like(x, 2) * b - end
    d = b + end - like(x, 2) * rise
    return (
        a + x * (b + x * (c + x * d)),
        (b + x * (like(x, 2) * c + like(x, 3) * x * d)) / h,
        (like(x, 2) * c + like(x, 6) * x * d) / (h * h),
    )


@dataclass(frozen=True)
class Reference:
    """A motion to follow: samples of q (n, nq) or of named joints (n, joints); v likewise.

    Without v the slopes are those that make velocity and acceleration continuous. A recorded
    `Motion` can be used directly.
    """

    time: ArrayLike  # (n) [s], increasing
    q: ArrayLike
    v: ArrayLike | None = None
    joints: tuple[str, ...] | None = None

    def checked(self, world: World) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Time, q and v as arrays after checking them against the world."""
        time = numbers(self.time)
        columns = world.nq if self.joints is None else len(self.joints)
        if (
            time.ndim != 1
            or len(time) < 2
            or not np.isfinite(time).all()
            or (np.diff(time) <= 0).any()
        ):
            raise InputError(
                "reference: time must be at least 2 finite, strictly increasing numbers in s"
            )
        q = _samples("q", self.q, len(time), columns)
        if self.v is None:
            return time, q, None
        speeds = world.nv if self.joints is None else len(self.joints)
        return time, q, _samples("v", self.v, len(time), speeds)


def _samples(what: str, value: ArrayLike, rows: int, columns: int) -> np.ndarray:
    array = numbers(value)
    if array.shape != (rows, columns):
        raise InputError(f"reference: {what} has shape {array.shape}; expected ({rows}, {columns})")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise InputError(
            f"reference: {what}[{row}, {column}] is {array[row, column]}; "
            "all samples must be finite"
        )
    return array


def joint_columns(world: World, reference: Reference, joints: tuple[str, ...] | None) -> tuple:
    """Columns of a reference and their coordinates: (columns, q indices, dofs, names).

    Without names: all revolute and prismatic joints except those of a planar base.
    """
    tree = world.tree
    for given in (joints, reference.joints):
        named = isinstance(given, tuple | list) and all(isinstance(name, str) for name in given)
        if not (given is None or named):
            raise InputError(f"joints: found {shown(given)}; give a tuple of names")
    if reference.joints is not None:
        available = {name: column for column, name in enumerate(reference.joints)}
        wanted = tuple(reference.joints) if joints is None else joints
        missing = [name for name in wanted if name not in available]
        if missing:
            raise InputError(
                f"reference: joint '{missing[0]}' is not among its columns {tuple(available)}"
            )
        links = [world.joint(name) for name in wanted]
        columns = [available[name] for name in wanted]
    else:
        bases = {link for base in planar_bases(tree) for link in base.links}
        single = [
            i
            for i in range(1, len(tree.parent))
            if tree.joint_type[i] not in (FREE, SPHERICAL) and i not in bases
        ]
        links = single if joints is None else [world.joint(name) for name in joints]
        columns = [int(tree.q_index[link]) for link in links]
    for link in links:
        if tree.joint_type[link] in (FREE, SPHERICAL):
            raise InputError(
                f"joint '{world.joint_names[link]}' is free or spherical; "
                "name revolute and prismatic joints"
            )
    return columns, tree.q_index[links], tree.v_index[links], [world.joint_names[i] for i in links]


def joint_spline(
    world: World, reference: Reference, columns: list[int], dofs: np.ndarray
) -> Spline:
    """Return the spline of single coordinates."""
    time, q, v = reference.checked(world)
    value = np.ascontiguousarray(q[:, columns])
    if v is None:
        slope = smooth_slopes(time, value)
    else:
        slope = np.ascontiguousarray(v[:, columns if reference.joints is not None else dofs])
    return Spline(time, value, np.ascontiguousarray(slope))


def smooth_slopes(time: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Slopes at the samples, (n, columns), of the cubic spline with a continuous second derivative.

    At both ends the slope is that of the parabola through the three samples there.
    """
    n = len(time)
    h, rise = np.diff(time)[:, None], np.diff(value, axis=0)
    slope = (
        np.gradient(value, time, axis=0, edge_order=2 if n > 2 else 1)
        if value.size
        else value.copy()
    )
    weight = np.zeros((n, 1))  # elimination of the tridiagonal system for the slopes in between
    for k in range(1, n - 1):
        before, after = 1 / h[k - 1], 1 / h[k]
        wanted = 3 * (rise[k - 1] * before**2 + rise[k] * after**2)
        pivot = 2 * (before + after) - before * weight[k - 1]
        slope[k] = (wanted - before * slope[k - 1]) / pivot
        weight[k] = after / pivot
    for k in range(n - 2, 0, -1):
        slope[k] -= weight[k] * slope[k + 1]
    return slope
