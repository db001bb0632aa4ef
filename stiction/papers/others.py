"""All contact models with comparable parameters, for tables of what the choice of model changes."""

from __future__ import annotations

from typing import Any, NamedTuple

import stiction as st
from stiction.bench.demo import DT, by_family
from stiction.bench.walk_measures import walk_measures
from stiction.contact.contact_model import FORCE_LAW, MODELS

G = 9.81
HEADS = ("steps", "off [mm]", "slip [mm]", "depth [mm]", "chatter [%]", "ground [J]")
CORNERS = 4  # of a foot
DAMPING = 30.0  # per point and kg of the robot [N s/m/kg]
DT_LAW = 5e-5  # of force laws: stable for the feet of biped14, whose ankles are massless [s]


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
        family = MODELS[kind].family
        found[kind.__name__] = Other(kind(**known), DT_LAW if family == FORCE_LAW else DT[family])
    return found


def survived(scene: st.Scene, other: Other) -> st.Motion | str:
    """The motion of a scene under a model, or why there is none."""
    try:
        return scene.simulate(contact=other.model, dt=other.dt)
    except st.StictionError as error:
        return " ".join(str(error).split())


def walk_row(
    name: str, other: Other, scene: st.Scene, pattern: st.patterns.Pattern, feet: tuple[str, str]
) -> dict[str, Any]:
    """The planned walk of a scene under a model, in numbers."""
    motion = survived(scene, other)
    row: dict[str, Any] = {"model": name, "step [ms]": 1000 * other.dt}
    if not isinstance(motion, st.Motion):
        return row | {"walks": False} | dict.fromkeys(HEADS)
    found = walk_measures(motion, pattern, feet)
    return row | {"walks": found["survived"]} | {head: found[head] for head in HEADS}
