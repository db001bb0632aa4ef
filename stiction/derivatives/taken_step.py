"""The step to be differentiated, taken once: what it started from and what it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stiction.contact.families.family import solves
from stiction.control.actuators import ActuatorTable
from stiction.simulation.arguments import bound_controllers
from stiction.simulation.saved_state import SavedState
from stiction.simulation.simulation import Simulation
from stiction.step.system import System, Work
from stiction.world.world import State, World, checked_vector, checked_world


class Given(NamedTuple):
    """The unchecked arguments of `linearise`, whose docstring explains them."""

    world: Any
    state: Any
    contact: Any
    dt: Any
    controller: Any
    forces: Any
    torque: Any
    integrator: Any


@dataclass(frozen=True)
class TakenStep:
    """One step of a simulation, whose arrays still hold what the step computed."""

    simulation: Simulation  # after the step
    before: SavedState
    controllers: tuple  # bound to the world
    torque: np.ndarray  # (nv) besides the controllers
    given: Given

    @property
    def world(self) -> World:
        """The world."""
        return self.simulation.world

    @property
    def dt(self) -> float:
        """Length of the step [s]."""
        return self.simulation.dt

    @property
    def system(self) -> System:
        """Everything that the step was computed from, with what it found."""
        return self.simulation._system

    @property
    def work(self) -> Work:
        """What the step recorded."""
        return self.simulation._work

    @property
    def start(self) -> State:
        """The state at the start of the step."""
        before = self.before
        return State(before.q, before.v, before.start + before.steps * self.dt)

    @property
    def acceleration(self) -> np.ndarray:
        """Mean acceleration over the step, (nv)."""
        return (self.simulation.state.v - self.before.v) / self.dt

    @property
    def actuators(self) -> int | None:
        """Which of the controllers drives the actuators of the world; None if none does."""
        kinds = [isinstance(one, ActuatorTable) for one in self.controllers]
        return kinds.index(True) if any(kinds) else None

    @property
    def has_impacts(self) -> bool:
        """Whether the step was taken in parts, because points hit something within it."""
        return self.solves and not np.array_equal(self.work.first_v, self.before.v)

    @property
    def solves(self) -> bool:
        """Whether the contact model is an impulse solver."""
        return solves(self.system.model)

    def with_signals(self, change: np.ndarray) -> tuple:
        """Return the controllers with this change of the actuators' signals, (nu)."""
        which = self.actuators
        if which is None or not change.any():
            return self.controllers
        table = self.controllers[which]
        changed = table._replace(control=table.control + change)
        return (*self.controllers[:which], changed, *self.controllers[which + 1 :])


def take_step(given: Given) -> TakenStep:
    """Check the arguments and take the step."""
    world = checked_world(given.world)
    saved = given.state if isinstance(given.state, SavedState) else None
    state = given.state if saved is None else State(saved.q, saved.v, saved.start)
    controllers = bound_controllers(world, given.controller)
    simulation = Simulation(
        world, given.contact, given.dt, state, controllers, given.forces, given.integrator
    )
    if saved is not None:
        simulation.restore_state(saved)
    torque = np.zeros(world.nv)
    if given.torque is not None:
        torque = checked_vector("torque", given.torque, world.nv, "force", world.dof_name)
    before = simulation.save_state()
    simulation.step(torque)
    return TakenStep(simulation, before, controllers, torque, given)
