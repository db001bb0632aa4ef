"""The configuration that a robot starts from, given by the names of joints or of a keyframe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.arguments import number, numbers, shown, vector
from stiction.errors import InputError
from stiction.kernels.tree import FREE, SPHERICAL

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

ROUNDING = 1e-9  # beyond a limit: positions copied from a file with fewer digits [rad or m]
UNIT = 1e-3  # of the length of a quaternion, as of one in a state


def with_home(
    robot: Robot,
    joints: Mapping[str, ArrayLike] | str,
    height: float | None,
    turn: ArrayLike | None,
) -> Robot:
    """The robot with another home; see `Robot.with_home`."""
    if isinstance(joints, str):
        home = robot.keyframe(joints)
    elif isinstance(joints, Mapping):
        home = robot.home.copy()
        for name, value in joints.items():
            _set_joint(robot, home, name, value)
    else:
        raise InputError(
            f"robot '{robot.name}': with_home({shown(joints)}): give a dictionary of positions by "
            "the names of joints, or the name of a keyframe"
        )
    if height is not None:
        height = number(f"robot '{robot.name}': with_home: height", height, "m")
        home[_base(robot, "height") + 2] = height
    if turn is not None:
        first = _base(robot, "turn") + 3
        home[first : first + 4] = _quaternion(f"robot '{robot.name}': with_home: turn", turn)
    return replace(robot, home=home)


def _set_joint(robot: Robot, home: np.ndarray, name: Any, value: Any) -> None:
    """Write the position of a joint; raises InputError if it cannot have it."""
    found = np.flatnonzero(robot.joint_name == name) if isinstance(name, str) else np.zeros(0)
    if not len(found):
        known = ", ".join(robot.joint_name) or "none"
        raise InputError(f"robot '{robot.name}' has no joint {shown(name)}; it has {known}")
    link = int(found[0])
    what = f"robot '{robot.name}': with_home: joint '{name}'"
    first, d = int(robot.q_index[link]), int(robot.v_index[link])
    if robot.joint_type[link] == FREE:
        raise InputError(f"{what} is free; give height and turn, or place the robot with at()")
    if robot.joint_type[link] == SPHERICAL:
        home[first : first + 4] = _quaternion(what, value)
        return
    position, low, high = number(what, value, "rad or m"), robot.lower[d], robot.upper[d]
    if not low - ROUNDING <= position <= high + ROUNDING:
        raise InputError(f"{what} is {position:g}; its limits are {low:g} and {high:g}")
    home[first] = position


def _base(robot: Robot, what: str) -> int:
    """Index in q of the free base."""
    free = np.flatnonzero((robot.joint_type == FREE) & (robot.parent < 0))
    if len(free) != 1:
        found = f"{len(free)} free bases" if len(free) else "no free base"
        raise InputError(f"robot '{robot.name}' has {found}; omit {what}, or place it with at()")
    return int(robot.q_index[free[0]])


def _quaternion(what: str, value: Any) -> np.ndarray:
    """A quaternion of unit length."""
    found = vector(what, numbers(value), 4)
    length = float(np.linalg.norm(found))
    if abs(length - 1.0) > UNIT:
        raise InputError(f"{what} is {shown(value)}; give a unit quaternion w x y z")
    return found / length
