"""`stiction validate`: contact models against measurements."""

from __future__ import annotations

import argparse
from pathlib import Path

from stiction.cli.bench import positive_count
from stiction.cli.command import Command, UsageError, Variant, add_variants
from stiction.cli.output import Result
from stiction.cli.plug_ins import chosen
from stiction.errors import InputError, did_you_mean
from stiction.files.written import check_target

PICTURES = (".png", ".pdf", ".svg")
WALK_TITLES = {
    "dt_ms": "dt [ms]",
    "vertical_rms": "vertical_rms [% of body weight]",
    "fore_aft_rms": "fore_aft_rms [% of body weight]",
    "centre_rms_mm": "centre_rms [mm]",
}


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_variants(parser, "what", VALIDATIONS)


def _run(args: argparse.Namespace) -> Result:
    return VALIDATIONS[args.what].run(args)


def _check_plot(path: Path | None) -> None:
    if path is None:
        return
    if path.suffix not in PICTURES:
        raise UsageError(f"--plot {path}: give a file that ends in {', '.join(PICTURES)}")
    check_target(path.absolute(), InputError)


# --------------------------------------------------------------------------------------- human walk


def _human_walk_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--contact", metavar="A,B", help="only these contact models, separated by commas"
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="picture of the curves (.png, .pdf, .svg)"
    )


def _human_walk(args: argparse.Namespace) -> Result:
    from stiction.validate.human_walk import CASES, save_picture, validate

    names = None if args.contact is None else args.contact.split(",")
    for name in names or ():
        if name not in CASES:
            hint = did_you_mean(name, CASES)
            raise UsageError(f"--contact {name}: known are {', '.join(CASES)}{hint}")
    _check_plot(args.plot)
    result, walks = validate(names, args.progress)
    result = {**result, "models": [_titled(row) for row in result["models"]]}
    result["bounds"] = _titled(result["bounds"])
    if args.plot is not None and any(one.feet is not None for one in walks):
        save_picture(walks, args.plot)
        result = {**result, "picture": args.plot}
    return result


def _titled(row: Result) -> Result:
    """A row with units in its keys."""
    return {WALK_TITLES.get(name, name): value for name, value in row.items()}


# -------------------------------------------------------------------------------------- cube tosses


def _cube_tosses_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--contact",
        metavar="MODEL",
        help="only this model, or your own MODULE:NAME, with its own parameters (default: all of "
        "ours with fitted ones)",
    )
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of that model; may be repeated",
    )
    parser.add_argument(
        "--start",
        choices=("flight", "recorded"),
        default="flight",
        help="start states from all samples before the first impact (default), or "
        "with the velocities of the file",
    )
    parser.add_argument(
        "--perturbed",
        type=positive_count,
        metavar="N",
        help="also N replays of each toss from start states that differ within their uncertainty",
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="save a figure")


def _cube_tosses(args: argparse.Namespace) -> Result:
    from stiction.validate.toss_report import validate_tosses

    _check_plot(args.plot)
    if args.parameter and args.contact is None:
        raise UsageError("--parameter: give --contact with the name of the model")
    contact = chosen("contact", args.contact, args.parameter)
    models = [] if contact is None else [contact]
    return validate_tosses(
        models,
        args.start,
        args.perturbed or 0,
        args.plot,
        lambda part, doing: args.progress(part, doing),
    )


VALIDATIONS = {
    "cube-tosses": Variant(
        "400 throws of a real cube, replayed under all contact models",
        _cube_tosses_arguments,
        _cube_tosses,
    ),
    "human-walk": Variant(
        "a recorded walk: forces under both feet compared with those of force plates",
        _human_walk_arguments,
        _human_walk,
    ),
}
COMMAND = Command(
    "validate", "compare contact models with measurements; fails if none is close", _arguments, _run
)
