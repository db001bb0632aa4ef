"""Fig. 5: normal force of the ball with k_p = 0, 1, 5 and k_v = 5000; a peak, then the weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.feedback.ball import (
    K_P,
    K_V,
    LINES,
    MASS,
    SPEED,
    dropped,
    impact,
    normal_force,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

G = 9.81
SLOW = 250.0  # k_v of the comparison with a large k_p [1/s]
SHORT = 0.25  # until after the peak [s]


def data() -> dict[str, Any]:
    """The ball dropped under the three gains, and with a spring stiffer than its damper."""
    runs: dict[str, Any] = {f"k_p {k_p:g}": dropped(k_p, K_V) for k_p in K_P}
    runs["soft"] = dropped(0.0, SLOW, SHORT)
    runs["stiff"] = dropped(4 * SLOW**2, SLOW, SHORT)
    return runs


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Peaks and the force at rest."""
    peaks = np.array([normal_force(data[f"k_p {k_p:g}"]).max() for k_p in K_P])
    rest = data["k_p 0"]
    later = int(np.searchsorted(rest.time, rest.time[impact(rest)] + 1.0))
    return {
        "peak over closed form": peaks.max() / (MASS * (G + K_V * SPEED)),
        "peak [N]": peaks.max(),
        "spread of the peaks": float(np.ptp(peaks) / peaks.mean()),
        "peak with a large k_p": normal_force(data["stiff"]).max()
        / normal_force(data["soft"]).max(),
        "force at rest": normal_force(rest)[later] / (MASS * G),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Force [N] over time [s]: the whole run, and the impact."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.6), layout="constrained")
    panels = figure.subplots(1, 2)
    for k_p in K_P:
        motion: st.Motion = data[f"k_p {k_p:g}"]
        first, force = impact(motion), normal_force(motion)
        label = f"$k_p = {k_p:g}$, $k_v = {K_V:g}$"
        panels[0].plot(motion.time[:-1:20], force[::20], f"k{LINES[k_p]}", label=label)
        near = slice(first - 20, first + 200)
        panels[1].plot(motion.time[near], force[near], f"k{LINES[k_p]}")
    panels[0].set(xlabel="time (s)", ylabel="force (N)", ylim=(0.0, 30.0), title="rest")
    panels[1].set(xlabel="time (s)", title="impact")
    panels[0].legend()
    return figure
