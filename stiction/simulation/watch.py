"""What a simulation warns of while it is stepped, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction.collision.bodies import NoBodies
from stiction.contact.contact_model import MODELS
from stiction.motion.unsolved import warn_of_unsolved
from stiction.simulation.warn import (
    GIVEN,
    corrects_depth,
    tolerated_depth,
    warn_of_depth,
    warn_of_energy,
    warn_of_shapes,
    weight_times_size,
)

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation
    from stiction.step.loop import Alarm

DEEPER = 1.1  # times the depth last judged: then it is judged again


class Watch:
    """Warnings of unsolved steps, shapes, energy from contact and depth, for one simulation.

    The compiled loop compares what it finds with the limits of an `Alarm`, so that Python looks at
    nothing in most steps.
    """

    def __init__(self, simulation: Simulation) -> None:
        """Begin with no warning given."""
        self._simulation = simulation
        self._unsolved = self._energy = self._shapes = self._depth = False
        self._judged = 0.0  # deepest so far [m]
        surface = simulation._system.surface
        bodies = surface.bodies
        self.doubtful = None if isinstance(bodies, NoBodies) else bodies.doubtful
        model = simulation._system.model
        self._deepens = MODELS[type(model)].landing_depth is not None
        if corrects_depth(model):
            self._deepens, self._judged = True, tolerated_depth(simulation) / DEEPER
        self._tolerated: float | None = None  # energy that contact may add [J]

    def set_limits(self, alarm: Alarm) -> None:
        """Write the limits beyond which there may be something to warn of."""
        alarm.unsolved[0] = np.iinfo(np.int64).max if self._unsolved else 0
        alarm.work[0] = np.inf if self._energy else self._tolerated or 0.0
        looks = self._deepens and not self._depth
        alarm.depth[0] = DEEPER * self._judged if looks else np.inf

    def warn_once(self, stacklevel: int) -> list[str]:
        """Warn of unsolved steps, shapes and energy; returns messages about the last two."""
        simulation = self._simulation
        if simulation.unsolved.count and not self._unsolved:
            self._unsolved = True
            warn_of_unsolved(simulation.unsolved.message(simulation.contact), stacklevel + 1)
        told: list[str] = []
        if not self._shapes:
            told = warn_of_shapes(simulation._system.surface, stacklevel + 1)
            if told:
                self._shapes, self.doubtful = True, None
        if self._energy or simulation.contact_gain == 0:
            return told
        energy = warn_of_energy(simulation, simulation._report, stacklevel + 1)
        self._energy, self._tolerated = len(energy) > 0, GIVEN * weight_times_size(simulation)
        return [*told, *energy]

    def warn_of_depth(self, stacklevel: int) -> None:
        """Warn if the last step was deeper than dt allows; judged again only if it deepens."""
        depth = self._simulation._work.depth
        deepest = float(depth.max(initial=0.0))
        if self._depth or deepest <= DEEPER * self._judged:
            return
        self._judged = deepest
        told = warn_of_depth(self._simulation, depth[np.newaxis], stacklevel + 1)
        self._depth = len(told) > 0
