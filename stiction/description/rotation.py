"""Rotations and poses as numpy arrays, for building models; kernels have kernels/rotations.py."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


def matrix(quaternion: ArrayLike) -> np.ndarray:
    """Rotation matrix of a quaternion w x y z, which need not be of unit length."""
    w, x, y, z = np.asarray(quaternion, float) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def about(axis: ArrayLike, angle: float) -> np.ndarray:
    """Quaternion of a rotation by an angle [rad] about an axis of any length."""
    unit = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * unit)])


def quaternion(R: np.ndarray) -> np.ndarray:
    """Quaternion of a rotation matrix, w >= 0."""
    w2 = np.array([np.trace(R), *(2 * np.diag(R) - np.trace(R))])  # 4 q^2 - 1
    k = int(np.argmax(w2))
    M = np.array(
        [
            [w2[0] + 1, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], w2[1] + 1, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], w2[2] + 1, R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], w2[3] + 1],
        ]
    )
    q = M[k] / np.linalg.norm(M[k])
    return -q if q[0] < 0 else q


def symmetric(six: ArrayLike) -> np.ndarray:
    """Symmetric matrix of its six numbers xx xy xz yy yz zz."""
    xx, xy, xz, yy, yz, zz = np.asarray(six, float)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def six(A: np.ndarray) -> np.ndarray:
    """Return the six numbers xx xy xz yy yz zz of a symmetric matrix."""
    return np.array([A[0, 0], A[0, 1], A[0, 2], A[1, 1], A[1, 2], A[2, 2]])


class Pose(NamedTuple):
    """Pose of a frame in another one: x_other = position + rotation x."""

    position: np.ndarray
    rotation: np.ndarray

    @classmethod
    def of(cls, position: ArrayLike, quaternion: ArrayLike) -> Pose:
        """Pose from a position and a quaternion."""
        return cls(np.asarray(position, float), matrix(quaternion))

    @classmethod
    def identity(cls) -> Pose:
        """Pose of a frame in itself."""
        return cls(np.zeros(3), np.eye(3))

    def then(self, inner: Pose) -> Pose:
        """Pose of `inner`, given in this frame, in the outer frame."""
        return Pose(self.position + self.rotation @ inner.position, self.rotation @ inner.rotation)

    def inverse(self) -> Pose:
        """Pose of the outer frame in this one."""
        return Pose(-self.rotation.T @ self.position, self.rotation.T)

    def inertia(self, mass: float, centre: ArrayLike, inertia: ArrayLike) -> tuple:
        """Mass, centre, inertia matrix about it of a body given in this frame, in the outer one."""
        moved = self.position + self.rotation @ np.asarray(centre, float)
        return mass, moved, self.rotation @ symmetric(inertia) @ self.rotation.T


def joined(
    bodies: list[tuple[float, np.ndarray, np.ndarray]],
) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and inertia about it of several bodies in one frame (parallel-axis theorem)."""
    mass = sum(body[0] for body in bodies)
    if mass == 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = sum((m * c for m, c, _ in bodies), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for m, c, about_centre in bodies:
        r = c - centre
        inertia += about_centre + m * (r @ r * np.eye(3) - np.outer(r, r))
    return mass, centre, inertia
