"""A rod that falls on its end: contact must not add energy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import stiction as st
from stiction.bench.closed_forms.models import GRAVITY, Material
from stiction.bench.closed_forms.trial import Measures, Trial, along

RESTITUTIONS = (0.0, 0.5, 0.8, 0.9, 1.0)
ANGLES = tuple(math.radians(degrees) for degrees in (5.0, 15.0, 30.0, 45.0, 60.0, 80.0))
FRICTIONS = (0.0, 0.2, 0.5, 1.0)
SPEEDS = (-2.0, 0.0, 2.0)  # along the ground [m/s]
SPINS = ((0.0, 0.0, 0.0), (0.0, 8.0, 0.0), (3.0, -8.0, 20.0))  # in its own axes [rad/s]
IMPACT = 5.0  # about the largest speed of an end [m/s]
HEADING = 0.3  # of the speed along the ground; the rod leans along x [rad]


def rod_states(world: st.World) -> Iterator[tuple[float, st.State]]:
    """Yield 72 ways to drop a rod on its end: coefficient of friction and state."""
    robot = world.robots[0]
    radius, half = robot.shape_size[0, :2]
    for k, (angle, mu) in enumerate(itertools.product(ANGLES, FRICTIONS)):
        for speed in SPEEDS:
            state = world.home()
            state.q[2] = 0.1 + radius + half * math.cos(angle)
            state.q[3:7] = [math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]
            state.v[:3] = [*(speed * along(HEADING)), -2.0]
            state.v[3:6] = SPINS[k % len(SPINS)]
            yield mu, state


def rod_gain(trial: Trial, e: float, newton_impacts: float = 0.0) -> float:
    """Largest gain of a rod's energy over its initial energy, of all or every so many drops."""
    world = st.World(st.robots.rod())
    robot, gain = world.robots[0], -math.inf
    lying = robot.total_mass * GRAVITY * robot.shape_size[0, 0]
    for mu, state in itertools.islice(rod_states(world), 0, None, trial.contender.every):
        material = Material(mu, mu, e, IMPACT, newton_impacts)
        # the effective mass at the end of a rod is a quarter of it: like one point out of four
        motion = trial.simulate(world, state, 0.6, material, points=4)
        energy = motion.energy().total - lying
        gain = max(gain, float(energy.max() / energy[0]) - 1)
    return gain


def rods(trial: Trial) -> Measures:
    """A rod falls on its end 72 times, with speed along the ground and spin; no energy gain.

    Engines, which are slower, take every sixth of these drops.
    """
    found: Measures = {}
    contender = trial.contender
    bounces = contender.has("restitution") or contender.is_law
    for e in RESTITUTIONS:
        found[f"e {e:g}: energy gained"] = rod_gain(trial, e) if bounces or e == 0 else None
    if contender.has("newton_impacts"):
        for e in RESTITUTIONS[2:]:
            found[f"e {e:g}: with newton_impacts"] = rod_gain(trial, e, newton_impacts=1.0)
    return found
