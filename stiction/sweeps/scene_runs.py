"""A scene as a function of its parameters: keys of the scene file, such as "contact.mu_static"."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stiction.errors import InputError, SceneFileError, did_you_mean
from stiction.motion.motion import Motion
from stiction.scenes.by_name import scene_text
from stiction.scenes.plug_ins import CONTACT_MODELS
from stiction.scenes.reader import scene_of_values
from stiction.scenes.scene import Scene
from stiction.scenes.toml_text import text_of, values_of

MEASURED = ("upright", "slips", "lean", "height", "slip", "energy", "lost_contact", "depth")
Measure = Callable[[Motion], Any]


@dataclass(frozen=True)
class SceneRun:
    """Runs a scene with some values changed; returns the outcome of the first robot."""

    name: str  # of a scene of the library, or path of its file
    text: str
    measure: Measure | None = None

    def __call__(self, **changes: Any) -> dict[str, Any]:
        """Simulate and measure a point."""
        dt = changes.pop("dt", None)
        scene = self.scene(changes)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            motion = scene.simulate(dt=dt)
        found = scene.verdict(motion)
        told = {name: getattr(found, name) for name in MEASURED}
        told["outcome"] = found.words
        told["faults"] = "; ".join(found.faults)
        if scene.expect is not None:
            told["as_expected"] = found.meets(scene.expect)
        told["steps"] = motion.unsolved.steps
        told["unsolved"] = motion.unsolved.count
        told["warnings"] = ", ".join(sorted({one.category.__name__ for one in caught}))
        return told if self.measure is None else told | self._measured(motion, told)

    def _measured(self, motion: Motion, told: Mapping[str, Any]) -> dict[str, Any]:
        """What the user's function measures, under names that the verdict does not have."""
        assert self.measure is not None
        found = self.measure(motion)
        if not isinstance(found, Mapping):
            raise InputError(
                f"measure returned {type(found).__name__}; return numbers, strings and truth "
                "values by name"
            )
        taken = [repr(name) for name in found if name in told]
        if taken:
            raise InputError(
                f"measure returned {', '.join(taken)}, which the verdict has already; rename them"
            )
        return dict(found)

    def scene(self, changes: Mapping[str, Any]) -> Scene:
        """The scene with some values changed; first the contact model and the robot as a whole."""
        path = Path(self.name if self.name.endswith(".toml") else f"{self.name}.toml")
        values = values_of(self.text, path)
        changed = copy.deepcopy(values)
        if "contact" in changes:
            changed["contact"] = self._contact(values, path, changes["contact"])
        if "robot" in changes:
            _set_robot(changed, changes["robot"])
        for key, value in changes.items():
            if key not in ("contact", "robot"):
                set_value(changed, key, value)
        return scene_of_values(changed, self.text, path)

    def _contact(self, values: dict[str, Any], path: Path, given: Any) -> dict[str, Any]:
        """The table of another contact model, which inherits the friction of the scene."""
        if hasattr(given, "_asdict"):
            name = type(given).__name__
            ours = name in CONTACT_MODELS.ours()
            return {"model": name if ours else f"{type(given).__module__}:{name}"} | given._asdict()
        if not isinstance(given, str):
            raise InputError(f"contact: found {given!r}; give a contact model or its name")
        if given == "none":
            return {"model": given}
        try:
            kind = CONTACT_MODELS.find(given, path.parent)
        except InputError as error:
            raise InputError(f"contact={given}: {error}") from None
        return {"model": given} | scene_of_values(values, self.text, path).contact_values(kind)


def read_scene_run(name: str, measure: Measure | None = None) -> SceneRun:
    """The run of a scene of the library, by name, or of a file (.toml)."""
    if name.endswith(".toml"):
        place = Path(name).absolute()
        if not place.is_file():
            raise SceneFileError(f"{name}: no such file")
        return SceneRun(str(place), text_of(place), measure)
    return SceneRun(name, scene_text(name), measure)


def set_value(values: dict[str, Any], key: str, value: Any) -> None:
    """Set what a key such as "robot.above", "push.0.force" or "push.force.0" names."""
    parts = key.split(".")
    table: Any = values
    for k, part in enumerate(parts[:-1]):
        if part == "options" or (k == 0 and len(parts) == 2):
            _add_table(table, part)
        table = _entered(table, part, key, ".".join(parts[:k]))
    last: Any = parts[-1]
    if isinstance(table, list):
        if len(table) == 1 and isinstance(table[0], dict):
            table = table[0]
        else:
            last = _index(table, last, key)
    if not isinstance(table, dict | list):
        raise InputError(f"'{key}': there is a {type(table).__name__} before its last part")
    table[last] = json.loads(json.dumps(value))  # tuples become lists


def _add_table(table: Any, part: str) -> None:
    """Make a table, where there is none."""
    table = _only_one(table)
    if isinstance(table, dict):
        table.setdefault(part, {})


def _only_one(table: Any) -> Any:
    """The only table of a list of tables; else what is given."""
    return table[0] if isinstance(table, list) and len(table) == 1 else table


def _entered(table: Any, part: str, key: str, before: str) -> Any:
    """What a part of a key names; before: the parts before it, for messages."""
    if not part.isdigit():
        table = _only_one(table)
    if isinstance(table, list):
        return table[_index(table, part, key)]
    if not isinstance(table, dict):
        raise InputError(f"'{key}': '{part}' is within a {type(table).__name__}, not a table")
    if part not in table:
        where = f"'{before}' of the scene" if before else "the scene"
        found = ", ".join(table) or "nothing"
        raise InputError(
            f"'{key}': {where} has no '{part}'; it has {found}{did_you_mean(part, table)}"
        )
    return table[part]


def _index(table: list[Any], part: str, key: str) -> int:
    if not part.isdigit() or int(part) >= len(table):
        raise InputError(f"'{key}': found '{part}'; give a number from 0 to {len(table) - 1}")
    return int(part)


def _set_robot(values: dict[str, Any], given: Any) -> None:
    """Put another model in the place of the first robot."""
    if not isinstance(given, str):
        raise InputError(f"robot: found {given!r}; give the name of a built-in robot, or a file")
    robot = values.setdefault("robot", {})
    robot = robot[0] if isinstance(robot, list) else robot
    for key in ("model", "options", "file", "data", "origin"):
        robot.pop(key, None)
    robot["file" if "." in given else "model"] = given
