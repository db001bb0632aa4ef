"""Fig. 17: the biped stands with spread legs and is pulled at both ankles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.distributed.slide import Slide, slid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PULLED_FROM = 0.02  # [s]
SHOWN = (0.0, 0.156, 0.3, 0.496, 0.7)  # [s]


def data() -> dict[str, Any]:
    """The pull."""
    slide = slid()
    return {"slide": slide, "motion": slide.motion}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Tangential forces before the pull, and how far the feet are apart."""
    slide: Slide = data["slide"]
    k = int(np.searchsorted(slide.time, PULLED_FROM - 1e-9))
    return {
        "steady_tangential": float(np.abs(slide.tangential[k]).sum() / slide.weight),
        "steady_normal": float(slide.normal[k].sum() / slide.weight),
        "way": float(slide.motion.q[-1, 0] - slide.motion.q[0, 0]),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Snapshots before, during and after sliding."""
    from stiction.plot import snapshots

    return snapshots(data["motion"], SHOWN, ("side",), follow=False)


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The pull."""
    return {"pull": data["motion"]}
