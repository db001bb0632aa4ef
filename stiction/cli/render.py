"""`stiction render`: pictures and videos of motions or scenes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from stiction.cli.command import Command
from stiction.cli.output import Result
from stiction.cli.shown import add_source_arguments, are_motions, motions_of, simulated
from stiction.errors import InputError


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_source_arguments(parser)
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="a video (.mp4, .webm, .gif) or a picture (.png, .jpg, .webp)",
    )
    parser.add_argument(
        "--times",
        type=_times,
        metavar="S,S,...|N",
        help="times of the snapshots in a picture [s], or their number (default: the end)",
    )
    parser.add_argument(
        "--fps", type=float, default=30.0, metavar="N", help="pictures per second (default 30)"
    )
    parser.add_argument(
        "--speed", type=float, default=1.0, metavar="X", help="speed of the motion (default 1)"
    )
    parser.add_argument(
        "--view",
        default="oblique",
        metavar="NAME",
        help="camera: side, front, back, top or oblique (default)",
    )
    parser.add_argument(
        "--size",
        type=_size,
        default=(640, 480),
        metavar="WIDTHxHEIGHT",
        help="size of a panel in pixels (default 640x480)",
    )
    parser.add_argument(
        "--columns", type=int, default=0, metavar="N", help="columns of panels for several motions"
    )
    parser.add_argument(
        "--still", action="store_true", help="keep the camera from following the robot"
    )
    parser.add_argument(
        "--marks",
        type=lambda text: tuple(filter(None, text.split(","))),
        metavar="NAME,...",
        help="what to draw: some of forces, points, cones, pressure, zmp, polygon, trail",
    )


def _times(text: str) -> Any:
    try:
        return int(text) if text.isdigit() else [float(time) for time in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}; give times in s, or a number") from None


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = map(int, text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}; give 640x480") from None
    return width, height


def _run(args: argparse.Namespace) -> Result:
    from stiction.render import pictures, videos

    known = (*pictures.SUFFIXES, *videos.SUFFIXES)
    # fail now, not after the simulation
    target = pictures.checked_target(args.output, known, "--output")
    moving = target.suffix.lower() in videos.SUFFIXES
    if moving and args.times is not None:
        raise InputError("--times: only for pictures; a video shows the whole motion")
    motions: Any = (
        motions_of(args.sources)
        if are_motions(args.sources)
        else {args.sources[0]: simulated(args.sources[0], args)}
    )
    options = {"view": args.view, "size": args.size, "follow": not args.still}
    options |= {"layout": args.layout, "columns": args.columns}
    if args.marks is not None:
        options["marks"] = args.marks
    if moving:
        videos.video(motions, target, args.fps, args.speed, args.progress, **options)
    else:
        pictures.image(motions, target, args.times, **options)
    return {"written": target, "size [MB]": round(target.stat().st_size / 1e6, 3)}


COMMAND = Command("render", "write pictures or a video of motions or a scene", _arguments, _run)
