"""How far the trees of a world must rise until they just touch the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction.collision.points import deepest
from stiction.collision.terrain import FlatGround, Heights, Stairs
from stiction.kernels.tree import Dynamics
from stiction.world.contact_points import contact_points_of
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
