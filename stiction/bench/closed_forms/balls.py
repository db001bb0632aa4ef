"""A ball that bounces, and one that slides until it rolls."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import FRICTION, GRAVITY, Material
from stiction.bench.closed_forms.spins import spin_over_ground
from stiction.bench.closed_forms.trial import (
    HEADINGS,
    Measures,
    Trial,
    along,
    percent,
    time_to_stop,
)

BOUNCES, DROP = 5, 1.0  # height of the drop [m]
ROLLING = ((1.0, 0.0), (4.0, 0.0), (4.0, HEADINGS[3]))  # speed [m/s], heading


def bounce_world() -> tuple[st.World, st.State]:
    """Return a ball 1 m above the ground."""
    world = st.World(st.robots.ball())
    return world, world.standing(above=DROP)


def flights(motion: st.Motion) -> Iterator[slice]:
    """Samples of free flight between two impacts; at least three."""
    touched = np.linalg.norm(motion.force[:-1], axis=2).any(axis=1) | (motion.depth[:-1] > 0).any(1)
    edges = np.flatnonzero(np.diff(np.concatenate([[True], touched, [True]]).astype(int)))
    for first, last in edges.reshape(-1, 2):  # free steps: first .. last - 1, samples first .. last
        if last - first >= 2:
            yield slice(int(first), int(last) + 1)


def apex(motion: st.Motion, flight: slice) -> float:
    """Height of the ball above the ground at the top of the parabola through a flight [m]."""
    t, z = motion.time[flight], motion.q[flight, 2]
    middle = t[len(t) // 2]
    a, b, c = np.polyfit(t - middle, z, 2)
    return float(c - b**2 / (4 * a)) - motion.world.robots[0].shape_size[0, 0]


def bounce(trial: Trial, e: float) -> Measures:
    """A ball dropped from 1 m rises to e^2 of its last height at each of five bounces."""
    contender = trial.contender
    if e > 0 and not (contender.has("restitution") or contender.is_law):
        return {}
    world, state = bounce_world()
    material = Material(restitution=e, speed=math.sqrt(2 * GRAVITY * DROP))
    duration = math.sqrt(2 * DROP / GRAVITY) * (1 + 2 * BOUNCES) + 0.1
    motion = trial.simulate(world, state, duration, material, points=1)
    tops = [apex(motion, flight) for flight in flights(motion)]
    if e == 0:
        lowest = motion.q[:, 2] - world.robots[0].shape_size[0, 0]
        hit = int(np.argmax(motion.force[:, 0, 2] > 0))  # the step in which it first touches
        after = lowest[hit + 1 :]  # it may descend the rest of the way in the next step
        rebound = float((after - np.minimum.accumulate(after)).max()) if hit else math.inf
        return {
            "rebound [mm]": 1000 * max(rebound, 0.0),
            "deepest [mm]": max(0.0, -1000 * lowest.min()),
        }
    ratios = np.array(tops[1:]) / np.array(tops[:-1])
    if len(ratios) < BOUNCES:
        return {"height per bounce [%]": math.inf, "energy gained": growth(motion)}
    worst = max(percent(float(ratio), e**2) for ratio in ratios[:BOUNCES])
    return {"height per bounce [%]": worst, "energy gained": growth(motion)}


def growth(motion: st.Motion) -> float:
    """Largest rise of the flight energy above its running minimum, over its first value."""
    energy = motion.energy().total - motion.energy().potential.min()
    energy = np.concatenate([energy[flight] for flight in flights(motion)])
    return float((energy - np.minimum.accumulate(energy)).max() / energy[0])


def bounces(trial: Trial) -> Measures:
    """All coefficients of restitution."""
    found: Measures = {}
    for e in (0.0, 0.5, 0.9, 1.0):
        found |= {f"e {e:g}: {name}": value for name, value in bounce(trial, e).items()}
    return found


def rolling(trial: Trial) -> Measures:
    """A ball slides until it rolls, after 2 v0 / (7 mu g), and keeps rolling with 5/7 v0."""
    if not trial.contender.slides:
        return {}
    world = st.World(st.robots.ball())
    radius = world.robots[0].shape_size[0, 0]
    rest = trial.settled(world, points=1)
    speed_error = time_error = kept = 0.0
    for v0, heading in ROLLING:
        state = st.State(rest.q, rest.v.copy())
        state.v[:2] += v0 * along(heading)
        exact = 2 * v0 / (7 * FRICTION * GRAVITY)
        motion = trial.simulate(world, state, exact + 5.0, points=1)
        speed = motion.v[:, :2] @ along(heading)
        slip = speed - radius * spin_over_ground(motion.q, motion.v) @ [
            -along(heading)[1],
            along(heading)[0],
        ]
        early = motion.time <= exact + 1.0
        time_error = max(time_error, percent(time_to_stop(motion, slip), exact))
        speed_error = max(speed_error, percent(float(speed[-1]), 5 / 7 * v0))
        kept = max(kept, percent(float(speed[-1]), float(speed[early][-1])))
    return {"speed [%]": speed_error, "time [%]": time_error, "lost in 4 s [%]": kept}
