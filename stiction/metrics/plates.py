"""Virtual force plates, with the output of those in a gait laboratory.

Plates report the reaction, the force on the robot that stands on them, in plate axes: x along the
length, y along the width to the left of x, z up. (Many manufacturers report the action instead, the
force on the plate, with z down.) With the origin at the centre of the top surface,

    centre of pressure  x = -M_y / F_z,  y = M_x / F_z,  z = 0
    free moment         T_z = M_z - x F_y + y F_x

so that F at the centre of pressure and T_z about z are equivalent to all contact forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stiction.description.arguments import numbers
from stiction.errors import InputError
from stiction.metrics.points import point_positions, require_contact

if TYPE_CHECKING:
    from stiction.motion.motion import Motion


class PlateReading(NamedTuple):
    """Readings of a force plate, in its own axes; NaN where the motion has no forces."""

    force: np.ndarray  # (n, 3) on the robot [N]
    moment: np.ndarray  # (n, 3) about the origin of the plate [N m]
    centre_of_pressure: np.ndarray  # (n, 3) from the origin [m]; NaN without load
    free_moment: np.ndarray  # (n) about z through the centre of pressure [N m]; NaN likewise


@dataclass(frozen=True)
class ForcePlate:
    """A level rectangle of the ground whose contact forces are summed."""

    name: str
    centre: tuple[float, float]  # x and y in the world [m]
    size: tuple[float, float]  # length along its x, width along its y [m]
    heading: float = 0.0  # of its x axis, about z from the world's x [rad]
    height: float = 0.0  # of its surface, which should be that of the ground [m]

    def __post_init__(self) -> None:
        """Check the numbers."""
        for field, wanted in (("centre", (2,)), ("size", (2,)), ("heading", ()), ("height", ())):
            value = numbers(getattr(self, field))
            if value.shape != wanted or not np.isfinite(value).all():
                count = "two finite numbers" if wanted else "a finite number"
                raise self._wrong(field, count)
            object.__setattr__(self, field, tuple(value.tolist()) if wanted else float(value))
        if min(self.size) <= 0:
            raise self._wrong("size", "a positive length and width in m")

    @property
    def origin(self) -> np.ndarray:
        """Centre of the surface in the world [m], (3)."""
        return np.array([*self.centre, self.height])

    @property
    def axes(self) -> np.ndarray:
        """Axes x, y, z of the plate in world axes, one per row, (3, 3)."""
        c, s = np.cos(self.heading), np.sin(self.heading)
        return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])

    def read(self, motion: Motion) -> PlateReading:
        """Readings for a motion, from the forces of the contact points above the rectangle."""
        return force_plate(motion, self)

    def _wrong(self, field: str, wanted: str) -> InputError:
        found = getattr(self, field)
        return InputError(f"ForcePlate '{self.name}': {field} is {found!r}; give {wanted}")


def force_plate(motion: Motion, plate: ForcePlate) -> PlateReading:
    """Force, moment, centre of pressure and free moment that a plate measures, in plate axes."""
    if not isinstance(plate, ForcePlate):
        raise InputError(f"force_plate: found {type(plate).__name__}; give a ForcePlate")
    require_contact(motion)
    position = (point_positions(motion) - plate.origin) @ plate.axes.T
    half = np.array(plate.size) / 2
    over = (np.abs(position[:, :, :2]) <= half).all(axis=2)
    forces = np.where(over[:, :, None], motion.force @ plate.axes.T, 0.0)
    force, moment = forces.sum(axis=1), np.cross(position, forces).sum(axis=1)
    unknown = np.isnan(motion.force).any(axis=(1, 2))
    force[unknown], moment[unknown] = np.nan, np.nan
    f_x, f_y, f_z = force.T
    m_x, m_y, m_z = moment.T
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = -m_y / f_z, m_x / f_z
    free_moment = m_z - x * f_y + y * f_x
    centre = np.column_stack([x, y, np.zeros(len(motion))])
    lifted = ~(f_z > 0)
    centre[lifted], free_moment[lifted] = np.nan, np.nan
    return PlateReading(force, moment, centre, free_moment)
