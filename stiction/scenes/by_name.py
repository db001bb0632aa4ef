"""Scenes that come with the package: one TOML file each."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from stiction.description.arguments import shown
from stiction.errors import InputError, did_you_mean
from stiction.scenes.reader import parse_scene, read_scene
from stiction.scenes.scene import Scene

FOLDER = resources.files("stiction.scenes") / "library"


def scene_names() -> list[str]:
    """Names of the scenes in the library."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in FOLDER.iterdir()
        if entry.name.endswith(".toml")
    )


def scene_text(name: str) -> str:
    """Text of the file of a scene in the library."""
    if not isinstance(name, str):
        raise InputError(f"{shown(name)} is not a scene; known are {', '.join(scene_names())}")
    if name not in scene_names():
        hint = did_you_mean(name, scene_names())
        raise InputError(f"no scene '{name}'; known are {', '.join(scene_names())}{hint}")
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def scene(name: str | Path, roots: Iterable[str | Path] = ()) -> Scene:
    """A scene of the library by name, or the scene in a file (.toml).

    roots: folders that may hold the files that it names, in addition to that of the file.
    """
    if not isinstance(name, str | Path):
        raise InputError(f"{shown(name)} is not a scene; give a name or the path of a file")
    if str(name).endswith(".toml"):
        return read_scene(name, roots)
    return parse_scene(scene_text(str(name)), Path(f"{name}.toml"))
