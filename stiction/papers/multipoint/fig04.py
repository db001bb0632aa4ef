"""Fig. 4: HOAP-1 walks ten steps at 1 ms; no point is pulled, few repetitions are needed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.bench.walk_measures import walk_measures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE, STEPS = "multipoint-walk", 10
FEET = ("left_foot", "right_foot")
EPS = 0.05  # the constant of the paper, which does not print its value [m/s]
REPEATS = 3


def data() -> dict[str, Any]:
    """The walk, the walk with a constant eps, and the time of a step."""
    scene = st.scenes.scene(SCENE)
    return {
        "walk": scene.simulate(),
        "constant eps": scene.simulate(contact=scene.contact._replace(eps=EPS)),
        "plan": st.patterns.walk(st.robots.hoap1(), steps=STEPS),
        "seconds a step": timed(scene),
    }


def timed(scene: st.Scene) -> float:
    """Best mean time of a step, less that of setting a run up [s]."""
    few = st.Recording(every=100)
    setup = best = np.inf
    for _ in range(REPEATS):
        begun = time.perf_counter()
        scene.simulate(duration=0.0, record=few)
        ready = time.perf_counter()
        motion = scene.simulate(record=few)
        setup, best = min(setup, ready - begun), min(best, time.perf_counter() - ready)
    return (best - setup) / (motion.time[-1] / scene.dt)


def solutions_per_point(motion: st.Motion) -> float:
    """Largest number of solutions in a step over the number of points in the ground."""
    points = (motion.depth[:-1] > 0).sum(axis=1)
    solved = motion.solver[:-1, 0]
    return float((solved[points > 0] / points[points > 0]).max())


def measures(data: dict[str, Any]) -> dict[str, float]:
    """How the walk went, and what it cost."""
    motion: st.Motion = data["walk"]
    found = walk_measures(motion, data["plan"], FEET)
    return {
        "steps": found["steps"],
        "off the plan": found["off [mm]"],
        "slip [mm]": found["slip [mm]"],
        "chatter [% of the weight]": found["chatter [%]"],
        "smallest normal force": float(motion.force[:-1, :, 2].min()),
        "solutions per point": solutions_per_point(data["constant eps"]),
        "solutions per point, eps 0": solutions_per_point(motion),
        "time of a step": 1000 * data["seconds a step"],
    }


def draw(data: dict[str, Any]) -> Figure:
    """Snapshots, as in the paper."""
    return st.plot.snapshots(data["walk"], times=8)


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The walk."""
    motion: st.Motion = data["walk"]
    return {"walk": motion.rows(np.arange(0, len(motion), 10))}
