"""Shapes of robots as points, and their extent along a direction."""

from __future__ import annotations

import math

import numpy as np

from stiction.description.description import SHAPE_KINDS
from stiction.kernels.tree import Dynamics
from stiction.robot.robot import Robot

TURNS = np.linspace(0.0, 2 * math.pi, 25)[:-1]
RING = np.column_stack([np.cos(TURNS), np.sin(TURNS), np.zeros(24)])
RISES = np.linspace(-math.pi / 2, math.pi / 2, 13)
BALL = np.concatenate([RING * math.cos(a) + [0.0, 0.0, math.sin(a)] for a in RISES])


def link_origin(dynamics: Dynamics, link: int) -> np.ndarray:
    """Origin of a link in the world at the configuration in `dynamics` [m], (3)."""
    return dynamics.origin[dynamics.tree.root[link]] + dynamics.position[link]


def outline(robot: Robot, shape: int | np.integer) -> np.ndarray:
    """Points (n, 3), in the link frame, whose convex hull approximates the shape.

    The hull is exact along the axes of the shape. For a plane it is its origin.
    """
    kind = SHAPE_KINDS[robot.shape_kind[shape]]
    a, b, c = robot.shape_size[shape]
    if kind in ("hull", "points", "mesh"):
        points = robot.vertices_of(shape)
    elif kind == "box":
        points = np.array([[x, y, z] for x in (-a, a) for y in (-b, b) for z in (-c, c)])
    elif kind == "cylinder":
        points = np.concatenate([a * RING + [0.0, 0.0, z] for z in (-b, b)])
    elif kind == "capsule":
        points = np.concatenate([a * BALL + [0.0, 0.0, z] for z in (-b, b)])
    elif kind == "plane":
        points = np.zeros((1, 3))
    else:
        points = BALL * ((a, a, a) if kind == "sphere" else (a, b, c))
    return robot.shape_position[shape] + points @ robot.shape_rotation[shape].T


def reach(robot: Robot, shape: int | np.integer, direction: np.ndarray) -> float:
    """How far a shape extends from its origin along a unit direction in its own axes [m]."""
    kind, (a, b, c) = SHAPE_KINDS[robot.shape_kind[shape]], robot.shape_size[shape]
    x, y, z = direction
    if kind in ("hull", "points", "mesh"):
        return float((robot.vertices_of(shape) @ direction).max())
    if kind == "plane":
        return 0.0
    return {
        "sphere": a,
        "capsule": a + b * abs(z),
        "cylinder": a * np.hypot(x, y) + b * abs(z),
        "box": a * abs(x) + b * abs(y) + c * abs(z),
        "ellipsoid": float(np.sqrt((a * x) ** 2 + (b * y) ** 2 + (c * z) ** 2)),
    }[kind]


def convex_outline(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull of points in a plane, counter-clockwise (Andrew 1979)."""
    ordered = sorted(map(tuple, points.tolist()))

    def half(row: list) -> list:
        chain: list = []
        for x, y in row:
            while len(chain) > 1:
                (x0, y0), (x1, y1) = chain[-2:]
                if (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) > 0:
                    break
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))
