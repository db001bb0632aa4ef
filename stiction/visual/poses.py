"""Poses of all links of a world over a motion, in plain NumPy: a picture compiles nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.kernels.tree import FREE, PRISMATIC, REVOLUTE
from stiction.world.world import World


class Poses(NamedTuple):
    """Links of a forest, the world first, at n configurations."""

    position: np.ndarray  # (n, nl, 3) [m]
    rotation: np.ndarray  # (n, nl, 3, 3) link axes in the world


def link_poses(world: World, q: np.ndarray) -> Poses:
    """Poses of all links at configurations q, (n, nq)."""
    tree = world.tree
    n, links = len(q), len(tree.parent)
    position, rotation = np.zeros((n, links, 3)), np.zeros((n, links, 3, 3))
    rotation[:, 0] = np.eye(3)
    for link in range(1, links):
        kind, first = int(tree.joint_type[link]), int(tree.q_index[link])
        if kind == FREE:
            position[:, link] = q[:, first : first + 3]
            rotation[:, link] = matrices(q[:, first + 3 : first + 7])
            continue
        parent = int(tree.parent[link])
        turned = rotation[:, parent] @ tree.joint_rotation[link]
        placed = position[:, parent] + rotation[:, parent] @ tree.joint_position[link]
        axis = tree.joint_axis[link]
        if kind == PRISMATIC:
            placed = placed + (turned @ axis) * q[:, first, None]
        elif kind == REVOLUTE:
            turned = turned @ matrices(_about(axis, q[:, first]))
        else:
            turned = turned @ matrices(q[:, first : first + 4])
        position[:, link], rotation[:, link] = placed, turned
    return Poses(position, rotation)


def matrices(quaternion: np.ndarray) -> np.ndarray:
    """Rotation matrices (n, 3, 3) of quaternions w x y z, (n, 4)."""
    w, x, y, z = (quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)


def quaternions(rotation: np.ndarray) -> np.ndarray:
    """Quaternions w x y z (..., 4) of rotation matrices (..., 3, 3), from the largest component."""
    R = rotation  # noqa: N806
    d = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    a, b, c = R[..., 2, 1], R[..., 0, 2], R[..., 1, 0]
    e, f, g = R[..., 1, 2], R[..., 2, 0], R[..., 0, 1]
    rows = [
        [1 + d[0] + d[1] + d[2], a - e, b - f, c - g],
        [a - e, 1 + d[0] - d[1] - d[2], c + g, b + f],
        [b - f, c + g, 1 - d[0] + d[1] - d[2], a + e],
        [c - g, b + f, a + e, 1 - d[0] - d[1] + d[2]],
    ]
    table = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    best = np.argmax(np.diagonal(table, axis1=-2, axis2=-1), axis=-1)
    chosen = np.take_along_axis(table, best[..., None, None], axis=-2)[..., 0, :]
    return chosen / np.linalg.norm(chosen, axis=-1, keepdims=True)


def turn_to(direction: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) whose z axes are the unit vectors (..., 3)."""
    z = direction
    helper = np.where(np.abs(z[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    x = np.cross(helper, z)
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def _about(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Quaternions of rotations by angles (n) about a unit vector."""
    return np.column_stack([np.cos(angle / 2), np.sin(angle / 2)[:, None] * axis])
