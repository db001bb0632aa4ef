"""Fig. 12: hoap1 jumps on the floor with the membrane, lambda = 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.balanced.measured import angle_off, clearance, off_plan
from stiction.papers.balanced.walks import pattern_of
from stiction.scenes import scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def data() -> dict[str, Any]:
    """The jump, and its plan."""
    one = scene("balanced-jump")
    return {"jump": one.simulate(), "plan": pattern_of(one)}


def flight(motion: st.Motion) -> np.ndarray:
    """Which steps have no contact force, (steps)."""
    return (motion.force[:-1] == 0).all(axis=(1, 2))


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Time in the air, and how the robot stands afterwards."""
    motion, plan = data["jump"], data["plan"]
    air = flight(motion)
    landed = int(np.flatnonzero(air)[-1]) + 1 if air.any() else 0
    return {
        "flight": float(air.sum() * motion.parameters["dt"]),
        "planned_flight": float((~plan.support.any(axis=1)).sum() * np.diff(plan.time)[0]),
        "rise": 1e3 * float(clearance(motion).max()),
        "lean_after": float(angle_off(motion, plan)[landed:].max()),
        "off_plan": 1e3 * off_plan(motion, plan),
        "deepest": 1e3 * float(np.nanmax(motion.deepest())),
    }


def draw(data: dict[str, Any]) -> Figure:
    """A strip of snapshots from the crouch to the landing."""
    motion = data["jump"]
    air = motion.time[np.flatnonzero(flight(motion))]
    middle = air.mean() if len(air) else motion.time[-1] / 2
    times = np.clip(middle + np.linspace(-0.5, 0.5, 9), 0.0, motion.time[-1])
    return st.plot.snapshots(motion, times, views=("oblique",))


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The jump."""
    return {"jump": data["jump"]}
