"""Forces of bodies on each other, from a motion."""

import numpy as np
import pytest

import stiction as st

pytestmark = pytest.mark.interpreted


@pytest.mark.parametrize("ground", [st.Plane(-1.0), None])
def test_the_last_row_has_no_force_between_bodies_with_or_without_ground(ground):
    """No step starts there: what is not known is NaN, not zero."""
    plate = st.robots.plate()
    world = st.World(st.robots.brick().at((0.0, 0.0, 0.035)), scenery=plate, ground=ground)
    motion = st.simulate(world, st.Coulomb(), duration=0.01, state=world.home())
    force = motion.force_between("brick", plate.name)
    np.testing.assert_allclose(force[:-1, 2], 2.0 * 9.81, rtol=1e-6)  # tolerance of the solver
    assert np.isnan(force[-1]).all()
    part = motion.rows([2, -1]).force_between("brick", plate.name)
    assert np.isnan(part).all(axis=1).tolist() == [False, True]
