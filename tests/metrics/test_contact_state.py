"""Where it is not recorded, points stick, slip or are open by their force and velocity."""

import numpy as np

from recorded import LOWER, recorded
from stiction.metrics import ContactState
from stiction.metrics.contact_state import derived_between

CONTACT = {"model": "Coulomb", "mu_static": 0.5, "mu_kinetic": 0.5}


def states_for(force, velocity):
    """States of the four lower corners with this force and velocity."""
    forces, velocities = np.zeros((1, 8, 3)), np.zeros((1, 8, 3))
    forces[0, LOWER], velocities[0, LOWER] = force, velocity
    motion = recorded(forces, contact_velocity=velocities, contact=CONTACT)
    return motion.contact_state[0]


def test_points_without_force_are_open():
    assert (states_for([0, 0, 0], [1, 0, 0]) == ContactState.OPEN).all()


def test_a_point_at_rest_sticks_and_others_stay_open():
    states = states_for([1, 0, 10], [0, 0, 0])
    assert (states[list(LOWER)] == ContactState.STICK).all()
    assert (np.delete(states, LOWER) == ContactState.OPEN).all()


def test_a_point_that_moves_on_its_cone_slips():
    assert (states_for([-5, 0, 10], [1, 0, 0])[list(LOWER)] == ContactState.SLIP).all()


def test_a_point_that_moves_inside_its_cone_sticks():
    """As a sphere that rolls, or an elastic sole that gives way."""
    assert (states_for([-2, 0, 10], [1, 0, 0])[list(LOWER)] == ContactState.STICK).all()


def test_the_state_of_a_sample_without_forces_is_not_known():
    motion = recorded(np.zeros((1, 8, 3)), contact=CONTACT)
    assert np.isnan(motion.contact_state[-1]).all()


def test_between_bodies_the_speed_decides():
    force, slip = [[0, 0, 0], [0, 0, 1], [0, 0, 1]], [[1, 0, 0], [1e-4, 0, 0], [0.1, 0, 0]]
    states = derived_between(np.array(force, float), np.array(slip, float))
    assert states.tolist() == [ContactState.OPEN, ContactState.STICK, ContactState.SLIP]
