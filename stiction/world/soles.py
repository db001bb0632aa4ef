"""Soles: the undersides of links, and which of their points can stand on level ground."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.collision.points import RIM
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import Dynamics, allocate
from stiction.robot.robot import Robot
from stiction.world.contact_points import shape_contact_points
from stiction.world.outlines import link_origin
from stiction.world.world import World

SOLE_DEPTH = 0.005  # points this close to a link's lowest one belong to its sole [m]
FOOT_HEIGHT = 0.004  # links that reach this close to the robot's lowest point are feet [m]
RIM_POINTS = 16  # on the rim of a cylinder


class Sole(NamedTuple):
    """The underside of a link that stands on the ground in the home configuration."""

    link: str
    height: float  # of its lowest point above the robot's [m]
    length: float  # extent along x of the points near its lowest one [m]
    width: float  # extent along y [m]


def soles(robot: Robot) -> list[Sole]:
    """Return the soles of the feet; none if no shape of the robot can touch."""
    if not robot.shape_touches.any():
        return []
    dynamics = at_home(robot)
    points = {link: standing_points(robot, dynamics, link) for link in touching_links(robot)}
    points = {link: p for link, p in points.items() if len(p)}
    ground = min((p[:, 2].min() for p in points.values()), default=0.0)
    found = []
    for link, p in points.items():
        lowest = p[:, 2].min()
        if lowest - ground <= FOOT_HEIGHT:
            length, width = np.ptp(lowest_of(p, SOLE_DEPTH)[:, :2], axis=0)
            name = str(robot.link_name[link])
            found.append(Sole(name, float(lowest - ground), float(length), float(width)))
    return found


def at_home(robot: Robot) -> Dynamics:
    """Positions of the links of a robot in its home configuration; link 0 is the world."""
    dynamics = allocate(World(robot, ground=None).tree)
    forward_kinematics(dynamics, robot.home)
    return dynamics


def touching_links(robot: Robot) -> list[int]:
    """Links of a robot with shapes that may touch the ground."""
    return sorted({int(link) for link in robot.shape_link[robot.shape_touches]})


def standing_points(robot: Robot, dynamics: Dynamics, link: int) -> np.ndarray:
    """Points of a link of a robot that can stand on level ground, in the world [m], (n, 3).

    They are the lowest points of its contact points, and the whole rims of its cylinders.
    """
    rotation, origin = dynamics.rotation[link + 1], link_origin(dynamics, link + 1)
    points = []
    for shape in np.flatnonzero(robot.shape_touches & (robot.shape_link == link)):
        for place in shape_contact_points(robot, shape):
            centre = origin + rotation @ place["centre"]
            if place["kind"] == RIM:
                points += _rim(centre, rotation @ place["axis"], place["radius"])
            else:
                points.append(centre - [0, 0, place["radius"]])
    return np.array(points).reshape(-1, 3)


def lowest_of(points: np.ndarray, within: float) -> np.ndarray:
    """The points among (n, 3) that are within a height [m] of the lowest one."""
    return points[points[:, 2] <= points[:, 2].min(initial=np.inf) + within]


def _rim(centre: np.ndarray, axis: np.ndarray, radius: float) -> list[np.ndarray]:
    across = np.linalg.svd(axis[None])[2][1:]
    turns = np.linspace(0.0, 2 * np.pi, RIM_POINTS, endpoint=False)
    return [centre + radius * (np.array([np.cos(t), np.sin(t)]) @ across) for t in turns]
