"""A sweep as one self-contained HTML page that plots any column against any other."""

from __future__ import annotations

import json
import math
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.compare.plots import script
from stiction.viewer.style import STYLE

if TYPE_CHECKING:
    from stiction.sweeps.table import SweepTable

MOST = 20_000  # points of a plot; more are thinned at random
MOST_FAILURES = 50
HIDDEN = ("error",)
OWN = """
main { max-width: none; } #controls label { margin-right: 1.2rem; } #plot { height: 620px; }
select { font: inherit; }
"""
DRAWS = """
const data = JSON.parse(document.getElementById("data").textContent);
const pick = name => document.getElementById(name);
const isText = name => data.columns[name].some(v => typeof v === "string");
function trace(rows, name, extra) {
  const x = data.columns[pick("x").value], y = data.columns[pick("y").value];
  return {type: "scattergl", mode: "markers", name, x: rows.map(k => x[k]), y: rows.map(k => y[k]),
    text: rows.map(k => data.parameters.map(p => p + " " + data.columns[p][k]).join("<br>")),
    hovertemplate: "%{x}, %{y}<br>%{text}<extra></extra>", marker: {size: 6, ...extra}};
}
function traces() {
  const rows = data.columns.status.map((_, k) => k), colour = pick("colour").value;
  if (!colour) return [trace(rows, "", {})];
  const values = data.columns[colour];
  if (!isText(colour) && typeof values[0] !== "boolean")
    return [trace(rows, colour, {color: values, colorscale: "Viridis",
      colorbar: {title: {text: colour}}})];
  const labels = [...new Set(values)].sort();
  return labels.map(one => trace(rows.filter(k => values[k] === one), String(one), {}));
}
function draw() {
  const axis = name => ({title: {text: pick(name).value},
    type: isText(pick(name).value) ? "category" : pick("log" + name).checked ? "log" : "linear"});
  Plotly.react("plot", traces(), {template: "plotly_white", xaxis: axis("x"), yaxis: axis("y"),
    legend: {title: {text: pick("colour").value}}, showlegend: true,
    margin: {l: 70, r: 20, t: 20, b: 60}}, {displaylogo: false, responsive: true});
}
for (const one of document.querySelectorAll("#controls select, #controls input"))
  one.addEventListener("change", draw);
draw();
"""


def page_of(table: SweepTable) -> str:
    """The text of the page."""
    shown, note = _thinned(table)
    names = [name for name in table if name not in HIDDEN]
    data = {
        "parameters": list(table.parameters),
        "columns": {name: _plain(shown[name]) for name in names},
    }
    heading = f"Sweep of {table.head.what}"
    failed = int(table.failed.sum())
    told = f"{len(table)} points over {', '.join(table.parameters)}; {failed} failed.{note}"
    body = (
        f"<header><h1>{escape(heading)}</h1><p>{escape(told)}</p></header><main>"
        f"<section><h2>Any column against any other</h2>{_controls(table, names)}"
        f"<div id=plot></div></section><section><h2>Columns</h2>{_summary(table)}</section>"
        f"{_failures(table)}<p><small>stiction {escape(table.head.stiction)}</small></p></main>"
    )
    held = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(heading)}</title><style>{STYLE}{OWN}</style>"
        f"<script>{script()}</script></head>\n<body>{body}"
        f'<script type="application/json" id="data">{held}</script>'
        f"<script>{DRAWS}</script></body></html>\n"
    )


def _thinned(table: SweepTable) -> tuple[SweepTable, str]:
    """At most MOST rows of a table, and a sentence about it."""
    if len(table) <= MOST:
        return table, ""
    rows = np.sort(np.random.default_rng(0).choice(len(table), MOST, replace=False))
    return table.rows(rows), f" The plot shows {MOST} of them, drawn at random."


def _plain(values: np.ndarray) -> list[Any]:
    """Values as JSON has them; None for numbers that are not finite."""
    if values.dtype.kind != "f":
        return list(values.tolist())
    return [float(f"{x:.7g}") if math.isfinite(x) else None for x in values]


def _controls(table: SweepTable, names: list[str]) -> str:
    """Menus for both axes and the colour; at first, a result over the first parameter."""
    numbers = [name for name in table.results if table[name].dtype.kind == "f"]
    y = (numbers or list(table.results) or ["seconds"])[0]
    x = table.parameters[0]
    colour = table.parameters[1] if len(table.parameters) > 1 else ""

    def menu(name: str, title: str, chosen: str, choices: list[str]) -> str:
        options = "".join(
            f'<option value="{escape(one)}"{" selected" * (one == chosen)}>'
            f"{escape(one or 'none')}</option>"
            for one in choices
        )
        return f"<label>{title} <select id={name}>{options}</select></label>"

    return (
        "<p id=controls>"
        + menu("x", "horizontal", x, names)
        + "<label><input type=checkbox id=logx> logarithmic</label>"
        + menu("y", "vertical", y, names)
        + "<label><input type=checkbox id=logy> logarithmic</label>"
        + menu("colour", "colour", colour, ["", *names])
        + "</p>"
    )


def _summary(table: SweepTable) -> str:
    rows = "".join(
        f"<tr><td>{escape(row['column'])}<td>{escape(row['kind'])}"
        + "".join(f"<td class=number>{escape(_cell(row[key]))}" for key in ("low", "mean", "high"))
        for row in summary(table)
    )
    return (
        "<table id=columns><thead><tr><th>column<th>kind<th>lowest<th>mean<th>highest</thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def summary(table: SweepTable) -> list[dict[str, Any]]:
    """Kind, lowest, mean and highest value of each column; of others, how many there are."""
    rows = []
    for name in table:
        values = table[name]
        row: dict[str, Any] = {"column": name, "kind": "result", "low": None, "mean": None}
        row |= {"high": None}
        if name in table.parameters:
            row["kind"] = "parameter"
        elif name not in table.results:
            row["kind"] = "run"
        if values.dtype == object:
            row["kind"] += f", {_counted(values)}"
        else:
            finite = values[np.isfinite(values.astype(float))].astype(float)
            if len(finite):
                row |= {"low": finite.min(), "mean": finite.mean(), "high": finite.max()}
        rows.append(row)
    return rows


def _counted(values: np.ndarray) -> str:
    """How many different strings there are, or values if not all are strings."""
    count = len({(type(value), value) for value in values})  # 1 is equal to True
    noun = "string" if all(isinstance(value, str) for value in values) else "value"
    return f"{count} {noun}{'s' * (count != 1)}"


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.5g}"


def _failures(table: SweepTable) -> str:
    rows = np.flatnonzero(table.failed)
    if not len(rows):
        return ""
    more = f"<p>The first {MOST_FAILURES} of {len(rows)}.</p>" * (len(rows) > MOST_FAILURES)
    lines = "".join(
        f"<tr><td>{escape(', '.join(f'{name} {table[name][k]}' for name in table.parameters))}"
        f"<td>{escape(str(table['error'][k]))}"
        for k in rows[:MOST_FAILURES]
    )
    return (
        f"<section><h2>Failed</h2>{more}<table id=failed><thead><tr><th>point<th>why</thead>"
        f"<tbody>{lines}</tbody></table></section>"
    )
