"""The longest step of explicit contact laws: declared, told with numbers, and true."""

import warnings

import numpy as np
import pytest

import stiction as st
from stiction.contact.spring_damper import bearable_step, implicit_bearable_step
from stiction.simulation import make_surface
from stiction.stability import StabilityWarning, longest_step


def growth(stiffness, damping, mass, dt):
    """Largest growth factor of a step of semi-implicit Euler of a damped spring."""
    kick = np.array([[1.0, 0.0], [-dt * stiffness / mass, 1.0 - dt * damping / mass]])
    drift = np.array([[1.0, dt], [0.0, 1.0]])
    return np.abs(np.linalg.eigvals(drift @ kick)).max()


@pytest.mark.parametrize(("k", "c", "m"), [(5e4, 500.0, 2.0), (1e3, 0.0, 0.1), (0.0, 40.0, 1.0)])
def test_the_bound_is_where_a_spring_begins_to_grow(k, c, m):
    for bound, damping in (
        (bearable_step(k, c, m), lambda dt: c),
        (implicit_bearable_step(k, c, m), lambda dt: c + k * dt),
    ):
        assert growth(k, damping(0.99 * bound), m, 0.99 * bound) <= 1 + 1e-9
        assert growth(k, damping(1.01 * bound), m, 1.01 * bound) > 1.0001


def test_four_corners_of_a_brick_feel_what_its_quickest_mode_has():
    world = st.World(st.robots.brick(size=(0.2, 0.1, 0.06), mass=2.0))
    model = st.SpringDamper()
    surface, _, _ = make_surface(world, model)
    bound = longest_step(world, model, surface.places, surface.contact.table)
    # the quickest mode pitches: m (a^2 + h^2) / 12 against four arms of a / 2
    pitching = 2.0 * (0.2**2 + 0.06**2) / 12 / (4 * 0.1**2)
    assert bound.points == 4 and bound.link == "brick"
    assert bound.mass == pytest.approx(pitching, rel=1e-9)
    assert bound.dt == pytest.approx(bearable_step(5e4, 500.0, pitching), rel=1e-12)


def test_a_step_too_long_warns_with_the_numbers_and_a_short_one_does_not():
    world = st.World(st.robots.brick())
    with pytest.warns(StabilityWarning, match=r"dt is 0\.01 s; 4 points of 'brick'.*bear at most"):
        simulation = st.Simulation(world, st.SpringDamper(), dt=0.01)
    assert any("bear at most" in note for note in simulation.notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        st.Simulation(world, st.SpringDamper(), dt=1e-4)
        st.Simulation(world, st.Coulomb(), dt=0.01)
        st.Simulation(world, None, dt=0.01)


def test_contacts_tell_what_touched_in_the_last_step():
    world = st.World(st.robots.brick(mass=2.0))
    simulation = st.Simulation(world, st.Coulomb(), state=world.standing())
    assert simulation.contacts == []
    simulation.step(n=3)
    points = simulation.contacts
    assert len(points) == 4
    assert {point.shape for point in points} == {"brick/brick_shape"}
    assert sum(point.force[2] for point in points) == pytest.approx(2.0 * 9.81, rel=1e-9)
    assert max(np.abs(point.slip).max() for point in points) < 1e-9
