"""The plug-in point for contact models: a model is a parameter tuple whose type selects the kernel.

class Sponge(NamedTuple):
    stiffness: Annotated[float, Parameter("N/m", low=0)] = 1e4

@contact_model(Sponge, promises=(CONE_PER_POINT, NO_PULL))
def sponge(params, dynamics, contact, memory, work, dt):
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        contact.force[i] = scale(p.stiffness * contact.depth[i], vector(contact.normal, i))
    return OK
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import numpy as np

from stiction.collision.detection import ROWS
from stiction.collision.pairs.clip import MOST as POINTS
from stiction.compiler.checked import first_rows
from stiction.compiler.compiled import as_python, chooses, kernel, refuse_second
from stiction.compiler.plug_ins import declare_plug_in
from stiction.contact.declarations import (
    check_bound,
    check_force_law,
    check_memory,
    check_promised,
    check_results,
)
from stiction.contact.scratch import NoScratch, annotations_of, check_scratch
from stiction.errors import InputError
from stiction.kernels.islands import Islands, OneIsland
from stiction.kernels.response import Response
from stiction.kernels.tree import OK
from stiction.kernels.vectors import like, load_vector

ARGUMENTS = ("params", "dynamics", "contact", "memory", "work", "dt")

# Four families, and what their models give; laws apply to points that are in the ground.
FORCE_LAW = "force law"  # forces, from the motion of the points, in every stage of an integrator
ACCELERATION_LAW = "acceleration law"  # the same, also from the accelerations without contact
IMPULSE_LAW = "impulse law"  # impulses, from the motion without contact, once per step
IMPULSE_SOLVER = "impulse solver"  # the same, also for points that reach the ground within the step
FAMILIES = (FORCE_LAW, ACCELERATION_LAW, IMPULSE_LAW, IMPULSE_SOLVER)
vector = load_vector  # as contact models call it: row i of an array as a vector

# What a model guarantees for any input; `stiction.check_promises` checks these.
CONE_PER_POINT = "friction stays in the cone at every point"
NO_PULL = "the ground never pulls"
NO_ENERGY_GAIN = "contact adds no energy"
UNIQUE_FORCES = "forces are a function of the state alone"
FULL_FRICTION = "a sliding point has all of its kinetic friction, against the slip"
PROMISES = (CONE_PER_POINT, NO_PULL, NO_ENERGY_GAIN, UNIQUE_FORCES, FULL_FRICTION)

# Roles of parameters that `check_promises` needs to know.
FRICTION, RESTITUTION = "coefficient of friction", "coefficient of restitution"


@dataclass(frozen=True)
class Parameter:
    """Unit and bounds of a parameter of a contact model.

    A unit is a product of m, kg, s, N and the like, as "N s/m2"; an exponent may be a parameter or
    a formula of some, as "N/m^alpha" and "N s/m^(1+beta)", or a decimal number, as "N/m^1.5".
    """

    unit: str
    low: float = -math.inf
    high: float = math.inf
    role: str = ""  # FRICTION, RESTITUTION, or anything else
    multiple: float = 0.0  # values must be multiples of it; 0: any
    per_pair: bool = True  # may differ between pairs of materials; else it is a setting of a solver


@dataclass(frozen=True)
class Model:
    """The declaration of a contact model."""

    kind: type
    kernel: Callable[..., int]
    promises: tuple[str, ...]
    family: str  # one of FAMILIES
    point_memory: int  # numbers that it remembers per point
    group_memory: int  # numbers that it remembers per foot
    scratch: type  # tuple that names the arrays it needs, see scratch.py
    longest_step: Callable[..., float] | None  # (params, mass of a point, perhaps depth) -> dt [s]
    landing_depth: Callable[[Any, float, float, float], float] | None  # see `contact_model`
    unknowns: Callable[[Any, int], int]  # see `contact_model`

    @property
    def fields(self) -> dict[str, Parameter]:
        """Unit and bounds of each parameter."""
        return fields_of(self.kind)


class Memory(NamedTuple):
    """What a model remembers: it reads `now` and writes `trial`; a completed step commits it."""

    now: np.ndarray  # (points, point_memory)
    trial: np.ndarray
    group_now: np.ndarray  # (groups, group_memory)
    group_trial: np.ndarray


@kernel
def points_of_ground(contact, memory):
    """Number of the contact points of the ground; those of pairs of bodies follow."""
    return memory.trial.shape[0] - POINTS * len(contact.near)


class Workspace(NamedTuple):
    """Scratch of a model, the time and, except for force laws, the response of the links."""

    scratch: Any  # the tuple of arrays that the model declares
    clock: np.ndarray  # (2) time of this evaluation; start of the step [s]
    impact: np.ndarray  # (1) 1 at an impact: no time passes, only impulses count
    response: Response
    islands: Islands | OneIsland  # the second where nothing but the ground can be touched


class NoContact(NamedTuple):
    """Nothing touches."""


class Landing(NamedTuple):
    """How the first link lands, if every robot falls from its state."""

    link: str
    speed: float  # [m/s]
    radius: float  # distance of its farthest contact point from its centre of mass [m]


class Outlook(NamedTuple):
    """What is known of a run before its first step."""

    dt: float  # [s]
    gravity: float  # [m/s2]
    landing: Callable[[], Landing | None]  # None if no link can land


MODELS: dict[type, Model] = {}
OUTLOOKS: dict[type, Callable[[Any, Outlook], str]] = {}  # by model, see `foresees`


def no_unknowns(params: Any, points: int) -> int:
    """Return 0: a model that solves no complementarity problem."""
    return 0


def contact_model(  # nine arguments: declarations, given by name, of which most models need few
    kind: type,
    promises: tuple[str, ...] = (),
    family: str = FORCE_LAW,
    point_memory: int = 0,
    group_memory: int = 0,
    scratch: type = NoScratch,
    longest_step: Callable[..., float] | None = None,
    landing_depth: Callable[[Any, float, float, float], float] | None = None,
    unknowns: Callable[[Any, int], int] = no_unknowns,
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Register a kernel `(params, dynamics, contact, memory, work, dt) -> status` for a type.

    longest_step: (params, mass) -> the longest stable step [s] of a point that carries a mass [kg];
    or (params, mass, depth), if it depends on the depth of the point [m]. Then landing_depth:
    (params, mass, speed, gravity) -> the depth reached by a point that lands with a mass on it.
    unknowns: (params, contact points) -> those of the complementarity problem that it solves if all
    points touch, which size its scratch; may raise InputError.
    """

    def declare(function: Callable[..., int]) -> Callable[..., int]:
        declare_plug_in("contact model", function, ARGUMENTS, status=True)
        before = MODELS[kind].kernel if kind in MODELS else None
        refuse_second(kind, before, function)
        if family not in FAMILIES:
            raise InputError(
                f"contact model '{function.__name__}': family is {family!r}; give FORCE_LAW, "
                "ACCELERATION_LAW, IMPULSE_LAW or IMPULSE_SOLVER"
            )
        check_scratch(function.__name__, scratch)
        check_promised(function.__name__, promises, PROMISES)
        check_memory(function.__name__, "point_memory", point_memory)
        check_memory(function.__name__, "group_memory", group_memory)
        check_bound(function.__name__, "longest_step", longest_step, "params, mass", ("depth",))
        landed = "params, mass, speed, gravity"
        check_bound(function.__name__, "landing_depth", landing_depth, landed)
        check_results(function, family, forces=family in (FORCE_LAW, ACCELERATION_LAW))
        if family == FORCE_LAW:
            check_force_law(function)
        compiled = kernel(function)
        MODELS[kind] = Model(
            kind,
            compiled,
            promises,
            family,
            point_memory,
            group_memory,
            scratch,
            longest_step,
            landing_depth,
            unknowns,
        )
        return compiled

    return declare


def foresees(kind: type) -> Callable[[Callable[[Any, Outlook], str]], Any]:
    """Register `(params, outlook) -> message` for a model: what will go wrong in a run, or ''.

    `simulate` warns with the message before it takes the first step.
    """

    def declare(function: Callable[[Any, Outlook], str]) -> Callable[[Any, Outlook], str]:
        OUTLOOKS[kind] = function
        return function

    return declare


def fields_of(kind: Any) -> dict[str, Parameter]:
    """Unit and bounds of each field of a parameter tuple."""
    hints = annotations_of(kind)
    return {name: _parameter(hints[name]) for name in kind._fields}


def _parameter(hint: Any) -> Parameter:
    """Unit and bounds from an annotation; none declared means any number."""
    if get_origin(hint) is Annotated:
        for extra in get_args(hint)[1:]:
            if isinstance(extra, Parameter):
                return extra
    return Parameter("")


@contact_model(NoContact, promises=(CONE_PER_POINT, NO_PULL, NO_ENERGY_GAIN, UNIQUE_FORCES))
def no_contact(params, dynamics, contact, memory, work, dt):
    """Do nothing."""
    return OK


def our_models() -> list[type]:
    """All contact models of this package but `NoContact`."""
    return [
        kind for kind in MODELS if kind is not NoContact and kind.__module__.startswith("stiction.")
    ]


def contact_forces(params, dynamics, contact, memory, work, dt):
    """Write `contact.force` or `contact.impulse` with the model of `params`; returns a status."""
    contact = first_rows(contact, ROWS, contact.count[0])  # only where indices are checked
    return MODELS[type(params)].kernel(params, dynamics, contact, memory, work, dt)


@chooses(contact_forces)
def _contact_forces(params, dynamics, contact, memory, work, dt):
    return as_python(MODELS[params.instance_class].kernel)


def parameters(params, table, pair):
    """Return the parameters for a pair of materials, as a tuple of the same type."""
    return type(params)(*table[pair])


@chooses(parameters)
def _parameters(params, table, pair):
    kind = params.instance_class
    reads = ", ".join(f"table[pair, {k}]" for k in range(len(kind._fields)))
    names: dict[str, Any] = {}
    exec(f"def read(params, table, pair):\n    return kind({reads})\n", {"kind": kind}, names)
    return names["read"]


def parameter_or(name: str, default: float) -> Callable[..., float]:
    """Return a function (params, table, pair) -> a parameter, or the default without one."""

    def look_up(params, table, pair):
        fields = type(params)._fields
        return table[pair, fields.index(name)] if name in fields else default

    @chooses(look_up)
    def _look_up(params, table, pair):
        fields = params.instance_class._fields
        if name not in fields:
            return lambda params, table, pair: like(table[0, 0], default)
        column = fields.index(name)
        return lambda params, table, pair: table[pair, column]

    return look_up


# Parameters of a solver that the time of impact depends on.
restitution_of = parameter_or("restitution", 0.0)
rest_speed_of = parameter_or("rest_speed", 0.0)
newton_impacts_of = parameter_or("newton_impacts", 0.0)
lcp_impacts_of = parameter_or("lcp_impacts", 0.0)
# Parameters that the end of a slide depends on: a model without these has no slides to end.
mu_kinetic_of = parameter_or("mu_kinetic", 0.0)
stick_speed_of = parameter_or("stick_speed", math.inf)
# Whether an acceleration law keeps its forces through the stages of a step.
held_of = parameter_or("held", 0.0)


def checked_model(params: Any) -> Any:
    """Return a model's parameters as floats within their bounds; NoContact for None."""
    if params is None:
        return NoContact()
    if type(params) not in MODELS:
        known = ", ".join(sorted(kind.__name__ for kind in MODELS if kind is not NoContact))
        raise InputError(
            f"contact: found {params!r}; give None or an instance of a contact model ({known}), "
            "such as Coulomb()"
        )
    values = []
    for (name, bounds), value in zip(MODELS[type(params)].fields.items(), params, strict=True):
        values.append(checked_parameter(type(params).__name__, name, bounds, value))
    return type(params)(*values)


def checked_parameter(model: str, name: str, bounds: Parameter, value: Any) -> float:
    """Return a parameter as a float after checking it."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(
        value, bool
    )
    allowed = number and math.isfinite(value) and bounds.low <= value <= bounds.high
    if not allowed or (bounds.multiple and value % bounds.multiple):
        unit = f" {bounds.unit}" if bounds.unit else ""
        raise InputError(f"{model}: {name} is {value!r}; give {_in_words(bounds)}{unit}")
    return float(value)


def _in_words(bounds: Parameter) -> str:
    """Return the allowed range in words."""
    low, high = bounds.low, bounds.high
    if math.isfinite(low) and math.isfinite(high):
        kind = f"multiple of {bounds.multiple:g}" if bounds.multiple else "number"
        return f"a {kind} from {low:g} to {high:g}"
    if math.isfinite(low):
        return f"a finite number of at least {low:g}"
    return f"a finite number of at most {high:g}" if math.isfinite(high) else "a finite number"
