"""A block that slides, stays on a slope, breaks away, and rests."""

from __future__ import annotations

import math

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import FRICTION, GRAVITY, Material
from stiction.bench.closed_forms.trial import (
    HEADINGS,
    SETTLING,
    Measures,
    Trial,
    along,
    percent,
    time_to_stop,
)

SPEEDS = (0.5, 1.0, 3.0, 4.0)  # of a block that slides [m/s]
AFTER = 0.2  # simulated time after it stopped [s]
ABOVE_ANGLE, BELOW_ANGLE = 1.01, 0.99  # slope over coefficient of friction
STATIC, KINETIC = 1.0, 0.4
RAMP = 4.0  # [N/s]
BLOCK = 1.0  # mass of the block that a force pulls [kg]
AT_REST = 1e-6  # [m/s]


def stopping(trial: Trial) -> Measures:
    """A block slides to rest after v0^2 / (2 mu g), without changing direction."""
    distance, duration, creep = 0.0, 0.0, 0.0
    if not trial.contender.slides:
        return {}
    world = st.World(st.robots.brick())
    rest = trial.settled(world)
    for heading in HEADINGS:
        for v0 in SPEEDS:
            way, time = v0**2 / (2 * FRICTION * GRAVITY), v0 / (FRICTION * GRAVITY)
            state = st.State(rest.q, rest.v.copy())
            state.v[:2] += v0 * along(heading)
            motion = trial.simulate(world, state, time + AFTER)
            off = motion.q[-1, :2] - rest.q[:2] - way * along(heading)
            distance = max(distance, 100 * float(np.linalg.norm(off)) / way)
            stopped = time_to_stop(motion, motion.v[:, :2] @ along(heading))
            duration = max(duration, percent(stopped, time))
            last = motion.time > time + AFTER / 2
            creep = max(creep, 1000 * float(np.linalg.norm(motion.v[last, :3], axis=1).max()))
    return {"distance [%]": distance, "time [%]": duration, "speed at rest [mm/s]": creep}


def tilted_world(angle: float, heading: float) -> st.World:
    """Return a brick flat on a slope that rises in the direction `heading`."""
    x, y = along(heading)
    quaternion = [math.cos(angle / 2), *(math.sin(angle / 2) * np.array([y, -x, 0.0]))]
    return st.World(
        st.robots.brick().at((0.0, 0.0, 0.0), quaternion), ground=st.Slope(angle, heading)
    )


def slope_below(trial: Trial) -> Measures:
    """A block on a slope at 99 % of the friction angle does not move."""
    angle = math.atan(BELOW_ANGLE * FRICTION)
    mean, largest, duration = 0.0, 0.0, 2.0
    for heading in HEADINGS:
        world = tilted_world(angle, heading)
        motion = trial.simulate(world, world.standing(), SETTLING + duration)
        settled = motion.time >= SETTLING
        q, v = motion.q[settled, :3], motion.v[settled, :3]
        mean = max(mean, 1000 * float(np.linalg.norm(q[-1] - q[0])) / duration)
        largest = max(largest, 1000 * float(np.linalg.norm(v, axis=1).max()))
    return {"drift [mm/s]": mean, "largest speed [mm/s]": largest}


def slope_above(trial: Trial) -> Measures:
    """At 101 % it slides with acceleration g (sin - mu cos), and all four corners always touch."""
    if not trial.contender.slides:
        return {}
    angle = math.atan(ABOVE_ANGLE * FRICTION)
    exact = GRAVITY * (math.sin(angle) - FRICTION * math.cos(angle))
    error, lost = 0.0, 0.0
    for heading in HEADINGS:
        world = tilted_world(angle, heading)
        motion = trial.simulate(world, world.standing(), 1.0)
        down = -np.array([*(math.cos(angle) * along(heading)), math.sin(angle)])
        half = len(motion) // 2
        gained = (motion.v[-1, :3] - motion.v[half, :3]) @ down
        error = max(error, percent(gained / (motion.time[-1] - motion.time[half]), exact))
        carrying = (np.linalg.norm(motion.force[:-1], axis=2) > 0).sum(axis=1)
        lost = max(lost, 100 * float((carrying < 4).mean()))
    return {"acceleration [%]": error, "steps with a corner lifted [%]": lost}


def break_away(trial: Trial) -> Measures:
    """A force in the plane of contact grows by 4 N/s until the block breaks away and slides.

    The force in the middle of the last step before the block moves is compared with mu_s m g. A
    fixed step resolves that instant to one step only, so the growth of the force in one step is
    subtracted from the error. The gain of speed over the following 0.5 s is compared with that
    under mu_k. Without the subtraction: the same speed is compared with that of a break-away at the
    exact instant.
    """
    if not trial.contender.tells_static_friction:
        return {}
    world = st.World(st.robots.brick(mass=BLOCK))
    height = -float(world.standing().q[2])
    weight = BLOCK * GRAVITY
    moment, after = STATIC * weight / RAMP, 0.5  # [s]
    material = Material(STATIC, KINETIC)
    rest = trial.settled(world, material)
    force_error = speed_error = whole_error = 0.0
    for heading in (HEADINGS[0], HEADINGS[1]):
        end = moment + after + 0.1
        pull = [[0.0, 0.0, 0.0], [*(RAMP * end * along(heading)), 0.0]]
        ramp = st.TabulatedForce("brick", (0.0, 0.0, height), [0.0, end], pull)
        motion = trial.simulate(world, rest, moment + after, material, [ramp])
        speed = motion.v[:, :2] @ along(heading)
        k = int(np.flatnonzero(speed <= AT_REST)[-1])  # at rest for the last time
        if k >= len(motion) - 2:
            return {"force, minus one step [%]": math.inf, "speed gained afterwards [%]": math.inf}
        force = RAMP * (motion.time[k] + trial.dt / 2)
        off = max(0.0, abs(force - STATIC * weight) - RAMP * trial.dt)
        force_error = max(force_error, 100 * off / (STATIC * weight))

        def gain(t0: float, t1: float) -> float:
            return (RAMP * (t1**2 - t0**2) / 2 - KINETIC * weight * (t1 - t0)) / BLOCK

        t1 = float(motion.time[-1])
        error = percent(float(speed[-1] - speed[k + 1]), gain(float(motion.time[k + 1]), t1))
        speed_error = max(speed_error, error)
        whole_error = max(whole_error, percent(float(speed[-1]), gain(moment, t1)))
    return {
        "force, minus one step [%]": force_error,
        "speed gained afterwards [%]": speed_error,
        "speed, nothing subtracted [%]": whole_error,
    }


def corners(trial: Trial, points: int) -> Measures:
    """A block at rest: every point always carries the same force."""
    brick = st.robots.brick()
    world = st.World(brick if points == 4 else brick.with_sole_points("brick", points // 2, 2))
    motion = trial.simulate(world, world.standing(), SETTLING + 0.5, points=points)
    force = motion.force[:-1][motion.time[:-1] >= SETTLING]
    weight = world.robots[0].total_mass * GRAVITY
    carrying = force[:, np.linalg.norm(force, axis=2).max(axis=0) > 0]
    share = weight / points
    if carrying.shape[1] != points:
        return {"a point": math.inf, "sum": math.inf, "over time": math.inf}
    off = np.linalg.norm(carrying - [0.0, 0.0, share], axis=2).max() / share
    total = np.linalg.norm(force.sum(axis=1) - [0.0, 0.0, weight], axis=1).max() / weight
    deviation = carrying.std(axis=0).max() / share
    return {"a point": float(off), "sum": float(total), "over time": float(deviation)}


def rest(trial: Trial) -> Measures:
    """A block on 4 corners and on 8 points."""
    return {
        f"{points} points: {name}": value
        for points in trial.contender.point_counts
        for name, value in corners(trial, points).items()
    }
