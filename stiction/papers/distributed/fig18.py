"""Fig. 18: normal, tangential and pulling forces of a biped that is pulled until it slides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.metrics import ContactState
from stiction.papers.distributed.runs import held
from stiction.papers.distributed.slide import BEGINS, ENDS, SCENE, Slide, slid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PULL_ENDS = 0.46  # [s]
JOINTS = (3000.0, 60.0)  # springs [N m/rad] and dampers [N m s/rad] in place of prescribed joints


def data() -> dict[str, Any]:
    """The pull with prescribed joints and pitch, and with sprung joints and a free pitch."""
    slide = slid()
    free = slid(control=held(SCENE, *JOINTS))
    return {"slide": slide, "motion": slide.motion, "held": free}


def instants(slide: Slide) -> tuple[float, float]:
    """When the first point begins to slide, and when the last one stops [s]."""
    begins = slide.first(ContactState.TO_SLIP)
    return float(np.nanmin(begins)), float(np.nanmax(slide.first(ContactState.TO_STICK)))


def measures(data: dict[str, Any]) -> dict[str, float]:
    """The instants, and how the tangential force follows the pull."""
    slide: Slide = data["slide"]
    begins, ends = instants(slide)
    sticks = slide.time < begins
    apart = (slide.tangential.sum(axis=1) - slide.pull)[sticks] / slide.weight
    free_begins, free_ends = instants(data["held"])
    return {
        "begins_s": begins,
        "ends_s": ends,
        "after_pull_ms": 1e3 * (ends - PULL_ENDS),
        "follows_rms": float(np.sqrt(np.mean(apart**2))),
        "held_begins_s": free_begins,
        "held_ends_s": free_ends,
    }


def draw(data: dict[str, Any]) -> Figure:
    """Forces over time."""
    from matplotlib.figure import Figure

    slide: Slide = data["slide"]
    figure = Figure(figsize=(8.0, 4.5), layout="constrained")
    panel = figure.subplots()
    panel.plot(slide.time, slide.normal.sum(axis=1), label="normal")
    panel.plot(slide.time, slide.tangential.sum(axis=1), label="tangential")
    panel.plot(slide.time, slide.pull, "k--", label="pull")
    other: Slide = data["held"]
    total = other.tangential.sum(axis=1)
    panel.plot(other.time, total, linewidth=0.8, label="tangential, joints on springs, pitch free")
    for instant in (BEGINS, ENDS):
        panel.axvline(instant, color="0.6", linestyle=":")
    panel.set(xlabel="time [s]", ylabel="force [N]", ylim=(-300.0, 900.0))
    panel.margins(x=0)
    panel.legend(fontsize="small", loc="upper right", bbox_to_anchor=(1.0, 0.75))
    return figure
