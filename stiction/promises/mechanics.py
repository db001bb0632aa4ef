"""Laws of momentum, energy and rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from stiction.contact.contact_model import (
    IMPULSE_SOLVER,
    MODELS,
    NO_ENERGY_GAIN,
    UNIQUE_FORCES,
)
from stiction.motion.motion import Motion
from stiction.promises.bodies import plate, quaternion, thrown
from stiction.promises.law import (
    Measured,
    Setting,
    farthest,
    law,
    require_touch,
    run,
    with_friction,
    with_restitution,
)
from stiction.robots import biped10, box, brick, rod
from stiction.step.impacts import MOMENT, MOST
from stiction.world.world import World

G = 9.81
RESTITUTIONS = (0.0, 0.3, 0.8, 1.0)
BODIES = ("cube", "rod")


# ----------------------------------------------------------------------------------------- momentum


def uncertain(model: Any, impulse: np.ndarray, weight: np.ndarray) -> float:
    """Tolerance between impulses and the change of momentum [N s].

    The impulses of solvers match the motion to their tolerance only; and the weight keeps acting
    during impacts, which take MOMENT of a step instead of no time.
    """
    size = float(np.abs(impulse).max())
    if MODELS[type(model)].family != IMPULSE_SOLVER:
        return 1e-12 + 1e-10 * size
    return 1e-7 * size + MOST * MOMENT * float(np.abs(weight).max())


@law("momentum changes by the recorded forces and the weight")
def momentum(model: Any, setting: Setting) -> Iterator[Measured]:
    """Over a slide of a brick, and in every step of landings, which solvers divide into parts."""
    world, dt = World(brick(mass=setting.mass)), setting.dt / 10
    state = world.standing(above=-0.001)
    state.v[:] = [0.3, 0.1, -0.2, 1.0, -2.0, 0.5]
    motion = run(world, model, state, dt, setting.few(200, 20))
    weight = setting.mass * world.gravity * dt
    impulse = motion.force[:-1].sum(axis=(0, 1)) * dt + (len(motion) - 1) * weight
    gained = motion.momentum().linear[-1] - motion.momentum().linear[0]
    bound = uncertain(model, impulse, weight)
    yield Measured(farthest(gained, impulse), bound, "difference [N s]: a brick slides, tilting")

    world, rng, dt = World(plate(8, total_mass=setting.mass)), np.random.default_rng(3), setting.dt
    weight = setting.mass * world.gravity * dt
    for trial in range(setting.few(5, 1)):
        state = thrown(world, rng, tilt=0.3, speed=1.0, sinking=2.0, spin=3.0, above=2e-3)
        motion = run(world, model, state, dt, setting.steps(30, 5))
        impulse = motion.force[:-1].sum(axis=1) * dt + weight
        gained = np.diff(motion.momentum().linear, axis=0)
        bound = uncertain(model, impulse, weight)
        where = f"difference [N s]: landing {trial} of a plate on 8 points"
        yield Measured(farthest(gained, impulse), bound, where)
        yield from require_touch(motion, where)


# ------------------------------------------------------------------------------------------- energy


def toss(model: Any, setting: Setting, body: str, rng: Any, gravity: float) -> Motion:
    """Motion of a tilted cube or rod thrown at the ground, with random speed, spin and friction."""
    solid = body == "cube"
    robot = box((0.1,) * 3, setting.mass / 2) if solid else rod(mass=setting.mass / 4)
    flat = np.array([1, 1, 1, 1, 1, 1] if solid else [1, 0, 1, 0, 1, 0])
    axis = rng.normal(size=3) if solid else [0.0, 1.0, 0.0]
    robot = robot.at((0.0, 0.0, 0.0), quaternion(axis, rng.uniform(-1.5, 1.5)))
    world = World(robot, gravity=(0.0, 0.0, -gravity))
    state = world.standing(above=rng.uniform(0, 2e-4))
    speed, spin, friction = rng.choice([0.1, 3.0]), rng.choice([0.0, 1.0, 20.0]), rng.uniform(0, 1)
    state.v[:] = flat * [*(speed * rng.uniform(-1, 1, 3)), *(spin * rng.uniform(-1, 1, 3))]
    state.v[2] = -speed * rng.uniform(0.2, 1)
    return run(world, with_friction(model, friction), state, setting.dt, setting.steps(200, 10))


@law("contact adds no energy", promise=NO_ENERGY_GAIN)
def energy_gain(model: Any, setting: Setting) -> Iterator[Measured]:
    """Tosses of bodies whose free flight gains no energy: semi-implicit Euler loses m (g dt)^2/2.

    For a cube that always holds, for a rod as long as it does not spin about its axis. Under
    gravity, penetrating points are lifted out again, which takes a little work.
    """
    for restitution, body, gravity in [
        (e, body, g) for e in RESTITUTIONS for body in BODIES for g in (0.0, G)
    ]:
        law, rng = with_restitution(model, restitution), np.random.default_rng(17)
        count, trials = 0, setting.few(25, 1)
        kind = f"a {body} with restitution {restitution:g}, gravity {gravity:g} m/s2"
        for trial in range(trials):
            motion = toss(law, setting, body, rng, gravity)
            energy, kinetic = motion.energy().total, motion.energy().kinetic.max()
            count += bool(motion.force[:-1].any())
            where = f"toss {trial} of {kind}"
            if gravity == 0.0:
                gained = np.diff(energy).max() / kinetic
                yield Measured(gained, 1e-9, f"gain in a step / kinetic energy: {where}")
            gained = (energy.max() - energy[0]) / kinetic
            yield Measured(gained, 1e-6, f"gain / kinetic energy: {where}")
        if count < setting.few(15, 0):
            yield Measured(
                np.inf, 0.0, f"only {count} of {trials} tosses touched the ground: {kind}"
            )


@law("contact does no work on a robot that lands", promise=NO_ENERGY_GAIN)
def work_of_landing(model: Any, setting: Setting) -> Iterator[Measured]:
    """The work of the recorded forces, with the mean of the velocities before and after each step.

    It holds to second order in dt: points are constrained at their positions at the end of the
    step, while the foot turns.
    """
    model = with_restitution(model, 0.0)
    world, rng = World(biped10()), np.random.default_rng(5)
    for trial in range(setting.few(10, 1)):
        state = thrown(world, rng, tilt=0.5, speed=1.0, sinking=2.0, spin=3.0, joints=3.0)
        motion = run(world, model, state, setting.dt, setting.steps(50, 2))
        work = motion.energy_balance().contact[:-1].max() / motion.energy().kinetic.max()
        where = f"landing {trial} of biped10"
        yield Measured(float(work), 1e-6, f"work in a step / kinetic energy: {where}")
        yield from require_touch(motion, where)


# --------------------------------------------------------------------------------------------- rest


def settled_forces(model: Any, setting: Setting) -> np.ndarray:
    """Mean forces, (points, 3), over the last half second of 2 s in which a brick settles."""
    world, dt = World(brick(mass=setting.mass)), setting.dt / 5
    steps = round(2.0 / dt)
    motion = run(world, model, world.standing(above=0.01), dt, steps)
    return motion.force[-(steps // 4) : -1].mean(axis=0)  # some laws still oscillate a little


@law("a brick that is dropped comes to rest on its corners", long=True)
def rest(model: Any, setting: Setting) -> Iterator[Measured]:
    """The ground force equals the weight."""
    settled, weight = settled_forces(model, setting), setting.mass * G
    off = farthest(settled.sum(axis=0), np.array([0.0, 0.0, weight])) / weight
    yield Measured(off, 2e-3, "error of the total force / weight")
    along = float(np.abs(settled.sum(axis=0)[:2]).max())
    yield Measured(along, 1e-6, "total force along the ground [N]")
    carry = int((settled[:, 2] > 0).sum())
    yield Measured(
        abs(carry - 4), 0.0, f"{carry} of 8 corners carry load; a flat drop loads the lower 4"
    )


@law("a brick at rest loads its four lower corners equally", promise=UNIQUE_FORCES, long=True)
def equal_corners(model: Any, setting: Setting) -> Iterator[Measured]:
    """The state is symmetric, so the forces are symmetric."""
    settled = settled_forces(model, setting)
    pressed = settled[settled[:, 2] > 0]
    quarter = setting.mass * G / 4
    off = farthest(pressed[:, 2], np.array(quarter)) / quarter
    yield Measured(off, 2e-3, "error of a corner's normal force / a quarter of the weight")
    yield Measured(float(np.abs(pressed[:, :2]).max(initial=0.0)), 1e-6, "friction of a corner [N]")
