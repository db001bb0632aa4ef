"""What a human should look at in a robot: soles, and numbers that are possible but seldom meant."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from stiction.description.description import SHAPE_KINDS
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.robot.robot import Robot
from stiction.world.world import World

SOLE_DEPTH = 0.005  # points this close to a link's lowest one belong to its sole [m]
FOOT_HEIGHT = 0.004  # links that reach this close to the robot's lowest point are feet [m]
OUTSIDE = 0.25  # how far outside its shapes a centre of mass may lie, in parts of their size
TINY = 1e-4  # a part lighter than this share of the robot is tiny
CIRCLE = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)


class Sole(NamedTuple):
    """The underside of a link that stands on the ground in the home configuration."""

    link: str
    height: float  # of its lowest point above that of the robot [m]
    length: float  # extent along x of the points near its lowest one [m]
    width: float  # extent along y [m]


def soles(robot: Robot) -> list[Sole]:
    """Return the undersides of the feet; none if no shape of the robot collides."""
    points = _points_in_world(robot)
    if not points:
        return []
    ground = min(p[:, 2].min() for p in points.values())
    found = []
    for link, p in points.items():
        lowest = p[:, 2].min()
        if lowest - ground <= FOOT_HEIGHT:
            touching = p[p[:, 2] <= lowest + SOLE_DEPTH]
            length, width = np.ptp(touching[:, :2], axis=0)
            name = str(robot.link_name[link])
            found.append(Sole(name, float(lowest - ground), float(length), float(width)))
    return found


def remarks(robot: Robot) -> list[str]:
    """Return what is possible but seldom meant, one sentence each."""
    return [
        *_unit_inertias(robot),
        *_centres_outside(robot),
        *_large_inertias(robot),
        *_tiny_ends(robot),
    ]


# ------------------------------------------------------------------------------------------ shapes


def outline(robot: Robot, shape: int | np.integer) -> np.ndarray:
    """Points (n, 3) of a shape, in the frame of its link, whose extents are those of the shape."""
    kind = SHAPE_KINDS[robot.shape_kind[shape]]
    a, b, c = robot.shape_size[shape]
    if kind in ("hull", "points"):
        rows = slice(robot.shape_vertex[shape], robot.shape_vertex[shape + 1])
        points = robot.vertices[rows]
    elif kind == "box":
        points = np.array([[x, y, z] for x in (-a, a) for y in (-b, b) for z in (-c, c)])
    elif kind == "cylinder":
        ring = np.stack([a * np.cos(CIRCLE), a * np.sin(CIRCLE)], axis=1)
        points = np.concatenate([np.column_stack([ring, np.full(16, z)]) for z in (-b, b)])
    else:
        reach = {"sphere": (a, a, a), "ellipsoid": (a, b, c), "capsule": (a, a, a + b)}
        x, y, z = reach.get(kind, (0.0, 0.0, 0.0))
        points = np.array([[x, 0, 0], [-x, 0, 0], [0, y, 0], [0, -y, 0], [0, 0, z], [0, 0, -z]])
    return robot.shape_position[shape] + points @ robot.shape_rotation[shape].T


def _points_in_world(robot: Robot) -> dict[int, np.ndarray]:
    """Outlines of the colliding shapes of each moving link in the home configuration."""
    world = World(robot, ground=None)
    dynamics = allocate(world.tree)
    forward_kinematics(dynamics, world.home().q)
    points: dict[int, list[np.ndarray]] = {}
    for shape in np.flatnonzero(robot.shape_touches):
        link = int(robot.shape_link[shape])
        origin = dynamics.origin[world.tree.root[link + 1]] + dynamics.position[link + 1]
        placed = origin + outline(robot, shape) @ dynamics.rotation[link + 1].T
        points.setdefault(link, []).append(placed)
    return {link: np.concatenate(parts) for link, parts in points.items()}


def _extents(robot: Robot) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Lower and upper corner of the box around all shapes of each moving link, in link axes."""
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
    return _sentence(robot, unit, "the inertia 1 kg m2 about every axis, which is seldom meant")


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
    return _sentence(robot, large, "an inertia too large for a body of the extent of the shapes")


def _tiny_ends(robot: Robot) -> list[str]:
    """Light parts on joints without armature make the equations stiff and badly conditioned."""
    carried = robot.mass.copy()
    for link in range(len(carried) - 1, -1, -1):
        if robot.parent[link] >= 0:
            carried[robot.parent[link]] += carried[link]
    bare = np.array([robot.armature[d] == 0 for d in robot.v_index])
    tiny = bare & (carried < TINY * robot.total_mass) & (robot.parent >= 0)
    return _sentence(robot, tiny, f"less than {TINY:g} of the mass at the end of a heavy chain")


def _sentence(robot: Robot, concerned: np.ndarray, what: str) -> list[str]:
    """One sentence that names the links concerned, none if there are none."""
    names: list[Any] = robot.link_name[concerned].tolist()
    if not names:
        return []
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    verb = "has" if len(names) == 1 else "have"
    return [f"{', '.join(names[:5])}{more} {verb} {what}"]
