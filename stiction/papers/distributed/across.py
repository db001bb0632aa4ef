"""Across the models: the fall of Fig. 13 and the pull of Fig. 18 under every model and in MuJoCo.

All joints are held by the same springs and dampers, and the pitch of the pelvis is free. Force laws
have the printed stiffness and damping of a whole foot; solvers are rigid.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.contact import contact_model
from stiction.engines import Ran, Task, engine_by_name
from stiction.engines.controls import controls_of
from stiction.metrics.points import link_positions
from stiction.papers.distributed.runs import FEET, forces, held, run, weight
from stiction.visual.poses import link_poses

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FALL, PULL = "distributed-drop", "distributed-slide"
GAINS = (3000.0, 60.0)  # springs [N m/rad] and dampers [N m s/rad] of the joints
LIMIT = {"mu_static": 0.7, "mu_kinetic": 0.4}
SHARED = 18 / 8  # laws other than Distributed share the stiffness of eight points
SPRING = 9950.0 * 0.01**0.2  # that Eq. (16) has at 1 cm [N/m]
LINEAR = {"stiffness": SHARED * SPRING, "damping": SHARED * 450.0, "mu_kinetic": 0.4}
MODELS: dict[str, Any] = {
    "Distributed": st.Distributed(**LIMIT),
    "HuntCrossley": st.HuntCrossley(SHARED * 9950.0, SHARED * 450.0, 1.2, 0.02, mu_kinetic=0.4),
    "SpringDamper": st.SpringDamper(**LINEAR),
    "ImplicitSpringDamper": st.ImplicitSpringDamper(**LINEAR),
    "Balanced": st.Balanced(**LIMIT),
    "Multipoint": st.Multipoint(**LIMIT),
    "Feedback": st.Feedback(mu_kinetic=0.4),
    "Coulomb": st.Coulomb(**LIMIT),
    "GaussSeidel": st.GaussSeidel(**LIMIT),
}
MUJOCO, MUJOCO_STEP = "MuJoCo", 1e-3
COLUMNS = {
    "step_ms": "step\n[ms]",
    "peak": "peak of\nthe fall / W",
    "return_ms": "back to\n110 % [ms]",
    "deepest_mm": "deepest\n[mm]",
    "begins": "slides\nfrom [s]",
    "ends": "until\n[s]",
    "way_mm": "distance\n[mm]",
    "ratio": "ratio while\nit slides",
}
FAST = 0.05  # a foot that moves faster slides [m/s]


def data() -> dict[str, Any]:
    """Rows of the table by model."""
    return {name: ours(model) for name, model in MODELS.items()} | {MUJOCO: in_peer()}


def ours(model: Any) -> dict[str, float]:
    """Both experiments under one of our models."""
    fall = run(FALL, law=model, control=held(FALL, *GAINS), duration=0.6)
    standing = on_ground(model)
    pull = run(standing, law=model, control=held(standing, *GAINS))
    speed = [np.gradient(link_positions(pull, foot)[:, 0], pull.time) for foot in FEET]
    landed = np.sum([one[:, 2] for one in forces(fall).values()], axis=0) / weight(fall)
    pulled = np.stack(list(forces(pull).values()), axis=1)
    found = landing(fall.time, landed) | sliding(pull.time, np.stack(speed, axis=1), pulled)
    way = 1e3 * float(pull.q[-1, 0] - pull.q[0, 0])
    deepest = 1e3 * float(np.nanmax(fall.deepest()))
    step = 1e3 * fall.parameters["dt"]
    return found | {"way_mm": way, "deepest_mm": deepest, "step_ms": step}


def on_ground(model: Any) -> st.Scene:
    """The scene of the pull, in which the robot starts on rigid ground and in soft ground."""
    scene = st.scenes.scene(PULL)
    if contact_model.MODELS[type(model)].family == contact_model.FORCE_LAW:
        return scene
    return replace(scene, robots=(replace(scene.robots[0], above=0.0),))


def in_peer() -> dict[str, float]:
    """Both experiments in MuJoCo, whose friction has one coefficient."""
    fall_scene, pull_scene = st.scenes.scene(FALL), on_ground(st.Coulomb())
    fall, pull = mujoco_run(fall_scene, 0.6), mujoco_run(pull_scene, 0.7)
    world = pull_scene.world()
    feet = [world.place(foot).link for foot in FEET]
    time = MUJOCO_STEP * np.arange(len(pull.force))  # of the longer run
    found = landing(time[: len(fall.force)], fall.force[:, feet, 2].sum(axis=1) / (75.0 * 9.81))
    at = link_poses(world, pull.q).position[:, feet, 0]
    found |= sliding(time, np.diff(at, axis=0) / MUJOCO_STEP, pull.force[:, feet])
    way, deepest = 1e3 * float(pull.q[-1, 0] - pull.q[0, 0]), 1e3 * float(fall.depth.max())
    return found | {"way_mm": way, "deepest_mm": deepest, "step_ms": 1e3 * MUJOCO_STEP}


def mujoco_run(scene: st.Scene, duration: float) -> Ran:
    """A scene in MuJoCo with an elliptic cone, its joints held by springs and dampers."""
    world, steps = scene.world(), round(duration / MUJOCO_STEP)
    times = MUJOCO_STEP * np.arange(steps)
    servos, _ = controls_of(world, held(scene, *GAINS), times, MUJOCO_STEP)
    task = Task(
        world,
        scene.start(),
        MUJOCO_STEP,
        steps,
        LIMIT["mu_kinetic"],
        servos=servos,
        pushes=scene.forces,
    )
    return engine_by_name("mujoco").run(task, "elliptic")


def landing(time: np.ndarray, total: np.ndarray) -> dict[str, float]:
    """Peak of the reaction over the weight, and the time back to 110 % [ms]."""
    top = int(np.argmax(total))
    below = np.flatnonzero(total[top:] <= 1.1)
    back = 1e3 * float(time[top + below[0]] - time[top]) if len(below) else np.nan
    return {"peak": float(total[top]), "return_ms": back}


def sliding(time: np.ndarray, speed: np.ndarray, force: np.ndarray) -> dict[str, float]:
    """When the feet slide, and the ratio of tangential to normal force meanwhile."""
    fast = speed.min(axis=1) > FAST
    if not fast.any():
        return {"begins": np.nan, "ends": np.nan, "ratio": np.nan}
    moving = np.flatnonzero(fast)
    sums = force[fast].sum(axis=1)
    sums = sums[sums[:, 2] > 0]
    ratio = np.abs(sums[:, 0]) / sums[:, 2]
    return {
        "begins": float(time[moving[0]]),
        "ends": float(time[moving[-1]]),
        "ratio": float(np.median(ratio)) if len(ratio) else np.nan,
    }


def measures(data: dict[str, Any]) -> dict[str, float]:
    """The whole table by model and column, less what there is not: a slide that does not end."""
    every = {f"{name} {key}": float(row[key]) for name, row in data.items() for key in COLUMNS}
    return {name: value for name, value in every.items() if np.isfinite(value)}


def draw(data: dict[str, Any]) -> Figure:
    """The table."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 0.9 + 0.42 * len(data)), layout="constrained")
    panel = figure.subplots()
    panel.axis("off")
    cells = [[f"{row[key]:.3g}" for key in COLUMNS] for row in data.values()]
    table = panel.table(
        cells,
        rowLabels=list(data),
        colLabels=list(COLUMNS.values()),
        loc="center",
        cellLoc="center",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(9)
    table.scale(1.0, 1.6)
    for column in range(len(COLUMNS)):
        table[0, column].set_height(2.0 * table[0, column].get_height())
    return figure
