"""Command lines with one thing wrong: none of them can do what it asks for, so each must fail."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stiction.cli import COMMANDS, build_parser, main

NOT_NUMBERS = ("", "text", "nan", "1e400", "1,5", "[1]", "1 2", "0x10", "--", "1e")
NOT_COUNTS = (*NOT_NUMBERS, "1.5", "1e3", "∞")
NOT_NAMES = ("", "nothing", "a:b:c", "no_module:Name", "os:path", "../x.py:Law", "json:loads", ":")
NOT_PARAMETERS = ("", "=", "mu", "mu_static", "mu_static=", "mu_static=x", "=1", "mu=1=2", "a.b=1")
GOOD = {  # the shortest good use of each command
    "robots": ["ball"],
    "models": [],
    "scenes": [],
    "run": ["ball", "--contact", "none", "--duration", "0.001"],
    "compare": ["ball", "--contact", "none", "--duration", "0.001"],
    "sweep": ["stand", "--vary", "dt=0.001", "--vary", "duration=0.001"],
    "soak": ["ball", "--contact", "none", "--for", "0.001"],
    "view": ["ball", "--html", "page.html"],
    "render": ["motion.h5", "--output", "a.png"],
    "tune": ["sole", "hoap1", "left_foot"],
    "fit": ["none.h5", "--contact", "Coulomb", "--parameter", "mu_kinetic=0.1:1"],
    "train": ["policy.npz", "--device", "cpu", "--worlds", "1", "--iterations", "1"],
    "judge": ["none.npz"],
    "validate": ["cube-tosses"],
    "reproduce": ["feedback/fig04"],
    "demo": [],
    "bench": ["dynamics"],
}
OUTPUTS = ("--output", "--html", "--checkpoint")
NO_LIMIT = ("--drift", "--turn", "--energy", "--memory")  # where "inf" is a value


class Answer(NamedTuple):
    """What became of a command line."""

    status: int
    error: str  # last line of stderr
    foreign: str  # an exception that is not ours


def wrong_lines(folder: Path) -> Iterator[list[str]]:
    """Command lines with something wrong; the folder is for the files that they name."""
    files = wrong_files(folder)
    subparsers = build_parser()._subparsers._group_actions[0].choices
    yield from ([], ["fly"], ["--speed", "1"], [""], ["Run", "ball"], ["run ball"])
    for command in COMMANDS:
        name, good = command.name, GOOD[command.name]
        yield [name, *good, "--no-such-option"]
        yield [name, *good, "--json=yes"]
        yield [name, *good, "one", "too", "many"] if name not in ("view", "render") else [name]
        for action in of_command(subparsers[name], good):
            if action.option_strings and not isinstance(action, argparse._StoreTrueAction):
                if action.dest != "help":
                    yield from ([name, *good, *one] for one in of_option(name, action, files))
            elif not action.option_strings and action.dest in (
                "robot",
                "sources",
                "scene",
                "model",
            ):
                yield from ([name, *of_place(name, one)] for one in files if name != "bench")


def of_command(parser: argparse.ArgumentParser, good: list[str]) -> list[argparse.Action]:
    """What a command takes; a variant of a command, such as a benchmark, has its own."""
    variants = parser._subparsers
    chosen = variants._group_actions[0].choices[good[0]] if variants else parser
    return chosen._actions


def of_option(command: str, action: argparse.Action, files: list[str]) -> Iterator[list[str]]:
    """An option without a value, and with wrong ones."""
    option = action.option_strings[0]
    if action.nargs is None:
        yield [option]
    if action.choices is not None:
        wrong: tuple[str, ...] = ("", "nothing", "0")
    elif action.type is float:
        wrong = (*NOT_NUMBERS, "inf", "-inf")
    elif action.type is int:
        wrong = NOT_COUNTS
    elif action.type is Path:
        wrong = unwritable(command, files) if option in OUTPUTS else ()
        wrong = tuple(files) if option == "--resume" else wrong
    elif action.type is not None:
        wrong = tuple(one for one in NOT_NUMBERS if option != "--marks")
    elif option == "--parameter":
        wrong = NOT_PARAMETERS
    elif option in ("--contact", "--controller", "--integrator"):
        wrong = NOT_NAMES
    elif option == "--scenery":
        wrong = tuple(files)
    else:
        wrong = ()
    for value in wrong:
        if option not in NO_LIMIT or value not in ("inf", "1e400"):
            yield [f"{option}={value}"]


def of_place(command: str, file: str) -> list[str]:
    """A command on a file, without what it would do with a good one."""
    more = {"run": ["--duration", "0.001"], "soak": ["--for", "0.001"], "tune": []}
    more |= {"render": ["--output", "a.png"], "view": ["--html", "a.html"]}
    if command == "tune":
        return ["sole", file, "left_foot"]
    return [file, *more.get(command, [])]


def wrong_files(folder: Path) -> list[str]:
    """Names of files that hold nothing."""
    made = {
        "empty.xml": b"",
        "garbage.xml": b"\xff\xfe\0<",
        "garbage.urdf": b"{}",
        "empty.toml": b"",
    }
    made |= {"garbage.toml": b"= 1", "garbage.h5": b"\x89HDF\r\n\x1a\n", "garbage.npz": b"PK\3\4"}
    made |= {"garbage.wrl": b"#VRML V2.0 utf8\nJoint {", "page.pdf": b"%PDF"}
    for name, data in made.items():
        (folder / name).write_bytes(data)
    there = [str(folder / name) for name in made]
    return [
        *there,
        str(folder),
        str(folder / "none.xml"),
        "/dev/null",
        "none",
        "",
        "a\nb",
        "-",
        "~",
    ]


def unwritable(command: str, files: list[str]) -> tuple[str, ...]:
    """Paths at which a command cannot write; `demo` makes a folder, `run` saves elsewhere."""
    nowhere = ("/dev/null", "/proc/a.png") if command != "run" else ("/dev/null",)
    if command == "demo":
        return nowhere
    return ("", "/nowhere/a.png", *nowhere, str(Path(files[0]).parent), "/")


def answer(line: list[str]) -> Answer:
    """Run a command line in this process."""
    out, err, foreign = io.StringIO(), io.StringIO(), ""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(line)
        except SystemExit as stop:
            status = int(stop.code or 0)
        except Exception as error:  # noqa: BLE001  that is what is looked for
            status, foreign = 1, repr(error)
    lines = [one for one in err.getvalue().splitlines() if one.strip()]
    return Answer(status, lines[-1] if lines else "", foreign)
