"""Fig. 13: the biped falls from 30 cm; how its weight comes to rest on the printed sole.

The joints are prescribed, held by springs and dampers, or limp; and the sole is damped more. The
time back to 110 % of the weight shows which body and which sole the paper may have had.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.distributed.runs import forces, held, run, weight
from stiction.robots.hanavan import Measurements

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE = "distributed-drop"
PRINTED = 12.0  # [ms]
STIFFNESSES = (300.0, 1000.0, 3000.0, 10000.0)  # of held joints [N m/rad]
DAMPINGS = (3.0, 10.0, 30.0, 100.0)  # [N m s/rad]
SHOWN = (3000.0, 30.0)
KNEES = (0.3, 0.4, 0.5, 0.6, 0.7)  # bend of limp knees [rad]
DAMPED = (1.0, 2.0, 3.0, 4.0)  # damping of the sole, times the printed one


def data() -> dict[str, Any]:
    """Falls with prescribed, held and limp joints, and on soles that are damped otherwise."""
    law = st.Distributed()
    smooth = law._replace(beta=1.0, damping=law.damping * 0.01**law.beta / 0.01)
    found: dict[str, Any] = {
        "joints prescribed": run(SCENE),
        "prescribed, beta = 1": run(SCENE, law=smooth),
    }
    for times in DAMPED[1:]:
        motion = run(SCENE, law=law._replace(damping=times * law.damping), duration=0.4)
        found[f"prescribed, damping x {times:g}"] = motion
    for knee in KNEES:
        scene = bent(knee)
        found[f"limp, knees {knee:g} rad"] = run(scene, control=held(scene, 0.0, 0.0), duration=0.4)
    tables = np.full((2, len(DAMPINGS), len(STIFFNESSES)), np.nan)
    for i, j in np.ndindex(tables.shape[1:]):
        gains = STIFFNESSES[j], DAMPINGS[i]
        motion = run(SCENE, control=held(SCENE, *gains), duration=0.4)
        landing = measured(motion)
        tables[:, i, j] = landing["return_ms"], landing["rise_after_peak"]
        if gains == SHOWN:
            found[f"held, {gains[0]:g} N m/rad, {gains[1]:g} N m s/rad"] = motion
    return found | {"return_ms": tables[0], "rises": tables[1]}


def bent(knee: float) -> st.Scene:
    """The scene with bent knees, ankles below the hips and flat soles."""
    scene, body = st.scenes.scene(SCENE), Measurements()
    thigh = body.trochanteric_height - body.tibiale_height
    shank = body.tibiale_height - body.sphyrion_height
    hip = -math.atan2(shank * math.sin(knee), thigh + shank * math.cos(knee))
    angles = {"hip": hip, "knee": knee, "ankle": -hip - knee}
    joints = {
        f"{side}_{name}_pitch": value
        for side in ("left", "right")
        for name, value in angles.items()
    }
    return replace(scene, robots=(replace(scene.robots[0], joints=joints),))


def reaction(motion: st.Motion) -> tuple[np.ndarray, np.ndarray]:
    """Time from the first touch [s], and the total normal force over the weight."""
    total = np.sum([force[:, 2] for force in forces(motion).values()], axis=0) / weight(motion)
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
    """The numbers of the fall with prescribed joints, and what brings 12 ms."""
    found = measured(data["joints prescribed"])
    smooth = measured(data["prescribed, beta = 1"])
    table = data["return_ms"]
    limp = {knee: measured(data[f"limp, knees {knee:g} rad"]) for knee in KNEES}
    near = min(limp, key=lambda knee: abs(limp[knee]["return_ms"] - PRINTED))
    damped = {f"return_ms_damping_{times:g}": _damped(data, times) for times in DAMPED[1:]}
    return found | {
        "first_over_peak_smooth": smooth["first_over_peak"],
        "return_ms_smooth": smooth["return_ms"],
        "held_shortest_ms": float(np.nanmin(table)),
        "held_longest_ms": float(np.nanmax(table)),
        "limp_nearest_knees": near,
        "limp_nearest_ms": limp[near]["return_ms"],
        "limp_nearest_rise": limp[near]["rise_after_peak"],
        "rise_damping_2": measured(data["prescribed, damping x 2"])["rise_after_peak"],
        **damped,
    }


def _damped(data: dict[str, Any], times: float) -> float:
    return measured(data[f"prescribed, damping x {times:g}"])["return_ms"]


def draw(data: dict[str, Any]) -> Figure:
    """Ground reaction over time, and the map of the time back to 110 % of the weight."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 4.5), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=(3, 3, 3))
    shown = [name for name in data if "prescribed" in name or "held" in name]
    shown += ["limp, knees 0.5 rad"]
    total = weight(data["joints prescribed"])
    for panel, until in ((left, 0.01), (middle, 0.1)):
        for name in shown:
            time, force = reaction(data[name])
            inside = (time > -0.001) & (time < until)
            panel.plot(time[inside], force[inside] * total, label=name, linewidth=1.2)
        panel.axhline(1.1 * total, color="0.5", linestyle=":", label="110 %")
        panel.set(xlabel="time from the touch [s]", ylabel="normal force [N]")
    middle.set_ylim(0.0, 6000.0)
    middle.axvline(1e-3 * PRINTED, color="0.5", linestyle="--", label="12 ms")
    middle.legend(fontsize="x-small")
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
    panel.set_title("held joints: time back to 110 % [ms]", fontsize="medium")
    panel.figure.colorbar(shown, ax=panel)


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The fall."""
    return {"fall": data["joints prescribed"], "limp": data["limp, knees 0.5 rad"]}
