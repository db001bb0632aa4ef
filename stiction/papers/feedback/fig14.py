"""Fig. 14: a steady depth epsilon removes false impacts if it is large enough for the step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.metrics.points import points_under
from stiction.papers.feedback.fig13 import shown
from stiction.papers.feedback.walk import false_impacts, plan, roughness, walked

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILON = (0.0, 1e-6, 1e-5, 1e-4)  # [m]; the paper has 1e-6
STEPS = (1e-3, 1e-4, 2e-5)  # [s]
DRAWN = 1e-5  # [m]


def data() -> dict[str, Any]:
    """False impacts over epsilon and the time step; the forces of two of the walks at 0.1 ms."""
    pattern = plan()
    table: list[dict[str, Any]] = []
    found: dict[str, Any] = {"plan": pattern, "table": table}
    for dt in STEPS:
        for epsilon in EPSILON:
            motion = walked(epsilon, dt)
            table.append(
                {
                    "step [ms]": 1000 * dt,
                    "epsilon [m]": epsilon,
                    "false impacts a stance": false_impacts(motion, pattern),
                    "roughness [N]": roughness(motion, pattern),
                }
            )
            if dt == 1e-4 and epsilon in (1e-6, DRAWN):
                rows = shown(motion, pattern)
                found[f"epsilon {epsilon:g}"] = motion.rows(np.arange(rows.start, rows.stop))
    return found


def value(data: dict[str, Any], dt: float, epsilon: float, name: str) -> float:
    """A number of the table."""
    rows = [
        row
        for row in data["table"]
        if row["step [ms]"] == 1000 * dt and row["epsilon [m]"] == epsilon
    ]
    return float(rows[0][name])


def measures(data: dict[str, Any]) -> dict[str, float]:
    """What is left of the false impacts."""
    count, rough = "false impacts a stance", "roughness [N]"
    none = [epsilon for epsilon in EPSILON if value(data, 1e-4, epsilon, count) == 0]
    return {
        "left at 1e-6 m": value(data, 1e-4, 1e-6, count) / value(data, 1e-4, 0.0, count),
        "left at 1e-6 m, 0.02 ms": value(data, 2e-5, 1e-6, count) / value(data, 2e-5, 0.0, count),
        "false impacts, 1e-4 m": value(data, 1e-3, 1e-4, count),
        "smallest epsilon without, 0.1 ms [m]": min(none, default=np.nan),
        "roughness at 1e-5 m": value(data, 1e-4, 1e-5, rough) / value(data, 1e-4, 0.0, rough),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Normal forces [N] of the right foot over time [s] for two epsilons, and the table."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7.5), layout="constrained")
    upper, middle, lower = figure.subplots(3, 1)
    for panel, epsilon in ((upper, 1e-6), (middle, DRAWN)):
        motion: st.Motion = data[f"epsilon {epsilon:g}"]
        points = points_under(motion, "right_foot")
        panel.plot(motion.time, motion.force[:, points, 2], lw=0.5)
        title = rf"$\epsilon$ = {epsilon:g} m, steps of 0.1 ms"
        panel.set(xlabel="time (s)", ylabel="normal force (N)", title=title)
    for dt in STEPS:
        counts = [value(data, dt, epsilon, "false impacts a stance") for epsilon in EPSILON]
        lower.plot(range(len(EPSILON)), counts, "o-", label=f"steps of {1000 * dt:g} ms")
    lower.set_xticks(range(len(EPSILON)), [f"{epsilon:g}" for epsilon in EPSILON])
    lower.set(xlabel=r"$\epsilon$ (m)", ylabel="false impacts a stance")
    lower.legend()
    return figure


def tables(data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Every walk."""
    return {"False impacts": data["table"]}
