"""How well contact forces obey Signorini's condition and Coulomb's law, point by point.

Le Lidec, Jallet, Montaut, Laptev, Schmid, Carpentier, "Contact Models in Robotics: a Comparative
Analysis", arXiv 2304.06372. A contact problem is solved exactly if

    K_mu contains lam,  its dual K_1/mu contains c + Phi(c),  and the two are perpendicular.

    Paper    Here                              Meaning
    lam      force * dt                        impulse of the step [N s]
    c        contact_velocity                  velocity at the end of the step [m/s]
    mu       friction_coefficients             mu_static for a point at rest, else mu_kinetic
    Phi(c)   mu |c_t| n                        De Saxce's correction

Departs from the paper: distances to cones are Euclidean (its ContactBench takes the largest
component), and maximum dissipation is measured per point. In a step that an impact divides into
parts, lam is the impulse of all parts and c the velocity of the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.contact.contact_model import MODELS
from stiction.description.arguments import numbers
from stiction.errors import InputError
from stiction.metrics.points import normals, require_contact, step_length
from stiction.world.contact_points import contact_points_of
from stiction.world.materials import pair_table

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

REST = 1e-6  # a point slower than this is at rest, unless its model defines the speed [m/s]


class Friction(NamedTuple):
    """Coulomb's law at all contact points, (n, points) each."""

    static: np.ndarray
    kinetic: np.ndarray
    stick_speed: np.ndarray  # up to this speed a point is at rest and has static friction [m/s]
    asked_first: np.ndarray  # bool: speed is evaluated at the start of the step, else at its end


class Criteria(NamedTuple):
    """Errors of the contact problem per step and point, (n, points); zero for an exact solution."""

    primal: np.ndarray  # distance of the impulse to the friction cone [N s]
    dual: np.ndarray  # distance of c + Phi(c) to the dual cone [m/s]
    signorini: np.ndarray  # |lam_n c_n| [J]
    dissipation: np.ndarray  # |mu lam_n - |lam_t|| |c_t| [J]
    complementarity: np.ndarray  # |<lam, c + Phi(c)>| [J]
    conic: np.ndarray  # |<lam, c>| [J]; zero only for models that relax the problem to a convex one

    def worst(self) -> dict[str, float]:
        """Largest value of each criterion, 0 if nothing was recorded."""
        return {name: largest(values) for name, values in self._asdict().items()}


def criteria(motion: Motion, mu: ArrayLike | None = None) -> Criteria:
    """Criteria of Le Lidec et al. for every point and step; NaN where no forces were recorded.

    mu: coefficients of friction, one number or (points), instead of those of the contact model.
    """
    require_contact(motion)
    if motion.force.any() and not motion.contact_velocity.any():
        raise InputError(
            "this motion has no contact velocities, probably because its file is from an older "
            "version; simulate it again"
        )
    n = normals(motion)
    c_n, c_t = split(motion.contact_velocity, n)
    lam_n, lam_t = split(motion.force * step_length(motion), n)
    slope = _coefficients(motion, mu, _size(c_t))
    corrected = c_n + slope * _size(c_t)
    with_friction = lam_n * corrected + _inner(lam_t, c_t)
    return Criteria(
        primal=cone_distance(lam_n, _size(lam_t), slope, 1.0),
        dual=cone_distance(corrected, _size(c_t), 1.0, slope),
        signorini=np.abs(lam_n * c_n),
        dissipation=np.abs(slope * lam_n - _size(lam_t)) * _size(c_t),
        complementarity=np.abs(with_friction),
        conic=np.abs(lam_n * c_n + _inner(lam_t, c_t)),
    )


def cone_violation(motion: Motion, mu: ArrayLike | None = None) -> np.ndarray:
    """Distance of the contact forces to their friction cones [N], (n, points).

    A pulling force is outside the cone, too. mu as in `criteria`.
    """
    require_contact(motion)
    n = normals(motion)
    f_n, f_t = split(motion.force, n)
    _, c_t = split(motion.contact_velocity, n)
    return cone_distance(f_n, _size(f_t), _coefficients(motion, mu, _size(c_t)), 1.0)


def has_friction_cone(motion: Motion) -> bool:
    """Whether the contact model of a motion has a coefficient of friction."""
    return not {"mu_static", "mu_kinetic", "mu"}.isdisjoint(_model(motion)._fields)


def friction_coefficients(motion: Motion) -> Friction:
    """Static and kinetic coefficients of friction of all contact points, (n, points).

    They are the fields mu_static and mu_kinetic (or mu) of the contact model for the pair of
    materials of each point; a model that has only one of them uses it for both. A point is at rest
    by the model's own criterion: its `stick_speed` at the end of the step, or its `eps` at the
    start. A model with an `eps` of 0 derives the speed: a point rests if friction can stop it
    within the step, which is possible at least up to mu g dt, the value for a single body lying on
    the ground.
    """
    require_contact(motion)
    model = _model(motion)
    meeting = motion.contact_points.pair
    table = _table(motion, model)
    columns = {name: table[meeting, k] for k, name in enumerate(model._fields)}
    kinetic = columns.get("mu_kinetic", columns.get("mu"))
    static = columns.get("mu_static", kinetic)
    if static is None:
        raise InputError(
            f"{type(model).__name__} has no mu_static, mu_kinetic or mu, "
            "so its forces have no friction cone; pass mu="
        )
    kinetic = static if kinetic is None else kinetic
    speed = columns.get("stick_speed", np.full(static.shape, REST))
    first = np.zeros(static.shape, bool)
    if "stick_speed" not in columns and "eps" in columns:
        stopped = static * float(np.linalg.norm(motion.world.gravity)) * step_length(motion)
        first = columns["eps"] > 0
        speed = np.where(first, columns["eps"], np.maximum(stopped, REST))
    return Friction(static, kinetic, speed, first)


def split(vectors: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normal components of vectors (..., 3), (...), and their tangential parts, (..., 3)."""
    along = _inner(vectors, n)
    return along, vectors - along[..., None] * n


def cone_distance(
    normal: np.ndarray, across: np.ndarray, rise: ArrayLike, run: ArrayLike
) -> np.ndarray:
    """Distance of vectors to the cone `across * run <= rise * normal`, 0 inside it.

    If the nearest point of the cone is its apex, this is the length of the vector.
    """
    length = np.hypot(rise, run)
    sine, cosine = rise / length, run / length  # of half the opening angle
    outside = np.maximum(across * cosine - normal * sine, 0.0)
    at_tip = across * sine <= -normal * cosine
    return np.where(at_tip, np.hypot(normal, across), outside)


def largest(values: np.ndarray) -> float:
    """Largest value, ignoring NaN; 0 if there is none."""
    return float(np.max(values, where=np.isfinite(values), initial=0.0))


def _coefficients(motion: Motion, mu: ArrayLike | None, speed: np.ndarray) -> np.ndarray:
    """Applicable coefficient of friction at every step and point, (n, points)."""
    if mu is None:
        friction = friction_coefficients(motion)
        asked = np.where(friction.asked_first, _size(motion.slip), speed)
        at_rest = asked <= friction.stick_speed
        return np.where(at_rest, friction.static, friction.kinetic)
    given = numbers(mu)
    contact_points = motion.point_count
    if given.shape not in ((), (contact_points,)) or not (np.isfinite(given) & (given >= 0)).all():
        raise InputError(
            f"mu: found {mu!r}; give one non-negative number, or one for each of the "
            f"{contact_points} contact points"
        )
    return np.broadcast_to(given, speed.shape)


def _model(motion: Motion) -> Any:
    """Return the contact model that a motion was simulated with.

    Of several models with its name, the one declared last whose parameters fit.
    """
    told = dict(motion.parameters.get("contact") or {})
    name = told.pop("model", None)
    kinds: list[Any] = [kind for kind in MODELS if kind.__name__ == name]
    if not kinds:
        known = ", ".join(sorted(kind.__name__ for kind in MODELS))
        raise InputError(
            f"the contact model {name!r} of this motion is not declared (known: {known}); "
            "import the module that declares it, or pass mu="
        )
    for kind in reversed(kinds):
        if {*told} <= {*kind._fields} and {*kind._fields} <= {*told, *kind._field_defaults}:
            return kind(**told)
    raise InputError(
        f"{name} has the parameters {', '.join(kinds[-1]._fields)}, but this motion was simulated "
        f"with {', '.join(told)}; pass mu="
    )


def _table(motion: Motion, model: Any) -> np.ndarray:
    """Parameters of every pair of materials in the run, (pairs, fields)."""
    rows = motion.parameters.get("pairs")
    if rows is None:  # an older file
        _, _, pairs = contact_points_of(motion.world)
        return pair_table(model, pairs, motion.world.materials)[0]
    return np.array([[row[name] for name in model._fields] for row in rows], float)


def _inner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("...k,...k->...", a, b)


def _size(a: np.ndarray) -> np.ndarray:
    return np.sqrt(_inner(a, a))
