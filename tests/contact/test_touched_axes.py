"""Laws that remember vectors, on a body that turns: a box rides on a turntable.

The table turns at a constant rate, the box with it. Friction carries it along a circle: a force
m w^2 r towards the axis, from springs whose stretch turns with the table.
"""

import numpy as np
import pytest

import stiction as st
from stiction.description.description import WORLD, Description, Joint, Link, Shape

pytestmark = pytest.mark.interpreted
RATE, FROM_AXIS, MASS, G = 3.0, 0.2, 2.0, 9.81
SOFT = {"stiffness": 2e3, "damping": 60.0}
ALONG = {"tangential_stiffness": 500.0, "tangential_damping": 20.0}
CENTRIPETAL = MASS * RATE**2 * FROM_AXIS  # [N]
LAWS = [
    st.SpringDamper(**SOFT),
    st.ImplicitSpringDamper(**SOFT),
    st.HuntCrossley(stiffness=2e3, damping=60.0, alpha=1.0, beta=0.0),
    st.Distributed(**SOFT, **ALONG, alpha=1.0, beta=0.0),
]


def turntable():
    """A heavy disc, almost not slowed down by what lies on it, on a hinge about z; top at z = 0."""
    link = Link("disc", 1e3, (0.0, 0.0, 0.0), (1e3, 0.0, 0.0, 1e3, 0.0, 1e3))
    hinge = Joint("turn", "revolute", WORLD, "disc")
    top = Shape("top", "disc", "box", (0.5, 0.5, 0.05), (0.0, 0.0, -0.05))
    return st.Robot.from_description(Description("table", "tests", (link,), (hinge,), (top,)))


def ride(law, duration, start=0.0):
    """Motion of a brick on the table; both turn from the start, at a time that may be late."""
    brick = st.robots.brick(mass=MASS)
    depth = MASS * G / 4 / SOFT["stiffness"]
    world = st.World(turntable(), brick.at((FROM_AXIS, 0.0, 0.03 - depth)), ground=None)
    state = world.home()
    state.time = start
    state.v[0], state.v[2], state.v[6] = RATE, RATE * FROM_AXIS, RATE
    return st.simulate(world, law, duration=duration, dt=1e-3, state=state)


def in_table_axes(motion):
    """Forces on the brick, (n, 3), turned back with the table."""
    force, angle = motion.force_between("brick", "table")[:-1], motion.q[:-1, 0]
    c, s = np.cos(angle), np.sin(angle)
    x = c * force[:, 0] + s * force[:, 1]
    return np.stack([x, c * force[:, 1] - s * force[:, 0], force[:, 2]], axis=1)


def on_table(motion, k):
    """Place of the brick in the axes of the table at a sample, (2)."""
    (x, y), angle = motion.q[k, 1:3], motion.q[k, 0]
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * x + s * y, c * y - s * x])


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_the_springs_of_a_box_on_a_turntable_turn_with_it(law):
    motion = ride(law, 0.5)
    assert motion.q[-1, 0] > 1.4  # more than 80 degrees
    tangential = law.tangential_stiffness if isinstance(law, st.Distributed) else law.stiffness
    stretch = CENTRIPETAL / 4 / tangential
    place = motion.q[-1, 1:4]
    outwards = np.hypot(place[0], place[1]) - FROM_AXIS
    # the force acts below the centre of mass: the brick tilts, and its centre stays behind
    assert outwards == pytest.approx(stretch, rel=0.15)
    force = in_table_axes(motion)[-1]
    expected = MASS * RATE**2 * (FROM_AXIS + stretch)
    assert force[0] == pytest.approx(-expected, rel=0.02)
    assert abs(force[1]) < 0.02 * expected
    # a spring that stayed in the world's axes would have to be stretched anew all the time: the
    # brick would creep at the rate of turning times the stretch
    creep = np.linalg.norm(on_table(motion, -1) - on_table(motion, -101)) / 0.1
    assert creep < 0.1 * RATE * stretch


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_the_time_at_which_a_run_starts_does_not_matter(law):
    early, late = ride(law, 0.02), ride(law, 0.02, start=100.0)
    np.testing.assert_allclose(late.q, early.q, atol=1e-9)  # rounding of the time


def test_a_solver_carries_a_box_on_a_turntable_around():
    motion = ride(st.Coulomb(), 0.1)
    force = in_table_axes(motion)[-1]
    assert force[0] == pytest.approx(-CENTRIPETAL, rel=0.01)
    assert abs(force[1]) < 0.01 * CENTRIPETAL
