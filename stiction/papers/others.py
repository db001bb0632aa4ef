"""All contact models with comparable parameters, for tables of what the choice of model changes."""

from __future__ import annotations

from typing import Any, NamedTuple

import stiction as st
from stiction.bench.demo import DT, by_family
from stiction.contact.contact_model import MODELS

G = 9.81
CORNERS = 4  # of a foot
DAMPING = 30.0  # per point and kg of the robot, stable for the lightest foot at 0.2 ms [N s/m/kg]


class Other(NamedTuple):
    """A contact model, and the time step that it needs."""

    model: Any
    dt: float  # [s]


def walking_models(
    mass: float, mu_static: float, mu_kinetic: float, sinks: float = 2e-4
) -> dict[str, Other]:
    """All our models for a robot on two feet; compliant ones sink by `sinks` [m] on one foot."""
    stiffness = mass * G / CORNERS / sinks
    soft = {"stiffness": stiffness, "damping": DAMPING * mass}
    hertz = stiffness * sinks**-0.5
    chosen: dict[str, dict[str, float]] = {
        "SpringDamper": soft,
        "ImplicitSpringDamper": soft,
        "HuntCrossley": {"stiffness": hertz, "damping": hertz},
        "Distributed": soft
        | {"alpha": 1.0, "beta": 0.0}
        | {f"tangential_{name}": value for name, value in soft.items()},
        "Bilateral": {"release": 0.0},
    }
    found = {}
    for kind in by_family():
        values = {"mu_static": mu_static, "mu_kinetic": mu_kinetic} | chosen.get(kind.__name__, {})
        known = {name: value for name, value in values.items() if name in kind._fields}
        found[kind.__name__] = Other(kind(**known), DT[MODELS[kind].family])
    return found


def survived(scene: st.Scene, other: Other) -> st.Motion | str:
    """The motion of a scene under a model, or why there is none."""
    try:
        return scene.simulate(contact=other.model, dt=other.dt)
    except st.StictionError as error:
        return " ".join(str(error).split())
