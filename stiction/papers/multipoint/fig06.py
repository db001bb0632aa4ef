"""Fig. 6: HOAP-1 jumps and lands on its feet, without a rebound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE = "multipoint-jump"
AFTER = 0.2  # the landing [s]


def data() -> dict[str, Any]:
    """The jump, and its plan."""
    return {
        "jump": st.scenes.scene(SCENE).simulate(),
        "plan": st.patterns.jump(st.robots.hoap1()),
    }


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Times without contact, and how it ends."""
    motion: st.Motion = data["jump"]
    plan = data["plan"]
    dt = float(motion.parameters["dt"])
    flies = motion.total_force()[:-1, 2] <= 0
    planned = float((~plan.support.any(axis=1)).mean() * plan.duration)
    first, last = longest(flies)
    later = flies[last : last + round(AFTER / dt)]
    return {
        "time of flight": (last - first) * dt / planned,
        "airborne after landing": 1000 * dt * float(later.sum()),
        "lean": float(st.plot.lean(motion)[-1]),
        "off the plan [mm]": 1000 * float(np.linalg.norm(motion.q[-1, :3] - plan.q[-1, :3])),
        "largest force over the weight": float(
            motion.total_force()[:-1, 2].max() / (motion.world.total_mass * 9.81)
        ),
    }


def longest(holds: np.ndarray) -> tuple[int, int]:
    """First row and row after the last of the longest run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], holds.astype(int), [0]])))
    starts, ends = edges[::2], edges[1::2]
    k = int(np.argmax(ends - starts))
    return int(starts[k]), int(ends[k])


def draw(data: dict[str, Any]) -> Figure:
    """Snapshots, as in the paper."""
    motion: st.Motion = data["jump"]
    return st.plot.snapshots(motion, times=9)


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The jump."""
    motion: st.Motion = data["jump"]
    return {"jump": motion.rows(np.arange(0, len(motion), 10))}
