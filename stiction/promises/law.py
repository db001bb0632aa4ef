"""Definition of a law: a name, the promise that it belongs to, and a measuring trial."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stiction.contact.contact_model import FRICTION, MODELS, RESTITUTION, fields_of
from stiction.errors import InputError
from stiction.motion.motion import Motion
from stiction.simulation.simulate import simulate
from stiction.world.world import State, World

LONG = 1e-3  # the step for which the trials count theirs [s]


class Setting(NamedTuple):
    """Conditions under which the laws are checked."""

    mass: float = 2.0  # of the bodies [kg]
    dt: float = 1e-3  # longest time step [s]
    brief: bool = False  # few trials
    bodies: bool = False  # also between two moving bodies

    def few(self, many: int, few: int) -> int:
        """The number of trials: `few` in brief, else `many`."""
        return few if self.brief else many

    def steps(self, many: int, few: int) -> int:
        """The number of steps of a trial in which bodies have to meet first.

        That of `few()`, or more: bodies move for at least the time that those steps last at LONG.
        """
        steps = self.few(many, few)
        return max(steps, round(steps * LONG / self.dt))


class Measured(NamedTuple):
    """A number that a law bounds, and where it was measured."""

    value: float
    bound: float
    where: str

    @property
    def excess(self) -> float:
        """The value in units of the bound; NaN counts as infinite."""
        if not self.value <= self.bound:
            return self.value / self.bound if self.value > 0 < self.bound else math.inf
        return self.value / self.bound if self.bound > 0 else 0.0


Trial = Callable[[Any, Setting], Iterator[Measured]]


@dataclass(frozen=True)
class Law:
    """A law that every model obeys, or only models that promise it."""

    name: str
    trial: Trial
    promise: str | None  # None: every model obeys it
    long: bool  # takes thousands of steps: skipped in brief
    bodies: bool  # of two moving bodies

    def concerns(self, model: Any, setting: Setting) -> bool:
        """Whether a model must obey it, and it is checked in this setting."""
        promised = self.promise is None or self.promise in MODELS[type(model)].promises
        left_out = (self.long and setting.brief) or (self.bodies and not setting.bodies)
        return promised and not left_out


LAWS: list[Law] = []


def law(
    name: str, promise: str | None = None, long: bool = False, bodies: bool = False
) -> Callable[[Trial], Trial]:
    """Declare a trial that measures how far a model is from a law."""

    def declare(trial: Trial) -> Trial:
        LAWS.append(Law(name, trial, promise, long, bodies))
        return trial

    return declare


# ------------------------------------------------------------------------------------- for the laws


def run(
    world: World, model: Any, state: State, dt: float, steps: int = 1, **options: Any
) -> Motion:
    """Simulate some steps."""
    return simulate(world, model, duration=steps * dt, dt=dt, state=state, **options)


def require_touch(motion: Motion, where: str) -> Iterator[Measured]:
    """Break the law if there was no force: the trial would prove nothing."""
    if not motion.force[:-1].any():
        yield Measured(math.inf, 0.0, f"no force: {where}")


def farthest(found: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference of two arrays; NaN if one contains NaN."""
    return float(np.abs(np.asarray(found) - expected).max(initial=0.0))


def fields_with(model: Any, role: str) -> list[str]:
    """Names of the parameters of a model that have a role."""
    return [name for name, one in fields_of(type(model)).items() if one.role == role]


def with_friction(model: Any, mu: float) -> Any:
    """The same model with all its coefficients of friction equal."""
    return model._replace(**dict.fromkeys(fields_with(model, FRICTION), mu))


def with_restitution(model: Any, restitution: float) -> Any:
    """The same model with another restitution, if it has one."""
    return model._replace(**dict.fromkeys(fields_with(model, RESTITUTION), restitution))


def require_friction(model: Any, promise: str) -> None:
    """Raise InputError if a model makes a promise on friction but has no coefficient."""
    if not fields_with(model, FRICTION):
        raise InputError(
            f"{type(model).__name__} promises that {promise}, but none of its parameters is a "
            "coefficient of friction; annotate one as Friction from stiction.extend"
        )
