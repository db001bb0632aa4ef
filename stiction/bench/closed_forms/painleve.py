"""Rods that are pushed along the ground like chalk: Painleve's paradox.

Notation: m mass, I inertia about the centre, r radius of the round end on the ground, h distance of
its middle from the centre, theta angle between rod and ground, N normal force. The centre is ahead
of the end in x, and the end slides in -x.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import GRAVITY, Material
from stiction.bench.closed_forms.trial import Measures, Trial, percent
from stiction.kernels.response import NOT_CONVERGED

LENGTH, RADIUS, MASS = 0.8, 0.004, 1.1  # [m], [m], [kg]
SLIDES = tuple(itertools.product((0.6, 0.8), (0.5, 1.2), (2.0, 3.0)))  # angle, mu, speed [m/s]
JAMS = tuple(itertools.product((0.6, 0.8), (2.5, 5.0), (1.5, 2.5)))
WATCHED = 0.04  # [s]
SWEPT = tuple(
    itertools.product(
        np.linspace(0.15, 1.4, 6), (1.4, 3.0, 10.0, 20.0), (-5.0, -2.0, -0.5, 0.5, 2.0, 5.0)
    )
)


def chalk(angle: float, speed: float) -> tuple[st.World, st.State]:
    """A rod on one end at an angle to the ground, and its state, sliding along x."""
    turn = math.pi / 4 - angle / 2
    rod = st.robots.rod(LENGTH, RADIUS, MASS)
    world = st.World(rod.at((0.0, 0.0, 0.0), (math.cos(turn), 0.0, math.sin(turn), 0.0)))
    state = world.standing()
    state.v[0] = speed
    return world, state


def painleve(trial: Trial) -> Measures:
    """A rod slides or jams, depending on the sign of p; every step has a solution.

    While it slides, the height of the centre r + h sin theta and its moments give

        m h (cos theta theta'' - sin theta theta'^2) = N - m g
        I theta'' = -N (h cos theta - mu (h sin theta + r))

    so N p = m (g - h sin theta theta'^2), p = 1 + m h cos theta (h cos theta - mu (h sin theta +
    r)) / I. Where p < 0 and the right side is positive no force solves that: the rod jams, an
    impact without a collision. Its end stops in no time, and the angular momentum about it is kept:

        J theta' = m v (h sin theta + r),    J = I + m (h^2 + r^2 + 2 h r sin theta)

    Then the rod rolls over its end: J theta'' + m h r cos theta theta'^2 = -m g h cos theta.
    Unsolved steps are counted in a sweep of angles, speeds and coefficients up to 20, on one end
    and, with the rod lying, on both.
    """
    if not trial.contender.slides:
        return {}
    speed = max(
        percent(watched(trial, angle, mu, v) + v, exactly_slowed(trial.dt, angle, mu))
        for angle, mu, v in SLIDES
    )
    spin = max(
        percent(-watched(trial, angle, mu, v, 4), exactly_jammed(trial.dt, angle, v))
        for angle, mu, v in JAMS
    )
    found: Measures = {"slides: speed lost [%]": speed, "jams: angular speed [%]": spin}
    return found | (unsolved(trial) if trial.contender.reports_unsolved else {})


def watched(trial: Trial, angle: float, mu: float, speed: float, which: int = 0) -> float:
    """A velocity of a rod 40 ms after it was pushed in -x."""
    world, state = chalk(angle, -speed)
    motion = trial.simulate(world, state, WATCHED, Material(mu, mu))
    return float(motion.v[-1, which])


def unsolved(trial: Trial) -> Measures:
    """Number of unsolved steps of the sweep, on one end and on both."""
    one = both = 0
    for angle, mu, speed in SWEPT:
        world, state = chalk(angle, speed)
        motion = trial.simulate(world, state, 0.15, Material(mu, mu))
        failed = motion.solver[:-1, 2] == NOT_CONVERGED
        ends = (np.linalg.norm(motion.force[:-1], axis=2) > 0).sum(axis=1)
        one += int((failed & (ends < 2)).sum())
        both += int((failed & (ends > 1)).sum())
    return {"unsolved steps on one end": float(one), "unsolved steps on both": float(both)}


def exactly_slowed(dt: float, angle: float, mu: float) -> float:
    """Speed that the centre of a sliding rod loses, mu times the integral of N / m [m/s]."""
    h, inertia = _rod()

    def accelerated(theta: float, spin: float) -> tuple[float, float]:
        arm = h * math.cos(theta) - mu * (h * math.sin(theta) + RADIUS)
        p = 1 + MASS * h * math.cos(theta) * arm / inertia
        normal = MASS * (GRAVITY - h * math.sin(theta) * spin**2) / p
        return -normal * arm / inertia, mu * normal / MASS

    return _turned(accelerated, dt, angle, 0.0)[1]


def exactly_jammed(dt: float, angle: float, speed: float) -> float:
    """Angular speed of a rod that has jammed [rad/s]."""
    h, inertia = _rod()

    def about_end(theta: float) -> float:
        return inertia + MASS * (h * h + RADIUS**2 + 2 * h * RADIUS * math.sin(theta))

    def accelerated(theta: float, spin: float) -> tuple[float, float]:
        moment = MASS * h * math.cos(theta) * (GRAVITY + RADIUS * spin**2)
        return -moment / about_end(theta), 0.0

    first = MASS * speed * (h * math.sin(angle) + RADIUS) / about_end(angle)
    return _turned(accelerated, dt, angle, first)[0]


def _turned(
    accelerated: Callable[[float, float], tuple[float, float]], dt: float, theta: float, spin: float
) -> tuple[float, float]:
    """Angular speed, and the integral of the second rate, by the midpoint rule in 4000 steps."""
    steps, gained = 4000, 0.0
    step = round(WATCHED / dt) * dt / steps
    for _ in range(steps):
        ahead = spin + step / 2 * accelerated(theta, spin)[0]
        turned, rate = accelerated(theta + step / 2 * spin, ahead)
        theta, spin, gained = theta + step * ahead, spin + step * turned, gained + step * rate
    return spin, gained


def _rod() -> tuple[float, float]:
    """Distance h and inertia I."""
    return LENGTH / 2 - RADIUS, MASS * (3 * RADIUS**2 + LENGTH**2) / 12
