"""Laws of invariance: axes, units and the order of points do not matter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from stiction.contact.contact_model import UNIQUE_FORCES
from stiction.motion.motion import Motion
from stiction.promises.bodies import plate, quaternion
from stiction.promises.forces import ALIKE, touch
from stiction.promises.law import Measured, Setting, farthest, law, require_touch, run
from stiction.promises.units import in_other_units
from stiction.robots import brick
from stiction.world.ground import LEVEL, Ground, Slope
from stiction.world.world import World

G = 9.81
UNITS = ((0.25, 1.0, 1.0), (1.0, 8.0, 1.0), (1.0, 1.0, 2.0), (4.0, 0.5, 2.0))
# If more than three rigid points touch a plane, the rounding of their positions, in addition to the
# solvers' compliance, determines how they share the load, and so the friction of a spinning plate.
HYPERSTATIC = 1e4


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Matrix of a rotation about a unit vector (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


@law("turning the world turns the forces", promise=UNIQUE_FORCES)
def turned_world(model: Any, setting: Setting) -> Iterator[Measured]:
    """The same landing with everything turned onto a slope: the same forces, turned."""
    angle, heading = 0.3, 0.8
    axis = np.array([np.sin(heading), -np.cos(heading), 0.0])
    turn = rotation(axis, angle)
    velocity = np.array([0.4, -0.2, -0.1])
    level = touch(model, setting, velocity=velocity)
    force = touch(
        model,
        setting,
        velocity=turn @ velocity,
        ground=Slope(angle, heading),
        robot=brick(mass=setting.mass).at((0.0, 0.0, 0.0), quaternion(axis, angle)),
        gravity=turn @ [0, 0, -G],
    )
    off = farthest(force, level @ turn.T) / max(np.abs(level).max(), 1e-300)
    yield Measured(off, 1e-8, "difference / force: brick, 1 mm deep, on a slope")


def landed(model: Any, setting: Setting, axis: np.ndarray, angle: float, ground: Ground) -> Motion:
    """A tripod lands in a world that is turned about an axis; `ground` is turned already."""
    turn = rotation(axis, angle)
    tripod = plate(3, total_mass=setting.mass).at((0, 0, 0), quaternion(axis, angle))
    world = World(tripod, ground=ground, gravity=turn @ [0, 0, -G])
    state = world.standing(above=0.001)
    state.v[:3] = turn @ [0.4, -0.2, -0.5]  # angular velocities are in the plate's axes
    state.v[3:] = [0.3, -0.5, 1.0]
    return run(world, model, state, setting.dt, setting.steps(20, 4))


@law("turning the world about the vertical turns the motion")
def turned_about_vertical(model: Any, setting: Setting) -> Iterator[Measured]:
    """On a tripod, which is statically determinate: see `HYPERSTATIC`."""
    up = np.array([0.0, 0.0, 1.0])
    ends = []
    for angle in (0.0, 0.8, 2.5):
        motion = landed(model, setting, up, angle, LEVEL)
        yield from require_touch(motion, "a tripod lands")
        ends.append(end_seen_from(motion, rotation(up, angle)))
        where = f"difference [m/s, rad/s]: a tripod lands, turned by {angle:g} rad"
        yield Measured(farthest(ends[-1], ends[0]), 1e-7, where)  # solvers stop at 1e-8 of impulses


@law("turning the world onto a slope turns the motion")
def turned_onto_slope(model: Any, setting: Setting) -> Iterator[Measured]:
    """The same with the ground and gravity turned: its normal is no axis of the world."""
    ends = []
    for angle, heading in ((0.0, 0.0), (0.3, 0.8), (0.6, 2.5)):
        axis = np.array([np.sin(heading), -np.cos(heading), 0.0])
        motion = landed(model, setting, axis, angle, Slope(angle, heading))
        yield from require_touch(motion, f"a tripod lands on a slope of {angle:g} rad")
        ends.append(end_seen_from(motion, rotation(axis, angle)))
        where = f"difference [m/s, rad/s]: a tripod lands on a slope of {angle:g} rad"
        yield Measured(farthest(ends[-1], ends[0]), 1e-7, where)  # solvers stop at 1e-8 of impulses


def end_seen_from(motion: Motion, turn: np.ndarray) -> np.ndarray:
    """Velocities at the end of a motion, in the axes of a turned world."""
    return np.array([*(turn.T @ motion.v[-1, :3]), *motion.v[-1, 3:]])


@law("units do not matter")
def other_units(model: Any, setting: Setting) -> Iterator[Measured]:
    """A landing on a tripod in other units of length, mass and time."""
    steps, dt = setting.steps(20, 4), setting.dt
    motions = []
    for l, m, t in ((1.0, 1.0, 1.0), *UNITS):  # noqa: E741
        robot = plate(3, length=l, mass=m, total_mass=setting.mass)
        world = World(robot, gravity=(0, 0, -G * t**2 / l))
        state = world.standing(above=0.001 / l)
        state.v[:3] = np.array([0.4, -0.2, -0.5]) * t / l
        state.v[3:] = np.array([0.3, -0.5, 1.0]) * t
        motions.append(run(world, in_other_units(model, l, m, t), state, dt / t, steps))
    ours = motions[0]
    yield from require_touch(ours, "a tripod lands")
    impulse = dt * ours.force[:-1].sum(axis=(0, 1))
    for (l, m, t), theirs in zip(UNITS, motions[1:], strict=True):  # noqa: E741
        where = f"a tripod lands, units {l:g} m, {m:g} kg, {t:g} s"
        way = farthest(theirs.q[:, :3] * l, ours.q[:, :3])
        yield Measured(way, 1e-9, f"difference [m]: {where}")
        spin = farthest(theirs.v[:, 3:] / t, ours.v[:, 3:])
        yield Measured(spin, 1e-7, f"difference [rad/s]: {where}")
        other = dt * m * l / t**2 * theirs.force[:-1].sum(axis=(0, 1))
        off = farthest(other, impulse) / max(abs(impulse[2]), 1e-300)
        yield Measured(off, ALIKE, f"difference / impulse: {where}")


@law("the order of points does not matter", promise=UNIQUE_FORCES)
def order_of_points(model: Any, setting: Setting) -> Iterator[Measured]:
    """The same plate with its points declared in another order."""
    for points in (3, setting.few(64, 8)):
        loose = HYPERSTATIC if points > 3 else 1.0
        shuffled = np.random.default_rng(points).permutation(points)
        motions = []
        for order in (np.arange(points), shuffled):
            world = World(plate(points, order=order, total_mass=setting.mass))
            state = world.standing(above=1e-4)
            state.v[:] = [0.4, -0.2, -0.3, 0.2, -0.3, 1.0]
            motions.append(run(world, model, state, setting.dt / 10, setting.steps(30, 6)))
        ours, theirs = motions
        where = f"a plate on {points} points lands"
        yield from require_touch(ours, where)
        yield Measured(farthest(ours.q, theirs.q), 1e-11 * loose, f"difference [m]: {where}")
        yield Measured(farthest(ours.v, theirs.v), 1e-8 * loose, f"difference [m/s]: {where}")
        mine, other = ours.force[:-1], theirs.force[:-1]
        total = mine.sum(axis=1)
        off = farthest(other.sum(axis=1), total) / max(np.abs(total).max(), 1e-300)
        yield Measured(off, ALIKE, f"difference / total force: {where}")
        if points == 3:
            off = farthest(mine[:, shuffled], other) / max(np.abs(mine).max(), 1e-300)
            yield Measured(off, ALIKE, f"difference / force of a point: {where}")
