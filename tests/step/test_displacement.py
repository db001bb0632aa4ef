"""Displacements that correct positions: what flies keeps its momentum and gains no energy."""

import numpy as np
import pytest

import stiction as st
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.step.displacement import displace

pytestmark = pytest.mark.interpreted

DT = 1e-3
MODEL = st.Coulomb(mu_static=0.05, mu_kinetic=0.05)
SIZE = (0.1, 0.05, 0.03)
SPACE = {"ground": None, "gravity": (0.0, 0.0, 0.0)}


def lopsided(name, height):
    """A brick of 2 kg whose frame is not at its centre of mass."""
    link = Link(name, 2.0, (0.02, -0.01, 0.005), (0.002, 1e-4, 0.0, 0.004, -2e-4, 0.005))
    shape = Shape(name, name, "box", SIZE)
    free = Joint(f"{name}_free", "free", WORLD, name)
    robot = st.Robot.from_description(Description(name, "tests", (link,), (free,), (shape,)))
    return robot.at((0.0, 0.0, height))


def after_a_step(world, seed=2):
    """A simulation of bricks that move at random, and together, after its first step."""
    state = world.home()
    state.v[:] = np.random.default_rng(seed).normal(size=world.nv)
    state.v[2], state.v[-4] = 2.0, -2.0
    simulation = st.Simulation(world, MODEL, DT, state)
    simulation.step()
    return simulation


def displaced(simulation, seed=3, size=1e-4):
    """Move everything by some 0.1 mm, and apart; the state before and after."""
    inner, before, way = simulation._state, simulation.state, simulation._work.v
    way[:] = size * np.random.default_rng(seed).normal(size=len(inner.v))
    way[2], way[-4] = -3 * size, 3 * size
    displace(simulation._system, inner, simulation._work)
    return before, simulation.state


def momentum_and_energy(world, state):
    """Linear momentum, angular momentum about the centre of mass, kinetic energy."""
    found = st.mechanics.momentum(world, state.q, state.v)
    kinetic = st.mechanics.energy(world, state.q, state.v).kinetic
    return found.linear, found.angular, kinetic


@pytest.mark.parametrize("size", [1e-6, 1e-4, 1e-2])
def test_bricks_that_touch_in_space_keep_their_momentum(size):
    height = 2 * SIZE[2] - 1e-5
    world = st.World(*(lopsided(f"brick{k}", k * height) for k in range(3)), **SPACE)
    simulation = after_a_step(world)
    before, after = displaced(simulation, size=size)
    assert np.abs(after.q - before.q).max() > size / 2
    (P, L, E), (P_after, L_after, E_after) = (
        momentum_and_energy(world, one) for one in (before, after)
    )
    np.testing.assert_allclose(P_after, P, atol=1e-14)  # rounding
    np.testing.assert_allclose(L_after, L, atol=1e-14)
    assert E_after <= E * (1 + 1e-14)
    assert E_after > (1 - 10 * size) * E
    changed = st.State(after.q, before.v)  # what would have happened
    assert np.abs(momentum_and_energy(world, changed)[1] - L).max() > 1e-2 * size


def test_bricks_that_turn_as_one_and_come_closer_gain_no_energy():
    """With less inertia they would have to turn faster: they keep their velocities instead."""
    height = 2 * SIZE[2] - 1e-5
    world = st.World(*(lopsided(f"brick{k}", k * height) for k in range(2)), **SPACE)
    simulation = after_a_step(world)
    inner = simulation._state
    inner.v[:] = 0.0
    inner.v[3], inner.v[9] = 5.0, 5.0
    inner.v[7] = -5.0 * (inner.q[9] - inner.q[2])  # about the x axis, through the first frame
    before = simulation.state
    simulation._work.v[:] = 0.0
    simulation._work.v[8] = -1e-4
    displace(simulation._system, inner, simulation._work)
    np.testing.assert_array_equal(inner.v, before.v)
    simulation._work.v[8] = 2e-4  # apart again, they slow down
    displace(simulation._system, inner, simulation._work)
    assert 0.99 * 5.0 < inner.v[3] < 5.0


def test_velocities_where_bodies_touch_keep_their_ratios():
    """They turn as one: a point that sticks still sticks, and one that slides slides as before."""
    height = 2 * SIZE[2] - 1e-5
    world = st.World(*(lopsided(f"brick{k}", k * height) for k in range(2)), **SPACE)
    simulation = after_a_step(world)
    before, after = displaced(simulation)
    relative = []
    for v in (before.v, after.v):
        points = []
        for x in ([0.05, 0.02, SIZE[2]], [-0.04, 0.01, SIZE[2]]):
            at = after.q[:3] + turned(after.q[3:7], x)
            points.append(velocity_at(after.q[7:], v[6:], at) - velocity_at(after.q[:7], v[:6], at))
        relative.append(np.concatenate(points))
    share = relative[1] @ relative[0] / (relative[0] @ relative[0])
    assert 0.99 < share <= 1 + 1e-14
    np.testing.assert_allclose(relative[1], share * relative[0], atol=1e-14)


def turned(quaternion, x):
    w, u = quaternion[0], quaternion[1:4]
    return x + 2 * np.cross(u, np.cross(u, x) + w * np.asarray(x))


def velocity_at(q, v, point):
    return v[:3] + np.cross(turned(q[3:7], v[3:6]), point - q[:3])


@pytest.mark.parametrize("place", ["ground", "scenery", "apart"])
def test_what_touches_something_fixed_or_nothing_keeps_its_velocities(place):
    low = lopsided("low", SIZE[2] - 1e-6)
    high = lopsided("high", 3 * SIZE[2] - 1e-5 + (1.0 if place == "apart" else 0.0))
    floor = st.robots.box((2.0, 2.0, 0.1)).at((0.0, 0.0, -0.05))
    options = {} if place == "ground" else {"ground": None, "scenery": floor}
    if place == "apart":
        options = SPACE
    world = st.World(low, high, **options)
    before, after = displaced(after_a_step(world))
    np.testing.assert_array_equal(after.v, before.v)


def test_robots_keep_their_velocities():
    """What has joints is left alone: a rotation of the whole may break what a joint does."""
    names, light = ("low", "arm"), (1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3)
    links = tuple(Link(name, 1.0, (0.0, 0.0, 0.0), light) for name in names)
    joints = (
        Joint("free", "free", WORLD, "low"),
        Joint("hinge", "revolute", "low", "arm", axis=(0.0, 1.0, 0.0)),
    )
    shape = Shape("low", "low", "box", SIZE)
    robot = st.Robot.from_description(Description("robot", "tests", links, joints, (shape,)))
    world = st.World(robot, lopsided("load", 2 * SIZE[2] - 1e-5), **SPACE)
    simulation = after_a_step(world)
    assert len(simulation.contacts) > 0
    before, after = displaced(simulation)
    np.testing.assert_array_equal(after.v, before.v)
