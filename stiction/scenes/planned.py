"""`Planned`: a motion of the joints of a robot, such as `stiction.patterns` plans."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stiction import patterns
from stiction.control.balance import BalanceFeedback
from stiction.control.prescribed import Prescribed
from stiction.control.reference import Reference
from stiction.control.tracking import PDTracking
from stiction.errors import InputError
from stiction.kernels.tree import FREE
from stiction.patterns import Pattern
from stiction.patterns.recorded import single_joints
from stiction.robot.robot import Robot
from stiction.scenes.poses import Pose, held, with_poses

FOLLOW = ("track", "prescribe", "servos")

Place = tuple[float, float, float]  # x, y [m] and heading [rad] of a base


@dataclass(frozen=True, eq=False)
class Planned:
    """A motion of the driven joints of a robot, and the controllers that follow it."""

    joints: tuple[str, ...]
    time: np.ndarray  # (n) [s]
    q: np.ndarray  # (n, joints)
    v: np.ndarray  # (n, joints)
    home: np.ndarray  # initial configuration of the whole robot (nq)
    # from the reference under the world's names, and the prefix of these names
    controllers: Callable[[Reference, str], tuple[Any, ...]]
    duration: float | None = None  # None: no end of its own
    feet: tuple[str, ...] = ()  # links of the robot that the plan puts on the ground
    shares: np.ndarray | None = None  # (n, feet) planned fraction of the weight on each

    def bound(self, prefix: str) -> tuple[Any, ...]:
        """The controllers in a world where the names of the robot's joints have this prefix."""
        names = tuple(prefix + name for name in self.joints)
        return self.controllers(Reference(self.time, self.q, self.v, joints=names), prefix)


def driven(robot: Robot) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Names of the joints that can be driven, and their indices in q and v."""
    found = single_joints(robot)
    where = np.array(list(found.values()), int).reshape(-1, 2)
    return tuple(found), where[:, 0], where[:, 1]


def check_follow(kind: str, follow: str, among: tuple[str, ...] = FOLLOW) -> None:
    """Raise InputError if `follow` is not a known way to follow a motion."""
    if follow not in among:
        raise InputError(f"{kind}: follow is {follow!r}; it can be {', '.join(among)}")


def planned(name: str) -> Callable[..., Planned]:
    """Return the function that plans a pattern of `stiction.patterns` for a robot to follow."""

    def make(
        robot: Robot,
        follow: str = "track",
        frequency: float | None = None,
        damping: float = 1.0,
        limits: float | None = None,
        balance: bool = False,
        pose: tuple[Pose, ...] = (),
        **arguments: Any,
    ) -> Planned:
        check_follow(name, follow)
        if pose and follow == "servos":
            raise InputError(f"{name}: poses are followed by 'track' and 'prescribe', not 'servos'")
        place, level = taken_apart(robot)
        pattern = _pattern(name, _Kept(level), tuple(arguments.items()))
        names, q_index, dofs = driven(robot)
        plan = (pattern.time, pattern.q[:, q_index], pattern.v[:, dofs])
        times, q, v = with_poses(robot, names, plan, pose)

        def controllers(reference: Reference, prefix: str) -> tuple[Any, ...]:
            followed = _follower(pattern, follow, reference, (frequency, damping, limits))
            feedback = placed_balance(pattern.balance(), place, prefix) if balance else None
            return (followed,) if feedback is None else (followed, feedback)

        return Planned(
            names,
            times,
            q,
            v,
            _put_together(place, pattern.q[0]),
            controllers,
            float(times[-1]),
            tuple(str(robot.link_name[sole.link]) for sole in pattern.body.soles),
            held(pattern.shares, len(times)),
        )

    return make


def _follower(
    pattern: Pattern,
    follow: str,
    reference: Reference,
    tracking: tuple[float | None, float, float | None],
) -> Any:
    """The controller that follows a pattern; tracking: frequency, damping ratio, torque limits."""
    if follow == "prescribe":
        return Prescribed(reference)
    if follow == "servos":
        return pattern.servos()
    frequency, damping, limits = tracking
    gains = pattern.tracking(frequency, damping)
    return PDTracking(
        reference,
        gains.stiffness,
        gains.damping,
        feedforward=held(pattern.torque, np.size(reference.time)),
        limits=limits,
    )


def placed_balance(feedback: BalanceFeedback, place: Place | None, prefix: str) -> BalanceFeedback:
    """Balance feedback moved to the robot's place in the scene, under the world's names."""
    x, y, heading = place or (0.0, 0.0, 0.0)
    c, s = math.cos(heading), math.sin(heading)
    turn = np.array([[c, s], [-s, c]])  # for row vectors
    left, right = (tuple(prefix + name for name in leg) for leg in feedback.legs)
    return replace(
        feedback,
        centre=np.asarray(feedback.centre) @ turn + [x, y],
        up=np.asarray(feedback.up) @ turn,
        legs=(left, right),
    )


# ------------------------------------------------------------------------------------------- places


def taken_apart(robot: Robot) -> tuple[Place | None, Robot]:
    """Place of a free base, and the robot moved to the origin, facing along x."""
    if robot.joint_type[0] != FREE:
        return None, robot
    x, y, height, *turned = robot.home[:7]
    heading = 2 * math.atan2(turned[3], turned[0])
    level = robot.at((0.0, 0.0, height), turned_by(-heading, turned))
    return (float(x), float(y), heading), level


def _put_together(place: Place | None, q: np.ndarray) -> np.ndarray:
    """A configuration planned at the origin, moved to a place."""
    home = q.copy()
    if place is not None:
        x, y, heading = place
        c, s = math.cos(heading), math.sin(heading)
        home[:2] = [x + c * q[0] - s * q[1], y + s * q[0] + c * q[1]]
        home[3:7] = turned_by(heading, q[3:7])
    return home


def turned_by(heading: float, quaternion: ArrayLike) -> np.ndarray:
    """A rotation followed by one about z."""
    c, s = math.cos(heading / 2), math.sin(heading / 2)
    w, x, y, z = np.asarray(quaternion, float)
    return np.array([c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w])


# --------------------------------------------------------------------------------------------- kept


class _Kept:
    """A robot as the key of a cache: robots with equal digests are equal."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.digest = robot, robot.digest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and self.digest == other.digest


@lru_cache(maxsize=16)
def _pattern(name: str, kept: _Kept, arguments: tuple[tuple[str, Any], ...]) -> Pattern:
    """A pattern, cached: several scenes share the same one, and planning takes seconds."""
    return getattr(patterns, name)(kept.robot, **dict(arguments))
