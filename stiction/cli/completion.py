"""What the shell completes: commands, options, their choices, and the names below.

`register-python-argcomplete stiction` prints what a shell needs for it (docs/command_line.md).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any


def _scenes() -> list[str]:
    from stiction.scenes import scene_names

    return list(scene_names())


def _robots() -> list[str]:
    from stiction import robots

    return list(robots.__all__)


def _models() -> list[str]:
    from stiction.contact.contact_model import our_models

    return [kind.__name__ for kind in our_models()]


NAMES = {  # by the argument that takes them
    "robot": (_robots, _scenes),
    "scenery": (_robots,),
    "scene": (_scenes,),
    "sources": (_scenes,),
    "what": (_scenes,),
    "model": (_models,),
    "contact": (_models,),
}


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell, which asks how a line may go on, and end the process."""
    import argcomplete
    from argcomplete.completers import FilesCompleter

    files = FilesCompleter()

    def names(prefix: str, action: argparse.Action, **_: Any) -> list[str]:
        known = [name for of in NAMES[action.dest] for name in of()]
        return [*(name for name in known if name.startswith(prefix)), *files(prefix)]

    for action in _actions(parser):
        if action.dest in NAMES and action.choices is None:
            action.completer = names  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser, always_complete_options=False)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from _actions(one)
