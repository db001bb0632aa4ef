"""Fig. 20: ratio of tangential to normal force, and the sliding velocity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.metrics import ContactState
from stiction.metrics.points import points_under
from stiction.papers.distributed.fig18 import JOINTS
from stiction.papers.distributed.runs import FEET, held
from stiction.papers.distributed.slide import SCENE, Slide, slid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAMBDA_S, LAMBDA_D = 0.7, 0.4


def data() -> dict[str, Any]:
    """The pull with prescribed joints and pitch, and with sprung joints and a free pitch."""
    slide = slid()
    free = slid(control=held(SCENE, *JOINTS))
    return {"slide": slide, "motion": slide.motion, "held": free}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """The ratio when sliding begins, while it lasts and in the end."""
    slide: Slide = data["slide"]
    sliding = slide.sliding
    ratio, V_t = slide.ratio[sliding], -slide.speed.mean(axis=1)[sliding]
    return {
        "ratio_at_begin": float(min(at_begin(slide))),
        "ratio_sliding": float(ratio.mean()),
        "fastest_m_s": float(slide.speed.max()),
        "ratio_velocity_correlation": round(float(np.corrcoef(ratio, V_t)[0, 1]), 9),
        "ratio_final": float(slide.ratio[-1]),
        "ratio_at_first_point": float(min(first_point(data["held"]))),
    }


def at_begin(slide: Slide) -> list[float]:
    """Largest ratio of each foot up to the instant at which it begins to slide."""
    found = []
    for foot in range(len(FEET)):
        begins = np.nanmin(slide.first(ContactState.TO_SLIP)[foot])
        until = slide.time <= begins + 1e-9
        ratio = np.abs(slide.tangential[until, foot]) / slide.normal[until, foot]
        found.append(float(ratio.max()))
    return found


def first_point(slide: Slide) -> list[float]:
    """Ratio of each foot when the first of its points reaches lambda_s of its own normal force."""
    found = []
    for foot, name in enumerate(FEET):
        force = slide.motion.force[: len(slide.time), points_under(slide.motion, name)]
        reached = np.abs(force[..., 0]) >= LAMBDA_S * force[..., 2]
        reached &= force[..., 2] > 0
        k = int(np.argmax(reached.any(axis=1)))
        found.append(float(abs(slide.tangential[k, foot]) / slide.normal[k, foot]))
    return found


def draw(data: dict[str, Any]) -> Figure:
    """Ratio and sliding velocity over time."""
    from matplotlib.figure import Figure

    slide: Slide = data["slide"]
    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(slide.time, slide.ratio, label="both feet")
    other: Slide = data["held"]
    above.plot(other.time, other.ratio, linewidth=0.8, label="joints on springs, pitch free")
    for level, name in ((LAMBDA_S, "static"), (LAMBDA_D, "dynamic")):
        above.axhline(level, color="0.5", linestyle=":", label=f"{name} friction {level}")
    above.set(ylabel="tangential / normal force", ylim=(0.0, 0.8))
    above.legend(fontsize="small")
    below.plot(slide.time, -slide.speed.mean(axis=1))
    below.set(xlabel="time [s]", ylabel="sliding velocity V_t [m/s]")
    below.margins(x=0)
    return figure
