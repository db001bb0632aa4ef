"""Section II-B: a brick on a frictional ramp sticks below v_s; on four corners it is thrown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import stiction as st
from stiction.description.description import WORLD, Description, Joint, Link, Shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE, BRICK = "feedback-ramp", "feedback-ramp-brick"
G, ANGLE, MU, K_V, MASS, SPEED = 9.81, np.radians(15.0), 0.5, 250.0, 2.0, 0.5  # of the scenes
DOWN = np.array([-np.cos(ANGLE), 0.0, -np.sin(ANGLE)])
NORMAL = np.array([-np.sin(ANGLE), 0.0, np.cos(ANGLE)])
DECELERATION = G * (MU * np.cos(ANGLE) - np.sin(ANGLE))
V_S = DECELERATION / K_V  # as printed [m/s]
COULOMB = SPEED**2 / 2 / DECELERATION  # distance until it stops [m]
LIMIT = MU * MASS * G * np.cos(ANGLE)  # of friction [N]
SATURATED = 1.0 - 1e-6  # of mu f_n
RADIUS = 0.01  # of the body on one point [m]
HEIGHTS = (0.005, 0.01, 0.02, 0.03, 0.06, 0.1)  # of bricks [m]


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
    force = motion.total_force()[:-1]
    where, speed = (in_space(array) for array in (motion.q, motion.v))
    moved = where - where[0]
    return Slide(
        motion.time,
        moved @ DOWN,
        speed @ DOWN,
        moved @ NORMAL,
        -force @ DOWN,
        force @ NORMAL,
    )


def in_space(array: np.ndarray) -> np.ndarray:
    """Positions or velocities of a free body, or of one that has only x and z, (n, 3)."""
    if array.shape[1] > 2:
        return array[:, :3]
    return np.column_stack([array[:, 0], np.zeros(len(array)), array[:, 1]])


def particle() -> st.Robot:
    """A small sphere that moves along x and z and does not turn: it touches at one point."""
    none = (0.0,) * 6
    return st.Robot.from_description(
        Description(
            name="particle",
            source="stiction.papers.feedback.ramp",
            links=(Link("rail", 0.0, (0.0,) * 3, none), Link("body", MASS, (0.0,) * 3, none)),
            joints=(
                Joint("x", "prismatic", WORLD, "rail", axis=(1.0, 0.0, 0.0)),
                Joint("z", "prismatic", "rail", "body"),
            ),
            shapes=(Shape("sphere", "body", "sphere", (RADIUS,)),),
        )
    )


def on_one_point(contact: st.Feedback, dt: float, duration: float) -> st.Motion:
    """The particle on its way down the ramp, from its steady depth."""
    centre = (RADIUS - contact.steady_depth) * NORMAL
    state = st.State(centre[[0, 2]], SPEED * DOWN[[0, 2]])
    world = st.World(particle(), ground=st.Slope(ANGLE))
    return st.simulate(world, contact, duration=duration, dt=dt, state=state)


def data() -> dict[str, Any]:
    """The sheet down and up the ramp, a body on one point, and a brick of 10 cm height."""
    scene = st.scenes.scene(SCENE)
    sheet = scene.robots[0]
    up = replace(sheet, velocity=tuple(-SPEED * DOWN))
    return {
        "down": scene.simulate(),
        "up": replace(scene, robots=(up,)).simulate(),
        "one point": on_one_point(scene.contact, scene.dt, scene.lasts()),
        "brick": st.scenes.scene(BRICK).simulate(),
        "heights": [higher(height) for height in HEIGHTS],
    }


def higher(height: float) -> dict[str, float]:
    """How far a brick of another height slides, and how high it is thrown."""
    scene = st.scenes.scene(BRICK)
    body = replace(scene.robots[0], options={"size": (0.2, 0.1, height), "mass": MASS})
    one = slide(replace(scene, robots=(body,)).simulate())
    return {
        "height of the brick [mm]": 1000 * height,
        "distance / Coulomb's": float(one.way[-1] / COULOMB),
        "highest rise [mm]": 1000 * float(one.lift.max()),
        "largest normal force / m g cos": float(one.normal.max() / LIMIT * MU),
    }


def threshold(one: Slide) -> float:
    """Speed at which friction first leaves its limit [m/s]."""
    inside = np.abs(one.friction) < SATURATED * MU * one.normal
    return float(abs(one.speed[int(np.argmax(inside))]))


def measures(data: dict[str, Any]) -> dict[str, float]:
    """Distances, thresholds, and how friction ends."""
    down, up, brick = (slide(data[name]) for name in ("down", "up", "brick"))
    point = slide(data["one point"])
    ending = np.abs(down.speed[:-2]) < 2 * V_S
    return {
        "distance": down.way[-1] / COULOMB,
        "distance on one point": point.way[-1] / COULOMB,
        "threshold on one point": threshold(point) / V_S,
        "distance of the brick": brick.way[-1] / COULOMB,
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


def tables(data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """What the height of the brick changes."""
    return {"Bricks of other heights": data["heights"]}
