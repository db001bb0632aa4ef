"""Controllers in Python next to compiled ones: called at their own rate, results held, delayed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.description.arguments import shown, steps_of_rate, steps_of_time
from stiction.errors import InputError
from stiction.simulation.set_points import actuator_names
from stiction.world.world import World, checked_vector

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation

# Columns of `Asked.memory`, before those of forces and set-points.
DUE = 0  # step before which an answer acts; -1 in rows that are not used, and in the first
KIND = 1  # NOTHING, FORCES or SET_POINTS
HEAD = 2
NOTHING, FORCES, SET_POINTS = 0, 1, 2


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

    def __init__(self, given: PythonController, dt: float, world: World) -> None:
        """Check the rate and the delay."""
        if not callable(given.function):
            raise InputError(
                f"PythonController: found {shown(given.function)}; give a function of the "
                "simulation"
            )
        self.given, self.torque = given, np.zeros(world.nv)
        self.names = actuator_names(world)
        what = f"PythonController '{given.name}'"
        self.period = 1
        if given.rate is not None:
            self.period = steps_of_rate(f"{what}: rate", given.rate, dt)
        self.delay = steps_of_time(f"{what}: delay", given.delay, dt)
        self.answers: deque[tuple[int, Any]] = deque()  # and the step before which they act
        self.set_points: dict[str, Any] = {}  # that it has set so far

    def clear(self) -> None:
        """Forget all answers."""
        self.answers.clear()
        self.set_points.clear()
        self.torque[:] = 0.0

    def memory(self) -> np.ndarray:
        """What the continuation depends on, a row for what acts and one for each later answer."""
        later = self.delay // self.period + 1
        rows = np.full((1 + later, HEAD + len(self.torque) + len(self.names)), np.nan)
        rows[:, DUE], rows[:, KIND] = -1, NOTHING
        for acting in (self.set_points, self.torque):
            self._write(rows[0], acting)
        for row, (due, answer) in zip(rows[1:], self.answers, strict=False):
            row[DUE] = due
            self._write(row, answer)
        return rows

    def recall(self, rows: np.ndarray, simulation: Simulation) -> None:
        """Let act again, or later, what `memory` returned."""
        self.clear()
        self.torque[:] = self._read(rows[0], FORCES)
        self.set_points = self._read(rows[0], SET_POINTS)
        if self.set_points:
            simulation.control.update(self.set_points)
        for row in rows[1:]:
            if row[DUE] >= 0:
                answer = None if row[KIND] == NOTHING else self._read(row, row[KIND])
                self.answers.append((int(row[DUE]), answer))

    def _write(self, row: np.ndarray, answer: Any) -> None:
        nv = len(self.torque)
        if isinstance(answer, Mapping):
            row[KIND] = SET_POINTS
            for name, value in answer.items():
                row[HEAD + nv + self.names.index(name)] = value
        elif answer is not None:
            row[KIND], row[HEAD : HEAD + nv] = FORCES, answer

    def _read(self, row: np.ndarray, kind: float) -> Any:
        nv = len(self.torque)
        if kind == FORCES:
            return row[HEAD : HEAD + nv].copy()
        given = zip(self.names, row[HEAD + nv :].tolist(), strict=True)
        return {name: value for name, value in given if not np.isnan(value)}

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
                self.set_points.update(answer)
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

    def __init__(self, given: Sequence[PythonController], dt: float, world: World) -> None:
        """Check all of them."""
        self._asked = [Asked(one, dt, world) for one in given]

    def __bool__(self) -> bool:
        """Whether there is one."""
        return len(self._asked) > 0

    def clear(self) -> None:
        """Forget all answers."""
        for one in self._asked:
            one.clear()

    def memories(self) -> tuple[np.ndarray, ...]:
        """What the continuation depends on, of each."""
        return tuple(one.memory() for one in self._asked)

    def recall(self, memories: Sequence[np.ndarray], simulation: Simulation) -> None:
        """Let act again what `memories` returned."""
        for one, memory in zip(self._asked, memories, strict=True):
            one.recall(memory, simulation)

    def act(self, simulation: Simulation, base: np.ndarray, applied: np.ndarray) -> int:
        """Write `base` and the forces of all; returns steps until one of them may change."""
        for one in self._asked:
            one.act(simulation)
        applied[:] = base
        for one in self._asked:
            applied += one.torque
        return min(one.steps_left(simulation._steps) for one in self._asked)
