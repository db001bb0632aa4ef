r"""The journal of a running sweep: one line for each finished point.

    {"format": 1, "what": ..., "parameters": [...], ...}  crc\n      the sweep
    {"number": 0, "point": {...}, "values": {...}, ...}  crc\n       a point, as often as needed

Lines are only appended, each with a checksum of its own. A killed process or a full disk cuts short
only the last line; it is removed when the sweep resumes, and its point is run again. A damaged line
counts as a point that has not run. The file is locked while a sweep writes to it.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from stiction.errors import SweepFileError
from stiction.files.written import open_new
from stiction.sweeps.outcome import Outcome
from stiction.sweeps.points import key_of

FORMAT = 1
ENDING = ".journal"  # after the name of the file
SYNC = 1.0  # [s] between two times at which data are flushed to the disk


class Head(NamedTuple):
    """What a sweep runs; results of different ones are never mixed in a file."""

    what: str  # scene or function
    digest: str  # of its text
    stiction: str  # version
    parameters: tuple[str, ...]  # swept


class Record(NamedTuple):
    """A finished point."""

    number: int  # in the sweep that ran it
    point: dict[str, Any]  # as told
    outcome: Outcome
    attempts: int

    @property
    def key(self) -> str:
        """The same for the same point."""
        return key_of(self.point)


Records = dict[str, Record]


def journal_of(path: Path) -> Path:
    """The journal of a file."""
    return path.with_name(path.name + ENDING)


def _line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry).encode()
    return text + f" {zlib.crc32(text):08x}\n".encode()


def _entry(line: bytes) -> dict[str, Any] | None:
    """The entry of a line; None if the line is damaged or not complete."""
    text, _, check = line.rstrip(b"\n").rpartition(b" ")
    if not line.endswith(b"\n") or check != f"{zlib.crc32(text):08x}".encode():
        return None
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


class Journal:
    """An open journal, to which finished points are added."""

    def __init__(self, path: Path, head: Head) -> None:
        """Open the journal of a file, or begin one; raises SweepFileError if another one has it."""
        self.path = journal_of(path)
        first = _line({"format": FORMAT, **head._asdict()})
        while True:
            if not self.path.exists():
                open_new(self.path, first, "the sweep", SweepFileError).close()
            self.file = _opened(self.path)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self.file.fileno()), self.path.stat()):
                    break
            self.file.close()  # another sweep ended just now, and removed it
        self.size = _complete(self.file)
        self.file.truncate(self.size)
        self.file.seek(self.size)
        self._synced = time.monotonic()

    def add(self, records: Sequence[Record]) -> None:
        """Append finished points; they survive the end of this process from now on."""
        lines = b"".join(_line(_as_entry(record)) for record in records)
        try:
            written = self.file.write(lines)
            if written < len(lines):  # the disk is nearly full
                self.file.write(lines[written:])
            if time.monotonic() - self._synced > SYNC:
                os.fsync(self.file.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            with contextlib.suppress(OSError):
                self.file.truncate(self.size)
            raise SweepFileError(
                f"{self.path}: cannot be written ({error.strerror or error}); what finished before "
                "is in the file; make space and run the same sweep again to resume it"
            ) from None
        self.size += len(lines)

    def close(self) -> None:
        """Close it; what it holds stays."""
        with contextlib.suppress(OSError):
            self.file.close()

    def remove(self) -> None:
        """Remove it, once its points are in the file."""
        self.path.unlink(missing_ok=True)
        self.close()


def _opened(path: Path) -> IO[bytes]:
    """The journal, open and locked."""
    try:
        file: IO[bytes] = path.open("r+b", buffering=0)
    except OSError as error:
        raise SweepFileError(f"{path}: cannot be opened ({error.strerror})") from None
    if not _locked(file):
        file.close()
        raise SweepFileError(f"{path}: another process runs this sweep; wait for its end")
    return file


def _locked(file: IO[bytes]) -> bool:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return True
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _complete(file: IO[bytes]) -> int:
    """Bytes of all complete lines."""
    data = file.read()
    return data.rfind(b"\n") + 1


# ------------------------------------------------------------------------------------------ reading


def _as_entry(record: Record) -> dict[str, Any]:
    number, point, outcome, attempts = record
    return {"number": number, "point": point, **outcome._asdict(), "attempts": attempts}


def read_journal(path: Path) -> tuple[Head, Records]:
    """The sweep of a journal, and its finished points; the last record of a point counts."""
    with path.open("rb") as file:
        first = _entry(file.readline()) or {}
        try:
            if first.get("format") != FORMAT:
                raise ValueError("another version")
            head = head_of(first)
        except ValueError:
            raise SweepFileError(
                f"{path}: its first line is damaged, or of another version; remove it to start over"
            ) from None
        records: Records = {}
        for line in file:
            with contextlib.suppress(ValueError):  # a damaged line
                record = _as_record(_entry(line) or {})
                if record.point.keys() == set(head.parameters):
                    records[record.key] = record
    return head, records


def head_of(found: Any) -> Head:
    """A sweep as stored in a file; raises ValueError if anything is missing or of a wrong type."""
    try:
        head = Head(*(found[name] for name in Head._fields))
        texts = [*head[:3], *head.parameters]
    except (LookupError, TypeError):
        raise ValueError("it does not say what the sweep runs") from None
    if not isinstance(head.parameters, list) or not all(isinstance(one, str) for one in texts):
        raise ValueError("what the sweep runs is not described by strings")
    return head._replace(parameters=tuple(head.parameters))


def _as_record(entry: dict[str, Any]) -> Record:
    try:
        outcome = Outcome(*(entry[name] for name in Outcome._fields))
        record = Record(entry["number"], entry["point"], outcome, entry["attempts"])
    except KeyError as error:
        raise ValueError(f"{error} is missing") from None
    fits = (
        *(type(one) is int for one in (record.number, record.attempts)),
        *(isinstance(one, dict) for one in (record.point, outcome.values)),
        *(isinstance(one, str) for one in (outcome.error, outcome.worker)),
        isinstance(outcome.seconds, int | float),
    )
    if not all(fits):
        raise ValueError("a value has a wrong type")
    return record
