"""The world of a task, its servos, and what chance decides; for one world or many.

`formulas.py` defines actions, observations, reward and the end of an episode.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stiction import robots
from stiction.control.actuators import Actuators, ActuatorTable
from stiction.control.reference import Reference
from stiction.control.tracking import PDTracking
from stiction.description.arguments import LARGEST, number, numbers, shown
from stiction.errors import InputError, did_you_mean
from stiction.kernels.tree import FREE
from stiction.learn.formulas import TILT, Formulas
from stiction.learn.tasks import Task
from stiction.robot.load import load
from stiction.robot.robot import Robot
from stiction.scenes.grounds import rough
from stiction.simulation.set_points import actuator_names, home_set_points
from stiction.world.ground import Ground, Plane
from stiction.world.world import State, World

NEVER = (1e12, 2e12)  # times of a reference that is written to: its first row always holds [s]
NOISE = 0.02  # standard deviation of the first joint angles and speeds [rad, rad/s]
ABOVE = 0.001  # height of the first state [m]
STIFFNESS, DAMPING = 2.0, 0.08  # of servos by default: of m g h [1/rad], of the stiffness [s]
PUSH_SECONDS, PUSH_EVERY = 0.1, 2.0  # how long a push acts, and mean time between two [s]
FIELD, CELL = 30.0, 0.4  # width of rough ground, and of its cells [h]


def robot_of(robot: Any) -> Robot:
    """A robot: itself, a built-in one by name, or a model file."""
    if isinstance(robot, Robot):
        return robot
    if isinstance(robot, str) and robot in robots.__all__:
        return getattr(robots, robot)()
    if isinstance(robot, str) and not (Path(robot).suffix or ":" in robot or Path(robot).exists()):
        known = robots.__all__
        raise InputError(
            f"robot: '{robot}' is neither a file nor a built-in robot; those are "
            f"{', '.join(known)}{did_you_mean(robot, known)}"
        )
    if isinstance(robot, str | Path):
        return load(robot)
    raise InputError(
        f"robot: found {shown(robot)}; give a Robot, the name of a built-in one, or a model file"
    )


def checked_gain(what: str, given: Any, default: ArrayLike, joints: int) -> np.ndarray:
    """A gain of servos, a number or (joints)."""
    found = numbers(default if given is None else given)
    if found.shape not in ((), (joints,)) or not ((found >= 0) & (found < LARGEST)).all():
        raise InputError(
            f"{what} is {shown(given)}; give a non-negative number, or one for each of {joints} "
            "joints"
        )
    return found


class Setup:
    """The world of a task."""

    def __init__(self, robot: Any, task: Task, options: dict[str, Any]) -> None:
        """Options: scale, stiffness, damping, actuators, smooth; see `LeggedEnv`."""
        self.robot, self.task = robot_of(robot), task
        self.rate = number("rate", options["rate"], "Hz", positive=True)  # actions per second
        flat = World(self.robot, ground=Plane())
        tree = flat.tree
        if len(tree.joint_type) < 2 or tree.joint_type[1] != FREE:
            raise InputError(f"robot '{self.robot.name}' has no free base; these tasks need one")
        self.height = float(flat.standing().q[2])
        if not self.height > 0:
            raise InputError(
                f"robot '{self.robot.name}': its base stands at {self.height:.3g} m; these tasks "
                "need a base above the ground"
            )
        self._check_upright(flat.standing())
        ground: Ground = Plane()
        if task.rough > 0:
            sizes = (FIELD * self.height,) * 2
            ground = rough(task.rough * self.height, CELL * self.height, sizes)
        self.world = World(self.robot, ground=ground)
        gravity = float(np.linalg.norm(self.world.gravity))
        self.speed = float(np.sqrt(gravity * self.height))  # unit of speed [m/s]
        self.weight_times_height = self.world.total_mass * gravity * self.height
        self.dofs = np.flatnonzero(tree.dof_q >= 0)
        self.joints = tree.dof_q[self.dofs]  # indices in q
        self.standing = self.world.standing(ABOVE)
        self._make_set_points(options)

    def _check_upright(self, state: State) -> None:
        """Raise InputError if the robot would count as fallen where it stands."""
        upwards = 1 - 2 * (state.q[4] ** 2 + state.q[5] ** 2)  # of the z axis of the base
        if upwards < TILT:
            angle = np.degrees(np.arccos(np.clip(upwards, -1.0, 1.0)))
            raise InputError(
                f"robot '{self.robot.name}': the z axis of its base is {angle:.0f} degrees from "
                "the vertical at home; these tasks need one that points up (in OpenSim, y does)"
            )

    def _make_set_points(self, options: dict[str, Any]) -> None:
        """Set-points for the actions 0, -1 and 1, and what follows them."""
        tree, scale = self.world.tree, number("scale", options["scale"], "rad", positive=True)
        self.names = [self.world.dof_name(int(d)) for d in self.dofs]
        if options["actuators"]:
            self.names = actuator_names(self.world)
            self.home = home_set_points(self.world)
            limits = np.concatenate([one.actuator_control for one in self.world.robots])
            lower, upper = limits[:, 0], limits[:, 1]
            finite = np.isfinite(lower) & np.isfinite(upper)
            self.lower = np.where(finite, lower, self.home - scale)
            self.upper = np.where(finite, upper, self.home + scale)
            self.controller: Any = Actuators(self.home)
        else:
            self.home = self.standing.q[self.joints]
            self.lower = np.clip(self.home - scale, tree.lower[self.dofs], self.home)
            self.upper = np.clip(self.home + scale, self.home, tree.upper[self.dofs])
            stiff = STIFFNESS * self.weight_times_height
            stiffness = checked_gain("stiffness", options["stiffness"], stiff, len(self.names))
            damped = DAMPING * stiffness
            damping = checked_gain("damping", options["damping"], damped, len(self.names))
            names = tuple(self.names)
            still = Reference(NEVER, np.tile(self.home, (2, 1)), joints=names)
            self.controller = PDTracking(still, stiffness, damping, joints=names)
        if not len(self.names):
            raise InputError(f"robot '{self.robot.name}' has nothing that an action could move")
        self.formulas = Formulas(
            np, self.joints, self.dofs, self.standing.q[self.joints],
            self.home, self.lower, self.upper, self.height, self.speed,
            number("smooth", options["smooth"], "", low=0),
        )  # fmt: skip

    # ----------------------------------------------------------------------------------- actions

    def checked(self, actions: Any, worlds: int | None = None) -> np.ndarray:
        """Actions as (worlds, joints), those beyond -1 or 1 moved to the nearest.

        They come as (worlds, joints), or as (joints) if `worlds` is None: one world alone.
        """
        shape = (len(self.names),) if worlds is None else (worlds, len(self.names))
        found = numbers(actions)
        if found.shape != shape:
            what = f"shape {found.shape}" if found.ndim else shown(actions)
            raise InputError(f"action: found {what}; give numbers of shape {shape}")
        found = np.atleast_2d(found)
        bad = np.argwhere(~np.isfinite(found))
        if len(bad):
            world, joint = bad[0]
            raise InputError(
                f"action: '{self.names[joint]}' of world {world} is {found[world, joint]}; give "
                "numbers from -1 to 1"
            )
        return np.clip(found, -1.0, 1.0)

    def written_to(self, controllers: tuple) -> np.ndarray:
        """The array of a bound controller that set-points are written to, (joints)."""
        (table,) = controllers
        rows = table.control if isinstance(table, ActuatorTable) else table.reference.value
        found: np.ndarray = rows[0]
        return found

    @property
    def observed(self) -> int:
        """Length of an observation."""
        return 12 + 2 * len(self.joints) + len(self.names)

    # ------------------------------------------------------------------------------------ chance

    def first_state(self, random: np.random.Generator) -> State:
        """A state on the ground, near home, at rest but for noise."""
        state = self.world.standing(ABOVE)
        tree = self.world.tree
        noise = NOISE * random.standard_normal((2, len(self.joints)))
        lower, upper = tree.lower[self.dofs], tree.upper[self.dofs]
        state.q[self.joints] = np.clip(state.q[self.joints] + noise[0], lower, upper)
        state.v[self.dofs] = noise[1]
        if self.task.rough > 0:
            state.q[:2] += 0.3 * FIELD * self.height * random.uniform(-1, 1, 2)
        self.world.put_on_ground(state.q, ABOVE)
        return state

    def command(self, random: np.random.Generator) -> np.ndarray:
        """Forward and sideways speed, and rate of turning (3)."""
        forward = random.uniform(-0.5, 1.0)
        across, turn = random.uniform(-1.0, 1.0, 2)
        speed = self.task.speed * self.speed
        return np.array([forward * speed, 0.5 * across * speed, turn * self.task.turn])

    def push(self, random: np.random.Generator) -> np.ndarray:
        """A force on the base, along x and y [N]."""
        angle, share = random.uniform(0, 2 * np.pi), random.uniform(0.3, 1.0)
        impulse = share * self.task.push * self.speed * self.world.total_mass
        return impulse / PUSH_SECONDS * np.array([np.cos(angle), np.sin(angle)])
