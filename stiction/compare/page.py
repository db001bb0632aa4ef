"""A comparison as one HTML page that loads nothing from other hosts."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from stiction.compare.measures import COLUMNS
from stiction.compare.plots import colour_of, curves, script
from stiction.compare.runs import Case, Refused, Run
from stiction.viewer.page import page as motions_page
from stiction.viewer.style import STYLE

SHOWN = 5  # motions in three dimensions at once
FPS = 25.0
LONG, SLOW_FPS = 8.0, 12.5  # motions that last longer have fewer pictures a second [s]
PLAYS = """
for (const button of document.querySelectorAll("button[data-page]"))
  button.addEventListener("click", () => {
    const text = atob(document.getElementById(button.dataset.page).textContent);
    const frame = document.createElement("iframe");
    frame.srcdoc = new TextDecoder().decode(Uint8Array.from(text, c => c.charCodeAt(0)));
    document.querySelector(".player").replaceChildren(frame);
  });
"""
OWN = """
.player iframe { height: 560px; } .yes { color: #12521f; } .no { color: #7c130b; }
.swatch { display: inline-block; width: .8em; height: .8em; margin-right: .4em; }
.told p { max-width: 75em; } .scrolls { overflow-x: auto; } main { max-width: none; }
"""


def page_of(
    case: Case,
    runs: Sequence[Run],
    rows: Sequence[dict[str, Any]],
    refused: Sequence[Refused],
    told: Sequence[str],
) -> str:
    """The text of the page; the first run is the reference."""
    views, holders = _views(runs)
    heading = f"{case.name}: {case.shows}"
    body = (
        f"<header><h1>{escape(heading)}</h1><p>{escape(_same(case, runs, refused))}</p></header>"
        "<main><section class=told><h2>What differs most, and why</h2>"
        f"{_paragraphs(told)}</section>"
        f"<section><h2>Summary</h2>{_table(rows)}{_legend()}</section>"
        f"<section><h2>In three dimensions</h2>{views}</section>"
        f"<section><h2>Curves</h2><p>Drag to zoom, double-click to return; the reference is "
        f"{escape(runs[0].name)}. Dotted: other engines.</p>{curves(case, runs)}</section>"
        f"{_refused(refused)}{_parameters(case, runs)}</main>"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(heading)}</title><style>{STYLE}{OWN}</style>"
        f"<script>{script()}</script></head>\n<body>{body}{holders}"
        f"<script>{PLAYS}</script></body></html>\n"
    )


def _same(case: Case, runs: Sequence[Run], refused: Sequence[Refused]) -> str:
    world = case.world
    return (
        f"The same world ({', '.join(robot.name for robot in world.robots)}; "
        f"{world.total_mass:.3g} kg), start, controller and ground, {case.duration:.3g} s, under "
        f"{len(runs)} contact models and engines"
        + (f"; {len(refused)} more could not run." if refused else ".")
    )


def _paragraphs(told: Sequence[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in told)


def _table(rows: Sequence[dict[str, Any]]) -> str:
    heads = "".join(
        f'<th title="{escape(COLUMNS.get(head, ""))}">{escape(head)}' for head in rows[0]
    )
    body = ""
    for k, row in enumerate(rows):
        name = f'<span class=swatch style="background:{colour_of(k)}"></span>{escape(row["name"])}'
        cells = "".join(_cell(value) for head, value in row.items() if head != "name")
        body += f"<tr><td>{name}{' (reference)' * (k == 0)}{cells}"
    return (
        f"<div class=scrolls><table id=summary><thead><tr>{heads}</thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return f"<td class={'yes' if value else 'no'}>{'yes' if value else 'no'}"
    if value is None or not math.isfinite(value):
        return "<td class=number>-"
    return f"<td class=number>{0 if abs(value) < 1e-12 else value:.3g}"


def _legend() -> str:
    lines = "".join(f"<li><b>{escape(k)}</b>: {escape(v)}" for k, v in COLUMNS.items())
    return (
        "<details><summary>What the columns say; '-' is what an engine does not report, or what a "
        f"model does not have</summary><ul>{lines}</ul></details>"
    )


def _views(runs: Sequence[Run]) -> tuple[str, str]:
    """Buttons that open the motions, and the texts of their pages."""
    shown = runs[:SHOWN]
    motions = {run.name: run.motion for run in shown}
    fps = SLOW_FPS if max(run.simulated for run in shown) > LONG else FPS
    buttons, holders = "", ""
    for layout in ("side by side", "ghosts"):
        text = motions_page(motions, fps=fps, layout=layout)
        name = f"motions-{layout.replace(' ', '-')}"
        data = base64.b64encode(text.encode()).decode()
        holders += f'<script type="text/plain" id="{name}">{data}</script>'
        buttons += f'<button data-page="{name}">&#9654; {layout}</button> '
    names = ", ".join(motions)
    note = "" if len(shown) == len(runs) else "; the others are in their motion files"
    return (
        f"<p>{buttons}<small>{escape(names)}{note}. Contact forces of other engines are not known "
        "point by point and are not drawn.</small></p><div class=player></div>"
    ), holders


def _refused(refused: Sequence[Refused]) -> str:
    if not refused:
        return ""
    lines = "".join(f"<tr><td>{escape(one.name)}<td>{escape(one.why)}" for one in refused)
    return f"<section><h2>Not run</h2><table id=refused><tbody>{lines}</tbody></table></section>"


def _parameters(case: Case, runs: Sequence[Run]) -> str:
    rows, versions = "", dict[str, str]()
    for run in runs:
        told = ", ".join(f"{k} {_text(v)}" for k, v in run.told.items() if k != "model")
        versions |= run.motion.versions
        notes = "".join(f"<p class=warning>{escape(note)}</p>" for note in run.notes)
        rows += f"<tr><td>{escape(run.name)}<td>{escape(told)}{notes}<td>{1e3 * run.dt:g} ms"
    made = ", ".join(f"{name} {version}" for name, version in versions.items())
    common: Mapping[str, Any] = {
        "ground": repr(case.world.ground)[:200],
        "gravity [m/s2]": case.world.gravity.tolist(),
        "integrator of our models": _name(case.integrator),
        "external forces": len(case.forces),
        "model hash": case.world.digest(),
    }
    shared = ", ".join(f"{name}: {_text(value)}" for name, value in common.items())
    return (
        "<section><h2>Parameters and versions</h2><table><thead><tr><th>run<th>parameters<th>step"
        f"</thead><tbody>{rows}</tbody></table><p>{escape(shared)}</p><p>{escape(made)}</p></section>"
    )


def _name(integrator: Any) -> str:
    return "the default" if integrator is None else type(integrator).__name__


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value)
