"""Robots by name, `COLLECTION:NAME`, from collections that are already on this machine.

Nothing is downloaded. A name is the name that the collection gives: a folder of mujoco_menagerie, a
URDF file of example-robot-data, a description of robot_descriptions.
"""

from __future__ import annotations

import os
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from stiction.errors import InputError, MissingRobot

CACHE = "robot_descriptions"  # folder in ~/.cache, unless ROBOT_DESCRIPTIONS_CACHE names another
INCLUDED = re.compile(rb'<include\s[^>]*?file\s*=\s*["\']([^"\']+)["\']')
SHARED = "share/example-robot-data/robots"
LONGEST_SCENE = 65536  # bytes read of a scene.xml
LISTED = 12  # names that an error lists


class NamedFile(NamedTuple):
    """The file of a robot, and the folders that may hold its meshes."""

    path: Path
    roots: tuple[Path, ...]


class Collection(NamedTuple):
    """Where a collection is, and what is in it; all three raise InputError if it is not there."""

    folder: Callable[[], Path]
    names: Callable[[], list[str]]
    find: Callable[[str], NamedFile]


def collection_and_name(text: Any) -> tuple[str, str] | None:
    """The two parts of `COLLECTION:NAME`; None for anything else, such as a path."""
    if not isinstance(text, str):
        return None
    collection, colon, name = text.partition(":")
    return (collection, name) if colon and collection in COLLECTIONS else None


def find(collection: str, name: str) -> NamedFile:
    """The file of a robot of a collection."""
    found = COLLECTIONS[collection].find(name)
    if not found.path.is_file():
        raise MissingRobot(
            f"{collection}:{name} is not on this machine: there is no {found.path}; "
            "the collection there has another version"
        )
    return found


# --------------------------------------------------------------------------------- mujoco_menagerie


def _menagerie() -> Path:
    told = os.environ.get("MUJOCO_MENAGERIE", "")
    if told and not Path(told).is_dir():
        raise InputError(f"MUJOCO_MENAGERIE={told} is not a folder; let it name mujoco_menagerie")
    folder = Path(told) if told else _cache() / "mujoco_menagerie"
    if not folder.is_dir():
        raise MissingRobot(
            "mujoco_menagerie is not on this machine: MUJOCO_MENAGERIE is not set, and there is no "
            f"{folder}; clone github.com/google-deepmind/mujoco_menagerie and let MUJOCO_MENAGERIE "
            "name its folder"
        )
    return folder.resolve()


def _menagerie_files() -> dict[str, Path]:
    """Robots by name: their folder, or folder/file where a folder has several robots."""
    found = {}
    for folder in sorted(path for path in _menagerie().iterdir() if path.is_dir()):
        files = _models_in(folder)
        if len(files) == 1:
            found[folder.name] = files[0]
        else:
            found |= {f"{folder.name}/{path.stem}": path for path in files}
    return found


def _models_in(folder: Path) -> list[Path]:
    """The file that scene.xml includes; without it all files that are not scenes."""
    files = sorted(folder.glob("*.xml"))
    scene = folder / "scene.xml"
    if scene in files:
        with open(scene, "rb") as file:
            included = set(INCLUDED.findall(file.read(LONGEST_SCENE)))
        files = [path for path in files if os.fsencode(path.name) in included] or files
    return [path for path in files if not path.stem.startswith("scene")]


def _in_menagerie(name: str) -> NamedFile:
    every = {f"{path.parent.name}/{path.stem}": path for path in _menagerie().glob("*/*.xml")}
    if name in every:  # any file of a folder, such as unitree_g1/g1_mjx
        return NamedFile(every[name], ())
    return NamedFile(_one_of("mujoco_menagerie", name, _menagerie_files()), ())


# ------------------------------------------------------------------------------- example-robot-data


def _example_robots() -> Path:
    from importlib.metadata import PackageNotFoundError, distribution  # slow to import

    places = [Path(sys.prefix) / SHARED]
    try:
        package = distribution("example-robot-data")
        places.insert(0, Path(str(package.locate_file(f"cmeel.prefix/{SHARED}"))))
    except PackageNotFoundError:
        pass
    for place in places:
        if place.is_dir():
            return place.resolve()
    raise MissingRobot(
        "example-robot-data is not installed; pip install 'stiction[robots]' brings it (420 MB)"
    )


def _example_files() -> dict[str, Path]:
    """Robots by name: their file, or folder/file where two files have the same name."""
    files = sorted(_example_robots().glob("*/*/*.urdf"))
    stems = [path.stem for path in files]
    return {
        path.stem if stems.count(path.stem) == 1 else f"{path.parent.parent.name}/{path.stem}": path
        for path in files
    }


def _in_example_robots(name: str) -> NamedFile:
    path = _one_of("example-robot-data", name, _example_files())
    return NamedFile(path, (_example_robots(),))


# ------------------------------------------------------------------------------- robot_descriptions


def _cache() -> Path:
    """Where robot_descriptions keeps the repositories that it has cloned."""
    return Path(os.environ.get("ROBOT_DESCRIPTIONS_CACHE") or f"~/.cache/{CACHE}").expanduser()


def _package() -> ModuleType:
    try:
        return import_module("robot_descriptions._cache")
    except ImportError as error:
        raise MissingRobot(
            f"robot_descriptions cannot be used ({error}); pip install robot_descriptions"
        ) from error


def _descriptions() -> list[str]:
    folder = str(Path(str(_package().__file__)).parent)
    names = [module.name for module in pkgutil.iter_modules([folder])]
    return sorted(name for name in names if name.endswith("_description") and name[0] != "_")


def _in_descriptions(name: str) -> NamedFile:
    names = _descriptions()
    _one_of("robot_descriptions", name, dict.fromkeys(names, Path()))
    with _without_download(name):
        module = import_module(f"robot_descriptions.{name}")
    for kind in ("MJCF_PATH", "URDF_PATH"):
        if hasattr(module, kind):
            path = Path(getattr(module, kind))
            break
    else:
        raise InputError(
            f"robot_descriptions:{name} is a template (xacro); "
            "make a URDF file of it and load that file"
        )
    package, repository = Path(module.PACKAGE_PATH), Path(module.REPOSITORY_PATH)
    above = (package.parent,) if package != repository else ()
    return NamedFile(path, (package, repository, *above))


@contextmanager
def _without_download(name: str) -> Iterator[None]:
    """Descriptions that are imported here find what was cloned before; nothing is cloned."""
    package = _package()

    def in_cache(repository: str, commit: str | None = None) -> str:
        folder = package.REPOSITORIES[repository].cache_path
        path = _cache() / (folder if commit is None else f"{folder}-{commit}/{folder}")
        if not path.is_dir():
            raise MissingRobot(
                f"robot_descriptions:{name} is not on this machine: there is no {path}; "
                f"python -c 'import robot_descriptions.{name}' downloads it"
            )
        return str(path)

    clone = package.clone_to_cache
    package.clone_to_cache = in_cache  # type: ignore[attr-defined]
    try:
        yield
    finally:
        package.clone_to_cache = clone  # type: ignore[attr-defined]


# ------------------------------------------------------------------------------------------ helpers


def _one_of(collection: str, name: str, known: dict[str, Path]) -> Path:
    if name in known:
        return known[name]
    same_end = [other for other in known if name in (*other.split("/"), other.split("_")[0])]
    near = same_end or get_close_matches(name, known, LISTED)
    told = f"near it are {', '.join(near[:LISTED])}; " if near else ""
    raise InputError(
        f"no robot '{name}' in {collection}; {told}`stiction robots {collection}:` lists all"
    )


COLLECTIONS = {
    "mujoco_menagerie": Collection(_menagerie, lambda: list(_menagerie_files()), _in_menagerie),
    "example-robot-data": Collection(
        _example_robots, lambda: list(_example_files()), _in_example_robots
    ),
    "robot_descriptions": Collection(_cache, _descriptions, _in_descriptions),
}
