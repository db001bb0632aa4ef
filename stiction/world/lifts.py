"""How far the trees of a world must rise until they just touch the ground."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from stiction.collision.points import deepest
from stiction.collision.terrain import FlatGround, Heights, Stairs
from stiction.kernels.tree import Dynamics
from stiction.world.apart import boxes_of
from stiction.world.contact_points import contact_points_of
from stiction.world.loops import joined_to_world, joined_trees
from stiction.world.outlines import link_origin, reach

if TYPE_CHECKING:
    from stiction.world.world import World

TOUCHES = 1e-9  # depths up to this count as touching [m]


def lifts_to_plane(world: World, dynamics: Dynamics, plane: FlatGround) -> dict[int, float]:
    """How far each root link must rise until its tree just touches a plane [m]."""
    lifts: dict[int, float] = {}
    for root, point in lowest_points(world, dynamics, plane.normal):
        lift = float((plane.point - point) @ plane.normal / plane.normal[2])
        lifts[root] = max(lift, lifts.get(root, -np.inf))
    return lifts


def lifts_out_of(world: World, dynamics: Dynamics, ground: Heights | Stairs) -> dict[int, float]:
    """How far each root link must rise until its tree just touches uneven ground [m]."""
    points, _, _ = contact_points_of(world)
    home = dynamics.origin[:, 2].copy()

    def depth(root: int, lift: float) -> float:
        dynamics.origin[root, 2] = home[root] + lift
        return float(deepest(points, ground, dynamics, root))

    lifts = {}
    for root in {int(world.tree.root[link]) for link in points.link}:
        low, high = -1.0, 1.0
        while depth(root, low) <= TOUCHES:
            low *= 2
        while depth(root, high) > TOUCHES:
            high *= 2
        while high - low > TOUCHES:
            middle = (low + high) / 2
            low, high = (low, middle) if depth(root, middle) <= TOUCHES else (middle, high)
        lifts[root] = high + depth(root, high)
    return lifts


def lifted_together(world: World, dynamics: Dynamics) -> list[list[int]]:
    """Roots of the trees that rise together: joined by loops, or above one another in a file.

    The root 0 stands for a loop to the world: such trees cannot rise.
    """
    group = joined_trees(world.robots, world.tree)
    roots = {int(root): {int(root), int(group[root])} for root in np.unique(world.tree.root[1:])}
    for link in joined_to_world(world.robots):
        roots[int(world.tree.root[link])].add(0)
    for low, high, root in _footprints(world, dynamics):
        for k, other in enumerate(root):
            above = (low < high[k]).all(axis=1) & (low[k] < high).all(axis=1)
            roots[int(other)] |= set(root[above].tolist())
    found: list[set[int]] = []
    for mine in roots.values():
        apart = [one for one in found if not one & mine]
        found = [*apart, mine.union(*(one for one in found if one & mine))]
    return [sorted(trees) for trees in found]


def _footprints(
    world: World, dynamics: Dynamics
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each robot: bounds of its shapes seen from above, (shapes, 2) each, and their roots."""
    first = 1
    for robot, boxes in zip(world.robots, boxes_of(world.robots, dynamics), strict=True):
        if robot.nv:
            root = world.tree.root[first + robot.shape_link[boxes.shape]]
            yield boxes.low[:, :2], boxes.high[:, :2], root
        first += len(robot.link_name)


def lowest_points(world: World, dynamics: Dynamics, up: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Root link, and lowest point along `up`, of every colliding shape of a moving link [m]."""
    points, first = [], 1
    for robot in world.robots:
        for shape in np.flatnonzero(robot.shape_touches):
            link = first + robot.shape_link[shape]
            root = world.tree.root[link]
            R_link = dynamics.rotation[link]
            p = link_origin(dynamics, link) + R_link @ robot.shape_position[shape]
            down = -(R_link @ robot.shape_rotation[shape]).T @ up
            points.append((int(root), p - reach(robot, shape, down) * up))
        first += len(robot.link_name)
    return points
