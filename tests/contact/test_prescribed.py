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


INERTIA = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)
STILL = (0.0, 0.0, 0.0)


def press(hinge=None):
    """A block of 2 kg on a vertical slide; with a hinge, another one of 1 kg that it carries."""
    links = [Link("block", 2.0, STILL, INERTIA)]
    joints = [Joint("slide", "prismatic", WORLD, "block", axis=(0.0, 0.0, 1.0))]
    if hinge is not None:
        links.append(Link("turning", 1.0, STILL, INERTIA))
        joints.append(Joint("hinge", "revolute", "block", "turning", axis=hinge))
    shape = Shape("tool", links[-1].name, "box", (0.05, 0.05, 0.05))
    description = Description("press", "tests", tuple(links), tuple(joints), (shape,))
    return st.Robot.from_description(description)


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


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    "model", [*SOLVERS, st.Bilateral()], ids=lambda model: type(model).__name__
)
@pytest.mark.parametrize("hinge", [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0)], ids=["level", "tilting"])
def test_a_tool_that_turns_on_a_press_but_cannot_yield_is_unsolved(model, hinge):
    """Its corners could move, but not all of them up."""
    world = st.World(press(hinge))
    state = st.State(np.array([0.05, 0.0]), np.array([-0.1, 0.0]))
    with pytest.warns(UnsolvedWarning, match="3 of 3 steps"):
        motion = st.simulate(
            world, model, duration=3 * DT, dt=DT, state=state, controller=moved(-0.1)
        )
    assert (motion.solver[:-1, 1] > 0.99 * 0.1 / (G * DT)).all()  # some corner keeps its speed


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "model",
    [st.Coulomb(), st.GaussSeidel(), st.FacetedLCP()],  # sweeps alone converge too slowly
    ids=lambda model: f"{type(model).__name__}",
)
def test_a_robot_that_lands_while_a_joint_is_prescribed_is_solved(model):
    """Its base yields."""
    links = (Link("base", 2.0, STILL, INERTIA), Link("block", 2.0, STILL, INERTIA))
    joints = (
        Joint("free", "free", WORLD, "base"),
        Joint("slide", "prismatic", "base", "block", axis=(0.0, 0.0, 1.0)),
    )
    shape = Shape("foot", "block", "box", (0.05, 0.05, 0.05))
    robot = st.Robot.from_description(Description("leg", "tests", links, joints, (shape,)))
    world = st.World(robot)
    state = world.standing(above=1e-3)
    state.q[2], state.q[7] = state.q[2] - 0.05, 0.05  # where the slide is
    state.v[:] = [1.0, 0.0, -3.0, 0.5, -1.0, 2.0, 0.0]
    motion = st.simulate(world, model, duration=4 * DT, dt=DT, state=state, controller=moved(-0.1))
    assert motion.force[:-1, :, 2].any() and motion.unsolved.count == 0


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
        motion = st.simulate(world, st.Coulomb(), duration=DT, dt=DT, state=state, controller=down)
    assert motion.solver[0, 1] > 0.1 * 0.005 / (G * DT)  # a part of the speed of the press remains


@pytest.mark.parametrize(
    "integrator", [st.Midpoint(), st.Leapfrog()], ids=lambda i: type(i).__name__
)
def test_a_foot_stays_where_it_is_while_its_leg_speeds_up(integrator):
    links = (Link("base", 0.2, STILL, INERTIA), Link("foot", 3.0, STILL, INERTIA))
    joints = (
        Joint("free", "free", WORLD, "base"),
        Joint("slide", "prismatic", "base", "foot", axis=(1.0, 0.0, 0.0)),
    )
    shape = Shape("sole", "foot", "box", (0.3, 0.3, 0.05))
    description = Description("sledge", "tests", links, joints, (shape,))
    world = st.World(st.Robot.from_description(description))
    time = np.linspace(0.0, 1.0, 101)
    pulled = st.Prescribed(st.Reference(time, -(time**2)[:, None], joints=("slide",)))
    motion = st.simulate(
        world,
        duration=0.08,
        dt=0.004,
        state=world.standing(),
        controller=pulled,
        integrator=integrator,
    )
    foot = motion.q[:, 0] + motion.q[:, 7]
    assert abs(motion.v[-1, 6] + 0.16) < 1e-9  # the leg is at its speed ...
    assert abs(motion.v[-1, 0] + motion.v[-1, 6]) < 1e-9  # ... and the foot at rest
    assert np.ptp(foot) < 1e-9
