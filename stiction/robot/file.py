"""The .npz file of a robot: its arrays, and checks after reading."""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from stiction.description.description import SHAPE_KINDS, WORLD
from stiction.errors import ModelFileError
from stiction.kernels.tree import Q_SIZE, V_SIZE
from stiction.robot.arrays import JOINT_CODES, JOINT_PROPERTIES
from stiction.robot.described import wrong_values
from stiction.robot.loops import FIELDS, no_loops
from stiction.robot.sensors import undisturbed
from stiction.robot.visuals import no_visuals, visuals_fit

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

FORMAT = 1  # of the .npz file
LARGEST = 1_000_000_000  # [bytes] of all arrays
MOST_ENTRIES = 500
PAIRS = ("contact_pairs", "contact_excludes", "friction_pairs", "sensor_body")  # of names
NAMES = (
    *("notes", "link_name", "joint_name", "frame_name", "shape_name", "actuator_name"),
    *("shape_material", "shape_body", "sensor_name", "sensor_kind", "sensor_target"),
    *("sensor_target_type", "material_name", "keyframe_name", "loop_name", *PAIRS),
)
INTEGERS = (
    *("parent", "joint_type", "frame_link", "shape_link", "shape_kind", "shape_mask"),
    *("shape_vertex", "shape_face", "face_corner", "corner_vertex", "actuator_link"),
    *("loop_kind", "loop_link", "visual_link", "visual_vertex", "visual_triangle"),
)
OTHER_TYPES = {
    "placed": "bool",
    "shape_collides": "bool",
    "visual_vertices": "float32",
    "visual_triangles": "int32",
}
NO_FACES = {
    "face_normal": np.zeros((0, 3)),
    "face_corner": np.zeros(1, int),
    "corner_vertex": np.zeros(0, int),
}
SENSOR_FIELDS = undisturbed(0).keys()
# exceptions that numpy, zipfile and zlib raise for a damaged file
UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    EOFError,
    LookupError,
    RuntimeError,
    NotImplementedError,
    SyntaxError,
    zipfile.BadZipFile,
    zlib.error,
)


def write_arrays(file: IO[bytes], values: dict[str, Any]) -> None:
    """Write the fields of a robot to an open file."""
    np.savez_compressed(file, format=FORMAT, **values)


def read_arrays(path: str | Path | IO[bytes], names: Iterable[str]) -> dict[str, Any]:
    """Read the fields of a robot with these names."""
    if not isinstance(path, str | Path) and not hasattr(path, "read"):
        raise ModelFileError(f"{path!r} is not the path of a file; give a string or a Path")
    try:
        if isinstance(path, str | Path) and not Path(path).is_file():
            raise OSError("no such file")
        check_sizes(path)
        with np.load(path, allow_pickle=False) as file:
            values = {key: file[key] for key in file.files}
        defaults = _defaults(values)
        if values.keys() & SENSOR_FIELDS:  # a file has all of them or none
            defaults = {key: one for key, one in defaults.items() if key not in SENSOR_FIELDS}
        values = {**defaults, **values}
    except UNREADABLE as error:
        raise ModelFileError(f"{path}: not a robot file, or cut short ({error})") from None
    version = values.pop("format", "unknown")
    whole = np.asarray(version).dtype.kind in "iu"
    if not (whole and np.shape(version) == () and np.array_equal(version, FORMAT)):
        raise ModelFileError(
            f"{path}: robot format {version}; this version of stiction reads {FORMAT}"
        )
    missing = set(names) ^ values.keys()
    if missing:
        raise ModelFileError(f"{path}: missing or unknown entries: {', '.join(sorted(missing))}")
    for key in ("name", "source"):
        if values[key].dtype.kind != "U" or values[key].ndim:
            raise ModelFileError(f"{path}: '{key}' is not a string")
    return {**values, **{key: str(values[key]) for key in ("name", "source")}}


def check_sizes(path: str | Path | IO[bytes]) -> None:
    """Raise ValueError if arrays in an archive (.npz) are larger than allowed or than stored."""
    with zipfile.ZipFile(path) as file:
        entries = file.infolist()
        if len(entries) > MOST_ENTRIES or sum(entry.file_size for entry in entries) > LARGEST:
            raise ValueError(f"more than {MOST_ENTRIES} entries or {LARGEST} bytes")
        if min((entry.header_offset for entry in entries), default=0) > 0:  # as in a motion file
            raise ValueError("an archive begins inside it, not with its first byte")
        for entry in entries:
            with file.open(entry) as stream:
                version = np.lib.format.read_magic(stream)
                read = np.lib.format.read_array_header_1_0
                if version != (1, 0):
                    read = np.lib.format.read_array_header_2_0
                shape, _, kind = read(stream)
                declared = math.prod(shape) * kind.itemsize
                if kind.hasobject or declared != entry.file_size - stream.tell():
                    raise ValueError(f"'{entry.filename}' is not an array of its size")
    if not isinstance(path, str | Path):
        path.seek(0)


def _defaults(values: dict[str, Any]) -> dict[str, np.ndarray]:
    """Values of the fields that are not in the first files of this format.

    They name the link of a shape after merging, and express masks as excludes of links.
    """
    links = np.append(values["link_name"], WORLD)  # -1 wraps around to WORLD
    return {
        "placed": np.array(False),
        "shape_body": links.take(values["shape_link"], mode="wrap"),
        "shape_mask": np.ones((len(values["shape_link"]), 2), int),
        "shape_error": np.zeros(len(values["shape_link"])),
        "material_bodies": np.pad(values["material_mu"], ((0, 0), (0, 1))),
        "friction_pairs": np.zeros((0, 2), np.str_),
        "friction_pairs_mu": np.zeros(0),
        **NO_FACES,
        "shape_face": np.zeros(len(values["shape_link"]) + 1, int),
        **no_loops(),
        **undisturbed(len(values["sensor_name"])),
        **no_visuals(),
    }


def is_default(robot: Robot, name: str) -> bool:
    """Whether a field that older files do not have is as they imply.

    The faces of hulls follow from their vertices.
    """
    if name in ("shape_face", *NO_FACES):
        return not (robot.shape_kind == SHAPE_KINDS.index("mesh")).any()
    default = _defaults(vars(robot)).get(name)
    return default is not None and np.array_equal(getattr(robot, name), default)


def check_arrays(path: str | Path | IO[bytes], robot: Robot) -> None:
    """Raise ModelFileError if the arrays of a loaded robot are inconsistent."""
    damage = _damage(robot)
    if damage:
        raise ModelFileError(f"{path}: the robot in it is damaged: {damage}")


def _shapes(robot: Robot) -> dict[str, tuple[int, ...]]:
    """Return the shape that every array of numbers must have."""
    links, frames = len(robot.link_name), len(robot.frame_name)
    shapes, actuators = len(robot.shape_name), len(robot.actuator_name)
    nq = int(sum(Q_SIZE[kind] for kind in robot.joint_type))
    nv = int(sum(V_SIZE[kind] for kind in robot.joint_type))
    keyframes, faces = len(robot.keyframe_name), len(robot.face_normal)
    sensors = (len(robot.sensor_name),)
    vector = {name: (nv,) for name in JOINT_PROPERTIES}
    return vector | {
        **dict.fromkeys(("parent", "mass", "joint_name", "joint_type"), (links,)),
        "inertia": (links, 6),
        **dict.fromkeys(("centre", "joint_axis", "joint_position"), (links, 3)),
        "joint_rotation": (links, 3, 3),
        "frame_link": (frames,),
        "frame_position": (frames, 3),
        "frame_rotation": (frames, 3, 3),
        "shape_link": (shapes,),
        "shape_kind": (shapes,),
        "shape_size": (shapes, 3),
        "shape_position": (shapes, 3),
        "shape_rotation": (shapes, 3, 3),
        "shape_body": (shapes,),
        "shape_collides": (shapes,),
        "shape_mask": (shapes, 2),
        "shape_error": (shapes,),
        "shape_vertex": (shapes + 1,),
        "shape_face": (shapes + 1,),
        "face_normal": (faces, 3),
        "face_corner": (faces + 1,),
        "actuator_link": (actuators,),
        "actuator_gear": (actuators,),
        **dict.fromkeys(("actuator_gain", "actuator_bias"), (actuators, 3)),
        **dict.fromkeys(("actuator_control", "actuator_force"), (actuators, 2)),
        **dict.fromkeys(("sensor_kind", "sensor_target", "sensor_target_type"), sensors),
        **{k: v.shape for k, v in undisturbed(*sensors).items() if k != "sensor_body"},
        "shape_material": (shapes,),
        "material_mu": (len(robot.material_name), 2),
        "material_bodies": (len(robot.material_name), 3),
        "friction_pairs_mu": (len(robot.friction_pairs),),
        "keyframe_q": (keyframes, nq),
        "keyframe_v": (keyframes, nv),
        "keyframe_control": (keyframes, actuators),
        "home": (nq,),
        "placed": (),
        **{name: (len(robot.loop_name), *shape) for name, (shape, _) in FIELDS.items()},
        "loop_coefficients": (len(robot.loop_name), *robot.loop_coefficients.shape[1:2]),
    }


def _faces_fit(robot: Robot) -> bool:
    """Whether every face of a shape has corners among its vertices."""
    starts = ((robot.shape_face, robot.face_normal), (robot.face_corner, robot.corner_vertex))
    for first, rows in starts:
        if first[0] != 0 or first[-1] != len(rows) or (np.diff(first) < 0).any():
            return False
    corners = np.diff(robot.face_corner[robot.shape_face])
    most = np.repeat(np.diff(robot.shape_vertex), corners)
    return bool(((robot.corner_vertex >= 0) & (robot.corner_vertex < most)).all())


def _damage(robot: Robot) -> str:
    """Describe what is wrong with the arrays of a loaded robot; '' if nothing is."""
    for name, value in vars(robot).items():
        wrong = _wrong_type(name, value) if isinstance(value, np.ndarray) else ""
        if wrong:
            return wrong
    for name in ("joint_type", "corner_vertex"):
        if getattr(robot, name).ndim != 1:
            return f"'{name}' is not a list"
    if not set(robot.joint_type.tolist()) <= set(JOINT_CODES.values()):
        return "'joint_type' holds numbers that are not joint types"
    for name, shape in _shapes(robot).items():
        if getattr(robot, name).shape != shape:
            return f"'{name}' has shape {getattr(robot, name).shape}, expected {shape}"
    if not _faces_fit(robot):
        return "its faces do not belong to its vertices"
    if not visuals_fit(robot):
        return "its visual meshes do not fit together"
    links = len(robot.link_name)
    if ((robot.parent < -1) | (robot.parent >= np.arange(links))).any():
        return "'parent' does not lead from every link to the world"
    for name in ("frame_link", "shape_link", "actuator_link", "loop_link", "visual_link"):
        if ((getattr(robot, name) < -1) | (getattr(robot, name) >= links)).any():
            return f"'{name}' refers to a link that does not exist"
    for name in (
        "mass",
        "centre",
        "inertia",
        "joint_axis",
        "joint_position",
        "joint_rotation",
        "home",
    ):
        if not np.isfinite(getattr(robot, name)).all():
            return f"'{name}' holds a number that is not finite"
    return "; ".join(wrong_values(robot)[:10])


def _wrong_type(name: str, value: np.ndarray) -> str:
    """Describe what is wrong with the type or the number of dimensions of an array."""
    if name in NAMES:
        if value.dtype.kind != "U" or value.ndim != 1 + (name in PAIRS):
            return f"'{name}' does not hold names"
        return f"'{name}' does not hold pairs" if name in PAIRS and value.shape[1] != 2 else ""
    wanted = OTHER_TYPES.get(name, "int64" if name in INTEGERS else "float64")
    return (
        ""
        if value.dtype == np.dtype(wanted)
        else f"'{name}' has type {value.dtype}, expected {wanted}"
    )
