"""Domain randomisation: what differs between the worlds of a task."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from stiction.contact.contact_model import MODELS
from stiction.contact.coulomb import Coulomb
from stiction.description.arguments import shown, vector
from stiction.errors import InputError
from stiction.simulation.arguments import AUTOMATIC

Range = tuple[float, float]


@dataclass(frozen=True)
class Randomised:
    """Ranges from which each world gets its own value; None: that of the robot and the model."""

    friction: Range | None = None  # coefficient of friction at every contact
    mass: Range | None = None  # factor of all masses
    joint_friction: Range | None = None  # factor of the Coulomb friction of the joints
    joint_damping: Range | None = None  # factor of the damping of the joints
    gains: Range | None = None  # factor of stiffness and damping of the servos


class Draws(NamedTuple):
    """Values of all worlds."""

    options: dict[str, Any]  # of `BatchSimulation`
    gains: np.ndarray | None  # (worlds) factors


def drawn(given: Randomised, worlds: int, contact: Any, random: np.random.Generator) -> Draws:
    """Values from the ranges, uniformly distributed."""
    if not isinstance(given, Randomised):
        raise InputError(
            f"randomised: found {shown(given)}; give ranges, for example Randomised(mass=(0.9, "
            "1.1))"
        )

    def each(name: str) -> np.ndarray | None:
        found = getattr(given, name)
        if found is None:
            return None
        low, high = vector(f"randomised: {name}", found, 2, "least and largest")
        if not 0 <= low <= high:
            raise InputError(
                f"randomised: {name} is {found!r}; give two numbers, 0 <= least <= largest"
            )
        return random.uniform(low, high, worlds)

    values = {field.name: each(field.name) for field in fields(given)}
    gains, mu = values.pop("gains"), values.pop("friction")
    options: dict[str, Any] = {}
    if mu is not None:
        kind = Coulomb if contact is AUTOMATIC else type(contact)
        fields_of_kind = MODELS[kind].fields if kind in MODELS else ()
        names = [name for name in ("mu_static", "mu_kinetic") if name in fields_of_kind]
        if not names:
            raise InputError(
                f"randomised: friction is {given.friction!r}, but contact is {shown(contact)}, "
                "which has no coefficient of friction; leave friction out, or give another model"
            )
        options["parameters"] = dict.fromkeys(names, mu)
    varied = {name: value for name, value in values.items() if value is not None}
    if varied:
        options["variations"] = varied
    return Draws(options, gains)
