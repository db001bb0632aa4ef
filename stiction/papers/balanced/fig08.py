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
HIGHEST = 16.0  # force in the bars [N]


def data() -> dict[str, Any]:
    """The standing robot with each lambda, and all readings of the model."""
    still = {f"lambda {value:g}": stand(value) for value in LAMBDAS}
    up = {f"up, lambda {value:g}": stand(value, name="balanced-stand-up") for value in LAMBDAS}
    return still | up | {"readings": readings()}


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
    """Forces on the vertices: means of standing, the most uneven moment of standing up."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 10), layout="constrained")
    halves: Any = figure.subfigures(2, 1, height_ratios=[1.8, 1.0])
    top, bottom = halves
    rows = top.subplots(2, len(LAMBDAS), subplot_kw={"projection": "3d"})
    for prefix, row in zip(("", "up, "), rows, strict=True):
        for panel, value in zip(row, LAMBDAS, strict=True):
            motion: st.Motion = data[f"{prefix}lambda {value:g}"]
            force = uneven(motion) if prefix else mean_forces(motion)
            draw_bars(panel, motion, force)
            word = "stands up, most uneven" if prefix else "stands, mean"
            panel.set_title(f"lambda = {value:g}: {word} [N]", fontsize="small")
    for panel, how in zip(bottom.subplots(1, 4), WAYS, strict=True):
        for k, name in enumerate(READINGS):
            found = [data["readings"][name, how, value].widest for value in LAMBDAS]
            panel.semilogx(LAMBDAS, found, "o-", color=f"C{k}", label=name)
        panel.set(xlabel="lambda", title=how, ylim=(0, None))
    bottom.axes[0].set_ylabel("largest standard deviation / mean")
    bottom.axes[2].legend(fontsize="small")
    return figure


def mean_forces(motion: st.Motion) -> np.ndarray:
    """Mean force on each vertex [N]."""
    return motion.force[settled(motion)][:, vertices(motion), 2].mean(axis=0)


def uneven(motion: st.Motion) -> np.ndarray:
    """Force on each vertex at the moment when they differ most [N]."""
    when = settled(motion)
    k = when.start + int(np.nanargmax(motion.force_spread("left_foot")[when]))
    return motion.force[k, vertices(motion), 2]


def draw_bars(panel: Any, motion: st.Motion, force: np.ndarray) -> None:
    """Bars where the vertices are."""
    x, y, _ = motion.contact_points.position[0, vertices(motion)].T
    panel.bar3d(x - WIDE / 2, y - WIDE / 2, 0 * force, WIDE, WIDE, force, color="C0", alpha=0.7)
    panel.set(xlabel="x [m]", ylabel="y [m]", zlim=(0, HIGHEST))
    panel.locator_params(nbins=4)


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The standing robot with the largest lambda."""
    return {"lambda 4": data["lambda 4"]}
