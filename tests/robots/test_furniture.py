"""Table and cart: masses, inertia and sizes against closed forms; casters that roll."""

from math import inf, nan

import numpy as np
import pytest

import stiction as st
from mechanisms import fewer
from stiction import World, mechanics, robots
from stiction.errors import InputError
from stiction.world.outlines import outline


def box_about(mass, size, offset):
    """Inertia of a box about a point `offset` from its centre, from the parallel-axis theorem."""
    a, b, c = size
    own = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * mass / 12
    r = np.array(offset)
    return own + mass * (r @ r * np.eye(3) - np.outer(r, r))


def inertia_of(robot, link=0):
    xx, xy, xz, yy, yz, zz = robot.inertia[link]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def extent_of(robot):
    """Corners of the box around all shapes at home; the links of these robots are not turned."""
    points = [
        outline(robot, shape) + (robot.joint_position[link] if link > 0 else 0.0)
        for shape, link in enumerate(robot.shape_link)
    ]
    return np.concatenate(points).min(axis=0), np.concatenate(points).max(axis=0)


def test_a_table_is_a_top_and_four_legs():
    size, thickness, leg = (1.0, 0.6, 0.7), 0.05, 0.1
    table = robots.table(size, 12.0, thickness, leg)
    under = size[2] - thickness
    volumes = [size[0] * size[1] * thickness, *[leg * leg * under] * 4]
    masses = 12.0 * np.array(volumes) / sum(volumes)
    legs = [(x * 0.45, y * 0.25, under / 2) for x in (1, -1) for y in (1, -1)]
    centres = np.array([(0.0, 0.0, size[2] - thickness / 2), *legs])
    centre = masses @ centres / 12.0
    sizes = [(size[0], size[1], thickness), *[(leg, leg, under)] * 4]
    parts = zip(masses, sizes, centres, strict=True)
    expected = sum(box_about(mass, edges, at - centre) for mass, edges, at in parts)
    assert table.total_mass == pytest.approx(12.0, rel=1e-14)
    np.testing.assert_allclose(table.centre, [centre], rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(inertia_of(table), expected, rtol=1e-13, atol=1e-15)
    low, high = extent_of(table)
    np.testing.assert_allclose(low, [-0.5, -0.3, 0.0], atol=1e-15)
    np.testing.assert_allclose(high, [0.5, 0.3, 0.7], rtol=1e-15)


def test_a_cart_has_its_mass_and_size_and_stands_on_its_casters():
    cart = robots.cart(size=(0.9, 0.6, 1.0), mass=20.0, wheel=0.06)
    assert cart.total_mass == pytest.approx(20.0, rel=1e-14)
    assert (cart.nq, cart.nv) == (7 + 4 * 4, 6 + 4 * 3)
    low, high = extent_of(cart)
    # the bar is round: its upper side is its radius above the height of the handle
    np.testing.assert_allclose(low, [-0.45, -0.3, 0.0], atol=1e-15)
    np.testing.assert_allclose(high, [0.45, 0.3, 1.015], rtol=1e-15)
    assert World(cart).standing().q[2] == pytest.approx(0.0, abs=1e-15)
    for link in range(1, 5):
        assert cart.mass[link] == pytest.approx(0.4)
        expected = 0.4 * 0.4 * 0.06**2 * np.eye(3)  # 2/5 m r2
        np.testing.assert_allclose(inertia_of(cart, link), expected, rtol=1e-14)
    np.testing.assert_allclose(np.abs(cart.joint_position[1:, :2]), [[0.39, 0.24]] * 4)


def test_the_centre_of_a_cart_is_that_of_its_parts():
    x, y, z, wheel, mass = 0.8, 0.5, 0.9, 0.05, 15.0
    posts, rail = z - 0.13, y - 0.03
    shares = np.array([2 * posts, rail]) / (2 * posts + rail) * 0.1 * mass
    heights = [0.13 + posts / 2, z]
    moment = 0.82 * mass * 0.115 + shares @ heights + 4 * 0.02 * mass * wheel
    behind = 0.1 * mass * (0.015 - x / 2)
    cart = robots.cart((x, y, z), mass, wheel)
    centre = mechanics.centre_of_mass(World(cart), cart.home)
    np.testing.assert_allclose(centre, [behind / mass, 0.0, moment / mass], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("mu", [0.1, 1.0])
def test_a_cart_rolls_as_if_heavier_by_two_fifths_of_its_casters(mu):
    cart = robots.cart(mass=10.0)
    world = World(cart)
    force, duration, dt = 2.0, fewer(0.2, 0.01), 0.001
    push = st.Push("cart", point=(0.0, 0.0, 0.13), force=(force, 0.0, 0.0), start=0.0, stop=1.0)
    model = st.Coulomb(mu_static=mu, mu_kinetic=mu)
    state = world.standing()
    motion = st.simulate(world, model, duration=duration, dt=dt, state=state, forces=[push])
    rolling = 10.0 + 4 * 0.4 * 0.2  # 2/5 m r2 / r2 for each caster
    # the solver's tolerance is 1e-8 of the impulses, which weigh more than the push does
    assert motion.v[-1, 0] == pytest.approx(force * duration / rolling, rel=1e-6)
    np.testing.assert_allclose(motion.v[-1, 1:3], 0.0, atol=1e-7)


@pytest.mark.parametrize(
    "make, values, complaint",
    [
        (robots.table, {"mass": 0.0}, "mass is 0.0; give a positive number"),
        (robots.table, {"size": (1.0, nan, 1.0)}, "size is .*nan.*; give 3 finite numbers"),
        (robots.table, {"thickness": 0.75}, "thinner than the table is high"),
        (robots.table, {"leg": 0.4}, "two legs must fit"),
        (robots.cart, {"mass": inf}, "mass is inf; give a positive number"),
        (robots.cart, {"wheel": -0.1}, "wheel is -0.1; give a positive number"),
        (robots.cart, {"wheel": 0.2}, "two casters must fit"),
        (robots.cart, {"size": (0.8, 0.5, 0.15)}, "the handle must be above the deck at 0.13 m"),
    ],
)
def test_impossible_furniture_is_refused(make, values, complaint):
    with pytest.raises(InputError, match=f"{make.__name__}: .*{complaint}"):
        make(**values)
