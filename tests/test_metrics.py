"""Ground reactions of a motion against statics."""

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer
from stiction.errors import InputError
from stiction.metrics import place_positions

FLOOR = st.SpringDamper(stiffness=1e5, damping=800.0, mu_kinetic=0.0)


def resting_brick(forces=(), duration=0.4):
    world = st.World(st.robots.brick(size=(0.2, 0.1, 0.06), mass=2.0))
    state = world.standing(above=-2.0 * 9.81 / 4 / 1e5)
    return st.simulate(
        world, FLOOR, duration=fewer(duration, 0.002), dt=2e-4, state=state, forces=forces
    )


def test_the_force_under_a_resting_brick_is_its_weight_at_its_centre():
    motion = resting_brick()
    assert np.allclose(motion.foot_force("brick")[-2], [0, 0, 2.0 * 9.81], atol=1e-6)
    assert np.allclose(motion.centre_of_pressure("brick")[-2, :2], 0.0, atol=1e-9)


@pytest.mark.jit
def test_an_upright_couple_moves_the_centre_of_pressure_by_moment_over_weight():
    table = np.array([[0, 0, 0], [0, 0, 0]]), np.array([[0, 0.3, 0], [0, 0.3, 0]])
    couple = st.TabulatedForce("brick", (0, 0, 0), [0.0, 10.0], *table)
    motion = resting_brick([couple], duration=1.0)
    centre = motion.centre_of_pressure("brick")[-1000:-1].mean(axis=0)
    assert centre[0] == pytest.approx(0.3 / (2.0 * 9.81), rel=1e-3)
    assert centre[1] == pytest.approx(0.0, abs=1e-9)


def test_a_brick_in_flight_has_no_centre_of_pressure():
    world = st.World(st.robots.brick())
    motion = st.simulate(world, FLOOR, duration=0.002, state=world.standing(above=1.0))
    assert np.isnan(motion.centre_of_pressure("brick")).all()
    assert (motion.foot_force("brick")[:-1] == 0).all()


def test_places_are_where_the_corners_are():
    motion = resting_brick()
    corners = place_positions(motion)[0]
    assert np.allclose(np.abs(corners[:, 0]), 0.1) and np.allclose(np.abs(corners[:, 1]), 0.05)
    assert np.allclose(np.ptp(corners[:, 2]), 0.06)


def test_feet_are_asked_for_by_name():
    world = st.World(st.robots.biped10())
    motion = st.simulate(world, FLOOR, duration=0.001, state=world.standing(above=-1e-4))
    both = motion.foot_force("left_foot")[0] + motion.foot_force("right_foot")[0]
    assert np.allclose(both, motion.force[0].sum(axis=0))
    with pytest.raises(InputError, match="'left_hip' has no colliding shape; these links have"):
        motion.foot_force("left_hip")
    with pytest.raises(InputError, match="simulated without contact"):
        st.simulate(world, duration=0.001).foot_force("left_foot")
