"""Command line: parses, calls the public functions, prints.

A command is one entry of `COMMANDS`. Its `run` returns the result as a dict with titles as keys,
which is printed as text, or with `--json` as one JSON document whose keys are identifiers. A key
"holds" that is False means that a claim of the command failed. Exit status: 0 if all claims hold, 1
if one fails, a `StictionError` was raised or the disk is full, 2 for wrong usage, 130 after Ctrl-C.
Any other exception is a bug and shows its traceback.

Packages that are slow to import are imported inside the commands, so that `stiction --help` is
fast.
"""

from stiction.cli.command import Command, UsageError
from stiction.cli.entry import COMMANDS, build_parser, main
from stiction.cli.output import Progress, as_text, document, plain, table

__all__ = [
    "COMMANDS",
    "Command",
    "UsageError",
    "Progress",
    "as_text",
    "build_parser",
    "document",
    "main",
    "plain",
    "table",
]
