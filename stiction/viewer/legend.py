"""The legend as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from stiction.visual.colours import LEGEND, MOTIONS, TRANSITIONS, hexadecimal
from stiction.visual.frames import Film

OF_MARK = {"forces": ("force",), "points": ("stick", "slip"), "cones": ("cone",)}
SWATCH = "display:inline-block;width:0.8em;height:0.8em;margin-right:0.4em;background:"


def legend_lines(films: Sequence[Film], marks: Sequence[str]) -> str:
    """A line for each motion, if there are several, for each mark, and for the length of arrows."""
    entries = []
    if len(films) > 1:
        names = [film.name for film in films]
        entries += [(MOTIONS[i % len(MOTIONS)], name) for i, name in enumerate(names)]
    for mark in marks:
        entries += [LEGEND[name] for name in OF_MARK.get(mark, (mark,))]
        if mark == "points" and any(film.has_transitions for film in films):
            entries += [LEGEND[name] for name in TRANSITIONS]
    lines = [
        f'<div><span style="{SWATCH}{hexadecimal(colour)}"></span>{escape(words)}</div>'
        for colour, words in entries
    ]
    if "forces" in marks and films[0].newton > 0:
        lines.append(f"<div>arrows: 1 cm is {0.01 / films[0].newton:.3g} N</div>")
    return "".join(lines)


def legend_box(films: Sequence[Film], marks: Sequence[str], title: str) -> str:
    """The legend as a box over a corner of a page."""
    style = (
        "position:fixed;left:12px;bottom:56px;z-index:1000;padding:8px 12px;border-radius:6px;"
        "background:rgba(255,255,255,0.85);font:13px/1.5 sans-serif;color:#222;pointer-events:none"
    )
    heading = f"<b>{escape(title)}</b>" if title else ""
    return f'<div id="stiction-legend" style="{style}">{heading}{legend_lines(films, marks)}</div>'
