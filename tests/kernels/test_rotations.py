"""The formulas of rotations and quaternions against SciPy's rotations."""

from itertools import pairwise
from math import cos, sin

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kernels.dense import TURNS, close, matrix, rng, vector
from stiction.kernels import rotations, vectors

SMALL_AND_LARGE = [0.0, 1e-300, 1e-160, 1e-12, 1e-8, 1.999e-4, 2e-4, 2.001e-4, 1e-2, 1.0, 3.1, 50.0]


def quaternion(turn: Rotation) -> tuple:
    return vector(turn.as_quat(scalar_first=True))


@pytest.mark.jit  # plain Python computes every square root in double precision
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_constants_take_the_precision_of_the_numbers(real):
    """One double precision literal would promote a whole kernel on a graphics card."""
    q = tuple(np.array([0.5, 0.5, -0.5, 0.5], real))
    for value in (vectors.like(q[0], 2), *rotations.quaternion_exp(q[:3]), *vectors.skew(q[:3])[0]):
        assert np.float64(value) == np.float64(real(value))


@pytest.mark.parametrize("turn", TURNS)
def test_quaternions_are_the_rotations_of_scipy(turn):
    other, w = TURNS[0], rng().normal(size=3)
    q = quaternion(turn)
    close(rotations.quaternion_to_matrix(q), turn.as_matrix())
    twice = rotations.quaternion_product(q, quaternion(other))
    close(rotations.quaternion_to_matrix(twice), (turn * other).as_matrix())
    back = rotations.quaternion_conjugate(q)
    close(rotations.quaternion_to_matrix(back), turn.inv().as_matrix())
    close(rotations.quaternion_product(q, back), [1.0, 0.0, 0.0, 0.0])
    rate = rotations.quaternion_rate(q, vector(w))
    close(rotations.quaternion_dot(q, rate), 0.0)
    close(rotations.quaternion_product(back, rate), [0.0, *(w / 2)])


@pytest.mark.parametrize("length", [0.9, 1.0, 1.3])
def test_length_of_a_quaternion_does_not_matter(length):
    q = quaternion(TURNS[1])
    scaled = vector(length * np.array(q))
    close(rotations.quaternion_to_matrix(scaled), TURNS[1].as_matrix())
    close(rotations.quaternion_normalized(scaled), q)


@pytest.mark.parametrize("angle", [-2.0, 0.0, 1e-9, 0.7, 4.0])
def test_rotate_about_is_a_product_with_a_rotation(angle):
    A, axis = rng().normal(size=(3, 3)), rng().normal(size=3)
    axis /= np.linalg.norm(axis)
    R = Rotation.from_rotvec(angle * axis).as_matrix()
    close(rotations.rotate_about(matrix(A), vector(axis), angle), A @ R)
    close(rotations.turn(vector(A[0]), vector(axis), sin(angle), cos(angle)), R @ A[0])


@pytest.mark.parametrize("angle", SMALL_AND_LARGE)
def test_quaternion_exp_is_exact_at_every_angle(angle):
    """The series takes over below half an angle of 1e-4, where its error is 1e-17 of the value."""
    axis = np.array([0.6, -0.48, 0.64])
    q = rotations.quaternion_exp(vector(angle * axis))
    exact = [cos(angle / 2), *(sin(angle / 2) * axis)]
    np.testing.assert_allclose(q, exact, rtol=5e-16, atol=5e-16)  # a few last digits
    if 0.0 < angle < 1.0:
        np.testing.assert_allclose(q[1:], exact[1:], rtol=1e-15)  # the small part, to itself
    assert abs(np.linalg.norm(q) - 1.0) <= 5e-16


def test_quaternion_exp_grows_steadily_across_the_change_to_its_series():
    angles = np.linspace(1.99e-4, 2.01e-4, 201)
    parts = [rotations.quaternion_exp((float(angle), 0.0, 0.0))[1] for angle in angles]
    assert all(before < after for before, after in pairwise(parts))


def test_quaternion_rate_is_the_derivative_of_the_exponential_map():
    q, w, dt = quaternion(TURNS[2]), vector(rng().normal(size=3)), 1e-5
    ahead, behind = (
        np.array(rotations.quaternion_product(q, rotations.quaternion_exp(vectors.scale(step, w))))
        for step in (dt, -dt)
    )
    slope = (ahead - behind) / (2 * dt)
    # central difference: dt^2 times a third derivative below 10, and rounding over dt
    np.testing.assert_allclose(rotations.quaternion_rate(q, w), slope, atol=1e-9)


def test_quaternions_are_stored_where_they_begin():
    q = rng().normal(size=9)
    moved = np.zeros(9)
    rotations.store_quaternion(moved, 5, rotations.load_quaternion(q, 2))
    assert np.array_equal(moved, [0, 0, 0, 0, 0, *q[2:6]])
