"""What is fixed in the world: the shapes of scenery, and the planes of files as ground."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from stiction.description.arguments import shown
from stiction.errors import InputError
from stiction.robot.placement import fixed
from stiction.robot.robot import Robot
from stiction.world.ground import LEVEL, Ground, Plane, Slope

SAME = 1e-9  # planes whose heights [m] and normals differ by less are one


class Scenery(NamedTuple):
    """All n shapes that are fixed in the world, in world axes, without the ground."""

    name: np.ndarray  # (n) "robot/shape"
    kind: np.ndarray  # (n) index into SHAPE_KINDS
    size: np.ndarray  # (n, 3) as in `Shape` [m], unused entries 0
    position: np.ndarray  # (n, 3) [m]
    rotation: np.ndarray  # (n, 3, 3)
    material: np.ndarray  # (n) name
    collides: np.ndarray  # (n) bool
    mask: np.ndarray  # (n, 2) contype and conaffinity, as in `Shape`
    vertex: np.ndarray  # (n + 1) first row of `vertices`
    vertices: np.ndarray  # (rows, 3) of hulls and points, in the shape's frame [m]


def moving_then_fixed(robots: Sequence[Robot], scenery: Iterable[Robot] | Robot) -> list[Robot]:
    """The robots that move, then those that do not; everything given as scenery is fixed."""
    if not isinstance(scenery, Robot | Iterable):
        raise InputError(f"World: scenery is {shown(scenery)}; give robots")
    given = (scenery,) if isinstance(scenery, Robot) else tuple(scenery)
    for robot in (*robots, *given):
        if not isinstance(robot, Robot):
            raise InputError(
                f"World() takes robots, found {type(robot).__name__}; use stiction.load(path)"
            )
    moving = [robot for robot in robots if robot.nv > 0]
    if not moving:
        names = ", ".join(f"'{robot.name}'" for robot in (*robots, *given))
        found = f"no robot that moves ({names})" if names else "no robot"
        raise InputError(
            f"World() got {found}; give at least one, for example stiction.robots.ball()"
        )
    return [*moving, *(robot for robot in robots if robot.nv == 0), *map(fixed, given)]


def scenery_of(robots: Iterable[Robot]) -> Scenery:
    """The fixed shapes of all robots."""
    chosen = [
        (robot, shape)
        for robot in robots
        for shape in np.flatnonzero((robot.shape_link < 0) & ~robot.shape_is_ground)
    ]

    def stacked(field: str, *shape: int) -> np.ndarray:
        rows = [getattr(robot, f"shape_{field}")[i] for robot, i in chosen]
        return np.array(rows).reshape(len(rows), *shape)

    names = [f"{robot.name}/{robot.shape_name[i]}" for robot, i in chosen]
    vertices = [robot.vertices_of(i) for robot, i in chosen]
    return Scenery(
        name=np.array(names, dtype=np.str_),
        kind=stacked("kind").astype(int),
        size=stacked("size", 3),
        position=stacked("position", 3),
        rotation=stacked("rotation", 3, 3),
        material=stacked("material").astype(np.str_),
        collides=stacked("collides").astype(bool),
        mask=stacked("mask", 2).astype(int),
        vertex=np.cumsum([0, *map(len, vertices)]),
        vertices=np.concatenate([np.zeros((0, 3)), *vertices]),
    )


# ------------------------------------------------------------------------------------------- ground


def ground_of_files(robots: Iterable[Robot]) -> tuple[Ground, list[str]]:
    """The ground that the planes of the robots' files make, and notes on it; LEVEL without any.

    Raises InputError if they make different ones.
    """
    found = _grounds(robots)
    if not found:
        return LEVEL, []
    (first, ground), *others = found
    for name, other in others:
        if not _same(ground, other) or ground.material != other.material:
            raise InputError(
                f"the planes '{first}' and '{name}' differ ({ground} and {other}), and a world has "
                "one ground; choose it with World(ground=...)"
            )
    return ground, [f"the ground is the plane '{first}' of the file"]


def notes_on_given(ground: Ground | None, robots: Iterable[Robot]) -> list[str]:
    """Notes on the planes of files that the ground of a world replaces."""
    replaced = [
        name
        for name, plane in _grounds(robots)
        if not (isinstance(ground, Plane | Slope) and _same(ground, plane))
    ]
    if not replaced:
        return []
    names = ", ".join(f"'{name}'" for name in replaced)
    return [f"World(ground=...) replaces what the files have as ground: {names}"]


def _grounds(robots: Iterable[Robot]) -> list[tuple[str, Plane | Slope]]:
    """Name and ground of every plane of the robots' files that is ground."""
    return [
        (f"{robot.name}/{robot.shape_name[shape]}", _plane(robot, shape))
        for robot in robots
        for shape in np.flatnonzero(robot.shape_is_ground)
    ]


def _plane(robot: Robot, shape: int | np.integer) -> Plane | Slope:
    x, y, z = robot.shape_rotation[shape][:, 2]
    height = float(robot.shape_position[shape] @ (x, y, z) / z)  # at x = y = 0
    material = str(robot.shape_material[shape])
    if math.hypot(x, y) < SAME:
        return Plane(float(robot.shape_position[shape][2]), material=material)
    angle, heading = math.atan2(math.hypot(x, y), z), math.atan2(-y, -x)
    return Slope(angle, heading, material=material, height=height)


def _same(one: Plane | Slope, other: Plane | Slope) -> bool:
    """Whether two grounds are the same plane."""
    heights = abs(one.height - other.height)
    return bool(heights < SAME and np.abs(one.normal() - other.normal()).max() < SAME)
