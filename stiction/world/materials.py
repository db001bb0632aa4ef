"""Parameters of a contact model for each pair of materials.

The friction of two bodies whose files declare one is as in MuJoCo: that of their <pair>, else that
of the higher priority, else the larger one. If only one file declares a friction, it applies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from stiction.contact.contact_model import MODELS, checked_parameter
from stiction.description.arguments import is_number, shown
from stiction.errors import InputError
from stiction.robot.robot import Robot

Materials = Mapping[tuple[str, str], Mapping[str, float]]
FRICTION = ("mu_static", "mu_kinetic", "mu")  # fields that the friction of a model file sets


class BodyPair(NamedTuple):
    """Materials of two bodies that may touch each other; other pairs are of a robot and ground."""

    one: str
    other: str


class Declared(NamedTuple):
    """Static and kinetic friction that a file declares for a material."""

    ground: tuple[float, float]
    bodies: tuple[float, float]
    priority: float


class DeclaredFriction(NamedTuple):
    """All friction that files declare."""

    material: Mapping[str, Declared]
    pair: Mapping[frozenset[str], float]  # of bodies


def declared_by(robots: Iterable[Robot]) -> DeclaredFriction:
    """Return the friction that the files of robots declare."""
    materials: dict[str, Declared] = {}
    pairs: dict[frozenset[str], float] = {}
    for robot in robots:
        rows = zip(robot.material_name, robot.material_mu, robot.material_bodies, strict=True)
        for name, ground, (static, kinetic, priority) in rows:
            friction = Declared(
                (float(ground[0]), float(ground[1])),
                (float(static), float(kinetic)),
                float(priority),
            )
            if materials.setdefault(str(name), friction) != friction:
                raise _two_frictions(
                    robot, f"material '{name}' has", friction, materials[str(name)]
                )
        for pair, mu in zip(robot.friction_pairs, robot.friction_pairs_mu, strict=True):
            key = frozenset(map(str, pair))
            if pairs.setdefault(key, float(mu)) != float(mu):
                named = " and ".join(f"'{name}'" for name in pair)
                raise _two_frictions(robot, f"materials {named} have", float(mu), pairs[key])
    return DeclaredFriction(materials, pairs)


def _two_frictions(robot: Robot, what: str, one: Any, other: Any) -> InputError:
    """The error for one name with two frictions."""
    found = [tuple(value) if isinstance(value, Declared) else value for value in (one, other)]
    return InputError(
        f"robot '{robot.name}': {what} friction {found[0]}, but {found[1]} in another robot; "
        "rename one using with_material()"
    )


def checked_materials(materials: Materials | None) -> dict[frozenset[str], dict[str, float]]:
    """Return the table with unordered pairs, after checking its keys."""
    known = {name for model in MODELS.values() for name in model.kind._fields}  # type: ignore[attr-defined]
    table: dict[frozenset[str], dict[str, float]] = {}
    if not (materials is None or isinstance(materials, Mapping)):
        raise InputError(
            f"materials is {shown(materials)}; give a dictionary of pairs of names, such as "
            "{('ground', 'sole'): {'mu_static': 0.8}}"
        )
    for pair, values in (materials or {}).items():
        if not (
            isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(x, str) for x in pair)
        ):
            raise InputError(
                f"materials: key {pair!r}; give a pair of names, such as ('ground', 'sole')"
            )
        if frozenset(pair) in table:
            raise InputError(
                f"materials: the pair {pair} is given twice; the order of a pair does not matter"
            )
        if not isinstance(values, Mapping):
            raise InputError(f"materials {pair}: found {shown(values)}; give a dictionary")
        for name, value in values.items():
            if is_number(value) and name in known:
                continue
            if name in known:
                raise InputError(f"materials {pair}: {name} is {shown(value)}; give a number")
            if name not in known:
                raise InputError(
                    f"materials {pair}: no model has '{name}'; known: {', '.join(sorted(known))}"
                )
        table[frozenset(pair)] = dict(values)
    return table


def check_named(
    table: Mapping[frozenset[str], Any], robots: Iterable[str], ground: Iterable[str]
) -> list[str]:
    """Raise InputError for a pair with an unknown material; return notes on pairs that never touch.

    robots, ground: names of their materials.
    """
    own, under = sorted(set(robots)), sorted(set(ground))
    notes = []
    for pair in table:
        named = " and ".join(repr(name) for name in sorted(pair))
        for name in sorted(pair):
            if name not in own and name not in under:
                raise InputError(
                    f"materials: the pair {named}: there is no material '{name}' in this world; "
                    f"its robots have {', '.join(map(repr, own)) or 'none'}, its ground "
                    f"{', '.join(map(repr, under)) or 'none'}"
                )
        if not any({one, other} == set(pair) for one in own for other in under):
            notes.append(f"materials {named} never touch each other in this world")
    return notes


def pair_table(
    model: Any,
    pairs: Iterable[tuple[str, str]],
    materials: dict[frozenset[str], dict[str, float]],
    declared: DeclaredFriction | None = None,
) -> tuple[np.ndarray, list[str]]:
    """Return the parameters of every pair (pairs, fields), and notes on where they come from.

    In order of precedence: the table's entry for the pair; the value given to the model; the
    friction that files declare; the default of the model. The model's friction counts as given if
    any of its coefficients differs from its default. On the ground, the file of the robot comes
    before that of the ground.
    """
    fields = MODELS[type(model)].fields
    friction = None if friction_is_given(model) else declared
    rows, notes = [], []
    for pair in pairs:
        given = materials.get(frozenset(pair), {})
        notes += [
            f"{type(model).__name__} does not use '{name}' of the pair {pair}"
            for name in given
            if name not in fields
        ]
        check_per_pair(model, pair, given)
        from_file: dict[str, float] = {}
        if friction is not None and not any(name in given for name in FRICTION):
            (static, kinetic), source = friction_of(pair, friction)
            coefficients = zip(FRICTION, (static, kinetic, kinetic), strict=True)
            from_file = {n: value for n, value in coefficients if source and n in fields}
        if from_file:
            values = ", ".join(f"{name} {value:g}" for name, value in from_file.items())
            notes.append(f"the pair {tuple(pair)} uses the friction of {source}: {values}")
        row = {
            name: checked_parameter(f"materials {pair}", name, bounds, given[name])
            if name in given
            else float(from_file.get(name, getattr(model, name)))
            for name, bounds in fields.items()
        }
        check_friction(f"{type(model).__name__}, materials {pair}: ", row)
        rows.append(list(row.values()))
    return np.array(rows, float).reshape(len(rows), len(fields)), notes


def friction_of(
    pair: tuple[str, str], declared: DeclaredFriction
) -> tuple[tuple[float, float], str]:
    """Return static and kinetic friction of a pair as files declare it, and where; '': nowhere."""
    known = [name for name in pair if name in declared.material]
    if isinstance(pair, BodyPair) and frozenset(pair) in declared.pair:
        mu = declared.pair[frozenset(pair)]
        return (mu, mu), "a <pair> in its file"
    if not known:
        return (0.0, 0.0), ""
    if not isinstance(pair, BodyPair):
        return declared.material[known[0]].ground, f"'{known[0]}' in its file"
    highest = max(declared.material[name].priority for name in known)
    first = [name for name in known if declared.material[name].priority == highest]
    static, kinetic = zip(*(declared.material[name].bodies for name in first), strict=True)
    named = " or ".join(f"'{name}'" for name in dict.fromkeys(first))
    return (max(static), max(kinetic)), f"{named} in its file"


def check_per_pair(model: Any, pair: tuple[str, str], given: Mapping[str, float]) -> None:
    """Raise InputError if the table gives a pair a setting of the solver."""
    kind, fields = type(model).__name__, MODELS[type(model)].fields
    for name, value in given.items():
        if name in fields and not fields[name].per_pair:
            raise InputError(
                f"materials {pair}: {kind} has one '{name}' for all pairs; found {value!r}; "
                f"give it to the model, {kind}({name}={value!r})"
            )


def friction_is_given(model: Any) -> bool:
    """Whether any coefficient of friction of a model differs from its default."""
    defaults = type(model)._field_defaults
    return any(
        name not in defaults or getattr(model, name) != defaults[name]
        for name in FRICTION
        if name in model._fields
    )


def check_friction(where: str, row: Mapping[str, float]) -> None:
    """Raise InputError if mu_kinetic exceeds a mu_static above 0; where: start of the message."""
    static, kinetic = row.get("mu_static", 0.0), row.get("mu_kinetic", 0.0)
    if 0.0 < static < kinetic:
        raise InputError(
            f"{where}mu_kinetic is {kinetic:g} and mu_static {static:g}; "
            "give a mu_static of at least mu_kinetic, or 0 for no static friction"
        )
