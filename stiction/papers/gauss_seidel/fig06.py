"""Fig. 6: HRP-2 leans forward and pushes an object over, until its legs meet the table.

The paper compares a simulation with an experiment and finds 2 mm between the distances that the
object slides. Here Coulomb's closed form, and a simulation with a quarter of the step, take the
place of the experiment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction import scenes
from stiction.motion.motion import Motion
from stiction.papers.gauss_seidel.measured import (
    LEGS,
    PRESSES,
    contact_counts,
    label_panels,
    pressed,
    robot_centre,
    soles,
)
from stiction.world.contact_points import contact_points_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE = "gauss-seidel-push"
TABLE, EXACT = 0.6, 4  # height of the table [m]; how many times shorter the finer steps are
LYING, GRAVITY = 0.01, 9.81  # least z of an axis of a body that does not lie flat [rad]; [m/s2]
HANDS = tuple(f"hrp2/right_{part}" for part in ("forearm", "palm", "hand"))


class Slide(NamedTuple):
    """The last part of the object's path, in which it lies flat and touches only the table."""

    begin: int  # row
    speed: float  # there [m/s]
    distance: float  # to the end [m]
    expected: float  # v^2 / (2 mu g) [m]


def data() -> dict[str, Any]:
    """The push, at the paper's step and at a quarter of it."""
    scene = scenes.scene(SCENE)
    return {"push": scene.simulate(), "finer": scene.simulate(dt=scene.dt / EXACT)}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """What claims.toml names."""
    motion = data["push"]
    dt = float(motion.time[1] - motion.time[0])
    both, centre = soles(motion), object_centre(motion)
    slid, corners = slide(motion), object_corners(motion)
    hands, legs = pressed(motion, HANDS, "object"), pressed(motion, LEGS, "table")
    touched = first_row(hands)
    lower = corners[0, :, 2] < corners[0, :, 2].mean()
    foot = corners[:, lower].mean(axis=1)[touched : max(slid.begin, touched) + 1, :2]
    apart = object_centre(data["finer"])[-1, :2] - centre[-1, :2]
    return {
        "object_tilt": float(np.degrees(object_tilt(motion)[-1])),
        "object_way": 1e3 * float(np.linalg.norm(centre[-1, :2] - centre[0, :2])),
        "object_height": 1e3 * float(corners[-1, :, 2].min() - TABLE),
        "slide_while_falling": 1e3 * float(np.linalg.norm(np.diff(foot, axis=0), axis=1).sum()),
        "slide_speed": slid.speed,
        "slide_distance": 1e3 * slid.distance,
        "distance_error": 1e3 * (slid.distance - slid.expected),
        "step_error": 1e3 * float(np.linalg.norm(apart)),
        "leg_rebound": 1e3 * dt * longest_gap(legs),
        "leg_force": float(legs.max()),
        "toe_rise": 1e3 * max(float(sole.toe_rise().max()) for sole in both),
        "heel_rise": 1e3 * max(float(sole.heel_rise().max()) for sole in both),
        "slip": 1e3 * max(float(sole.toe_path()[-1]) for sole in both),
        "centre_ahead_of_feet": 1e3
        * float((robot_centre(motion)[0][:, 0] - both[0].front()).max()),
        "most_contacts": float(contact_counts(motion).max()),
        "unsolved": float(motion.unsolved.count),
    }


def first_row(force: np.ndarray) -> int:
    """The first row with a force, the last one if there is none."""
    acting = np.flatnonzero(force > PRESSES)
    return int(acting[0]) if len(acting) else len(force)


def longest_gap(force: np.ndarray) -> int:
    """Largest number of steps without a force, after the first one with."""
    rows = np.flatnonzero(force > PRESSES)
    if not len(rows):
        return len(force)
    return int(np.diff([*rows, len(force)]).max() - 1)


# --------------------------------------------------------------------------------------- the object


def object_rows(motion: Motion) -> slice:
    """Where the object is in q."""
    first = int(motion.world.tree.q_index[motion.world.place("object/box").link])
    return slice(first, first + 7)


def object_centre(motion: Motion) -> np.ndarray:
    """Position of the object's centre [m], (n, 3)."""
    return motion.q[:, object_rows(motion)][:, :3]


def object_corners(motion: Motion) -> np.ndarray:
    """The eight corners of the object in the world [m], (n, 8, 3)."""
    points, _, _ = contact_points_of(motion.world)
    own = np.flatnonzero(points.link == motion.world.place("object/box").link)
    return motion.contact_points.position[:, own]


def object_tilt(motion: Motion) -> np.ndarray:
    """Angle between the object's long axis and the vertical [rad], (n)."""
    _, x, y, _ = motion.q[:, object_rows(motion)][:, 3:].T
    return np.arccos(np.clip(1 - 2 * (x * x + y * y), -1.0, 1.0))


def slide(motion: Motion) -> Slide:
    """The last slide of the lying object."""
    alone = pressed(motion, ("hrp2",), "object") <= PRESSES
    flat = np.abs(object_tilt(motion)[:-1] - np.pi / 2) < LYING
    low = object_corners(motion)[:-1, :, 2].min(axis=1)
    turns = np.linalg.norm(object_velocity(motion)[:-1, 3:], axis=1)
    free = alone & flat & (np.abs(low - TABLE) < 1e-4) & (turns < LYING)
    begin = int(np.flatnonzero(~free)[-1]) + 1 if not free.all() else 0
    centre = object_centre(motion)[:, :2]
    speed = float(np.linalg.norm(object_velocity(motion)[begin, :2]))
    mu = motion.parameters["contact"]["mu_kinetic"]
    way = float(np.linalg.norm(centre[-1] - centre[begin]))
    return Slide(begin, speed, way, speed**2 / (2 * mu * GRAVITY))


def object_velocity(motion: Motion) -> np.ndarray:
    """Linear and angular velocity of the object, (n, 6)."""
    first = int(motion.world.tree.v_index[motion.world.place("object/box").link])
    return motion.v[:, first : first + 6]


# ------------------------------------------------------------------------------------------ drawing


def draw(data: dict[str, Any]) -> Figure:
    """Snapshots over the courses of object, heels, toes and forces."""
    from matplotlib.figure import Figure

    from stiction.plot.snapshots import draw_snapshots

    motion = data["push"]
    figure = Figure(figsize=(11, 9), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=(1, 1.6))
    draw_snapshots(parts[0], motion, (0.0, 1.7, 2.0, 2.2, float(motion.time[-1])))
    axes, time = parts[1].subplots(2, 2, sharex=True), motion.time
    for name, run in data.items():
        centre = object_centre(run)
        label = f"object, distance ({1e3 * (run.time[1] - run.time[0]):g} ms)"
        style = "-" if name == "push" else ":"
        axes[0, 0].plot(run.time, 1e3 * (centre[:, 0] - centre[0, 0]), style, label=label)
    axes[0, 1].plot(time, np.degrees(object_tilt(motion)), "k", label="object, tilt")
    for sole, name in zip(soles(motion), ("left", "right"), strict=True):
        axes[1, 0].plot(time, 1e3 * sole.heel_rise(), label=f"{name} heel, rise")
        axes[1, 0].plot(time, 1e3 * sole.toe_path(), "--", label=f"{name} toe, path")
    axes[1, 1].plot(time[:-1], pressed(motion, LEGS, "table"), label="legs on the table")
    axes[1, 1].plot(time[:-1], pressed(motion, HANDS, "object"), label="hand on the object")
    axes[1, 1].set_ylim(0, 3 * np.percentile(pressed(motion, LEGS, "table"), 90) + 10)
    label_panels(axes, ("mm", "degrees", "mm", "N"))
    return figure


def motions(data: dict[str, Any]) -> dict[str, Motion]:
    """What the page plays."""
    return {"lean and push": data["push"]}
