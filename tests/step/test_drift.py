"""Position correction: what has sunk in is lifted, as far as it can move; momentum is kept."""

import numpy as np
import pytest

import stiction as st
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.errors import UnsolvedWarning
from stiction.step.record import DEPTH

pytestmark = pytest.mark.interpreted


def foot_on_slide():
    link = Link("foot", 1.0, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    slide = Joint("z", "prismatic", WORLD, "foot", axis=(0.0, 0.0, 1.0))
    shape = Shape("foot", "foot", "box", (0.05, 0.05, 0.05))
    return st.Robot.from_description(Description("slide", "tests", (link,), (slide,), (shape,)))


def test_a_point_that_cannot_move_stays():
    """A prescribed foot is driven into the ground; nothing can lift it."""
    world = st.World(foot_on_slide())
    down = st.Reference([0.0, 0.1], [[0.05], [0.04]])
    state = st.State(np.array([0.05]), np.zeros(1))
    with pytest.warns(UnsolvedWarning):
        motion = st.simulate(
            world, st.Coulomb(), duration=0.1, dt=5e-3, state=state, controller=st.Prescribed(down)
        )
    np.testing.assert_allclose(motion.q[-1], 0.04, atol=1e-12)
    assert np.nanmax(motion.depth) > 5e-3


def test_what_rests_on_a_foot_that_cannot_move_is_lifted_from_it():
    world = st.World(foot_on_slide(), st.robots.brick().at((0.0, 0.0, 0.128)), ground=None)
    hold = st.Prescribed(st.Reference([0.0, 1.0], [[0.05], [0.05]], joints=("z",)))
    state = world.home()
    state.q[0] = 0.05
    motion = st.simulate(world, st.Coulomb(), duration=0.05, state=state, controller=hold)
    assert motion.q[0, 3] == 0.128  # 2 mm in the foot
    assert motion.q[-1, 3] == pytest.approx(0.13, abs=1e-4)
    np.testing.assert_allclose(motion.q[:, 0], 0.05, atol=1e-12)


# -------------------------------------------------------------------------------------- in flight

SPACE = {"ground": None, "gravity": (0.0, 0.0, 0.0)}
INSTANT = 1e-6  # a step so short that forces and the integrator hardly matter [s]
FLYING = (0.5, -0.3, 0.2)  # velocity [m/s]


def overlapping_bricks(depth, **options):
    """Two bricks, the upper one `depth` deep in the lower one; they spin and slide."""
    bricks = [st.robots.brick().named(name) for name in ("lower", "upper")]
    size = st.robots.brick().shape_size[0]
    world = st.World(bricks[0], bricks[1].at((0.03, 0.02, 2 * size[2] - depth)), **options)
    state = world.home()
    state.v[0:3], state.v[6:9] = (0.3, 1.0, 0.1), (-0.9, 0.2, -0.2)
    state.v[3:6], state.v[9:12] = (3.0, -2.0, 4.0), (-1.0, 5.0, 2.0)
    return world, state


def assert_momentum_stays(motion, rounding=1e-13):
    """Both momenta stay, to rounding, and the energy does not grow."""
    momentum, energy = motion.momentum(), motion.energy().total
    assert np.abs(momentum.linear - momentum.linear[0]).max() <= rounding
    assert np.abs(momentum.angular - momentum.angular[0]).max() <= rounding
    assert np.diff(energy).max() <= 1e-14 * energy[0]


def folding_arm():
    """An upper arm that floats, a short link without shape, and a forearm that folds onto it."""
    ball = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)
    links = (
        Link("upper", 1.0, (0.15, 0.0, 0.0), (1e-3, 0.0, 0.0, 8e-3, 0.0, 8e-3)),
        Link("middle", 0.1, (0.0, 0.0, 0.0), ball),
        Link("forearm", 1.0, (-0.15, 0.0, 0.0), (1e-3, 0.0, 0.0, 8e-3, 0.0, 8e-3)),
    )
    hinge = {"axis": (0.0, 1.0, 0.0)}
    joints = (
        Joint("base", "free", WORLD, "upper"),
        Joint("first", "revolute", "upper", "middle", position=(0.33, 0.0, 0.0), **hinge),
        Joint("second", "revolute", "middle", "forearm", position=(0.0, 0.0, 0.06), **hinge),
    )
    size, across = (0.15, 0.02, 0.02), {"position": (0.15, 0.0, 0.0)}
    shapes = (
        Shape("upper", "upper", "box", size, **across),
        Shape("forearm", "forearm", "box", size, position=(-0.15, 0.0, 0.0)),
    )
    return st.Robot.from_description(Description("arm", "tests", links, joints, shapes))


def depths(motion):
    return np.nanmax(motion.between[:-1, :, DEPTH], axis=1)


@pytest.mark.parametrize("mu", [0.0, 0.6])
def test_bodies_in_flight_are_parted_and_keep_their_momentum(mu):
    """Displacements of 0.2 mm a step at 1.5 m/s would change 0.5 N m s by 1e-4 each."""
    world, state = overlapping_bricks(1e-3, **SPACE)
    motion = st.simulate(
        world,
        st.Coulomb(mu_static=mu, mu_kinetic=mu),
        duration=INSTANT * 10,
        dt=INSTANT,
        state=state,
    )
    assert_momentum_stays(motion)
    depth = depths(motion)
    assert depth[0] == pytest.approx(1e-3, rel=1e-2)
    assert depth[-1] < 0.3e-3


def test_bodies_that_collide_in_flight_keep_their_momentum():
    """Within a whole step, without a search for the time of impact: spins change by 4 rad/s."""
    world, state = overlapping_bricks(1e-5, **SPACE)
    state.v[8] -= 2.0
    motion = st.simulate(world, st.Coulomb(), duration=0.005, dt=1e-3, state=state)
    assert np.abs(motion.v[1, 3:6] - motion.v[0, 3:6]).max() > 4.0
    assert_momentum_stays(motion)


def test_a_robot_that_touches_itself_in_flight_keeps_its_momentum():
    """Its forearm is 0.8 mm deep in its upper arm. The base is not at the centre of mass."""
    world = st.World(folding_arm(), **SPACE, self_collision=True)
    state = world.home()
    state.q[8], state.v[:3], state.v[3:6] = -0.07, FLYING, (1.0, -3.0, 2.0)
    motion = st.simulate(world, st.Coulomb(), duration=INSTANT * 10, dt=INSTANT, state=state)
    depth = depths(motion)
    assert depth[0] > 0.5e-3 and depth[-1] < 0.3 * depth[0]
    # the integrator's own error with joints is of second order: INSTANT squared, times 10 rad/s2
    assert_momentum_stays(motion, rounding=1e-11)


def test_bodies_on_the_ground_are_parted_and_keep_their_velocities():
    """A rigid motion would break the contact with the ground, whose forces change momentum."""
    world, state = overlapping_bricks(1e-3, gravity=SPACE["gravity"])
    state.v[:], state.q[2] = 0.0, state.q[2] + world.standing().q[2] - 1e-5
    state.v[[0, 1, 6, 7]] = 1.0, 2.0, 1.0, 2.0  # together, without friction
    motion = st.simulate(
        world,
        st.Coulomb(mu_static=0.0, mu_kinetic=0.0),
        duration=INSTANT * 5,
        dt=INSTANT,
        state=state,
    )
    assert motion.q[-1, 9] > motion.q[0, 9] + 1e-4
    np.testing.assert_array_equal(motion.v[-1], motion.v[0])


def test_a_ball_in_a_ring_that_turns_with_it_is_lifted_and_gains_no_energy():
    """Nothing moves relative to anything: energy cannot pay for the same angular momentum."""
    walls = [
        Shape(f"wall_{k}", "ring", "box", (0.01, 0.1, 0.1), position=(x, 0.0, 0.0))
        for k, x in enumerate((-0.2, 0.2))
    ]
    link = Link("ring", 2.0, (0.0, 0.0, 0.0), (0.05, 0.0, 0.0, 0.05, 0.0, 0.05))
    free = Joint("ring_free", "free", WORLD, "ring")
    ring = st.Robot.from_description(Description("ring", "tests", (link,), (free,), tuple(walls)))
    world = st.World(ring, st.robots.ball(0.05, 1.0).at((0.141, 0.0, 0.0)), **SPACE)
    state, spin = world.home(), 10.0
    state.v[5] = state.v[11] = spin
    state.v[1], state.v[7] = -spin * 0.141 / 3, spin * 0.141 * 2 / 3
    motion = st.simulate(world, st.Coulomb(), duration=INSTANT * 10, dt=INSTANT, state=state)
    depth, energy = depths(motion), motion.energy().total
    assert depth[-1] < 0.3 * depth[0]
    assert np.diff(energy).max() <= 1e-14 * energy[0]
