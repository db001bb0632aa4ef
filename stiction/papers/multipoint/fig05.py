"""Fig. 5: HOAP-1 is pushed and falls; feet, knees, hands and trunk touch, unclassified."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.scenes.verdict import energy_given
from stiction.world.contact_points import contact_points_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE = "multipoint-fall"
G, HEIGHT = 9.81, 0.48  # of hoap1 [m]
LAST = 200  # steps over which it must lie still


def data() -> dict[str, Any]:
    """The fall."""
    return {"fall": st.scenes.scene(SCENE).simulate()}


def contact_states(motion: st.Motion) -> int:
    """Number of different sets of links that bear on the ground."""
    points, _, _ = contact_points_of(motion.world)
    touched = motion.touched
    pressed = np.nan_to_num(touched.values["force"])[:, 2] > 0
    sets: dict[int, set[int]] = {}
    for row, point in zip(touched.row[pressed], touched.point[pressed], strict=True):
        sets.setdefault(int(row), set()).add(int(points.link[point]))
    return len({frozenset(links) for links in sets.values()})


def measures(data: dict[str, Any]) -> dict[str, float]:
    """How it ends, and what the ground did."""
    motion: st.Motion = data["fall"]
    unit = motion.world.total_mass * G * HEIGHT
    return {
        "lean": float(st.plot.lean(motion)[-1]),
        "energy left": float(motion.energy().kinetic[-LAST:].mean() / unit),
        "energy gained": energy_given(motion) / unit,
        "contact states": contact_states(motion),
        "greatest depth": 1000 * float(np.nanmax(motion.deepest())),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Snapshots, as in the paper."""
    return st.plot.snapshots(data["fall"], times=np.linspace(1.0, 3.0, 9))


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The fall."""
    motion: st.Motion = data["fall"]
    return {"fall": motion.rows(np.arange(0, len(motion), 10))}
