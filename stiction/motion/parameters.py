"""Checks of the parameters that a motion file stores."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

import numpy as np

from stiction.errors import MotionFileError
from stiction.motion.unsolved import UnsolvedSteps
from stiction.world.contact_points import contact_points_of
from stiction.world.world import World

RENAMED = {"places": "contact_points"}  # parameters with another name in earlier files


def checked_parameters(stored: Any, world: World, points: int) -> dict[str, Any]:
    """The parameters in a file, under their current names, after checking those that are used."""
    if not isinstance(stored, dict):
        raise MotionFileError("'parameters' is not a table")
    parameters: dict[str, Any] = {
        str(RENAMED.get(name, name)): value for name, value in stored.items()
    }
    for name, wanted in _wrong(parameters, world, points):
        shown = repr(parameters[name])
        shown = shown if len(shown) < 80 else f"{shown[:77]}..."
        raise MotionFileError(f"the parameter '{name}' is {shown}; it must be {wanted}")
    return parameters


def _wrong(parameters: dict[str, Any], world: World, points: int) -> Iterator[tuple[str, str]]:
    """Names of wrong parameters, and what each must be; any of them may be missing."""
    for name in ("record every", "external forces"):
        if not _is_count(parameters.get(name, 1)):
            yield name, "a number of steps or forces"
    if not _is_number(parameters.get("dt", 1.0), above=0.0):
        yield "dt", "a positive time in s"
    for name in ("integrator", "method"):
        if not isinstance(parameters.get(name, ""), str):
            yield name, "a name"
    for name in ("notes", "controllers", "contact_points"):
        if not _is_list_of(parameters.get(name, []), str):
            yield name, "a list of strings"
    if len(parameters.get("contact_points", [""] * points)) != points:
        yield "contact_points", f"the names of {points} contact points"
    if not _is_model(parameters.get("contact")):
        yield "contact", "the name and the parameters of a contact model, or null"
    pairs = parameters.get("pairs", [])
    fewest = len(contact_points_of(world)[2]) if parameters.get("contact") and pairs else 0
    if not _is_list_of(pairs, dict) or len(pairs) < fewest:
        yield "pairs", f"the parameters of {fewest} pairs of materials or more"
    if parameters.get("unsolved") is not None and not _is_unsolved(parameters["unsolved"]):
        yield "unsolved", "the number of unsolved steps, and the worst of them"


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any, above: float = -np.inf) -> bool:
    real = isinstance(value, int | float) and not isinstance(value, bool)
    return bool(real and isfinite(value) and value > above)


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)


def _is_model(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict) or not isinstance(value.get("model"), str):
        return False
    return all(isinstance(given, int | float) for name, given in value.items() if name != "model")


def _is_unsolved(value: Any) -> bool:
    try:
        found = UnsolvedSteps(**value)
    except TypeError:
        return False
    numbers = isinstance(found.residual, int | float)
    return (
        numbers
        and _is_count(found.count)
        and _is_count(found.steps)
        and (found.time is None or _is_number(found.time))
    )
