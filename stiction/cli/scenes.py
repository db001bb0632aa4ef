"""`stiction scenes`: list the scenes of the library, or show the file of one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from stiction.cli.command import Command, UsageError
from stiction.cli.output import Result, as_text, table
from stiction.errors import InputError

if TYPE_CHECKING:
    from stiction.scenes import Scene


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scene", nargs="?", metavar="NAME", help="show the file of this scene; if omitted, list all"
    )


def _run(args: argparse.Namespace) -> Result:
    from stiction.scenes import scene, scene_names, scene_text

    if args.scene is None:
        return {"scenes": [_row(scene(name)) for name in scene_names()]}
    try:
        return {"scene": args.scene, "toml": scene_text(args.scene)}
    except InputError as error:
        raise UsageError(str(error)) from None


def _row(scene: Scene) -> Result:
    """Row of a scene in the list, without building it."""
    robots = [body.model or (body.data or str(body.file)) for body in scene.robots]
    names = [robot.rpartition("/")[2] for robot in robots]
    motions = ", ".join(control.kind for control in scene.controls)
    return {
        "scene": scene.name,
        "robot": ", ".join(names),
        "duration [s]": scene.duration,
        "motion": motions or "-",
        "expects": scene.expect,
        "needs data": bool(scene.needs),
        "shows": scene.shows,
    }


def _text(result: Result) -> str:
    """A table without the heading "scenes", or the text of the file."""
    if "toml" in result:
        return str(result["toml"]).rstrip("\n")
    if "scenes" not in result:
        return as_text(result)
    rows = [
        {
            **row,
            "duration [s]": "motion" if row["duration [s]"] is None else row["duration [s]"],
        }
        for row in result["scenes"]
    ]
    return "\n".join(table(rows))


COMMAND = Command(
    "scenes", "list the scenes, or show the file of one; `run` runs them", _arguments, _run, _text
)
