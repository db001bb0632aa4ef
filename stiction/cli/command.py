"""Definition of a command."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from stiction.cli.output import Result, as_text
from stiction.errors import InputError


class UsageError(InputError):
    """A command line that names something that does not exist: exit status 2."""


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
