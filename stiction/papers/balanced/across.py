"""The walk of Fig. 10 and the drop of Fig. 6 under all other contact models, and in MuJoCo."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import stiction as st
from stiction.compare import Case, Refused, run_engine
from stiction.contact.contact_model import IMPULSE_LAW, MODELS
from stiction.engines import engine_by_name
from stiction.errors import InputError
from stiction.papers.balanced.measured import (
    above_frequency,
    acceleration,
    angle_off,
    chatter,
    leap,
    off_plan,
    weight,
)
from stiction.papers.balanced.walks import pattern_of
from stiction.papers.others import Other, survived, walking_models
from stiction.papers.peer import NAME
from stiction.scenes import Scene, scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 4  # of the walk
DT = 0.001  # of solvers and impulse laws, and of MuJoCo [s]
FALLEN = 45.0  # [degrees]
FAST = 20.0  # [Hz]
WALK = ("off plan [mm]", "angle off [deg]", "depth [mm]", "force change [% W]", "fast [m/s2]")
DROP = ("leap [mm]", "peak force [W]")


class Run(NamedTuple):
    """A run: states, and the total force of the floor (steps, 3) [N]."""

    motion: st.Motion
    force: np.ndarray

    @property
    def dt(self) -> float:
        """Time between two samples [s]."""
        return float(self.motion.time[1] - self.motion.time[0])


def data() -> dict[str, Any]:
    """One row per model."""
    walk, drop = walk_scene(), drop_scene()
    plan, floor = pattern_of(walk), walk.contact
    rows = []
    for name, other in walking_models(plan.body.mass, floor.mu_static, floor.mu_kinetic).items():
        if MODELS[type(other.model)].family == IMPULSE_LAW:
            other = other._replace(dt=DT)  # the step of the paper
        both = [ran(one, other) for one in (walk, drop)]
        rows.append(row(name, other.dt, plan, *both))
    both = [walk_in_mujoco(plan, floor.mu_static), drop_in_mujoco(drop, floor.mu_static)]
    rows.append(row(NAME, DT, plan, *both))
    return {"rows": rows}


def walk_scene() -> Scene:
    """The walk of Fig. 10, shorter and with the default integrator."""
    one = scene("balanced-walk")
    short = replace(one.controls[0], parameters={**one.controls[0].parameters, "steps": STEPS})
    return replace(one, controls=(short,), integrator=st.Midpoint())


def drop_scene() -> Scene:
    """The drop of Fig. 6 with the default integrator."""
    return replace(scene("balanced-drop"), integrator=st.Midpoint())


def ran(one: Scene, other: Other) -> Run | None:
    """A scene under a model; None if the simulation diverges."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of falls and deep points: they are measured
        motion = survived(one, other)
    return None if isinstance(motion, str) else Run(motion, motion.total_force()[:-1])


def row(
    name: str, dt: float, plan: st.patterns.Pattern, walk: Run | None, drop: Run | None
) -> dict[str, Any]:
    """Measure both runs."""
    found: dict[str, Any] = {"model": name, "step [ms]": 1e3 * dt, "walks": False}
    found |= dict.fromkeys((*WALK, *DROP))
    if walk is not None:
        values = walked(walk, plan)
        found |= dict(zip(WALK, values, strict=True)) | {"walks": values[1] < FALLEN}
    if drop is not None:
        found |= dict(zip(DROP, dropped(drop), strict=True))
    return found


def walked(run: Run, plan: st.patterns.Pattern) -> tuple[float, ...]:
    """What the table says about a walk, see WALK."""
    motion = run.motion
    fast = above_frequency(acceleration(motion)[:, :2], run.dt, FAST)
    return (
        1e3 * off_plan(motion, plan),
        float(angle_off(motion, plan).max()),
        1e3 * float(motion.contact_points.depth.max()),
        100 * chatter(per_millisecond(run.force[:, 2], run.dt)) / weight(motion),
        float(np.sqrt((fast**2).sum(axis=1).mean())),
    )


def dropped(run: Run) -> tuple[float, float]:
    """What the table says about a drop, see DROP."""
    force = per_millisecond(run.force[:, 2], run.dt)
    return 1e3 * leap(run.motion), float(force.max()) / weight(run.motion)


def per_millisecond(force: np.ndarray, dt: float) -> np.ndarray:
    """Means over a millisecond."""
    each = max(1, round(1e-3 / dt))
    return force[: len(force) // each * each].reshape(-1, each).mean(axis=1)


# ------------------------------------------------------------------------------------------- MuJoCo


def walk_in_mujoco(plan: st.patterns.Pattern, mu: float) -> Run:
    """The walk, with the servos of the plan."""
    return as_run(st.World(plan.robot), plan.state, plan.tracking(), mu, plan.duration)


def drop_in_mujoco(one: Scene, mu: float) -> Run:
    """The drop, with the servos of its scene."""
    world = one.world()
    return as_run(world, one.start(), one.controller(world), mu, one.lasts())


def as_run(world: st.World, state: st.State, controller: Any, mu: float, lasts: float) -> Run:
    """Run MuJoCo with an elliptic cone."""
    case = Case("", "", world, state, controller, lasts, DT, DT, mu)
    found = run_engine(case, engine_by_name("mujoco"), "elliptic")
    if isinstance(found, Refused) or found.steps is None:
        raise InputError(f"MuJoCo: {found}")
    return Run(found.steps, found.force[:-1])


# ------------------------------------------------------------------------------------------ figures


def measures(data: dict[str, Any]) -> dict[str, float]:
    """How many models walk, and how much they differ in what the paper is about."""
    walking = [row for row in data["rows"] if row["walks"]]
    own = next(row for row in data["rows"] if row["model"] == "Balanced")
    return {
        "models": float(len(data["rows"])),
        "models_that_walk": float(len(walking)),
        "deepest_of_all": max(row["depth [mm]"] for row in walking),
        "force_change_balanced": own["force change [% W]"],
        "least_force_change": min(row["force change [% W]"] for row in walking),
        "largest_force_change": max(row["force change [% W]"] for row in walking),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Depth and chatter of the walk, leap and peak force of the drop."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.2), layout="constrained")
    panels = figure.subplots(1, 4, sharey=True)
    for panel, head in zip(panels, ("depth [mm]", "force change [% W]", *DROP), strict=True):
        names = [row["model"] for row in data["rows"]]
        values = [0.0 if row[head] is None else row[head] for row in data["rows"]]
        panel.barh(names, np.maximum(values, 0.0))
        panel.set(xlabel=head, title="walk" if head in WALK else "drop from 5 cm")
        if head == "depth [mm]":
            panel.set_xscale("log")
    return figure


def tables(data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """One row per model."""
    return {f"A walk of {STEPS} steps, and a drop from 5 cm; W is the weight": data["rows"]}
