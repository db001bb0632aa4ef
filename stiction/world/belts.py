"""Velocities of belts as users give them: one, or a table over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from stiction.description.arguments import LARGEST, numbers, shown, vector
from stiction.errors import InputError

MOST_TIMES = 1_000_000
Vector = tuple[float, float, float]
Velocity = Vector | tuple[Vector, ...]


def checked_belt(kind: str, velocity: Any, time: Any) -> tuple[Velocity, tuple[float, ...]]:
    """Velocity and times of a ground as plain numbers; raises InputError if they do not fit."""
    times = numbers(time)
    if times.shape == (0,):
        x, y, z = vector(f"{kind}: velocity", velocity, 3, "m/s").tolist()
        return (x, y, z), ()
    ascend = times.ndim == 1 and (np.abs(times) < LARGEST).all() and (np.diff(times) > 0).all()
    if not (ascend and len(times) <= MOST_TIMES):
        raise InputError(
            f"{kind}: time is {shown(time)}; give up to {MOST_TIMES} ascending times in s, or () "
            "for a constant velocity"
        )
    table = numbers(velocity)
    if table.shape != (len(times), 3) or not (np.abs(table) < LARGEST).all():
        raise InputError(
            f"{kind}: velocity is {shown(velocity)}; with {len(times)} times, give "
            f"({len(times)}, 3) finite numbers in m/s"
        )
    return tuple((x, y, z) for x, y, z in table.tolist()), tuple(times.tolist())
