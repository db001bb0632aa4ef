"""Fig. 13: the biped falls from 30 cm; how its weight comes to rest on the printed sole.

The joints are prescribed, or held by springs and dampers of various stiffness: the time back to 110 %
of the weight depends on the body more than on the sole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.distributed.runs import forces, held, run, weight

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE = "distributed-drop"
PRINTED = 12.0  # [ms]
# joints held by springs [N m/rad] and dampers [N m s/rad]
STIFFNESSES = (300.0, 1000.0, 3000.0, 10000.0)
DAMPINGS = (3.0, 10.0, 30.0, 100.0, 300.0)
SHOWN = ((3000.0, 10.0), (3000.0, 100.0))


def data() -> dict[str, Any]:
    """The fall with prescribed joints, with the damper of beta = 1, and with held joints."""
    smooth = st.Distributed(beta=1.0, damping=450.0 * 0.01**0.02 / 0.01)
    found: dict[str, Any] = {
        "prescribed": run(SCENE),
        "prescribed, beta = 1": run(SCENE, law=smooth),
    }
    table = np.full((len(DAMPINGS), len(STIFFNESSES)), np.nan)
    rises = table.copy()
    for j, stiffness in enumerate(STIFFNESSES):
        for i, damping in enumerate(DAMPINGS):
            motion = run(SCENE, control=held(SCENE, stiffness, damping), duration=0.4)
            landing = measured(motion)
            table[i, j], rises[i, j] = landing["return_ms"], landing["rise_after_peak"]
            if (stiffness, damping) in SHOWN:
                found[f"held, {stiffness:g} N m/rad, {damping:g} N m s/rad"] = motion
    return found | {"return_ms": table, "rises": rises}


def reaction(motion: st.Motion) -> tuple[np.ndarray, np.ndarray]:
    """Time from the first touch [s], and the total normal force over the weight."""
    total = sum(force[:, 2] for force in forces(motion).values()) / weight(motion)
    first = int(np.flatnonzero(total > 0)[0])
    return motion.time - motion.time[first], total


def measured(motion: st.Motion) -> dict[str, float]:
    """The numbers of one fall."""
    time, total = reaction(motion)
    first, top = int(np.flatnonzero(total > 0)[0]), int(np.argmax(total))
    after = total[top:]
    below = np.flatnonzero(after <= 1.1)
    falling = np.minimum.accumulate(after)
    depth = motion.deepest()
    return {
        "peak_over_weight": float(total[top]),
        "peak_after_ms": 1e3 * float(time[top]),
        "first_over_peak": float(total[first] / total[top]),
        "return_ms": 1e3 * float(time[top + below[0]] - time[top]) if len(below) else np.nan,
        "rise_after_peak": float((after - falling).max()),
        "final_over_weight": float(np.interp(0.5, time, total)),
        "deepest_mm": 1e3 * float(np.nanmax(depth)),
    }


def measures(data: dict[str, Any]) -> dict[str, float]:
    """The numbers of the fall with prescribed joints, and where held joints come nearest."""
    found = measured(data["prescribed"])
    smooth = measured(data["prescribed, beta = 1"])
    table, rises = data["return_ms"], data["rises"]
    i, j = np.unravel_index(np.nanargmin(np.abs(table - PRINTED)), table.shape)
    return found | {
        "first_over_peak_smooth": smooth["first_over_peak"],
        "return_ms_smooth": smooth["return_ms"],
        "held_nearest_ms": float(table[i, j]),
        "held_nearest_stiffness": STIFFNESSES[j],
        "held_nearest_damping": DAMPINGS[i],
        "held_nearest_rise": float(rises[i, j]),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Ground reaction over time, and the map of the time back to 110 % of the weight."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    for name, motion in data.items():
        if isinstance(motion, st.Motion):
            time, total = reaction(motion)
            inside = (time > -0.005) & (time < 0.1)
            left.plot(time[inside], total[inside] * weight(motion), label=name, linewidth=1.3)
    left.axhline(1.1 * weight(data["prescribed"]), color="0.5", linestyle=":", label="110 %")
    left.set(xlabel="time from the touch [s]", ylabel="normal force [N]", yscale="symlog")
    left.legend(fontsize="small")
    _map(right, data["return_ms"])
    return figure


def _map(panel: Any, table: np.ndarray) -> None:
    """Time back to 110 % of the weight for held joints."""
    shown = panel.imshow(table, origin="lower", aspect="auto", cmap="viridis")
    panel.set_xticks(range(len(STIFFNESSES)), [f"{value:g}" for value in STIFFNESSES])
    panel.set_yticks(range(len(DAMPINGS)), [f"{value:g}" for value in DAMPINGS])
    for (i, j), value in np.ndenumerate(table):
        panel.text(j, i, f"{value:.0f}", ha="center", va="center", color="w", fontsize="small")
    panel.set(xlabel="stiffness of the joints [N m/rad]", ylabel="damping [N m s/rad]")
    panel.set_title("time back to 110 % [ms]; printed: 12", fontsize="medium")
    panel.figure.colorbar(shown, ax=panel)


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The fall."""
    return {"fall": data["prescribed"]}
