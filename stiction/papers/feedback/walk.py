"""The walk of sections IV and V: five steps of a biped with 14 joints, and its false impacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import stiction as st
from stiction.metrics.points import points_under
from stiction.patterns.pattern import Pattern

SCENE, STEPS = "feedback-walk", 5
FEET = ("left_foot", "right_foot")
MU = 0.8  # of the scene
SETTLED = 0.05  # after a foot leaves the ground, and before it lands [s]


class Stance(NamedTuple):
    """A foot that carries the robot alone."""

    rows: slice
    points: np.ndarray  # under the foot


def plan() -> Pattern:
    """The walk that is tracked."""
    return st.patterns.walk(st.robots.biped14(), steps=STEPS)


def walked(epsilon: float, dt: float | None = None) -> st.Motion:
    """The walk with a steady depth [m]."""
    scene = st.scenes.scene(SCENE)
    return scene.simulate(contact=scene.contact._replace(steady_depth=epsilon), dt=dt)


def stances(motion: st.Motion, pattern: Pattern) -> Iterator[Stance]:
    """The feet that carry the robot alone, one for each step."""
    for step in pattern.footsteps:
        ends = (step.start + SETTLED, step.stop - SETTLED)
        first, last = np.searchsorted(motion.time, ends)
        yield Stance(slice(int(first), int(last)), points_under(motion, FEET[1 - step.side]))


def false_impacts(motion: st.Motion, pattern: Pattern) -> float:
    """Vertices that lose their force in single support, mean over the stances.

    The foot is planned to stand flat, so every loss ends in an impact that is none.
    """
    counts = []
    for stance in stances(motion, pattern):
        force = motion.force[stance.rows][:, stance.points, 2]
        counts.append(int(((force[1:] == 0) & (force[:-1] > 0)).sum()))
    return float(np.mean(counts))


def roughness(motion: st.Motion, pattern: Pattern) -> float:
    """RMS change of a vertex's normal force from one step to the next in single support [N]."""
    squares = [
        np.mean(np.diff(motion.force[stance.rows][:, stance.points, 2], axis=0) ** 2)
        for stance in stances(motion, pattern)
    ]
    return float(np.sqrt(np.mean(squares)))


def largest_jump(motion: st.Motion, pattern: Pattern) -> float:
    """Largest change of a vertex's normal force in one step of single support [N]."""
    return float(
        max(
            np.abs(np.diff(motion.force[stance.rows][:, stance.points, 2], axis=0)).max()
            for stance in stances(motion, pattern)
        )
    )
