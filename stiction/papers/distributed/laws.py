"""Eqs. (5), (13) to (15): the laws before the paper's own, on a ball that lands and leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MASS, SPEED = 1.0, 1.0  # of the ball [kg], [m/s]
DT = 2e-5  # [s]
# as printed: not cut off where they pull; stiffness and damping are ours, for depths of about 1 cm
LAWS = {
    "linear, Eq. (5)": st.HuntCrossley(1.0e4, 40.0, 1.0, 0.0, unilateral=0.0),
    "Hertz, Eq. (13)": st.HuntCrossley(1.0e5, 0.0, 1.5, 0.0, unilateral=0.0),
    "Kelvin-Voigt, Eq. (14)": st.HuntCrossley(1.0e5, 40.0, 1.5, 0.0, unilateral=0.0),
    "Hunt-Crossley, Eq. (15)": st.HuntCrossley(1.0e5, 5.0e4, 1.5, 1.5, unilateral=0.0),
    "both exponents, Eq. (16)": st.HuntCrossley(1.0e5, 40.0, 1.5, 0.02, unilateral=0.0),
}


def data() -> dict[str, Any]:
    """A ball in free flight, without gravity, that hits the ground under each law."""
    world = st.World(st.robots.ball(mass=MASS), gravity=(0.0, 0.0, 0.0))
    state = world.standing(above=1e-6)
    state.v[2] = -SPEED
    return {
        name: st.simulate(world, law, duration=0.06, dt=DT, state=state)
        for name, law in LAWS.items()
    }


def impact(motion: st.Motion) -> tuple[np.ndarray, np.ndarray]:
    """Time and force of the steps in which the ball touches [s], [N]."""
    touching = np.flatnonzero(motion.depth[:-1].max(axis=1) > 0)
    return motion.time[touching], motion.force[touching, :, 2].sum(axis=1)


def measures(data: dict[str, Any]) -> dict[str, float]:
    """First and least force of each law, and the energy that it leaves."""
    found = {}
    for key, name in zip(("linear", "hertz", "kelvin", "hunt_crossley", "both"), data, strict=True):
        motion, law = data[name], LAWS[name]
        _, force = impact(motion)
        found[f"{key}_first_over_peak"] = float(force[0] / force.max())
        found[f"{key}_least_over_peak"] = float(force.min() / force.max())
        found[f"{key}_energy"] = float((motion.v[-1, 2] / SPEED) ** 2)
        if law.damping > 0:
            found[f"{key}_first_over_damper"] = float(force[0] / (law.damping * SPEED))
    return found


def draw(data: dict[str, Any]) -> Figure:
    """Force over time under each law."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.5), layout="constrained")
    panel = figure.subplots()
    for name, motion in data.items():
        time, force = impact(motion)
        panel.plot(1e3 * (time - time[0]), force, label=name)
    panel.axhline(0.0, color="0.5", linewidth=0.8)
    panel.set(xlabel="time from the touch [ms]", ylabel="normal force [N]")
    panel.legend(fontsize="small")
    return figure
