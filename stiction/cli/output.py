"""The result of a command as text or JSON, and its progress."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stiction.terminal.line import write_line

Result = dict[str, Any]


class Progress:
    """Shows the progress of a long command, if stderr is a terminal."""

    def __init__(self, label: str, enabled: bool) -> None:
        """Start with nothing shown."""
        self.label = label
        self.enabled = enabled
        self._shown = ""

    def __call__(self, fraction: float, doing: str = "") -> None:
        """Show a fraction from 0 to 1, and the current work."""
        if self.enabled:
            percent = 100.0 * min(max(fraction, 0.0), 1.0)
            self._show(f"{self.label} {percent:3.0f} % {doing}".rstrip())

    def clear(self) -> None:
        """Wipe the line, so that nothing is left between the results."""
        if self._shown:
            self._show("")

    def _show(self, text: str) -> None:
        if text != self._shown:
            write_line(text)
            self._shown = text


def as_text(result: Result) -> str:
    """One line "key: value" per entry; a list of dicts becomes a table below its key."""
    lines = []
    for key, value in result.items():
        title = key.replace("_", " ")
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            lines += [f"{title}:", *("  " + line for line in table(value))]
        elif isinstance(value, dict):
            lines += [f"{title}:", *("  " + line for line in as_text(value).splitlines())]
        elif isinstance(value, list):
            lines += [f"{title}: {'' if value else 'none'}".rstrip()]
            lines += [f"  {word(entry)}" for entry in value]
        else:
            lines.append(f"{title}: {word(value)}")
    return "\n".join(lines)


def table(rows: Sequence[Result]) -> list[str]:
    """Lines of a table headed by the keys of the first row; numbers are right-aligned."""
    head = list(rows[0])
    cells = [[word(row.get(key)) for key in head] for row in rows]
    numbers = [all(_is_number(row.get(key)) for row in rows) for key in head]
    widths = [max(len(text) for text in column) for column in zip(head, *cells, strict=True)]
    return [
        "  ".join(
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(line, widths, numbers, strict=True)
        ).rstrip()
        for line in [head, *cells]
    ]


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def word(value: Any) -> str:
    """Return a value as it is printed."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(word(entry) for entry in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def plain(value: Any) -> Any:
    """Return a value as JSON types: no NumPy, no paths; NaN and infinity become null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value


# --------------------------------------------------------------------------------------------- JSON

UNIT = re.compile(r"\s*\[([^]]+)\]")
SWITCH = "0 or 1"  # stands in the place of a unit


def titled(name: str, unit: str) -> str:
    """A name with its unit, as a key of a result."""
    return f"{name} [{unit}]" if unit not in ("", SWITCH) else name


def document(result: Result) -> Result:
    """Return a result as JSON types, with identifiers as keys.

    The keys of a result are titles with units, such as "total mass [kg]". In the document they are
    `total_mass`, and `units` has the units by key; keys of inner objects and of the rows of a list
    are joined by dots: {"links": [{"mass": 1.2}], "units": {"links.mass": "kg"}}.
    """
    units: dict[str, str] = {}
    found: Result = _identified(plain(result), "", units)
    return found | {"units": units} if units else found


def _identified(value: Any, path: str, units: dict[str, str]) -> Any:
    """A value with identifiers as keys; adds the units of the keys to `units`."""
    if isinstance(value, list):
        return [_identified(entry, path, units) for entry in value]
    if not isinstance(value, dict):
        return value
    names = [identifier(key) for key in value]
    found = {}
    for key, entry in value.items():
        name = identifier(key)
        if names.count(name) > 1:  # two quantities of one name: the unit tells them apart
            name = identifier(key.replace("[", " ").replace("]", " "))
        where = f"{path}.{name}".removeprefix(".")
        unit = UNIT.search(key)
        if unit:
            units[where] = unit[1]
        found[name] = _identified(entry, where, units)
    return found


def identifier(title: str) -> str:
    """Return a title without its unit as an identifier; one that is an identifier stays as it is.

    Names of models, files and the like keep their letters; "%" is written as a word.
    """
    if title.isidentifier():
        return title
    words = re.sub(r"\W+", "_", UNIT.sub("", title).replace("%", " percent ")).strip("_")
    return f"_{words}" if words[:1].isdigit() else words
