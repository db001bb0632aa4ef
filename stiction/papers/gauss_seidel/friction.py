"""Static and dynamic friction: a brick on a slope, under the paper's model and under a penalty law.

The paper's title promises static friction, and its introduction says that penalty methods find it
difficult. A slope is gravity that is tilted, so that it can fall in any direction.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction import scenes
from stiction.motion.motion import Motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE = "gauss-seidel-slope"
MU, GRAVITY, DT = 0.4, 9.81, 0.001
HELD, SLIDES = 0.99, 1.5  # tangents of the slopes, over mu
HEADINGS = tuple(np.linspace(0, np.pi / 2, 7))
REST, SLIDE = 1.0, 0.5  # durations [s]
EXACT = st.GaussSeidel(mu_static=MU, mu_kinetic=MU)
# Eq. (7) of Sugihara & Nakamura as printed: no friction below a small speed, all of it above
PENALTY = st.SpringDamper(stiffness=2e4, damping=200.0, mu_kinetic=MU, sticking=0.0)
SPRING = PENALTY._replace(sticking=1.0)  # holds points by a spring along the ground
PENALTY_DT = 1e-4  # [s]


def data() -> dict[str, Any]:
    """Bricks on the gentler slope in all directions, and one on the steeper one."""
    held = [on_slope(EXACT, HELD * MU, heading, REST, DT) for heading in HEADINGS]
    laws = {
        name: on_slope(law, HELD * MU, 0.0, REST, PENALTY_DT)
        for name, law in (("penalty", PENALTY), ("penalty with a tangential spring", SPRING))
    }
    return {"held": held, "slides": on_slope(EXACT, SLIDES * MU, 0.3, SLIDE, DT), **laws}


def on_slope(model: Any, slope: float, heading: float, duration: float, dt: float) -> Motion:
    """A brick at rest on a slope of this tangent that falls towards a heading [rad]."""
    angle = math.atan(slope)
    x, y = math.sin(angle) * math.cos(heading), math.sin(angle) * math.sin(heading)
    down = (GRAVITY * x, GRAVITY * y, -GRAVITY * math.cos(angle))
    scene = replace(scenes.scene(SCENE), gravity=down)
    return scene.simulate(contact=model, duration=duration, dt=dt)


def measures(data: dict[str, Any]) -> dict[str, float]:
    """What claims.toml names."""
    angle = math.atan(SLIDES * MU)
    way = (math.sin(angle) - MU * math.cos(angle)) * GRAVITY * SLIDE**2 / 2
    return {
        "creep_gauss_seidel": max(creep(motion) for motion in data["held"]),
        "creep_penalty": creep(data["penalty"]),
        "creep_spring": creep(data["penalty with a tangential spring"]),
        "slope_slide_error": 100 * (travelled(data["slides"])[-1] / way - 1),
    }


def travelled(motion: Motion) -> np.ndarray:
    """Distance from the start, along the slope [m], (n)."""
    return np.linalg.norm(motion.q[:, :2] - motion.q[0, :2], axis=1)


def creep(motion: Motion) -> float:
    """Mean speed down the slope in the last half of a motion [mm/s]."""
    way, half = travelled(motion), len(motion) // 2
    return 1e3 * float((way[-1] - way[half]) / (motion.time[-1] - motion.time[half]))


def draw(data: dict[str, Any]) -> Figure:
    """Ways over time on both slopes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    held, slides = figure.subplots(1, 2)
    for heading, motion in zip(HEADINGS, data["held"], strict=True):
        label = "GaussSeidel, 7 headings" if heading == 0 else None
        held.plot(motion.time, 1e3 * travelled(motion), "C0", label=label)
    for k, name in enumerate(("penalty", "penalty with a tangential spring")):
        motion = data[name]
        held.plot(motion.time, 1e3 * travelled(motion), f"C{k + 1}", label=name)
    held.set(title=f"slope of {HELD} mu", xlabel="time [s]", ylabel="slid [mm]", yscale="symlog")
    held.set_yscale("symlog", linthresh=1e-3)
    motion, angle = data["slides"], math.atan(SLIDES * MU)
    down = (math.sin(angle) - MU * math.cos(angle)) * GRAVITY
    slides.plot(motion.time, 1e3 * travelled(motion), label="GaussSeidel")
    slides.plot(motion.time, 500 * down * motion.time**2, "k:", label="closed form")
    slides.set(title=f"slope of {SLIDES} mu", xlabel="time [s]", ylabel="slid [mm]")
    for ax in (held, slides):
        ax.legend(fontsize="small")
    return figure
