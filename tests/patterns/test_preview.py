"""Preview control against closed forms of the cart on a table."""

import numpy as np
import pytest

from stiction.patterns.preview import (
    cart_table,
    follow_zmp,
    preview_gains,
    riccati,
)

G = 9.81
HEIGHTS = [0.22, 0.8]


def closed_loop(height, dt):
    """State matrix of error and increments under the gains."""
    A, B, C = cart_table(height, dt, G)
    gains = preview_gains(height, dt, G)
    A_extended = np.zeros((4, 4))
    A_extended[0, 0] = 1
    A_extended[0, 1:], A_extended[1:, 1:] = C @ A, A
    return A_extended - np.outer([C @ B, *B], [gains.error, *gains.state])


def test_doubling_solves_the_riccati_equation():
    A = np.array([[1.2, 0.3], [0.0, 0.7]])
    B, Q, R = np.array([0.5, 1.0]), np.diag([2.0, 0.5]), 0.3
    P = riccati(A, B, Q, R)
    gain = B @ P @ A / (R + B @ P @ B)
    residual = A.T @ P @ A - np.outer(A.T @ P @ B, gain) + Q - P
    assert np.abs(residual).max() < 1e-12 * np.abs(P).max()  # rounding
    assert np.abs(np.linalg.eigvals(A - np.outer(B, gain))).max() < 1


def test_doubling_equals_the_scalar_closed_form():
    """p = a^2 p - (a b p)^2 / (r + b^2 p) + q is a quadratic equation."""
    a, b, q, r = 1.5, 0.4, 1.0, 0.2
    half = (r * (a**2 - 1) + q * b**2) / 2
    exact = (half + np.sqrt(half**2 + b**2 * q * r)) / b**2
    found = riccati(np.array([[a]]), np.array([b]), np.array([[q]]), r)
    assert found[0, 0] == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("height", HEIGHTS)
def test_a_constant_reference_needs_no_jerk(height):
    """Standing still above the reference: the gain of the position equals the preview's sum."""
    gains = preview_gains(height, 0.005, G)
    left_out = np.exp(-10)  # what the preview forgets
    assert gains.preview.sum() == pytest.approx(gains.state[0], rel=2 * left_out)


@pytest.mark.parametrize("height", HEIGHTS)
def test_the_slow_pole_is_that_of_the_pendulum(height):
    """With little weight on the jerk the optimal cart decays as exp(-t sqrt(g / z))."""
    poles = np.sort(np.abs(np.linalg.eigvals(closed_loop(height, 0.005))))
    assert poles[-1] < 1
    assert poles[-1] == pytest.approx(np.exp(-0.005 * np.sqrt(G / height)), rel=1e-3)


@pytest.mark.parametrize("height", HEIGHTS)
def test_a_late_step_is_met_as_by_the_analytic_solution(height):
    """A step of the zero-moment point: x = 1/2 e^(w t) before it and 1 - 1/2 e^(-w t) after it."""
    dt, omega = 0.005, np.sqrt(G / height)
    lead = round(12 / omega / dt)
    zmp = np.zeros((2 * lead + 1, 1))
    zmp[lead:] = 1.0
    x = follow_zmp(zmp, height, dt, G)[:, 0]
    t = (np.arange(len(x)) - lead) * dt
    exact = np.where(t < 0, np.exp(omega * t) / 2, 1 - np.exp(-omega * t) / 2)
    # the jump is smoothed over 1 / 80 s, the bandwidth; sampling shifts it by about one sample
    assert np.abs(x - exact).max() < omega * (1 / 80 + dt)


def test_zmp_of_the_cart_equals_its_reference_between_shifts():
    height, dt = 0.3, 0.005
    t = np.arange(0, 6, dt)
    zmp = np.interp(t, [0, 2, 2.2, 3.0, 3.2, 4.0, 4.2], [0, 0, 0.05, 0.05, -0.05, -0.05, 0])[
        :, None
    ]
    x = follow_zmp(zmp, height, dt, G)
    found = x[1:-1] - height / G * np.diff(x, 2, axis=0) / dt**2
    middle = (np.abs(t[1:-1] - 2.6) < 0.2) | (np.abs(t[1:-1] - 3.6) < 0.2)
    assert np.abs(found - zmp[1:-1])[middle].max() < 1e-4  # 0.2 % of the shift, 0.2 s from it


def test_it_starts_and_ends_at_rest_on_the_reference():
    zmp = np.interp(np.arange(0, 3, 0.005), [0, 1, 1.5], [0.1, 0.1, -0.2])[:, None]
    x = follow_zmp(zmp, 0.8, 0.005, G)[:, 0]
    assert x[0] == 0.1
    assert x[-1] == pytest.approx(-0.2, abs=1e-12)
    # the last velocity and acceleration are 0: x = -0.2 + jerk s^3 / 6 a few samples before
    assert abs(x[-1] - x[-2]) < 1e-7
