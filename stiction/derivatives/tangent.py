"""Configurations as displacements along the velocity coordinates, so that no quaternion appears.

A displacement x (nv) from q moves each coordinate along its velocity for one unit of time: hinges
and slides by x, free and spherical joints by the rotation vector in their own axes.
"""

from __future__ import annotations

import numpy as np

from stiction.kernels.kinematics import advance, quaternion_index
from stiction.kernels.tree import FREE, Tree

SMALL = 1e-8  # sine of half an angle below which the angle is twice the sine


def displaced(tree: Tree, q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return q moved by the displacement x (nv)."""
    moved = q.copy()
    advance(tree, moved, x, 1.0)
    return moved


def displacement(tree: Tree, q_from: np.ndarray, q_to: np.ndarray) -> np.ndarray:
    """Return the displacement x (nv) that moves q_from to q_to."""
    x = np.zeros(len(tree.dof_parent))
    for link in range(1, len(tree.parent)):
        k, d, quaternion = tree.q_index[link], tree.v_index[link], quaternion_index(tree, link)
        if quaternion < 0:
            x[d] = q_to[k] - q_from[k]
            continue
        if tree.joint_type[link] == FREE:
            x[d : d + 3] = q_to[k : k + 3] - q_from[k : k + 3]
            d += 3
        here = slice(quaternion, quaternion + 4)
        x[d : d + 3] = _rotation_vector(q_from[here], q_to[here])
    return x


def _rotation_vector(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Rotation from quaternion p to r, in the axes of p."""
    w = p @ r
    axis = p[0] * r[1:] - r[0] * p[1:] - np.cross(p[1:], r[1:])
    if w < 0:
        w, axis = -w, -axis
    sine = float(np.linalg.norm(axis))
    return axis * (2.0 if sine < SMALL else 2.0 * np.arctan2(sine, w) / sine)
