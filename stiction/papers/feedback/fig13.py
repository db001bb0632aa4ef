"""Figs. 12, 13: the right foot after its first impact; false impacts are jumps of its forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.metrics.points import points_under
from stiction.papers.feedback.walk import false_impacts, largest_jump, plan, walked
from stiction.patterns.pattern import Pattern

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIGHT = 1
AROUND = 0.1  # shown before and after the stance [s]


def data() -> dict[str, Any]:
    """The walk without a steady depth, and its plan."""
    return {"walk": walked(0.0), "plan": plan()}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """False impacts and their size."""
    motion: st.Motion = data["walk"]
    weight = motion.world.total_mass * 9.81
    return {
        "false impacts": false_impacts(motion, data["plan"]),
        "largest jump": largest_jump(motion, data["plan"]) / weight,
    }


def shown(motion: st.Motion, pattern: Pattern) -> slice:
    """Rows from the first landing of the right foot until it leaves again."""
    own = [step for step in pattern.footsteps if step.side == RIGHT]
    later = [step.start for step in own[1:]] or [pattern.duration]
    ends = (own[0].stop - AROUND, later[0] + AROUND)
    first, last = np.searchsorted(motion.time, ends)
    return slice(int(first), int(last))


def draw(data: dict[str, Any]) -> Figure:
    """Height [mm] and normal force [N] of the four vertices over time [s]."""
    from matplotlib.figure import Figure

    motion: st.Motion = data["walk"]
    rows, points = shown(motion, data["plan"]), points_under(motion, "right_foot")
    part = motion.rows(np.arange(rows.start, rows.stop))
    figure = Figure(figsize=(8, 5.5), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.plot(part.time, -1000 * part.contact_points.depth[:, points], lw=0.7)
    upper.set(ylabel="height (mm)", ylim=(-1.0, 1.0), title="Fig. 12: vertices of the right foot")
    lower.plot(part.time, part.force[:, points, 2], lw=0.5)
    lower.set(xlabel="time (s)", ylabel="normal force (N)", title="Fig. 13: their normal forces")
    return figure
