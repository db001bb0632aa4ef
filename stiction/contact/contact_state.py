"""What a contact point with a force does: it sticks, slips, or is between the two.

A model that knows can say so, in a kernel that the record calls for each such point:

    @contact_state(Distributed)
    def phase(params, contact, memory, i): ...  # -> STICK, SLIP, TO_SLIP or TO_STICK

For all others it follows from Coulomb's law: a point slips if it moves and its force lies on the
friction cone; a point that moves inside its cone rolls or gives way, and sticks.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from stiction.compiler.compiled import as_python, chooses, kernel, refuse_second
from stiction.compiler.plug_ins import declare_plug_in
from stiction.contact.contact_model import parameter_or, stick_speed_of
from stiction.contact.friction import OPEN, SLIP, STICK, tangential
from stiction.kernels.vectors import dot, like, load_vector, sub

TO_SLIP = 3.0  # begins to slip; see `Distributed`
TO_STICK = 4.0  # comes to rest; see `Distributed`
ARGUMENTS = ("params", "contact", "memory", "i")

SLOW = 1e-3  # a point without a friction cone slips if it is faster than this [m/s]
REST = 1e-6  # slower than this a point is at rest, unless its model defines the speed [m/s]
ON_CONE = 0.98  # of the friction cone: less tangential force than this, and a point sticks
AT_LIMIT = 0.9999  # the same for a spring along the ground, which is cut off at the cone
ABSENT = -1.0

_mu_static = parameter_or("mu_static", ABSENT)
_mu_kinetic = parameter_or("mu_kinetic", ABSENT)
_mu = parameter_or("mu", ABSENT)
_eps = parameter_or("eps", ABSENT)
_sticking = parameter_or("sticking", 0.0)
_facets = parameter_or("facets", 0.0)

STATES: dict[type, Callable[..., float]] = {}


def contact_state(kind: type) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Register a kernel `(params, contact, memory, i) -> state of point i` for a model's type."""

    def declare(function: Callable[..., float]) -> Callable[..., float]:
        declare_plug_in("contact state", function, ARGUMENTS, status=False)
        refuse_second(kind, STATES.get(kind), function)
        STATES[kind] = kernel(function)
        return STATES[kind]

    return declare


def state_of(model, surface, dynamics, i, after, dt):
    """Return the state of touching point i, whose velocity after the step is `after`."""
    return _kernel_for(type(model))(model, surface, dynamics, i, after, dt)


@chooses(state_of)
def _state_of(model, surface, dynamics, i, after, dt):
    return as_python(_kernel_for(model.instance_class))


def _kernel_for(kind):
    return _said if kind in STATES else _derived


def _by_model(params, contact, memory, i):
    """What the model of `params` says about point i."""
    return STATES[type(params)](params, contact, memory, i)


@chooses(_by_model)
def _choose_by_model(params, contact, memory, i):
    return as_python(STATES[params.instance_class])


@kernel
def _said(model, surface, dynamics, i, after, dt):
    p = load_vector(surface.contact.impulse, i)
    if dot(p, p) == 0:
        return like(dt, OPEN)
    said = like(dt, _by_model(model, surface.contact, surface.memory, i))
    return said if said > 0 else like(dt, STICK)  # it has a force, so it is not open


@kernel
def _derived(model, surface, dynamics, i, after, dt):
    """State of point i by Coulomb's law."""
    contact = surface.contact
    p, n = load_vector(contact.impulse, i), load_vector(contact.normal, i)
    if dot(p, p) == 0:
        return like(dt, OPEN)
    table, pair = contact.table, contact.pair[i]
    mu = cone_of(model, table, pair)
    v_t = tangential(n, after)
    if mu < 0:
        return like(dt, SLIP if dot(v_t, v_t) > like(dt, SLOW * SLOW) else STICK)
    p_t, limit = tangential(n, p), mu * max(dot(n, p), like(dt, 0))
    if _sticking(model, table, pair) > 0 and limit > 0:
        return like(dt, SLIP if reaches(p_t, like(dt, AT_LIMIT) * limit) else STICK)
    facets = _facets(model, table, pair)
    if facets > 0:  # the polygon is inside the circle
        limit *= math.cos(like(dt, math.pi) / facets)
    if _eps(model, table, pair) > 0:  # judged before the step
        v = sub(load_vector(contact.velocity, i), load_vector(contact.carried, i))
        v_t = tangential(n, v)
    slow = rest_speed(model, table, pair, dynamics, dt)
    slips = dot(v_t, v_t) > slow * slow and reaches(p_t, like(dt, ON_CONE) * limit)
    return like(dt, SLIP if slips else STICK)


@kernel
def reaches(a, length):
    """Return whether a vector is at least this long."""
    return dot(a, a) >= length * length


@kernel
def cone_of(model, table, pair):
    """Smaller coefficient of friction of a pair of materials; ABSENT if the model has none."""
    static, kinetic = _mu_static(model, table, pair), _mu_kinetic(model, table, pair)
    if kinetic < 0:
        kinetic = _mu(model, table, pair)
    if static < 0 or kinetic < 0:
        return max(static, kinetic)
    return min(static, kinetic)


@kernel
def rest_speed(model, table, pair, dynamics, dt):
    """Speed up to which a point is at rest, by the model's own criterion [m/s].

    Its `stick_speed`, or its `eps`. With an `eps` of 0 a point rests if friction can stop it within
    the step: at least up to mu g dt, the value for a single body that lies on the ground.
    """
    speed, eps = stick_speed_of(model, table, pair), _eps(model, table, pair)
    if speed < math.inf:
        return speed
    if eps != 0:
        return eps if eps > 0 else like(dt, REST)
    g = dynamics.tree.gravity
    fall = dt * math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
    mu = max(_mu_static(model, table, pair), _mu_kinetic(model, table, pair))
    return max(mu * fall, like(dt, REST))
