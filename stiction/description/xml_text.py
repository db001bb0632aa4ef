"""XML of model files, scanned with our own limits before any other reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.parsers import expat

from stiction.errors import ModelFileError

LARGEST_FILE = 64_000_000  # [bytes]; a 120 MB comment would load in MuJoCo, but is never intended
DEEPEST_NESTING = 500  # elements


def bytes_of(path: Path, kind: str, largest: int = LARGEST_FILE) -> bytes:
    """The content of a file; `kind`: the expected type in messages, e.g. "an MJCF file"."""
    try:
        size = path.stat().st_size
        if size > largest:
            raise ModelFileError(f"{path}: has {size} bytes; {kind} may have at most {largest}")
        return path.read_bytes()
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
    """The same lines without comments: robot readers allow -- in comments, which XML forbids."""
    kept, start = [], 0
    while (opened := data.find(b"<!--", start)) >= 0:
        closed = data.find(b"-->", opened + 4)
        if closed < 0:
            break
        kept += [data[start:opened], b"\n" * data.count(b"\n", opened, closed)]
        start = closed + 3
    return b"".join([*kept, data[start:]])
