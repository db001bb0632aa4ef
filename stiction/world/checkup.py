"""Suspicious values of a robot: possible, but probably not intended."""

from __future__ import annotations

from typing import Any

import numpy as np

from stiction.robot.robot import Robot
from stiction.world.outlines import outline

OUTSIDE = 0.25  # how far outside its shapes a centre of mass may lie, as a fraction of their size
TINY = 1e-4  # a part lighter than this fraction of the robot is tiny


def remarks(robot: Robot) -> list[str]:
    """Return remarks on suspicious values, one sentence each."""
    return [
        *_unit_inertias(robot),
        *_centres_outside(robot),
        *_large_inertias(robot),
        *_tiny_ends(robot),
    ]


def _extents(robot: Robot) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Lower and upper corner of the bounding box of each moving link's shapes, in link axes."""
    extents = {}
    for link in range(len(robot.link_name)):
        shapes = np.flatnonzero(robot.shape_link == link)
        if len(shapes):
            points = np.concatenate([outline(robot, shape) for shape in shapes])
            extents[link] = (points.min(axis=0), points.max(axis=0))
    return extents


# ------------------------------------------------------------------------------------------- rules


def _unit_inertias(robot: Robot) -> list[str]:
    unit = (robot.inertia == [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]).all(axis=1)
    return _sentence(robot, unit, "an inertia of 1 kg m2 about every axis, probably a placeholder")


def _centres_outside(robot: Robot) -> list[str]:
    outside = np.zeros(len(robot.link_name), bool)
    for link, (low, high) in _extents(robot).items():
        margin = OUTSIDE * (high - low).max()
        centre = robot.centre[link]
        beyond = (centre < low - margin) | (centre > high + margin)
        outside[link] = robot.mass[link] > 0 and beyond.any()
    return _sentence(robot, outside, "a centre of mass outside the shapes")


def _large_inertias(robot: Robot) -> list[str]:
    """A body within its shapes cannot have a radius of gyration beyond their farthest point."""
    large = np.zeros(len(robot.link_name), bool)
    for link, (low, high) in _extents(robot).items():
        farthest = np.linalg.norm(np.maximum(high - robot.centre[link], robot.centre[link] - low))
        moment = robot.inertia[link, [0, 3, 5]].max()
        large[link] = moment > robot.mass[link] * farthest**2 * (1 + OUTSIDE) ** 2
    return _sentence(robot, large, "an inertia too large for the extent of its shapes")


def _tiny_ends(robot: Robot) -> list[str]:
    """Light parts on joints without armature make the equations stiff and badly conditioned."""
    carried = robot.mass.copy()
    for link in range(len(carried) - 1, -1, -1):
        if robot.parent[link] >= 0:
            carried[robot.parent[link]] += carried[link]
    bare = robot.armature[robot.v_index] == 0
    tiny = bare & (carried < TINY * robot.total_mass) & (robot.parent >= 0)
    return _sentence(
        robot,
        tiny,
        f"less than {TINY:g} of the robot's mass on a joint without armature; "
        "add armature or merge the link",
    )


def _sentence(robot: Robot, concerned: np.ndarray, what: str) -> list[str]:
    """One sentence that names the links concerned; an empty list if there are none."""
    names: list[Any] = robot.link_name[concerned].tolist()
    if not names:
        return []
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    verb = "has" if len(names) == 1 else "have"
    return [f"{', '.join(names[:5])}{more} {verb} {what}"]
