"""Creep, sharing of forces and solver effort of motions made by hand."""

import numpy as np
import pytest

import stiction as st
from recorded import LOWER, MU, recorded
from stiction.errors import InputError
from stiction.metrics import Friction, contact_quality


def steps(*pushes):
    """Forces of corner 0 in steps, each with a normal force of 2 N and this part along x [N]."""
    forces = np.zeros((len(pushes), 8, 3))
    forces[:, 0, 0], forces[:, 0, 2] = pushes, 2.0
    return forces


def speeds(*values):
    slip = np.zeros((len(values), 8, 3))
    slip[:, 0, 1] = values
    return slip


def test_creep_is_the_slip_of_points_held_before_and_now():
    #             lands  held  slides  caught  held   held
    pushes = steps(0.3, -0.5, 1.0, 0.4, 0.2, 0.0)
    motion = recorded(pushes, slip=speeds(0.7, 1e-5, 0.2, 0.1, 3e-5, 2e-5))
    found = motion.creep()
    assert found.maximum == 3e-5
    assert found.mean == pytest.approx(2e-5, rel=1e-12)
    stuck = [False, True, False, False, True, True, False]
    assert np.isfinite(found.speed[:, 0]).tolist() == stuck
    assert np.isnan(found.speed[:, 1:]).all()


def test_a_point_that_slides_by_kinetic_friction_does_not_creep(monkeypatch):
    """Its force is inside the static cone."""
    motion = recorded(steps(0.8, 0.8, 1.2, 1.2), slip=speeds(0.3, 0.3, 1e-6, 1e-6))
    both = Friction(np.full(8, 0.8), np.full(8, 0.4), np.full(8, 1e-6), np.full(8, False))
    monkeypatch.setattr(contact_quality, "friction_coefficients", lambda _: both)
    assert motion.creep().maximum == 1e-6


def test_nothing_creeps_where_nothing_is_stuck():
    found = recorded(steps(2 * MU, 2 * MU), slip=speeds(0.1, 0.1)).creep()
    assert np.isnan(found.maximum) and np.isnan(found.mean) and np.isnan(found.speed).all()
    with pytest.raises(InputError, match="creep.*fraction"):
        recorded(steps(0.0)).creep(margin=1.0)


@pytest.mark.parametrize(
    "carried, spread", [((2, 2, 2, 2), 0.0), ((1, 1, 3, 3), 0.5), ((4, 0, 0, 0), np.sqrt(3))]
)
def test_force_spread_is_standard_deviation_over_mean(carried, spread):
    """A corner that touches and carries nothing counts; the upper corners do not."""
    forces = np.zeros((2, 8, 3))
    forces[0, LOWER, 2] = carried
    found = recorded(forces).force_spread("brick")
    assert found[0] == pytest.approx(spread, abs=1e-15)
    assert np.isnan(found[1:]).all()  # nothing carried, and no forces known


def test_force_spread_wants_a_link_that_touches():
    motion = recorded(np.zeros((1, 8, 3)))
    with pytest.raises(InputError, match="no link or frame 'sole' in this world; it has: brick"):
        motion.force_spread("sole")


def test_solver_summary_counts_iterations_fallbacks_and_failures():
    rows = [[2, 1e-12, 0], [5, 1e-9, 1], [40, 1e-3, 9], [1, 0.0, 0]]
    motion = recorded(np.zeros((4, 8, 3)), solver=rows)
    assert motion.solver_summary() == (12.0, 40, 1e-3, 1, 1)
    assert motion.solver_summary().failures == 1


def test_a_force_law_has_no_solver_to_tell_of():
    assert recorded(np.zeros((1, 8, 3))).solver_summary() == (0.0, 0, 0.0, 0, 0)
    world = st.World(st.robots.ball())
    failed = st.simulate(world, contact=None, duration=0.0)
    assert failed.solver_summary().iterations_max == 0


def test_quality_is_one_table_of_numbers():
    velocities = speeds(0.0, 0.0, 0.3)
    motion = recorded(steps(0.5, 0.5, 1.5), velocities, slip=speeds(0.0, 4e-6, 0.3))
    found = motion.quality()
    assert all(isinstance(value, float | int) for value in found.values())
    assert found["creep, largest [m/s]"] == 4e-6
    assert found["cone violation [N]"] == pytest.approx(0.5 / np.hypot(1, MU), rel=1e-12)
    assert found["conic [J]"] == 0.0  # force along x, slip along y
    assert found["iterations_max"] == 0 and found["depth [m]"] == 0.0
    with pytest.raises(InputError, match="without contact"):
        st.simulate(st.World(st.robots.ball()), contact=None, duration=0.002).quality()
