"""Coulomb's law at points whose cases are held: equations (4) and (5) of `equations.py`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.contact.friction import SLIP
from stiction.derivatives.touching import Touching, tangential

TURN = 1e-4  # of a normal, for differences; friction turns with it, and nothing faster


class Cases(NamedTuple):
    """The cases of n loaded points."""

    slips: np.ndarray  # (n) slips; if not, it sticks
    mu: np.ndarray  # (n) coefficient of friction
    kinetic: np.ndarray  # (n) whether that is the kinetic one
    across: np.ndarray  # (n, 2, 3) two directions along the surface, perpendicular

    @classmethod
    def of(cls, touching: Touching) -> Cases:
        """Return the cases that a step found."""
        n = touching.at.normal
        axis = np.where(np.abs(n[:, :1]) < 0.7, np.eye(3)[:1], np.eye(3)[1:2])
        first = np.cross(n, axis)
        first /= np.linalg.norm(first, axis=1, keepdims=True)
        across = np.stack([first, np.cross(n, first)], axis=1)
        return cls(touching.case == SLIP, touching.mu, touching.kinetic, across)

    def residual(
        self, n: np.ndarray, v: np.ndarray, p: np.ndarray, hat: np.ndarray, R: np.ndarray
    ) -> np.ndarray:
        """Three numbers for each point that are zero where its law holds, (3 n)."""
        stops = v + R[:, None] * (p - hat)  # Eq. (4)
        if not self.slips.any():
            return stops.ravel()
        v_t, p_t = tangential(n, v), tangential(n, p)
        p_n = np.sum(n * p, axis=1)
        speed = np.where(self.slips, np.linalg.norm(v_t, axis=1), 1.0)
        off = p_t + (self.mu * p_n / speed)[:, None] * v_t  # Eq. (5)
        slides = np.column_stack([np.sum(n * stops, axis=1), self._along(off)])
        return np.where(self.slips[:, None], slides, stops).ravel()

    def _along(self, x: np.ndarray) -> np.ndarray:
        """Components of vectors (n, 3) along the surfaces, (n, 2)."""
        return np.einsum("ikj,ij->ik", self.across, x)

    def slopes(
        self, i: int, n: np.ndarray, v: np.ndarray, p: np.ndarray, R: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives (3, 3) of the residual of point i over its velocity, its impulse and p^."""
        one = np.eye(3)
        if not self.slips[i]:
            return one, R * one, -R * one
        along = one - np.outer(n, n)
        v_t, p_n = along @ v, n @ p
        speed = np.linalg.norm(v_t)
        d = v_t / speed
        turning = self.mu[i] * p_n / speed * (along - np.outer(d, d))
        across = self.across[i]
        over_v = np.vstack([n, across @ turning])
        over_p = np.vstack([R * n, across @ (along + self.mu[i] * np.outer(d, n))])
        return over_v, over_p, np.vstack([-R * n, np.zeros((2, 3))])

    def over_normal(
        self, n: np.ndarray, change: np.ndarray, v: np.ndarray, p: np.ndarray, R: np.ndarray
    ) -> np.ndarray:
        """Change of the residual as normals turn by `change`, (n, 3); on flat ground none."""
        turn = float(np.abs(change).max(initial=0.0))
        if turn == 0:
            return np.zeros(v.shape)
        size = TURN / turn
        ahead, back = n + size * change, n - size * change
        off = self.residual(ahead, v, p, p, R) - self.residual(back, v, p, p, R)
        return off.reshape(-1, 3) / (2 * size)

    def over_friction(self, n: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Derivative of the residual over the coefficient of kinetic friction, (3 n)."""
        v_t = tangential(n, v)
        speed = np.where(self.slips, np.linalg.norm(v_t, axis=1), 1.0)
        pull = (np.sum(n * p, axis=1) / speed)[:, None] * v_t
        off = np.column_stack([np.zeros(len(v)), self._along(pull)])
        return np.where((self.slips & self.kinetic)[:, None], off, 0.0).ravel()
