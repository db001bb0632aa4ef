"""Adapters of other engines against closed forms, and what they refuse."""

import math
from importlib.util import find_spec

import numpy as np
import pytest

import stiction as st
from conftest import missing
from mechanisms import slider
from stiction.engines import MODULES, PACKAGES, Servos, Task, engine_by_name
from stiction.engines.level import level_of, turned_up
from stiction.engines.shapes import solids_of
from stiction.errors import InputError

pytestmark = pytest.mark.interpreted
DT, MU, GRAVITY = 0.001, 0.5, 9.81


def engine(name):
    if find_spec(PACKAGES[name]) is None:
        missing("engines", f"Python finds no package {PACKAGES[name]}")
    return engine_by_name(name)


@pytest.mark.parametrize("name", MODULES)
def test_a_brick_falls_and_turns_freely(name):
    world = st.World(st.robots.brick())
    state = world.standing(above=1.0)
    state.v[:] = [1.0, 0.5, 0.0, 0.0, 0.0, 3.0]
    ran = engine(name).run(Task(world, state, DT, 100, MU), "tuned")
    time = 100 * DT
    gone = ran.q[-1, :3] - state.q[:3]
    # semi-implicit Euler falls half a step further
    assert np.allclose(gone, [time, 0.5 * time, -GRAVITY * time**2 / 2], atol=GRAVITY * time * DT)
    assert 2 * math.atan2(ran.q[-1, 6], ran.q[-1, 3]) == pytest.approx(3 * time, rel=1e-6)
    assert np.allclose(ran.v[-1], [1.0, 0.5, -GRAVITY * time, 0.0, 0.0, 3.0], atol=1e-6)
    assert not ran.force.any()


@pytest.mark.parametrize("name", MODULES)
def test_a_brick_stops_after_its_way_and_its_force_changes_its_momentum(name):
    world = st.World(st.robots.brick(), ground=st.Slope(0.0))
    state = world.standing()
    v0 = 1.0
    state.v[0] = v0
    ran = engine(name).run(Task(world, state, DT, 400, MU), "tuned")
    way = v0**2 / (2 * MU * GRAVITY)
    assert ran.q[-1, 0] - state.q[0] == pytest.approx(way, abs=1.5 * v0 * DT)
    weight = np.array([0.0, 0.0, world.total_mass * GRAVITY])
    pushed = world.total_mass * np.diff(ran.v[:, :3], axis=0) / DT + weight
    # Drake's contact results carry the tolerance of its solver
    assert np.abs(pushed - ran.force[:, 1]).max() < 1e-3 * weight[2]
    assert np.allclose(ran.force.sum(axis=1), 0.0)
    told = np.zeros_like(ran.force[:, 1])
    on_brick = np.where(ran.contacts.link[:, :1] == 1, 1.0, -1.0) * ran.contacts.force
    np.add.at(told, ran.contacts.step, on_brick)
    assert np.allclose(told, ran.force[:, 1])


@pytest.mark.parametrize("name", MODULES)
def test_a_brick_on_a_steep_slope_slides_down_it_in_our_axes(name):
    angle, heading = 0.7, 0.3
    slope = st.Slope(angle, heading)
    turn = [math.cos(angle / 2), *(math.sin(angle / 2) * np.array([0.2955, -0.9553, 0.0]))]
    world = st.World(st.robots.brick().at((0.0, 0.0, 0.0), turn), ground=slope)
    state = world.standing()
    ran = engine(name).run(Task(world, state, DT, 200, 0.2), "tuned")
    down = -np.array([*(math.cos(angle) * np.array([0.9553, 0.2955])), math.sin(angle)])
    exact = GRAVITY * (math.sin(angle) - 0.2 * math.cos(angle)) * 200 * DT
    # engines whose friction turns from the velocity, and hopping, stay within a twentieth
    assert ran.v[-1, :3] @ down == pytest.approx(exact, rel=0.05)
    # MuJoCo's block hops by some millimetres
    assert np.abs((ran.q[:, :3] - state.q[:3]) @ slope.normal()).max() < 0.01


@pytest.mark.parametrize("name", MODULES)
def test_a_servo_and_a_push_move_a_slide(name):
    """m q'' = F - k q - d q', at rest at F / k."""
    world = st.World(slider(mass=2.0), ground=None)
    steps = 1500
    reference, zero = np.full((steps, 1), 0.1), np.zeros((steps, 1))
    servos = Servos(("joint",), reference, zero, zero, np.array([200.0]), np.array([40.0]))
    push = st.Push("block", (0.0, 0.0, 0.0), (0.0, 10.0, 0.0), 0.0, 10.0)
    task = Task(world, world.home(), DT, steps, MU, servos=servos, pushes=(push,))
    ran = engine(name).run(task)
    assert ran.q[-1, 0] == pytest.approx(0.1 + 10.0 / 200.0, rel=1e-3)


@pytest.mark.parametrize("name", MODULES)
def test_a_block_on_a_belt_rides_along(name):
    world = st.World(st.robots.brick(), ground=st.Plane(velocity=(0.5, 0.0, 0.0)))
    ran = engine(name).run(Task(world, world.standing(), DT, 300, MU), "tuned")
    assert ran.v[-1, 0] == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("name", MODULES)
def test_an_unknown_setting_is_refused(name):
    world = st.World(st.robots.ball())
    with pytest.raises(InputError, match="no setting 'fast'; choose among default"):
        engine(name).run(Task(world, world.standing(), DT, 1, MU), "fast")


@pytest.mark.parametrize("name", ["pybullet", "dart"])
def test_armature_is_refused_by_name(name):
    world = st.World(slider(armature=0.1), ground=None)
    with pytest.raises(InputError, match="joint 'joint' has armature"):
        engine(name).run(Task(world, world.home(), DT, 1, MU))


def test_drake_has_no_restitution():
    world = st.World(st.robots.ball())
    with pytest.raises(InputError, match="restitution 0.5"):
        engine("drake").run(Task(world, world.standing(), DT, 1, MU, restitution=0.5))


# ------------------------------------------------------------------------------ without any engine


def test_an_engine_that_is_not_installed_says_what_to_install(monkeypatch):
    monkeypatch.setitem(PACKAGES, "dart", "no_such_package")
    with pytest.raises(InputError, match=r"no package no_such_package .* pip install 'stiction\["):
        engine_by_name("dart")
    with pytest.raises(InputError, match="engine 'ode': choose among mujoco"):
        engine_by_name("ode")


def test_the_smallest_turn_makes_a_normal_point_up():
    normal = st.Slope(0.6, 1.0).normal()
    rotation = turned_up(normal)
    assert np.allclose(rotation @ normal, [0.0, 0.0, 1.0])
    assert np.allclose(rotation @ rotation.T, np.eye(3))


def test_other_grounds_and_shapes_are_refused_by_name():
    stairs = st.World(st.robots.brick(), ground=st.Steps())
    with pytest.raises(InputError, match="engine 'dart': ground Steps is not translated"):
        level_of(Task(stairs, stairs.home(), DT, 1, MU), "dart")
    points = st.World(st.robots.brick().with_sole_points("brick", 2, 2))
    with pytest.raises(InputError, match="is of kind points; translated are sphere"):
        solids_of(points, "drake")
