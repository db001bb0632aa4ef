"""What robots stand on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stiction.errors import InputError
from stiction.kernels.contact import Ground


@dataclass(frozen=True)
class Plane:
    """Level ground, which may move along itself like the belt of a treadmill."""

    height: float = 0.0  # [m]
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m/s]
    material: str = "ground"

    def normal(self) -> np.ndarray:
        """Unit vector out of the ground."""
        return np.array([0.0, 0.0, 1.0])

    def bind(self) -> Ground:
        """Return the arrays that kernels read."""
        return _bound(self, self.height, self.normal(), self.velocity)


@dataclass(frozen=True)
class Slope:
    """A plane through the origin that rises by `angle` [rad] in the direction `heading` [rad]."""

    angle: float
    heading: float = 0.0  # about z, from x
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m/s]
    material: str = "ground"

    def normal(self) -> np.ndarray:
        """Unit vector out of the ground."""
        along = -math.sin(self.angle)
        return np.array(
            [along * math.cos(self.heading), along * math.sin(self.heading), math.cos(self.angle)]
        )

    def bind(self) -> Ground:
        """Return the arrays that kernels read."""
        if not abs(self.angle) < math.pi / 2:
            raise InputError(f"Slope: angle is {self.angle} rad; it must be less than pi/2 in size")
        return _bound(self, 0.0, self.normal(), self.velocity)


LEVEL = Plane()


def _bound(ground: Plane | Slope, height: float, normal: np.ndarray, velocity: tuple) -> Ground:
    """Arrays of a plane after checking its numbers."""
    point, belt = np.array([0.0, 0.0, height]), np.array(velocity, float)
    if belt.shape != (3,) or not np.isfinite([*point, *normal, *belt]).all():
        raise InputError(f"{ground}: height and three velocities must be finite numbers")
    if abs(belt @ normal) > 1e-9:
        raise InputError(f"{ground}: the velocity must be along the ground")
    return Ground(point, normal, belt)
