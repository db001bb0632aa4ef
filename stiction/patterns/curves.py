"""Functions of time: smooth steps, and derivatives of sampled coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from stiction.control.reference import smooth_slopes
from stiction.errors import InputError
from stiction.kernels.tree import FREE, SPHERICAL
from stiction.patterns.body import Body

MOST_SAMPLES = 500_000  # of a pattern
SAMPLE = 0.005  # time between the samples of a pattern [s]
MIRRORED = 16  # samples added at both ends; the influence of a spline's end decays as 0.27^k


def sample_times(duration: float, sample: float = SAMPLE) -> np.ndarray:
    """Times of the samples of a pattern that lasts at least `duration` [s]."""
    if not duration / sample < MOST_SAMPLES:
        raise InputError(
            f"the motion would last {duration:g} s; at most {MOST_SAMPLES * sample:g} s are planned"
        )
    return np.arange(int(np.ceil(duration / sample - 1e-9)) + 1) * sample


def smooth_step(x: np.ndarray) -> np.ndarray:
    """Minimum-jerk curve from 0 at x = 0 to 1 at x = 1; constant outside."""
    s = np.clip(x, 0.0, 1.0)
    return s**3 * (10 - 15 * s + 6 * s**2)


def piecewise(time: np.ndarray, knots: Sequence[tuple[float, ArrayLike]]) -> np.ndarray:
    """Interpolation between knots (time, value) by `smooth_step`, (n, ...)."""
    value = np.array([np.asarray(knots[0][1], float)] * len(time))
    for (t0, a), (t1, b) in zip(knots[:-1], knots[1:], strict=True):
        s = smooth_step((time - t0) / (t1 - t0))
        value += s.reshape(-1, *[1] * np.ndim(a)) * (np.asarray(b, float) - np.asarray(a, float))
    return value


def piecewise_rate(time: np.ndarray, knots: Sequence[tuple[float, float]]) -> np.ndarray:
    """Time derivative of `piecewise` for single numbers, (n)."""
    rate = np.zeros(len(time))
    for (t0, a), (t1, b) in zip(knots[:-1], knots[1:], strict=True):
        s = np.clip((time - t0) / (t1 - t0), 0.0, 1.0)
        rate += 30 * (s * (1 - s)) ** 2 * (b - a) / (t1 - t0)
    return rate


def derivatives(body: Body, time: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and accelerations, (n, nv) each, of the cubic spline through configurations."""
    tree = body.world.tree
    slope = _resting_slopes(time, q)
    bend = _second_derivative(time, q, slope)
    v, a = np.zeros((len(time), body.world.nv)), np.zeros((len(time), body.world.nv))
    for k, d in body.single:
        v[:, d], a[:, d] = slope[:, k], bend[:, k]
    for link in range(1, len(tree.parent)):
        k, d = tree.q_index[link], tree.v_index[link]
        if tree.joint_type[link] == FREE:
            v[:, d : d + 3], a[:, d : d + 3] = slope[:, k : k + 3], bend[:, k : k + 3]
            k, d = k + 3, d + 3
        elif tree.joint_type[link] != SPHERICAL:
            continue
        p = q[:, k : k + 4]
        v[:, d : d + 3] = _twice_vector(p, slope[:, k : k + 4])
        a[:, d : d + 3] = _twice_vector(p, bend[:, k : k + 4])
    return v, a


def _resting_slopes(time: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Slopes of the spline with zero velocity at both ends: through the motion and its mirror."""
    m = min(MIRRORED, len(time) - 1)
    before, after = 2 * time[0] - time[m:0:-1], 2 * time[-1] - time[-2 : -m - 2 : -1]
    times = np.concatenate([before, time, after])
    slope = smooth_slopes(times, np.vstack([q[m:0:-1], q, q[-2 : -m - 2 : -1]]))[m:-m]
    slope[0] = slope[-1] = 0.0
    return slope


def _second_derivative(time: np.ndarray, value: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Second derivative at the samples of the cubics with these slopes, from the right."""
    h, rise = np.diff(time)[:, None], np.diff(value, axis=0)
    bend = np.empty_like(value)
    bend[:-1] = (6 * rise / h - 4 * slope[:-1] - 2 * slope[1:]) / h
    bend[-1] = (2 * slope[-2] + 4 * slope[-1] - 6 * rise[-1] / h[-1]) / h[-1]
    return bend


def _twice_vector(p: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Vector part of 2 p* rate for quaternions, (n, 3)."""
    a, b, c, d = p.T
    w, x, y, z = rate.T
    return (
        2
        * np.array(
            [
                a * x - b * w - c * z + d * y,
                a * y + b * z - c * w - d * x,
                a * z - b * y + c * x - d * w,
            ]
        ).T
    )
