"""Section II-A: restitution and depth over the gains, and that the mass does not matter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.papers.feedback.ball import MASS, SCENE, height, hit, normal_force

if TYPE_CHECKING:
    from matplotlib.figure import Figure

G = 9.81
K_V = 250.0  # of section IV [1/s]
RATIOS = np.logspace(-6, 4, 21)  # k_p / k_v^2
DAMPED = np.array([250.0, 500.0, 1000.0, 2000.0, 4000.0])  # k_v with k_p = 0
SPRUNG = np.array([500.0, 2000.0, 8000.0, 32000.0])  # k_p with k_v = 0
MASSES = (0.01, 1.0, 100.0)  # [kg]
STIFFNESS, DAMPING = 2000.0, 40.0  # of the spring of Eq. (2), for 1 kg [N/m], [N s/m]
SETTLED = 5.0  # [s]


def rebound(k_p: float, k_v: float) -> float:
    """Restitution of a ball that hits the ground at 1 m/s."""
    omega = np.sqrt(k_p)
    dt = min(0.02 / k_v, 1e-3 / omega)
    motion = hit(k_p, k_v, dt, duration=12.0 / k_v + 2.0 / omega)
    out = np.flatnonzero((height(motion) > 0) & (motion.v[:, 2] > 0))
    return float(motion.v[out[0], 2]) if len(out) else 0.0


def closed_form(ratio: np.ndarray) -> np.ndarray:
    """Restitution over k_p / k_v^2: sink with damping, come up without."""
    root = np.sqrt(0.25 - ratio + 0j)
    r1, r2 = -0.5 + root, -0.5 - root
    time = np.log(r2 / r1) / (r1 - r2)
    depth = (np.exp(r1 * time) - np.exp(r2 * time)) / (r1 - r2)
    return (np.sqrt(ratio) * depth).real


def falling(mass: float) -> st.Motion:
    """A ball of another mass that falls 10 cm, with the gains of section IV."""
    scene = st.scenes.scene(SCENE)
    ball = replace(scene.robots[0], options={"radius": 0.05, "mass": mass})
    model = st.Feedback(steady_depth=0.0)
    return replace(scene, robots=(ball,)).simulate(contact=model, dt=1e-4, duration=1.0)


def resting(contact: Any) -> st.Motion:
    """The ball on the ground for a while, from the surface."""
    scene = st.scenes.scene(SCENE)
    ball = replace(scene.robots[0], above=0.0)
    record = st.Recording(every=10)
    return replace(scene, robots=(ball,)).simulate(
        contact=contact, dt=1e-4, duration=SETTLED, record=record
    )


def data() -> dict[str, Any]:
    """Sweeps over the gains; balls of three masses; a ball at rest on two grounds."""
    pairs = {"500, 250": (500.0, 250.0), "2000, 500": (2000.0, 500.0)}
    pairs["2000, 1000"] = (2000.0, 1000.0)
    return {
        "restitution": np.array([rebound(ratio * K_V**2, K_V) for ratio in RATIOS]),
        "pairs": {name: rebound(*pair) for name, pair in pairs.items()},
        "damped": np.array([-height(hit(0.0, k_v, 0.02 / k_v, 20.0 / k_v))[-1] for k_v in DAMPED]),
        "sprung": np.array(
            [
                -height(hit(k_p, 0.0, 1e-3 / np.sqrt(k_p), 2.0 / np.sqrt(k_p))).min()
                for k_p in SPRUNG
            ]
        ),
        "masses": [falling(mass) for mass in MASSES],
        "spring": resting(st.SpringDamper(stiffness=STIFFNESS, damping=DAMPING)),
        "feedback": resting(st.Feedback(steady_depth=0.0)),
    }


def slope(x: np.ndarray, y: np.ndarray) -> float:
    """Slope in logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Slopes, restitution, and what the mass changes."""
    pairs, sinks = data["pairs"], MASS * G / STIFFNESS
    heights = np.array([height(motion) for motion in data["masses"]])
    return {
        "depth over k_v": slope(DAMPED, data["damped"]),
        "depth over k_p": slope(SPRUNG, data["sprung"]),
        "lowest restitution": data["restitution"][0],
        "highest restitution": data["restitution"][-1],
        "same k_p / k_v": pairs["500, 250"] / pairs["2000, 1000"],
        "same k_p / k_v^2": pairs["500, 250"] / pairs["2000, 500"],
        "restitution, 500 and 250": pairs["500, 250"],
        "difference between masses": 1000 * float(np.ptp(heights, axis=0).max()),
        "depth on a spring": -height(data["spring"])[-1] / sinks,
        "depth under feedback": -height(data["feedback"])[-1] / sinks,
    }


def draw(data: dict[str, Any]) -> Figure:
    """Restitution over k_p / k_v^2 with its closed form; depth over the gains; force per mass."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.4), layout="constrained")
    first, second, third = figure.subplots(1, 3)
    fine = np.logspace(-6, 4, 200)
    first.semilogx(fine, closed_form(fine), "k-", lw=0.8, label="closed form")
    first.semilogx(RATIOS, data["restitution"], "o", ms=4, label="measured")
    first.set(xlabel="$k_p / k_v^2$", ylabel="restitution")
    first.legend()
    second.loglog(DAMPED, 1000 * data["damped"], "o-", label="$k_v$ [1/s], $k_p = 0$")
    second.loglog(SPRUNG, 1000 * data["sprung"], "s-", label="$k_p$ [1/s$^2$], $k_v = 0$")
    second.set(xlabel="gain", ylabel="depth at 1 m/s (mm)")
    second.legend()
    for mass, motion in zip(MASSES, data["masses"], strict=True):
        third.plot(motion.time[:-1], normal_force(motion) / (mass * G), label=f"{mass:g} kg")
    third.set(xlabel="time (s)", ylabel="force / weight", xlim=(0.13, 0.2))
    third.legend()
    return figure
