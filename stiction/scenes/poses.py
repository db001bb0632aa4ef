"""Poses of single joints at given times, which replace what a plan says of these joints."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stiction.description.arguments import number, shown
from stiction.errors import InputError
from stiction.patterns.curves import SAMPLE, piecewise, piecewise_rate, sample_times
from stiction.robot.robot import Robot

KEYS = ("time", "joints")
STILL = 2  # samples of a robot that does not move
Pose = Mapping[str, Any]  # time [s], and positions of joints by name [rad or m]
Knots = list[tuple[float, float]]
Trajectory = tuple[np.ndarray, np.ndarray, np.ndarray]  # time (n), q and v (n, joints)


def with_poses(robot: Robot, names: tuple[str, ...], plan: Trajectory, poses: Any) -> Trajectory:
    """A trajectory of the joints `names` in which some pass through poses.

    A joint that a pose names moves there, by a minimum-jerk curve, in the time since the pose
    before. It is at rest in every pose, and stays there until another one names it. Other joints
    follow the plan, and stay where they are after its end.
    """
    knots = _knots(robot, names, plan[1][0], poses)
    if not knots:
        return plan
    time, q, v = _extended(plan, max(path[-1][0] for path in knots.values()))
    for name, path in knots.items():
        column = names.index(name)
        q[:, column] = piecewise(time, path)
        v[:, column] = piecewise_rate(time, path)
    return time, q, v


def _extended(plan: Trajectory, last: float) -> Trajectory:
    """A copy with samples up to the time `last` at least; of a robot at rest, at all times."""
    time, q, v = plan
    more = sample_times(max(last, float(time[-1])), SAMPLE)
    if len(time) > STILL:
        more = np.concatenate([time, more[more > time[-1] + SAMPLE / 2]])
    q, v = held(q, len(more)), held(v, len(more))
    v[len(time) - 1 :] = 0.0
    return more, q, v


def held(rows: np.ndarray, count: int) -> np.ndarray:
    """So many rows, the last one repeated."""
    return np.vstack([rows, np.repeat(rows[-1:], max(count - len(rows), 0), axis=0)])


def _knots(robot: Robot, names: tuple[str, ...], start: np.ndarray, poses: Any) -> dict[str, Knots]:
    """Times and positions of every joint that some pose names, from its start."""
    if not isinstance(poses, Sequence) or isinstance(poses, str):
        raise InputError(f"pose is {shown(poses)}; give a list of poses, each with a time")
    knots: dict[str, Knots] = {}
    before = 0.0
    for k, pose in enumerate(poses):
        time, joints = _checked(k, pose)
        if time <= before:
            raise InputError(
                f"pose {k + 1}: time is {time:g} s; give one after {before:g} s, when "
                f"{'the motion starts' if k == 0 else 'the pose before it is reached'}"
            )
        for name, value in joints.items():
            at = _within_limits(k, robot, names, name, value)
            path = knots.setdefault(name, [(0.0, float(start[names.index(name)]))])
            path += [(before, path[-1][1])] if path[-1][0] < before else []
            path.append((time, at))
        before = time
    return knots


def _checked(k: int, pose: Any) -> tuple[float, Mapping[str, Any]]:
    """Time and joints of a pose."""
    if not isinstance(pose, Mapping) or set(pose) != {*KEYS}:
        found = ", ".join(map(str, pose)) if isinstance(pose, Mapping) else shown(pose)
        raise InputError(f"pose {k + 1} has {found}; give {' and '.join(KEYS)}")
    joints = pose["joints"]
    if not isinstance(joints, Mapping) or not joints:
        raise InputError(f"pose {k + 1}: joints is {shown(joints)}; give positions by name")
    return number(f"pose {k + 1}: time", pose["time"], "s"), joints


def _within_limits(k: int, robot: Robot, names: tuple[str, ...], name: str, value: Any) -> float:
    """The position of a joint of the robot, inside its limits."""
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean '{near[0]}'? It has" if near else "it has"
        raise InputError(
            f"pose {k + 1}: robot '{robot.name}' has no joint '{name}'; {hint} {', '.join(names)}"
        )
    at = number(f"pose {k + 1}: {name}", value)
    link = [str(one) for one in robot.joint_name].index(name)
    lower, upper = robot.lower[robot.v_index[link]], robot.upper[robot.v_index[link]]
    if not lower <= at <= upper:
        raise InputError(
            f"pose {k + 1}: {name} is {at:g}; its limits are {lower:.4f} and {upper:.4f}"
        )
    return at
