"""Parameters of a contact model for each pair of materials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from stiction.contact.contact_model import MODELS, checked_parameter
from stiction.errors import InputError

Materials = Mapping[tuple[str, str], Mapping[str, float]]


def checked_materials(materials: Materials | None) -> dict[frozenset[str], dict[str, float]]:
    """Return the table with unordered pairs, after checking its keys."""
    known = {name for model in MODELS.values() for name in model.kind._fields}  # type: ignore[attr-defined]
    table: dict[frozenset[str], dict[str, float]] = {}
    for pair, values in (materials or {}).items():
        if not (
            isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(x, str) for x in pair)
        ):
            raise InputError(
                f"materials: key {pair!r}; give a pair of names, as ('ground', 'sole')"
            )
        if frozenset(pair) in table:
            raise InputError(f"materials: the pair {pair} is given twice; a pair has no order")
        for name in values:
            if name not in known:
                raise InputError(
                    f"materials {pair}: no model has '{name}'; known: {', '.join(sorted(known))}"
                )
        table[frozenset(pair)] = dict(values)
    return table


def pair_table(
    model: Any, pairs: Iterable[tuple[str, str]], materials: dict[frozenset[str], dict[str, float]]
) -> tuple[np.ndarray, list[str]]:
    """Return the parameters of every pair (pairs, fields), and notes on entries that are not read.

    An entry of the table for the pair wins over the value that was given to the model.
    """
    fields = MODELS[type(model)].fields
    rows, notes = [], []
    for pair in pairs:
        given = materials.get(frozenset(pair), {})
        notes += [
            f"{type(model).__name__} does not read '{name}' of the pair {pair}"
            for name in given
            if name not in fields
        ]
        row = {
            name: checked_parameter(f"materials {pair}", name, bounds, given[name])
            if name in given
            else getattr(model, name)
            for name, bounds in fields.items()
        }
        check_friction(type(model).__name__, pair, row)
        rows.append(list(row.values()))
    return np.array(rows, float).reshape(len(rows), len(fields)), notes


def check_friction(model: str, pair: tuple[str, str], row: Mapping[str, float]) -> None:
    """Raise InputError if sliding would take more force than breaking away."""
    static, kinetic = row.get("mu_static", 0.0), row.get("mu_kinetic", 0.0)
    if 0.0 < static < kinetic:
        raise InputError(
            f"{model}, materials {pair}: mu_kinetic is {kinetic:g} and mu_static {static:g}; "
            "give a mu_static of at least mu_kinetic, or 0 for no static friction"
        )
