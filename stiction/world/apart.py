"""Keeps the robots of a world apart: bounding boxes of their shapes, and which robot moves.

Robots that overlap at the start are rarely intended. A free robot whose shapes overlap those of an
earlier robot of the world is moved along y until it is CLEARANCE to the left of all earlier ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stiction.errors import InputError
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import FREE, Dynamics
from stiction.robot.robot import Robot
from stiction.world.outlines import link_origin, reach

CLEARANCE = 0.1  # between robots placed side by side [m]
TOUCHING = 1e-9  # overlaps up to this count as touching [m]


class Boxes(NamedTuple):
    """Axis-aligned bounding boxes, in the world, of the shapes of a robot that may touch."""

    low: np.ndarray  # (shapes, 3) [m]
    high: np.ndarray


class Overlap(NamedTuple):
    """Two robots that overlap, judged by the bounding boxes of their shapes."""

    one: int  # number of a robot
    other: int  # number of a later robot
    shapes: tuple[str, str]
    depth: float  # of the overlap: the smallest over the axes [m]


def boxes_of(robots: Sequence[Robot], dynamics: Dynamics) -> list[Boxes]:
    """Bounding boxes of the shapes of each robot, at the configuration in `dynamics`."""
    found, first = [], 1
    for robot in robots:
        low, high = [], []
        for shape in np.flatnonzero(robot.shape_touches):
            link = first + int(robot.shape_link[shape])
            turned = dynamics.rotation[link] @ robot.shape_rotation[shape]
            middle = link_origin(dynamics, link)
            middle = middle + dynamics.rotation[link] @ robot.shape_position[shape]
            ends = [[reach(robot, shape, sign * axis) for axis in turned] for sign in (-1.0, 1.0)]
            low.append(middle - ends[0])
            high.append(middle + ends[1])
        found.append(Boxes(np.array(low).reshape(-1, 3), np.array(high).reshape(-1, 3)))
        first += len(robot.link_name)
    return found


def first_overlap(robots: Sequence[Robot], boxes: Sequence[Boxes]) -> Overlap | None:
    """The first robot, in the world's order, that overlaps an earlier one; None if none does."""
    for other in range(len(robots)):
        for one in range(other):
            a, b = boxes[one], boxes[other]
            if not (len(a.low) and len(b.low)):
                continue
            depth = np.minimum(a.high[:, None], b.high) - np.maximum(a.low[:, None], b.low)
            least = depth.min(axis=2)
            if least.max() > TOUCHING:
                i, j = np.unravel_index(np.argmax(least), least.shape)
                names = [
                    f"{robot.name}/{robot.shape_name[np.flatnonzero(robot.shape_touches)[k]]}"
                    for robot, k in ((robots[one], i), (robots[other], j))
                ]
                return Overlap(one, other, (names[0], names[1]), float(least[i, j]))
    return None


def side_by_side(
    robots: Sequence[Robot], dynamics: Dynamics, q: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """Return q with overlapping robots moved apart along y, and a note on each moved robot."""
    q, notes = q.copy(), []
    starts = np.cumsum([0, *(robot.nq for robot in robots)])
    forward_kinematics(dynamics, q)
    boxes = boxes_of(robots, dynamics)
    while (overlap := first_overlap(robots, boxes)) is not None:
        one, other = robots[overlap.one], robots[overlap.other]
        roots = np.flatnonzero(other.parent < 0)
        if (other.joint_type[roots] != FREE).any():
            raise InputError(
                f"'{other.name}' starts inside '{one.name}': the boxes around "
                f"{' and '.join(overlap.shapes)} overlap by {overlap.depth:.3g} m, and its base is "
                "not free to move aside; place it with robot.at(position), or list it first"
            )
        before = max(boxes[k].high[:, 1].max() for k in range(overlap.other) if len(boxes[k].high))
        low, high = boxes[overlap.other]
        way = np.array([0.0, before + CLEARANCE - low[:, 1].min(), 0.0])
        q[starts[overlap.other] + other.q_index[roots] + 1] += way[1]
        boxes[overlap.other] = Boxes(low + way, high + way)
        notes.append(
            f"'{other.name}' would start inside '{one.name}' and was moved {way[1]:.4g} m along y; "
            "place it with robot.at(position)"
        )
    return q, notes
