"""Motions of OpenSim: generalised coordinates over time, in files .mot and .sto, .csv or .npz.

A .mot or .sto file has a header, `name=value` in each line up to `endheader`; then the names of the
columns, the first of them time, and the numbers. `inDegrees=yes` means that rotations are in
degrees; a file without it is read in radians, OpenSim's default. A .csv file has the names
in its first line, with units: t_s, knee_angle_r_rad, pelvis_tx_m. An .npz archive has t,
coordinate_names and q, in radians.

Coordinates from markers have noise of a few millimetres, so they are low-passed before they are
differentiated (`smoothing.low_pass`); 6 Hz is usual for human walking (Winter 2009).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from stiction.control.reference import Reference, smooth_slopes
from stiction.description.rotation import about
from stiction.errors import InputError, MotionFileError
from stiction.interchange.opensim import has_axes_of_opensim
from stiction.patterns.recorded import (
    Recorded,
    arrays_of,
    checked_path,
    equal_steps,
    text_of,
    text_table,
)
from stiction.patterns.smoothing import smoothed
from stiction.robot.robot import Robot

CUTOFF = 6.0  # [Hz]
Y_UP = np.array([0.5**0.5, 0.5**0.5, 0.0, 0.0])  # an upright body with OpenSim's axes, in ours
PELVIS = tuple(f"pelvis_{name}" for name in "tilt list rotation tx ty tz".split())
SAGITTAL = {  # coordinates of gait models -> joints of `robots.hanavan()`, which pitch about y
    f"{coordinate}_{side}": (f"{name}_{joint}", -1.0)
    for side, name in (("r", "right"), ("l", "left"))
    for coordinate, joint in (
        ("hip_flexion", "hip_pitch"),
        ("knee_angle", "knee_pitch"),
        ("ankle_angle", "ankle_pitch"),
    )
} | {"lumbar_extension": ("waist_pitch", -1.0)}
TRANSLATIONS = re.compile(r".*_t[xyz]$")  # how OpenSim's models name their translations


def read_opensim(path: str | Path, cutoff: float | None = CUTOFF) -> Recorded:
    """Read a motion, low-passed at the cut-off [Hz]; None: no filter."""
    path = checked_path(path)
    if path.suffix in (".mot", ".sto"):
        time, names, q = _storage(path)
    elif path.suffix == ".csv":
        time, names, q = _comma_separated(path)
    elif path.suffix == ".npz":
        time, names, q = _archive(path)
    else:
        raise MotionFileError(f"{path}: unknown format; known are .mot, .sto, .csv and .npz")
    dt = equal_steps(path, time)
    if cutoff is None:
        v, how = smooth_slopes(time, q), "as they are"
    else:
        (q, v), how = smoothed(q, dt, cutoff), f"below {cutoff:g} Hz"
    return Recorded(str(path), time, names, q, v, (f"coordinates differentiated {how}",))


def with_pelvis(
    motion: Recorded, joints: Recorded, robot: Robot, floor: float = 0.0, belt: float = 0.0
) -> Reference:
    """The motion with its pelvis as the free base of a robot and `joints` for all joints.

    OpenSim's y is up and its z to the right; floor is the height of the ground in its axes [m].
    belt: backward speed of the treadmill's belt [m/s]; the base moves forward at that speed
    instead.
    """
    place, turned = pelvis(motion)
    single = [str(name) for name in robot.joint_name[1:]]
    if robot.nq != 7 + len(single) or set(single) != set(joints.joints):
        raise InputError(
            f"{motion.source}: with_pelvis needs a robot with a free base and joints of one "
            f"coordinate, and a motion of exactly these joints; robot '{robot.name}' "
            f"has {', '.join(single)}"
        )
    if has_axes_of_opensim(robot):
        turned = np.array([_product(one, Y_UP) for one in turned])
    place = place + np.outer(motion.time - motion.time[0], [belt, 0, 0]) - [0.0, 0.0, floor]
    columns = [joints.joints.index(name) for name in single]
    return Reference(motion.time, np.hstack([place, turned, joints.q[:, columns]]))


def pelvis(motion: Recorded) -> tuple[np.ndarray, np.ndarray]:
    """Position [m] (n, 3) and quaternion (n, 4) of the pelvis, x forwards and z up.

    OpenSim turns the pelvis by its tilt about z, its list about the new x and its rotation about
    the new y (gait2354, gait2392); a planar model has no list and no rotation.
    """
    missing = [name for name in PELVIS[:1] + PELVIS[3:5] if name not in motion.joints]
    if missing:
        raise InputError(
            f"{motion.source}: has no {missing[0]}; its coordinates are {', '.join(motion.joints)}"
        )
    n = len(motion.time)
    tilt, tip, turn, x, y, z = (
        motion.q[:, motion.joints.index(name)] if name in motion.joints else np.zeros(n)
        for name in PELVIS
    )
    # OpenSim's x y z are our x, z and -y
    quaternions = [
        _product(
            _product(about((0.0, -1.0, 0.0), tilt[k]), about((1.0, 0.0, 0.0), tip[k])),
            about((0.0, 0.0, 1.0), turn[k]),
        )
        for k in range(n)
    ]
    return np.stack([x, -z, y], axis=1), np.array(quaternions)


def _product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Product of two quaternions."""
    a, b = p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.array([a, *b])


# -------------------------------------------------------------------------------------------- files


def storage_table(path: Path) -> tuple[list[str], np.ndarray, bool]:
    """Column names, numbers, and whether angles are in degrees, of a .mot or .sto file."""
    lines = text_of(path).splitlines()
    ends = [k for k, line in enumerate(lines) if line.strip().lower() == "endheader"]
    if not ends or ends[0] + 1 >= len(lines):
        raise MotionFileError(f"{path}: has no line 'endheader' followed by the column names")
    header = {}
    for line in lines[: ends[0]]:
        key, _, value = line.partition("=")
        header[key.strip().lower()] = value.strip().lower()
    degrees = header.get("indegrees", "no")
    if degrees not in ("yes", "no"):
        raise MotionFileError(f"{path}: inDegrees={degrees}; it can be yes or no")
    names = lines[ends[0] + 1].split()
    if not names or names[0].lower() != "time":
        raise MotionFileError(
            f"{path}, line {ends[0] + 2}: the first column must be time, found {names[:1]}"
        )
    table = text_table(path, lines[ends[0] + 2 :], ends[0] + 3)
    _split(path, names, table)
    return names, table, degrees == "yes"


def _storage(path: Path) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
    """Time, names and coordinates of a .mot or .sto file."""
    names, table, in_degrees = storage_table(path)
    time, q = _split(path, names, table)
    # newer files name a coordinate by its path: /jointset/knee_r/knee_angle_r/value
    coordinates = tuple(_last_part(name) for name in names[1:])
    if in_degrees:
        turns = [k for k, name in enumerate(coordinates) if not TRANSLATIONS.match(name)]
        q[:, turns] = np.radians(q[:, turns])
    return time, coordinates, q


def _last_part(name: str) -> str:
    """The coordinate of a path such as /jointset/knee_r/knee_angle_r/value."""
    parts = name.removesuffix("/value").split("/")
    return parts[-1]


def _comma_separated(path: Path) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
    """Time, names and coordinates of a file with units in the names of its columns."""
    lines = text_of(path).splitlines()
    names = [name.strip() for name in lines[0].split(",")] if lines else []
    if not names or names[0] != "t_s":
        raise MotionFileError(f"{path}, line 1: the first column must be t_s, found {names[:1]}")
    time, q = _split(path, names, text_table(path, lines[1:], 2))
    coordinates = []
    for k, name in enumerate(names[1:]):
        coordinate, _, unit = name.rpartition("_")
        if unit not in ("rad", "m", "deg"):
            raise MotionFileError(
                f"{path}, line 1: column '{name}' has the unit '{unit}'; known are rad, deg and m"
            )
        if unit == "deg":
            q[:, k] = np.radians(q[:, k])
        coordinates.append(coordinate)
    return time, tuple(coordinates), q


def _split(path: Path, names: list[str], table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first column of a table, and the others."""
    if table.shape[1] != len(names):
        raise MotionFileError(f"{path}: has {len(names)} column names but {table.shape[1]} columns")
    _check_once(path, names)
    return table[:, 0], table[:, 1:]


def _check_once(path: Path, names: Sequence[str]) -> None:
    """Raise MotionFileError if two columns have the same name: the second would be lost."""
    for name, count in Counter(names).most_common(1):
        if count > 1:
            raise MotionFileError(
                f"{path}: {count} columns have the name '{name}'; give each its own"
            )


def _archive(path: Path) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
    """Time, names and coordinates of an archive."""
    wanted = ("t", "coordinate_names", "q")
    arrays = arrays_of(path, wanted)
    missing = [name for name in wanted if name not in arrays]
    if missing:
        raise MotionFileError(
            f"{path}: not an archive with {', '.join(wanted)}: it has no {', '.join(missing)}"
        )
    time, names, q = (arrays[name] for name in wanted)
    if time.ndim != 1 or q.shape != (len(time), len(names)) or not np.isfinite(q).all():
        raise MotionFileError(
            f"{path}: t has shape {time.shape}, q {q.shape}, and there are {len(names)} names; "
            "expected finite numbers, one row for each time and one column for each name"
        )
    coordinates = tuple(str(name) for name in names)
    _check_once(path, coordinates)
    return time.astype(float), coordinates, q.astype(float)
