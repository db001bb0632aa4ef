"""The plug-in point for controllers: parameter tuples whose type selects the compiled kernel.

    class Spring(NamedTuple):
        stiffness: float

    @controller(Spring)
    def spring(params, dynamics, time, q, v):
        for d in range(len(v)):
            ...
            dynamics.control[d] += force
            dynamics.control_damping[d] += slope  # optional: minus the slope of the force over v[d]

Integrators with implicit damping treat declared damping implicitly, which keeps stiff gains stable
at long steps. A controller with memory, see memory.py, also takes its memory and the time step:

    @controller(Integral, memory=1)  # one number per velocity
    def integral(params, dynamics, time, q, v, memory, dt):
        ...
            memory.trial[d, 0] = memory.now[d, 0] + error * dt

A kernel made with `@prescriber` overwrites q, v and the acceleration of coordinates that are
prescribed functions of time.
"""

from __future__ import annotations

from collections.abc import Callable

from numba.core import types

from stiction.compiler.compiled import chooses, kernel, refuse_second
from stiction.compiler.plug_ins import declare_plug_in
from stiction.control.memory import ControlMemory, allocate_memory, begin_trial
from stiction.errors import InputError
from stiction.kernels.vectors import like

ARGUMENTS = ("params", "dynamics", "time", "q", "v")
CONTROLLERS: dict[type, Callable[..., None]] = {}
PRESCRIBERS: dict[type, Callable[..., None]] = {}
NUMBERS: dict[type, int] = {}  # remembered per velocity; controllers without memory are absent
HELD: set[type] = set()  # those that get the middle of the step as time, in all stages


def controller(
    kind: type, memory: int = 0, held: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a kernel `(params, dynamics, time, q, v)` that adds forces, for a parameter type.

    memory: how many numbers it remembers per velocity. If any, the kernel is
    `(params, dynamics, time, q, v, memory, dt)`. held: for a table whose rows act in whole steps;
    `time` is then the middle of the step in all of its stages.
    """
    if isinstance(memory, bool) or not isinstance(memory, int) or memory < 0:
        raise InputError(
            f"controller {kind.__name__}: memory is {memory!r}; give the number of values that "
            "it remembers per velocity, an integer from 0 up"
        )
    arguments = (*ARGUMENTS, "memory", "dt") if memory else ARGUMENTS

    def declare(function: Callable[..., None]) -> Callable[..., None]:
        compiled = _register(CONTROLLERS, kind, "controller", arguments, function)
        NUMBERS.pop(kind, None)
        HELD.discard(kind)
        if memory:
            NUMBERS[kind] = memory
        if held:
            HELD.add(kind)
        return compiled

    return declare


def prescriber(kind: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a kernel `(params, dynamics, time, q, v)` that prescribes, for a parameter type."""

    def declare(function: Callable[..., None]) -> Callable[..., None]:
        return _register(PRESCRIBERS, kind, "prescriber", ARGUMENTS, function)

    return declare


def _register(
    registry: dict[type, Callable[..., None]],
    kind: type,
    what: str,
    arguments: tuple[str, ...],
    function: Callable[..., None],
) -> Callable[..., None]:
    declare_plug_in(what, function, arguments, status=False)
    refuse_second(kind, registry.get(kind), function)
    registry[kind] = kernel(function)
    return registry[kind]


def allocate_memories(controllers: tuple, nv: int) -> tuple[ControlMemory, ...]:
    """Return the memories of the controllers that have one, in their order."""
    return tuple(
        allocate_memory(nv, NUMBERS[type(one)]) for one in controllers if type(one) in NUMBERS
    )


@kernel
def _nothing(params, dynamics, time, q, v):
    """Do nothing: a controller that does not prescribe, in `prescribe`, and the reverse."""


@kernel
def _now(instant):
    """Time of the evaluation."""
    return instant.time


@kernel
def _middle(instant):
    """Middle of the step: all stages agree, and rounding of a time at its ends does not matter."""
    return instant.step_time + like(instant.dt, 0.5) * instant.dt


def control(controllers, memories, dynamics, instant, q, v):
    """Add the forces of all controllers to `dynamics.control`.

    memories: of the controllers that have one, in the same order.
    """
    left = iter(memories)
    for one in controllers:
        asked = CONTROLLERS.get(type(one), _nothing)
        time = _middle(instant) if type(one) in HELD else instant.time
        if type(one) in NUMBERS:
            memory = next(left)
            begin_trial(memory)
            asked(one, dynamics, time, q, v, memory, instant.dt)
        else:
            asked(one, dynamics, time, q, v)


def prescribe(controllers, dynamics, time, q, v):
    """Overwrite the q, v and accelerations that controllers prescribe."""
    for one in controllers:
        PRESCRIBERS.get(type(one), _nothing)(one, dynamics, time, q, v)


# Compiled for a tuple of controllers: the first one's kernel, then the rest.


@chooses(control)
def _control(controllers, memories, dynamics, instant, q, v):
    if not isinstance(controllers, types.BaseTuple):
        return None
    if len(controllers) == 0:
        return lambda controllers, memories, dynamics, instant, q, v: None
    kind = controllers[0].instance_class
    first, when = CONTROLLERS.get(kind, _nothing), _middle if kind in HELD else _now

    def without_memory(controllers, memories, dynamics, instant, q, v):
        first(controllers[0], dynamics, when(instant), q, v)
        control(controllers[1:], memories, dynamics, instant, q, v)

    def with_memory(controllers, memories, dynamics, instant, q, v):
        begin_trial(memories[0])
        first(controllers[0], dynamics, when(instant), q, v, memories[0], instant.dt)
        control(controllers[1:], memories[1:], dynamics, instant, q, v)

    return with_memory if kind in NUMBERS else without_memory


@chooses(prescribe)
def _prescribe(controllers, dynamics, time, q, v):
    if not isinstance(controllers, types.BaseTuple):
        return None
    if len(controllers) == 0:
        return lambda controllers, dynamics, time, q, v: None
    first = PRESCRIBERS.get(controllers[0].instance_class, _nothing)

    def all_of_them(controllers, dynamics, time, q, v):
        first(controllers[0], dynamics, time, q, v)
        prescribe(controllers[1:], dynamics, time, q, v)

    return all_of_them
