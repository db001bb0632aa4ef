"""Fig. 15: normal force of each foot in a walk at 1.35 m/s; two maxima and a minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import stiction as st
from stiction.papers.distributed.fig14 import drawn
from stiction.papers.distributed.walk import Walk, walked

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def data() -> dict[str, Any]:
    """The walk, and the same with a damper that starts from zero."""
    walk = walked()
    smooth = walked(law=st.Distributed(beta=1.0, damping=450.0 * 0.01**0.02 / 0.01))
    return {"walk": walk, "motion": walk.motion, "beta = 1": smooth}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """The worst of all stances."""
    walk: Walk = data["walk"]
    first, least, second = walk.humps().T
    return {
        "first_maximum": float(first.min()),
        "minimum": float(least.max()),
        "second_maximum": float(second.min()),
        "stances": float(len(first)),
        "largest_change_per_ms": walk.largest_change(),
        "largest_change_per_ms_smooth": data["beta = 1"].largest_change(),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Normal force of both feet over two strides."""
    return drawn(data["walk"], 2, "normal force [N]")


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The walk."""
    return {"walk": data["motion"]}
