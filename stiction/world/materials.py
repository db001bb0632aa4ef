"""Parameters of a contact model for each pair of materials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from stiction.contact.contact_model import MODELS, checked_parameter
from stiction.errors import InputError

Materials = Mapping[tuple[str, str], Mapping[str, float]]
FRICTION = ("mu_static", "mu_kinetic", "mu")  # fields that the friction of a model file sets


def checked_materials(materials: Materials | None) -> dict[frozenset[str], dict[str, float]]:
    """Return the table with unordered pairs, after checking its keys."""
    known = {name for model in MODELS.values() for name in model.kind._fields}  # type: ignore[attr-defined]
    table: dict[frozenset[str], dict[str, float]] = {}
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
        for name in values:
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
    declared: Mapping[str, tuple[float, float]] | None = None,
) -> tuple[np.ndarray, list[str]]:
    """Return the parameters of every pair (pairs, fields), and notes on where they come from.

    In order of precedence: the table's entry for the pair; the value given to the model; the
    friction that a file declares for the first material, or else for the second; the default of
    the model. The model's friction counts as given if any of its coefficients differs from its
    default.

    declared: static and kinetic friction by name of the material.
    """
    fields = MODELS[type(model)].fields
    friction = {} if friction_is_given(model) else (declared or {})
    rows, notes = [], []
    for pair in pairs:
        given = materials.get(frozenset(pair), {})
        notes += [
            f"{type(model).__name__} does not use '{name}' of the pair {pair}"
            for name in given
            if name not in fields
        ]
        check_per_pair(model, pair, given)
        from_file = {}
        source = next((name for name in pair if name in friction), None)
        if source is not None and not any(name in given for name in FRICTION):
            static, kinetic = friction[source]
            coefficients = zip(FRICTION, (static, kinetic, kinetic), strict=True)
            from_file = {name: value for name, value in coefficients if name in fields}
        if from_file:
            values = ", ".join(f"{name} {value:g}" for name, value in from_file.items())
            notes.append(f"the pair {pair} uses the friction of '{source}' in its file: {values}")
        row = {
            name: checked_parameter(f"materials {pair}", name, bounds, given[name])
            if name in given
            else float(from_file.get(name, getattr(model, name)))
            for name, bounds in fields.items()
        }
        check_friction(type(model).__name__, pair, row)
        rows.append(list(row.values()))
    return np.array(rows, float).reshape(len(rows), len(fields)), notes


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


def check_friction(model: str, pair: tuple[str, str], row: Mapping[str, float]) -> None:
    """Raise InputError if mu_kinetic exceeds a mu_static above 0."""
    static, kinetic = row.get("mu_static", 0.0), row.get("mu_kinetic", 0.0)
    if 0.0 < static < kinetic:
        raise InputError(
            f"{model}, materials {pair}: mu_kinetic is {kinetic:g} and mu_static {static:g}; "
            "give a mu_static of at least mu_kinetic, or 0 for no static friction"
        )
