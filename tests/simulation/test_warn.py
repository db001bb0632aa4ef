"""Energy that a ground gives to the robots is told, and only then."""

import warnings

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer
from stiction.errors import StabilityWarning
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
