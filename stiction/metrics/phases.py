"""Contact phases of a foot: on its heel, flat, on its toe, or in flight."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.planar import planar_bases
from stiction.kernels.tree import allocate
from stiction.metrics.points import followed_points, links_of, point_links, points_under
from stiction.metrics.reactions import IN_FLIGHT
from stiction.world.soles import SOLE_DEPTH

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

END = 1 / 3  # length of heel and of toe, over the sole's length
NEAR = 0.01  # an end closer than this to the ground stands on it, over the sole's length
NO_LENGTH = 1e-6  # a sole shorter than this has no heel and no toe [m]


class ContactPhase(IntEnum):
    """How a foot stands on the ground."""

    FLIGHT = 0
    HEEL = 1
    FLAT = 2
    TOE = 3


def contact_phases(motion: Motion, foot: str) -> np.ndarray:
    """`ContactPhase` of a foot at every sample, (n) integers.

    The sole consists of the contact points of the foot that are lowest at home; its heel is the
    rear third, its toe the front third, along the x axis of the robot's base at home. A foot is in
    flight while the ground force is less than a thousandth of the robot's weight. Otherwise it is
    flat if both heel and toe have penetrated the ground or are closer to it than a hundredth of the
    sole's length; otherwise it stands on the nearer of the two. A sole of one point is flat. The
    last sample has no force; that of the step before is used.
    """
    under = points_under(motion, foot)
    pressed = _pressed(motion, under)
    heel, toe, length = _ends(motion, under)
    if length < NO_LENGTH:
        return np.where(pressed, ContactPhase.FLAT, ContactPhase.FLIGHT).astype(int)
    depth = motion.contact_points.depth
    behind, ahead = depth[:, heel].max(axis=1), depth[:, toe].max(axis=1)
    phase = np.where(behind > ahead, ContactPhase.HEEL, ContactPhase.TOE)
    phase[np.minimum(behind, ahead) >= -NEAR * length] = ContactPhase.FLAT
    phase[~pressed] = ContactPhase.FLIGHT
    return phase.astype(int)


def _pressed(motion: Motion, under: np.ndarray) -> np.ndarray:
    """Whether the ground carries a foot with more than a thousandth of its robot's weight, (n)."""
    normal = motion.world.ground.normal()  # type: ignore[union-attr]
    pressure = (motion.force[:, under] @ normal).sum(axis=1)
    if len(pressure) > 1 and np.isnan(pressure[-1]):
        pressure[-1] = pressure[-2]
    mass = motion.world.tree.mass[slice(*links_of(motion, _robot_of(motion, under)))].sum()
    return pressure > IN_FLIGHT * float(mass * np.linalg.norm(motion.world.gravity))


def _robot_of(motion: Motion, under: np.ndarray) -> str:
    """Name of the robot that these contact points are on."""
    link = _link(motion, under)
    for robot in motion.world.robots:
        first, last = links_of(motion, robot.name)
        if first <= link < last:
            return robot.name
    raise AssertionError("every link is on a robot")


def _link(motion: Motion, under: np.ndarray) -> int:
    return int(point_links(motion)[under[0]])


def _ends(motion: Motion, under: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Contact points of the heel and of the toe of a foot, and the length of its sole [m]."""
    world = motion.world
    home = world.home()
    at_home = followed_points(motion, home.q[None], home.v[None]).position[0, under]
    sole = under[at_home[:, 2] <= at_home[:, 2].min() + SOLE_DEPTH]
    dynamics = allocate(world.tree)
    forward_kinematics(dynamics, home.q)
    root = int(world.tree.root[_link(motion, under)])
    base = {planar.links[0]: planar.turns for planar in planar_bases(world.tree)}.get(root, root)
    along = at_home[np.isin(under, sole)] @ dynamics.rotation[base][:, 0]
    length = float(np.ptp(along))
    from_heel = along - along.min()
    return sole[from_heel <= END * length], sole[from_heel >= (1 - END) * length], length
