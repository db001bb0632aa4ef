"""What the sensors of a motion read, at every sample."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from stiction.description.arguments import count
from stiction.description.plain import first_few
from stiction.description.sensor_kinds import AT_A_CUT
from stiction.errors import InputError
from stiction.metrics.points import step_length
from stiction.sensors.bound import BoundSensors, bind_sensors
from stiction.sensors.history import counters, delays_of
from stiction.sensors.read import CODES, Samples
from stiction.world.external import Push, TabulatedForce

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

SAME = 1e-6  # relative tolerance on the time between two samples
MOST_SEED = 2**32 - 1


def sensor_readings(
    motion: Motion,
    names: Iterable[str] | None,
    seed: int,
    errors: bool,
    forces: Iterable[Push | TabulatedForce] | None,
) -> dict[str, np.ndarray]:
    """Readings by name, (n, size); see `Motion.sensors`."""
    seed = count("sensors(): seed", seed, MOST_SEED, 0)
    bound = bind_sensors(motion.world, motion.point_count, forces or ())
    wanted = bound.names if names is None else list(names)
    for name in wanted:
        bound.column(name)
    if not wanted:
        return {}
    dt = step_length(motion) if len(motion) > 1 or "dt" in motion.parameters else 1.0
    _check_forces(motion, bound, wanted, forces is not None)
    _check_spacing(motion, bound, wanted, dt)
    samples, known = _samples(motion, dt)
    out = bound.measured(samples, dt)
    if errors:
        bound.disturbed(out, seed, counters(motion.time, dt), np.zeros(len(motion), np.int64))
    out[np.ix_(~known, bound.late)] = np.nan
    found = {name: out[:, bound.columns[name]] for name in wanted}
    return _delayed(motion, bound, found, dt) if errors else found


def _samples(motion: Motion, dt: float) -> tuple[Samples, np.ndarray]:
    """The steps of a motion, and which of them are known; the last one is not."""
    known = np.isfinite(motion.torque).all(axis=1)
    known[-1] = False
    a = np.zeros_like(motion.v)
    a[:-1] = np.diff(motion.v, axis=0) / dt
    arrays = [motion.q, motion.v, a, *map(np.nan_to_num, (motion.torque, motion.force))]
    arrays.append(np.nan_to_num(motion.between))
    return Samples(motion.time, *map(np.ascontiguousarray, arrays)), known


def _is_late(bound: BoundSensors, name: str) -> bool:
    return bool(bound.late[bound.columns[name]].any())


def _check_spacing(motion: Motion, bound: BoundSensors, wanted: list[str], dt: float) -> None:
    """Raise InputError if accelerations are wanted of a motion without every step."""
    late = [name for name in wanted if _is_late(bound, name)]
    gaps = np.diff(motion.time)
    if late and (np.abs(gaps - dt) > SAME * dt).any():
        raise InputError(
            f"sensors(): accelerations and forces need every step, but this motion has samples "
            f"every {gaps.max():.4g} s of steps of {dt:.4g} s; simulate with Recording(every=1), "
            f"or ask for others than {first_few(late)} with motion.sensor(name)"
        )


def _check_forces(motion: Motion, bound: BoundSensors, wanted: list[str], given: bool) -> None:
    """Raise InputError if forces in joints are wanted and external forces are not known."""
    cuts = {CODES[kind] for kind in AT_A_CUT}
    at_cuts = [n for n, kind in zip(bound.names, bound.sensors.kind, strict=True) if kind in cuts]
    columns = {bound.columns[name].start for name in at_cuts}
    concerned = [name for name in wanted if bound.columns[name].start in columns]
    if concerned and motion.parameters.get("external forces", 0) and not given:
        raise InputError(
            "sensors(): this run had external forces, which a motion does not store; give them as "
            f"sensors(forces=...), or ask for others than {first_few(concerned)}"
        )


def _delayed(
    motion: Motion, bound: BoundSensors, found: dict[str, np.ndarray], dt: float
) -> dict[str, np.ndarray]:
    """Readings after their delays; before the first has arrived, they are the first."""
    delays = {bound.columns[name].start: k for name, k in _delays(bound, dt)}
    gap = counters(np.diff(motion.time[:2]), dt)[0] if len(motion) > 1 else 1
    for name, values in found.items():
        delay = int(delays[bound.columns[name].start])
        if delay % gap:
            raise InputError(
                f"sensor '{name}' has a delay of {delay} steps, but this motion has every "
                f"{gap}th; simulate with Recording(every=1)"
            )
        rows = np.maximum(np.arange(len(motion)) - delay // gap, 0)
        found[name] = values[rows]
    return found


def _delays(bound: BoundSensors, dt: float) -> list[tuple[str, int]]:
    return list(zip(bound.names, delays_of(bound, dt).tolist(), strict=True))
