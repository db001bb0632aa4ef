"""The table of robots with legs: how many load, stand and walk, and why the others do not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stiction.bench.robots.legged import legged
from stiction.bench.robots.trial import trial
from stiction.description.arguments import shown
from stiction.errors import InputError, MissingRobot
from stiction.files.written import write_whole

LEAST = {"loads": 0.90, "stands": 0.85, "walks": 0.60}  # shares of the robots that were tried
WORDS = {True: "yes", False: "no", None: ""}
FOLDERS = re.compile(r"(?<![\w:/.])/(?:[\w.+-]+/)+")  # of absolute paths
LONGEST = 160  # characters of a reason in the table


def bench(
    only: str = "", progress: Callable[[float, str], None] | None = None, table: Path | None = None
) -> dict[str, Any]:
    """Try all robots with legs that are on this machine; `holds` says whether the shares do.

    only: names begin with this, such as "mujoco_menagerie:". table: file for the rows as Markdown.
    """
    chosen = [one for one in legged() if one.full_name.startswith(only)]
    if not chosen:
        raise InputError(
            f"no robot with legs is named {shown(only)}...; docs/legged_robots.md lists all"
        )
    rows, absent = [], []
    for k, one in enumerate(chosen):
        if progress is not None:
            progress(k / len(chosen), one.full_name)
        try:
            rows.append({"robot": one.full_name, **trial(one.full_name, one.two_feet)})
        except MissingRobot:
            absent.append(one.full_name)
    if not rows:
        raise MissingRobot(
            f"none of {len(chosen)} robots is on this machine; see `stiction robots`"
        )
    counts = {what: _count(rows, what) for what in LEAST}
    if table is not None:
        write_whole(table, markdown(rows, counts).encode(), "the table", InputError)
    return {
        "tried": len(rows),
        "not on this machine": absent,
        "shares": [
            {"what": what, "robots": done, "of": of, "share": done / of, "least": LEAST[what]}
            for what, (done, of) in counts.items()
            if of
        ],
        "robots": rows,
        "holds": all(done >= LEAST[what] * of for what, (done, of) in counts.items()),
    }


def _count(rows: list[dict[str, Any]], what: str) -> tuple[int, int]:
    """How many robots do something, of how many that could."""
    could = [row[what] for row in rows if row[what] is not None]
    return sum(could), len(could)


def markdown(rows: list[dict[str, Any]], counts: dict[str, tuple[int, int]]) -> str:
    """The shares and one table for each collection."""
    lines = ["| | robots | of | share |", "|---|---|---|---|"]
    for what, (done, of) in counts.items():
        lines.append(
            f"| {what.removesuffix('s')} | {done} | {of} | {100 * done / max(of, 1):.0f} % |"
        )
    for collection in dict.fromkeys(row["robot"].partition(":")[0] for row in rows):
        lines += [
            "",
            f"## {collection}",
            "",
            "| robot | loads | stands | walks | with, or why not |",
        ]
        lines.append("|---|---|---|---|---|")
        for row in rows:
            if row["robot"].startswith(f"{collection}:"):
                does = [WORDS[row[what]] for what in counts]
                said = "; ".join(filter(None, [", ".join(row["with"]), in_short(row["reason"])]))
                name = row["robot"].partition(":")[2]
                lines.append("| " + " | ".join([f"`{name}`", *does, said]) + " |")
    return "\n".join(lines) + "\n"


def in_short(reason: str) -> str:
    """The beginning of an error, without the folders of this machine."""
    text = FOLDERS.sub("", " ".join(reason.split())).replace("|", "\\|").replace("<", "&lt;")
    return text if len(text) <= LONGEST else text[: LONGEST - 3].rstrip() + "..."
