"""The bouncing ball of section II-A: how it is dropped, and what is read off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import stiction as st

SCENE = "feedback-ball"
RADIUS, MASS = 0.05, 1.0  # of the scene [m], [kg]
SPEED = float(np.sqrt(2 * 9.81 * 0.1))  # of the impact [m/s]
K_V = 5000.0  # of Figs. 4 and 5 [1/s]
K_P = (0.0, 1.0, 5.0)  # [1/s2]
LINES = {0.0: "--", 1.0: "-", 5.0: ":"}  # as in the paper


def ground(k_p: float, k_v: float) -> st.Feedback:
    """The contact model of Eq. (3): no steady depth."""
    return st.Feedback(position_gain=k_p, velocity_gain=k_v, steady_depth=0.0)


def dropped(k_p: float, k_v: float, duration: float | None = None) -> st.Motion:
    """The ball that falls 10 cm."""
    return st.scenes.scene(SCENE).simulate(contact=ground(k_p, k_v), duration=duration)


def hit(k_p: float, k_v: float, dt: float, duration: float, speed: float = 1.0) -> st.Motion:
    """The ball at the surface, at a speed downwards [m/s]."""
    scene = st.scenes.scene(SCENE)
    ball = replace(scene.robots[0], above=-1e-12, velocity=(0.0, 0.0, -speed))
    return replace(scene, robots=(ball,)).simulate(
        contact=ground(k_p, k_v), dt=dt, duration=duration
    )


def height(motion: st.Motion) -> np.ndarray:
    """Height of the lowest point of the ball [m]."""
    return motion.q[:, 2] - RADIUS


def normal_force(motion: st.Motion) -> np.ndarray:
    """Normal force in every step [N]."""
    return motion.total_force()[:-1, 2]


def impact(motion: st.Motion) -> int:
    """The first row with a force."""
    return int(np.argmax(normal_force(motion) > 0))


def back(motion: st.Motion) -> int:
    """The row in which the ball is at the surface again after its first impact; -1 if never."""
    first = impact(motion)
    out = np.flatnonzero((height(motion)[first:] >= 0) & (motion.v[first:, 2] > 0))
    return first + int(out[0]) if len(out) else -1
