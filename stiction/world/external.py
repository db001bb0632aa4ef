"""External forces: `Push` and `TabulatedForce`, and the arrays that the loop reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.arguments import numbers, shown
from stiction.errors import InputError
from stiction.kernels.forces import Forces
from stiction.world.world import World


@dataclass(frozen=True)
class Push:
    """A constant force on a point of a link or frame from start to stop.

    Its impulse is force * (stop - start) exactly, even if start and stop lie within a step.
    """

    body: str  # link or frame
    point: ArrayLike  # in the axes of the link or frame [m]
    force: ArrayLike  # in world axes [N]
    start: float  # [s]
    stop: float  # [s]


@dataclass(frozen=True)
class TabulatedForce:
    """Force and moment on a point of a link or frame, piecewise linear in time, zero outside.

    A table that starts or stops within a step acts for that part of it, as a `Push` does.
    """

    body: str  # link or frame
    point: ArrayLike  # in the axes of the link or frame [m]
    time: ArrayLike  # (n) increasing [s]
    force: ArrayLike  # (n, 3) in world axes [N]
    moment: ArrayLike | None = None  # (n, 3) in world axes [N m]


def bind_forces(world: World, forces: Iterable[Push | TabulatedForce]) -> Forces:
    """Return all forces as one set of tables."""
    if not isinstance(forces, Iterable):
        raise InputError(
            f"forces: found {type(forces).__name__}; give a list of Push and TabulatedForce"
        )
    rows = [_table(world, force) for force in forces]
    counts = [len(row[3]) for row in rows]
    return Forces(
        link=np.array([row[0] for row in rows], np.int64),
        place=np.array([row[1] for row in rows], float).reshape(-1, 3),
        held=np.array([row[2] for row in rows], np.int64),
        first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        time=np.concatenate([np.zeros(0), *[row[3] for row in rows]]),
        force=np.concatenate([np.zeros((0, 3)), *[row[4] for row in rows]]),
        moment=np.concatenate([np.zeros((0, 3)), *[row[5] for row in rows]]),
    )


def _table(world: World, force: Push | TabulatedForce) -> tuple:
    """Link, place, held, time, force and moment of one external force."""
    if not isinstance(force, Push | TabulatedForce):
        raise InputError(f"forces: found {type(force).__name__}; give Push or TabulatedForce")
    place = world.place(force.body)
    if place.link == 0:
        raise InputError(
            f"forces: '{force.body}' is fixed to the world; a force there moves nothing"
        )
    what = f"force on '{force.body}'"
    point = place.position + place.rotation @ _finite(what, "point", force.point, (3,))
    if isinstance(force, Push):
        times = numbers([force.start, force.stop])
        if times.shape != (2,) or not np.isfinite(times).all():
            raise InputError(
                f"{what}: start and stop must be finite times in s, "
                f"found {shown(force.start)} and {shown(force.stop)}"
            )
        start, stop = times.tolist()
        if start >= stop:
            raise InputError(f"{what}: start {start} s must come before stop {stop} s")
        pushed = _finite(what, "force", force.force, (3,))
        return (
            place.link,
            point,
            1,
            np.array([start, stop]),
            np.tile(pushed, (2, 1)),
            np.zeros((2, 3)),
        )
    time = numbers(force.time)
    if time.ndim != 1 or len(time) < 2 or not np.isfinite(time).all() or (np.diff(time) <= 0).any():
        raise InputError(
            f"{what}: time must be at least 2 finite, strictly increasing numbers in s"
        )
    table = _finite(what, "force", force.force, (len(time), 3))
    moment = np.zeros((len(time), 3)) if force.moment is None else force.moment
    return place.link, point, 0, time, table, _finite(what, "moment", moment, (len(time), 3))


def _finite(what: str, name: str, value: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    array = numbers(value)
    if array.shape != shape or not np.isfinite(array).all():
        raise InputError(
            f"{what}: {name} must be finite numbers of shape {shape}, found {shown(value)}"
        )
    return array
