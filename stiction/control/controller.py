"""The plug-in point for controllers: parameter tuples whose type picks the compiled kernel.

    class Spring(NamedTuple):
        stiffness: float

    @controller(Spring)
    def spring(params, dynamics, time, q, v):
        for d in range(len(v)):
            ...
            dynamics.control[d] += force
            dynamics.control_damping[d] += slope  # optional: minus the slope of the force by v[d]

A declared damping is taken implicitly by the integrators that can, which keeps stiff gains stable
at long steps. A kernel made with `@prescriber` overwrites q, v and the acceleration of coordinates
that are given functions of time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types

from stiction.compiler.compiled import chooses, kernel, refuse_second

CONTROLLERS: dict[type, Callable[..., None]] = {}
PRESCRIBERS: dict[type, Callable[..., None]] = {}


def controller(kind: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a kernel `(params, dynamics, time, q, v)` that adds forces, for such parameters."""
    return _register(CONTROLLERS, kind)


def prescriber(kind: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a kernel `(params, dynamics, time, q, v)` that prescribes, for such parameters."""
    return _register(PRESCRIBERS, kind)


def _register(registry: dict[type, Callable[..., None]], kind: type) -> Callable[..., Any]:
    def declare(function: Callable[..., None]) -> Callable[..., None]:
        refuse_second(kind, registry.get(kind), function)
        registry[kind] = kernel(function)
        return registry[kind]

    return declare


@kernel
def _nothing(params, dynamics, time, q, v):
    """Do nothing: a controller that does not prescribe, in `prescribe`, and the reverse."""


def control(controllers, dynamics, time, q, v):
    """Add the forces of all controllers to `dynamics.control`."""
    for one in controllers:
        CONTROLLERS.get(type(one), _nothing)(one, dynamics, time, q, v)


def prescribe(controllers, dynamics, time, q, v):
    """Overwrite what the controllers prescribe of q, v and the accelerations."""
    for one in controllers:
        PRESCRIBERS.get(type(one), _nothing)(one, dynamics, time, q, v)


def _overload_for_tuples(
    each: Callable[..., None], registry: dict[type, Callable[..., None]]
) -> None:
    """Compile `each` for a tuple of controllers: the first one's kernel, then the rest."""

    @chooses(each)
    def compiled(controllers, dynamics, time, q, v):
        if not isinstance(controllers, types.BaseTuple):
            return None
        if len(controllers) == 0:
            return lambda controllers, dynamics, time, q, v: None
        first = registry.get(controllers[0].instance_class, _nothing)

        def all_of_them(controllers, dynamics, time, q, v):
            first(controllers[0], dynamics, time, q, v)
            each(controllers[1:], dynamics, time, q, v)

        return all_of_them


_overload_for_tuples(control, CONTROLLERS)
_overload_for_tuples(prescribe, PRESCRIBERS)
