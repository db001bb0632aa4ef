"""Section II-B: a brick on a frictional ramp sticks below v_s; on four corners it is thrown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import stiction as st

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE, BRICK = "feedback-ramp", "feedback-ramp-brick"
G, ANGLE, MU, K_V, MASS, SPEED = 9.81, np.radians(15.0), 0.5, 250.0, 2.0, 0.5  # of the scenes
DOWN = np.array([-np.cos(ANGLE), 0.0, -np.sin(ANGLE)])
NORMAL = np.array([-np.sin(ANGLE), 0.0, np.cos(ANGLE)])
DECELERATION = G * (MU * np.cos(ANGLE) - np.sin(ANGLE))
V_S = DECELERATION / K_V  # as printed [m/s]
LIMIT = MU * MASS * G * np.cos(ANGLE)  # of friction [N]
SATURATED = 1.0 - 1e-6  # of mu f_n


class Slide(NamedTuple):
    """A body on the ramp: along it, and its friction."""

    time: np.ndarray
    way: np.ndarray  # down the ramp [m]
    speed: np.ndarray  # down the ramp [m/s]
    lift: np.ndarray  # off the ramp [m]
    friction: np.ndarray  # up the ramp [N]
    normal: np.ndarray  # [N]


def slide(motion: st.Motion) -> Slide:
    """What happens along the ramp."""
    force, moved = motion.total_force()[:-1], motion.q[:, :3] - motion.q[0, :3]
    return Slide(
        motion.time,
        moved @ DOWN,
        motion.v[:, :3] @ DOWN,
        moved @ NORMAL,
        -force @ DOWN,
        force @ NORMAL,
    )


def data() -> dict[str, Any]:
    """The sheet down and up the ramp, and a brick of 10 cm height."""
    scene = st.scenes.scene(SCENE)
    sheet = scene.robots[0]
    up = replace(sheet, velocity=tuple(-SPEED * DOWN))
    return {
        "down": scene.simulate(),
        "up": replace(scene, robots=(up,)).simulate(),
        "brick": st.scenes.scene(BRICK).simulate(),
    }


def threshold(one: Slide) -> float:
    """Speed at which friction first leaves its limit [m/s]."""
    inside = np.abs(one.friction) < SATURATED * MU * one.normal
    return float(abs(one.speed[int(np.argmax(inside))]))


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Distances, thresholds, and how friction ends."""
    down, up, brick = (slide(data[name]) for name in ("down", "up", "brick"))
    coulomb = SPEED**2 / 2 / DECELERATION
    ending = np.abs(down.speed[:-2]) < 2 * V_S
    return {
        "distance": down.way[-1] / coulomb,
        "distance of the brick": brick.way[-1] / coulomb,
        "lift of the brick [mm]": 1000 * brick.lift.max(),
        "final friction": down.friction[-1] / (MASS * G * np.sin(ANGLE)),
        "downhill threshold": threshold(down) / V_S,
        "uphill threshold": threshold(up) / V_S,
        "largest jump": float(np.abs(np.diff(down.friction))[ending].max() / LIMIT),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Speed and friction over time, and friction over speed, Eq. (9)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.4), layout="constrained")
    first, second, third = figure.subplots(1, 3)
    for name in ("down", "up", "brick"):
        one = slide(data[name])
        first.plot(one.time, one.speed, label=name)
        second.plot(one.time[:-1], one.friction, lw=0.8)
        if name != "brick":
            third.plot(one.speed[:-1], one.friction)
    for sign in (-1, 1):
        third.axvline(sign * V_S, color="k", ls=":", lw=0.8)
    first.set(xlabel="time (s)", ylabel="speed down the ramp (m/s)")
    second.set(xlabel="time (s)", ylabel="friction (N)", ylim=(-3 * LIMIT, 3 * LIMIT))
    third.set(xlabel="speed (m/s); dotted: $v_s$", ylabel="friction (N)", xlim=(-0.06, 0.06))
    first.legend()
    return figure


def motions(data: dict[str, Any]) -> dict[str, st.Motion]:
    """The brick that is thrown."""
    motion: st.Motion = data["brick"]
    return {"brick": motion.rows(np.arange(0, len(motion), 50))}
