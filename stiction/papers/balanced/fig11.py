"""Fig. 11: hoap1 falls while it walks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.bench.walk_measures import walk_measures
from stiction.papers.balanced.measured import weight
from stiction.papers.balanced.walks import FEET, pattern_of
from stiction.plot import lean
from stiction.scenes import scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def data() -> dict[str, Any]:
    """The walk that ends on the floor, and its plan."""
    one = scene("balanced-fall")
    return {"fall": one.simulate(), "plan": pattern_of(one)}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """How the robot lies at the end, how deep it got, how many steps it made before."""
    motion = data["fall"]
    standing = weight(motion) * motion.centre_of_mass()[0, 2]
    return {
        "lean_at_the_end": float(lean(motion)[-1]),
        "steps_before": float(walk_measures(motion, data["plan"], FEET)["steps"]),
        "deepest": 1e3 * float(np.nanmax(motion.deepest())),
        "energy_left": 100 * float(motion.energy().kinetic[-1]) / standing,
        "fallen_after": float(motion.time[np.argmax(lean(motion) > 45.0)]),
    }


def draw(data: dict[str, Any]) -> Figure:
    """A strip of snapshots around the fall."""
    motion = data["fall"]
    falls = motion.time[np.argmax(lean(motion) > 45.0)]
    times = np.clip(falls + np.linspace(-1.4, 0.6, 9), 0.0, motion.time[-1])
    return st.plot.snapshots(motion, times, views=("oblique",))


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The fall."""
    return {"fall": data["fall"]}
