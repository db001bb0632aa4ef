"""The contact model of a contender, with parameters for the contact that a scene requires.

A model whose parameters depend on the load registers a function of the `Load`:

    @chosen_for(SpringDamper)
    def spring_damper(load): ...  # -> parameters by name
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import stiction as st
from stiction.contact.contact_model import FORCE_LAW, MODELS

GRAVITY = 9.81  # [m/s2]
FRICTION = 0.5

# Phase per step of the body's oscillation on its points: force laws are as stiff as the time step
# allows, with a margin of about three between the body and the mass on one of its points.
ANGLE = 0.2  # [rad]
REST_DAMPING = 0.7  # damping ratio without restitution
SOFT = 2.0  # the same for Hunt and Crossley's law at an impact: its damping times the speed


class Contender(NamedTuple):
    """A contact model, its fixed parameters, and an integrator."""

    name: str
    kind: Any
    always: dict[str, float]
    integrator: Any

    def has(self, parameter: str) -> bool:
        """Whether the model has a parameter of this name."""
        return parameter in self.kind._fields

    @property
    def slides(self) -> bool:
        """Whether the model has friction."""
        return any(self.has(name) for name in ("mu", "mu_kinetic", "mu_static"))

    @property
    def tells_static_friction(self) -> bool:
        """Whether it takes part in scenes with two coefficients of friction."""
        return self.slides

    @property
    def point_counts(self) -> tuple[int, ...]:
        """On how many points it can rest."""
        return (4, 8)

    @property
    def throws(self) -> int:
        """How many bodies it throws where one after the other is thrown."""
        return 200

    @property
    def every(self) -> int:
        """It takes all of the cases of a scene with many."""
        return 1

    @property
    def reports_unsolved(self) -> bool:
        """Whether it solves a contact problem, and says if it could not."""
        return not self.is_law

    @property
    def is_law(self) -> bool:
        """Whether it is a force law."""
        return MODELS[self.kind].family == FORCE_LAW


class Material(NamedTuple):
    """Contact properties that a scene requires, independent of the model's parameter names."""

    mu_static: float = FRICTION
    mu_kinetic: float = FRICTION
    restitution: float = 0.0
    speed: float = 0.0  # impact speed for which restitution is chosen, 0 for none [m/s]
    newton_impacts: float = 0.0


class Load(NamedTuple):
    """Load for which the parameters of a model are chosen."""

    material: Material
    mass: float  # on a point [kg]
    dt: float  # [s]

    @property
    def omega(self) -> float:
        """Angular frequency of a mass on a spring with phase ANGLE per step [rad/s]."""
        return ANGLE / self.dt


Parameters = dict[str, float]
CHOICES: dict[type, Callable[[Load], Parameters]] = {}


def chosen_for(*kinds: type) -> Callable[[Callable[[Load], Parameters]], Callable]:
    """Register a function that chooses parameters of these contact models for a load."""

    def declare(function: Callable[[Load], Parameters]) -> Callable[[Load], Parameters]:
        CHOICES.update(dict.fromkeys(kinds, function))
        return function

    return declare


def model_for(contender: Contender, load: Load) -> Any:
    """Return the contact model for a load; chosen parameters override the material's."""
    material = load.material
    values = {**material._asdict(), "mu": material.mu_kinetic}
    if contender.kind in CHOICES:
        values |= CHOICES[contender.kind](load)
    chosen = {name: value for name, value in values.items() if contender.has(name)}
    return contender.kind(**{**chosen, **contender.always})


# -------------------------------------------------------------------------------------- force laws


@chosen_for(st.SpringDamper, st.ImplicitSpringDamper)
def spring_damper(load: Load) -> Parameters:
    """Damping that yields the restitution; force laws have no such coefficient."""
    zeta = damping_ratio(load.material.restitution)
    return {
        "stiffness": load.mass * load.omega**2,
        "damping": 2 * zeta * load.mass * load.omega,
    }


@chosen_for(st.HuntCrossley)
def hunt_crossley(load: Load) -> Parameters:
    """Same depth at rest as a linear spring; damping that yields the restitution at a speed."""
    sag = GRAVITY / load.omega**2
    stiffness = load.mass * GRAVITY / sag**1.5
    ratio = hunt_crossley_ratio(load.material, load.omega)
    return {"stiffness": stiffness, "damping": stiffness * ratio}


@chosen_for(st.Distributed)
def distributed(load: Load) -> Parameters:
    """Linear springs and dampers, equal along the ground and along the normal."""
    spring, damper = load.mass * load.omega**2, 2 * REST_DAMPING * load.mass * load.omega
    across = {"stiffness": spring, "alpha": 1.0, "damping": damper, "beta": 0.0}
    along = {"tangential_stiffness": spring, "tangential_damping": damper}
    sliding = min(st.Distributed().sliding_damping, damper)  # the default, unless a body is tiny
    return across | along | {"sliding_damping": sliding}


def damping_ratio(e: float) -> float:
    """Damping ratio of a spring damped only during compression, for a restitution e above 0.

    e = exp(-zeta / s * atan(s / zeta)) with s = sqrt(1 - zeta^2).
    """
    if e == 0:
        return REST_DAMPING
    low, high = 0.0, 1.0 - 1e-12
    for _ in range(60):
        zeta = 0.5 * (low + high)
        s = math.sqrt(1 - zeta**2)
        more = math.exp(-zeta / s * math.atan2(s, zeta)) > e
        low, high = (zeta, high) if more else (low, zeta)
    return low


def hunt_crossley_ratio(material: Material, omega: float) -> float:
    """Damping over stiffness a [s/m]: a v (1 + e) = log((1 + a v) / (1 - a v e)) for e above 0."""
    e, v = material.restitution, material.speed
    if e == 0:
        return min(omega / GRAVITY, SOFT / v) if v > 0 else omega / GRAVITY
    if e == 1:
        return 0.0
    low, high = 0.0, (1 - 1e-12) / e  # of a v
    for _ in range(60):
        x = 0.5 * (low + high)
        more = math.log((1 + x) / (1 - x * e)) < x * (1 + e)
        low, high = (x, high) if more else (low, x)
    return low / v


# ------------------------------------------------------------------------------------ other laws


@chosen_for(st.Feedback)
def feedback(load: Load) -> Parameters:
    """The paper's gains at 1 ms; at other steps scaled to the same effect per step."""
    dt = load.dt
    return {
        "velocity_gain": 0.25 / dt,
        "position_gain": 5e-4 / dt**2,
        "steady_depth": 10 * GRAVITY * dt**2,
    }


@chosen_for(st.Multipoint)
def multipoint(load: Load) -> Parameters:
    """Points stick below a speed that is derived from the step."""
    return {"eps": 0.0}


@chosen_for(st.Balanced)
def balanced(load: Load) -> Parameters:
    """Like `Multipoint`, and nearly rigid beyond the membrane."""
    return {"eps": 0.0, "relaxation": 1e-4, "relative": 1.0, "spring_beyond": 0.0}
