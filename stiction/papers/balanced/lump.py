"""A lump of mass m that lands on a spring k and a damper c, Eq. (13) and (14), step by step.

With the speed of the landing and dt as units, alpha = k dt^2/m and beta = c dt/m determine
everything; gravity is left out. The first step finds the lump at a depth between 0 and one step of
travel: results are means over these depths.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

PHASES = (np.arange(12) + 0.5) / 12  # depth in the first step, in steps of travel
MOST_STEPS = 5000  # a lump that has not left by then rests


class Law(NamedTuple):
    """A force law and how positions follow velocities."""

    implicit: bool  # Eq. (14)
    old_velocity: bool = (
        False  # explicit Euler: positions move with the velocity of the step before
    )

    def made_implicit(self) -> Law:
        """Eq. (14) with the same integration."""
        return self._replace(implicit=True)


EQ13, EQ14 = Law(False), Law(True)


class Landing(NamedTuple):
    """What became of a lump: means over the phases."""

    energy: np.ndarray  # of the rebound, over that of the landing
    depth: np.ndarray  # deepest, in steps of travel


def land(law: Law, alpha: np.ndarray, beta: np.ndarray) -> Landing:
    """Land lumps with arrays alpha and beta of one shape."""
    a, b = (np.repeat(np.ravel(x)[:, None], len(PHASES), axis=1).ravel() for x in (alpha, beta))
    d = np.tile(PHASES, np.size(alpha))
    v, deepest, energy = np.ones_like(d), d.copy(), np.zeros_like(d)
    inside = np.arange(len(d))
    for _ in range(MOST_STEPS):
        at = inside
        force = a[at] * (d[at] + law.implicit * v[at]) + np.where(v[at] > 0, b[at] * v[at], 0.0)
        before = v[at]
        v[at] = before - np.maximum(force, 0.0)  # the ground does not pull
        d[at] += before if law.old_velocity else v[at]
        deepest[at] = np.maximum(deepest[at], d[at])
        out = d[at] <= 0
        energy[at[out]] = v[at[out]] ** 2
        inside = at[~out & (np.abs(v[at]) + d[at] < 1e6)]
        if not len(inside):
            break
    energy[inside[np.abs(v[inside]) > 1]] = np.inf
    shape = (*np.shape(alpha), len(PHASES))
    return Landing(energy.reshape(shape).mean(axis=-1), deepest.reshape(shape).mean(axis=-1))


def grid(alpha: np.ndarray, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of alpha (columns) and beta (rows)."""
    across, up = np.meshgrid(alpha, beta)
    return across, up
