"""Fig. 8: how the force of the floor is shared by the vertices of the left sole, by lambda."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.balanced.measured import settled, spread, vertices
from stiction.papers.balanced.standing import LAMBDAS, READINGS, WAYS, readings, short, stand

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDE = 0.016  # of a bar [m]


def data() -> dict[str, Any]:
    """The standing robot with each lambda, and all readings of the model."""
    return {f"lambda {value:g}": stand(value) for value in LAMBDAS} | {"readings": readings()}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Spread of the forces at the smallest and the largest lambda, also for other readings."""
    found = {value: spread(data[f"lambda {value:g}"]) for value in LAMBDAS}
    values = {
        "spread_001": found[0.01],
        "spread_4": found[4.0],
        "spread_4_over_001": found[4.0] / found[0.01],
    }
    for name in READINGS:
        for how in WAYS:
            small, large = (data["readings"][name, how, value] for value in (0.01, 4.0))
            label = short(how, name)
            values |= {f"spread_001_{label}": small.spread, f"spread_4_{label}": large.spread}
            values |= {f"widest_001_{label}": small.widest, f"widest_4_{label}": large.widest}
    return values


def draw(data: dict[str, Any]) -> Figure:
    """Mean force on each vertex of the sole, with the range between the 5th and 95th percentile."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 7.5), layout="constrained")
    top, bottom = figure.subfigures(2, 1)
    panels = top.subplots(1, len(LAMBDAS), subplot_kw={"projection": "3d"})
    for panel, value in zip(panels, LAMBDAS, strict=True):
        draw_bars(panel, data[f"lambda {value:g}"])
        panel.set_title(f"lambda = {value:g}")
    for panel, how in zip(bottom.subplots(1, 4), WAYS, strict=True):
        for k, name in enumerate(READINGS):
            found = [data["readings"][name, how, value].spread for value in LAMBDAS]
            panel.semilogx(LAMBDAS, found, "o-", color=f"C{k}", label=name)
        panel.set(xlabel="lambda", ylabel="standard deviation / mean", title=how, ylim=(0, None))
    bottom.axes[0].legend(fontsize="small")
    return figure


def draw_bars(panel: Any, motion: st.Motion) -> None:
    """Bars of the mean force where the vertices are, and lines for how much it varies."""
    when, under = settled(motion), vertices(motion)
    force = motion.force[when][:, under, 2]
    x, y, _ = motion.contact_points.position[when.start, under].T
    mean = force.mean(axis=0)
    panel.bar3d(x - WIDE / 2, y - WIDE / 2, 0 * mean, WIDE, WIDE, mean, color="C0", alpha=0.7)
    for k in range(len(under)):
        panel.plot([x[k]] * 2, [y[k]] * 2, np.percentile(force[:, k], [5, 95]), color="C3", lw=3)
    panel.set(xlabel="x [m]", ylabel="y [m]", zlabel="force [N]", zlim=(0, 1.2 * mean.max()))


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The standing robot with the largest lambda."""
    return {"lambda 4": data["lambda 4"]}
