"""Points stick, slip or are open by their force and velocity."""

import numpy as np

from recorded import LOWER, recorded
from stiction.visual.colours import ContactState
from stiction.visual.contact_state import contact_states

CONTACT = {"model": "Coulomb", "mu_static": 0.5, "mu_kinetic": 0.5}


def states_for(force, velocity):
    """States of the four lower corners with this force and velocity."""
    forces, velocities = np.zeros((1, 8, 3)), np.zeros((1, 8, 3))
    forces[0, LOWER], velocities[0, LOWER] = force, velocity
    motion = recorded(forces, contact_velocity=velocities, contact=CONTACT)
    return contact_states(motion)[0]


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
