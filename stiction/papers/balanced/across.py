"""The walk of Fig. 10 and the drop of Fig. 6 under all other contact models, and in MuJoCo."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import stiction as st
from stiction.bench.demo import PARAMETERS, by_family
from stiction.contact.contact_model import FORCE_LAW, MODELS
from stiction.errors import SimulationError
from stiction.papers.balanced import peer
from stiction.papers.balanced.measured import (
    above_frequency,
    acceleration,
    angle_off,
    chatter,
    leap,
    off_plan,
    planned,
    weight,
)
from stiction.papers.balanced.walks import pattern_of
from stiction.scenes import Scene, scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = 4  # of the walk
DT, SHORT = 0.001, 2e-4  # of solvers and laws, and of force laws [s]
FALLEN = 45.0  # [degrees]
FAST = 20.0  # [Hz]
DROP = 0.05  # [m]


class Row(NamedTuple):
    """What a model makes of the walk and of the drop."""

    model: str
    dt: float  # [ms]
    off: float  # end of the walk off the plan [mm]
    angle: float  # largest angle of the base off the plan [degrees]
    depth: float  # deepest point of the walk [mm]
    change: float  # of the total force from one millisecond to the next [% of the weight]
    fast: float  # horizontal acceleration above 20 Hz [m/s2]
    leap: float  # of the drop [mm]
    peak: float  # force of the drop over the weight, mean over a millisecond


class Measured(NamedTuple):
    """A run: states, and the total force of the floor (steps, 3) [N]."""

    motion: st.Motion
    force: np.ndarray


def data() -> dict[str, Any]:
    """One row per model."""
    walk, plan = walk_scene()
    rows = [row(kind.__name__, *both(kind, walk)) for kind in by_family()]
    rows.append(row("MuJoCo", in_mujoco(walk, plan), dropped_in_mujoco()))
    return {"rows": rows}


def walk_scene() -> tuple[Scene, st.patterns.Pattern]:
    """The walk of Fig. 10, shorter and with the default integrator, and its plan."""
    one = scene("balanced-walk")
    short = replace(one.controls[0], parameters={**one.controls[0].parameters, "steps": STEPS})
    one = replace(one, controls=(short,), integrator=st.Midpoint())
    return one, pattern_of(one)


def drop_scene() -> Scene:
    """The drop of Fig. 6 with the default integrator."""
    return replace(scene("balanced-drop"), integrator=st.Midpoint())


def model_and_step(kind: Any, one: Scene) -> tuple[Any, float]:
    """A contact model as the demo has it, with the friction of the scene, and its step [s]."""
    own = one.contact if isinstance(one.contact, st.Balanced) else scene("balanced-walk").contact
    given = {name: getattr(own, name) for name in ("mu_static", "mu_kinetic", "restitution")}
    if kind is st.Balanced:
        given = own._asdict()
    values = {**given, **PARAMETERS.get(kind.__name__, {})}
    model = kind(**{name: value for name, value in values.items() if name in kind._fields})
    return model, SHORT if MODELS[kind].family == FORCE_LAW else DT


def both(kind: Any, walk: Scene) -> tuple[Measured | None, Measured | None]:
    """Walk and drop under a model; None where the simulation diverges."""
    found: list[Measured | None] = []
    for one in (walk, drop_scene()):
        model, dt = model_and_step(kind, walk)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of falls and deep points: they are measured
                motion = one.simulate(contact=model, dt=dt)
            found.append(Measured(motion, motion.total_force()[:-1]))
        except SimulationError:
            found.append(None)
    return found[0], found[1]


def row(name: str, walk: Measured | None, drop: Measured | None) -> Row:
    """Measure both runs."""
    nothing, values = float("nan"), {}
    if walk is not None:
        values |= walked(walk)
    if drop is not None:
        values |= dropped(drop)
    ran = walk or drop
    dt = 1e3 * float(np.diff(ran.motion.time[:2])[0]) if ran is not None else nothing
    return Row(name, dt, *(values.get(field, nothing) for field in Row._fields[2:]))


def walked(run: Measured) -> dict[str, float]:
    """What the table tells of a walk."""
    motion, (_, plan) = run.motion, walk_scene()
    dt = float(np.diff(motion.time[:2])[0])
    fast = above_frequency(acceleration(motion)[:, :2], dt, FAST)
    return {
        "off": 1e3 * off_plan(motion, plan),
        "angle": float(angle_off(motion, plan).max()),
        "depth": 1e3 * float(motion.contact_points.depth.max()),
        "change": 100 * chatter(per_millisecond(run.force[:, 2], dt)) / weight(motion),
        "fast": float(np.sqrt((fast**2).sum(axis=1).mean())),
    }


def dropped(run: Measured) -> dict[str, float]:
    """What the table tells of a drop."""
    dt = float(np.diff(run.motion.time[:2])[0])
    force = per_millisecond(run.force[:, 2], dt)
    return {"leap": 1e3 * leap(run.motion), "peak": float(force.max()) / weight(run.motion)}


def per_millisecond(force: np.ndarray, dt: float) -> np.ndarray:
    """Means over a millisecond."""
    each = max(1, round(1e-3 / dt))
    return force[: len(force) // each * each].reshape(-1, each).mean(axis=1)


# ------------------------------------------------------------------------------------------- MuJoCo


def in_mujoco(one: Scene, plan: st.patterns.Pattern) -> Measured:
    """The walk, with the servos of the plan."""
    gains = plan.tracking()
    table = gains.bind(st.World(plan.robot))
    steps = round(plan.duration / DT)
    time = DT * np.arange(steps)
    joints = gains.reference.joints or driven_joints(plan.robot)
    servos = peer.Servos(
        joints,
        planned(plan, time)[:, table.q_index],
        sampled(plan.time, plan.v[:, table.dof], time),
        sampled(plan.time, np.asarray(gains.feedforward), time),
        table.stiffness,
        table.damping,
    )
    return measured(plan.robot, plan.state, servos, one)


def dropped_in_mujoco() -> Measured:
    """The drop, with the servos of its scene."""
    one = drop_scene()
    world = one.world()
    robot = world.robots[0]
    (hold,) = one.controller(world) or ()
    table = hold.bind(world)
    steps = round(one.lasts() / DT)
    still = np.tile(world.home().q[table.q_index], (steps, 1))
    zero = np.zeros_like(still)
    servos = peer.Servos(driven_joints(robot), still, zero, zero, table.stiffness, table.damping)
    return measured(robot, one.start(), servos, scene("balanced-walk"))


def measured(robot: st.Robot, state: st.State, servos: peer.Servos, one: Scene) -> Measured:
    """Run MuJoCo with the static friction of a scene, and keep its states as a motion of ours."""
    ran = peer.run(robot, state, servos, one.contact.mu_static, DT)
    world = st.World(robot)
    n, points = len(ran.q), one.simulate(duration=0.0).point_count
    blank = np.zeros((n, world.nv))
    motion = st.Motion(
        world,
        DT * np.arange(n),
        ran.q,
        ran.v,
        blank,
        blank,
        np.zeros((n, points, 3)),
        np.zeros((n, points)),
        np.zeros((n, points, 3)),
        parameters={"dt": DT},
    )
    return Measured(motion, ran.force)


def driven_joints(robot: st.Robot) -> tuple[str, ...]:
    """Names of all joints but the free base."""
    return tuple(str(name) for name in robot.joint_name[1:])


def sampled(time: np.ndarray, values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Columns interpolated linearly."""
    return np.stack([np.interp(at, time, column) for column in values.T], axis=1)


# ------------------------------------------------------------------------------------------ figures


def measures(data: dict[str, Any]) -> dict[str, float]:
    """All numbers of the table."""
    return {
        f"{field}_{one.model}": getattr(one, field)
        for one in data["rows"]
        for field in Row._fields[2:]
        if np.isfinite(getattr(one, field))
    }


def draw(data: dict[str, Any]) -> Figure:
    """The table."""
    from matplotlib.figure import Figure

    heads = (
        "model", "dt [ms]", "off plan [mm]", "angle [deg]", "depth [mm]", "force change [% W]",
        "above 20 Hz [m/s²]", "leap [mm]", "peak [W]",
    )  # fmt: skip
    cells = [[one.model, *(f"{value:.3g}" for value in one[1:])] for one in data["rows"]]
    for line, one in zip(cells, data["rows"], strict=True):
        if not one.angle < FALLEN:
            line[2:4] = ["falls", "-"]
    figure = Figure(figsize=(12, 0.34 * len(cells) + 0.9), layout="constrained")
    panel = figure.subplots()
    panel.set_axis_off()
    panel.set_title(f"walk of {STEPS} steps (six columns) and drop from {1e3 * DROP:g} mm (two)")
    table = panel.table(cells, colLabels=heads, loc="center", cellLoc="right")
    table.auto_set_font_size(False)
    table.set_fontsize(9)
    table.scale(1.0, 1.4)
    return figure
