"""Ground forces of a gait laboratory: files .mot and .sto of OpenSim, as readings of force plates.

Each plate has nine columns: force PREFIXvx vy vz [N], its point PREFIXpx py pz [m], and a torque
about that point, with `force` replaced by `torque` and without the v [N m]. `ground_force_vx` and
`1_ground_force_vx` are such names. The force is that on the body. OpenSim's y is up; here z is.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from stiction.errors import InputError, MotionFileError
from stiction.metrics.plates import PlateReading
from stiction.patterns.opensim import storage_table
from stiction.patterns.recorded import checked_path

UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # rows: our x, y, z
LEAST = 5.0  # [N]; with less, a centre of pressure is noise


class GroundForces(NamedTuple):
    """Readings of force plates over time, in world axes about the world's origin."""

    source: str
    time: np.ndarray  # (n) [s]
    plates: dict[str, PlateReading]  # by the prefix of their columns

    def total(self) -> np.ndarray:
        """Force of all plates together [N], (n, 3)."""
        return np.sum([plate.force for plate in self.plates.values()], axis=0)


def read_ground_forces(path: str | Path, floor: float = 0.0) -> GroundForces:
    """Read the forces of all plates in a file; floor: height of the ground in the file [m]."""
    path = checked_path(path)
    if path.suffix not in (".mot", ".sto"):
        raise MotionFileError(f"{path}: unknown format; known are .mot and .sto")
    if not np.isfinite(floor):
        raise InputError(f"read_ground_forces: floor is {floor}; give a height in m")
    names, table, _ = storage_table(path)
    late = np.flatnonzero(np.diff(table[:, 0]) <= 0)
    if len(late):
        before, after = table[late[0] : late[0] + 2, 0]
        raise MotionFileError(f"{path}: the times must increase; {after:g} s follows {before:g} s")
    column = {name: table[:, k] for k, name in enumerate(names)}
    prefixes = [name[:-2] for name in names if name.endswith("vx")]
    if not prefixes:
        raise MotionFileError(
            f"{path}: no column ends with 'vx', such as ground_force_vx; "
            f"its columns are {', '.join(names[:8])}"
        )
    plates = {}
    for prefix in prefixes:
        torque = prefix.replace("force", "torque")
        wanted = [f"{prefix}{kind}{axis}" for kind in "vp" for axis in "xyz"]
        wanted += [f"{torque}{axis}" for axis in "xyz"]
        missing = [name for name in wanted if name not in column]
        if missing:
            raise MotionFileError(f"{path}: has {prefix}vx but no column '{missing[0]}'; add it")
        values = [np.stack([column[name] for name in wanted[k : k + 3]]) for k in (0, 3, 6)]
        force, point, twist = ((UPRIGHT @ value).T for value in values)
        plates[prefix.rstrip("_") or "plate"] = _reading(force, point - [0.0, 0.0, floor], twist)
    return GroundForces(str(path), table[:, 0], plates)


def _reading(force: np.ndarray, point: np.ndarray, torque: np.ndarray) -> PlateReading:
    """A reading from a force at a point, and a torque about it."""
    moment = np.cross(point, force) + torque
    f_x, f_y, f_z = force.T
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = -moment[:, 1] / f_z, moment[:, 0] / f_z
    free = moment[:, 2] - x * f_y + y * f_x
    centre = np.column_stack([x, y, np.zeros(len(force))])
    light = ~(f_z > LEAST)
    centre[light], free[light] = np.nan, np.nan
    return PlateReading(force, moment, centre, free)
