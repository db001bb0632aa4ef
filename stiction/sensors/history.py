"""Readings with noise, bias and delay from the last steps of several worlds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from stiction.kernels.forces import Forces
from stiction.sensors.bound import BoundSensors
from stiction.sensors.read import Samples
from stiction.world.world import State

ROUNDING = 1e-6  # of times, in steps
CHANNELS = ("q", "v", "torque", "force", "between")  # of a record, that readings need


class Steps(NamedTuple):
    """The last rows of the records of several worlds, and the present states after them."""

    q: np.ndarray  # (worlds, rows, nq) at the start of a step
    v: np.ndarray  # (worlds, rows, nv)
    torque: np.ndarray  # (worlds, rows, nv)
    force: np.ndarray  # (worlds, rows, points, 3)
    between: np.ndarray  # (worlds, rows, points between bodies, BETWEEN)
    is_known: np.ndarray  # (worlds, rows) bool: whether a row holds the step that it stands for
    q_now: np.ndarray  # (worlds, nq)
    v_now: np.ndarray  # (worlds, nv)
    time: float  # after the last step [s]
    dt: float  # [s]


def steps_of(record: Any, is_known: np.ndarray, now: State, dt: float) -> Steps:
    """The steps in a record of several worlds; now: their present states, q and v (worlds, ...)."""
    kept = {name: np.asarray(getattr(record, name), np.float64) for name in CHANNELS}
    last = {"is_known": is_known, "q_now": now.q, "v_now": now.v, "time": now.time, "dt": dt}
    return Steps(**kept, **last)  # type: ignore[arg-type]


class Delay(NamedTuple):
    """The readings that are so many steps old."""

    steps: int
    columns: np.ndarray


def delays(bound: BoundSensors, dt: float) -> list[Delay]:
    """The columns of readings by their delay, the shortest first."""
    each, numbers = delays_of(bound, dt), np.arange(bound.width)
    columns = [numbers[bound.columns[name]] for name in bound.names]
    return [
        Delay(delay, np.concatenate([columns[i] for i in np.flatnonzero(each == delay)]))
        for delay in sorted(set(each.tolist()))
    ]


def delays_of(bound: BoundSensors, dt: float) -> np.ndarray:
    """Delays as whole steps, (sensors)."""
    return np.rint(bound.delay / dt).astype(np.int64)


def counters(time: np.ndarray, dt: float) -> np.ndarray:
    """Numbers of the steps that start at these times, for the noise; halves are rounded up."""
    return np.floor(time / dt + (0.5 + ROUNDING)).astype(np.int64)


def readings_of(
    bound: BoundSensors, ages: list[Delay], steps: Steps, seed: int, forces: list[Forces]
) -> np.ndarray:
    """What the sensors read after the last step, (worlds, columns); ages: of their readings.

    forces: of all worlds, or of each. Delayed sensors read an earlier step, or the first. What
    depends on accelerations or forces is NaN before the first step.
    """
    if len(ages) == 1:
        return _readings_after(bound, steps, ages[0].steps, seed, forces)
    out = np.zeros((len(steps.q_now), bound.width))
    for age in ages:
        found = _readings_after(bound, steps, age.steps, seed, forces)
        out[:, age.columns] = found[:, age.columns]
    return out


def _readings_after(
    bound: BoundSensors, steps: Steps, delay: int, seed: int, forces: list[Forces]
) -> np.ndarray:
    """Readings of all sensors, as old as this delay [steps]."""
    samples, known = _samples_at(steps, delay)
    if len(forces) == 1:
        out = bound.measured(samples, steps.dt, forces[0])
    else:
        each = [
            bound.measured(Samples(*(part[k : k + 1] for part in samples)), steps.dt, own)
            for k, own in enumerate(forces)
        ]
        out = np.concatenate(each)
    worlds = np.arange(len(out))
    bound.disturbed(out, seed, counters(samples.time, steps.dt), worlds)
    if not known.all():
        out[np.ix_(~known, bound.late)] = np.nan
    return out


def _samples_at(steps: Steps, delay: int) -> tuple[Samples, np.ndarray]:
    """The steps so many before the last, or the first ones known; which worlds know any."""
    worlds, rows = np.arange(len(steps.q_now)), steps.is_known.shape[1]
    known = np.asarray(steps.is_known.any(axis=1))
    first = np.where(known, steps.is_known.argmax(axis=1), 0)
    row = np.maximum(rows - 1 - delay, first)
    last = row == rows - 1
    v = np.where(known[:, None], steps.v[worlds, row], steps.v_now)
    v_next = np.where(
        (last | ~known)[:, None], steps.v_now, steps.v[worlds, np.minimum(row + 1, rows - 1)]
    )
    some = known.astype(float)
    begin = steps.time - (rows - row) * steps.dt
    samples = Samples(
        np.where(known, begin, steps.time),
        np.where(known[:, None], steps.q[worlds, row], steps.q_now),
        v,
        (v_next - v) / steps.dt,
        some[:, None] * steps.torque[worlds, row],
        some[:, None, None] * steps.force[worlds, row],
        some[:, None, None] * steps.between[worlds, row],
    )
    return samples, known
