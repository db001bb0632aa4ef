"""Free objects and the small biped: inertia, symmetry, and sizes that are refused."""

from math import inf, nan

import numpy as np
import pytest

from stiction import World, mechanics, robots
from stiction.errors import InputError


def cuboid_moments(mass, x, y, z):
    return [mass * (y**2 + z**2) / 12, mass * (x**2 + z**2) / 12, mass * (x**2 + y**2) / 12]


@pytest.mark.parametrize(
    "robot, mass, moments",
    [
        (robots.ball(radius=0.1, mass=3.0), 3.0, [2 / 5 * 3.0 * 0.1**2] * 3),
        (robots.box(size=(0.1, 0.2, 0.3), mass=2.0), 2.0, cuboid_moments(2.0, 0.1, 0.2, 0.3)),
        (robots.brick(size=(0.3, 0.2, 0.1), mass=4.0), 4.0, cuboid_moments(4.0, 0.3, 0.2, 0.1)),
        (
            robots.rod(length=0.6, radius=0.02, mass=1.5),
            1.5,
            [1.5 * (3 * 0.02**2 + 0.6**2) / 12] * 2 + [1.5 * 0.02**2 / 2],
        ),
    ],
    ids=["ball", "box", "brick", "rod"],
)
def test_objects_have_the_inertia_of_their_solid(robot, mass, moments):
    world = World(robot)
    H = mechanics.inertia(world, robot.home)
    solid = np.diag([mass] * 3 + moments)
    np.testing.assert_allclose(H, solid, rtol=1e-14, atol=1e-16)  # a few roundings
    assert robot.total_mass == mass


def test_the_biped_weighs_eight_kilograms_and_is_symmetric():
    biped = robots.biped10()
    assert biped.total_mass == pytest.approx(8.0, rel=1e-14)
    assert (biped.nq, biped.nv) == (17, 16)
    assert biped.keyframe("home").shape == (17,)
    centre = mechanics.centre_of_mass(World(biped), biped.home)
    assert abs(centre[1]) < 1e-15  # left and right cancel up to rounding


@pytest.mark.parametrize(
    "make, values",
    [
        (robots.ball, {"radius": 0.0}),
        (robots.ball, {"mass": nan}),
        (robots.box, {"size": (0.1, -0.1, 0.1)}),
        (robots.brick, {"mass": inf}),
        (robots.rod, {"radius": -1.0}),
    ],
)
def test_sizes_and_masses_of_objects_must_be_positive(make, values):
    with pytest.raises(InputError, match=f"{make.__name__}: .* give a positive number"):
        make(**values)


def test_a_rod_is_longer_than_thick():
    with pytest.raises(InputError, match="length 0.1 m must exceed twice the radius 0.05 m"):
        robots.rod(length=0.1, radius=0.05)
