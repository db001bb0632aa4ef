"""Microseconds per step of bodies that touch each other, Stiction and MuJoCo interleaved.

Both sides read one MJCF file and start from the same state, dt 1 ms, float64, one core. Stiction
runs `Simulation.step` under `Coulomb`, MuJoCo `mj_step` with its Newton solver, elliptic cones and
100 iterations; neither records. Each engine first settles by itself, where the case settles.

stack    ten boxes of 1 kg on each other
wall     fifty bricks in running bond, five in a row
boxes    Unitree G1 stands on stiff servos, and twenty boxes fall on it and around it
wrestle  two G1, chest to chest, each joint driven by random torques that change every 50 ms
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import stiction as st
from stiction.bench.contact.cases import DT, FRICTION, HELD, SERVO, TORQUE
from stiction.bench.data import G1, MENAGERIE, data_file
from stiction.bench.dynamics import servo_targets
from stiction.bench.told import mujoco_told
from stiction.errors import StabilityWarning, UnsolvedWarning

MUST, GOAL = 1.0, 0.4  # time per step as a fraction of MuJoCo's
BOX = (0.05, 0.05, 0.05)  # half extents of a box [m]
BRICK = (0.1, 0.05, 0.05)
ROWS, BRICKS = 10, 5  # of the wall
GAP = 1e-3  # between bricks of a row, so that they do not touch sideways [m]
FALLING = 20  # boxes that fall on G1
APART, ASIDE = 0.5, 0.1  # of two robots that wrestle: their hands pass beside each other [m]
CLOSING = 0.5  # speed with which each of them starts towards the other [m/s]
LIFT = 1e-3  # of robots, whose soles are in the floor at home [m]
EVERYTHING = 0b111  # conaffinity; robots have a bit each, everything else the first one
SETTLING = 500  # [steps]


@dataclass(frozen=True)
class Case:
    """One case for both engines."""

    name: str
    text: str  # MJCF
    settling: int  # steps before timing starts
    steps: int
    driven: bool = False  # by random torques


def bench(
    robot_path: Path | None = None,
    repeats: int = 10,
    steps: int = 1000,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Best time per step of both engines over interleaved repeats, and their ratio."""
    cases = list(make_cases(robot_path or data_file(G1, MENAGERIE), steps))
    rows, options = [], {}
    for k, case in enumerate(cases):
        ours, theirs = contenders(case)
        for round_ in range(repeats):
            ours.race()
            theirs.race()
            if progress is not None:
                progress((k + (round_ + 1) / repeats) / len(cases))
        rows.append(report(case, ours, theirs))
        options = mujoco_told(theirs.model)
    return {
        "mujoco options": options,
        "friction": FRICTION,
        "repeats, best taken": repeats,
        "runs": rows,
        "holds": all(row["holds"] for row in rows),
    }


def report(case: Case, ours: Ours, theirs: MuJoCo) -> dict[str, Any]:
    """Times and what happened in a case."""
    ratio = ours.best / theirs.best
    return {
        "case": case.name,
        "us a step": round(ours.best / case.steps * 1e6, 2),
        "mujoco us a step": round(theirs.best / case.steps * 1e6, 2),
        "ratio": round(ratio, 3),
        "must": MUST,
        "goal": GOAL,
        "points": ours.points,
        "mujoco points": theirs.points,
        "unsolved": ours.unsolved,
        "deepest [mm]": ours.deepest,
        "mujoco deepest [mm]": theirs.deepest,
        "holds": ratio <= MUST,
    }


# -------------------------------------------------------------------------------------- contenders


class Ours:
    """The world of a case under `Coulomb`."""

    def __init__(
        self, case: Case, world: st.World, state: st.State, torque: np.ndarray | None
    ) -> None:
        """Compile and settle."""
        self.case, self.torque, self.best = case, torque, np.inf
        servos = (st.Actuators(servo_targets(world)),) if len(world.robots[0].actuator_link) else ()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StabilityWarning)
            self.simulation = st.Simulation(world, st.Coulomb(), DT, state, controller=servos)
        self.simulation.step(n=max(1, case.settling))
        self.begin = self.simulation.save_state()
        self.unsolved, self.points, self.deepest = 0, 0, 0.0

    def race(self) -> None:
        """Time all steps, from the state after settling."""
        simulation = self.simulation
        simulation.restore_state(self.begin)
        before = simulation.unsolved.count
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnsolvedWarning)
            warnings.simplefilter("ignore", StabilityWarning)
            begun = time.perf_counter()
            for _, held, torque in pieces(self.case, self.torque):
                simulation.step(torque, n=held)
            self.best = min(self.best, time.perf_counter() - begun)
        self.unsolved = simulation.unsolved.count - before
        contacts = simulation.contacts
        self.points = len(contacts)
        self.deepest = round(1e3 * max((one.depth for one in contacts), default=0.0), 4)


class MuJoCo:
    """The same world in MuJoCo."""

    def __init__(self, case: Case, model: Any, state: st.State, torque: np.ndarray | None) -> None:
        """Settle."""
        import mujoco

        self.case, self.model, self.torque, self.best = case, model, torque, np.inf
        self.begin = mujoco.MjData(model)
        self.begin.qpos[:], self.begin.qvel[:] = state.q, state.v
        if model.nu:
            self.begin.ctrl[:] = model.qpos0[model.jnt_qposadr[model.actuator_trnid[:, 0]]]
        mujoco.mj_step(model, self.begin, max(1, case.settling))
        self.points, self.deepest = 0, 0.0

    def race(self) -> None:
        """Time all steps, from the state after settling."""
        import mujoco

        data = mujoco.MjData(self.model)
        mujoco.mj_copyData(data, self.model, self.begin)
        begun = time.perf_counter()
        for _, held, torque in pieces(self.case, self.torque):
            if torque is not None:
                data.qfrc_applied[:] = torque
            mujoco.mj_step(self.model, data, held)
        self.best = min(self.best, time.perf_counter() - begun)
        self.points = int(data.ncon)
        self.deepest = round(-1e3 * min(data.contact.dist, default=0.0), 4)


def pieces(case: Case, torque: np.ndarray | None) -> Iterator[tuple[int, int, np.ndarray | None]]:
    """First step, number of steps and torque of each piece with constant torques."""
    if torque is None:
        yield 0, case.steps, None
        return
    for k in range(0, case.steps, HELD):
        yield k, min(HELD, case.steps - k), torque[k // HELD]


def contenders(case: Case) -> tuple[Ours, MuJoCo]:
    """Both engines, settled."""
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.xml"
        path.write_text(case.text)
        world, model = st.World(st.load(path)), mujoco.MjModel.from_xml_path(str(path))
    state, torque = world.home(), None
    if case.driven:
        second = world.nv // 2
        state.v[0], state.v[second] = CLOSING, -CLOSING
        shape = (-(-case.steps // HELD), world.nv)
        torque = np.random.default_rng(0).uniform(-TORQUE, TORQUE, shape)
        torque[:, :6] = torque[:, second : second + 6] = 0.0  # not the bases
    return Ours(case, world, state, torque), MuJoCo(case, model, state, torque)


# ------------------------------------------------------------------------------------------- cases


def make_cases(robot_path: Path, steps: int) -> Iterator[Case]:
    """All cases."""
    yield Case("stack of 10", scene(stacked(10)), SETTLING, steps)
    yield Case("wall of 50", scene(wall()), SETTLING, steps)
    yield Case("G1 among 20 boxes", scene(falling(), robot_path, [(0.0, 0.0, 0.0)]), 0, steps)
    apart = [(-APART / 2, 0.0, 0.0), (APART / 2, ASIDE, np.pi)]
    yield Case("two G1 wrestling", scene([], robot_path, apart), 0, steps, driven=True)


def stacked(count: int) -> list[tuple[tuple[float, float, float], tuple[float, float, float]]]:
    """Half extents and centres of boxes on each other."""
    return [(BOX, (0.0, 0.0, BOX[2] * (2 * k + 1))) for k in range(count)]


def wall() -> list[tuple[tuple[float, float, float], tuple[float, float, float]]]:
    """Bricks in running bond: odd rows are shifted by half a brick's overlap."""
    length, height = 2 * BRICK[0] + GAP, 2 * BRICK[2]
    return [
        (BRICK, (length * k + 0.5 * BRICK[0] * (row % 2), 0.0, height * (row + 0.5)))
        for row in range(ROWS)
        for k in range(BRICKS)
    ]


def falling() -> list[tuple[tuple[float, float, float], tuple[float, float, float]]]:
    """Boxes above and around a robot at the origin, always the same."""
    random = np.random.default_rng(0)
    places = random.uniform(-0.4, 0.4, (FALLING, 2))
    return [(BOX, (float(x), float(y), 1.5 + 0.12 * k)) for k, (x, y) in enumerate(places.tolist())]


def scene(
    boxes: list[tuple[tuple[float, float, float], tuple[float, float, float]]],
    robot_path: Path | None = None,
    robots: list[tuple[float, float, float]] | None = None,
) -> str:
    """MJCF text of free boxes of 1 kg and robots, at (x, y, yaw), on a floor."""
    import mujoco

    spec = with_options(mujoco.MjSpec())
    for k, (x, y, yaw) in enumerate(robots or []):
        robot = with_options(mujoco.MjSpec.from_file(str(robot_path)))
        prepare(robot, 2 << k)
        frame = spec.worldbody.add_frame(
            pos=[x, y, LIFT], quat=[np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
        )
        spec.attach(robot, frame=frame, prefix=f"robot{k}_")
    touching = {"condim": 3, "friction": [FRICTION, 0.005, 0.0001], "conaffinity": EVERYTHING}
    plane = {"type": mujoco.mjtGeom.mjGEOM_PLANE, "size": [0, 0, 1]}
    spec.worldbody.add_geom(name="floor", **plane, **touching)
    for k, (half, centre) in enumerate(boxes):
        body = spec.worldbody.add_body(name=f"box{k}", pos=centre)
        body.add_freejoint()
        body.add_geom(
            name=f"box{k}", type=mujoco.mjtGeom.mjGEOM_BOX, size=half, mass=1.0, **touching
        )
    spec.compile()
    return spec.to_xml()


def with_options(spec: Any) -> Any:
    """Return MuJoCo's description of a scene with the options of this benchmark."""
    import mujoco

    spec.option.timestep = DT
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.iterations, spec.option.ls_iterations = 100, 50
    return spec


def prepare(robot: Any, own: int) -> None:
    """Give a robot stiff servos, and geoms that touch everything but those of the same robot."""
    for element in [*robot.sensors, *robot.keys]:
        robot.delete(element)
    for geom in robot.geoms:
        if "_foot" in geom.name and "box" not in geom.name:
            robot.delete(geom)  # the sole is a box
            continue
        geom.contype, geom.conaffinity, geom.condim = own, EVERYTHING - own, 3
        geom.friction = [FRICTION, 0.005, 0.0001]
    for actuator in robot.actuators:
        actuator.gainprm[0] = SERVO[0]
        actuator.biasprm[1:3] = [-SERVO[0], -SERVO[1]]
