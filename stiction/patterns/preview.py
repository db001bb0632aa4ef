"""Preview control of the cart-table model: centre of mass for a given zero-moment point.

S. Kajita, F. Kanehiro, K. Kaneko, K. Fujiwara, K. Harada, K. Yokoi, H. Hirukawa, "Biped Walking
Pattern Generation by using Preview Control of Zero-Moment Point", ICRA 2003.

    Paper    Here              Meaning
    z_c      height            of the centre of mass above the ground
    u        jerk              the input, third derivative of the position
    p        zmp               zero-moment point, x - z_c / g x_dotdot, Eq. (9)
    A, B, C  A, B, C           discrete cart-table system, Eqs. (14), (15)
    Q_e, R   1, jerk_weight    weights of the error and of the jerk, Eq. (17), with Q_x = 0
    G_i, G_x, G_p  gains       of the sum of errors, the state and the reference, Eq. (18)

Departs from the paper: R is not 1e-6 but follows from `BANDWIDTH`, which gives 1e-6 at the paper's
height and the same bandwidth at others; the preview gains extend over `FORGOTTEN` time constants;
and at the end a least-norm jerk brings the centre of mass to rest, see `bring_to_rest`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

BANDWIDTH = 80.0  # frequency up to which the zero-moment point follows its reference [rad/s]
FORGOTTEN = 10.0  # length of the preview in time constants; later samples weigh e^-10


class Gains(NamedTuple):
    """Feedback of a preview controller."""

    error: float  # G_i
    state: np.ndarray  # (3) G_x
    preview: np.ndarray  # (samples) G_p of the reference 1, 2, ... samples ahead


def cart_table(height: float, dt: float, gravity: float) -> tuple:
    """A (3, 3), B (3), C (3) of the position, velocity and acceleration of a cart on a table."""
    A = np.array([[1.0, dt, dt**2 / 2], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
    B = np.array([dt**3 / 6, dt**2 / 2, dt])
    return A, B, np.array([1.0, 0.0, -height / gravity])


def riccati(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: float) -> np.ndarray:
    """Stabilising P = A' P A - A' P B (R + B' P B)^-1 B' P A + Q, by doubling.

    The structure-preserving doubling of Chu, Fan, Lin & Wang, "Structure-preserving algorithms for
    periodic discrete-time algebraic Riccati equations" (Int. J. Control 77, 2004): after k steps
    H is the cost of 2^k samples, so that some ten steps suffice.
    """
    G, H = np.outer(B, B) / R, Q
    for _ in range(60):
        W = np.linalg.inv(np.eye(len(A)) + G @ H)
        growth = A.T @ H @ W @ A
        A, G, H = A @ W @ A, G + A @ W @ G @ A.T, H + growth
        if np.abs(growth).max() <= 1e-14 * np.abs(H).max():
            break
    return (H + H.T) / 2


def preview_gains(height: float, dt: float, gravity: float = 9.81) -> Gains:
    """Gains for a centre of mass at a height [m] and samples every dt [s]."""
    A, B, C = cart_table(height, dt, gravity)
    jerk_weight = (height / (gravity * BANDWIDTH)) ** 2
    # the state is augmented by the error, and holds increments from sample to sample
    B_extended = np.array([C @ B, *B])
    A_extended = np.zeros((4, 4))
    A_extended[:, 0] = [1, 0, 0, 0]
    A_extended[0, 1:], A_extended[1:, 1:] = C @ A, A
    Q = np.diag([1.0, 0, 0, 0])
    P = riccati(A_extended, B_extended, Q, jerk_weight)
    scale = 1 / (jerk_weight + B_extended @ P @ B_extended)
    gains = scale * (B_extended @ P @ A_extended)
    closed = A_extended - np.outer(B_extended, gains)
    samples = int(np.ceil(FORGOTTEN * np.sqrt(height / gravity) / dt))
    preview = np.empty(samples)
    X = closed.T @ P[:, 0]
    preview[0] = gains[0]
    for j in range(1, samples):
        preview[j] = scale * (B_extended @ X)
        X = closed.T @ X
    return Gains(float(gains[0]), gains[1:], preview)


def follow_zmp(zmp: np.ndarray, height: float, dt: float, gravity: float = 9.81) -> np.ndarray:
    """Centre of mass [m], (n, axes), whose zero-moment point follows a reference, (n, axes).

    It starts above the first point of the reference and ends above the last one, both at rest.
    """
    gains = preview_gains(height, dt, gravity)
    A, B, C = cart_table(height, dt, gravity)
    ahead = np.vstack([zmp, np.repeat(zmp[-1:], len(gains.preview), axis=0)])
    state = np.zeros((3, zmp.shape[1]))
    state[0] = zmp[0]
    summed = np.zeros(zmp.shape[1])
    states = np.empty((len(zmp), *state.shape))
    for k in range(len(zmp)):
        states[k] = state
        summed = summed + (C @ state - zmp[k])
        coming = gains.preview @ ahead[k + 1 : k + 1 + len(gains.preview)]
        jerk = coming - gains.error * summed - gains.state @ state
        state = A @ state + np.outer(B, jerk)
    return bring_to_rest(states, zmp[-1], height, dt, gravity)


def bring_to_rest(
    states: np.ndarray, goal: np.ndarray, height: float, dt: float, gravity: float
) -> np.ndarray:
    """Positions, (n, axes), with the least-norm jerk added at the end that brings them to rest.

    states: (n, 3, axes). The error that the preview controller leaves at the end is small and
    decaying; the least-norm jerk over the last four time constants removes it.
    """
    A, B, _ = cart_table(height, dt, gravity)
    samples = min(len(states) - 1, int(np.ceil(4 * np.sqrt(height / gravity) / dt)))
    reach = np.empty((samples, 3))  # final state from a unit jerk k + 1 samples before the end
    reach[0] = B
    for k in range(1, samples):
        reach[k] = A @ reach[k - 1]
    left = -states[-1]
    left[0] += goal
    jerks = reach[::-1] @ np.linalg.solve(reach.T @ reach, left)
    added = np.zeros_like(states[0])
    position = states[:, 0].copy()
    for k in range(samples):
        added = A @ added + np.outer(B, jerks[k])
        position[len(states) - samples + k] += added[0]
    return position
