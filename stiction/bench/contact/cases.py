"""Cases of the contact benchmark: one MJCF file for both engines, and the initial state.

stand    on both feet, all points touch, each engine from its own state of rest.
The servos of the file, 40 N m/rad at both ankles against 230 of gravity, let G1 fall
within two seconds, so stiffer ones replace them.
land     tilted, sliding and tumbling, at the speed of a drop from 0.3 m, until it topples; the
servos of the file; all from the same state.
drive    standing, on the servos of "stand", while every joint is also driven by a random torque
of up to 10 N m that changes every 50 ms, the same in both engines; all from the same
state. Joints stick, slide and reverse, feet rock and lift off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import stiction as st
from stiction.errors import InputError

DT = 0.001  # [s]
FRICTION = 0.6
STAND, LAND, DRIVE = (8, 16, 64), (8, 64), (8,)  # points under both feet
GRIDS = {4: (2, 2), 8: (4, 2), 32: (8, 4)}  # points of a sole, along and across
SOLES = ("left_foot_box_collision", "right_foot_box_collision")
RADIUS = 0.005  # of a point [m]
SERVO = (500.0, 40.0)  # of a robot that stands [N m/rad, N m s/rad]
SETTLING, LANDING = 2000, 500  # [steps]
FALL, ABOVE = 0.3, 0.01  # drop height, and initial height of a landing [m]
TILT = (0.3, -0.2, 0.0)  # roll, pitch, yaw [rad]
SPIN = (-1.2, 1.2, 1.2)  # [rad/s], together about 2
TORQUE, HELD = 10.0, 50  # largest random torque [N m]; how long it is held [steps]


@dataclass(frozen=True)
class Case:
    """One case for all models and MuJoCo."""

    name: str
    points: int
    world: st.World
    model: Any  # MuJoCo's model of the same file
    state: st.State
    settling: int  # steps before timing starts
    steps: int
    torque: np.ndarray | None = None  # (n, nv) on the joints, applied row by row [N m]
    held: int = HELD  # steps for which a row of torques acts

    @property
    def stands(self) -> bool:
        """Whether the robot must stand."""
        return self.settling > 0


def make_cases(robot_path: Path, folder: Path, steps: int) -> Iterator[Case]:
    """All cases; their files are written to the folder."""
    for points in STAND:
        world, model = loaded(robot_on_points(robot_path, points, SERVO), folder)
        yield Case(f"stand {points}", points, world, model, world.standing(), SETTLING, steps)
    for points in LAND:
        world, model = loaded(robot_on_points(robot_path, points, None), folder)
        yield Case(f"land {points}", points, world, model, landing(world, model), 0, LANDING)
    for points in DRIVE:
        world, model = loaded(robot_on_points(robot_path, points, SERVO), folder)
        torque = random_torques(world, steps, HELD)
        state = world.standing()
        yield Case(f"drive {points}", points, world, model, state, 0, steps, torque, HELD)


def loaded(text: str, folder: Path) -> tuple[st.World, Any]:
    """Our world and MuJoCo's model of an MJCF text."""
    import mujoco

    path = folder / "robot.xml"
    path.write_text(text)
    return st.World(st.load(path)), mujoco.MjModel.from_xml_path(str(path))


def robot_on_points(robot_path: Path, points: int, servo: tuple[float, float] | None) -> str:
    """MJCF text of the robot in which only spheres under the soles touch a floor.

    Sensors are left out, as Stiction computes none. servo: stiffness and damping for all actuators.
    """
    import mujoco

    spec = mujoco.MjSpec.from_file(str(robot_path))
    boxes = [spec.geom(name) for name in SOLES]
    if None in boxes:
        raise InputError(
            f"{robot_path}: no boxes named {' and '.join(SOLES)}; the contact points "
            "of this benchmark are under them"
        )
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
    """Home configuration, but tilted, sliding and tumbling, shortly before the feet touch."""
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


def random_torques(world: st.World, steps: int, held: int) -> np.ndarray:
    """Torques (n, nv) on all joints but not the base [N m], for some steps; always the same."""
    torque = np.zeros((-(-steps // held), world.nv))
    torque[:, 6:] = np.random.default_rng(0).uniform(-TORQUE, TORQUE, torque[:, 6:].shape)
    return torque
