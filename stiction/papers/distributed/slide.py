"""The pull of Figs 17 to 20: the scene, its forces and the instants at which points slide."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.metrics import ContactState
from stiction.metrics.points import points_under
from stiction.papers.distributed.runs import FEET, forces, run, weight

SCENE = "distributed-slide"
BEGINS, ENDS = 0.156, 0.496  # printed [s]
COURSE = [
    ContactState.STICK,
    ContactState.TO_SLIP,
    ContactState.SLIP,
    ContactState.TO_STICK,
    ContactState.STICK,
]


class Slide(NamedTuple):
    """A pull: forces, ratios and states of the points of both feet; rows are steps."""

    motion: st.Motion
    time: np.ndarray  # (n)
    weight: float
    pull: np.ndarray  # (n) [N]
    normal: np.ndarray  # (n, feet) [N]
    tangential: np.ndarray  # (n, feet) along the pull, against it [N]
    speed: np.ndarray  # (n, feet) along the pull, mean of the points [m/s]
    states: np.ndarray  # (n, feet, 18)

    @property
    def ratio(self) -> np.ndarray:
        """Tangential over normal force of both feet together, (n), Eq. (37)."""
        return np.abs(self.tangential.sum(axis=1)) / self.normal.sum(axis=1)

    @property
    def sliding(self) -> np.ndarray:
        """Whether all points of both feet slide, (n)."""
        return (self.states == ContactState.SLIP).all(axis=(1, 2))

    def first(self, state: ContactState) -> np.ndarray:
        """Time at which each point is first in a state, (feet, 18) [s]; NaN if never."""
        found = self.states == state
        when = self.time[np.argmax(found, axis=0)]
        return np.where(found.any(axis=0), when, np.nan)


def slid(**options: Any) -> Slide:
    """The scene, or the scene with another law or controller."""
    motion = run(SCENE, **options)
    n = len(motion) - 1  # the last row has no forces
    force = forces(motion)
    under = [points_under(motion, foot) for foot in FEET]
    scene = st.scenes.scene(SCENE)
    pulls: list[Any] = list(scene.forces)
    pull = np.sum(
        [
            np.interp(motion.time[:n], np.asarray(one.time), np.asarray(one.force)[:, 0])
            for one in pulls
        ],
        axis=0,
    )
    speeds = [motion.contact_points.velocity[:n, points, 0].mean(axis=1) for points in under]
    return Slide(
        motion,
        motion.time[:n],
        weight(motion),
        pull,
        np.stack([force[foot][:n, 2] for foot in FEET], axis=1),
        np.stack([-force[foot][:n, 0] for foot in FEET], axis=1),
        np.stack(speeds, axis=1),
        np.stack([motion.contact_state[:n, points] for points in under], axis=1),
    )


def course(states: np.ndarray) -> list[ContactState]:
    """The states of one point in their order."""
    changes = np.flatnonzero(np.diff(states, prepend=-1))
    return [ContactState(int(states[k])) for k in changes]
