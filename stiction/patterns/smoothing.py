"""Smooth derivatives of sampled motions by a zero-phase low-pass filter.

`low_pass` is the smoothing spline of equally spaced samples (Whittaker 1923): the x that minimises
the sum of (x - y)^2 + w (third difference of x)^2. Far from the ends its gain at the frequency f is
1 / (1 + (sin(pi f dt) / sin(pi f_c dt))^6): one half at the cut-off f_c, 0.985 at f_c / 2 and 0.015
at 2 f_c. It has no delay, because the sum is symmetric in time. Parabolas pass unchanged, also at
the ends, so no samples need to be extrapolated there.
"""

from __future__ import annotations

import math

import numpy as np

from stiction.control.reference import smooth_slopes
from stiction.errors import InputError

ORDER = 3  # of the difference
LOWEST = 2e-3  # smallest cut-off over sampling rate; below it the equations are ill-conditioned


def low_pass(values: np.ndarray, dt: float, cutoff: float) -> np.ndarray:
    """Samples (n, columns) with frequencies above the cut-off [Hz] removed; dt between them [s]."""
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
    # one refinement with the residual, formed by differences, which are exact for smooth motion
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
    """L D L' of a banded symmetric positive matrix; D is stored in place of the ones of L."""
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
    """Solve for the columns of x, in place."""
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
    """Consistent positions and velocities from coarse positions q and fine velocities v.

    The integral of v (by the trapezoidal rule) drifts slowly, and q is rounded: frequencies below
    the cut-off [Hz] are taken from q, those above from v.
    """
    integral = integrated(v, dt)
    drift, rate = smoothed(q - integral, dt, cutoff)
    return integral + drift, v + rate


def integrated(v: np.ndarray, dt: float) -> np.ndarray:
    """Integral of velocities from the first sample, by the trapezoidal rule."""
    steps = np.cumsum((v[1:] + v[:-1]) * (dt / 2), axis=0)
    return np.concatenate([np.zeros_like(v[:1]), steps])


def disagreeing(q: np.ndarray, v: np.ndarray, dt: float, tolerance: float = 0.05) -> np.ndarray:
    """Columns whose velocities are not the derivatives of their positions.

    The criterion: the integral of v departs from q by more than `tolerance` times its own range.
    """
    integral = integrated(v, dt)
    apart = integral - q
    apart -= apart.mean(axis=0)
    return np.flatnonzero(np.ptp(apart, axis=0) > tolerance * np.ptp(integral, axis=0))
