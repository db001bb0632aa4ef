"""What the shell completes: commands, options, their choices, and the names below.

`register-python-argcomplete stiction` prints what a shell needs for it (docs/command_line.md).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Names = Callable[[], list[str]]


def _scenes() -> list[str]:
    from stiction.scenes import scene_names

    return list(scene_names())


def _robots() -> list[str]:
    from stiction import robots

    return list(robots.__all__)


def _models() -> list[str]:
    from stiction.contact.contact_model import our_models

    return [kind.__name__ for kind in our_models()]


def _papers() -> list[str]:
    from stiction.papers.claims import paper_keys

    return paper_keys()


def _closed_forms() -> list[str]:
    from stiction.bench.closed_forms.scenes import SCENES

    return list(SCENES)


def _consistency() -> list[str]:
    from stiction.bench.lelidec.cases import SCENES

    return list(SCENES)


NAMES = {  # by the argument that takes them, where need be with its command
    "robot": (_robots,),
    "run robot": (_robots, _scenes),
    "soak robot": (_robots, _scenes),
    "scenery": (_robots,),
    "scene": (_scenes,),
    "bench accuracy scene": (_closed_forms,),
    "bench lelidec scene": (_consistency,),
    "sources": (_scenes, _robots),
    "sweep what": (_scenes,),
    "reproduce what": (_papers,),
    "model": (_models,),
    "contact": (_models,),
}
FILES = ("FILE", "PREFIX")  # arguments that take none of these names


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell, which asks how a line may go on, and end the process."""
    import argcomplete
    from argcomplete.completers import FilesCompleter

    files = FilesCompleter()

    for command, action in _actions(parser):
        known = NAMES.get(f"{command} {action.dest}", NAMES.get(action.dest))
        if known and action.choices is None and action.metavar not in FILES:
            action.completer = _completer(known, files)  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser, always_complete_options=False)


def _completer(
    known: Iterable[Names], files: Callable[[str], list[str]]
) -> Callable[..., list[str]]:
    """What completes an argument: the names that are known, and files."""

    def names(prefix: str, **_: Any) -> list[str]:
        found = [name for of in known for name in of() if name.startswith(prefix)]
        return [*found, *files(prefix)]

    return names


def _actions(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.Action]]:
    """All arguments of a parser and of its commands, each with the words of its command."""
    for action in parser._actions:
        yield parser.prog.partition(" ")[2], action
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from _actions(one)
