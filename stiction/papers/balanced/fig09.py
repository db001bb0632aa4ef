"""Fig. 9: the centre of gravity of a walk with and without static friction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.balanced.measured import above_frequency, acceleration, vertices, weight
from stiction.papers.balanced.walks import FEET
from stiction.scenes import scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENES = {"with": "balanced-walk", "without": "balanced-dither"}
FAST = 20.0  # above the frequencies of the walk and of the robot on its membrane [Hz]
STANDS = 0.3  # of the weight: a foot that carries it is not landing or leaving
AXES = "xy"


def data() -> dict[str, Any]:
    """The walk with and without static friction."""
    return {name: scene(one).simulate() for name, one in SCENES.items()}


def sole_slip(motion: st.Motion) -> tuple[np.ndarray, np.ndarray]:
    """Mean slip of the vertices of each foot [m/s], (steps, 2, 3), and whether it stands."""
    slips, stands = [], []
    for foot in FEET:
        under = vertices(motion, foot)
        force = motion.force[:-1][:, under, 2]
        slips.append(np.nan_to_num(motion.slip[:-1][:, under]).mean(axis=1))
        stands.append((force > 0).all(axis=1) & (force.sum(axis=1) > STANDS * weight(motion)))
    return np.stack(slips, axis=1), np.stack(stands, axis=1)


def reversals(motion: st.Motion) -> float:
    """Share of the steps in which the slip of a standing sole reverses."""
    slip, stands = sole_slip(motion)
    both = stands[1:] & stands[:-1]
    return float(((slip[1:] * slip[:-1]).sum(axis=-1) < 0)[both].mean())


def slip_of(motion: st.Motion) -> float:
    """Root mean square of the slip of a standing sole [m/s]."""
    slip, stands = sole_slip(motion)
    return float(np.sqrt((slip[stands] ** 2).sum(axis=-1).mean()))


def oscillation(motion: st.Motion) -> float:
    """Root mean square of the fast part of the horizontal acceleration [m/s2]."""
    fast = above_frequency(acceleration(motion)[:, :2], motion.parameters["dt"], FAST)
    return float(np.sqrt((fast**2).sum(axis=1).mean()))


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Distance of the loci, oscillations, slips."""
    firm, loose = data["with"], data["without"]
    apart = np.linalg.norm((firm.centre_of_mass() - loose.centre_of_mass())[:, :2], axis=1)
    return {
        "loci_apart": 1e3 * float(apart.max()),
        "oscillation_with": oscillation(firm),
        "oscillation_without": oscillation(loose),
        "oscillation_ratio": oscillation(loose) / oscillation(firm),
        "reversals_with": 100 * reversals(firm),
        "reversals_without": 100 * reversals(loose),
        "slip_with": 1e3 * slip_of(firm),
        "slip_without": 1e3 * slip_of(loose),
        "slip_ratio": slip_of(firm) / slip_of(loose),
        "cone_violation": float(np.nanmax(firm.cone_violation())),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Loci of the centre of gravity, and its acceleration along x and y, as in the paper."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6.5), layout="constrained")
    panels = figure.subplots(2, 3)
    for row, labels, (name, motion) in zip(panels, ("ABC", "DEF"), data.items(), strict=True):
        centre, along = motion.centre_of_mass(), acceleration(motion)
        row[0].plot(1e3 * centre[:, 0], 1e3 * centre[:, 1], lw=1)
        row[0].set(
            xlabel="x [mm]",
            ylabel="y [mm]",
            aspect="equal",
            title=f"({labels[0]}) {name} static friction",
        )
        for k, axis in enumerate(AXES):
            row[1 + k].plot(motion.time[:-1], along[:, k], lw=0.6)
            row[1 + k].set(
                xlabel="t [s]",
                ylabel=f"acceleration along {axis} [m/s²]",
                title=f"({labels[1 + k]})",
            )
    for column in panels.T[1:]:
        most = max(abs(limit) for panel in column for limit in panel.get_ylim())
        for panel in column:
            panel.set_ylim(-most, most)
    return figure


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The walk without static friction; that with it is in Fig. 10."""
    return {"without static friction": data["without"]}
