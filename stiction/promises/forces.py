"""Laws on the forces at single points in one step: cone, pulling, sliding, no hidden state."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from stiction.contact.contact_model import CONE_PER_POINT, FULL_FRICTION, NO_PULL, UNIQUE_FORCES
from stiction.integrators.semi_implicit import SemiImplicitEuler
from stiction.promises.bodies import plate, thrown
from stiction.promises.law import (
    Measured,
    Setting,
    farthest,
    law,
    require_friction,
    require_touch,
    run,
    with_friction,
)
from stiction.robot.robot import Robot
from stiction.robots import brick
from stiction.world.ground import LEVEL, Ground, Plane
from stiction.world.world import GRAVITY, World

MU = 0.4
CONE = 1e-12  # rounding
SAME = 1e-9  # relative difference of forces due to rounding and the order of sums
ALIKE = 1e-6  # forces of solvers agree to their tolerance


def touch(
    model: Any,
    setting: Setting,
    *,
    depth: float = 0.001,
    velocity: Any = (0.0, 0.0, 0.0),
    ground: Ground = LEVEL,
    robot: Robot | None = None,
    gravity: Any = GRAVITY,
) -> np.ndarray:
    """Forces on a moving brick that is `depth` in the ground; (points, 3)."""
    world = World(robot or brick(mass=setting.mass), ground=ground, gravity=gravity)
    state = world.standing(above=-depth)
    state.v[:3] = velocity
    return run(world, model, state, setting.dt).force[0]


@lru_cache(maxsize=1, typed=True)
def tried_forces(model: Any, setting: Setting) -> tuple[tuple[str, np.ndarray], ...]:
    """Forces on level ground, (..., 3), on a brick with various velocities, and on plates."""
    model = with_friction(model, MU)
    found = []
    for speed in (0.0, 0.01, 1.0, 100.0):
        for sinking in (-100.0, -0.1, 0.0, 0.1, 100.0):
            for heading in (0.0, 0.7, 2.5):
                velocity = [speed * np.cos(heading), speed * np.sin(heading), -sinking]
                for depth in (1e-3,) if setting.brief else (1e-6, 1e-3, 0.02):
                    where = (
                        f"brick, {1000 * depth:g} mm deep, slides at {speed:g} m/s along "
                        f"{heading:g} rad, sinks at {sinking:g} m/s"
                    )
                    found.append((where, touch(model, setting, depth=depth, velocity=velocity)))
    for points in (1, 2, 3, 4, 16, 64):
        world, rng = World(plate(points, total_mass=setting.mass)), np.random.default_rng(points)
        for speed in (0.0, 1.0, 100.0):
            for _ in range(setting.few(5, 1)):
                way = {"tilt": 0.3, "speed": speed, "sinking": 3.0, "spin": 5.0, "above": -1e-3}
                state = thrown(world, rng, **way)
                motion = run(world, model, state, setting.dt / 10, setting.few(20, 2))
                where = f"plate on {points} points, thrown at {speed:g} m/s"
                found.append((where, motion.force[:-1]))
    return tuple(found)


@law("friction stays in the cone at every point", promise=CONE_PER_POINT)
def cone(model: Any, setting: Setting) -> Iterator[Measured]:
    """Friction over its limit, minus 1."""
    require_friction(model, CONE_PER_POINT)
    for where, force in tried_forces(model, setting):
        normal, across = force[..., 2], np.hypot(force[..., 0], force[..., 1])
        limit = np.maximum(MU * normal, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            over = np.where(across == 0, 0.0, across / limit - 1)
        yield Measured(float(over.max(initial=0.0)), CONE, f"friction / limit - 1: {where}")


@law("the ground never pulls", promise=NO_PULL)
def pull(model: Any, setting: Setting) -> Iterator[Measured]:
    """Forces into the ground."""
    pushed = False
    for where, force in tried_forces(model, setting):
        pushed = pushed or bool(force.any())
        yield Measured(float((-force[..., 2]).max(initial=0.0)), 0.0, f"pull [N]: {where}")
    if not pushed:
        yield Measured(np.inf, 0.0, "no force in any trial")


@law("friction at a sliding point is full and opposes the slip", promise=FULL_FRICTION)
def sliding(model: Any, setting: Setting) -> Iterator[Measured]:
    """Friction reduces the speed by 4 mm/s in the step, so that the brick keeps sliding."""
    require_friction(model, FULL_FRICTION)
    model = with_friction(model, MU)
    for heading in (0.0, 0.7, 2.5, 4.0):
        along = np.array([np.cos(heading), np.sin(heading)])
        force = touch(model, setting, velocity=[*(0.3 * along), 0.0])
        pressed = force[force[:, 2] > 0]
        where = f"brick slides at 0.3 m/s along {heading:g} rad"
        if not len(pressed):
            yield Measured(np.inf, 0.0, f"{where}: no point carries load")
            continue
        off = farthest(pressed[:, :2], -MU * pressed[:, 2:] * along) / pressed[:, 2].max()
        yield Measured(off, SAME, f"error of friction / normal force: {where}")


@law("a belt carries what lies on it")
def belt(model: Any, setting: Setting) -> Iterator[Measured]:
    """Forces on a belt equal those on a brick that slides backwards on still ground."""
    carried = touch(model, setting, ground=Plane(velocity=(0.5, 0.0, 0.0)))
    still = touch(model, setting, velocity=(-0.5, 0.0, 0.0))
    off = farthest(carried, still) / max(np.abs(still).max(), 1e-300)
    yield Measured(off, SAME, "difference / force: brick, 1 mm deep, on a belt at 0.5 m/s")


@law("repeating a run gives the same forces")
def again(model: Any, setting: Setting) -> Iterator[Measured]:
    """Bitwise equal."""
    velocity = (0.2, 0.1, -0.3)
    first, second = (touch(model, setting, velocity=velocity) for _ in range(2))
    yield Measured(farthest(first, second), 0.0, "difference [N]: brick, 1 mm deep, sliding")


@law("forces are a function of the state alone", promise=UNIQUE_FORCES)
def state_alone(model: Any, setting: Setting) -> Iterator[Measured]:
    """A run restarted from an intermediate state continues with the same forces.

    The integrator is `SemiImplicitEuler`: the default one remembers the last acceleration.
    """
    world, dt = World(plate(16, total_mass=setting.mass)), setting.dt / 10
    state = world.standing(above=1e-4)
    state.v[:] = [0.4, -0.2, -0.3, 0.2, -0.3, 1.0]
    steps, euler = setting.steps(40, 8), SemiImplicitEuler()
    past = run(world, model, state, dt, steps, integrator=euler)
    yield from require_touch(past, "plate on 16 points")
    for k in range(1, steps, steps // setting.few(4, 3)):
        fresh = run(world, model, past.state(k), dt, integrator=euler).force[0]
        size = max(np.abs(past.force[k]).max(), 1e-300)
        where = f"difference / force: plate on 16 points, after {k} steps"
        yield Measured(farthest(fresh, past.force[k]) / size, ALIKE, where)
