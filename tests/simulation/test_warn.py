"""Energy that a ground gives to the robots is told, and only then."""

import warnings

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer
from stiction.errors import InputError, StabilityWarning
from stiction.scenes.verdict import energy_given


def told(warned):
    return [str(one.message) for one in warned if "contact added" in str(one.message)]


def sliding_brick(speed):
    """A brick that slides: `Feedback` throws it."""
    world = st.World(st.robots.brick(), ground=st.Plane())
    state = world.standing()
    state.v[0] = speed
    return world, state


def test_energy_from_the_ground_is_told_once_with_numbers():
    world, state = sliding_brick(2.0)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        motion = st.simulate(world, st.Feedback(), state=state, duration=fewer(0.2, 0.1))
    (message,) = told(warned)
    given = energy_given(motion)
    assert given > 0.01 * world.total_mass * 9.81 * 0.1
    assert message.startswith(f"Feedback: contact added {given:.3g} J to the robots by t = ")
    assert message in motion.parameters["notes"]


def test_a_simulation_tells_it_too():
    world, state = sliding_brick(2.0)
    simulation = st.Simulation(world, st.Feedback(), state=state)
    with pytest.warns(StabilityWarning, match="contact added"):
        simulation.step(n=fewer(200, 100))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation.step(n=5)


@pytest.mark.parametrize("model", [st.Coulomb(), st.GaussSeidel(), st.Multipoint(), st.Balanced()])
def test_a_ground_that_only_takes_energy_is_not_blamed(model):
    world, state = sliding_brick(2.0)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        st.simulate(world, model, state=state, duration=fewer(0.2, 0.05))
    assert not told(warned)


def test_what_a_spring_gives_back_is_not_a_gift():
    """A ball that bounces on springs without losses, and a belt that carries a brick along."""
    ball = st.World(st.robots.ball(), ground=st.Plane())
    belt = st.World(st.robots.brick(), ground=st.Plane(velocity=(1.0, 0, 0)))
    spring = st.HuntCrossley(stiffness=1e4, damping=0.0, alpha=1.0)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        st.simulate(ball, spring, state=ball.standing(above=0.1), duration=0.5, dt=1e-3)
        carried = st.simulate(belt, st.Coulomb(), duration=fewer(0.3, 0.05))
    assert np.nanmax(carried.v[:, 0]) > 0.1
    assert not told(warned)


def warned_of(words, world, model, **options):
    """The motion of a run and its warnings with these words."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        motion = st.simulate(world, model, **options)
    return motion, [str(one.message) for one in warned if words in str(one.message)]


@pytest.mark.parametrize("model", [st.Coulomb(), st.GaussSeidel()])
def test_a_robot_that_begins_in_the_ground_is_told_with_its_link_and_depth(model):
    """It was lifted out without a word, which moved it and gave it energy."""
    world = st.World(st.robots.brick())
    state = world.standing(above=-0.01)
    motion, (message,) = warned_of("inside", world, model, state=state, duration=fewer(0.1, 0.02))
    assert message.startswith(f"{type(model).__name__}: 'brick' was 10 mm inside the ground")
    assert message in motion.parameters["notes"]
    simulation = st.Simulation(world, model, state=state)
    with pytest.warns(StabilityWarning, match="'brick' was 10 mm inside the ground"):
        simulation.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation.step(n=5)


def test_what_lands_on_the_ground_did_not_begin_in_it():
    world = st.World(st.robots.brick())
    state = world.standing(above=0.01)
    state.v[2] = -5.0
    _, told_of = warned_of("inside", world, st.Coulomb(), state=state, duration=fewer(0.1, 0.02))
    assert not told_of


def test_a_step_in_milliseconds_is_told():
    """A walk with dt=1 ended two metres above the ground, without a word."""
    world = st.World(st.robots.brick())
    motion, (message,) = warned_of("dt is", world, st.Coulomb(), duration=2.0, dt=1.0)
    assert message.startswith("dt is 1 s; ")
    assert message in motion.parameters["notes"]
    assert not warned_of("dt is", world, st.Coulomb(), duration=0.01, dt=0.01)[1]


@pytest.mark.filterwarnings("ignore:dt is 1 s")
def test_a_duration_shorter_than_a_step_is_refused():
    """It took a whole step, a hundred times as long as wanted."""
    world = st.World(st.robots.brick())
    with pytest.raises(InputError, match=r"duration is 0.01 s, less than one step: dt is 1 s"):
        st.simulate(world, duration=0.01, dt=1.0)
    with pytest.raises(InputError, match=r"duration is 0.01 s, less than one step"):
        st.simulate_batch(world, 2, duration=0.01, dt=1.0)
    assert len(st.simulate(world, duration=0.0)) == 1
