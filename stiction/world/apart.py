"""Keeps the robots of a world apart: bounding boxes of their shapes, and which robot moves.

It is rarely intended that robots overlap at the start. A free robot whose shapes overlap those of
an earlier robot of the world is moved along y until it is CLEARANCE to the left of all earlier
ones. Robots that were placed with `at` stay; their overlaps, and those with scenery, are reported.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from stiction.description.description import SHAPE_KINDS
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
    shape: np.ndarray  # (shapes) index into the shapes of the robot


class Overlap(NamedTuple):
    """Two robots that overlap, judged by the bounding boxes of their shapes."""

    one: int  # number of a robot
    other: int  # number of a later robot
    shapes: tuple[str, str]
    depth: float  # of the overlap: the smallest over the axes [m]

    def told(self) -> str:
        """What overlaps, and by how much."""
        return f"the boxes around {' and '.join(self.shapes)} overlap by {self.depth:.3g} m"


class Apart(NamedTuple):
    """Robots side by side."""

    q: np.ndarray  # (nq)
    notes: list[str]  # on each robot that was moved, or left where it overlaps
    kept: set[tuple[int, int]]  # pairs of robots that overlap


def boxes_of(robots: Sequence[Robot], dynamics: Dynamics) -> list[Boxes]:
    """Bounding boxes of the shapes of each robot, at the configuration in `dynamics`."""
    found, first = [], 1
    for robot in robots:
        low, high = [], []
        mesh = robot.shape_kind == SHAPE_KINDS.index("mesh")  # it may be hollow where its box is
        fixed = robot.shape_collides & ~robot.shape_is_ground & ~mesh
        shapes = np.flatnonzero(robot.shape_touches if robot.nv else fixed)
        for shape in shapes:
            link = first + int(robot.shape_link[shape]) if robot.nv else 0
            turned = dynamics.rotation[link] @ robot.shape_rotation[shape]
            middle = link_origin(dynamics, link)
            middle = middle + dynamics.rotation[link] @ robot.shape_position[shape]
            ends = [[reach(robot, shape, sign * axis) for axis in turned] for sign in (-1.0, 1.0)]
            low.append(middle - ends[0])
            high.append(middle + ends[1])
        found.append(Boxes(np.array(low).reshape(-1, 3), np.array(high).reshape(-1, 3), shapes))
        first += len(robot.link_name)
    return found


def first_overlap(
    robots: Sequence[Robot], boxes: Sequence[Boxes], kept: Collection[tuple[int, int]] = ()
) -> Overlap | None:
    """The first moving robot, in the world's order, that overlaps an earlier one; None without any.

    kept: pairs that may overlap.
    """
    for other in range(len(robots)):
        for one in range(other):
            if robots[other].nv and (one, other) not in kept:
                overlap = _overlap(robots, boxes, one, other)
                if overlap is not None:
                    return overlap
    return None


def inside_scenery(robots: Sequence[Robot], boxes: Sequence[Boxes]) -> list[str]:
    """One sentence on each moving robot that overlaps scenery."""
    notes = []
    for other, scenery in enumerate(robots):
        for one, robot in enumerate(robots):
            if robot.nv and not scenery.nv:
                overlap = _overlap(robots, boxes, one, other)
                if overlap is not None:
                    notes.append(
                        f"'{robot.name}' starts inside '{scenery.name}': {overlap.told()}; place "
                        "one of them with robot.at(position)"
                    )
    return notes


def _overlap(
    robots: Sequence[Robot], boxes: Sequence[Boxes], one: int, other: int
) -> Overlap | None:
    """The deepest overlap of two robots; None if they are apart or touch."""
    a, b = boxes[one], boxes[other]
    if not (len(a.low) and len(b.low)):
        return None
    depth = np.minimum(a.high[:, None], b.high) - np.maximum(a.low[:, None], b.low)
    least = depth.min(axis=2)
    if least.max() <= TOUCHING:
        return None
    i, j = np.unravel_index(np.argmax(least), least.shape)
    first = f"{robots[one].name}/{robots[one].shape_name[a.shape[i]]}"
    second = f"{robots[other].name}/{robots[other].shape_name[b.shape[j]]}"
    return Overlap(one, other, (first, second), float(least[i, j]))


def side_by_side(
    robots: Sequence[Robot],
    dynamics: Dynamics,
    q: np.ndarray,
    kept: Collection[tuple[int, int]] | None = None,
) -> Apart:
    """Move overlapping robots apart along y, from a configuration q.

    kept: pairs that may overlap; by default those whose later robot was placed with `at`.
    """
    q, notes, left = q.copy(), [], set(kept or ())
    starts = np.cumsum([0, *(robot.nq for robot in robots)])
    forward_kinematics(dynamics, q)
    boxes = boxes_of(robots, dynamics)
    while (overlap := first_overlap(robots, boxes, left)) is not None:
        one, other = robots[overlap.one], robots[overlap.other]
        if kept is None and other.placed:
            left.add((overlap.one, overlap.other))
            notes.append(f"'{other.name}' was placed inside '{one.name}': {overlap.told()}")
            continue
        roots = np.flatnonzero(other.parent < 0)
        if (other.joint_type[roots] != FREE).any():
            raise InputError(
                f"'{other.name}' starts inside '{one.name}': {overlap.told()}, and its base is "
                "not free to move aside; place it with robot.at(position), or list it first"
            )
        before = max(boxes[k].high[:, 1].max() for k in range(overlap.other) if len(boxes[k].high))
        low, high, shapes = boxes[overlap.other]
        way = np.array([0.0, before + CLEARANCE - low[:, 1].min(), 0.0])
        q[starts[overlap.other] + other.q_index[roots] + 1] += way[1]
        boxes[overlap.other] = Boxes(low + way, high + way, shapes)
        notes.append(
            f"'{other.name}' would start inside '{one.name}' and was moved {way[1]:.4g} m along y; "
            "place it with robot.at(position)"
        )
    return Apart(q, [*notes, *inside_scenery(robots, boxes)], left)
