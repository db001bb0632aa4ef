"""Section 3.2.1: how many points a sole needs, for a progressive contact and rough ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.metrics.points import point_positions, points_under
from stiction.papers.distributed.runs import FEET, shared
from stiction.papers.distributed.walk import Walk, walked
from stiction.tune.sole import Task, coarsest_grid, sole_size, tune_sole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROWS = (2, 3, 6, 11, 16)  # of points along the foot, 3 abreast
SLAP = 0.35  # of a stance, in which the foot comes down flat
AMPLITUDES = (0.0, 0.001, 0.002, 0.004, 0.008)  # [m]
WAVELENGTHS = (0.2, 0.1, 0.05)  # [m]
UNSEEN = 5e-4  # [m]


def data() -> dict[str, Any]:
    """The walk on soles of various grids, grids for rough ground, and the sole that is tuned."""
    law = st.Distributed()
    walks = {rows: walked(rows=rows, law=shared(law, 3 * rows)) for rows in ROWS}
    robot = st.robots.hanavan()
    size = sole_size(robot, "left_foot")
    grids = np.array([[_grid(size, a, w) for a in AMPLITUDES] for w in WAVELENGTHS])
    coarse = Task(amplitude=0.005, wavelength=0.1)
    bump = coarsest_grid(*size, coarse, allowed=np.inf)[2]
    return {"walks": walks, "grids": grids, "bump": bump, "tuned": tune_sole(robot, "left_foot")}


def _grid(size: tuple[float, float], amplitude: float, wavelength: float) -> int:
    """Number of points of the coarsest grid that feels the ground."""
    task = Task(amplitude=amplitude, wavelength=wavelength)
    along, across, _ = coarsest_grid(*size, task, UNSEEN)
    return along * across


def toe_peak(walk: Walk) -> float:
    """Largest normal force on the foremost row while the foot comes down, over the weight."""
    peaks = []
    for foot in FEET:
        under = points_under(walk.motion, foot)
        ahead = _foremost(walk.motion, under)
        force = walk.motion.total_force(under[ahead])[:, 2]
        peaks += [force[a : a + int(SLAP * (b - a))].max() for a, b in walk.stances[foot]]
    return float(max(peaks)) / walk.weight


def _foremost(motion: st.Motion, under: np.ndarray) -> np.ndarray:
    """Which points of a foot are in its foremost row: the lowest just before lift-off is one."""
    at = point_positions(motion)[:, under]
    spread = np.linalg.norm(at - at.mean(axis=1, keepdims=True), axis=2)[0]
    middle = at[0].mean(axis=0)
    along = (at[0] - middle)[:, 0]
    return np.flatnonzero((along > 0) & (spread >= spread[along > 0].max() - 0.02))


def measures(data: dict[str, Any]) -> dict[str, float]:
    """What the number of points changes."""
    walks: dict[int, Walk] = data["walks"]
    change = {rows: walk.largest_change() for rows, walk in walks.items()}
    toes = {rows: toe_peak(walk) for rows, walk in walks.items()}
    rough = dict(zip(AMPLITUDES, data["grids"][WAVELENGTHS.index(0.1)], strict=True))
    tuned = {row["what"]: row["found"] for row in data["tuned"]["largest"]}
    points = data["tuned"]["points"]
    return {
        "toe_peak_2_over_6": toes[2] / toes[6],
        "change_16_over_2": change[16] / change[2],
        "bump_4_mm": 1e3 * float(data["bump"]),
        "points_8_over_2": float(rough[0.008] / rough[0.002]),
        "tuned_depth_mm": 1e3 * tuned["depth [m]"],
        "tuned_shift_mm": 1e3 * tuned["shift [m]"],
        "tuned_points": float(points["along"] * points["across"]),
        **{f"change_{rows}": value for rows, value in change.items()},
        **{f"toe_peak_{rows}": value for rows, value in toes.items()},
    }


def draw(data: dict[str, Any]) -> Figure:
    """Forces of a stance for several grids; largest change; points over the ground's roughness."""
    from matplotlib.figure import Figure

    walks: dict[int, Walk] = data["walks"]
    figure = Figure(figsize=(12.0, 4.0), layout="constrained")
    first, second, third = figure.subplots(1, 3)
    for rows, walk in walks.items():
        a, b = walk.stances["right_foot"][0]
        force = walk.force["right_foot"][a : b + 1, 2]
        first.plot(walk.time[a : b + 1] - walk.time[a], force, label=f"{rows} x 3", linewidth=1)
    first.set(xlabel="time from heel-touch [s]", ylabel="normal force [N]")
    first.legend(fontsize="small", title="points")
    count = [3 * rows for rows in walks]
    second.plot(
        count, [walk.largest_change() for walk in walks.values()], "o-", label="change in 1 ms"
    )
    second.plot(count, [toe_peak(walk) for walk in walks.values()], "s-", label="peak on the toes")
    second.set(xlabel="points under a foot", ylabel="over the weight", xscale="log", ylim=(0, None))
    second.legend(fontsize="small")
    for wavelength, row in zip(WAVELENGTHS, data["grids"], strict=True):
        third.plot(1e3 * np.array(AMPLITUDES), row, "o-", label=f"{wavelength:g} m")
    third.set(xlabel="amplitude of the ground [mm]", ylabel="points that feel all bumps of 0.5 mm")
    third.set_yscale("log")
    third.legend(fontsize="small", title="wavelength")
    return figure
