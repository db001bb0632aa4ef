"""The file of a motion: what is in it, and the checks after reading."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import MotionFileError, StictionError
from stiction.files.child import Limits, Task, call
from stiction.files.written import write_whole
from stiction.motion.arrays import (
    arrays_of,
    check_states,
    counts_of,
    dense_shapes,
    motion_of,
    shapes_of,
    with_states,
)
from stiction.motion.hdf5 import Head, checksum, image
from stiction.motion.parameters import checked_parameters
from stiction.robot.robot import Robot
from stiction.step.record import STATE
from stiction.world.ground import ground_from, ground_values
from stiction.world.world import World

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

FORMAT = 3  # since 2 a file has a checksum of everything in it, since 3 what touched alone
MEMORY = 200_000_000_000  # [bytes] as large as a motion in memory may be
SECONDS, SPEED = 20.0, 1e7  # for reading: at least so long, and at least so fast [s, bytes/s]
SEAL = b"\nstiction sha256 "  # ends a file, with the digest of everything before it


def save(motion: Motion, path: str | Path) -> None:
    """Write a motion to a file, or raise MotionFileError and leave the file as it is."""
    data = bytes(image(attributes_of(motion), arrays_of(motion), robots_of(motion.world)))
    sealed = data + SEAL + hashlib.sha256(data).hexdigest().encode()
    write_whole(path, sealed, "the motion", MotionFileError)


def attributes_of(motion: Motion) -> dict[str, Any]:
    """Texts and numbers of a file."""
    world = motion.world
    return {
        "format": FORMAT,
        "model_hash": world.digest(),
        "parameters": json.dumps(motion.parameters),
        "versions": json.dumps(motion.versions),
        "gravity": world.gravity,
        "ground": json.dumps(ground_values(world.ground)),
        "materials": json.dumps([[sorted(pair), row] for pair, row in world.materials.items()]),
        "self_collision": json.dumps(world.self_collision),
        "points": motion.touched.points,
        "points_between": motion.touched_between.points,
    }


def robots_of(world: World) -> list[bytes]:
    """The files of the robots of a world."""
    robots = []
    for robot in world.robots:
        buffer = io.BytesIO()
        robot.write(buffer)
        robots.append(buffer.getvalue())
    return robots


def load(path: str | Path) -> dict[str, Any]:
    """The arguments of the Motion in a file; raises MotionFileError if anything is wrong.

    With `touched` they are those of `Motion.of_touched`.
    """
    from stiction.motion.parts import has_parts, read_parts

    if not isinstance(path, str | Path):
        raise MotionFileError(f"{path!r} is not the path of a file; give a string or a Path")
    path = Path(path)
    if not path.is_file():
        raise MotionFileError(f"{path}: no such file")
    try:
        return read_parts(path) if has_parts(path) else _read(path)
    except MotionFileError as error:
        told = str(error)
        raise MotionFileError(told if told.startswith(str(path)) else f"{path}: {told}") from None
    except (OSError, LookupError, RuntimeError, TypeError, ValueError, StictionError) as error:
        raise MotionFileError(f"{path}: not a motion file, or cut short ({error})") from None


def check_seal(path: Path) -> None:
    """Raise MotionFileError if a file is not as it was written: HDF5 hangs on some damaged ones.

    A file without a seal, as of format 1 or edited by other programs, is judged by its content.
    """
    length = len(SEAL) + 2 * hashlib.sha256().digest_size
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - length))
        seal = file.read()
        if not seal.startswith(SEAL):
            return
        file.seek(0)
        digest, left = hashlib.sha256(), size - length
        while left > 0 and (part := file.read(min(left, 1 << 20))):
            digest.update(part)
            left -= len(part)
    if seal != SEAL + digest.hexdigest().encode():
        raise MotionFileError("its bytes do not have the checksum stored with them: it is damaged")


def _read(path: Path) -> dict[str, Any]:
    check_seal(path)
    task = reading(path)
    place = str(path.absolute())
    head: Head = call(task, place)
    number, texts = format_of(head), texts_of(head)
    world = world_of(head)
    shapes = shapes_of(head, world) if number > 2 else dense_shapes(head, world, number)
    arrays = call(task._replace(function="stiction.motion.hdf5:read_arrays"), place, shapes)
    if number > 1:
        check_content(head, arrays)
    check_states(world, arrays)
    points = counts_of(head, world) if number > 2 else (arrays["depth"].shape[1], 0)
    texts = checked_texts(texts, world, points[0])
    if number > 2:
        return {"world": world, **motion_of(arrays, points), **texts}
    if "between" in arrays and arrays["between"].shape[2] == STATE:
        arrays["between"] = with_states(arrays["between"])
    return {"world": world, **arrays, **texts}


def reading(path: Path) -> Task:
    """The task of reading the head of a file in a child process."""
    limits = Limits(SECONDS + path.stat().st_size / SPEED, MEMORY)
    return Task("stiction.motion.hdf5:read_head", str(path), "HDF5", limits, MotionFileError)


def check_content(head: Head, arrays: dict[str, np.ndarray]) -> None:
    """Raise MotionFileError if the content of a file is not as it was written."""
    attributes = dict(head.attributes)
    told = attributes.pop("checksum")
    if told != checksum(attributes, arrays, head.robots):
        raise MotionFileError("its content does not have the checksum stored with it")


def texts_of(head: Head) -> dict[str, Any]:
    """Parameters and versions, not yet checked."""
    return {name: json.loads(head.attributes[name]) for name in ("parameters", "versions")}


def checked_texts(texts: dict[str, Any], world: World, points: int) -> dict[str, Any]:
    """Parameters and versions, checked."""
    parameters = checked_parameters(texts["parameters"], world, points)
    if not isinstance(texts["versions"], dict):
        raise MotionFileError("'versions' is not a table")
    return {"parameters": parameters, "versions": texts["versions"]}


def format_of(head: Head) -> int:
    """The number of the format, which this version can read."""
    if "sweep_format" in head.attributes:
        raise MotionFileError("is the table of a sweep; open it with st.SweepTable.load")
    found = head.attributes["format"]
    if isinstance(found, str):
        raise MotionFileError(f"motion format is the text {found[:20]!r}; formats are numbers")
    number = float(found)
    if number > FORMAT:
        made_by = json.loads(head.attributes.get("versions", "{}")).get("stiction", "unknown")
        raise MotionFileError(
            f"motion format {number:g}, written by stiction {made_by}; "
            f"this version reads up to {FORMAT}: install a newer stiction"
        )
    if number not in range(1, FORMAT + 1):
        raise MotionFileError(f"motion format {number:g}; formats are whole numbers from 1")
    return int(number)


def world_of(head: Head) -> World:
    """The world of a file, which has the hash stored with it."""
    values = head.attributes
    robots = [Robot.load(io.BytesIO(data)) for data in head.robots]
    rows = json.loads(values["materials"])
    world = World(
        *robots,
        ground=ground_from(json.loads(values["ground"])),
        # a pair of equal names is stored as one name
        materials={(names[0], names[-1]): row for names, row in rows},
        gravity=values["gravity"],
        self_collision=json.loads(values.get("self_collision", "[]")),
    )
    if world.digest() != values["model_hash"]:
        raise MotionFileError("the model in the file does not have the hash stored with it")
    return world
