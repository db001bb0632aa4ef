"""Fig. 11: height of the vertices of both feet in a walk of five steps; k_p 500, k_v 250."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.bench.walk_measures import walk_measures
from stiction.compare.runs import thinned
from stiction.metrics.points import points_under
from stiction.papers.feedback.walk import FEET, MU, plan, walked

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def data() -> dict[str, Any]:
    """The walk without a steady depth, and its plan."""
    return {"walk": walked(0.0), "plan": plan()}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """How the walk went, and whether its forces stay in the cone."""
    motion: st.Motion = data["walk"]
    found = walk_measures(motion, data["plan"], FEET)
    force = motion.force[:-1]
    normal, tangential = force[..., 2], np.hypot(force[..., 0], force[..., 1])
    pressed = normal > 0
    over = float((tangential[pressed] / (MU * normal[pressed])).max())
    return {
        "steps": found["steps"],
        "off the plan [mm]": found["off [mm]"],
        "greatest depth": found["depth [mm]"],
        "friction over limit": np.inf if (normal < 0).any() else over,
        "slip [mm]": found["slip [mm]"],
        "work of the ground [J]": found["ground [J]"],
    }


def draw(data: dict[str, Any]) -> Figure:
    """Height [m] of all eight vertices over time [s]: right foot solid, left dotted."""
    from matplotlib.figure import Figure

    motion = thinned(data["walk"], 20)
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    panel = figure.subplots()
    for foot, line in zip(FEET, (":", "-"), strict=True):
        heights = -motion.contact_points.depth[:, points_under(motion, foot)]
        panel.plot(motion.time, heights, f"k{line}", lw=0.8)
        panel.plot([], [], f"k{line}", label=foot.replace("_", " "))
    panel.set(xlabel="time (s)", ylabel="height (m)")
    panel.legend(loc="upper right")
    return figure


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The whole walk."""
    return {"walk": thinned(data["walk"], 100)}
