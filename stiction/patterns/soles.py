"""Soles of a two-legged robot, and its support polygon."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stiction.description.arguments import shown
from stiction.errors import InputError
from stiction.kernels.tree import Dynamics
from stiction.robot.robot import Robot
from stiction.world.outlines import link_origin
from stiction.world.soles import at_home, lowest_of, standing_points, touching_links

FRAMES = ("left_sole", "right_sole")
SIDES = ("left", "right")
LEVEL = 2e-3  # points this close to the lowest one of a foot belong to its sole [m]


@dataclass(frozen=True)
class Sole:
    """The rectangle under a foot: x forward, y to the left, z up out of the ground."""

    side: str  # left or right
    link: int  # of the robot that carries it
    position: np.ndarray  # (3) centre of the rectangle in the link [m]
    rotation: np.ndarray  # (3, 3) axes of the sole in the link
    half: np.ndarray  # (2) half its length and half its width [m]

    def corners(self, x: float, y: float, yaw: float) -> np.ndarray:
        """Corners on the ground with the centre at (x, y), turned by yaw [m], (4, 2)."""
        signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
        c, s = np.cos(yaw), np.sin(yaw)
        return np.array([x, y]) + (signs * self.half) @ np.array([[c, s], [-s, c]])


def find_soles(robot: Robot, feet: tuple[str, str] | None = None) -> tuple[Sole, Sole]:
    """Left and right sole of a robot.

    feet: names of the left and the right foot, links or frames. By default these are the frames
    left_sole and right_sole, and without such frames the two lowest links in the home
    configuration. The rectangle encloses the lowest points there of the link's colliding shapes;
    its x axis is that of the robot's base, projected onto the ground.
    """
    dynamics = at_home(robot)
    names = _feet(robot, dynamics, feet)
    left, right = (
        _sole(robot, dynamics, side, name, _link(robot, name))
        for side, name in zip(SIDES, names, strict=True)
    )
    if left.link == right.link:
        raise InputError(f"robot '{robot.name}': both feet are link '{robot.link_name[left.link]}'")
    return left, right


def _feet(robot: Robot, dynamics: Dynamics, feet: tuple[str, str] | None) -> tuple[str, str]:
    if feet is not None:
        two = isinstance(feet, tuple | list) and len(feet) == 2
        if not two or not all(isinstance(foot, str) for foot in feet):
            raise InputError(f"feet: found {shown(feet)}; name the left and the right foot")
        return feet
    if set(FRAMES) <= set(robot.frame_name.tolist()):
        return FRAMES
    links = touching_links(robot)
    reached = {link: standing_points(robot, dynamics, link)[:, 2] for link in links}
    heights = {link: z.min(initial=np.inf) for link, z in reached.items()}
    lowest = sorted(links, key=lambda link: heights[link])[:2]
    if len(lowest) < 2 or heights[lowest[1]] - heights[lowest[0]] > LEVEL:
        raise InputError(
            f"robot '{robot.name}': no soles found: it has no frames 'left_sole' and 'right_sole', "
            f"and no two of its {len(links)} links with colliding shapes are equally low in the "
            "home configuration; name the feet, feet=('left_foot', 'right_foot'), or make their "
            "shapes collide, robot.with_colliding(...)"
        )
    lowest.sort(key=lambda link: -(dynamics.position[link + 1] @ dynamics.rotation[1][:, 1]))
    return str(robot.link_name[lowest[0]]), str(robot.link_name[lowest[1]])


def _link(robot: Robot, name: str) -> int:
    for names, links in (
        (robot.link_name, np.arange(len(robot.link_name))),
        (robot.frame_name, robot.frame_link),
    ):
        found = np.flatnonzero(names == name)
        if len(found):
            return int(links[found[0]])
    raise InputError(
        f"robot '{robot.name}' has no link or frame '{name}'; its links are "
        f"{', '.join(robot.link_name)}"
    )


def _sole(robot: Robot, dynamics: Dynamics, side: str, name: str, link: int) -> Sole:
    """Rectangle around the lowest points of a link, with the heading of the base."""
    forward = dynamics.rotation[1][:, 0] * [1, 1, 0]
    forward /= np.linalg.norm(forward)
    axes = np.array([forward, np.cross([0, 0, 1], forward), [0, 0, 1]]).T
    low = lowest_of(standing_points(robot, dynamics, link), LEVEL) @ axes
    size = np.ptp(low, axis=0) if len(low) else np.zeros(3)
    if min(size[:2]) <= 0:
        raise InputError(
            f"robot '{robot.name}': the {side} foot '{name}' has no flat underside: {len(low)} "
            f"points of its colliding shapes are within {LEVEL * 1e3:.0f} mm of the lowest one in "
            f"the home configuration and span {size[0]:.3g} m by {size[1]:.3g} m; a sole "
            "needs an area"
        )
    middle = axes @ ((low.min(axis=0) + low.max(axis=0)) / 2 * [1, 1, 0] + [0, 0, low[:, 2].min()])
    R_link = dynamics.rotation[link + 1]
    origin = link_origin(dynamics, link + 1)
    return Sole(side, link, R_link.T @ (middle - origin), R_link.T @ axes, size[:2] / 2)


def distance_inside(point: np.ndarray, outline: np.ndarray) -> float:
    """Signed distance of a point from the edge of a convex polygon [m]: positive inside.

    outline: corners, counter-clockwise, (n, 2).
    """
    edges = np.roll(outline, -1, axis=0) - outline
    lengths = np.linalg.norm(edges, axis=1)
    arms = point - outline
    left = (edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0]) / lengths
    if left.min() >= 0:
        return float(left.min())
    along = np.clip((arms * edges).sum(axis=1) / lengths**2, 0, 1)
    return -float(np.linalg.norm(arms - along[:, None] * edges, axis=1).min())
