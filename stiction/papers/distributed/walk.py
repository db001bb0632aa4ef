"""The walk of Figs 14 to 16: the scene, and its stances."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.papers.distributed.gait import PERIOD
from stiction.papers.distributed.runs import (
    CARRIES,
    FEET,
    SMOOTH,
    forces,
    humps,
    run,
    smoothed,
    stances,
    weight,
)

SCENE = "distributed-walk"
EVERY = 20  # steps of 0.025 ms between samples
SETTLED = 1.0 * PERIOD  # the first stride starts from rest along z and is left out [s]


class Walk(NamedTuple):
    """A walk with the forces on its feet."""

    motion: st.Motion
    time: np.ndarray
    weight: float
    force: dict[str, np.ndarray]  # (n, 3) of each foot [N]
    stances: dict[str, list[tuple[int, int]]]

    def curves(self, axis: int, cutoff: float | None = SMOOTH) -> list[np.ndarray]:
        """Force over the weight in each stance along an axis, below the cut-off [Hz]."""
        found = []
        for foot, force in self.force.items():
            curve = force[:, axis : axis + 1]
            if cutoff is not None:
                curve = smoothed(self.time, curve, cutoff)
            found += [curve[a : b + 1, 0] / self.weight for a, b in self.stances[foot]]
        return found

    def humps(self) -> np.ndarray:
        """First maximum, minimum and second maximum of each stance, (stances, 3)."""
        return np.array([humps(curve) for curve in self.curves(2)])

    def largest_change(self) -> float:
        """Largest change of one foot's normal force within 1 ms, over the weight."""
        steps = round(1e-3 / (self.time[1] - self.time[0]))
        later = self.time[steps:] >= SETTLED
        changes = [
            np.abs(force[steps:, 2] - force[:-steps, 2])[later].max()
            for force in self.force.values()
        ]
        return float(max(changes)) / self.weight


def walk_of(motion: st.Motion, after: float = SETTLED) -> Walk:
    """A motion with its forces and complete stances."""
    total, force = weight(motion), forces(motion)
    found = {foot: stances(motion.time, force[foot][:, 2], CARRIES * total, after) for foot in FEET}
    return Walk(motion, motion.time, total, force, found)


def walked(**options: Any) -> Walk:
    """The scene, or the scene with another law or other points."""
    return walk_of(run(SCENE, EVERY, **options))
