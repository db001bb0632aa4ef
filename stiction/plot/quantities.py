"""Quantities of a motion that several figures need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.planar import planar_bases
from stiction.kernels.tree import allocate
from stiction.metrics import link_positions
from stiction.world.contact_points import contact_points_of

if TYPE_CHECKING:
    from stiction.motion.motion import Motion
    from stiction.world.world import World


def deepest(motion: Motion) -> np.ndarray:
    """Depth of the deepest point [m], (n)."""
    return motion.deepest()


def base_positions(motion: Motion, robot: int = 0) -> np.ndarray:
    """Position of the base of a robot in the world [m], (n, 3)."""
    return link_positions(motion, motion.world.link_names[base_link(motion.world, robot)])


def base_link(world: World, robot: int = 0) -> int:
    """The first link of a robot, or the one that turns on a planar base, in the forest."""
    first = 1 + sum(len(one.link_name) for one in world.robots[:robot])
    return {base.links[0]: base.turns for base in planar_bases(world.tree)}.get(first, first)


def link_rotations(motion: Motion, link: int) -> np.ndarray:
    """Rotation of a link of the forest in the world, (n, 3, 3)."""
    dynamics = allocate(motion.world.tree)
    rotations = np.empty((len(motion), 3, 3))
    for k, q in enumerate(motion.q):
        forward_kinematics(dynamics, q)
        rotations[k] = dynamics.rotation[link]
    return rotations


def lean(motion: Motion, robot: int = 0) -> np.ndarray:
    """Angle between the z axis of the base of a robot and the world's [degrees], (n)."""
    upward = link_rotations(motion, base_link(motion.world, robot))[:, 2, 2]
    return np.degrees(np.arccos(np.clip(upward, -1.0, 1.0)))


def touched_links(motion: Motion) -> list[str]:
    """Names of the links that the ground pushed or pulled."""
    contact_points, _, _ = contact_points_of(motion.world)
    links = sorted(set(contact_points.link[motion.pushed_points()].tolist()))
    return [motion.world.link_names[link] for link in links]
