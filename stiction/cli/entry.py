"""All commands, and `main`, which runs one."""

from __future__ import annotations

import argparse
import contextlib
import errno
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
from stiction.cli.command import Command, Failed, Misuse, Parser, UsageError
from stiction.cli.output import Progress, Result, document, plain
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


DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)  # full, or read-only


class _Version(argparse.Action):
    """Looks up the version only on demand: importlib.metadata is slow to import."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        from importlib.metadata import version

        print(f"stiction {version('stiction')}")
        parser.exit()


def build_parser(commands: Iterable[Command] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = Parser(
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
        subparser.set_defaults(chosen=command, parser=subparser)
    return parser


def main(argv: Sequence[str] | None = None, commands: Iterable[Command] = COMMANDS) -> int:
    """Run one command line and return its exit status."""
    parser = build_parser(commands)
    if "_ARGCOMPLETE" in os.environ:  # the shell asks how a line may go on
        from stiction.cli.completion import complete

        complete(parser)
    words = sys.argv[1:] if argv is None else argv
    try:
        args = _parsed(parser, words)
        status = _run(args)
    except SystemExit as stop:  # argparse has printed help, or what is wrong
        if isinstance(stop, Misuse) and "--json" in words:
            _print_document({"error": stop.message})
        if _flushed():
            raise
        return 1
    except OSError as error:
        if error.errno not in DISK:
            raise
        _tell_not_written(error)
        status = 1
    return status if _flushed() else 1


def _parsed(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    for word in words:
        if word.startswith("--") and word.endswith("=--"):  # argparse takes it for no value
            parser.error(f"argument {word[:-3]}: expected a value, found '--'")
    args, unknown = parser.parse_known_args(words)
    if unknown:
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return args


def _run(args: argparse.Namespace) -> int:
    command: Command = args.chosen
    args.progress = Progress(command.name, enabled=is_watched() and not args.json)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _warn(args)
            result = plain(command.run(args) or {})
    except Failed as error:
        return _fail(plain(error.result), str(error), args)
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


def _flushed() -> bool:
    """Whether all output is written, or its reader, for example `head`, has closed the pipe."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it again
        if error.errno != errno.EPIPE:
            _tell_not_written(error)
            return False
    return True


def _tell_not_written(error: OSError) -> None:
    """Say in one line that a file or the output could not be written."""
    what, why = error.filename or "the output", error.strerror or error
    print(f"stiction: error: {what} cannot be written: {why}", file=sys.stderr)


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
    if args.json:
        _print_document(document(result))
    elif result:
        with contextlib.suppress(BrokenPipeError):  # `_flushed` finds it again
            print(args.chosen.show(result))


def _print_document(content: Result) -> None:
    with contextlib.suppress(BrokenPipeError):  # as above
        print(json.dumps(content, indent=2, allow_nan=False))
