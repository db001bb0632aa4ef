"""Position correction: points that have sunk in are lifted, as far as anything can move them."""

import numpy as np
import pytest

import stiction as st
from stiction.description.description import WORLD, Description, Joint, Link, Shape
from stiction.errors import UnsolvedWarning

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
