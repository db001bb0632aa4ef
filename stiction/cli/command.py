"""What a command is."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from stiction.cli.output import Result, as_text
from stiction.errors import InputError


class UsageError(InputError):
    """A command line that asks for something that there is not: exit status 2."""


@dataclass(frozen=True)
class Command:
    """A subcommand: `add_arguments` fills its parser, `run` does it and returns what it found.

    `run` gets the parsed arguments with `args.progress`, which takes a fraction, and may take words
    that tell what is being done.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], object]
    run: Callable[[argparse.Namespace], Result | None]
    show: Callable[[Result], str] = as_text
