"""The laws between two moving bodies: both move, and the forces on them are opposite.

Most trials take place in space, so that nothing but the contact acts. On the tray, which slides
along x and y and turns about z, the weight presses a brick onto a body that gives way.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from stiction.contact.contact_model import (
    CONE_PER_POINT,
    FULL_FRICTION,
    IMPULSE_SOLVER,
    MODELS,
    NO_ENERGY_GAIN,
    NO_PULL,
    UNIQUE_FORCES,
)
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.integrators.semi_implicit import SemiImplicitEuler
from stiction.motion.motion import Motion
from stiction.promises.bodies import quaternion
from stiction.promises.forces import ALIKE, CONE, MU, SAME
from stiction.promises.invariance import UNITS, rotation
from stiction.promises.law import (
    Measured,
    Setting,
    farthest,
    law,
    require_friction,
    run,
    with_friction,
    with_restitution,
)
from stiction.promises.mechanics import RESTITUTIONS, G, uncertain
from stiction.promises.units import in_other_units
from stiction.robot.robot import Robot
from stiction.robots import box, brick
from stiction.step.record import FORCE, NORMAL, SHAPES
from stiction.world.world import State, World

SIZE = (0.2, 0.1, 0.06)  # of a brick [m]
STILL = (0.0, 0.0, 0.0)
NEVER = "no force between the bodies"


class Pressed(NamedTuple):
    """Points between two bodies, over the steps of a motion, (n, 3)."""

    normal: np.ndarray  # out of the second body
    force: np.ndarray  # on the first one


def pressed(motion: Motion) -> Pressed:
    """The points between bodies that carry a force."""
    rows = motion.between[:-1].reshape(-1, motion.between.shape[-1])
    force = rows[:, FORCE : FORCE + 3]
    rows = rows[(rows[:, SHAPES] > 0) & (force != 0).any(axis=1)]
    return Pressed(rows[:, NORMAL : NORMAL + 3], rows[:, FORCE : FORCE + 3])


def require_force(motion: Motion, where: str) -> Iterator[Measured]:
    """Break the law if the bodies did not touch: the trial would prove nothing."""
    if not len(pressed(motion).force):
        yield Measured(np.inf, 0.0, f"{NEVER}: {where}")


# ------------------------------------------------------------------------------------------- scenes


def bricks_in_space(setting: Setting, length: float = 1.0, mass: float = 1.0) -> World:
    """Two bricks without ground and gravity, the second one above the first; in given units."""
    x, y, z = (side / length for side in SIZE)
    lower, upper = (
        brick((x, y, z), share * setting.mass / mass).named(name)
        for share, name in ((1.5, "lower"), (1.0, "upper"))
    )
    above = (0.03 / length, 0.02 / length, z)
    return World(lower, upper.at(above), ground=None, gravity=STILL)


def meeting(
    world: World,
    depth: float,
    velocity: Any,
    *,
    spin: Any = STILL,
    common: Any = (0.3, -0.2, 0.5),
) -> State:
    """The upper brick is `depth` in the lower one, and moves relative to it; both drift."""
    state = world.home()
    state.q[9] -= depth
    state.v[:3] = np.asarray(common) - 0.4 * np.asarray(velocity)
    state.v[6:9] = np.asarray(common) + 0.6 * np.asarray(velocity)
    state.v[3:6], state.v[9:12] = -0.5 * np.asarray(spin), spin
    return state


def tray(mass: float, size: float = 0.5) -> Robot:
    """A square plate whose top is at z = 0, on slides along x and y and a hinge about z."""
    inertia = mass * size**2 / 12
    links = (
        Link("along", 0.0, STILL, (0.0,) * 6),
        Link("across", 0.0, STILL, (0.0,) * 6),
        Link("tray", mass, STILL, (inertia, 0.0, 0.0, inertia, 0.0, 2 * inertia)),
    )
    joints = (
        Joint("x", "prismatic", WORLD, "along", axis=(1.0, 0.0, 0.0)),
        Joint("y", "prismatic", "along", "across", axis=(0.0, 1.0, 0.0)),
        Joint("turn", "revolute", "across", "tray"),
    )
    top = Shape("top", "tray", "box", (size / 2, size / 2, 0.05), (0.0, 0.0, -0.05))
    return Robot.from_description(Description("tray", "stiction.promises", links, joints, (top,)))


def brick_on_tray(setting: Setting, depth: float, velocity: Any) -> tuple[World, State]:
    """A brick that slides on a moving tray; `velocity` of the brick relative to the tray [m/s]."""
    lying = brick(mass=setting.mass).at((0.0, 0.0, SIZE[2] / 2 - depth))
    world = World(tray(3 * setting.mass), lying, ground=None)
    state = world.home()
    state.v[:2] = (0.2, -0.1)
    state.v[3:5] = state.v[:2] + np.asarray(velocity)[:2]
    return world, state


# ------------------------------------------------------------------------------------------- forces


@lru_cache(maxsize=1, typed=True)
def tried_forces(model: Any, setting: Setting) -> tuple[tuple[str, Pressed], ...]:
    """Forces between two bricks with various velocities, that spin or do not.

    Without restitution: where several parts of a step have forces, the recorded normal is a mean.
    """
    model, world = with_restitution(with_friction(model, MU), 0.0), bricks_in_space(setting)
    found = []
    trials = itertools.product(
        (0.01, 1.0) if setting.brief else (0.0, 0.01, 1.0, 100.0),
        (-0.1, 0.1, 10.0) if setting.brief else (-100.0, -0.1, 0.0, 0.1, 100.0),
        (0.7,) if setting.brief else (0.0, 0.7, 2.5),
        (1e-3,) if setting.brief else (1e-6, 1e-3, 0.02),
        (STILL, (2.0, -3.0, 5.0)),
    )
    for speed, sinking, heading, depth, spin in trials:
        velocity = (speed * np.cos(heading), speed * np.sin(heading), -sinking)
        state = meeting(world, depth, velocity, spin=spin)
        where = (
            f"brick on brick, {1000 * depth:g} mm deep, slides at {speed:g} m/s along "
            f"{heading:g} rad, sinks at {sinking:g} m/s, spin {spin}"
        )
        found.append((where, pressed(run(world, model, state, setting.dt))))
    return tuple(found)


@law("friction between bodies stays in the cone", promise=CONE_PER_POINT, bodies=True)
def cone(model: Any, setting: Setting) -> Iterator[Measured]:
    """Friction over its limit, minus 1; as a share of the largest force, for rounding."""
    require_friction(model, CONE_PER_POINT)
    for where, (normal, force) in tried_forces(model, setting):
        along = np.einsum("nk,nk->n", normal, force)
        across = np.linalg.norm(force - along[:, None] * normal, axis=1)
        size = np.abs(force).max(initial=1e-300)
        over = (across - MU * np.maximum(along, 0.0)).max(initial=0.0)
        yield Measured(float(over / size), CONE, f"excess of friction / force: {where}")


@law("bodies never pull each other", promise=NO_PULL, bodies=True)
def pull(model: Any, setting: Setting) -> Iterator[Measured]:
    """Forces into the other body."""
    pushed = False
    for where, (normal, force) in tried_forces(model, setting):
        pushed = pushed or len(force) > 0
        along = np.einsum("nk,nk->n", normal, force)
        size = np.abs(force).max(initial=1e-300)
        yield Measured(float((-along).max(initial=0.0) / size), CONE, f"pull / force: {where}")
    if not pushed:
        yield Measured(np.inf, 0.0, NEVER)


@law("friction of a body that slides on another is full", promise=FULL_FRICTION, bodies=True)
def sliding(model: Any, setting: Setting) -> Iterator[Measured]:
    """A brick slides on a tray, which it drags along."""
    require_friction(model, FULL_FRICTION)
    model = with_friction(model, MU)
    for heading in (0.0, 0.7, 2.5, 4.0)[: setting.few(4, 2)]:
        slip = np.array([np.cos(heading), np.sin(heading), 0.0])
        world, state = brick_on_tray(setting, 0.001, 0.3 * slip)
        normal, force = pressed(run(world, model, state, setting.dt))
        where = f"brick slides on a tray at 0.3 m/s along {heading:g} rad"
        if not len(force):
            yield Measured(np.inf, 0.0, f"{where}: {NEVER}")
            continue
        along = np.einsum("nk,nk->n", normal, force)[:, None]
        off = farthest(force, along * (normal - MU * slip)) / along.max()
        yield Measured(off, SAME, f"error of friction / normal force: {where}")


@law("forces between bodies are a function of the state alone", promise=UNIQUE_FORCES, bodies=True)
def state_alone(model: Any, setting: Setting) -> Iterator[Measured]:
    """A run restarted from an intermediate state continues with the same total force."""
    world, dt = bricks_in_space(setting), setting.dt / 10
    state = meeting(world, 1e-4, (0.4, -0.2, -0.3), spin=(0.2, -0.3, 1.0))
    steps, euler = setting.few(40, 6), SemiImplicitEuler()
    past = run(world, model, state, dt, steps, integrator=euler)
    yield from require_force(past, "two bricks")
    forces = past.force_between("upper", "lower")
    for k in range(1, steps, setting.few(10, 2)):
        fresh = run(world, model, past.state(k), dt, integrator=euler)
        off = farthest(fresh.force_between("upper", "lower")[0], forces[k])
        where = f"difference / force: two bricks, after {k} steps"
        yield Measured(off / np.abs(forces[:-1]).max(), ALIKE, where)


# ---------------------------------------------------------------------------- momentum and energy


@law("bodies that touch change their momenta by opposite amounts", bodies=True)
def momentum(model: Any, setting: Setting) -> Iterator[Measured]:
    """That of each body by the recorded forces, and the sum, linear and angular, not at all.

    Solvers part bodies that overlap, which changes angular momentum by m d x v; a rigid motion of
    both restores it (`step/flight.py`) and gives each, at half its height from the common centre of
    mass, an impulse that no force records.
    """
    world, dt, depth = bricks_in_space(setting), setting.dt / 10, 1e-4
    masses = [robot.total_mass for robot in world.robots]
    velocity = (0.4, -0.2, -0.5)
    state = meeting(world, depth, velocity, spin=(0.5, -1.0, 1.0))
    motion = run(world, model, state, dt, setting.few(100, 10))
    yield from require_force(motion, "two bricks")
    given = motion.force_between("upper", "lower")[:-1].sum(axis=0) * dt
    bound, turned = uncertain(model, given, np.zeros(3)), 1e-3 * np.abs(given).max() * SIZE[0]
    if MODELS[type(model)].family == IMPULSE_SOLVER:
        bound += min(masses) * depth * float(np.linalg.norm(velocity)) / (SIZE[2] / 2)
        turned = 1e-12 * np.abs(motion.momentum().angular).max()
    gained = motion.v[-1] - motion.v[0]
    off = farthest(masses[1] * gained[6:9], given)
    yield Measured(off, bound, "difference [N s]: upper brick")
    off = farthest(masses[0] * gained[:3], -given)
    yield Measured(off, bound, "difference [N s]: lower brick")
    whole = motion.momentum()
    rounding = 1e-12 * np.abs(whole.linear).max()
    off = farthest(whole.linear, whole.linear[0])
    yield Measured(off, rounding, "change of the linear momentum of both [N s]")
    off = farthest(whole.angular[-1], whole.angular[0])
    # forces act at one point in space, but integrators turn bodies to first or second order
    yield Measured(off, turned, "change of the angular momentum")


@law("contact between bodies adds no energy", promise=NO_ENERGY_GAIN, bodies=True)
def energy_gain(model: Any, setting: Setting) -> Iterator[Measured]:
    """Two cubes are thrown at each other in space; free, they neither gain nor lose energy."""
    one = box((0.1,) * 3, setting.mass).named("one")
    other = box((0.1,) * 3, setting.mass / 2).named("other")
    for restitution in RESTITUTIONS if not setting.brief else (0.0, 0.8):
        rng, count, trials = np.random.default_rng(17), 0, setting.few(25, 2)
        for trial in range(trials):
            turns = [quaternion(rng.normal(size=3), rng.uniform(-1.5, 1.5)) for _ in range(2)]
            apart = (0.0, 0.0, 0.1 + 0.08 * rng.uniform())
            world = World(
                one.at(STILL, turns[0]), other.at(apart, turns[1]), ground=None, gravity=STILL
            )
            state = world.home()
            speed, spin = rng.choice([0.3, 3.0]), rng.choice([0.0, 1.0, 20.0])
            state.v[:] = np.repeat([speed, spin, speed, spin], 3) * rng.uniform(-1, 1, 12)
            state.v[8] = -speed * rng.uniform(0.5, 1)
            friction = with_friction(with_restitution(model, restitution), rng.uniform(0, 1))
            motion = run(world, friction, state, setting.dt, setting.steps(200, 12))
            energy = motion.energy().total
            count += len(pressed(motion).force) > 0
            where = f"toss {trial} of two cubes, restitution {restitution:g}"
            gained = np.diff(energy).max() / energy.max()
            yield Measured(float(gained), 1e-9, f"gain in a step / energy: {where}")
        if count < setting.few(15, 0):
            yield Measured(np.inf, 0.0, f"only {count} of {trials} pairs of cubes touched")


# --------------------------------------------------------------------------------------- invariance


@law("bodies that drift together feel the same forces", bodies=True)
def drifting(model: Any, setting: Setting) -> Iterator[Measured]:
    """The same contact, seen by an observer in uniform motion."""
    world = bricks_in_space(setting)
    forces = []
    for common in (STILL, (0.3, -0.2, 0.5), (-10.0, 20.0, 40.0)):
        state = meeting(world, 1e-3, (0.4, -0.2, -0.3), spin=(0.2, -0.3, 1.0), common=common)
        motion = run(world, model, state, setting.dt)
        yield from require_force(motion, "two bricks")
        forces.append(motion.force_between("upper", "lower")[0])
        off = farthest(forces[-1], forces[0]) / max(np.abs(forces[0]).max(), 1e-300)
        yield Measured(off, ALIKE, f"difference / force: both bricks also move by {common} m/s")


@law("turning two bodies turns the forces", promise=UNIQUE_FORCES, bodies=True)
def turned(model: Any, setting: Setting) -> Iterator[Measured]:
    """The same contact with everything turned in space."""
    axis, velocity, spin = np.array([1.0, 2.0, -2.0]) / 3, (0.4, -0.2, -0.3), (0.2, -0.3, 1.0)
    forces = []
    for angle in (0.0, 0.9, 2.5):
        turn, world = rotation(axis, angle), bricks_in_space(setting)
        state = meeting(world, 1e-3, velocity, spin=spin)
        for k in (0, 1):  # angular velocities are in the axes of the bricks
            state.q[7 * k : 7 * k + 3] = turn @ state.q[7 * k : 7 * k + 3]
            state.q[7 * k + 3 : 7 * k + 7] = quaternion(axis, angle)
            state.v[6 * k : 6 * k + 3] = turn @ state.v[6 * k : 6 * k + 3]
        motion = run(world, model, state, setting.dt)
        yield from require_force(motion, "two bricks")
        forces.append(turn.T @ motion.force_between("upper", "lower")[0])
        off = farthest(forces[-1], forces[0]) / max(np.abs(forces[0]).max(), 1e-300)
        yield Measured(off, ALIKE, f"difference / force: two bricks, turned by {angle:g} rad")


@law("the order of bodies does not matter", promise=UNIQUE_FORCES, bodies=True)
def order_of_bodies(model: Any, setting: Setting) -> Iterator[Measured]:
    """The same two bricks, listed in either order."""
    ours = bricks_in_space(setting)
    theirs = World(*ours.robots[::-1], ground=None, gravity=STILL)
    state = meeting(ours, 1e-4, (0.4, -0.2, -0.3), spin=(0.2, -0.3, 1.0))
    swapped = State(np.roll(state.q, 7), np.roll(state.v, 6))
    dt, steps = setting.dt / 10, setting.few(30, 5)
    one, other = run(ours, model, state, dt, steps), run(theirs, model, swapped, dt, steps)
    yield from require_force(one, "two bricks")
    size = np.abs(one.force_between("upper", "lower")[:-1]).max()
    forces = [motion.force_between("upper", "lower")[:-1] for motion in (one, other)]
    where = "two bricks, in either order"
    yield Measured(farthest(*forces) / size, ALIKE, f"difference / force: {where}")
    off = farthest(np.roll(other.q, 7, axis=1), one.q)
    yield Measured(off, 1e-8, f"difference [m]: {where}")  # solvers stop at 1e-8 of impulses


@law("units do not matter between bodies", bodies=True)
def other_units(model: Any, setting: Setting) -> Iterator[Measured]:
    """Two bricks meet, in other units of length, mass and time."""
    forces = []
    for l, m, t in ((1.0, 1.0, 1.0), *UNITS[: setting.few(4, 2)]):  # noqa: E741
        world = bricks_in_space(setting, l, m)
        rate = t / l
        state = meeting(
            world,
            1e-4 / l,
            np.array([0.4, -0.2, -0.3]) * rate,
            spin=np.array([0.2, -0.3, 1.0]) * t,
            common=np.array([0.3, -0.2, 0.5]) * rate,
        )
        motion = run(
            world, in_other_units(model, l, m, t), state, setting.dt / t, setting.few(10, 3)
        )
        yield from require_force(motion, "two bricks")
        forces.append(m * l / t**2 * motion.force_between("upper", "lower")[:-1].sum(axis=0))
        off = farthest(forces[-1], forces[0]) / max(np.abs(forces[0]).max(), 1e-300)
        yield Measured(off, ALIKE, f"difference / impulse: units {l:g} m, {m:g} kg, {t:g} s")


# --------------------------------------------------------------------------------------------- rest


@law("a brick that is dropped comes to rest on a tray", bodies=True, long=True)
def rest(model: Any, setting: Setting) -> Iterator[Measured]:
    """The tray carries the weight, and is not moved."""
    world, state = brick_on_tray(setting, -0.01, STILL)
    state.v[:] = 0.0
    dt = setting.dt / 5
    steps = round(2.0 / dt)
    motion, weight = run(world, model, state, dt, steps), setting.mass * G
    settled = motion.force_between("brick", "tray")[-(steps // 4) : -1].mean(axis=0)
    off = farthest(settled, np.array([0.0, 0.0, weight])) / weight
    yield Measured(off, 2e-3, "error of the force / weight")
    yield Measured(float(np.abs(motion.q[-1, :3]).max()), 1e-6, "motion of the tray [m, rad]")
