"""Line numbers of keys in a TOML file; Python's reader returns values without their place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Path = tuple[str | int, ...]  # e.g. ("robot", 0, "position"): position of the first [[robot]]

PART = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
DOTTED = rf"{PART}(?:\s*\.\s*{PART})*"
HEADER = re.compile(rf"\s*(\[\[?)\s*({DOTTED})\s*\]")
KEY = re.compile(rf"\s*({DOTTED})\s*=")
STRINGS = ('"""', "'''", '"', "'")


@dataclass
class Lines:
    """Line numbers of the keys and tables of a valid TOML file."""

    found: dict[Path, int] = field(default_factory=dict)
    arrays: dict[Path, int] = field(default_factory=dict)  # number of [[...]] so far

    @classmethod
    def of(cls, text: str) -> Lines:
        """Find all keys of a text."""
        lines = cls()
        table: Path = ()
        inside = _Value()
        for number, line in enumerate(text.splitlines(), start=1):
            if inside.open:
                inside.read(line)
                continue
            if header := HEADER.match(line):
                table = lines._header(header[1] == "[[", _parts(header[2]))
                lines.found.setdefault(table, number)
            elif key := KEY.match(line):
                path = table
                for part in _parts(key[1]):
                    path = (*path, part)
                    lines.found.setdefault(path, number)
                inside = _Value()
                inside.read(line[key.end() :])
        return lines

    def line(self, path: Path) -> int:
        """Line of a key; if it is missing, that of the table it belongs to, or else 1."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.found:
                return self.found[path[:length]]
        return 1

    def _header(self, many: bool, parts: list[str]) -> Path:
        """Path of the table that a header opens."""
        path: Path = ()
        for k, part in enumerate(parts):
            path = (*path, part)
            if many and k == len(parts) - 1:
                self.arrays[path] = self.arrays.get(path, 0) + 1
            if path in self.arrays:
                path = (*path, self.arrays[path] - 1)
        return path


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in re.findall(PART, dotted)]


class _Value:
    """Tracks a value over several lines: the brackets and multi-line strings still open."""

    def __init__(self) -> None:
        self.depth, self.quote = 0, ""

    @property
    def open(self) -> bool:
        return self.depth > 0 or bool(self.quote)

    def read(self, line: str) -> None:
        k = 0
        while k < len(line):
            if self.quote:
                if line[k] == "\\" and self.quote[0] == '"':
                    k += 2
                elif line.startswith(self.quote, k):
                    k, self.quote = k + len(self.quote), ""
                else:
                    k += 1
            elif line[k] == "#":
                return
            elif quote := next((q for q in STRINGS if line.startswith(q, k)), ""):
                k, self.quote = k + len(quote), quote
            else:
                self.depth += (line[k] in "[{") - (line[k] in "]}")
                k += 1
