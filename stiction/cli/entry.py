"""All commands, and `main`, which runs one."""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from stiction.cli import (
    bench,
    compare,
    fit,
    learn,
    models,
    render,
    reproduce,
    robots,
    run,
    scenes,
    soak,
    sweep,
    tune,
    validate,
    view,
)
from stiction.cli.command import Command, UsageError
from stiction.cli.output import Progress, Result, plain
from stiction.errors import StictionError
from stiction.terminal.line import is_watched

COMMANDS = (
    robots.COMMAND,
    models.COMMAND,
    scenes.COMMAND,
    run.COMMAND,
    soak.COMMAND,
    view.COMMAND,
    render.COMMAND,
    compare.COMMAND,
    sweep.COMMAND,
    tune.COMMAND,
    fit.COMMAND,
    reproduce.COMMAND,
    validate.COMMAND,
    learn.TRAIN,
    learn.JUDGE,
    bench.DEMO,
    bench.BENCH,
)


class _Version(argparse.Action):
    """Looks up the version only on demand: importlib.metadata is slow to import."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        from importlib.metadata import version

        print(f"stiction {version('stiction')}")
        parser.exit()


def build_parser(commands: Iterable[Command] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="stiction",
        description="Simulate legged robots, and the things they touch, in contact with the world.",
        epilog="Exit status: 0 success, 1 a check that failed or an error, 2 incorrect usage.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in commands:
        subparser = subparsers.add_parser(command.name, help=command.help, description=command.help)
        command.add_arguments(subparser)
        subparser.add_argument("--json", action="store_true", help="print one JSON document")
        subparser.set_defaults(chosen=command)
    return parser


def main(argv: Sequence[str] | None = None, commands: Iterable[Command] = COMMANDS) -> int:
    """Run one command line and return its exit status."""
    parser = build_parser(commands)
    for word in sys.argv[1:] if argv is None else argv:
        if word.startswith("--") and word.endswith("=--"):  # argparse takes it for no value
            parser.error(f"argument {word[:-3]}: expected a value, found '--'")
    args = parser.parse_args(argv)
    command: Command = args.chosen
    args.progress = Progress(command.name, enabled=is_watched() and not args.json)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _warn(args)
            result = plain(command.run(args) or {})
    except StictionError as error:
        return _fail({}, str(error), args, status=2 if isinstance(error, UsageError) else 1)
    except KeyboardInterrupt as error:
        args.progress.clear()
        print(f"stiction: {' '.join(str(error).split()) or 'interrupted'}", file=sys.stderr)
        return 130
    finally:
        args.progress.clear()
    if result.get("holds") is False:
        return _fail(result, f"'{command.name}' did not pass its checks", args)
    _print(result, args)
    return 0


def _warn(args: argparse.Namespace) -> Callable[..., None]:
    """Return a function that shows a warning: one line on stderr, once."""
    shown = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = " ".join(str(message).split())
        if text not in shown:
            shown.add(text)
            args.progress.clear()
            print(f"stiction: warning: {text}", file=sys.stderr)

    return show


def _fail(result: Result, message: str, args: argparse.Namespace, status: int = 1) -> int:
    """Print the partial result, then the error in one line on stderr."""
    message = " ".join(message.split())
    _print({**result, "error": message} if args.json else result, args)
    print(f"stiction: error: {message}", file=sys.stderr)
    return status


def _print(result: Result, args: argparse.Namespace) -> None:
    args.progress.clear()
    try:
        if args.json:
            print(json.dumps(result, indent=2, allow_nan=False))
        elif result:
            print(args.chosen.show(result))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, for example `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
