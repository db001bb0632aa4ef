"""The built-in contact models with their parameters in the contact benchmark."""

from __future__ import annotations

from typing import Any

from stiction.bench.contact.cases import FRICTION
from stiction.contact.contact_model import our_models
from stiction.world.contact_points import SOLE_POINTS

# Slower points do not slip. In 1 ms friction changes the velocity of a light foot by 0.1 m/s: with
# a much smaller threshold, the feet and the joints would reverse direction in every step.
EPS = 0.05  # [m/s]
# For one foot, divided among its points; G1 sinks 1.6 mm. With more than SOLE_POINTS under a foot
# these laws divide by themselves.
FORCE_LAWS = {
    "SpringDamper": {"stiffness": 1e5, "damping": 500.0},
    "ImplicitSpringDamper": {"stiffness": 1e5, "damping": 500.0},
    "HuntCrossley": {"stiffness": 2.5e6, "damping": 2.5e6},
}
DISTRIBUTED = {
    "stiffness": 1e5,
    "damping": 500.0,
    "tangential_stiffness": 1e5,
    "tangential_damping": 500.0,
}
SHARED = {**FORCE_LAWS, "Distributed": DISTRIBUTED}  # among the points of a foot
# not shared
WHOLE = {**dict.fromkeys(FORCE_LAWS, {"eps": EPS}), "Distributed": {"alpha": 1.0, "beta": 0.0}}

MOST_POINTS = {"FacetedLCP": 16}  # with 64 points its 640 unknowns take 0.1 s a step


def contact_models(points: int) -> list[Any]:
    """All built-in contact models with equal friction; force laws divide the sole's stiffness.

    Without those that take too long for this number of points.
    """
    models = []
    for kind in our_models():
        name = kind.__name__
        if points > MOST_POINTS.get(name, points):
            continue
        least = 1 / SOLE_POINTS if name in FORCE_LAWS else 0.0
        share = max(2 / points, least)
        values = {"mu_static": FRICTION, "mu_kinetic": FRICTION, **WHOLE.get(name, {})}
        values |= {one: share * value for one, value in SHARED.get(name, {}).items()}
        fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
        models.append(kind(**{one: values[one] for one in fields if one in values}))
    return models
