"""Fig. 10: hoap1 walks ten steps on the floor with the membrane, lambda = 1."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.balanced.measured import angle_off, off_plan
from stiction.papers.balanced.walks import pattern_of
from stiction.plot import lean
from stiction.scenes import scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RUNS = 3  # of which the fastest counts


def data() -> dict[str, Any]:
    """The walk, its plan, and the time of a step."""
    one = scene("balanced-walk")
    motion = one.simulate()  # compiles, and plans the walk
    best = {part: np.inf for part in (one.dt, one.lasts())}
    for _ in range(RUNS):
        for part in best:
            begun = time.perf_counter()
            one.simulate(duration=part)
            best[part] = min(best[part], time.perf_counter() - begun)
    steps = round((one.lasts() - one.dt) / one.dt)
    return {
        "walk": motion,
        "plan": pattern_of(one),
        "step": (best[one.lasts()] - best[one.dt]) / steps,
    }


def measures(data: dict[str, Any]) -> dict[str, float]:
    """How far off its plan the robot ends, how far it leans, and the time of a step."""
    motion, plan = data["walk"], data["plan"]
    force = motion.force[:-1]
    return {
        "off_plan": 1e3 * off_plan(motion, plan),
        "lean": float(lean(motion).max()),
        "angle_off": float(angle_off(motion, plan).max()),
        "way": 1e3 * float(motion.q[-1, 0] - motion.q[0, 0]),
        "deepest": 1e3 * float(np.nanmax(motion.deepest())),
        "least_force": float(force[..., 2].min()),
        "step_time": 1e3 * data["step"],
    }


def draw(data: dict[str, Any]) -> Figure:
    """A strip of snapshots."""
    motion = data["walk"]
    return st.plot.snapshots(motion, np.linspace(0.8, motion.time[-1] - 0.8, 9), views=("oblique",))


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The walk."""
    return {"walk": data["walk"]}
