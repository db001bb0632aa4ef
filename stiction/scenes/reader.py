"""Scene files: TOML -> `Scene`; docs/scenes.md describes the format."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from stiction import robots
from stiction.contact.contact_model import MODELS
from stiction.description.reading import INERTIAS
from stiction.errors import InputError, SceneFileError
from stiction.scenes.body import Body
from stiction.scenes.control import KINDS, Control
from stiction.scenes.grounds import KEYS, read_ground
from stiction.scenes.places import Places
from stiction.scenes.planned import FOLLOW
from stiction.scenes.plug_ins import (
    CONTACT_MODELS,
    CONTROLLER_KINDS,
    INTEGRATOR_KINDS,
    PlugIns,
    checked_value,
    missing_fields,
)
from stiction.scenes.scene import Scene
from stiction.scenes.table import REQUIRED, Table
from stiction.scenes.toml_lines import Lines
from stiction.scenes.toml_text import text_of, values_of
from stiction.scenes.verdict import EXPECTATIONS, LIMITS, Limits
from stiction.world.external import Push, TabulatedForce
from stiction.world.materials import FRICTION, check_friction, check_per_pair, checked_materials
from stiction.world.world import GRAVITY

TOP = (
    "name shows duration dt dt_force_law gravity expect limits "
    "robot object ground contact material controller integrator push force"
).split()
BODY = (
    "model options file data origin base inertia hull_points name position heading turn above "
    "fixed velocity turning keyframe joints colliding self_collision material"
).split()


def read_scene(path: str | Path, roots: Iterable[str | Path] = ()) -> Scene:
    """Read a scene file; files that it names must be in its folder or in one of `roots`."""
    path = Path(path)
    if not path.is_file():
        raise SceneFileError(f"{path}: no such file")
    return parse_scene(text_of(path), path, roots)


def parse_scene(text: str, path: Path, roots: Iterable[str | Path] = ()) -> Scene:
    """The scene of a text; files that it names are relative to the folder of `path`."""
    return scene_of_values(values_of(text, path), text, path, roots)


def scene_of_values(
    values: dict[str, Any], text: str, path: Path, roots: Iterable[str | Path] = ()
) -> Scene:
    """The scene of values that a text has, or that were changed; the text gives their lines."""
    places = Places.of(path.parent, roots)
    table = Table(str(path), Lines.of(text), (), values)
    table.only(TOP)
    bodies = [_body(entry, places) for entry in table.tables("robot")]
    if not bodies:
        table.refuse("is missing; give one [robot] or several [[robot]]", "robot")
    planned, own = _controllers_of_user(table)
    controls = _controls(planned, bodies, places)
    if "duration" not in table and all(control.endless for control in controls):
        table.refuse("is missing, and no planned motion has one; give a number in s", "duration")
    contact = _contact(table, places)  # before the materials: importing it may add parameters
    return Scene(
        name=table.text("name", path.stem),
        shows=table.text("shows"),
        robots=tuple(bodies),
        objects=tuple(_body(entry, places) for entry in table.tables("object")),
        ground=read_ground(table.table("ground")),
        materials=_materials(table, contact),
        contact=contact,
        controls=controls,
        controllers=tuple(_plug_in(entry, CONTROLLER_KINDS, places) for entry in own),
        integrator=_integrator(table, places),
        forces=(*_pushes(table), *_forces(table)),
        duration=table.number("duration", "s", None, above=0),
        dt=table.number("dt", "s", Scene.dt, above=0),
        dt_force_law=table.number("dt_force_law", "s", Scene.dt_force_law, above=0),
        gravity=table.numbers("gravity", 3, "m/s2", GRAVITY),
        expect=table.choice("expect", EXPECTATIONS, None),
        limits=_limits(table.table("limits")),
        source=str(path),
        forces_where=tuple(
            entry.where("body") for key in ("push", "force") for entry in table.tables(key)
        ),
    )


def _limits(table: Table) -> Limits:
    """Limits on the ground in the scene; limits other than the defaults need a reason."""
    table.only(["energy", "lost_contact", "depth", "reason"])
    if table.values and "reason" not in table:
        table.refuse("is missing; say why this scene needs its own limits", "reason")
    return Limits(
        energy=table.number("energy", "", LIMITS.energy),
        lost_contact=table.number("lost_contact", "", LIMITS.lost_contact),
        depth=table.number("depth", "", LIMITS.depth),
        reason=table.text("reason", ""),
    )


# ------------------------------------------------------------------------------------------- bodies


def _body(table: Table, places: Places) -> Body:
    table.only(BODY)
    given = [key for key in ("model", "file", "data") if key in table]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        table.refuse(
            f"has {found}; give exactly one of model (built in), file and data (STICTION_DATA)"
        )
    for key in ("inertia", "hull_points", "base"):
        if key in table and given == ["model"]:
            table.refuse("is only for files; a built-in model is not read from one", key)
    if "turn" in table and "heading" in table:
        table.refuse("is given in addition to heading; give one of them", "turn")
    model = table.choice("model", sorted(robots.__all__), None)
    return Body(
        model=model,
        options=_options(table, model),
        file=_file(table, places),
        data=table.text("data", None),
        origin=table.text("origin", REQUIRED if "data" in table else ""),
        base=table.choice("base", ("floating", "fixed", "planar"), None),
        inertia=table.choice("inertia", INERTIAS, Body.inertia),
        hull_points=table.argument("hull_points", int) if "hull_points" in table else None,
        name=table.text("name", None),
        position=table.numbers("position", (2, 3), "m", None),
        heading=table.number("heading", "rad", 0.0),
        turn=table.numbers("turn", 4, "", None),
        above=table.number("above", "m", 0.0),
        fixed=table.argument("fixed", bool) if "fixed" in table else False,
        velocity=table.numbers("velocity", 3, "m/s", (0.0, 0.0, 0.0)),
        turning=table.numbers("turning", 3, "rad/s", (0.0, 0.0, 0.0)),
        keyframe=table.text("keyframe", None),
        joints=_numbers_by_name(table.table("joints"), "rad or m"),
        colliding=table.texts("colliding"),
        self_collision=table.argument("self_collision", bool)
        if "self_collision" in table
        else False,
        material=table.text("material", None),
        roots=places.roots,
        where=table.where(),
    )


def _options(table: Table, model: str | None) -> dict[str, Any]:
    """Arguments of a built-in model."""
    options = table.table("options")
    if model is None:
        if options.values:
            table.refuse("are only for built-in models", "options")
        return {}
    hints = _hints(getattr(robots, model))
    options.only(hints)
    return {key: options.argument(key, hints[key]) for key in options.values}


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Annotations of the arguments of a function."""
    types = typing.get_type_hints(function)
    return {name: types[name] for name in inspect.signature(function).parameters}


def _file(table: Table, places: Places) -> Path | None:
    """A file in one of the folders of the scene."""
    name = table.text("file", None)
    if name is None:
        return None
    try:
        return places.find(name)
    except ValueError as error:
        table.refuse(f"is '{name[:200]}'; {error}", "file")


def _numbers_by_name(table: Table, unit: str) -> dict[str, float]:
    return {key: table.number(key, unit) for key in table.values}


# ------------------------------------------------------------------------------------------ control


def _controllers_of_user(table: Table) -> tuple[list[Table], list[Table]]:
    """The built-in controllers of a scene, and the user's own."""
    every = table.tables("controller")
    own = [entry for entry in every if ":" in entry.text("kind")]
    return [entry for entry in every if entry not in own], own


def _controls(entries: list[Table], bodies: list[Body], places: Places) -> tuple[Control, ...]:
    names = [body.name or body.model or f"{k}" for k, body in enumerate(bodies)]
    controls: list[Control] = []
    for entry in entries:
        kind = entry.choice("kind", KINDS)
        known = KINDS[kind].parameters
        entry.only(["kind", "robot", *known])
        for name in KINDS[kind].required:
            if name not in entry:
                entry.refuse(f"is missing; '{kind}' needs it", name)
        robot = names.index(entry.choice("robot", names, names[0]))
        if any(control.robot == robot for control in controls):
            entry.refuse(f"a second one for robot '{names[robot]}'; a robot has one")
        if "follow" in entry:
            entry.choice("follow", FOLLOW)
        parameters = {
            key: _file(entry, places) if key == "file" else entry.argument(key, known[key])
            for key in entry.values
            if key not in ("kind", "robot")
        }
        if "data" in entry and "origin" not in entry:
            entry.refuse("is missing; say where the data come from", "origin")
        controls.append(Control(kind, parameters, robot, entry.where()))
    return tuple(controls)


# ---------------------------------------------------------------- plug-ins: built in and the user's


def _plug_in(entry: Table, sort: PlugIns, places: Places, key: str = "kind", name: str = "") -> Any:
    """The plug-in that a table names, with the parameter values of the table."""
    name = entry.text(key, name or REQUIRED)
    try:
        module = name.rpartition(":")[0]
        if module.endswith(".py"):
            places.find(module)
        kind = sort.find(name, places.folder)
    except (InputError, ValueError) as error:
        entry.refuse(f"is '{name[:200]}'; {error}", key)
    entry.only([key, *kind._fields])
    for field in missing_fields(kind, entry.values):
        entry.refuse(f"is missing; '{name}' needs it", field)
    values = {}
    for field in kind._fields:
        if field in entry:
            try:
                values[field] = checked_value(kind, field, entry.values[field])
            except InputError as error:
                entry.refuse(str(error), field)
    return kind(**values)


def _integrator(table: Table, places: Places) -> Any:
    return _plug_in(table.table("integrator"), INTEGRATOR_KINDS, places, name="Midpoint")


def _contact(table: Table, places: Places) -> Any:
    """The contact model of the scene; None for "none"."""
    entry = table.table("contact")
    groundless = table.table("ground").choice("kind", KEYS, "plane") == "none"
    default = "none" if groundless else "GaussSeidel"
    if entry.text("model", default) == "none":
        entry.only(["model"])
        return None
    model = _plug_in(entry, CONTACT_MODELS, places, "model", default)
    try:
        check_friction("", model._asdict())
    except InputError as error:
        entry.refuse(str(error))
    return model


# ---------------------------------------------------------------------------------------- materials


def _materials(table: Table, contact: Any) -> dict[tuple[str, str], dict[str, float]]:
    """Parameters of pairs of materials; the contact model of the scene bounds those it has."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for entry in table.tables("material"):
        pair = entry.texts("pair", REQUIRED)
        if len(pair) != 2:
            entry.refuse(f"is {list(pair)}; give two names of materials", "pair")
        known = {name for model in MODELS.values() for name in model.fields}
        entry.only(["pair", *sorted(known)])
        row = {key: entry.number(key) for key in entry.values if key != "pair"}
        try:
            checked_materials({**found, (pair[0], pair[1]): row})
        except InputError as error:
            entry.refuse(str(error))
        if contact is not None:
            _check_row(entry, contact, row)
        found[pair[0], pair[1]] = row
    return found


def _check_row(entry: Table, contact: Any, row: dict[str, float]) -> None:
    """Refuse values that the contact model does not take for a pair of materials."""
    for name, value in row.items():
        try:
            check_per_pair(contact, entry.values["pair"], {name: value})
            if name in contact._fields:
                checked_value(type(contact), name, value)
        except InputError as error:
            entry.refuse(str(error), name)
    if any(name in row for name in FRICTION):
        try:
            check_friction("", {**contact._asdict(), **row})
        except InputError as error:
            entry.refuse(str(error))


# ------------------------------------------------------------------------------------------- forces


def _pushes(table: Table) -> list[Push]:
    pushes = []
    for entry in table.tables("push"):
        entry.only(["body", "point", "force", "start", "stop"])
        start = entry.number("start", "s")
        pushes.append(
            Push(
                body=entry.text("body"),
                point=entry.numbers("point", 3, "m", (0.0, 0.0, 0.0)),
                force=entry.numbers("force", 3, "N"),
                start=start,
                stop=entry.number("stop", "s", above=start),
            )
        )
    return pushes


def _forces(table: Table) -> list[TabulatedForce]:
    forces = []
    for entry in table.tables("force"):
        entry.only(["body", "point", "time", "force", "moment"])
        force = entry.rows("force", 3, "N")
        time = entry.numbers("time", len(force), "s")
        if any(b <= a for a, b in zip(time[:-1], time[1:], strict=True)):
            entry.refuse(f"is {list(time)}; give increasing times", "time")
        moment = entry.rows("moment", 3, "N m", None)
        if moment is not None and len(moment) != len(force):
            entry.refuse(f"has {len(moment)} rows; force has {len(force)}", "moment")
        point = entry.numbers("point", 3, "m", (0.0, 0.0, 0.0))
        forces.append(TabulatedForce(entry.text("body"), point, time, force, moment))
    return forces
