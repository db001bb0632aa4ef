"""Shapes of a world that may touch something, for engines that know the simple solids.

Such an engine gets neither masks nor pairs: shapes of different robots touch each other, shapes
of one robot do not, and all of them touch the ground. A world in which this is otherwise is refused
by name.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from stiction.collision.pair_filter import may_collide
from stiction.compiler.compiled import as_python
from stiction.description.description import SHAPE_KINDS
from stiction.errors import InputError
from stiction.world.colliding_pairs import CollidingShape, colliding_shapes
from stiction.world.world import World

SIMPLE = ("sphere", "capsule", "box", "cylinder")


class Solid(NamedTuple):
    """A simple shape on a link."""

    name: str  # robot/shape
    robot: int  # number of its robot in the world
    link: int  # of the forest, 0 if it is fixed
    kind: str  # one of SIMPLE
    size: np.ndarray  # (3) as in `description.Shape` [m]
    position: np.ndarray  # (3) in the link [m]
    rotation: np.ndarray  # (3, 3)


def solids_of(world: World, engine: str) -> list[Solid]:
    """All shapes that may touch something; raises InputError for what cannot be translated."""
    touching = _touch_bodies(world, engine)
    found, first = [], 1
    for number, robot in enumerate(world.robots):
        ground = robot.shape_touches if world.ground is not None else np.zeros(1, bool)
        for shape in range(len(robot.shape_name)):
            grounded, bodies = bool(ground.any() and ground[shape]), (number, shape) in touching
            if not grounded and not bodies:
                continue
            name, link = f"{robot.name}/{robot.shape_name[shape]}", int(robot.shape_link[shape])
            if bodies and not grounded and link >= 0 and world.ground is not None:
                raise InputError(
                    f"engine '{engine}': shape '{name}' touches bodies but not the ground; "
                    "masks of shapes are not translated"
                )
            kind = SHAPE_KINDS[robot.shape_kind[shape]]
            if kind not in SIMPLE:
                raise InputError(
                    f"engine '{engine}': shape '{name}' is of kind {kind}; "
                    f"translated are {', '.join(SIMPLE)}"
                )
            found.append(
                Solid(
                    name,
                    number,
                    0 if link < 0 else first + link,
                    kind,
                    robot.shape_size[shape],
                    robot.shape_position[shape],
                    robot.shape_rotation[shape],
                )
            )
        first += len(robot.link_name)
    return found


def _touch_bodies(world: World, engine: str) -> set[tuple[int, int]]:
    """Robot and number of the shapes that touch shapes of other robots."""
    if world.near_pairs == 0:
        return set()
    shapes, filters = colliding_shapes(world.robots), world.pair_filter
    collide, found = as_python(may_collide), set()
    for a, b in itertools.combinations(range(len(shapes)), 2):
        one, other = shapes[a], shapes[b]
        if one.link == 0 and other.link == 0:
            continue
        touches = bool(collide(filters, a, b))
        if touches == (one.robot == other.robot):
            verb = "touch" if touches else "do not touch"
            names = " and ".join(f"'{_name(world, each)}'" for each in (one, other))
            raise InputError(
                f"engine '{engine}': {names} {verb}; translated are worlds where shapes of "
                "different robots touch each other, and those of one robot do not"
            )
        if touches:
            found |= {(one.robot, one.shape), (other.robot, other.shape)}
    return found


def _name(world: World, shape: CollidingShape) -> str:
    robot = world.robots[shape.robot]
    return f"{robot.name}/{robot.shape_name[shape.shape]}"
