"""`stiction sweep`: a scene or a function at many points of its parameters."""

from __future__ import annotations

import argparse
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stiction.cli.bench import positive_count
from stiction.cli.command import Command, UsageError
from stiction.cli.output import Result
from stiction.errors import InputError, SceneFileError

if TYPE_CHECKING:
    from stiction.sweeps.points import Sample
    from stiction.sweeps.table import SweepTable

GIVE = (
    "NAME=VALUE,VALUE,... or NAME=LOW:HIGH:COUNT[:log]; with --sample also NAME=LOW:HIGH[:log], "
    "such as contact.mu_static=0.1:0.9:9"
)
SHOWN = 10  # failures that are printed; the page and the file have more


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="SCENE|FILE|MODULE:FUNCTION",
        help="a scene (`stiction scenes`), scene file (.toml), or function of the parameters that "
        "returns numbers and strings by name",
    )
    parser.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="a parameter and its values: A,B,C or LOW:HIGH:COUNT or LOW:HIGH:COUNT:log; with "
        "--sample LOW:HIGH or LOW:HIGH:log. Names are keys of the scene file, such as "
        "contact.mu_static, dt, push.force.0, robot.above; contact is the model, robot the robot. "
        "May be repeated: the grid of all values is run",
    )
    parser.add_argument(
        "--sample", type=positive_count, metavar="N", help="N points instead of the grid"
    )
    parser.add_argument(
        "--method",
        choices=("latin", "sobol", "random"),
        default="latin",
        help="method of the sample: Latin hypercube (default), Sobol, or independent",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the sample (default 0)"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("sweep.h5"),
        metavar="FILE",
        help="table of results (default sweep.h5); points that it holds are not run again",
    )
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="also a page that plots any column (.html)"
    )
    parser.add_argument(
        "--measure",
        metavar="MODULE:FUNCTION",
        help="for scenes: a function of the motion that returns more results by name",
    )
    parser.add_argument(
        "--jobs", type=positive_count, metavar="N", help="processes (default: all cores)"
    )
    parser.add_argument("--ray", metavar="ADDRESS", help="run on a Ray cluster: HOST:PORT or auto")
    parser.add_argument("--retry", action="store_true", help="run failed points once more")


def _run(args: argparse.Namespace) -> Result:
    from stiction.sweeps.sweep import sweep

    over = over_of(args)
    begun = time.monotonic()
    try:
        _check(args, over)
    except (InputError, SceneFileError) as error:
        raise UsageError(str(error)) from None
    table = sweep(
        args.what,
        over,
        args.output,
        measure=args.measure,
        jobs=args.jobs,
        ray=args.ray,
        retry=args.retry,
        progress=args.progress,
    )
    result = _result(table, args) | {"time [s]": round(time.monotonic() - begun, 2)}
    if args.page is not None:
        table.save_html(args.page)
        result["page"] = args.page
    return result | {"holds": not table.failed.any()}


def _check(args: argparse.Namespace, over: Any) -> None:
    """Raise InputError if there is nothing to run, or it cannot be written."""
    from stiction.errors import SweepFileError
    from stiction.files.written import check_target
    from stiction.sweeps.points import points_of
    from stiction.sweeps.what import check_first, work_of

    for option, path, suffix in (("output", args.output, ".h5"), ("page", args.page, ".html")):
        if path is not None and path.suffix.lower() != suffix:
            raise InputError(
                f"--{option} {path}: unknown kind of file; give a name that ends in {suffix}"
            )
    if args.jobs is not None and args.ray is not None:
        raise InputError("--jobs: not with --ray; a cluster knows how many cores it has")
    check_first(work_of(args.what, args.measure).run, points_of(over)[0])
    for path in (args.output, args.page):
        if path is not None:
            check_target(path, SweepFileError)


def over_of(args: argparse.Namespace) -> dict[str, list[Any]] | Sample:
    """The grid or the sample of a command line."""
    from stiction.sweeps.points import Sample

    domains: dict[str, Any] = {}
    for text in args.vary:
        name, equals, values = text.partition("=")
        if not name or not equals or not values or name in domains:
            raise UsageError(f"--vary {text}: give each parameter once, as {GIVE}")
        try:
            domains[name] = values_of(values, sample=args.sample is not None)
        except (InputError, ValueError) as error:
            why = error if isinstance(error, InputError) else f"give {GIVE}"
            raise UsageError(f"--vary {text}: {why}") from None
    if not domains:
        raise UsageError(f"--vary: there is none; give {GIVE}")
    if args.sample is None:
        return domains
    try:
        return Sample(domains, args.sample, args.seed, args.method)
    except InputError as error:
        raise UsageError(f"--vary, --sample: {error}") from None


def values_of(text: str, sample: bool) -> Any:
    """Values A,B,C; LOW:HIGH:COUNT[:log]; or, to sample from, LOW:HIGH[:log].

    Raises InputError if a range is impossible, and ValueError for any other text.
    """
    from stiction.sweeps.points import Range

    parts = text.split(":")
    log = len(parts) > 1 and parts[-1] == "log"
    numbers = parts[: len(parts) - log]
    if len(numbers) > 1 and _is_number(numbers[0]):
        low, high = float(numbers[0]), float(numbers[1])
        if sample and len(numbers) == 2:
            return Range(low, high, log)
        if len(numbers) != 3:
            raise ValueError(text)
        return _spaced(low, high, numbers[2], log)
    try:
        values: list[Any] = tomllib.loads(f"x = [{text}]")["x"]
    except tomllib.TOMLDecodeError:
        values = [_value(part.strip()) for part in text.split(",")]
    if not values or "" in values:
        raise ValueError(text)
    return values


def _spaced(low: float, high: float, counted: str, log: bool) -> list[float]:
    """Values at equal distances or ratios; raises InputError."""
    import numpy as np

    from stiction.sweeps.points import MOST

    count = int(counted) if counted.isdecimal() else 0
    if not 0 < count <= MOST:
        raise InputError(f"COUNT is {counted}; give a whole number from 1 to {MOST}")
    if not np.isfinite([low, high]).all():
        raise InputError("LOW and HIGH must be finite")
    if log and not (low > 0 and high > 0):
        raise InputError("LOW and HIGH of a logarithmic range must be positive")
    spaced = np.geomspace if log else np.linspace
    return [float(x) for x in spaced(low, high, count)]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _value(text: str) -> Any:
    """A number, true or false, else a string."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text


def _result(table: SweepTable, args: argparse.Namespace) -> Result:
    """What the command prints."""
    from stiction.sweeps.page import summary

    failed = table.failed
    failures = [
        f"{', '.join(f'{name} {table[name][k]}' for name in table.parameters)}: {table['error'][k]}"
        for k in failed.nonzero()[0][:SHOWN]
    ]
    result: Result = {
        "sweep": table.head.what,
        "points": len(table),
        "failed": int(failed.sum()),
        "columns": summary(table),
        "file": args.output,
    }
    return result | {"failures": failures} if failures else result


COMMAND = Command(
    "sweep",
    "run a scene or a function over a grid or a sample of parameters; fails if a point fails",
    _arguments,
    _run,
)
