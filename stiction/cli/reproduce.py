"""`stiction reproduce`: the experiments of the papers, and whether their claims hold."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from stiction.cli.bench import positive_count
from stiction.cli.command import Command, UsageError
from stiction.cli.output import Result, as_text
from stiction.errors import InputError


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        metavar="KEY[/FIGURE]",
        help="only this paper, or this figure of it; if omitted, all",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("reproduce"),
        metavar="DIR",
        help="folder for results, figures and pages (default reproduce); figures that have a "
        "result there are not run again unless their sources changed",
    )
    parser.add_argument(
        "--jobs", type=positive_count, metavar="N", help="figures at a time (default: all cores)"
    )
    parser.add_argument(
        "--papers", type=Path, metavar="DIR", help="folder with papers of your own instead of ours"
    )


def _run(args: argparse.Namespace) -> Result:
    from stiction.papers.claims import FOLDER
    from stiction.papers.reproduce import reproduce, select

    try:
        tasks = select(args.what, args.papers or FOLDER)
    except InputError as error:
        raise UsageError(str(error)) from None
    if not tasks:
        raise UsageError(f"{args.papers}: holds no folder with a claims.toml")

    def tell(line: str) -> None:
        args.progress.clear()
        print(f"stiction: {line}", file=sys.stderr, flush=True)

    quiet = {} if args.json else {"tell": tell}
    return reproduce(tasks, args.out, args.jobs, args.progress, **quiet)


def _text(result: Result) -> str:
    """The claims as a table, then what needs words."""
    lines = {**result}
    if "claims" in lines:
        shown = ("paper", "claim", "measured", "band", "unit", "verdict")
        lines["claims"] = [{name: row[name] for name in shown} for row in result["claims"]]
    lines["explained"] = [f"{row['claim']}: {row['why']}" for row in result.get("explained", [])]
    for name in ("explained", "not_measured"):
        if not lines.get(name):
            lines.pop(name, None)
    return as_text(lines)


COMMAND = Command(
    "reproduce",
    "run the experiments of the papers; fails if a claim fails without explanation",
    _arguments,
    _run,
    _text,
)
