"""`stiction fit`: parameters of a contact model fitted to recorded motions."""

from __future__ import annotations

import argparse
from typing import Any

from stiction.cli.bench import positive_count
from stiction.cli.command import Command, UsageError
from stiction.cli.output import Result
from stiction.cli.plug_ins import find_kind, make
from stiction.errors import InputError

TOSSES = "cube-tosses"
GIVE = "NAME=LOW:HIGH, or NAME for the bounds of its declaration, or NAME=VALUE to keep a value"


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "motions",
        nargs="+",
        metavar="FILE",
        help=f"motion files (.h5), or {TOSSES} for the measured tosses of a cube",
    )
    parser.add_argument(
        "--contact",
        required=True,
        metavar="MODEL",
        help="a model listed by `stiction models`, or your own MODULE:NAME",
    )
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=LOW:HIGH",
        help="a parameter to find, with its bounds; NAME alone takes those of its declaration; "
        "A,B=LOW:HIGH are two with one value; NAME=VALUE keeps a value; may be repeated",
    )
    parser.add_argument(
        "--folds",
        type=positive_count,
        default=0,
        metavar="N",
        help="also hold out each N-th part of the motions in turn (default: none)",
    )
    _residual_arguments(parser)
    _search_arguments(parser)


def _residual_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--loss",
        choices=("squares", "mean"),
        default="squares",
        help="mean square error (default), or mean error, which outliers affect less",
    )
    parser.add_argument(
        "--window", type=float, metavar="S", help="replay parts of this duration [s] by themselves"
    )
    parser.add_argument(
        "--residual",
        metavar="MODULE:FUNCTION",
        help="your own residual: (recorded motion, replayed channels) -> numbers",
    )
    parser.add_argument(
        "--tosses",
        choices=("all", "even", "odd"),
        default="all",
        help=f"{TOSSES}: fit to these; of one half, the other is held out (default all)",
    )


def _search_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--population",
        type=positive_count,
        default=10,
        metavar="N",
        help="members per parameter in the global search (default 10)",
    )
    parser.add_argument(
        "--generations",
        type=positive_count,
        default=30,
        metavar="N",
        help="most generations of the global search (default 30)",
    )
    parser.add_argument(
        "--local",
        type=positive_count,
        default=150,
        metavar="N",
        help="most evaluations of a run of least squares or of the simplex (default 150)",
    )
    parser.add_argument(
        "--step",
        type=float,
        default=1e-3,
        metavar="X",
        help="finite differences, as a fraction of the bounds (default 0.001)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the global search"
    )


def split_parameters(
    given: list[str],
) -> tuple[dict[str, float], dict[str, tuple[float, float] | None]]:
    """Return values to keep, and parameters to be found with their bounds."""
    kept: dict[str, float] = {}
    found: dict[str, tuple[float, float] | None] = {}
    for text in given:
        name, equals, value = text.partition("=")
        low, colon, high = value.partition(":")
        try:
            numbers = [float(one) for one in ((low, high) if colon else (low,)) if equals]
        except ValueError:
            raise UsageError(f"--parameter {text}: give {GIVE}") from None
        if not name or name in kept or name in found:
            raise UsageError(f"--parameter {text}: give each once, as {GIVE}")
        if len(numbers) == 1:
            kept[name] = numbers[0]
        else:
            found[name] = (numbers[0], numbers[1]) if numbers else None
    if not found:
        raise UsageError(f"--parameter: none is to be found; give {GIVE}")
    return kept, found


def _run(args: argparse.Namespace) -> Result:
    from stiction.fit.fit import as_result, fit_contact
    from stiction.fit.ranges import checked_ranges
    from stiction.fit.search import Search

    kept, wanted = split_parameters(args.parameter)
    contact = make("contact", find_kind("--contact", args.contact), kept, args.parameter)
    try:
        checked_ranges(contact, wanted)
        effort = Search(
            args.population, args.generations, args.local, step=args.step, seed=args.seed
        )
    except InputError as error:
        raise UsageError(str(error)) from None
    recordings, held_out = _recordings(args)
    fit = fit_contact(
        recordings,
        contact,
        wanted,
        folds=args.folds,
        loss=args.loss,
        effort=effort,
        progress=args.progress,
    )
    result = as_result(fit)
    if isinstance(held_out, tuple):
        result["tosses"] = _toss_errors(fit.contact, *held_out)
    return result


def _recordings(args: argparse.Namespace) -> tuple[Any, Any]:
    """The motions to fit to; for tosses also both halves, to be judged."""
    from stiction.fit.recorded_motions import RecordedMotions, named_residual

    if args.motions == [TOSSES]:
        from stiction.validate.toss_report import halves_of

        if args.window is not None or args.residual is not None:
            raise UsageError(f"--window, --residual: not with {TOSSES}")
        fitted, others = halves_of(args.tosses)
        return fitted, (fitted, others)
    if TOSSES in args.motions:
        raise UsageError(f"{TOSSES}: give it alone, without motion files")
    if args.tosses != "all":
        raise UsageError(f"--tosses: only with {TOSSES}")
    residual = None if args.residual is None else named_residual(args.residual)
    return RecordedMotions(args.motions, args.window, residual), None


def _toss_errors(contact: Any, fitted: Any, others: Any) -> list[dict[str, Any]]:
    """Mean errors over tosses, as in `stiction validate cube-tosses`."""
    import numpy as np

    rows = []
    for label, replay in (("fitted to", fitted), ("held out", others)):
        if replay is not None:
            errors = replay.errors([contact], np.arange(len(replay.tosses)))
            rows.append(
                {
                    "tosses": label,
                    "number": len(replay.tosses),
                    "position [% width]": float(errors.position.mean()),
                    "rotation [deg]": float(errors.angle.mean()),
                }
            )
    return rows


COMMAND = Command(
    "fit",
    "fit parameters of a contact model to recorded motions; fails if the search does not converge",
    _arguments,
    _run,
)
