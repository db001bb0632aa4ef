"""How touching links answer to impulses, against dense matrices."""

import numpy as np
import pytest

from contact.random_problems import random_problem
from stiction.kernels.response import (
    apply_impulse,
    delassus,
    free_velocity,
    gather_wrenches,
    respond_to_wrenches,
    velocity_after,
)

ROUNDING = 1e-12


@pytest.fixture
def problem():
    rng = np.random.default_rng(3)
    contact, response, _, P, L = random_problem(rng, 3, 4)
    contact.velocity[:] = rng.normal(size=contact.velocity.shape)
    contact.impulse[:] = rng.normal(size=contact.impulse.shape)
    return contact, response, P, L


def test_wrenches_are_sums_over_the_points_of_a_link(problem):
    contact, response, P, _ = problem
    gather_wrenches(contact, response)
    expected = P.T @ contact.impulse.ravel()
    np.testing.assert_allclose(response.wrench.ravel(), expected, atol=ROUNDING)


def test_velocities_follow_from_impulses(problem):
    """v = u + P (t_free + L P'p)."""
    contact, response, P, L = problem
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    without = contact.velocity.ravel() + P @ response.links.free.ravel()
    expected = without + P @ L @ P.T @ contact.impulse.ravel()
    for i in range(contact.count[0]):
        row = slice(3 * i, 3 * i + 3)
        np.testing.assert_allclose(free_velocity(contact, response, i), without[row], atol=ROUNDING)
        after = velocity_after(contact, response, i)
        np.testing.assert_allclose(after, expected[row], atol=100 * ROUNDING)


def test_the_response_of_one_point_to_another(problem):
    contact, response, P, L = problem
    W = P @ L @ P.T
    for i, j in ((0, 0), (0, 3), (2, 9), (11, 4)):
        block = W[3 * i : 3 * i + 3, 3 * j : 3 * j + 3]
        np.testing.assert_allclose(delassus(contact, response, i, j), block, atol=100 * ROUNDING)


def test_one_impulse_after_the_other_is_all_at_once(problem):
    contact, response, _, _ = problem
    links = response.links
    links.twist[:] = links.free
    for i in range(contact.count[0]):
        apply_impulse(contact, response, i, contact.arm[i], contact.impulse[i])
    one_by_one = links.twist.copy()
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    np.testing.assert_allclose(links.twist, one_by_one, atol=100 * ROUNDING)
