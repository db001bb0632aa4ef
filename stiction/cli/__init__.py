"""Command line: parses, calls the public functions, prints.

A command is one entry of `COMMANDS`. Its `run` returns what it found as a dict, which is printed as
text, or as one JSON document with `--json`. A key "holds" that is False says that what the command
claims is not so. Exit status: 0 if what it claims holds, 1 if it does not or a `StictionError` came
up, 2 for wrong use, 130 after Ctrl-C. Whatever else goes wrong is a bug and shows its traceback.

Packages that take long to import are imported inside the commands: `stiction --help` is quick.
"""

from stiction.cli.command import Command, UsageError
from stiction.cli.entry import COMMANDS, build_parser, main
from stiction.cli.output import Progress, as_text, plain, table

__all__ = [
    "COMMANDS",
    "Command",
    "UsageError",
    "Progress",
    "as_text",
    "build_parser",
    "main",
    "plain",
    "table",
]
