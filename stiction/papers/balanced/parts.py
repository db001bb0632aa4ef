"""The micro and the macro model alone and together: depth, chatter, static and kinetic friction."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.balanced.measured import chatter, settled, vertex_force, vertices
from stiction.papers.balanced.standing import walk
from stiction.papers.balanced.walks import FEET
from stiction.scenes import scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALONE = {  # lambda, and other parameters of the model
    "both": (1.0, {}),
    "micro alone": (1.0, {"thickness": 1.0}),
    "macro alone": (0.01, {"thickness": 0.0, "spring_beyond": 0.0}),
    "macro alone, lambda 1": (1.0, {"thickness": 0.0, "spring_beyond": 0.0}),
}
SLIDES = 0.02  # speed of feet that have broken away [m/s]


def data() -> dict[str, Any]:
    """Walks with the parts of the model, a push that friction holds, a pull that it does not."""
    found: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of falls, and of creep: it is measured
        for name, (relaxation, values) in ALONE.items():
            found[name] = walk(relaxation, values)
        push = scene("balanced-push")
        floor = push.contact
        micro = st.ImplicitSpringDamper(
            stiffness=floor.stiffness,
            damping=floor.damping,
            mu_kinetic=floor.mu_kinetic,
            sticking=0.0,
        )
        found["pushed, balanced"] = push.simulate()
        found["pushed, micro"] = push.simulate(contact=micro, dt=push.dt)
        found["pulled"] = scene("balanced-pull").simulate()
    return found


def feet_moved(motion: st.Motion) -> np.ndarray:
    """Way of the vertices of both feet along the floor, mean over them [m], (n)."""
    under = np.concatenate([vertices(motion, foot) for foot in FEET])
    moved = motion.contact_points.position[:, under, :2].mean(axis=1)
    return np.linalg.norm(moved - moved[0], axis=1)


def friction_ratio(motion: st.Motion) -> np.ndarray:
    """Friction over normal force of the floor, (steps)."""
    total = motion.total_force()[:-1]
    return np.linalg.norm(total[:, :2], axis=1) / np.maximum(total[:, 2], 1e-9)


def sliding(motion: st.Motion) -> np.ndarray:
    """The steps after the feet have broken away."""
    speed = np.diff(feet_moved(motion)) / motion.parameters["dt"]
    return np.arange(len(speed)) >= (np.argmax(speed > SLIDES) if (speed > SLIDES).any() else 1e9)


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Depth and chatter against those of the parts, creep, and friction ratios."""
    depth = {name: float(np.nanmax(data[name].deepest())) for name in ALONE}
    change = {name: chatter(vertex_force(data[name])[settled(data[name])]) for name in ALONE}
    pulled, slides = friction_ratio(data["pulled"]), sliding(data["pulled"])
    return {
        "depth_over_micro": depth["both"] / depth["micro alone"],
        "chatter_over_macro": change["both"] / change["macro alone"],
        **{f"depth_{name.replace(' ', '_')}": 1e3 * value for name, value in depth.items()},
        **{f"chatter_{name.replace(' ', '_')}": value for name, value in change.items()},
        "creep_micro": 1e3 * feet_moved(data["pushed, micro"])[-1],
        "creep_balanced": 1e3 * feet_moved(data["pushed, balanced"])[-1],
        "ratio_at_break_away": float(pulled[~slides].max()),
        "ratio_sliding": float(np.median(pulled[slides])) if slides.any() else np.nan,
    }


def draw(data: dict[str, Any]) -> Figure:
    """Depth and vertex force of walks, slip of the pushed feet, friction of the pulled ones."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 7), layout="constrained")
    (depth, force), (creep, pull) = figure.subplots(2, 2)
    for name in ALONE:
        motion = data[name]
        depth.plot(motion.time[:-1], 1e3 * motion.deepest()[:-1], lw=0.8, label=name)
        force.plot(motion.time[:-1], vertex_force(motion), lw=0.6, label=name)
    depth.set(xlabel="t [s]", ylabel="deepest point [mm]", title="four steps", yscale="log")
    depth.legend(fontsize="small")
    force.set(xlabel="t [s]", ylabel="force on a vertex of the left sole [N]", xlim=(1.0, 2.5))
    for name in ("pushed, balanced", "pushed, micro"):
        creep.plot(data[name].time, 1e3 * feet_moved(data[name]), label=name)
    creep.set(xlabel="t [s]", ylabel="slip of the feet [mm]", title="pushed by 0.1 of the weight")
    creep.legend(fontsize="small")
    pulled = data["pulled"]
    pull.plot(pulled.time[:-1], friction_ratio(pulled), lw=0.8)
    for value in (0.4, 1.0):
        pull.axhline(value, color="0.6", lw=0.8)
    pull.set(xlabel="t [s]", ylabel="friction / normal force", title="feet pulled ever harder")
    return figure


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The feet that break away."""
    return {"pulled": data["pulled"]}
