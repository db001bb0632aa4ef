"""Controllers in Python next to compiled ones: called at their own rate, results held, delayed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.description.arguments import shown, steps_of_rate, steps_of_time
from stiction.errors import InputError
from stiction.world.world import checked_vector

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation


@dataclass(frozen=True)
class PythonController:
    """A function of the simulation, called at a rate; its result is held until the next one acts.

    It returns forces along the coordinates (nv), or a dictionary of set-points by the names of
    actuators, or None for no change. `Simulation(controller=...)` takes it alone or among others.

    rate: how often it is called [Hz]; None for every step. delay: from a call until its result acts
    [s]. Both must be whole numbers of steps.
    """

    function: Callable[[Any], Any]
    rate: float | None = None
    delay: float = 0.0

    @property
    def name(self) -> str:
        """The name of the function, for messages."""
        return str(getattr(self.function, "__qualname__", type(self.function).__name__))


def divided(controller: Any) -> tuple[Any, tuple[PythonController, ...]]:
    """Compiled controllers and those in Python, of what `Simulation(controller=...)` was given."""
    if isinstance(controller, PythonController):
        return None, (controller,)
    if not isinstance(controller, tuple | list) or hasattr(controller, "_fields"):
        return controller, ()
    in_python = tuple(one for one in controller if isinstance(one, PythonController))
    return tuple(one for one in controller if not isinstance(one, PythonController)), in_python


class Asked:
    """One controller of a simulation, its results that do not act yet, and its present forces."""

    def __init__(self, given: PythonController, dt: float, nv: int) -> None:
        """Check the rate and the delay."""
        if not callable(given.function):
            raise InputError(
                f"PythonController: found {shown(given.function)}; give a function of the "
                "simulation"
            )
        self.given, self.torque = given, np.zeros(nv)
        what = f"PythonController '{given.name}'"
        self.period = 1
        if given.rate is not None:
            self.period = steps_of_rate(f"{what}: rate", given.rate, dt)
        self.delay = steps_of_time(f"{what}: delay", given.delay, dt)
        self.answers: deque[tuple[int, Any]] = deque()  # and the step before which they act
        self.asked_at = -1

    def clear(self) -> None:
        """Forget all answers."""
        self.answers.clear()
        self.asked_at = -1
        self.torque[:] = 0.0

    def act(self, simulation: Simulation) -> None:
        """Call it if it is time to, and let the result act that is due before the next step."""
        now = simulation._steps
        if now % self.period == 0 and not (
            self.answers and self.answers[-1][0] == now + self.delay
        ):
            self.answers.append((now + self.delay, self._answer(simulation)))
        while self.answers and self.answers[0][0] <= now:
            answer = self.answers.popleft()[1]
            if isinstance(answer, Mapping):
                simulation.control.update(answer)
            elif answer is not None:
                self.torque[:] = answer

    def steps_left(self, now: int) -> int:
        """Steps until it is called again, or a result acts."""
        left = self.period - now % self.period
        return min(left, self.answers[0][0] - now) if self.answers else left

    def _answer(self, simulation: Simulation) -> Any:
        answer = self.given.function(simulation)
        where = f"'{self.given.name}' at t = {simulation.time:.6g} s"
        if answer is None:
            return None
        try:
            if isinstance(answer, Mapping):
                simulation.control.check(answer)
                return dict(answer)
            world = simulation.world
            return checked_vector("torque", answer, world.nv, "force", world.dof_name)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None


class InPython:
    """All controllers of a simulation that are in Python."""

    def __init__(self, given: Sequence[PythonController], dt: float, nv: int) -> None:
        """Check all of them."""
        self._asked = [Asked(one, dt, nv) for one in given]

    def __bool__(self) -> bool:
        """Whether there is one."""
        return len(self._asked) > 0

    def clear(self) -> None:
        """Forget all answers."""
        for one in self._asked:
            one.clear()

    def act(self, simulation: Simulation, base: np.ndarray, applied: np.ndarray) -> int:
        """Write `base` and the forces of all; returns steps until one of them may change."""
        for one in self._asked:
            one.act(simulation)
        applied[:] = base
        for one in self._asked:
            applied += one.torque
        return min(one.steps_left(simulation._steps) for one in self._asked)
