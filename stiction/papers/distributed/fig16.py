"""Fig. 16: the phases of contact in a walk, the moment about the ankle and the pressure centre."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.metrics import ContactPhase
from stiction.metrics.points import followed_points, points_under
from stiction.papers.distributed.gait import PERIOD
from stiction.papers.distributed.runs import CARRIES, FEET, smoothed
from stiction.papers.distributed.walk import SETTLED, Walk, walked
from stiction.robots.hanavan import HEEL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT = 0.01  # a phase that lasts less does not count [s]
IN_ORDER = [ContactPhase.HEEL, ContactPhase.FLAT, ContactPhase.TOE]
# of the stride of the right foot: the six pictures of the paper's figure
PICTURES = {
    "end of single support": 0.48,
    "double support": 0.55,
    "lift-off": 0.61,
    "entire foot after heel-touch": 1.12,
    "middle of single support": 1.3,
}


def data() -> dict[str, Any]:
    """The walk."""
    walk = walked()
    return {"walk": walk, "motion": walk.motion}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Order of the phases, double support, points, moment and pressure centre, over all stances."""
    walk: Walk = data["walk"]
    ordered, points, moments, ways = [], [], [], []
    for foot in FEET:
        phases = walk.motion.contact_phases(foot)
        touching = (walk.motion.depth[:, points_under(walk.motion, foot)] > 0).sum(axis=1)
        moment = walk.motion.foot_wrench(foot).moment[:, 1]
        under = along_sole(walk, foot)
        for a, b in walk.stances[foot]:
            ordered.append(order(walk.time, phases[a : b + 1], a) == IN_ORDER)
            points.append(int(np.ptp(touching[a : b + 1])))
            moments.append(float(np.abs(moment[a : b + 1]).max()))
            ways.append(round(float(under[b - 1] - under[a + 1]), 9))  # 1, not a rounding more
    return {
        "stances_in_order": float(np.mean(ordered)),
        "double_support": double_support(walk),
        "points_most_minus_fewest": float(min(points)),
        "ankle_moment": float(min(moments)),
        "pressure_centre_way": float(min(ways)),
    }


def order(time: np.ndarray, phases: np.ndarray, first: int) -> list[ContactPhase]:
    """The phases of a stance in their order, without those that are short."""
    dt = float(time[1] - time[0])
    found = [(phase, len(list(run)) * dt) for phase, run in groupby(phases)]
    long = [ContactPhase(int(phase)) for phase, lasts in found if lasts >= SHORT]
    return [phase for phase, _ in groupby(long)]


def double_support(walk: Walk) -> float:
    """Fraction of the time after the first stride in which both feet carry."""
    later = walk.time >= SETTLED
    on = [force[later, 2] > CARRIES * walk.weight for force in walk.force.values()]
    return float(np.mean(on[0] & on[1]))


def along_sole(walk: Walk, foot: str) -> np.ndarray:
    """Pressure centre along the sole from the ankle, over the length of the foot, (n)."""
    under = points_under(walk.motion, foot)
    home = walk.motion.world.home()
    at = followed_points(walk.motion, home.q[None], home.v[None]).position[0, under, 0]
    ankle = at.min() + HEEL * np.ptp(at)  # soles are level at home
    pressure = np.nan_to_num(walk.motion.force[:, under, 2])
    with np.errstate(invalid="ignore", divide="ignore"):
        return (pressure @ (at - ankle)) / pressure.sum(axis=1) / np.ptp(at)


def draw(data: dict[str, Any]) -> Figure:
    """Snapshots as in the paper; phases, moments and pressure centres over two strides."""
    from matplotlib.figure import Figure

    from stiction.plot import draw_snapshots
    from stiction.plot.phases import draw_phases

    walk: Walk = data["walk"]
    figure = Figure(figsize=(11.0, 8.5), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=(1.1, 2))
    above, below = parts
    draw_snapshots(above, walk.motion, [SETTLED + PERIOD * at for at in PICTURES.values()])
    for panel, name in zip(above.axes, PICTURES, strict=True):
        panel.set_title(name, fontsize="small")
    panels = below.subplots(3, 1, sharex=True)
    inside = (walk.time >= SETTLED) & (walk.time <= SETTLED + 2 * PERIOD)
    draw_phases(panels[0], walk.motion.rows(np.flatnonzero(inside)), FEET)
    for foot in FEET:
        wrench = walk.motion.foot_wrench(foot).moment[:-1, 1:2]
        moment = smoothed(walk.time[:-1], wrench)[:, 0]
        panels[1].plot(walk.time[:-1][inside[:-1]], moment[inside[:-1]], label=foot)
        panels[2].plot(walk.time[inside], along_sole(walk, foot)[inside], label=foot)
    panels[1].set_ylabel("moment about the ankle,\nbelow 20 Hz [N m]")
    panels[2].set_ylabel("pressure centre\nfrom the ankle / foot")
    panels[2].set_xlabel("time [s]")
    for panel in panels:
        panel.margins(x=0)
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The walk."""
    return {"walk": data["motion"]}
