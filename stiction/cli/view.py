"""`stiction view`: motions, or a running scene, in the browser."""

from __future__ import annotations

import argparse
from pathlib import Path

from stiction.cli.command import Command, UsageError
from stiction.cli.output import Result
from stiction.cli.shown import add_source_arguments, are_motions, motions_of, simulation_of
from stiction.files.written import check_kind


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_source_arguments(parser)
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write a page that plays motion files, and exit"
    )
    parser.add_argument(
        "--speed", type=float, default=1.0, metavar="X", help="speed of a running scene (default 1)"
    )
    parser.add_argument(
        "--fps", type=float, default=30.0, metavar="N", help="pictures per second (default 30)"
    )
    parser.add_argument(
        "--port", type=int, metavar="N", help="port of the page (default: a free one)"
    )
    parser.add_argument(
        "--host",
        default="localhost",
        metavar="NAME",
        help="let other machines see the page: 0.0.0.0 for all (default: this machine only)",
    )


def _run(args: argparse.Namespace) -> Result:
    if are_motions(args.sources):
        return _show_motions(args)
    if args.html is not None:
        raise UsageError("--html: only for motion files; `stiction run SCENE --output FILE.h5`")
    from stiction.viewer.live import view

    simulation = simulation_of(args.sources[0], args)
    view(simulation, args.speed, args.host, args.port, wait=True)
    return {"shown": args.sources[0], "simulated [s]": simulation.time}


def _show_motions(args: argparse.Namespace) -> Result:
    motions = motions_of(args.sources)
    if args.html is not None:
        from stiction.viewer.page import SUFFIXES, save_html

        check_kind(args.html, SUFFIXES, "--html", UsageError)
        options = {"fps": args.fps, "layout": args.layout, "progress": args.progress}
        path = save_html(motions, args.html, **options)
        return {"page": path, "size [MB]": round(path.stat().st_size / 1e6, 3)}
    from stiction.viewer.player import show

    show(motions, args.fps, layout=args.layout, host=args.host, port=args.port, wait=True)
    return {"shown": list(motions)}


COMMAND = Command("view", "show motions or a running scene in the browser", _arguments, _run)
