"""Pictures of benchmarks: a panel per scene, a line per model or engine, one legend for all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

COLUMNS = 4
SMALLEST = 1e-12  # what is smaller, also zero, is drawn here
DASHES = ("-", "--", ":")  # after the ten colours, for more lines


def panels(
    path: Path,
    lines: Mapping[str, Mapping[str, list[tuple[Any, Any]]]],
    labels: tuple[str, Mapping[str, str]],
) -> None:
    """Draw lines[scene][contender], points of numbers; others, such as "inf", are left out.

    labels: of the x axis, and of the y axis of each scene.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter

    columns = min(COLUMNS, len(lines))
    rows = -(-len(lines) // columns)
    figure = Figure(figsize=(4.2 * columns + 2, 3.4 * rows), layout="constrained")
    names = list(dict.fromkeys(name for found in lines.values() for name in found))
    drawn: dict[str, Any] = {}
    for k, (scene, found) in enumerate(lines.items()):
        axes = figure.add_subplot(rows, columns, k + 1)
        for name, points in found.items():
            numbers = [p for p in points if all(isinstance(x, float | int) for x in p)]
            shown = [(x, max(abs(y), SMALLEST)) for x, y in numbers]
            if shown:
                number = names.index(name)
                style: dict[str, Any] = {
                    "color": f"C{number % 10}",
                    "linestyle": DASHES[number // 10 % 3],
                }
                drawn[name] = axes.plot(*zip(*shown, strict=True), marker="o", ms=3, **style)[0]
        axes.set(xscale="log", yscale="log", xlabel=labels[0], ylabel=labels[1][scene], title=scene)
        axes.xaxis.set_minor_formatter(NullFormatter())
    ordered = [name for name in names if name in drawn]
    handles = [drawn[name] for name in ordered]
    figure.legend(handles, ordered, loc="outside right upper", fontsize="small")
    figure.savefig(path)
