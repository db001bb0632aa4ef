"""What free flight shows about tossed cubes: scale of the tracking, centre of mass, start states.

Until a cube first touches the board, its centre of mass is on a parabola and it turns freely. With
p_k the tracked centre of the cube, R_k its orientation and t_k the time of sample k,

    s p_k + R_k c + g t_k^2 / 2 z = a + b t_k                                                   (1)

is linear in the scale s, the centre of mass c in the axes of the cube, and a, b of each toss. As
the inertia is nearly isotropic, the angular velocity w is constant, and so

    log(R_m' R_k) = r + w t_k                                                                   (2)

for a sample m in the middle of the flight. The state at the first sample follows from all samples
before the impact, and from none after it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.errors import InputError
from stiction.fit.recorded_motions import turned
from stiction.validate.toss_data import Tosses

GRAVITY = 9.81  # [m/s2]
CLEARANCE = 0.005  # lowest corner above the board while the cube surely flies [m]
FEWEST = 3  # samples in flight
ENOUGH = 9  # samples in flight of tosses from which scale and centre of mass are found


class Calibration(NamedTuple):
    """Scale of the tracking and centre of mass of the cube, with standard errors."""

    scale: float  # true over tracked length
    centre: np.ndarray  # (3) from the centre of the cube, in its axes [m]
    scale_error: float
    centre_error: np.ndarray


def rotation_matrices(quaternion: np.ndarray) -> np.ndarray:
    """Rotation matrices (rows, 3, 3) of quaternions w x y z."""
    w, x, y, z = quaternion.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def lowest_corner(tosses: Tosses) -> np.ndarray:
    """Height of the lowest corner at every row [m]."""
    half = tosses.side / 2
    down = np.abs(rotation_matrices(tosses.quaternion)[:, 2, :]).sum(axis=1)
    return tosses.position[:, 2] - half * down


def flight_samples(tosses: Tosses) -> np.ndarray:
    """Number of samples of each toss before the first impact."""
    low, counts = lowest_corner(tosses), np.zeros(len(tosses), int)
    for i in range(len(tosses)):
        touching = np.flatnonzero(low[tosses.rows(i)] < CLEARANCE)
        counts[i] = touching[0] if len(touching) else tosses.samples[i]
        if counts[i] < FEWEST:
            raise InputError(
                f"toss {i} has {counts[i]} samples in flight before its first impact; at least "
                f"{FEWEST} are needed for its start state"
            )
    return counts


def calibrate(tosses: Tosses) -> Calibration:
    """Return scale and centre of mass that fit the free flights best, Eq. (1)."""
    flight, parts = flight_samples(tosses), []
    for i in np.flatnonzero(flight >= ENOUGH):
        rows = slice(int(tosses.first[i]), int(tosses.first[i] + flight[i]))
        t = tosses.dt * np.arange(flight[i])
        line, _ = np.linalg.qr(np.stack([np.ones_like(t), t], axis=1))
        unknown = np.concatenate(  # (samples, 3, 4)
            [tosses.position[rows, :, None], rotation_matrices(tosses.quaternion[rows])], axis=2
        )
        known = np.zeros((len(t), 3))
        known[:, 2] = -GRAVITY * t * t / 2
        for array in (unknown, known):  # without a + b t
            array -= np.einsum("kl,nl,n...->k...", line, line, array)
        parts.append((unknown.reshape(-1, 4), known.ravel()))
    if len(parts) < 4:
        raise InputError(
            f"{len(parts)} tosses have {ENOUGH} samples in flight; at least 4 are needed to find "
            "the centre of mass"
        )
    information = sum(a.T @ a for a, _ in parts)
    found = np.linalg.solve(information, sum(a.T @ y for a, y in parts))
    slopes = np.array([a.T @ (y - a @ found) for a, y in parts])  # errors of a toss are correlated
    inverse = np.linalg.inv(information)
    error = np.sqrt(np.diagonal(inverse @ (slopes.T @ slopes) @ inverse))
    return Calibration(float(found[0]), found[1:], float(error[0]), error[1:])


def flight_states(tosses: Tosses, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return q (tosses, 7) and v (tosses, 6) at the first samples, from all samples in flight.

    tosses: scaled to true lengths. As everywhere, the linear velocity is that of the centre of the
    cube in world axes, the angular velocity is in the axes of the cube.
    """
    flight = flight_samples(tosses)
    q, v = np.zeros((len(tosses), 7)), np.zeros((len(tosses), 6))
    for i in range(len(tosses)):
        rows = slice(int(tosses.first[i]), int(tosses.first[i] + flight[i]))
        t, turns = tosses.dt * np.arange(flight[i]), tosses.quaternion[rows]
        line = np.stack([np.ones_like(t), t], axis=1)
        middle = turns[len(t) // 2]
        (r, w), *_ = np.linalg.lstsq(line, turned(turns, middle[None]), rcond=None)  # Eq. (2)
        start = product(middle, exponential(r))
        first, at_middle = rotation_matrices(np.stack([start, middle]))
        spin = first.T @ at_middle @ w
        fallen = tosses.position[rows] + rotation_matrices(turns) @ centre  # Eq. (1)
        fallen[:, 2] += GRAVITY * t * t / 2
        (a, b), *_ = np.linalg.lstsq(line, fallen, rcond=None)
        q[i] = np.concatenate([a - first @ centre, start])
        v[i] = np.concatenate([b - first @ np.cross(spin, centre), spin])
    return q, v


def recorded_states(tosses: Tosses) -> tuple[np.ndarray, np.ndarray]:
    """Return q (tosses, 7) and v (tosses, 6) as they are in the file at the first samples."""
    rows = tosses.first[:-1]
    q = np.concatenate([tosses.position[rows], tosses.quaternion[rows]], axis=1)
    v = np.concatenate([tosses.velocity[rows], tosses.angular_velocity[rows]], axis=1)
    return q, v


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Product of two quaternions w x y z."""
    vector = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], vector])


def exponential(rotation: np.ndarray) -> np.ndarray:
    """Quaternion of a rotation vector [rad]."""
    angle = float(np.linalg.norm(rotation))
    half_sinc = np.sin(angle / 2) / angle if angle > 0 else 0.5
    return np.concatenate([[np.cos(angle / 2)], half_sinc * rotation])
