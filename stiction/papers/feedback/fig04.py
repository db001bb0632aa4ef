"""Fig. 4: height of the ball with k_p = 0, 1, 5 and k_v = 5000; with a spring it comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.feedback.ball import K_P, K_V, LINES, SPEED, back, dropped, height, impact

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def data() -> dict[str, Any]:
    """The ball dropped under the three gains."""
    return {f"k_p {k_p:g}": dropped(k_p, K_V) for k_p in K_P}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Depths, and times until the ball is back."""
    stays = data["k_p 0"]
    later = int(np.searchsorted(stays.time, stays.time[impact(stays)] + 2.0))
    found = {"final depth, k_p 0": -height(stays)[later] * K_V / SPEED}
    for k_p in (1, 5):
        motion = data[f"k_p {k_p}"]
        row = back(motion)
        found[f"return, k_p {k_p}"] = motion.time[row] - motion.time[impact(motion)]
    soft = data["k_p 5"]
    after = int(np.searchsorted(soft.time, soft.time[back(soft)] + 0.1))
    found["remaining depth, k_p 5"] = abs(height(soft)[after]) / -height(soft).min()
    return found


def draw(data: dict[str, Any]) -> Figure:
    """Height [mm] over time [s], as in the paper; the fall itself is cut off."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    panel = figure.subplots()
    for k_p in K_P:
        motion: st.Motion = data[f"k_p {k_p:g}"]
        label = f"$k_p = {k_p:g}$, $k_v = {K_V:g}$"
        panel.plot(motion.time[::50], 1000 * height(motion)[::50], f"k{LINES[k_p]}", label=label)
    panel.set(xlabel="time (s)", ylabel="height (mm)", ylim=(-0.32, 0.1))
    panel.legend()
    return figure


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The fall and the first half second in the ground."""
    motion: st.Motion = data["k_p 5"]
    return {"ball": motion.rows(np.arange(0, 60000, 500))}
