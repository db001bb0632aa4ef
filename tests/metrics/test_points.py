"""The contact points of a motion are followed once, for all that is measured of it."""

from dataclasses import replace

import numpy as np
import pytest

import stiction as st
from stiction.metrics import normals, point_positions, point_velocities
from stiction.metrics.points import followed_points


@pytest.fixture(scope="module")
def motion():
    world = st.World(st.robots.brick(), ground=st.Slope(0.2))
    state = world.standing(above=-1e-4)
    return st.simulate(world, st.SpringDamper(), duration=0.003, dt=0.001, state=state)


def test_a_motion_has_its_contact_points_at_all_moments(motion):
    again = followed_points(motion, motion.q, motion.v)
    for kept, found in zip(motion.contact_points, again, strict=True):
        np.testing.assert_array_equal(kept, found)
    assert point_positions(motion) is motion.contact_points.position
    assert point_velocities(motion) is motion.contact_points.velocity
    assert normals(motion) is motion.contact_points.normal


def test_nobody_can_change_them(motion):
    with pytest.raises(ValueError, match="read-only"):
        point_positions(motion)[0] = 0.0


def test_another_motion_has_its_own(motion):
    raised = motion.q + np.eye(7)[2]
    position = point_positions(replace(motion, q=raised))
    np.testing.assert_allclose(position[..., 2], point_positions(motion)[..., 2] + 1.0)
