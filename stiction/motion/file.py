"""The file of a motion: what is in it, and the checks after reading."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import MotionFileError, StictionError
from stiction.files.child import Limits, Task, call
from stiction.files.written import write_whole
from stiction.kernels.tree import FREE, Q_SIZE, SPHERICAL
from stiction.motion.hdf5 import Head, checksum, image
from stiction.motion.unsolved import UnsolvedSteps
from stiction.robot.robot import Robot
from stiction.step.record import BETWEEN
from stiction.world.contact_points import contact_points_of
from stiction.world.ground import ground_from, ground_values
from stiction.world.world import World

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

FORMAT = 2  # of the motion file; since 2 it has a checksum of everything in it
RENAMED = {"places": "contact_points"}  # parameters with another name in earlier files
ARRAYS = ("time", "q", "v", "torque", "passive", "force", "depth", "slip")
LATER = ("contact_velocity", "solver", "between")  # not in the first files of format 1
LARGEST_MOTION = 64e9  # [bytes] of its arrays
MEMORY = 200_000_000_000  # [bytes] as large as a motion in memory may be
SECONDS, SPEED = 20.0, 1e7  # for reading: at least so long, and at least so fast [s, bytes/s]
SEAL = b"\nstiction sha256 "  # ends a file, with the digest of everything before it
UNIT = 1e-3  # tolerance on the length of a quaternion, as in `World.check_state`


def save(motion: Motion, path: str | Path) -> None:
    """Write a motion to a file, or raise MotionFileError and leave the file as it is."""
    arrays = {name: np.asarray(getattr(motion, name), float) for name in (*ARRAYS, *LATER)}
    robots = []
    for robot in motion.world.robots:
        buffer = io.BytesIO()
        robot.write(buffer)
        robots.append(buffer.getvalue())
    data = bytes(image(_attributes(motion), arrays, robots))
    sealed = data + SEAL + hashlib.sha256(data).hexdigest().encode()
    write_whole(path, sealed, "the motion", MotionFileError)


def _attributes(motion: Motion) -> dict[str, Any]:
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
    }


def load(path: str | Path) -> dict[str, Any]:
    """The arguments of the Motion in a file; raises MotionFileError if anything is wrong."""
    if not isinstance(path, str | Path):
        raise MotionFileError(f"{path!r} is not the path of a file; give a text or a Path")
    path = Path(path)
    if not path.is_file():
        raise MotionFileError(f"{path}: no such file")
    try:
        return _read(path)
    except MotionFileError as error:
        told = str(error)
        raise MotionFileError(told if told.startswith(str(path)) else f"{path}: {told}") from None
    except (OSError, LookupError, RuntimeError, TypeError, ValueError, StictionError) as error:
        raise MotionFileError(f"{path}: not a motion file, or cut short ({error})") from None


def check_seal(path: Path) -> None:
    """Raise MotionFileError if a file is not as it was written: HDF5 loops in some damaged ones.

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
    limits = Limits(SECONDS + path.stat().st_size / SPEED, MEMORY)
    task = Task("stiction.motion.hdf5:read_head", str(path), "HDF5", limits, MotionFileError)
    place = str(path.absolute())
    head: Head = call(task, place)
    attributes, number = head.attributes, _format(head)
    world = _world(head)
    if world.digest() != attributes["model_hash"]:
        raise MotionFileError("the model in the file does not have the hash stored with it")
    parameters, versions = (json.loads(attributes[name]) for name in ("parameters", "versions"))
    shapes = _shapes(head, world, number)
    arrays = call(task._replace(function="stiction.motion.hdf5:read_arrays"), place, shapes)
    if number > 1:
        told = attributes.pop("checksum")
        if told != checksum(attributes, arrays, head.robots):
            raise MotionFileError("its content does not have the checksum stored with it")
    for name in ("time", "q", "v"):
        if not np.isfinite(arrays[name]).all():
            raise MotionFileError(f"'{name}' has numbers that are not finite")
    if (np.diff(arrays["time"]) <= 0.0).any():
        raise MotionFileError("'time' does not increase from sample to sample")
    _check_quaternions(world, arrays["q"])
    parameters = _parameters(parameters, world, arrays["depth"].shape[1])
    if not isinstance(versions, dict):
        raise MotionFileError("'versions' is not a table")
    return {"world": world, **arrays, "parameters": parameters, "versions": versions}


def _format(head: Head) -> int:
    """The number of the format, which this version can read."""
    number = float(head.attributes["format"])
    if number > FORMAT:
        made_by = json.loads(head.attributes.get("versions", "{}")).get("stiction", "unknown")
        raise MotionFileError(
            f"motion format {number:g}, written by stiction {made_by}; "
            f"this version reads up to {FORMAT}: install a newer stiction"
        )
    if number not in range(1, FORMAT + 1):
        raise MotionFileError(f"motion format {number:g}; formats are whole numbers from 1")
    return int(number)


def _world(head: Head) -> World:
    values = head.attributes
    robots = [Robot.load(io.BytesIO(data)) for data in head.robots]
    rows = json.loads(values["materials"])
    return World(
        *robots,
        ground=ground_from(json.loads(values["ground"])),
        # a pair of equal names is stored as one name
        materials={(names[0], names[-1]): row for names, row in rows},
        gravity=values["gravity"],
        self_collision=json.loads(values.get("self_collision", "[]")),
    )


def _shapes(head: Head, world: World, number: int) -> dict[str, tuple[int, ...]]:
    """The shapes of all arrays, which follow from the world and the number of samples."""
    found = {name: dataset.shape for name, dataset in head.datasets.items()}
    names = [*ARRAYS, *(name for name in LATER if name in found or number > 1)]
    for name in names:
        if name not in found:
            raise KeyError(f"'{name}' is missing")
    unknown = sorted(found.keys() - {*ARRAYS, *LATER})
    if unknown:
        raise MotionFileError(f"'{unknown[0]}' is not an array of a motion")
    n, nv = (*found["time"], 0)[0], world.nv
    # without a contact model none are recorded
    points = len(contact_points_of(world)[1]) if 0 not in found["depth"][1:] else 0
    between = (*found.get("between", ()), 0, 0)[1]
    shapes: dict[str, tuple[int, ...]] = {"time": (n,), "q": (n, world.nq), "depth": (n, points)}
    shapes |= {"solver": (n, 3), "between": (n, between, BETWEEN)}
    shapes |= {name: (n, points, 3) for name in ("force", "slip", "contact_velocity")}
    shapes = {name: shapes.get(name, (n, nv)) for name in names}
    for name, expected in shapes.items():
        if found[name] != expected:
            raise MotionFileError(f"'{name}' has shape {found[name]}; expected {expected}")
    size = 8.0 * sum(float(np.prod(shape, dtype=float)) for shape in shapes.values())
    if n < 1 or size > LARGEST_MOTION:
        raise MotionFileError(
            f"it has {n} samples in {size:g} bytes; a motion has at least one sample, and at most "
            f"{LARGEST_MOTION:g} bytes"
        )
    return shapes


def _check_quaternions(world: World, q: np.ndarray) -> None:
    tree = world.tree
    for link in range(1, len(tree.parent)):
        if tree.joint_type[link] in (FREE, SPHERICAL):
            end = tree.q_index[link] + Q_SIZE[tree.joint_type[link]]
            lengths = np.linalg.norm(q[:, end - 4 : end], axis=1)
            if (np.abs(lengths - 1.0) > UNIT).any():
                row = int(np.argmax(np.abs(lengths - 1.0)))
                raise MotionFileError(
                    f"'q' has a quaternion of length {lengths[row]:g} for joint "
                    f"'{world.joint_names[link]}' in row {row}; its length must be 1"
                )


# --------------------------------------------------------------------------------------- parameters


def _parameters(stored: Any, world: World, points: int) -> dict[str, Any]:
    """The parameters in a file, under their current names, after checking those that are used."""
    if not isinstance(stored, dict):
        raise MotionFileError("'parameters' is not a table")
    parameters: dict[str, Any] = {
        str(RENAMED.get(name, name)): value for name, value in stored.items()
    }
    for name, wanted in _wrong(parameters, world, points):
        shown = repr(parameters[name])
        shown = shown if len(shown) < 80 else f"{shown[:77]}..."
        raise MotionFileError(f"the parameter '{name}' is {shown}; it must be {wanted}")
    return parameters


def _wrong(parameters: dict[str, Any], world: World, points: int) -> Iterator[tuple[str, str]]:
    """Names of wrong parameters, and what each must be; any of them may be missing."""
    for name in ("record every", "external forces"):
        if not _is_count(parameters.get(name, 1)):
            yield name, "a number of steps or forces"
    if not _is_number(parameters.get("dt", 1.0), above=0.0):
        yield "dt", "a positive time in s"
    for name in ("integrator", "method"):
        if not isinstance(parameters.get(name, ""), str):
            yield name, "a name"
    for name in ("notes", "controllers", "contact_points"):
        if not _is_list_of(parameters.get(name, []), str):
            yield name, "a list of texts"
    if len(parameters.get("contact_points", [""] * points)) != points:
        yield "contact_points", f"the names of {points} contact points"
    if not _is_model(parameters.get("contact")):
        yield "contact", "the name and the parameters of a contact model, or null"
    pairs = parameters.get("pairs", [])
    fewest = len(contact_points_of(world)[2]) if parameters.get("contact") and pairs else 0
    if not _is_list_of(pairs, dict) or len(pairs) < fewest:
        yield "pairs", f"the parameters of {fewest} pairs of materials or more"
    if parameters.get("unsolved") is not None and not _is_unsolved(parameters["unsolved"]):
        yield "unsolved", "the number of unsolved steps, and the worst of them"


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any, above: float = -np.inf) -> bool:
    real = isinstance(value, int | float) and not isinstance(value, bool)
    return bool(real and isfinite(value) and value > above)


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)


def _is_model(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict) or not isinstance(value.get("model"), str):
        return False
    return all(isinstance(given, int | float) for name, given in value.items() if name != "model")


def _is_unsolved(value: Any) -> bool:
    try:
        found = UnsolvedSteps(**value)
    except TypeError:
        return False
    numbers = isinstance(found.residual, int | float)
    return (
        numbers
        and _is_count(found.count)
        and _is_count(found.steps)
        and (found.time is None or _is_number(found.time))
    )
