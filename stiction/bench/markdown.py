"""The table of accuracy as Markdown: the first measure of each scene, at both time steps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

WIDTH = 120  # of a line
HEAD = ("scene", "dt [ms]", "error", "target", "holds", "met by")


def tables(rows: list[dict[str, Any]], groups: Iterable[list[str]]) -> str:
    """One table for each group of models or engines, split where lines would be too long.

    rows: of `accuracy.bench`. A cell has the error at the first time step, and in brackets that
    at the second.
    """
    steps = sorted({row["dt [ms]"] for row in rows})
    firsts: dict[tuple[str, float], dict[str, Any]] = {}
    for row in rows:
        firsts.setdefault((row["scene"], row["dt [ms]"]), row)
    scenes = list(dict.fromkeys(row["scene"] for row in rows))
    lines = []
    for group in groups:
        columns = {name: [_cell(firsts, scene, steps, name) for scene in scenes] for name in group}
        labels = [f"{scene}: {firsts[scene, steps[0]]['error']}" for scene in scenes]
        lines += [_table(labels, part) for part in _parts(labels, columns)]
    return "\n\n".join(lines) + "\n"


def _cell(
    firsts: dict[tuple[str, float], dict[str, Any]], scene: str, steps: list[float], name: str
) -> str:
    found = [short(firsts.get((scene, dt), {}).get(name)) for dt in steps]
    return found[0] + "".join(f" ({one})" for one in found[1:]) if any(found) else ""


def short(value: Any) -> str:
    """A number with two digits, 1e-9 instead of 1e-09; nothing for None."""
    if value is None or isinstance(value, str):
        return value or ""
    return re.sub(r"e([+-])0*", lambda m: "e" + m[1].replace("+", ""), f"{float(f'{value:.2g}'):g}")


def _parts(labels: list[str], columns: dict[str, list[str]]) -> list[dict[str, list[str]]]:
    """Columns in as many tables as the width of a line demands."""
    first = max(len(label) for label in labels) + 4
    parts: list[dict[str, list[str]]] = [{}]
    used = first
    for name, cells in columns.items():
        width = max(len(cell) for cell in [name, *cells]) + 3
        if parts[-1] and used + width > WIDTH:
            parts.append({})
            used = first
        parts[-1][name] = cells
        used += width
    return parts


def _table(labels: list[str], columns: dict[str, list[str]]) -> str:
    lines = [["scene: error", *columns], ["---"] * (len(columns) + 1)]
    lines += [list(cells) for cells in zip(labels, *columns.values(), strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
