"""Control of a robot in a scene: `Control`, and the kinds of control by name."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stiction import patterns
from stiction.control.actuators import Actuators
from stiction.control.prescribed import Prescribed
from stiction.control.reference import Reference
from stiction.control.tracking import PDTracking
from stiction.description.arguments import shown
from stiction.errors import InputError, StictionError
from stiction.motion.motion import Motion
from stiction.patterns import Recorded, read_openhrp, read_opensim
from stiction.patterns.grounded import grounded, torques_at
from stiction.robot.robot import Robot
from stiction.scenes.data import data_file
from stiction.scenes.planned import (
    Planned,
    check_follow,
    driven,
    placed_balance,
    planned,
    taken_apart,
)
from stiction.scenes.poses import Pose, with_poses


@dataclass(frozen=True)
class Control:
    """A kind of control and its parameters, for one robot of a scene."""

    kind: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    robot: int = 0  # number of the robot in the scene
    where: str = ""  # place in the file, for error messages

    def __post_init__(self) -> None:
        """Check the kind."""
        if not (isinstance(self.kind, str) and self.kind in KINDS):
            known = ", ".join(KINDS)
            raise InputError(f"Control: kind is {shown(self.kind)}; known are {known}")
        if not isinstance(self.parameters, Mapping):
            raise InputError(f"Control: parameters is {shown(self.parameters)}; give a dictionary")

    @property
    def endless(self) -> bool:
        """Whether it has no end of its own."""
        return KINDS[self.kind].endless

    def plan(self, robot: Robot) -> Planned:
        """The planned motion of a robot; planning a pattern takes seconds."""
        try:
            return KINDS[self.kind].make(robot, **self.parameters)
        except StictionError as error:
            raise type(error)(f"{self.where}: {error}" if self.where else str(error)) from None
        except (
            TypeError,
            ValueError,
            OverflowError,
        ) as error:  # a list or a string instead of a number
            raise InputError(f"{self.where}: invalid value: {error}") from error


@dataclass(frozen=True)
class Kind:
    """A kind of control: the functions that make it, and its parameters with annotations."""

    make: Callable[..., Planned]
    parameters: Mapping[str, Any]
    required: tuple[str, ...]
    endless: bool = False  # has no end of its own


def hold(
    robot: Robot,
    stiffness: float,
    damping: float,
    limits: float | None = None,
    pose: tuple[Pose, ...] = (),
) -> Planned:
    """Springs and dampers hold all joints at their home position, or move them through poses."""

    def controllers(reference: Reference, _: str) -> tuple[PDTracking]:
        return (PDTracking(reference, stiffness, damping, limits=limits),)

    return _still(robot, controllers, pose)


def servos(robot: Robot) -> Planned:
    """The position servos of the robot's file hold the home position."""
    if not len(robot.actuator_name):
        raise InputError(f"servos: robot '{robot.name}' has no actuators; choose another kind")
    single = (robot.actuator_bias[:, 1] < 0) & (robot.actuator_gain[:, 0] > 0)
    if not single.all():
        name = robot.actuator_name[np.flatnonzero(~single)[0]]
        raise InputError(
            f"servos: actuator '{name}' of robot '{robot.name}' is not a position servo; "
            "choose another kind"
        )
    home = robot.home[robot.q_index[robot.actuator_link]]
    stiffness = -robot.actuator_bias[:, 1] * robot.actuator_gear
    signals = (stiffness * home - robot.actuator_bias[:, 0]) / robot.actuator_gain[:, 0]
    return _still(robot, lambda *_: (Actuators(signals),))


def _still(
    robot: Robot,
    controllers: Callable[[Reference, str], tuple[Any, ...]],
    pose: tuple[Pose, ...] = (),
) -> Planned:
    """A robot that stays in its home configuration, but for joints that go through poses."""
    names, q_index, _ = driven(robot)
    q = np.tile(robot.home[q_index], (2, 1))
    still = (np.array([0.0, 1.0]), q, np.zeros_like(q))
    return Planned(names, *with_poses(robot, names, still, pose), robot.home, controllers)


def play(
    robot: Robot,
    file: Path | None = None,
    data: str | None = None,
    origin: str = "",
    motion: str | None = None,
    cutoff: float | None = None,
    names: Mapping[str, Any] | None = None,
    hold: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    follow: str = "track",
    stiffness: float | None = None,
    damping: float | None = None,
    gains: str | None = None,
    limits: float | None = None,
    feedforward: bool = False,
    balance: bool = False,
    tilt: float = 1.0,
) -> Planned:
    """Play a motion of another program, or one saved by `Motion.save` (.h5).

    feedforward: add the torques that the motion requires with the lower sole on the ground, see
    `grounded`. balance: add feedback of the centre of mass and of the base's tilt, weighted by
    `tilt`, see `Pattern.balance`. The arguments are the keys of a scene file, all of them optional.
    """
    path = file if data is None else data_file(data, origin)
    if path is None:
        raise InputError("play: names no motion; give file, or data with its origin")
    check_follow("play", follow, ("track", "prescribe"))
    recorded = _recorded(path, motion, cutoff)
    if names:
        recorded = recorded.renamed(names)
    recorded = recorded.on(robot, hold, ignore)
    if follow == "prescribe":
        return _replayed(robot, recorded, lambda reference, _: (Prescribed(reference),))
    given = recorded if gains is None else read_openhrp(path, gains).on(robot, (), ignore)
    springs, dampers = _gains(given, stiffness, damping)

    def controllers(reference: Reference, prefix: str) -> tuple[Any, ...]:
        pattern = grounded(recorded, taken_apart(robot)[1]) if feedforward or balance else None
        torques = torques_at(pattern, recorded) if pattern is not None and feedforward else None
        track = PDTracking(reference, springs, dampers, feedforward=torques, limits=limits)
        if pattern is None or not balance:
            return (track,)
        return track, placed_balance(pattern.balance(tilt=tilt), taken_apart(robot)[0], prefix)

    return _replayed(robot, recorded, controllers)


def _gains(given: Recorded, stiffness: float | None, damping: float | None) -> tuple[Any, Any]:
    """Stiffness and damping; by default those of the recorded motion."""
    springs = given.stiffness if stiffness is None else stiffness
    dampers = given.damping if damping is None else damping
    if springs is None or dampers is None:
        raise InputError(
            f"play: {given.source} has no gains; give stiffness and damping, or in gains "
            "the name of a motion in the same file that has them"
        )
    return springs, dampers


def _replayed(
    robot: Robot, recorded: Recorded, controllers: Callable[[Reference, str], tuple[Any, ...]]
) -> Planned:
    """A recorded motion, played from its start."""
    every, q_index, _ = driven(robot)
    home, where = robot.home.copy(), dict(zip(every, q_index, strict=True))
    home[[where[name] for name in recorded.joints]] = recorded.q[0]
    return Planned(
        joints=recorded.joints,
        time=recorded.time - recorded.time[0],
        q=recorded.q,
        v=recorded.v,
        home=home,
        controllers=controllers,
        duration=recorded.duration,
    )


def _recorded(path: Path, motion: str | None, cutoff: float | None) -> Recorded:
    """Read a motion, according to the type of file."""
    if path.suffix == ".h5":
        moved = Motion.load(path)
        names, q_index, dofs = driven(moved.world.robots[0])
        return Recorded(str(path), moved.time, names, moved.q[:, q_index], moved.v[:, dofs])
    if path.suffix in (".mot", ".sto", ".csv"):
        return read_opensim(path) if cutoff is None else read_opensim(path, cutoff)
    if path.suffix == ".npz":
        return read_openhrp(path, motion, cutoff)
    raise InputError(
        f"play: {path}: unknown format; known are .npz (OpenHRP), .mot, .sto and .csv (OpenSim) "
        "and .h5 (recorded here)"
    )


# -------------------------------------------------------------------------------------------- kinds


def _kind(
    make: Callable[..., Planned], *functions: Callable[..., Any], endless: bool = False
) -> Kind:
    """A kind whose parameters are those of some functions, except the robot."""
    hints: dict[str, Any] = {}
    required = []
    for function in (*functions, make):
        types = typing.get_type_hints(function)
        for name, parameter in inspect.signature(function).parameters.items():
            if name == "robot" or parameter.kind is inspect.Parameter.VAR_KEYWORD:
                continue
            hints[name] = types[name]
            if parameter.default is inspect.Parameter.empty:
                required.append(name)
    return Kind(make, hints, tuple(required), endless)


def _plans(name: str) -> bool:
    """Whether a name of `stiction.patterns` plans a motion for a robot."""
    function = getattr(patterns, name)
    if not inspect.isfunction(function):
        return False
    signature = inspect.signature(function)
    first = next(iter(signature.parameters))
    return first == "robot" and signature.return_annotation != "Robot"


KINDS: dict[str, Kind] = {
    "hold": _kind(hold, endless=True),
    "servos": _kind(servos, endless=True),
    "play": _kind(play),
} | {
    name: _kind(planned(name), getattr(patterns, name)) for name in patterns.__all__ if _plans(name)
}
