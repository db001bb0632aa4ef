"""XML of model files, scanned with our own limits before any other reader."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any
from xml.parsers import expat

from stiction.errors import ModelFileError

LARGEST_FILE = 64_000_000  # [bytes]; a 120 MB comment would load in MuJoCo, but is never intended
DEEPEST_NESTING = 500  # elements
QUOTE_OR_END = re.compile(rb"[\"'>]")


def bytes_of(path: Path, kind: str, largest: int = LARGEST_FILE) -> bytes:
    """The content of a file; `kind`: the expected type in messages, e.g. "an MJCF file"."""
    try:
        # a named pipe, which would block, is opened but not read
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise OSError("not a regular file")
            data = file.read(largest + 1)
        if len(data) > largest:
            size = found.st_size
            raise ModelFileError(f"{path}: has {size} bytes; {kind} may have at most {largest}")
        return data
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = getattr(error, "strerror", None) or error
        message = f"{path}: cannot be read ({reason}); give the path of {kind}"
        raise ModelFileError(message) from error


class Scan:
    """One pass over the elements of one file; refuses entities and excessive nesting."""

    def __init__(self, source: str, expected: str, encoding: str | None = None) -> None:
        """Start; `expected` ends messages about invalid XML."""
        self.source, self.expected = source, expected
        self.depth = 0
        self.parser = expat.ParserCreate(encoding)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.EntityDeclHandler = self._entity

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.source}, line {self.parser.CurrentLineNumber}"

    def run(self, data: bytes) -> None:
        """Parse the text and call `element` and `ended`."""
        if not data.strip():
            raise ModelFileError(f"{self.source}: is empty; {self.expected}")
        try:
            self.parser.Parse(without_comments(data), True)
        except (expat.ExpatError, ValueError, LookupError) as error:  # the last two: encodings
            raise ModelFileError(f"{self.source}: is not XML: {error}; {self.expected}") from error

    def element(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element; `depth` already includes it."""

    def ended(self, tag: str) -> None:
        """Handle the end of an element."""

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            message = f"<{tag}> is nested deeper than {DEEPEST_NESTING} elements"
            raise ModelFileError(f"{self.where}: {message}; reduce the nesting")
        self.element(tag, attributes)

    def _end(self, tag: str) -> None:
        self.ended(tag)
        self.depth -= 1

    def _entity(self, name: str, *_: Any) -> None:
        message = f"declares the XML entity '{name}'; write its text out instead"
        raise ModelFileError(f"{self.where}: {message}")


def without_comments(data: bytes) -> bytes:
    """The same lines without comments: robot readers allow -- in comments, which XML forbids.

    A comment begins outside tags only: in the value of an attribute, <!-- is text.
    """
    if b"<!--" not in data:
        return data
    kept, start = [], 0  # all before `start` is kept or dropped
    opened = data.find(b"<")
    while opened >= 0:
        if data.startswith(b"<!--", opened):
            end = data.find(b"-->", opened + 4)
            if end < 0:
                break
            kept += [data[start:opened], b"\n" * data.count(b"\n", opened, end)]
            end = start = end + 3
        else:
            end = _end_of_tag(data, opened)
        if end < 0:
            break
        opened = data.find(b"<", end)
    return b"".join([*kept, data[start:]])


def _end_of_tag(data: bytes, opened: int) -> int:
    """Where a tag, an instruction or a section that begins there ends; -1 if it does not."""
    for begin, last in ((b"<![CDATA[", b"]]>"), (b"<?", b"?>")):
        if data.startswith(begin, opened):
            end = data.find(last, opened)
            return end if end < 0 else end + len(last)
    at: re.Match[bytes] | None = None
    place = opened + 1
    while at := QUOTE_OR_END.search(data, place):
        if at[0] == b">":
            return at.end()
        place = data.find(at[0], at.end()) + 1
        if place == 0:
            return -1
    return -1
