"""Definition of a command, and the parser of command lines."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from stiction.cli.output import Result, as_text
from stiction.errors import InputError, StictionError, did_you_mean


class UsageError(InputError):
    """A command line that names something that does not exist: exit status 2."""


class Misuse(SystemExit):
    """A command line that the parser refuses: exit status 2, and why."""

    def __init__(self, message: str) -> None:
        """Keep the message, which is printed already."""
        super().__init__(2)
        self.message = message


class Failed(StictionError):  # noqa: N818 - it names what happened
    """A command that failed after it had a result, which is printed before the error."""

    def __init__(self, message: str, result: Result) -> None:
        """Keep the result."""
        super().__init__(message)
        self.result = result


@dataclass(frozen=True)
class Command:
    """A subcommand: `add_arguments` fills its parser, `run` executes it and returns the result.

    `run` gets the parsed arguments with `args.progress`, a function of a fraction and, optionally,
    a description of the current work.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], object]
    run: Callable[[argparse.Namespace], Result | None]
    show: Callable[[Result], str] = as_text


@dataclass(frozen=True)
class Variant:
    """One of the things that a command does, with arguments and a help text of its own."""

    help: str
    add_arguments: Callable[[argparse.ArgumentParser], object]
    run: Callable[[argparse.Namespace], Result]


class Parser(argparse.ArgumentParser):
    """A parser whose errors suggest what is similar to a word that it does not know."""

    def error(self, message: str) -> NoReturn:
        """Print usage and message, and exit with status 2."""
        message += self._hint(message)
        try:
            super().error(message)
        except SystemExit:
            raise Misuse(message) from None

    def _hint(self, message: str) -> str:
        choice = re.search(r"invalid choice: '([^']*)'", message)
        if choice:
            known = [str(one) for action in self._actions for one in action.choices or ()]
            return did_you_mean(choice[1], known)
        unknown = message.partition("unrecognized arguments: ")[2].split()
        hints = (
            did_you_mean(word.partition("=")[0], self._option_string_actions)
            for word in unknown
            if word.startswith("-")
        )
        return next(filter(None, hints), "")


def add_variants(
    parser: argparse.ArgumentParser, name: str, variants: Mapping[str, Variant]
) -> None:
    """Add the variants of a command as commands of its own; the chosen name is an argument."""
    kinds = parser.add_subparsers(dest=name, metavar=name.upper(), required=True)
    for key, variant in variants.items():
        one = kinds.add_parser(key, help=variant.help, description=variant.help)
        variant.add_arguments(one)
        # the flag that every command has, also after the name of the variant
        one.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON document"
        )
        one.set_defaults(parser=one)
