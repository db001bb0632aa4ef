"""One HTML page per paper, and an index; nothing in them asks any host for anything."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from stiction.errors import InputError
from stiction.files.written import write_whole
from stiction.papers import markdown
from stiction.papers.claims import Paper
from stiction.papers.figures import title
from stiction.papers.judge import VERDICTS, Judged, counts
from stiction.papers.table import cell_text
from stiction.viewer.style import SCRIPT, STYLE

LARGEST = 1_500_000  # of an SVG that is embedded, else the PNG is [bytes]


class View(NamedTuple):
    """What a page shows of a paper."""

    paper: Paper
    results: Mapping[str, dict[str, Any] | None]  # by figure
    judged: Sequence[Judged]


def write_pages(views: Sequence[View], chosen: Sequence[str], out: Path) -> list[Path]:
    """Write the pages of the chosen papers and the index; returns their paths, the index last."""
    pages = {out / f"{view.paper.key}.html": _paper(view, out) for view in views}
    kept = {path: text for path, text in pages.items() if path.stem in chosen or path.is_file()}
    kept[out / "index.html"] = _index(views)
    for path, text in kept.items():
        write_whole(path, text.encode(), "a page", InputError)
    return [path for path in kept if path.stem in (*chosen, "index")]


def _document(heading: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(heading)}</title><style>{STYLE}</style></head>\n"
        f"<body>{body}<script>{SCRIPT}</script></body></html>\n"
    )


def _badges(judged: Sequence[Judged]) -> str:
    """Counts of the verdicts."""
    return "".join(
        f'<span class="badge {_class(verdict)}">{number} {verdict}</span>'
        for verdict, number in counts(judged).items()
        if number
    )


def _class(verdict: str) -> str:
    return f"v{VERDICTS.index(verdict)}"


# -------------------------------------------------------------------------------------------- index


def _index(views: Sequence[View]) -> str:
    rows = ""
    for view in views:
        told = counts(view.judged)
        cells = "".join(f"<td class=number>{told[verdict]}" for verdict in VERDICTS)
        key, paper = view.paper.key, view.paper
        rows += (
            f'<tr><td><a href="{key}.html">{escape(paper.title)}</a><br>'
            f"<small>{escape(paper.authors)}. {escape(paper.published)}</small>"
            f"<td><code>{key}</code><td class=number>{len(view.judged)}{cells}"
        )
    every = [one for view in views for one in view.judged]
    sums = "".join(f"<td class=number>{number}" for number in counts(every).values())
    heads = "".join(f"<th>{verdict}" for verdict in VERDICTS)
    body = (
        "<header><h1>The papers, claim by claim</h1>"
        "<p>For each claim: what the paper reports, what <code>stiction reproduce</code> measures, "
        "the band that was fixed before the first run, and whether it holds.</p></header>"
        f"<main><table class=index><thead><tr><th>paper<th>key<th>claims{heads}</thead>"
        f"<tbody>{rows}</tbody><tfoot><tr><td>all<td><td class=number>{len(every)}{sums}</tfoot>"
        "</table></main>"
    )
    return _document("The papers, claim by claim", body)


# -------------------------------------------------------------------------------------------- paper


def _paper(view: View, out: Path) -> str:
    paper = view.paper
    named = [*(claim.figure for claim in paper.claims), *view.results]
    figures = "".join(_figure(view, figure, out) for figure in dict.fromkeys(named))
    chips = "".join(
        f'<a class="chip {_class(one.verdict)}" href="#{one.claim.id}" '
        f'title="{escape(one.claim.quantity)}">{escape(one.claim.id)}</a>'
        for one in view.judged
    )
    readme = paper.folder / "README.md"
    notes = markdown.html(readme.read_text(encoding="utf-8")) if readme.is_file() else ""
    body = (
        f'<header><a href="index.html">all papers</a><h1>{escape(paper.title)}</h1>'
        f"<p>{escape(paper.authors)}. {escape(paper.published)}</p>"
        f"<p>{_badges(view.judged)}</p><nav>{chips}</nav></header>"
        f"<main>{figures}<section class=readme>{notes}</section>{_made_with(view)}</main>"
    )
    return _document(paper.title, body)


def _figure(view: View, figure: str, out: Path) -> str:
    """A figure, its motions, and beside them what the paper claims and what we measure."""
    result = view.results.get(figure)
    judged = [one for one in view.judged if one.claim.figure == figure]
    known = (view.paper.folder / f"{figure}.py").is_file()
    head = title(view.paper.folder, figure) if known else figure
    shown = _shown(view.paper.key, figure, result, out) if result else ""
    why = dict.fromkeys(one.why for one in judged if one.why)
    told = "".join(f"<pre class=why>{escape(text)}</pre>" for text in why)
    return (
        f'<section id="{figure}"><h2>{markdown.inline(head)}</h2>'
        f"<div class=pair><div class=drawing>{shown}{told}</div>{_claims(judged)}</div>"
        f"{_tables(result) if result else ''}</section>"
    )


def _shown(key: str, figure: str, result: dict[str, Any], out: Path) -> str:
    folder = out / key
    vector = (folder / f"{figure}.svg").read_bytes()
    kind, data = "svg+xml", vector
    if len(vector) > LARGEST:
        kind, data = "png", (folder / f"{figure}.png").read_bytes()
    source = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    plays = "".join(
        f'<button data-page="{key}/{escape(file)}">&#9654; {escape(name)}</button>'
        for name, file in result["motions"].items()
    )
    took = sum(result["seconds"].values())
    links = f'<a href="{key}/{figure}.svg">SVG</a> <a href="{key}/{figure}.png">PNG</a>'
    return (
        f'<img alt="{escape(result["title"])}" src="{source}">'
        f"<p>{plays} <small>{links} &middot; {took:.1f} s</small></p><div class=player></div>"
        + _warnings(result["warnings"])
    )


def _warnings(told: Sequence[str]) -> str:
    """What the runs warned of."""
    if not told:
        return ""
    texts = "".join(f"<p class=warning>{escape(text)}</p>" for text in told)
    return f"<details><summary>{len(told)} warnings of these runs</summary>{texts}</details>"


def _tables(result: dict[str, Any]) -> str:
    """The tables of a figure, by title."""
    told = ""
    for name, rows in result["tables"].items():
        heads = "".join(f"<th>{escape(head)}" for head in rows[0])
        body = "".join("<tr>" + "".join(_cell(row.get(h)) for h in rows[0]) for row in rows)
        told += f"<h3>{escape(name)}</h3><table><thead><tr>{heads}</thead><tbody>{body}</table>"
    return told


def _cell(value: Any) -> str:
    kind = " class=number" if value is None or isinstance(value, float | int) else ""
    return f"<td{kind}>{escape(cell_text(value))}"


def _claims(judged: Sequence[Judged]) -> str:
    if not judged:
        return ""
    rows = "".join(_claim(one) for one in judged)
    return (
        "<table class=claims><thead><tr><th>the paper says<th>reports<th>measured<th>band"
        f"<th>verdict</thead><tbody>{rows}</tbody></table>"
    )


def _claim(one: Judged) -> str:
    claim = one.claim
    unit = f" {escape(claim.unit)}" if claim.unit else ""
    measured = "-" if one.measured is None else f"{one.measured:.4g}{unit}"
    explained = ""
    if claim.explained:
        explained = f"<p class=explained>{markdown.inline(claim.explained)}</p>"
    return (
        f'<tr id="{claim.id}"><td><q>{escape(claim.quote)}</q> <small>{escape(claim.where)}</small>'
        f"<p>We measure: {markdown.inline(claim.quantity)}.</p>"
        f"<details><summary>why this band</summary>{markdown.inline(claim.reason)}</details>"
        f"{explained}<td>{escape(claim.reports)}<td class=number>{measured}"
        f"<td>{claim.band}{unit}<td><span class='badge {_class(one.verdict)}'>{one.verdict}</span>"
    )


def _made_with(view: View) -> str:
    """Parameters of all runs, and versions."""
    rows, versions = "", {}
    for figure, result in view.results.items():
        if result is None:
            continue
        versions = result["versions"]
        for run in result["runs"]:
            told = "".join(f"<td>{_told(run[name])}" for name in ("contact", "integrator"))
            step = "-" if run["dt"] is None else f"{1000 * run['dt']:g} ms"
            rows += (
                f"<tr><td>{figure}<td>{escape(run['run'])}{told}<td class=number>{step}"
                f"<td class=number>{run['duration']:.4g} s"
            )
    if not versions:
        return ""
    heads = "<tr><th>figure<th>run<th>contact<th>integrator<th>step<th>duration"
    table = f"<table><thead>{heads}</thead><tbody>{rows}</tbody></table>" if rows else ""
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"<section><h2>Parameters and versions</h2>{table}<p>{escape(told)}</p></section>"


def _told(value: Any) -> str:
    """A model and its parameters as text."""
    if isinstance(value, dict):
        words = [f"{name} {_told(entry)}" for name, entry in value.items() if name != "model"]
        return " ".join(filter(None, [escape(str(value.get("model", ""))), ", ".join(words)]))
    return escape(value if isinstance(value, str) else json.dumps(value))
