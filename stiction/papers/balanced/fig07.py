"""Fig. 7: the force on a vertex of the left sole while hoap1 stands, for lambda 0.01, 0.1, 1, 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.balanced.measured import ratios, vertex_force
from stiction.papers.balanced.standing import (
    LAMBDAS,
    READINGS,
    SINKS,
    WAYS,
    readings,
    short,
    stand,
    told,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def data() -> dict[str, Any]:
    """The standing robot with each lambda, and all readings of the model."""
    still = {f"lambda {value:g}": stand(value) for value in (*LAMBDAS, SINKS)}
    up = {f"up, lambda {value:g}": stand(value, name="balanced-stand-up") for value in LAMBDAS}
    return still | up | {"readings": readings()}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Chatter, peak and sinking of the scene; and the same ratios of the other readings."""
    found = {value: told(data[f"lambda {value:g}"]) for value in (*LAMBDAS, SINKS)}
    values = {
        **falls([found[value].chatter for value in LAMBDAS], "chatter"),
        "peak_over_mean_001": found[0.01].peak / found[0.01].mean,
        "chatter_over_mean_4": 100 * found[4.0].chatter / found[4.0].mean,
        "sinking_4": 1e3 * found[4.0].sinking,
        "sinking_7": 1e3 * found[SINKS].sinking,
        **{f"peak_{value:g}": vertex_force(data[f"lambda {value:g}"]).max() for value in LAMBDAS},
    }
    for name in READINGS:
        for how in WAYS:
            runs = [data["readings"][name, how, value] for value in LAMBDAS]
            label = short(how, name)
            values |= falls([run.chatter for run in runs], f"chatter_{label}")
            values[f"chatter_{label}_001"] = runs[0].chatter
            values[f"peak_over_mean_001_{label}"] = runs[0].peak / runs[0].mean
        for value in (*LAMBDAS, SINKS):
            sinks = data["readings"][name, "stands", value].sinking
            values[f"sinking_{value:g}_{short(name)}"] = 1e3 * sinks
    return values


def falls(values: list[float], name: str) -> dict[str, float]:
    """How a quantity follows lambda."""
    return {
        f"{name}_4_over_001": values[-1] / values[0],
        f"{name}_largest_ratio": float(ratios(values).max()),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Force over time for each lambda, as in the paper; below, chatter and sinking by reading."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 10), layout="constrained")
    panels = figure.subplots(3, 4)
    for prefix, row in zip(("", "up, "), panels, strict=False):
        for panel, value in zip(row, LAMBDAS, strict=True):
            motion: st.Motion = data[f"{prefix}lambda {value:g}"]
            panel.plot(motion.time[:-1], vertex_force(motion), lw=0.8)
            panel.set(title=f"lambda = {value:g}", xlabel="t [s]", ylim=(0, None))
        word = "stands up" if prefix else "stands"
        row[0].set_ylabel(f"{word}: force on a vertex [N]")
    for panel, how in zip(panels[2], ("stands", "stands up", "walks"), strict=False):
        draw_readings(panel, data, how, "chatter")
    draw_readings(panels[2, 3], data, "stands", "sinking")
    panels[2, 0].legend(fontsize="small")
    return figure


def draw_readings(panel: Any, data: dict[str, Any], how: str, what: str) -> None:
    """A quantity over lambda for all readings of the model."""
    values = (*LAMBDAS, SINKS)
    scale, unit, word = {
        "chatter": (1.0, "N", "change of the force from step to step"),
        "sinking": (1e3, "mm/s", "speed of sinking"),
    }[what]
    for k, name in enumerate(READINGS):
        found = [scale * getattr(data["readings"][name, how, value], what) for value in values]
        panel.plot(values, np.maximum(found, 1e-6), "o-", color=f"C{k}", label=name)
    panel.set(xscale="log", yscale="log", xlabel="lambda", ylabel=f"{word} [{unit}]", title=how)


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The standing robot with the paper's lambda."""
    return {"lambda 1": data["lambda 1"]}
