"""Shapes of a robot projected to outlines in the picture plane of a camera."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.collision.terrain import FlatGround, meet
from stiction.description.description import SHAPE_KINDS, WORLD
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.world.outlines import convex_outline, link_origin, outline
from stiction.world.world import World

NOT_DRAWN = ("plane", "points")


class Camera(NamedTuple):
    """A camera at infinity: its heading and its elevation above the horizon [degrees]."""

    heading: float
    elevation: float

    def axes(self) -> np.ndarray:
        """Rows: to the right, upwards in the picture, towards the camera."""
        a, e = math.radians(self.heading), math.radians(self.elevation)
        towards = [math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)]
        right = [-math.sin(a), math.cos(a), 0.0]
        return np.array([right, np.cross(towards, right), towards])


class Silhouette(NamedTuple):
    """The outline of a shape in the picture."""

    corners: np.ndarray  # (n, 2) [m]
    nearness: float  # of its centre to the camera [m]
    link: str  # WORLD for scenery
    robot: str


def silhouettes(world: World, q: np.ndarray, camera: Camera) -> list[Silhouette]:
    """Outlines of the shapes of all links and of scenery, the farthest first."""
    dynamics = allocate(world.tree)
    forward_kinematics(dynamics, q)
    axes = camera.axes()
    found, first = [], 1
    for robot in world.robots:
        for shape in range(len(robot.shape_name)):
            if SHAPE_KINDS[robot.shape_kind[shape]] in NOT_DRAWN:
                continue
            of_robot = int(robot.shape_link[shape])
            link = first + of_robot if of_robot >= 0 else 0
            origin = link_origin(dynamics, link)
            points = (origin + outline(robot, shape) @ dynamics.rotation[link].T) @ axes.T
            name = str(robot.link_name[of_robot]) if of_robot >= 0 else WORLD
            depth = float((points[:, 2].min() + points[:, 2].max()) / 2)
            found.append(Silhouette(convex_outline(points[:, :2]), depth, name, robot.name))
        first += len(robot.link_name)
    return sorted(found, key=lambda one: one.nearness)


def ground_heights(world: World, points: np.ndarray, around: float) -> np.ndarray:
    """Heights of the ground at (n, 2) points [m], searched within 10 m of a height."""
    if world.ground is None:
        return np.full(len(points), np.nan)
    ground = world.ground.bind()
    if isinstance(ground, FlatGround):
        x, y, z = ground.normal
        return ground.point[2] - (points - ground.point[:2]) @ [x, y] / z
    heights = np.empty(len(points))
    for k, (x, y) in enumerate(points):
        low, high = around - 10.0, around + 10.0
        while high - low > 1e-4:  # a tenth of a millimetre is thinner than any line
            middle = (low + high) / 2
            if meet(ground, (float(x), float(y), middle), 0.0).depth > 0:
                low = middle
            else:
                high = middle
        heights[k] = high
    return heights
