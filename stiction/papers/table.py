"""Tables of results: as a figure, and their cells as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW, LETTER = 0.24, 0.085  # height of a row and width of a letter [inch]
SMALLEST = 1e-12  # what is less is written as zero


def table_figure(rows: Sequence[dict[str, Any]], title: str = "") -> Figure:
    """Draw rows as a table headed by the keys of the first one."""
    from matplotlib.figure import Figure

    heads = list(rows[0])
    cells = [[cell_text(row.get(head)) for head in heads] for row in rows]
    widths = [max(len(text) for text in column) + 2 for column in zip(heads, *cells, strict=True)]
    total = sum(widths)
    figure = Figure(figsize=(LETTER * total, ROW * (len(rows) + 2)), layout="constrained")
    panel = figure.subplots()
    panel.axis("off")
    if title:
        panel.set_title(title, fontsize=9)
    drawn = panel.table(
        cells, colLabels=heads, colWidths=[width / total for width in widths], loc="center"
    )
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(8)
    return figure


def cell_text(value: Any) -> str:
    """A value as it is printed in a table."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "0" if abs(value) < SMALLEST else f"{value:.3g}"
    return str(value)
