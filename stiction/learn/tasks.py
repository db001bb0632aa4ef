"""What the environments ask of a robot; lengths and speeds are relative to its size."""

from __future__ import annotations

from dataclasses import dataclass

from stiction.description.arguments import number, shown
from stiction.errors import InputError

UNITS = {"speed": "sqrt(g h)", "turn": "rad/s", "push": "sqrt(g h)", "rough": "h"}


@dataclass(frozen=True)
class Task:
    """Commands, pushes and ground, for a robot whose base stands at a height h.

    The unit of speed is sqrt(g h).
    """

    speed: float = 0.0  # largest forward command [sqrt(g h)]; half of it backward and sideways
    turn: float = 0.0  # largest commanded rate of turning [rad/s]
    push: float = 0.0  # speed that the largest push gives the whole robot [sqrt(g h)]
    rough: float = 0.0  # amplitude of the ground [h]

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name, unit in UNITS.items():
            number(f"Task: {name}", getattr(self, name), unit, low=0)


TASKS = {
    "stand": Task(),
    "walk": Task(speed=0.25, turn=0.5),
    "push": Task(push=0.35),
    "rough": Task(speed=0.2, turn=0.3, rough=0.02),
}


def task_of(task: str | Task) -> Task:
    """A task, or that of a name."""
    if isinstance(task, Task):
        return task
    if not isinstance(task, str) or task not in TASKS:
        raise InputError(f"task: found {shown(task)}; give a Task or one of {', '.join(TASKS)}")
    return TASKS[task]
