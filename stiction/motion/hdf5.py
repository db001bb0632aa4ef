"""HDF5 files of motions. Reading runs in a child process: HDF5 itself may crash on a bad file."""

from __future__ import annotations

import hashlib
import io
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stiction.errors import MotionFileError

LARGEST_ROBOT = 500_000_000  # [bytes] of its file
LARGEST_TEXT = 200_000_000  # characters of an attribute
MOST_ROBOTS = 10_000
BEST_RATIO = 1100  # of compression; deflate reaches 1032
FILTERS = {1, 2, 3}  # deflate, shuffle and Fletcher's checksum; HDF5 loads code for others

Attributes = dict[str, Any]  # texts, numbers and arrays of numbers


class Dataset(NamedTuple):
    """An array in a file, before it is read."""

    shape: tuple[int, ...]
    stored: int  # bytes in the file


class Head(NamedTuple):
    """A file without its large arrays."""

    attributes: Attributes
    robots: list[bytes]
    datasets: dict[str, Dataset]


def image(attributes: Attributes, arrays: Mapping[str, np.ndarray], robots: list[bytes]) -> bytes:
    """The bytes of an HDF5 file.

    It is made in memory, because HDF5 crashes when the disk is full.
    """
    import h5py

    # since this version HDF5 stores checksums of its own tables
    with h5py.File("motion", "w", driver="core", backing_store=False, libver="v110") as file:
        for name, value in attributes.items():
            file.attrs[name] = value
        file.attrs["checksum"] = checksum(attributes, arrays, robots)
        for name, data in arrays.items():
            file.create_dataset(name, data=data, compression="gzip", shuffle=True, fletcher32=True)
        file.create_group("robots")
        for k, robot in enumerate(robots):
            file.create_dataset(f"robots/{k}", data=np.frombuffer(robot, np.uint8))
        file.flush()
        made: bytes = file.id.get_file_image()
    return made


def checksum(
    attributes: Attributes, arrays: Mapping[str, np.ndarray], robots: Iterable[bytes]
) -> str:
    """Hash of everything in a file, except for the hash itself."""
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(attributes):
        value = attributes[name]
        data = value.encode() if isinstance(value, str) else np.asarray(value, float).tobytes()
        digest.update(f"{name} {len(data)} ".encode() + data)
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].shape} ".encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    for robot in robots:
        digest.update(f"{len(robot)} ".encode() + robot)
    return digest.hexdigest()


# ---------------------------------------------------------------------------- in the child process


def read_head(path: str, begin: int = 0, length: int | None = None) -> Head:
    """Attributes, robots, and the shapes of the arrays in a file, or in a part of one [bytes]."""
    with _opened(path, begin, length) as file:
        attributes = {name: _attribute(file, name) for name in file.attrs}
        names = [name for name in file if name != "robots"]
        datasets = {name: _described(_dataset(file, name)) for name in names}
        return Head(attributes, _robots(file), datasets)


def read_arrays(
    path: str, shapes: dict[str, tuple[int, ...]], begin: int = 0, length: int | None = None
) -> dict[str, np.ndarray]:
    """Arrays of these shapes, as floats."""
    arrays = {}
    with _opened(path, begin, length) as file:
        for name, shape in shapes.items():
            dataset = _dataset(file, name)
            if dataset.shape != shape or dataset.dtype != np.float64:
                raise MotionFileError(f"'{name}' is not an array of numbers of shape {shape}")
            arrays[name] = dataset[()]
    return arrays


def _opened(path: str, begin: int, length: int | None) -> Any:
    import h5py

    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise MotionFileError("it is not a regular file")
    if length is None:
        return h5py.File(path, "r")
    with Path(path).open("rb") as file:
        file.seek(begin)
        return h5py.File(io.BytesIO(file.read(length)), "r")


def _attribute(file: Any, name: str) -> Any:
    import h5py

    declared = file.attrs.get_id(name)
    text = h5py.check_string_dtype(declared.dtype) is not None
    if not (text or declared.dtype.kind in "iuf") or np.prod(declared.shape) > 100:
        raise MotionFileError(f"the attribute '{name}' is neither text nor a few numbers")
    value = file.attrs[name]
    if text:
        value = value.decode() if isinstance(value, bytes) else value
        if not isinstance(value, str) or len(value) > LARGEST_TEXT:
            raise MotionFileError(f"the attribute '{name}' is not a string, or a very long one")
        return str(value)
    return np.asarray(value, float)


def _dataset(file: Any, name: str) -> Any:
    """A dataset that is in the file itself; nothing else in it may be followed."""
    import h5py

    link = file.get(name, getlink=True)
    if link is None:
        raise KeyError(f"'{name}' is missing")
    if not isinstance(link, h5py.HardLink):
        raise MotionFileError(f"'{name}' is a link to something else")
    dataset = file[name]
    if not isinstance(dataset, h5py.Dataset):
        raise MotionFileError(f"'{name}' is not an array")
    creation = dataset.id.get_create_plist()
    if dataset.is_virtual or creation.get_external_count():
        raise MotionFileError(f"'{name}' is stored in another file")
    filters = {creation.get_filter(k)[0] for k in range(creation.get_nfilters())}
    if not filters <= FILTERS:
        raise MotionFileError(f"'{name}' is compressed in an unknown way")
    if dataset.shape is None or dataset.dtype.kind not in "fu":
        raise MotionFileError(f"'{name}' is not an array of numbers")
    return dataset


def _described(dataset: Any) -> Dataset:
    stored = int(dataset.id.get_storage_size())
    if dataset.nbytes > BEST_RATIO * stored:
        raise MotionFileError(
            f"'{dataset.name[1:]}' declares {dataset.nbytes} bytes, of which {stored} are stored"
        )
    return Dataset(tuple(map(int, dataset.shape)), stored)


def _robots(file: Any) -> list[bytes]:
    import h5py

    if not isinstance(file.get("robots", getlink=True), h5py.HardLink):
        raise KeyError("'robots' is missing")
    stored = file["robots"]
    if not isinstance(stored, h5py.Group) or len(stored) > MOST_ROBOTS:
        raise MotionFileError("'robots' is not a group of robots")
    robots = []
    for k in range(len(stored)):
        dataset = _dataset(stored, str(k))
        if dataset.dtype != np.uint8 or dataset.nbytes > LARGEST_ROBOT:
            raise MotionFileError(f"'robots/{k}' is not the file of a robot")
        _described(dataset)
        robots.append(dataset[()].tobytes())
    return robots
