"""Ground that moves within itself, like the belt of a treadmill, at a speed that may vary."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.compiler.compiled import kernel
from stiction.kernels.forces import table_row
from stiction.kernels.vectors import add, like, load_vector, scale, store_vector, sub

VELOCITY, GAINED, TRAVEL = 0, 1, 2  # rows of `Contact.belt`


class Belt(NamedTuple):
    """Velocities over time, linear in between, constant before the first and after the last."""

    time: np.ndarray  # (n) [s]
    velocity: np.ndarray  # (n, 3) [m/s]
    travel: np.ndarray  # (n, 3) moved since time 0 [m]


def belt_of(time: ArrayLike, velocity: ArrayLike) -> Belt:
    """The belt with these velocities, (n, 3), at n ascending times."""
    t, v = np.array(time, float), np.array(velocity, float).reshape(-1, 3)
    steps = np.diff(t)[:, None] * (v[1:] + v[:-1]) / 2
    belt = Belt(t, v, np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)]))
    return belt._replace(travel=belt.travel - travel_at(belt, 0.0))


def still_belt() -> Belt:
    """A belt at rest."""
    return belt_of([0.0], np.zeros((1, 3)))


def velocities_at(belt: Belt, times: ArrayLike) -> np.ndarray:
    """Velocities of the ground at times of any shape, (..., 3) [m/s]."""
    t = np.asarray(times, float)
    return np.stack([np.interp(t, belt.time, column) for column in belt.velocity.T], axis=-1)


def travel_at(belt: Belt, times: ArrayLike) -> np.ndarray:
    """How far the ground has moved from time 0 to times of any shape, (..., 3) [m]."""
    t = np.asarray(times, float)
    k = np.clip(np.searchsorted(belt.time, t, side="right") - 1, 0, None)
    mean = (belt.velocity[k] + velocities_at(belt, t)) / 2
    return belt.travel[k] + (t - belt.time[k])[..., None] * mean


@kernel
def belt_velocity(belt, t):
    """Velocity of the ground at time t [m/s]."""
    last = len(belt.time) - 1
    if t <= belt.time[0]:
        return load_vector(belt.velocity, 0)
    if t >= belt.time[last]:
        return load_vector(belt.velocity, last)
    k = table_row(belt.time, 0, last, t)
    x = (t - belt.time[k]) / (belt.time[k + 1] - belt.time[k])
    before, after = load_vector(belt.velocity, k), load_vector(belt.velocity, k + 1)
    return add(scale(like(x, 1) - x, before), scale(x, after))


@kernel
def belt_travel(belt, t):
    """How far the ground has moved since time 0 [m]."""
    last = len(belt.time) - 1
    k = 0
    if t >= belt.time[last]:
        k = last
    elif t > belt.time[0]:
        k = table_row(belt.time, 0, last, t)
    mean = scale(like(t, 0.5), add(load_vector(belt.velocity, k), belt_velocity(belt, t)))
    return add(load_vector(belt.travel, k), scale(t - belt.time[k], mean))


@kernel
def move_belt(ground, rows, time, since):
    """Write how the ground moves: its velocity at a time, gained since another, and its travel."""
    v = belt_velocity(ground.belt, time)
    store_vector(rows, VELOCITY, v)
    store_vector(rows, GAINED, sub(v, belt_velocity(ground.belt, since)))
    store_vector(rows, TRAVEL, belt_travel(ground.belt, time))
