"""Fig. 14: tangential force of each foot in a walk at 1.35 m/s."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.collision.belt import velocities_at
from stiction.papers.distributed.gait import PERIOD
from stiction.papers.distributed.runs import extrema, smoothed
from stiction.papers.distributed.walk import SETTLED, Walk, walked
from stiction.world.ground import Plane

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VISIBLE = 0.01  # of the weight: a bump that is seen in the figure


def data() -> dict[str, Any]:
    """The walk."""
    walk = walked()
    return {"walk": walk, "motion": walk.motion}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Speed, braking and pushing, and smoothness."""
    walk: Walk = data["walk"]
    ground = walk.motion.world.ground
    assert isinstance(ground, Plane)
    belt = -velocities_at(ground.bind().belt, 0.0)[0]
    strides = int((walk.time[-1] - SETTLED) / PERIOD)
    first, last = (
        np.interp(SETTLED + k * PERIOD, walk.time, walk.motion.q[:, 0]) for k in (0, strides)
    )
    halves = [_halves(curve) for curve in walk.curves(0)]
    counts = [extrema(curve, VISIBLE) for curve in walk.curves(0, None)]
    return {
        "speed": float(belt + (last - first) / (strides * PERIOD)),
        "push_minus_brake": float(np.mean([push - brake for brake, push in halves])),
        "brake": float(np.mean([brake for brake, _ in halves])),
        "push": float(np.mean([push for _, push in halves])),
        "tangential_extrema": float(min(counts)),
    }


def _halves(curve: np.ndarray) -> tuple[float, float]:
    """Means of both halves of a stance."""
    middle = len(curve) // 2
    return float(curve[:middle].mean()), float(curve[middle:].mean())


def draw(data: dict[str, Any]) -> Figure:
    """Tangential force of both feet over two strides."""
    return drawn(data["walk"], 0, "tangential force [N]")


def drawn(walk: Walk, axis: int, label: str) -> Figure:
    """Force of both feet along an axis over two strides, and without what is above 20 Hz."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.0), layout="constrained")
    panel = figure.subplots()
    inside = (walk.time >= SETTLED) & (walk.time <= SETTLED + 2 * PERIOD)
    for (foot, force), colour in zip(walk.force.items(), ("C0", "C1"), strict=True):
        smooth = smoothed(walk.time, force[:, axis : axis + 1])[:, 0]
        panel.plot(walk.time[inside], force[inside, axis], color=colour, linewidth=0.8, alpha=0.5)
        panel.plot(walk.time[inside], smooth[inside], color=colour, label=f"{foot}, below 20 Hz")
    if axis == 2:
        panel.axhline(walk.weight, color="0.4", linestyle="--", label="weight")
    panel.set(xlabel="time [s]", ylabel=label)
    panel.margins(x=0)
    panel.legend(fontsize="small")
    return figure
