"""Options of a task: the robot, its servos, the contact model and times."""

from __future__ import annotations

from typing import Any

from stiction.description.arguments import count, number, steps_of_rate
from stiction.errors import InputError
from stiction.simulation.arguments import AUTOMATIC, checked_dt

DEFAULTS: dict[str, Any] = {
    "robot": "hoap1",
    "task": "stand",
    "contact": AUTOMATIC,
    "dt": 0.002,
    "rate": 50.0,
    "episode": 10.0,
    "scale": 0.5,
    "stiffness": None,
    "damping": None,
    "actuators": False,
    "smooth": 0.1,
}


def checked_options(given: dict[str, Any]) -> dict[str, Any]:
    """All options, with those that were given."""
    unknown = [name for name in given if name not in DEFAULTS]
    if unknown:
        raise InputError(f"no option '{unknown[0]}'; there are {', '.join(DEFAULTS)}")
    return {**DEFAULTS, **given}


def times_of(options: dict[str, Any]) -> tuple[float, int, int]:
    """Time step [s], steps between two actions, and actions of the longest episode."""
    dt = checked_dt(options["dt"])
    every = steps_of_rate("rate", options["rate"], dt)
    count("rate: steps of dt between two actions", every, 10**6)
    episode = number("episode", options["episode"], "s", positive=True)
    return dt, every, max(1, round(episode / (every * dt)))
