"""Configurations as displacements along the velocity coordinates, so that no quaternion appears.

A displacement x (nv) from q moves each coordinate along its velocity for one unit of time: hinges
and slides by x, free and spherical joints by the rotation vector in their own axes.
"""

from __future__ import annotations

import numpy as np

from stiction.kernels.kinematics import advance
from stiction.kernels.tree import FREE, SPHERICAL, Tree

SMALL = 1e-8  # sine of half an angle below which the angle is twice the sine


def displaced(tree: Tree, q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return q moved by the displacement x (nv)."""
    moved = q.copy()
    advance(tree, moved, x, 1.0)
    return moved


def displacement(tree: Tree, q_from: np.ndarray, q_to: np.ndarray) -> np.ndarray:
    """Return the displacement x (nv) that moves q_from to q_to."""
    x = np.zeros(len(tree.dof_parent))
    single = tree.dof_q >= 0
    x[single] = (q_to - q_from)[tree.dof_q[single]]
    for link in np.flatnonzero((tree.joint_type == FREE) | (tree.joint_type == SPHERICAL)):
        if link == 0:
            continue
        k, d = tree.q_index[link], tree.v_index[link]
        if tree.joint_type[link] == FREE:
            x[d : d + 3] = q_to[k : k + 3] - q_from[k : k + 3]
            k, d = k + 3, d + 3
        x[d : d + 3] = _rotation_vector(q_from[k : k + 4], q_to[k : k + 4])
    return x


def _rotation_vector(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Rotation from quaternion p to r, in the axes of p."""
    w = p @ r
    axis = p[0] * r[1:] - r[0] * p[1:] - np.cross(p[1:], r[1:])
    if w < 0:
        w, axis = -w, -axis
    sine = float(np.linalg.norm(axis))
    return axis * (2.0 if sine < SMALL else 2.0 * np.arctan2(sine, w) / sine)
