"""A trial: scenes simulated under one contact model or engine, with one time step."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import Contender, Load, Material, model_for

Measures = dict[str, float | None]

HEADINGS = tuple(math.radians(degrees) for degrees in (0.0, 30.0, 45.0, 77.0))
SETTLING = 0.5  # before a block at rest is measured [s]
NEARLY = 1e-3  # of its initial speed: a faster block still slides


class Trial:
    """One model or engine with one time step; stores the worst criteria of its motions."""

    def __init__(self, contender: Contender, dt: float) -> None:
        """Start with nothing simulated."""
        self.contender: Any = contender
        self.dt = dt
        self.seconds_per_step = math.inf  # of the fastest run
        self.criteria: dict[str, float] = {}
        self.unsolved = 0  # steps that the solver gave up on

    def simulate(
        self,
        world: st.World,
        state: st.State,
        duration: float,
        material: Material = Material(),  # noqa: B008  a tuple
        forces: Iterable[st.TabulatedForce] = (),
        points: int = 4,
    ) -> st.Motion:
        """Simulate and update the contact criteria. points: number that carry the body."""
        load = Load(material, world.robots[0].total_mass / points, self.dt)
        begin = time.perf_counter()
        motion = st.simulate(
            world,
            model_for(self.contender, load),
            duration=duration,
            dt=self.dt,
            state=state,
            forces=forces,
            integrator=self.contender.integrator,
        )
        self.timed(time.perf_counter() - begin, len(motion) - 1)
        self.unsolved += motion.solver_summary().failures
        if self.contender.slides and material.restitution == 0:
            worst = motion.criteria().worst()
            self.criteria = {
                name: max(value, self.criteria.get(name, 0.0)) for name, value in worst.items()
            }
        return motion

    def timed(self, seconds: float, steps: int) -> None:
        """Keep the time per step of the fastest run."""
        self.seconds_per_step = min(self.seconds_per_step, seconds / max(steps, 1))

    def told(self) -> dict[str, float]:
        """Worst criteria and number of unsolved steps, by name, where they apply."""
        units = ("N s", "m/s", "J", "J", "J")  # of all but the last, which exact models violate
        named = {
            f"{name} [{unit}]": value
            for (name, value), unit in zip(self.criteria.items(), units, strict=False)
        }
        return named if self.contender.is_law else {**named, "unsolved steps": self.unsolved}

    def settled(
        self,
        world: st.World,
        material: Material = Material(),  # noqa: B008  a tuple
        points: int = 4,
    ) -> st.State:
        """Return the state after some time at rest, at time 0."""
        motion = self.simulate(world, world.standing(), SETTLING, material, points=points)
        return st.State(motion.q[-1].copy(), motion.v[-1].copy())


def along(heading: float) -> np.ndarray:
    """Unit vector (2) of a heading."""
    return np.array([math.cos(heading), math.sin(heading)])


def time_to_stop(motion: st.Motion, speed: np.ndarray) -> float:
    """When a linearly decreasing speed (n) reaches zero, extrapolated from near the end [s]."""
    moving = np.flatnonzero(speed > NEARLY * speed[0])
    if len(moving) < 2 or moving[-1] == len(speed) - 1:
        return math.inf
    k = int(moving[-1])
    deceleration = (speed[k - 1] - speed[k]) / (motion.time[k] - motion.time[k - 1])
    if deceleration <= 0:
        return math.inf
    return float(motion.time[k] - motion.time[0] + speed[k] / deceleration)


def percent(found: float, exact: float) -> float:
    """Relative error."""
    return 100 * abs(found / exact - 1)
