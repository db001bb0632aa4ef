"""Forces of the hand of a user on a link."""

from __future__ import annotations

import numpy as np

from stiction.kernels.tree import FREE, PRISMATIC, REVOLUTE
from stiction.visual.poses import Poses
from stiction.world.world import World


def push_torque(
    world: World, poses: Poses, link: int, point: np.ndarray, force: np.ndarray
) -> np.ndarray:
    """Forces along the coordinates, (nv), of a force [N] at a point in the world on a link.

    The poses are those of one configuration.
    """
    tree, torque = world.tree, np.zeros(world.nv)
    while link > 0:
        kind, first = int(tree.joint_type[link]), int(tree.v_index[link])
        moment = np.cross(point - poses.position[0, link], force)
        rotation = poses.rotation[0, link]
        if kind == FREE:
            torque[first : first + 6] = [*force, *(rotation.T @ moment)]
        elif kind == REVOLUTE:
            torque[first] = moment @ (rotation @ tree.joint_axis[link])
        elif kind == PRISMATIC:
            torque[first] = force @ (rotation @ tree.joint_axis[link])
        else:
            torque[first : first + 3] = rotation.T @ moment
        link = int(tree.parent[link])
    return torque
