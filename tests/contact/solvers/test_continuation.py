"""A compliance that shrinks slowly solves what Newton's method gives up."""

import numpy as np
import pytest

from contact.random_problems import random_problem
from contact.solvers.test_newton import ACCURACY, COMPLIANCE, law_errors
from stiction.contact.solvers.continuation import (
    SOFTEST,
    STIFFEST,
    continue_slowly,
    next_compliance,
)
from stiction.contact.solvers.newton import FAILED, newton

pytestmark = pytest.mark.interpreted


@pytest.mark.parametrize("seed", [1, 13, 55])
def test_what_newtons_method_gives_up_is_solved(seed):
    contact, response, cases, P, L = random_problem(np.random.default_rng(seed), 4, 6)
    _, _, end = newton(contact, response, cases, ACCURACY, True, COMPLIANCE, 60)
    assert end == FAILED
    contact.impulse[:] = 0
    best = np.zeros_like(contact.impulse)
    _, error, largest, solved = continue_slowly(contact, response, cases, best, ACCURACY)
    assert solved
    assert error <= ACCURACY.tolerance * max(largest, 1.0)
    assert max(law_errors(contact, response, cases.mu, P, L)) <= 1e-4 * max(largest, 1e-3)


def test_compliance_shrinks_while_cases_settle_and_grows_while_they_change():
    for later in (0, 1):
        none, few, some, many = (next_compliance(0.1, n, later) for n in (0, 2, 5, 20))
        assert none < few < some == 0.1 < many
    assert next_compliance(SOFTEST, 20, 0) == SOFTEST
    assert next_compliance(STIFFEST, 0, 0) == STIFFEST


def test_impulses_without_bound_are_given_up_early():
    """A link that cannot move is pressed: nothing is found, and no 900 iterations are spent."""
    contact, response, cases, _, _ = random_problem(np.random.default_rng(3), 1, 3, rough=0.0)
    response.links.inverse_inertia[:] = 0
    response.compliance[:] = 1e-12
    response.links.free[:] = [0, 0, -1, 0, 0, 0]
    best = np.zeros_like(contact.impulse)
    taken, error, _, solved = continue_slowly(contact, response, cases, best, ACCURACY)
    assert not solved
    assert taken < 300
    assert error == pytest.approx(1.0, rel=1e-6)  # all of its speed
