"""Rods and boxes thrown over the ground: contact must not add energy."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import Material
from stiction.bench.closed_forms.trial import Measures, Trial
from stiction.errors import SimulationError

LASTS = 4.0  # [s]
FAST = 0.5  # turn in a step that contact cannot follow [rad]
IMPACT = 8.0  # about the largest speed of a corner [m/s]


class Thrown(NamedTuple):
    """A rod or a box in flight, and what it falls on."""

    world: st.World
    state: st.State
    mu: float
    restitution: float


def tumbler(rng: np.random.Generator) -> Thrown:
    """A rod or a box, thrown."""
    mass = rng.uniform(0.1, 3.0)
    if rng.random() < 0.5:
        thrown = st.robots.rod(rng.uniform(0.1, 1.0), rng.uniform(0.004, 0.03), mass)
    else:
        x, y, z = rng.uniform(0.05, 0.5, 3).tolist()
        thrown = st.robots.box((x, y, z), mass)
    world = st.World(thrown, ground=st.Plane())
    state = world.standing(above=rng.uniform(1.0, 2.0))
    turn = rng.normal(size=4)
    state.q[3:7] = turn / np.linalg.norm(turn)
    state.v[:3], state.v[3:] = 2.0 * rng.normal(size=3), 8.0 * rng.normal(size=3)
    restitution = float(rng.integers(2)) if rng.random() < 0.2 else rng.uniform(0, 1)
    return Thrown(world, state, rng.uniform(0, 1), restitution)


def energy_gains(motion: Any, dt: float) -> tuple[float, float | None]:
    """Largest gain of energy over the start, and over any earlier moment, of the initial energy.

    The latter is None if the body turns by more than half a radian in a step: a thin rod can spin
    about its axis by two, and nothing follows its contact then.
    """
    energy = motion.energy().total
    over_start = float((energy.max() - energy[0]) / energy[0])
    if dt * np.linalg.norm(motion.v[:, 3:], axis=1).max() >= FAST:
        return over_start, None
    return over_start, float((energy - np.minimum.accumulate(energy)).max() / energy[0])


def tumblers(trial: Trial) -> Measures:
    """Rods and boxes that tumble over the ground for 4 s never gain energy.

    Friction and impacts only take energy from a body, for every coefficient of friction and of
    restitution from 0 to 1. Models and engines without restitution run with 0; force laws with the
    damper of each coefficient. A run that diverges has gained infinitely much.
    """
    contender = trial.contender
    if not contender.slides:
        return {}
    bounces = contender.has("restitution") or contender.is_law
    rng, starts, moments = np.random.default_rng(0), [], []
    for _ in range(contender.throws):
        world, state, mu, e = tumbler(rng)
        material = Material(mu, mu, e if bounces else 0.0, IMPACT)
        try:
            motion = trial.simulate(world, state, LASTS, material, points=4)
        except SimulationError:  # it diverged
            starts.append(math.inf)
            continue
        over_start, over_any = energy_gains(motion, trial.dt)
        starts.append(over_start)
        if over_any is not None:
            moments.append(over_any)
    found: Measures = {
        "over the start [%]": 100 * max(starts),
        "over any moment [%]": 100 * max(moments, default=0.0),
    }
    return found
