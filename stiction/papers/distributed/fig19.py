"""Fig. 19: what the testing points do while the biped sticks, slides and sticks again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.metrics import ContactState
from stiction.papers.distributed.slide import COURSE, Slide, course, slid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = {
    ContactState.STICK: "adherence",
    ContactState.TO_SLIP: "to sliding",
    ContactState.SLIP: "sliding",
    ContactState.TO_STICK: "to adherence",
}
LETTERS = {"a": 0.01, "b": 0.1, "c": 0.161, "d": 0.3, "e": 0.488, "a again": 0.69}  # [s]


def data() -> dict[str, Any]:
    """The pull."""
    slide = slid()
    return {"slide": slide, "motion": slide.motion}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Whether points begin and stop together, and in which order."""
    slide: Slide = data["slide"]
    begins, ends = slide.first(ContactState.TO_SLIP), slide.first(ContactState.TO_STICK)
    points = slide.states.reshape(len(slide.time), -1)
    ordered = [course(points[:, k]) == COURSE for k in range(points.shape[1])]
    return {
        "begin_spread_ms": 1e3 * float(np.ptp(begins, axis=1).max()),
        "begin_spread_feet_ms": 1e3 * float(np.ptp(begins)),
        "end_spread_ms": 1e3 * float(np.ptp(ends)),
        "points_in_order": float(np.mean(ordered)),
        "final_speed_mm_s": 1e3 * float(np.abs(slide.speed[-1]).max()),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Forces of the points of both feet in each phase; below, how many points do what."""
    from matplotlib.figure import Figure

    slide: Slide = data["slide"]
    figure = Figure(figsize=(11.0, 4.2), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=(1, 1.2))
    above, below = parts
    panels = above.subplots(1, len(LETTERS), sharey=True)
    above.suptitle("forces of the points, 80 N per metre", fontsize="medium")
    for panel, (letter, instant) in zip(panels, LETTERS.items(), strict=True):
        _arrows(panel, slide, int(np.searchsorted(slide.time, instant)))
        panel.set_title(f"{letter}: {instant:g} s", fontsize="small")
    panel = below.subplots()
    points = slide.states.reshape(len(slide.time), -1)
    counts = [(points == state).sum(axis=1) for state in NAMES]
    panel.stackplot(slide.time, counts, labels=list(NAMES.values()))
    panel.set(xlabel="time [s]", ylabel="points of both feet")
    panel.margins(x=0)
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure


def _arrows(panel: Any, slide: Slide, k: int) -> None:
    """Forces of the points at one moment, seen from the side."""
    motion = slide.motion
    pushed = motion.pushed_points()
    at, force = motion.contact_points.position[k, pushed], motion.force[k, pushed]
    x = at[:, 0] - motion.q[k, 0]
    panel.quiver(
        x, at[:, 2], force[:, 0], force[:, 2], angles="xy", scale_units="xy", scale=80, width=0.006
    )
    panel.axhline(0.0, color="0.5", linewidth=0.8)
    panel.set(xlim=(-0.6, 0.6), ylim=(-0.05, 0.4), xlabel="x [m]", aspect="equal")
