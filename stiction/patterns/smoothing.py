"""Smooth derivatives of sampled motions: what is left below a cut-off frequency, without delay.

`low_pass` is the smoothing spline of equally spaced samples (Whittaker 1923): the x that is least
in the sum of (x - y)^2 + w (third difference of x)^2. Far from the ends it passes the frequency f
with the gain 1 / (1 + (sin(pi f dt) / sin(pi f_c dt))^6), so one half at the cut-off f_c, 0.985 at
f_c / 2 and 0.015 at 2 f_c; without delay, because the sum knows no direction of time. Parabolas
pass unchanged, also at the ends, where nothing needs to be invented before the first sample.
"""

from __future__ import annotations

import math

import numpy as np

from stiction.control.reference import smooth_slopes
from stiction.errors import InputError

ORDER = 3  # of the difference
LOWEST = 2e-3  # cut-off over sampling rate; below, the equations lose too many digits


def low_pass(values: np.ndarray, dt: float, cutoff: float) -> np.ndarray:
    """Samples (n, columns) without what is faster than the cut-off [Hz]; dt between them [s]."""
    if not (math.isfinite(cutoff) and LOWEST <= cutoff * dt < 0.5):
        raise InputError(
            f"cutoff is {cutoff} Hz; with a sample every {dt:g} s give one between "
            f"{LOWEST / dt:g} and {0.5 / dt:g} Hz"
        )
    if len(values) <= ORDER:
        return np.array(values, float)
    weight = (2 * math.sin(math.pi * cutoff * dt)) ** (-2 * ORDER)
    lower = _factor(_equations(len(values), weight))
    passed = _solve(lower, np.array(values, float))
    # once more with what is left, formed by differences, which lose no digits of smooth motion
    rough = np.diff(passed, ORDER, axis=0)
    for _ in range(ORDER):
        rough = -np.diff(rough, axis=0, prepend=0.0, append=0.0)
    return passed + _solve(lower, values - passed - weight * rough)


def _equations(n: int, weight: float) -> np.ndarray:
    """1 + weight D'D for the differences D of n samples; [i, k] is its row i, column i - k."""
    difference = [(-1.0) ** k * math.comb(ORDER, k) for k in range(ORDER + 1)]
    band = np.zeros((n, ORDER + 1))
    for k in range(ORDER + 1):
        for a in range(ORDER + 1 - k):
            band[a + k : n - ORDER + a + k, k] += weight * difference[a] * difference[a + k]
    band[:, 0] += 1.0
    return band


def _factor(band: np.ndarray) -> list[list[float]]:
    """L D L' of a symmetric positive matrix in bands; D stands where the ones of L would."""
    lower = band.tolist()
    width = band.shape[1] - 1
    for i, row in enumerate(lower):
        reach = min(width, i)
        for k in range(reach, 0, -1):  # column i - k
            above = lower[i - k]
            for m in range(k + 1, reach + 1):
                row[k] -= row[m] * lower[i - m][0] * above[m - k]
            row[k] /= above[0]
        for m in range(1, reach + 1):
            row[0] -= row[m] ** 2 * lower[i - m][0]
    return lower


def _solve(lower: list[list[float]], x: np.ndarray) -> np.ndarray:
    """Solution for the columns of x, which it overwrites."""
    width = len(lower[0]) - 1
    for i, row in enumerate(lower):
        for k in range(1, min(width, i) + 1):
            x[i] -= row[k] * x[i - k]
    for i, row in enumerate(lower):
        x[i] /= row[0]
    for i in range(len(lower) - 1, 0, -1):
        for k in range(1, min(width, i) + 1):
            x[i - k] -= lower[i][k] * x[i]
    return x


def smoothed(values: np.ndarray, dt: float, cutoff: float) -> tuple[np.ndarray, np.ndarray]:
    """Samples below the cut-off [Hz], and their rates: slopes of the cubic spline through them."""
    passed = low_pass(values, dt, cutoff)
    return passed, smooth_slopes(np.arange(len(passed)) * dt, passed)


def reconciled(
    q: np.ndarray, v: np.ndarray, dt: float, cutoff: float
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities that agree, of coarse positions q and fine velocities v.

    The integral of v (by the trapezoidal rule) is right in all but what is slow, q in all but its
    rounding: what is slower than the cut-off [Hz] is taken from q, what is faster from v.
    """
    integral = integrated(v, dt)
    drift, rate = smoothed(q - integral, dt, cutoff)
    return integral + drift, v + rate


def integrated(v: np.ndarray, dt: float) -> np.ndarray:
    """Integral of velocities from the first sample on, by the trapezoidal rule."""
    steps = np.cumsum((v[1:] + v[:-1]) * (dt / 2), axis=0)
    return np.concatenate([np.zeros_like(v[:1]), steps])


def disagreeing(q: np.ndarray, v: np.ndarray, dt: float, tolerance: float = 0.05) -> np.ndarray:
    """Columns whose velocities are not the rates of their positions.

    That is so where the integral of v leaves q by more than this part of the range it goes through.
    """
    integral = integrated(v, dt)
    apart = integral - q
    apart -= apart.mean(axis=0)
    return np.flatnonzero(np.ptp(apart, axis=0) > tolerance * np.ptp(integral, axis=0))
