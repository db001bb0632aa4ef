"""What several figures measure: clearance, chatter, forces on the vertices of a sole, angles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stiction.metrics import points_under
from stiction.motion.motion import Motion
from stiction.patterns.pattern import Pattern

SETTLED = 0.2  # time in which a robot that is put on the floor comes to rest [s]
G = 9.81


def clearance(motion: Motion) -> np.ndarray:
    """Height of the lowest point of all robots above the floor [m], (n); negative inside it."""
    return -motion.contact_points.depth.max(axis=1)


def leap(motion: Motion) -> float:
    """Highest clearance after the first touch [m]; infinite if nothing touched."""
    above = clearance(motion)
    touching = np.flatnonzero(above < 0)
    return float(above[touching[0] :].max()) if len(touching) else np.inf


def weight(motion: Motion) -> float:
    """Weight of all robots [N]."""
    return float(motion.world.total_mass * np.linalg.norm(motion.world.gravity))


def vertices(motion: Motion, foot: str = "left_foot") -> np.ndarray:
    """Numbers of the contact points of a foot that touched."""
    under = points_under(motion, foot)
    return under[np.nan_to_num(motion.depth[:, under]).max(axis=0) > 0]


def vertex_force(motion: Motion, foot: str = "left_foot") -> np.ndarray:
    """Normal force on the first vertex of a foot that touched [N], (steps)."""
    return motion.force[:-1, vertices(motion, foot)[0], 2]


def chatter(force: np.ndarray) -> float:
    """Root mean square of the change from step to step."""
    return float(np.sqrt(np.mean(np.diff(force, axis=0) ** 2)))


def settled(motion: Motion) -> slice:
    """The steps after the robot has come to rest."""
    return slice(int(np.searchsorted(motion.time, SETTLED)), len(motion) - 1)


def spread(motion: Motion, foot: str = "left_foot") -> float:
    """Standard deviation over mean of the forces on the vertices of a foot, mean over time."""
    return float(np.nanmean(motion.force_spread(foot)[settled(motion)]))


def widest(motion: Motion, foot: str = "left_foot") -> float:
    """The same, largest over time."""
    return float(np.nanmax(motion.force_spread(foot)[settled(motion)]))


def sinking(motion: Motion, since: float = 1.0) -> float:
    """Speed at which the base goes down from a time on [m/s]."""
    k = int(np.searchsorted(motion.time, since))
    return float((motion.q[k, 2] - motion.q[-1, 2]) / (motion.time[-1] - motion.time[k]))


def acceleration(motion: Motion) -> np.ndarray:
    """Acceleration of the centre of gravity [m/s2], (steps, 3)."""
    velocity = motion.momentum().linear / motion.world.total_mass
    return np.diff(velocity, axis=0) / np.diff(motion.time)[:, None]


def above_frequency(values: np.ndarray, dt: float, frequency: float) -> np.ndarray:
    """The part of signals (n, k) above a frequency [Hz]."""
    spectrum = np.fft.rfft(values, axis=0)
    spectrum[np.fft.rfftfreq(len(values), dt) < frequency] = 0.0
    return np.fft.irfft(spectrum, len(values), axis=0)


def planned(pattern: Pattern, time: np.ndarray) -> np.ndarray:
    """Configurations of the plan at the samples nearest before some times, (n, nq)."""
    k = np.searchsorted(pattern.time, time + 1e-9, side="right") - 1
    return pattern.q[np.clip(k, 0, len(pattern.q) - 1)]


def angle_off(motion: Motion, pattern: Pattern) -> np.ndarray:
    """Angle between the base and its plan [degrees], (n)."""
    product = np.abs((motion.q[:, 3:7] * planned(pattern, motion.time)[:, 3:7]).sum(axis=1))
    return np.degrees(2 * np.arccos(np.clip(product, 0.0, 1.0)))


def off_plan(motion: Motion, pattern: Pattern) -> float:
    """Distance of the base from its planned position at the end [m]."""
    return float(np.linalg.norm(motion.q[-1, :3] - pattern.q[-1, :3]))


def ratios(values: Sequence[float]) -> np.ndarray:
    """Each value over the one before."""
    return np.asarray(values[1:]) / np.asarray(values[:-1])
