"""Markers of a motion-capture laboratory: files .trc, as OpenSim and Motion Analysis write them.

The first line names the kind of file, the second and third give the rates, counts and the unit,
the fourth the markers, three columns each, the fifth X1 Y1 Z1 ...; then frame, time and positions.
A marker that was not seen has empty columns. In .trc files of OpenSim y is up; here z is.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from stiction.errors import InputError, MotionFileError
from stiction.patterns.recorded import MOST_ROWS, checked_path, text_of

UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
MOST_MARKERS = 1000


class Markers(NamedTuple):
    """Positions of markers over time, x forwards and z up."""

    source: str
    time: np.ndarray  # (n) [s]
    names: tuple[str, ...]
    position: np.ndarray  # (n, markers, 3) [m]; NaN where a marker was not seen

    def of(self, name: str) -> np.ndarray:
        """Positions of one marker [m], (n, 3)."""
        if name not in self.names:
            raise InputError(f"{self.source}: no marker '{name}'; it has {', '.join(self.names)}")
        return self.position[:, self.names.index(name)]


def read_trc(path: str | Path, up: str = "y") -> Markers:
    """Read markers; `up` is the upward axis of the file, "y" (OpenSim) or "z"."""
    path = checked_path(path)
    if up not in ("y", "z"):
        raise InputError(f"read_trc: up is {up!r}; it can be 'y' or 'z'")
    lines = text_of(path).splitlines()
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise MotionFileError(f"{path}, line 1: not a .trc file; it begins with PathFileType")
    facts = dict(zip(lines[1].split(), lines[2].split(), strict=False))
    unit = facts.get("Units", "")
    if unit not in UNITS:
        raise MotionFileError(f"{path}, line 3: Units is '{unit}'; known are {', '.join(UNITS)}")
    head = [word.strip() for word in lines[3].split("\t")]
    names = tuple(word for word in head[2:] if word)
    if head[:2] != ["Frame#", "Time"] or not names or len(set(names)) < len(names):
        raise MotionFileError(
            f"{path}, line 4: found {lines[3][:60]!r}; expected Frame#, Time and the names of "
            "the markers, each once"
        )
    if len(names) > MOST_MARKERS or facts.get("NumMarkers", str(len(names))) != str(len(names)):
        found = f"has {len(names)} names, and NumMarkers is {facts.get('NumMarkers')}"
        raise MotionFileError(f"{path}, line 4: {found}; at most {MOST_MARKERS}, and as many")
    table = _table(path, lines[5:], 2 + 3 * len(names))
    position = UNITS[unit] * table[:, 2:].reshape(len(table), -1, 3)
    if up == "y":
        position = position[:, :, [0, 2, 1]] * [1.0, -1.0, 1.0]  # OpenSim's x y z: our x, z, -y
    time = table[:, 1]
    if not np.isfinite(time).all() or not (np.diff(time) > 0).all():
        raise MotionFileError(f"{path}: the times must be finite and increase")
    return Markers(str(path), time, names, position)


def _table(path: Path, lines: list[str], columns: int) -> np.ndarray:
    """Rows of numbers; empty columns are NaN."""
    rows: list[list[float]] = []
    for number, line in enumerate(lines, start=6):
        if not line.strip():
            continue
        words = [word.strip() for word in line.rstrip("\r\n").split("\t")]
        words = (words + [""] * columns)[: max(columns, len(_trimmed(words)))]
        if len(words) != columns:
            raise MotionFileError(
                f"{path}, line {number}: has {len(words)} columns; expected {columns}"
            )
        try:
            row = [float(word) if word else np.nan for word in words]
        except ValueError:
            raise MotionFileError(
                f"{path}, line {number}: found {line.strip()[:60]!r}; give numbers"
            ) from None
        if len(rows) == MOST_ROWS or np.isinf(row).any():
            raise MotionFileError(
                f"{path}, line {number}: infinite, or more than {MOST_ROWS} rows; correct or cut it"
            )
        rows.append(row)
    if not rows:
        raise MotionFileError(f"{path}: holds no positions")
    return np.array(rows)


def _trimmed(words: list[str]) -> list[str]:
    """Words without empty ones at the end."""
    last = max((k for k, word in enumerate(words) if word), default=-1)
    return words[: last + 1]
