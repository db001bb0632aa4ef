"""Laws that every contact model obeys, each for what it promises."""

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer
from stiction.contact.contact_model import CONE_PER_POINT, MODELS, NO_PULL, UNIQUE_FORCES, NoContact

FRICTION = 0.4
LAWS = [
    st.SpringDamper(mu_kinetic=FRICTION),
    st.ImplicitSpringDamper(mu_kinetic=FRICTION),
    st.HuntCrossley(mu_kinetic=FRICTION),
    st.HuntCrossley(mu_kinetic=FRICTION, alpha=1.0, beta=0.0, stiffness=5e4, damping=500.0),
]


def promise(model, what):
    return what in MODELS[type(model)].promises


def touch(model, *, depth=0.001, velocity=(0.0, 0.0, 0.0), ground=None, robot=None, dt=1e-3):
    """Forces on a brick that is `depth` in the ground and moves; (places, 3)."""
    world = st.World(robot or st.robots.brick(), ground=ground or st.Plane())
    state = world.standing(above=-depth)
    state.v[:3] = velocity
    motion = st.simulate(world, model, duration=dt, dt=dt, state=state)
    return motion.force[0]


def test_every_model_of_ours_is_in_the_list():
    assert {type(law) for law in LAWS} | {NoContact} == set(MODELS)


@pytest.mark.parametrize("model", LAWS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("speed", [0.0, 0.01, 1.0, 100.0])
@pytest.mark.parametrize("heading", [0.0, 0.7, 2.5])
@pytest.mark.parametrize("sinking", [-100.0, -0.1, 0.0, 0.1])
def test_forces_stay_in_the_cone_and_never_pull(model, speed, heading, sinking):
    velocity = [speed * np.cos(heading), speed * np.sin(heading), -sinking]
    for depth in (1e-6, 1e-3, 0.02):
        force = touch(model, depth=depth, velocity=velocity)
        normal, tangential = force[:, 2], np.hypot(force[:, 0], force[:, 1])
        if promise(model, NO_PULL):
            assert (normal >= 0.0).all()
        if promise(model, CONE_PER_POINT):
            assert (tangential <= FRICTION * normal * (1 + 1e-12)).all()


@pytest.mark.parametrize("model", LAWS, ids=lambda model: type(model).__name__)
def test_kinetic_friction_is_against_the_slip_and_of_full_size(model):
    for heading in (0.0, 0.7, 2.5, 4.0):
        along = np.array([np.cos(heading), np.sin(heading)])
        force = touch(model, velocity=[*(0.3 * along), 0.0])
        pressed = force[force[:, 2] > 0]
        assert len(pressed) == 4
        assert np.allclose(pressed[:, :2], -FRICTION * pressed[:, 2:] * along, rtol=1e-12)


@pytest.mark.parametrize("model", LAWS, ids=lambda model: type(model).__name__)
def test_turning_the_world_turns_the_forces(model):
    """The same landing on a slope, with everything turned along: the same forces, turned."""
    angle, heading = 0.3, 0.8
    axis = np.array([np.sin(heading), -np.cos(heading), 0.0])
    quaternion = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
    turn = np.eye(3) + np.sin(angle) * cross_matrix(axis)
    turn += (1 - np.cos(angle)) * cross_matrix(axis) @ cross_matrix(axis)
    level = touch(model, velocity=[0.4, -0.2, -0.1])
    slope = st.Slope(angle, heading)
    assert np.allclose(turn @ [0, 0, 1], slope.normal(), atol=1e-15)
    tilted = st.robots.brick().at((0.0, 0.0, 0.0), quaternion)
    force = touch(model, velocity=turn @ [0.4, -0.2, -0.1], ground=slope, robot=tilted)
    assert np.allclose(force, level @ turn.T, rtol=1e-8, atol=1e-8 * np.abs(level).max())


def cross_matrix(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


@pytest.mark.parametrize("model", LAWS, ids=lambda model: type(model).__name__)
def test_what_the_forces_do_to_the_motion_is_their_impulse(model):
    """Action on the robot: momentum changes by the recorded forces and the weight."""
    world = st.World(st.robots.brick())
    state = world.standing(above=-0.001)
    state.v[:] = [0.3, 0.1, -0.2, 1.0, -2.0, 0.5]
    dt = 1e-4
    motion = st.simulate(world, model, duration=fewer(200, 20) * dt, dt=dt, state=state)
    impulse = (motion.force[:-1].sum(axis=(0, 1)) + (len(motion) - 1) * 2.0 * world.gravity) * dt
    gained = motion.momentum().linear[-1] - motion.momentum().linear[0]
    assert np.allclose(gained, impulse, rtol=1e-10, atol=1e-12)


@pytest.mark.jit
@pytest.mark.parametrize("model", LAWS, ids=lambda model: type(model).__name__)
def test_a_brick_comes_to_rest_with_its_weight_on_four_equal_corners(model):
    world = st.World(st.robots.brick())
    state = world.standing(above=0.01)
    motion = st.simulate(world, model, duration=2.0, dt=2e-4, state=state)
    settled = motion.force[-2500:-1].mean(axis=0)  # Hunt-Crossley still trembles a little
    pressed = settled[settled[:, 2] > 0]
    assert len(pressed) == 4
    assert np.allclose(pressed[:, 2], 2.0 * 9.81 / 4, rtol=2e-3)
    assert np.abs(pressed[:, :2]).max() < 1e-6


@pytest.mark.parametrize("model", LAWS, ids=lambda model: type(model).__name__)
def test_forces_are_a_function_of_the_state_alone(model):
    if promise(model, UNIQUE_FORCES):
        first = touch(model, velocity=(0.2, 0.1, -0.3))
        assert (touch(model, velocity=(0.2, 0.1, -0.3)) == first).all()


@pytest.mark.parametrize("model", LAWS, ids=lambda model: type(model).__name__)
def test_a_belt_carries_what_lies_on_it(model):
    """On a belt at 0.5 m/s a brick feels what it would feel sliding backwards on still ground."""
    belt = touch(model, ground=st.Plane(velocity=(0.5, 0.0, 0.0)))
    still = touch(model, velocity=(-0.5, 0.0, 0.0))
    assert np.allclose(belt, still, rtol=1e-12)
