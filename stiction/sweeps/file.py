"""The file of a sweep: one HDF5 table of numbers, written whole, with checksums.

Every column is a dataset "column:NAME" of floats. The attribute "columns" says in JSON what they
are: numbers, integers, truth values, or indices into a list of labels, for strings and for
parameters with values of several types. The bytes of the file end with their SHA-256, as those of a
motion; reading checks it before HDF5 sees the file.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import MotionFileError, SweepFileError
from stiction.files.child import Limits, Task, call
from stiction.files.written import write_whole
from stiction.motion.file import MEMORY, SEAL, SECONDS, SPEED, check_content, check_seal
from stiction.motion.hdf5 import Head as Hdf5Head
from stiction.motion.hdf5 import image
from stiction.sweeps.journal import Head, Record, Records, head_of, journal_of, read_journal
from stiction.sweeps.outcome import OWN, Outcome

FORMAT = 1
NUMBER, INTEGER, TRUTH, TEXT, MIXED = "number", "integer", "truth", "text", "mixed"
PREFIX = "column:"
Columns = dict[str, np.ndarray]


# ------------------------------------------------------------------------------------------ columns


def columns_of(records: list[Record], parameters: tuple[str, ...]) -> Columns:
    """The columns of finished points: parameters, results, and how each ended."""
    columns = {name: parameter_column([one.point[name] for one in records]) for name in parameters}
    results = dict.fromkeys(name for one in records for name in one.outcome.values)
    for name in results:
        own = f"{name} (result)" if name in parameters else name
        columns[own] = column([one.outcome.values.get(name) for one in records])
    columns["status"] = column(["failed" if one.outcome.error else "done" for one in records])
    columns["error"] = column([one.outcome.error for one in records])
    columns["seconds"] = column([float(one.outcome.seconds) for one in records])
    columns["worker"] = column([one.outcome.worker for one in records])
    columns["attempts"] = column([one.attempts for one in records])
    return columns


def parameter_column(values: list[Any]) -> np.ndarray:
    """Values of a parameter as an array that keeps their types: they identify the points.

    Numbers, strings and truth values together are an array of objects.
    """
    kinds = {next(kind for kind in (bool, str, object) if isinstance(v, kind)) for v in values}
    return column(values) if len(kinds) < 2 else np.array(values, object)


def column(values: list[Any]) -> np.ndarray:
    """Values as an array: all integers, all truth values, numbers, else strings.

    What is missing is NaN among numbers, and "" among strings.
    """
    there = [value for value in values if value is not None]
    if len(there) == len(values) and all(isinstance(value, bool) for value in there):
        return np.array(values, bool)
    whole = all(isinstance(value, int) and abs(value) < 2**53 for value in there)
    if len(there) == len(values) and whole:
        return np.array(values, np.int64)
    real = (
        isinstance(one, float) or (isinstance(one, int) and abs(one) < 2**1023) for one in there
    )
    if all(real):
        return np.array([np.nan if value is None else float(value) for value in values])
    return np.array(["" if value is None else str(value) for value in values], object)


def _stored(values: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
    """A column as floats, and what they mean."""
    if values.dtype == object:
        indices: dict[str, int] = {}
        codes = [indices.setdefault(json.dumps(value), len(indices)) for value in values]
        labels = [json.loads(text) for text in indices]
        kind = TEXT if all(isinstance(label, str) for label in labels) else MIXED
        return np.array(codes, float), {"kind": kind, "labels": labels}
    kinds = {"b": TRUTH, "i": INTEGER}
    return values.astype(float), {"kind": kinds.get(values.dtype.kind, NUMBER)}


def _restored(values: np.ndarray, meaning: dict[str, Any]) -> np.ndarray:
    kind = meaning["kind"]
    if kind in (TEXT, MIXED):
        return np.array(meaning["labels"], object)[values.astype(np.int64)]
    return values.astype({TRUTH: bool, INTEGER: np.int64, NUMBER: float}[kind])


# --------------------------------------------------------------------------------- writing, reading


def write_table(path: Path, head: Head, columns: Columns) -> None:
    """Write the file of a sweep, or raise SweepFileError and leave the one that is there."""
    arrays, meanings = {}, []
    for name, values in columns.items():
        arrays[PREFIX + name], meaning = _stored(values)
        meanings.append({"name": name} | meaning)
    attributes = {
        "sweep_format": float(FORMAT),
        "head": json.dumps(head._asdict()),
        "columns": json.dumps(meanings),
    }
    data = bytes(image(attributes, arrays, []))
    sealed = data + SEAL + hashlib.sha256(data).hexdigest().encode()
    write_whole(path, sealed, "the table", SweepFileError)


def read_table(path: Path) -> tuple[Head, Columns]:
    """The sweep of a file and its columns; raises SweepFileError if anything is wrong."""
    try:
        check_seal(path)
        limits = Limits(SECONDS + path.stat().st_size / SPEED, MEMORY)
        task = Task("stiction.motion.hdf5:read_head", str(path), "HDF5", limits, SweepFileError)
        place = str(path.absolute())
        found: Hdf5Head = call(task, place)
        if "sweep_format" not in found.attributes and "format" in found.attributes:
            raise SweepFileError(f"{path}: is a motion; open it with st.Motion.load")
        if float(found.attributes.get("sweep_format", 0)) != FORMAT:
            raise SweepFileError(f"{path}: holds no sweep that this version can read")
        shapes = {name: dataset.shape for name, dataset in found.datasets.items()}
        arrays = call(task._replace(function="stiction.motion.hdf5:read_arrays"), place, shapes)
        check_content(found, arrays)
        head = head_of(json.loads(found.attributes["head"]))
        columns = {
            meaning["name"]: _restored(arrays[PREFIX + meaning["name"]], meaning)
            for meaning in json.loads(found.attributes["columns"])
        }
        _check_columns(head, columns)
    except (MotionFileError, OSError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise SweepFileError(f"{path}: not the file of a sweep, or damaged ({error})") from None
    return head, columns


def _check_columns(head: Head, columns: Columns) -> None:
    """Raise ValueError if a column is missing, or they are not equally long."""
    for name in (*head.parameters, *OWN):
        if name not in columns:
            raise ValueError(f"no column '{name}'")
    if len({values.shape for values in columns.values()}) > 1 or columns["status"].ndim != 1:
        raise ValueError("columns of different lengths")
    for name, kind in (("error", "O"), ("worker", "O"), ("attempts", "i"), ("seconds", "fi")):
        if len(columns[name]) and columns[name].dtype.kind not in kind:
            raise ValueError(f"column '{name}' has a wrong type")


def read_records(path: Path) -> tuple[Head | None, Records]:
    """All finished points of a file and its journal; no head where there is neither."""
    head: Head | None = None
    records: Records = {}
    if path.exists():
        head, columns = read_table(path)
        records = {record.key: record for record in _records(head, columns)}
    if journal_of(path).exists():
        newer, added = read_journal(journal_of(path))
        if head is not None and newer != head:
            raise SweepFileError(
                f"{journal_of(path)}: belongs to another sweep than {path.name}; remove one of them"
            )
        head, records = newer, records | added
    return head, records


def _records(head: Head, columns: Columns) -> list[Record]:
    """The rows of a table as finished points."""
    lists = {name: values.tolist() for name, values in columns.items()}
    results = [name for name in columns if name not in (*head.parameters, *OWN)]
    records = []
    for k in range(len(lists["status"])):
        point = {name: lists[name][k] for name in head.parameters}
        values = {name: lists[name][k] for name in results}
        if lists["error"][k]:
            values = {}
        else:
            values = {name.removesuffix(" (result)"): value for name, value in values.items()}
        outcome = Outcome(values, lists["error"][k], lists["seconds"][k], lists["worker"][k])
        records.append(Record(k, point, outcome, lists["attempts"][k]))
    return records
