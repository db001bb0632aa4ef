"""Links whose motion is prescribed: no impulse stops them, and a run says so."""

import numpy as np
import pytest

import stiction as st
from stiction.contact.prescribed import release_prescribed
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.errors import UnsolvedWarning
from stiction.kernels.response import NOT_CONVERGED

pytestmark = pytest.mark.interpreted

DT, G = 1e-3, 9.81
SOLVERS = [st.Coulomb(), st.GaussSeidel(), st.GaussSeidel(newton=0), st.FacetedLCP()]


def press():
    """A block of 2 kg on a vertical slide."""
    link = Link("block", 2.0, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    slide = Joint("slide", "prismatic", WORLD, "block", axis=(0.0, 0.0, 1.0))
    shape = Shape("block", "block", "box", (0.05, 0.05, 0.05))
    return st.Robot.from_description(Description("press", "tests", (link,), (slide,), (shape,)))


def moved(speed):
    return st.Prescribed(st.Reference([0.0, 1.0], [[0.05], [0.05 + speed]], joints=("slide",)))


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("model", SOLVERS, ids=lambda model: f"{type(model).__name__}")
def test_a_press_that_is_driven_into_the_ground_is_unsolved(model):
    world = st.World(press())
    state = st.State(np.array([0.05]), np.zeros(1))
    with pytest.warns(UnsolvedWarning, match="5 of 5 steps"):
        motion = st.simulate(
            world, model, duration=5 * DT, dt=DT, state=state, controller=moved(-0.1)
        )
    assert (motion.solver[:-1, 2] == NOT_CONVERGED).all()
    assert motion.solver[1, 1] == pytest.approx(0.1 / (G * DT), rel=1e-2)  # all of its speed
    assert not motion.force[:-1].any()  # what could be any force is none


def test_a_press_is_found_again_when_contact_is_solved_again():
    """As it is where joints and contact are solved in turn."""
    state = st.State(np.array([0.05]), np.array([-0.1]))
    simulation = st.Simulation(
        st.World(press()), st.Coulomb(), DT, state=state, controller=moved(-0.1)
    )
    with pytest.warns(UnsolvedWarning):
        simulation.step()
    for _ in range(2):
        driven = release_prescribed(simulation._system, DT)
        assert driven == pytest.approx(0.1, rel=1e-2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("model", SOLVERS, ids=lambda model: f"{type(model).__name__}")
def test_a_press_that_rests_on_the_ground_or_rises_is_solved(model):
    for speed in (0.0, 0.1):
        state = st.State(np.array([0.05]), np.zeros(1))
        st.simulate(
            st.World(press()), model, duration=5 * DT, dt=DT, state=state, controller=moved(speed)
        )


def test_what_a_press_presses_against_the_ground_is_unsolved_too():
    """The brick between press and ground could move, but not out of the way."""
    world = st.World(press(), st.robots.brick().at((0.0, 0.0, 0.03)))
    state = world.home()
    state.q[0], state.v[0] = 0.11, -0.005  # so slow that it is no impact
    down = st.Prescribed(st.Reference([0.0, 1.0], [[0.11], [0.105]], joints=("slide",)))
    with pytest.warns(UnsolvedWarning):
        st.simulate(world, st.Coulomb(), duration=DT, dt=DT, state=state, controller=down)
