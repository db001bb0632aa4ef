"""The film of a simulation that runs: one picture, of its current state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction.visual.frames import Film
from stiction.visual.poses import link_poses

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation

FRESH = ("base", "_touching", "_feet", "_zmp", "_slope", "few_points")  # of each new picture


class LiveFilm(Film):
    """One picture, which shows the current state of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        """Show the state that it starts from."""
        super().__init__(simulation.snapshot(), np.zeros(1, int))

    def update(self, simulation: Simulation) -> None:
        """Show the current state."""
        self.motion = simulation.snapshot()
        self.poses = link_poses(self.world, self.motion.q)
        for name in FRESH:
            self.__dict__.pop(name, None)
