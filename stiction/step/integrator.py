"""The plug-in point for integrators: parameter tuples whose type selects the compiled kernel.

    @integrator(MyIntegrator)
    def my_integrator(params, system, state, work, time, dt): ...  # -> status

moves `state.q` and `state.v` from time to time + dt. `compute_forces`, `solve_motion` and
`solve_motion_again` of step.py give the accelerations; finally, an integrator calls `prescribe` at
the end of the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from stiction.compiler.compiled import chooses, refuse_second
from stiction.compiler.plug_ins import declare_plug_in


class Accounting(NamedTuple):
    """Where in a step, from 0 at its start to 1 at its end, recorded forces do work."""

    configuration: float = 0.5  # at which contact forces and external forces act
    damping: float = 0.5  # velocity that joint damping acts at
    torque_held: bool = True  # recorded torques act throughout the step; if not, at its start


IN_THE_MIDDLE = Accounting()
INTEGRATORS: dict[type, Callable[..., int]] = {}
GROWTH: dict[type, Callable[[Any], Any]] = {}
ACCOUNTING: dict[type, Accounting] = {}
ARGUMENTS = ("params", "system", "state", "work", "time", "dt")


def integrator(
    kind: type,
    growth: Callable[[Any], Any] | None = None,
    accounting: Accounting = IN_THE_MIDDLE,
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Register a kernel `(params, system, state, work, time, dt) -> status` for a parameter type.

    growth: for an integrator that treats damping explicitly, the factor by which a step multiplies
    a solution of x' = (z / dt) x, as a function of complex z; `simulate` then warns of steps too
    long for servos and joint springs and dampers. accounting: for the energy balance of a motion.
    """

    def declare(function: Callable[..., int]) -> Callable[..., int]:
        declare_plug_in("integrator", function, ARGUMENTS, status=True)
        refuse_second(kind, INTEGRATORS.get(kind), function)
        INTEGRATORS[kind], ACCOUNTING[kind] = function, accounting
        if growth is not None:
            GROWTH[kind] = growth
        return function

    return declare


def integrate(params: Any, system: Any, state: Any, work: Any, time: float, dt: float) -> int:
    """Move the state by one step with the integrator that `params` belongs to; returns a status."""
    return INTEGRATORS[type(params)](params, system, state, work, time, dt)


@chooses(integrate)
def _integrate(params, system, state, work, time, dt):
    return INTEGRATORS[params.instance_class]  # compiled directly: one call level less
