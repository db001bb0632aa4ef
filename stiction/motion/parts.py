r"""A motion file that is written during a run: parts, each complete in itself.

    "stiction parts 1\n"
    header, HDF5 image of the world and the settings            kind "w"
    header, HDF5 image of the arrays of some samples            kind "s", as often as needed
    header, HDF5 image of the settings at the end of the run    kind "e", unless it was killed

A header holds the kind and the number of the part, its length and its checksum, and ends with a
checksum of itself. HDF5 in place would not survive being killed: it changes its tables where they
are. Here nothing that was written is touched again. Reading verifies all checksums before HDF5 sees
a part; a part that is not complete is what the process wrote when it was killed, and is left out.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from stiction.errors import MotionFileError, UnfinishedWarning
from stiction.files.child import Task, call
from stiction.files.written import open_new
from stiction.motion.arrays import (
    check_size,
    check_states,
    counts_of,
    motion_of,
    shapes_of,
    size_of,
)
from stiction.motion.file import (
    check_content,
    checked_texts,
    format_of,
    reading,
    texts_of,
    world_of,
)
from stiction.motion.hdf5 import Head, image
from stiction.motion.touched import Touched, joined
from stiction.world.world import World

MAGIC = b"stiction parts 1\n"
WORLD, SAMPLES, END = "w", "s", "e"
MOST_PARTS = 10_000_000


class Part(NamedTuple):
    """A part of a file."""

    kind: str  # WORLD, SAMPLES or END
    number: int  # from 0
    begin: int  # of its HDF5 image in the file [bytes]
    length: int  # of it [bytes]
    digest: str  # SHA-256 of it


def _header(part: Part) -> bytes:
    text = f"part {part.kind} {part.number:010d} {part.length:020d} {part.digest} "
    return f"{text}{hashlib.sha256(text.encode()).hexdigest()[:16]}\n".encode()


HEADER = len(_header(Part(WORLD, 0, 0, 0, "0" * 64)))


class Writer:
    """A file that grows part by part; what a part holds is on the disk when `add` returns."""

    def __init__(self, path: str | Path, attributes: dict[str, Any], robots: list[bytes]) -> None:
        """Replace the file with one that has the world and the settings of a run."""
        self.path, self.count, self.size = Path(path), 0, len(MAGIC)
        self.file: IO[bytes] = open_new(path, MAGIC, "the motion", MotionFileError)
        self._add(WORLD, attributes, {}, robots)

    def add(self, row: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Add samples, of which the first is number `row` of the motion."""
        self._add(SAMPLES, {"row": float(row)}, arrays)

    def end(self, parameters: dict[str, Any]) -> None:
        """Add the settings of a run that is over, and close the file."""
        if not self.file.closed:
            self._add(END, {"parameters": json.dumps(parameters)}, {})
            self.file.close()

    def _add(
        self,
        kind: str,
        attributes: dict[str, Any],
        arrays: Mapping[str, np.ndarray],
        robots: list[bytes] | None = None,
    ) -> None:
        data = bytes(image(attributes, arrays, robots or []))
        digest = hashlib.sha256(data).hexdigest()
        part = Part(kind, self.count, self.size + HEADER, len(data), digest)
        try:
            self.file.write(_header(part) + data)
            self.file.flush()
            os.fsync(self.file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):  # what is left cannot be written either
                self.file.close()
            raise MotionFileError(
                f"{self.path}: cannot be written ({error.strerror or error}); what was recorded "
                f"before, {self.size} bytes, is in the file and loads"
            ) from None
        self.count, self.size = self.count + 1, self.size + HEADER + len(data)


# ------------------------------------------------------------------------------------------ reading


def has_parts(path: Path) -> bool:
    """Whether a file is written in parts."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def parts_of(path: Path) -> list[Part]:
    """The complete parts of a file; raises MotionFileError if one of them is damaged."""
    parts: list[Part] = []
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(len(MAGIC))
        while len(header := file.read(HEADER)) == HEADER:
            part = _part(header, file.tell(), len(parts))
            if part.begin + part.length > size:
                break
            if _digest(file, part.length) != part.digest:
                raise MotionFileError(
                    f"part {part.number} does not have the checksum stored with it: it is damaged"
                )
            parts.append(part)
            if part.kind == END and file.read(1):
                raise MotionFileError("something follows its last part")
    if not parts or parts[0].kind != WORLD:
        raise MotionFileError("it ends before the world is complete")
    return parts


def _part(header: bytes, begin: int, number: int) -> Part:
    try:
        _, kind, stated, length, digest, _ = header.decode().split(" ")
        part = Part(kind, int(stated), begin, int(length), digest)
    except ValueError:
        raise MotionFileError(f"the header of part {number} is damaged") from None
    wanted = (WORLD,) if number == 0 else (SAMPLES, END)
    if _header(part) != header or part.number != number or kind not in wanted:
        raise MotionFileError(f"the header of part {number} is damaged")
    return part


def _digest(file: IO[bytes], left: int) -> str:
    digest = hashlib.sha256()
    while left > 0 and (piece := file.read(min(left, 1 << 20))):
        digest.update(piece)
        left -= len(piece)
    return digest.hexdigest()


def read_parts(path: Path) -> dict[str, Any]:
    """The arguments of `Motion.of_touched`; warns if the run was not completed."""
    parts, task = parts_of(path), reading(path)
    head = _read(task, parts[0], path, {})[0]
    if format_of(head) < 3:
        raise MotionFileError("parts are of format 3 or later")
    world = world_of(head)
    points = counts_of(head, world)
    samples = _samples(path, task, parts, world, points)
    check_states(world, samples)
    if parts[-1].kind == END:
        last = _read(task, parts[-1], path, {})[0]
        head = head._replace(attributes=head.attributes | last.attributes)
    texts = checked_texts(texts_of(head), world, points[0])
    if parts[-1].kind != END:
        end = float(samples["time"][-1])
        message = f"{path}: the run was not completed; it was recorded until t = {end:.6g} s"
        warnings.warn(message, UnfinishedWarning, stacklevel=4)
        texts["parameters"].setdefault("notes", []).append(message)
    return {"world": world, **samples, **texts}


def _samples(
    path: Path, task: Task, parts: list[Part], world: World, points: tuple[int, int]
) -> dict[str, Any]:
    """The samples of all parts, one after the other."""
    found: list[dict[str, Any]] = []
    n, size = 0, 0.0
    for part in parts:
        if part.kind != SAMPLES:
            continue
        head = _head(task, part, path)
        if float(head.attributes.get("row", -1.0)) != n:
            raise MotionFileError(f"part {part.number} does not follow the one before it")
        shapes = shapes_of(head, world)
        n, size = n + shapes["time"][0], size + sum(map(size_of, shapes.values()))
        check_size(n, size)
        found.append(motion_of(_read(task, part, path, shapes, head)[1], points))
    check_size(n, size)
    whole = {}
    for name in list(found[0]):
        pieces = [each.pop(name) for each in found]
        whole[name] = joined(pieces) if isinstance(pieces[0], Touched) else np.concatenate(pieces)
    return whole


def _head(task: Task, part: Part, path: Path) -> Head:
    head: Head = call(task, str(path.absolute()), part.begin, part.length)
    return head


def _read(
    task: Task,
    part: Part,
    path: Path,
    shapes: dict[str, tuple[int, ...]],
    head: Head | None = None,
) -> tuple[Head, dict[str, np.ndarray]]:
    """Head and arrays of a part, whose content has its checksum."""
    head = head or _head(task, part, path)
    arrays: dict[str, np.ndarray] = {}
    if shapes:
        task = task._replace(function="stiction.motion.hdf5:read_arrays")
        arrays = call(task, str(path.absolute()), shapes, part.begin, part.length)
    check_content(head, arrays)
    return head, arrays
