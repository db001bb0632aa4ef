"""Microseconds a step of the Unitree G1 on the ground, ours against MuJoCo's, interleaved.

The same work on both sides: one MJCF file with small spheres under the soles, dt 1 ms, the same
servos that hold the home configuration, the same friction, joint friction and limits on, float64,
one core. Ours goes through the public `simulate` with its defaults and records everything at every
step. MuJoCo takes its steps in one call of `mj_step` without recording, by Newton's method with
elliptic cones and its own default of iterations; the file's, five, are not always enough. What a
run needs before its first step is timed by runs of no steps and not counted, as MuJoCo's data are
made beforehand too.

    stand    on both feet, all points touch, each engine from the state in which it came to rest.
             The servos of the file, 40 N m/rad at both ankles against 230 of gravity, let G1 fall
             within two seconds, so stiffer ones replace them.
    land     tilted, sliding and tumbling, at the speed of a fall from 0.3 m, until it topples; the
             servos of the file; all from the same state.
    drive    standing, on the servos of "stand", while every joint is also driven by a random torque
             of up to 10 N m that changes every 50 ms, the same in both engines; all from the same
             state. Joints stick, slide and turn about, feet rock and are lifted.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

import stiction as st
from stiction.bench.data import G1, MENAGERIE, data_file
from stiction.bench.dynamics import servo_targets
from stiction.contact.contact_model import MODELS, NoContact
from stiction.errors import InputError, SimulationError, StabilityWarning
from stiction.world.contact_points import SOLE_POINTS

DT = 0.001  # [s]
FRICTION = 0.6
STAND, LAND, DRIVE = (8, 16, 64), (8, 64), (8,)  # points under both feet
GRIDS = {4: (2, 2), 8: (4, 2), 32: (8, 4)}  # points of a sole, along and across
SOLES = ("left_foot_box_collision", "right_foot_box_collision")
RADIUS = 0.005  # of a point [m]
SERVO = (500.0, 40.0)  # of a robot that stands [N m/rad, N m s/rad]
SETTLING, LANDING = 2000, 500  # [steps]
FALL, ABOVE = 0.3, 0.01  # height of the fall, and of the state in which a landing begins [m]
TILT = (0.3, -0.2, 0.0)  # roll, pitch, yaw [rad]
SPIN = (-1.2, 1.2, 1.2)  # [rad/s], together about 2
TORQUE, HELD = 10.0, 50  # largest random torque [N m]; how long one is held [steps]
FALLEN = 0.9  # of its first height: lower, and the robot does not stand
UNSOLVED = 9  # stage of a step in which our solver gave up
TOUCHING = 0.99  # of its points: so many must touch on average, or the robot does not stand

# Of one foot, shared by its points; G1 sinks 1.6 mm.
FORCE_LAWS = {
    "SpringDamper": {"stiffness": 1e5, "damping": 500.0},
    "ImplicitSpringDamper": {"stiffness": 1e5, "damping": 500.0},
    "HuntCrossley": {"stiffness": 2.5e6, "damping": 2.5e6},
}
# Of the papers' models: shared by the points of a foot, and as they are.
SHARED = {
    **FORCE_LAWS,
    "Distributed": {
        "stiffness": 1e5,
        "damping": 500.0,
        "tangential_stiffness": 1e5,
        "tangential_damping": 500.0,
    },
}
OTHERS = {"Distributed": {"alpha": 1.0, "beta": 0.0}}
# Slower, a point does not slip. Friction of 1 ms gives a light foot 0.1 m/s: with a threshold much
# below that it turns the feet about in every step, and the joints with them.
EPS = 0.05  # [m/s]


class Limit(NamedTuple):
    """Parts of MuJoCo's time a step."""

    must: float
    goal: float | None = None


LIMITS = {
    ("stand 8", "Coulomb"): Limit(0.25, 0.15),
    ("stand 16", "Coulomb"): Limit(0.25, 0.15),
    ("stand 64", "Coulomb"): Limit(0.25, 0.15),
    ("land 8", "Coulomb"): Limit(0.6, 0.25),
    ("land 64", "Coulomb"): Limit(0.6, 0.25),
    ("drive 8", "Coulomb"): Limit(0.25, 0.15),
    ("stand 8", "GaussSeidel"): Limit(0.45),
    ("stand 16", "GaussSeidel"): Limit(0.4),
    ("stand 64", "GaussSeidel"): Limit(0.25),
    **{
        (f"stand {points}", model): Limit(0.6)
        for points in STAND
        for model in ("Balanced", "Multipoint")
    },
}
FORCE_LAW_LIMIT = Limit(0.3, 0.08)


@dataclass(frozen=True)
class Case:
    """One situation for all contenders."""

    name: str
    points: int
    world: st.World
    model: Any  # MuJoCo's, of the same file
    state: st.State
    settling: int  # steps before the clock starts
    steps: int
    torque: np.ndarray | None = None  # (n, nv) on the joints, each row held for HELD steps [N m]

    @property
    def stands(self) -> bool:
        """Whether the robot is to stand."""
        return self.settling > 0


def bench(
    robot_path: Path | None = None,
    repeats: int = 10,
    steps: int = 5000,
    progress: Callable[[float], None] | None = None,
    profile: bool = False,
) -> dict[str, Any]:
    """Best time a step of each contender over interleaved repeats, ratios, and what happened.

    The robot is the Unitree G1 by default. A landing takes its own number of steps. profile: also
    time the parts of a step.
    """
    with tempfile.TemporaryDirectory() as folder:
        cases = list(make_cases(robot_path or data_file(G1, MENAGERIE), Path(folder), steps))
    rows, parts, failures, notes = [], [], [], []
    for k, case in enumerate(cases):
        ours = [Ours(case, model) for model in contact_models(case.points)]
        mujocos = MuJoCo(case)
        contenders: list[Contender] = [*ours, mujocos]
        rounds = repeats * max(1, steps // case.steps)  # so that short runs get as many steps
        for round_ in range(rounds):
            for contender in contenders:
                contender.race()
            if progress is not None:
                progress((k + (round_ + 1) / rounds) / len(cases))
        rows += report(case, contenders, mujocos.seconds())
        failures += [f"{case.name}, {one.name}: {one.failure}" for one in ours if one.failure]
        notes += [f"{case.name}: {note}" for one in ours for note in one.notes]
        if profile and case.stands:
            parts += profiles(case, ours)
    return {
        **conditions(cases, repeats, steps),
        **({"microseconds of the parts of a step": parts} if profile else {}),
        "notes": notes,
        "failures": failures,
        "runs": rows,
        "holds": all(holds(row) for row in rows),
    }


# -------------------------------------------------------------------------------------------- cases


def make_cases(robot_path: Path, folder: Path, steps: int) -> Iterator[Case]:
    """All cases; the folder is for their files."""
    for points in STAND:
        world, model = loaded(robot_on_points(robot_path, points, SERVO), folder)
        yield Case(f"stand {points}", points, world, model, world.standing(), SETTLING, steps)
    for points in LAND:
        world, model = loaded(robot_on_points(robot_path, points, None), folder)
        yield Case(f"land {points}", points, world, model, landing(world, model), 0, LANDING)
    for points in DRIVE:
        world, model = loaded(robot_on_points(robot_path, points, SERVO), folder)
        torque = random_torques(world, steps)
        yield Case(f"drive {points}", points, world, model, world.standing(), 0, steps, torque)


def loaded(text: str, folder: Path) -> tuple[st.World, Any]:
    """Our world and MuJoCo's model of an MJCF text."""
    import mujoco

    path = folder / "robot.xml"
    path.write_text(text)
    return st.World(st.load(path)), mujoco.MjModel.from_xml_path(str(path))


def robot_on_points(robot_path: Path, points: int, servo: tuple[float, float] | None) -> str:
    """MJCF text of the robot with spheres under its soles, and nothing else, that touch a floor.

    Sensors are left out, as ours computes none. servo: stiffness and damping for all actuators.
    """
    import mujoco

    spec = mujoco.MjSpec.from_file(str(robot_path))
    boxes = [spec.geom(name) for name in SOLES]
    if None in boxes:
        raise InputError(f"{robot_path}: has no boxes named {' and '.join(SOLES)}")
    soles = [(box.parent, sole_grid(box.pos, box.size, points // 2)) for box in boxes]
    for element in [*spec.geoms, *spec.sensors]:
        spec.delete(element)
    touching = {"condim": 3, "friction": [FRICTION, 0.005, 0.0001]}
    for foot, grid in soles:
        for k, centre in enumerate(grid):
            ball = {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": [RADIUS, 0, 0], "pos": centre}
            foot.add_geom(name=f"{foot.name}_{k}", contype=0, conaffinity=1, **ball, **touching)
    plane = {"type": mujoco.mjtGeom.mjGEOM_PLANE, "size": [0, 0, 1]}
    spec.worldbody.add_geom(name="floor", contype=1, conaffinity=0, **plane, **touching)
    if servo is not None:
        for actuator in spec.actuators:
            actuator.gainprm[0] = servo[0]
            actuator.biasprm[1:3] = [-servo[0], -servo[1]]
    spec.option.timestep = DT
    spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.iterations, spec.option.ls_iterations = 100, 50
    spec.compile()
    return spec.to_xml()


def sole_grid(centre: np.ndarray, half: np.ndarray, points: int) -> list[list[float]]:
    """Centres of spheres whose lowest points are on the lower face of a box."""
    along, across = GRIDS[points]
    return [
        [centre[0] + x * half[0], centre[1] + y * half[1], centre[2] - half[2] + RADIUS]
        for x in np.linspace(-1.0, 1.0, along)
        for y in np.linspace(-1.0, 1.0, across)
    ]


def landing(world: st.World, model: Any) -> st.State:
    """Home, but tilted, sliding and tumbling, shortly before the feet touch."""
    import mujoco

    state, data = world.home(), mujoco.MjData(model)
    mujoco.mju_euler2Quat(state.q[3:7], TILT, "XYZ")
    data.qpos[:] = state.q
    mujoco.mj_kinematics(model, data)
    balls = model.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE
    state.q[2] += ABOVE - (data.geom_xpos[balls, 2].min() - RADIUS)
    state.v[:3] = [1.0, 0.0, -np.sqrt(2 * 9.81 * (FALL - ABOVE))]
    state.v[3:6] = SPIN
    return state


def random_torques(world: st.World, steps: int) -> np.ndarray:
    """Torques (n, nv) on all joints, none on the base, for so many steps [N m]; always the same."""
    torque = np.zeros((-(-steps // HELD), world.nv))
    torque[:, 6:] = np.random.default_rng(0).uniform(-TORQUE, TORQUE, torque[:, 6:].shape)
    return torque


def contact_models(points: int) -> list[Any]:
    """All our contact models, with the same friction; force laws share the sole's stiffness."""
    models = []
    for kind in MODELS:
        if kind is NoContact or not kind.__module__.startswith("stiction."):
            continue
        values = {"mu_static": FRICTION, "mu_kinetic": FRICTION}
        sole = SHARED.get(kind.__name__, {})
        each = 2 / points
        if kind.__name__ in FORCE_LAWS:
            each = max(each, 1 / SOLE_POINTS)  # of more points, each has a share by itself
        values |= {name: each * value for name, value in sole.items()}
        values |= {"eps": EPS} if kind.__name__ in FORCE_LAWS else OTHERS.get(kind.__name__, {})
        fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
        models.append(kind(**{name: values[name] for name in fields if name in values}))
    return models


# --------------------------------------------------------------------------------------- contenders


class Contender(Protocol):
    """What takes part in a case."""

    failure: str | None

    @property
    def name(self) -> str:
        """What it is called in the report."""

    def race(self) -> None:
        """Take all steps once, against the clock."""

    def seconds(self) -> float:
        """Best time of all steps."""

    def found(self) -> dict[str, Any]:
        """What happened in a run."""


class Ours:
    """The world of a case under one of our contact models."""

    def __init__(self, case: Case, contact: Any) -> None:
        """Compile, and let the robot settle."""
        self.case, self.contact = case, contact
        self.best = self.setup = np.inf  # [s]
        self.failure: str | None = None
        self.state = case.state
        self.simulate(1)
        self.state = self.simulate(case.settling)

    @property
    def name(self) -> str:
        """Name of the contact model."""
        return type(self.contact).__name__

    @property
    def notes(self) -> list[str]:
        """What was noted of the run."""
        return [] if self.failure else self.motion.parameters["notes"]

    def simulate(self, steps: int) -> st.State:
        """Take steps from the state; returns the last state, keeps the motion."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", StabilityWarning)  # the report has it, once
                self.motion = st.simulate(
                    self.case.world,
                    self.contact,
                    duration=steps * DT,
                    dt=DT,
                    state=self.state,
                    controller=controllers(self.case),
                )
        except SimulationError as error:
            self.failure = str(error)
            return self.state
        return self.motion.state()

    def race(self) -> None:
        """Time a run of no steps and one of all."""
        if self.failure is None:
            begun = time.perf_counter()
            self.simulate(0)
            ready = time.perf_counter()
            self.simulate(self.case.steps)
            self.setup = min(self.setup, ready - begun)
            self.best = min(self.best, time.perf_counter() - ready)

    def seconds(self) -> float:
        """Best time of all steps."""
        return self.best - min(self.setup, 0.5 * self.best)  # noise makes no short run fast

    def found(self) -> dict[str, Any]:
        """What happened in the last run."""
        motion = self.motion
        touching = (motion.depth[:-1] > 0) | (motion.force[:-1] != 0).any(axis=2)
        found = happened(self.case, touching.sum(axis=1), motion.q[[0, -1], 2])
        iterations, residual, stage = motion.solver[:-1].T
        if iterations.any():
            found["iterations"] = round(float(iterations.mean()), 2)
            found["later stages"] = int((stage > 0).sum())
            found["unsolved"] = int((stage == UNSOLVED).sum())
            found["residual"] = float(residual.max())
        return found


def controllers(case: Case) -> tuple[Any, ...]:
    """Servos that hold the home configuration and, if the joints are driven, torques."""
    servos = st.Actuators(servo_targets(case.world))
    if case.torque is None:
        return (servos,)
    return servos, st.Torques(
        case.torque, case.state.time + HELD * DT * np.arange(len(case.torque))
    )


class MuJoCo:
    """The same world in MuJoCo."""

    name = "mujoco"

    def __init__(self, case: Case) -> None:
        """Let the robot settle."""
        import mujoco

        self.case = case
        self.failure: str | None = None
        self.best = np.inf  # [s]
        self.begin = mujoco.MjData(case.model)
        self.begin.qpos[:], self.begin.qvel[:] = case.state.q, case.state.v
        self.begin.ctrl[:] = servo_targets(case.world)
        if case.settling:
            mujoco.mj_step(case.model, self.begin, case.settling)

    def copy(self) -> Any:
        """Data to go on from the beginning."""
        import mujoco

        data = mujoco.MjData(self.case.model)
        mujoco.mj_copyData(data, self.case.model, self.begin)
        return data

    def race(self) -> None:
        """Time a run of all steps."""
        import mujoco

        data = self.copy()
        begun = time.perf_counter()
        if self.case.torque is None:
            mujoco.mj_step(self.case.model, data, self.case.steps)
        else:
            for k in range(0, self.case.steps, HELD):
                data.qfrc_applied[:] = self.case.torque[k // HELD]
                mujoco.mj_step(self.case.model, data, min(HELD, self.case.steps - k))
        self.best = min(self.best, time.perf_counter() - begun)

    def seconds(self) -> float:
        """Best time of all steps."""
        return self.best

    def found(self) -> dict[str, Any]:
        """What happens in a run, looked at step by step."""
        import mujoco

        data = self.copy()
        first = float(data.qpos[2])
        points = np.zeros(self.case.steps)
        iterations = np.zeros(self.case.steps)
        for k in range(self.case.steps):
            if self.case.torque is not None:
                data.qfrc_applied[:] = self.case.torque[k // HELD]
            mujoco.mj_step(self.case.model, data)
            points[k] = data.ncon
            iterations[k] = data.solver_niter[: max(1, data.nisland)].sum()
        found = happened(self.case, points, np.array([first, data.qpos[2]]))
        found["iterations"] = round(float(iterations.mean()), 2)
        found["unsolved"] = int((iterations >= self.case.model.opt.iterations).sum())
        return found


def happened(case: Case, points: np.ndarray, height: np.ndarray) -> dict[str, Any]:
    """What is told of a run, where there is no solver.

    points: how many touch in every step; height: of the base at the begin and the end [m].
    """
    upright = height[1] >= FALLEN * height[0] and points.mean() >= TOUCHING * case.points
    return {
        "points": round(float(points.mean()), 2),
        "fewest": int(points.min()),
        "base [m]": round(float(height[1]), 4),
        "stands": bool(upright) if case.stands else None,
        **dict.fromkeys(("iterations", "later stages", "unsolved", "residual")),
    }


# ------------------------------------------------------------------------------------------- report


def report(case: Case, contenders: list[Contender], reference: float) -> list[dict[str, Any]]:
    """One row per contender of a case; reference: MuJoCo's time of all steps [s]."""
    nothing = dict.fromkeys(happened(case, np.zeros(1), np.zeros(2)))
    rows = []
    for contender in contenders:
        ran = contender.failure is None
        found = contender.found() if ran else nothing
        ratio = contender.seconds() / reference
        limit = limit_of(case, contender.name)
        fine = ran and found["stands"] is not False and limit is not None and ratio <= limit.must
        row = {
            "case": case.name,
            "model": contender.name,
            "us a step": round(contender.seconds() / case.steps * 1e6, 3) if ran else None,
            "ratio": round(ratio, 3) if ran else None,
            "must": limit.must if limit else None,
            "goal": limit.goal if limit else None,
            "holds": fine if limit else None,
        }
        rows.append({**row, **found})
    return rows


def holds(row: dict[str, Any]) -> bool:
    """Whether a row is as it must be; that MuJoCo stands too is asked of its own row."""
    return row["holds"] is not False and not (row["model"] == "mujoco" and row["stands"] is False)


def limit_of(case: Case, model: str) -> Limit | None:
    """What is asked of a model in a case, None for nothing.

    Nothing of force laws that land: 1 ms is longer than their stable step, as the notes say.
    """
    if model in FORCE_LAWS:
        return None if case.name.startswith("land") else FORCE_LAW_LIMIT
    return LIMITS.get((case.name, model))


def profiles(case: Case, ours: list[Ours]) -> list[dict[str, Any]]:
    """Times of the parts of a step for each of our models that ran."""
    from stiction.bench.profile import profile_step

    return [
        {"case": case.name, "model": one.name}
        | profile_step(st.Simulation(case.world, one.contact, DT, one.state, controllers(case)))
        for one in ours
        if one.failure is None
    ]


def conditions(cases: list[Case], repeats: int, steps: int) -> dict[str, Any]:
    """What was measured, as plain values."""
    import mujoco

    option = cases[0].model.opt
    return {
        "robot": cases[0].world.robots[0].name,
        "mujoco": mujoco.__version__,
        "mujoco options": {
            "integrator": mujoco.mjtIntegrator(option.integrator).name,
            "solver": mujoco.mjtSolver(option.solver).name,
            "cone": mujoco.mjtCone(option.cone).name,
            "iterations": int(option.iterations),
            "line search iterations": int(option.ls_iterations),
            "tolerance": float(option.tolerance),
            "dt": DT,
        },
        "friction": FRICTION,
        "servos of a robot that stands [N m/rad, N m s/rad]": list(SERVO),
        "settling before standing is timed [s]": SETTLING * DT,
        "random torques of the driven joints [N m], held for [s]": [TORQUE, HELD * DT],
        "steps": {"stand": steps, "land": LANDING, "drive": steps},
        "repeats, best taken": repeats,
        "parameters": [
            {
                "points": case.points,
                "model": type(model).__name__,
                "values": ", ".join(f"{k} {v:g}" for k, v in model._asdict().items()),
            }
            for case in cases
            if case.stands
            for model in contact_models(case.points)
        ],
    }
