"""Checks and defaults of the arguments of `simulate` and `Simulation`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stiction.contact.contact_model import NoContact, checked_model
from stiction.contact.coulomb import Coulomb
from stiction.control.controller import CONTROLLERS, PRESCRIBERS
from stiction.description.arguments import is_finite, shown
from stiction.errors import InputError
from stiction.integrators.midpoint import Midpoint
from stiction.kernels.forward_dynamics import ArticulatedBody, JointSpace
from stiction.simulation.warn import warn_of_shapes_at_start
from stiction.step.integrator import INTEGRATORS
from stiction.world.bodies import body_material_pairs
from stiction.world.contact_points import contact_points_of
from stiction.world.world import World

# a specification with `bind(world)`, a parameter tuple of a registered type, or several
Controller = Any


class _Automatic:
    """The default of `contact`."""

    def __repr__(self) -> str:
        return "Coulomb() if a shape can touch the ground"


AUTOMATIC: Any = _Automatic()
SHORTEST_STEP = 1e-12  # [s]
MOST_STEPS = 2**53  # steps are counted exactly, also as floats
MIDPOINT = Midpoint()
ARTICULATED = ArticulatedBody()


def checked_dt(dt: float) -> float:
    """Return the time step after checking it."""
    if not (is_real(dt) and dt >= SHORTEST_STEP):
        least = f", at least {SHORTEST_STEP:g}" if is_real(dt) and dt > 0 else ""
        raise InputError(f"dt: found {shown(dt)}; give a positive time step in s{least}")
    return float(dt)


def steps_in(duration: float, dt: float) -> int:
    """Return the number of steps of a duration, rounded up, after checking it."""
    if not (is_real(duration) and 0 <= duration < MOST_STEPS * dt):
        raise InputError(
            f"duration: found {shown(duration)}; give a finite, non-negative time in s"
        )
    if 0 < duration < dt * (1 - 1e-12):
        raise InputError(
            f"duration is {duration:g} s, less than one step: dt is {dt:g} s; give both in seconds"
        )
    return math.ceil(duration / dt * (1 - 1e-12))


def is_real(value: Any) -> bool:
    """Tell whether a value is a finite real number."""
    return is_finite(value)


def is_count(value: Any) -> bool:
    """Tell whether a value is a positive integer, and not an absurd one."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return bool(whole and 1 <= value <= MOST_STEPS)


def chosen_model(world: World, contact: Any) -> tuple[Any, list[str]]:
    """Return the contact model of a run, its parameters checked, and notes.

    Raises InputError for a model given to a world in which nothing can touch the ground.
    """
    reason = why_nothing_touches(world)
    if contact is AUTOMATIC:
        told = warn_of_shapes_at_start(world)
        return (NoContact(), [f"no contact: {reason}", *told]) if reason else (Coulomb(), told)
    try:
        model = checked_model(contact)
    except OverflowError:  # an integer that no float can hold
        raise InputError(
            f"contact: a parameter of {shown(type(contact).__name__)} is too large"
        ) from None
    if reason and not isinstance(model, NoContact):
        raise InputError(
            f"contact is {type(model).__name__}, but no shape can touch the ground: {reason}; "
            "give contact=None to simulate without contact"
        )
    if isinstance(model, NoContact):
        return model, []
    return model, warn_of_shapes_at_start(world)


def why_nothing_touches(world: World) -> str:
    """Return why no point of a world can touch the ground; '' if one can."""
    if body_material_pairs(world):
        return ""
    if world.ground is None:
        return "this world has no ground"
    if len(contact_points_of(world)[1]):
        return ""
    reasons = []
    for robot in world.robots:
        moving = robot.shape_link >= 0
        collides = robot.shape_collides & moving
        some = ", ".join(f"'{name}'" for name in robot.shape_name[moving][:3])
        choose = f"enable some with robot.with_colliding({some}, ...)"
        if not moving.any():
            why = "has no shape on a moving link"
        elif not collides.any():
            why = (
                f"has {_shapes(moving)} on moving links, none of which collides (in MJCF: contype "
                f"and conaffinity are 0 and no <pair> names them); {choose}"
            )
        elif not robot.shape_touches.any():
            why = (
                f"has {_shapes(collides, 'colliding ')}, none of which collides with the ground "
                f"(in MJCF: contype, conaffinity, <pair> or <exclude>); {choose}"
            )
        else:
            why = "has only ellipsoids and planes as colliding shapes, which have no contact points"
        reasons.append(f"robot '{robot.name}' {why}")
    return "; ".join(reasons)


def _shapes(chosen: np.ndarray, adjective: str = "") -> str:
    """Return how many shapes are chosen, in words."""
    count = int(chosen.sum())
    return f"{count} {adjective}shape{'' if count == 1 else 's'}"


def checked_integrator(integrator: Any) -> Any:
    """Return the integrator, its parameters as floats, after checking it."""
    if type(integrator) not in INTEGRATORS:
        known = ", ".join(f"{kind.__name__}()" for kind in INTEGRATORS)
        raise InputError(f"integrator: found {integrator!r}; give one of {known}")
    return type(integrator)(*(float(value) for value in integrator))


def checked_method(method: Any) -> Any:
    """Return the method after checking it."""
    if not isinstance(method, ArticulatedBody | JointSpace):
        raise InputError(f"method: found {method!r}; give ArticulatedBody() or JointSpace()")
    return method


def bound_controllers(world: World, controller: Controller) -> tuple:
    """All controllers as parameter tuples."""
    several = isinstance(controller, tuple | list) and not hasattr(controller, "_fields")
    given = () if controller is None else tuple(controller) if several else (controller,)
    bound = tuple(
        one.bind(world) if hasattr(one, "bind") and not isinstance(one, type) else one
        for one in given
    )
    for one in bound:
        if type(one) not in CONTROLLERS and type(one) not in PRESCRIBERS:
            found = f"the class {one.__name__}" if isinstance(one, type) else type(one).__name__
            raise InputError(
                f"controller: found {found}; give PDTracking, Torques, Actuators, "
                "Prescribed, or a parameter tuple whose type is registered with @controller"
            )
    return bound
