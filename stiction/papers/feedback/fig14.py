"""Fig. 14: a steady depth epsilon removes false impacts if it is large enough for the step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.metrics.points import points_under
from stiction.papers.feedback.fig13 import shown
from stiction.papers.feedback.walk import excursion, false_impacts, plan, roughness, walked

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILON = (0.0, 1e-6, 1e-5, 1e-4, 1e-3)  # [m]; the paper has 1e-6
MIDPOINT, EULER = "Midpoint", "SemiImplicitEuler"
WALKS = {  # epsilons by integrator and time step [s]
    (MIDPOINT, 1e-3): EPSILON,
    (MIDPOINT, 1e-4): EPSILON,
    (MIDPOINT, 2e-5): (0.0, 1e-6),
    (EULER, 1e-3): (0.0, 1e-5, 1e-4),
    (EULER, 1e-4): (0.0, 1e-6, 1e-5, 1e-4),
}
COUNT, ROUGH, RISE = "false impacts a stance", "roughness [N]", "highest rise above epsilon [mm]"
DRAWN = 1e-5  # [m]
CALM = 1e-4  # whose walks show how far vertices rise [m]


def data() -> dict[str, Any]:
    """False impacts over epsilon and the time step; the forces of two of the walks at 0.1 ms."""
    pattern = plan()
    table: list[dict[str, Any]] = []
    found: dict[str, Any] = {"plan": pattern, "table": table}
    for (integrator, dt), chosen in WALKS.items():
        for epsilon in chosen:
            motion = walked(epsilon, dt, getattr(st, integrator)())
            table.append(
                {
                    "integrator": integrator,
                    "step [ms]": 1000 * dt,
                    "epsilon [m]": epsilon,
                    COUNT: false_impacts(motion, pattern),
                    ROUGH: roughness(motion, pattern),
                    RISE: 1000 * excursion(motion, pattern, epsilon),
                }
            )
            if (integrator, dt) == (MIDPOINT, 1e-4) and epsilon in (1e-6, DRAWN):
                rows = shown(motion, pattern)
                found[f"epsilon {epsilon:g}"] = motion.rows(np.arange(rows.start, rows.stop))
    return found


def value(data: dict[str, Any], dt: float, epsilon: float, name: str, by: str = MIDPOINT) -> float:
    """A number of the table."""
    wanted = (by, 1000 * dt, epsilon)
    heads = ("integrator", "step [ms]", "epsilon [m]")
    rows = [row for row in data["table"] if tuple(row[head] for head in heads) == wanted]
    return float(rows[0][name])


def measures(data: dict[str, Any]) -> dict[str, float]:
    """What is left of the false impacts."""
    none = [epsilon for epsilon in EPSILON if value(data, 1e-4, epsilon, COUNT) == 0]
    return {
        "left at 1e-6 m": value(data, 1e-4, 1e-6, COUNT) / value(data, 1e-4, 0.0, COUNT),
        "left at 1e-6 m, 0.02 ms": value(data, 2e-5, 1e-6, COUNT) / value(data, 2e-5, 0.0, COUNT),
        "false impacts, 1e-4 m": value(data, 1e-3, 1e-4, COUNT),
        "false impacts, 1e-4 m, Euler": value(data, 1e-3, 1e-4, COUNT, EULER),
        "smallest epsilon without, 0.1 ms [m]": min(none, default=np.nan),
        "rise at 0.1 ms [mm]": value(data, 1e-4, CALM, RISE),
        "roughness at 1e-5 m": value(data, 1e-4, 1e-5, ROUGH) / value(data, 1e-4, 0.0, ROUGH),
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
    for (integrator, dt), chosen in WALKS.items():
        counts = [value(data, dt, epsilon, COUNT, integrator) for epsilon in chosen]
        line = "o-" if integrator == MIDPOINT else "s--"
        where = [EPSILON.index(epsilon) for epsilon in chosen]
        lower.plot(where, counts, line, ms=4, label=f"{1000 * dt:g} ms, {integrator}")
    lower.set_xticks(range(len(EPSILON)), [f"{epsilon:g}" for epsilon in EPSILON])
    lower.set(xlabel=r"$\epsilon$ (m)", ylabel="false impacts a stance")
    lower.legend()
    return figure


def tables(data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Every walk."""
    return {"False impacts": data["table"]}
