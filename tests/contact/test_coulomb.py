"""`Coulomb`: how much work a step may take."""

import numpy as np
import pytest

import stiction as st
from contact.random_problems import random_problem
from contact.solvers.test_newton import ACCURACY
from stiction.contact.coulomb import (
    ITERATIONS,
    MOST_EFFORT,
    NEAR,
    SolverScratch,
    solve_between,
)
from stiction.contact.scratch import allocate_scratch
from stiction.contact.solvers.de_saxce import law_error
from stiction.kernels.response import NOT_CONVERGED

pytestmark = pytest.mark.interpreted


def hard_problem():
    """One that Newton's method gives up, of links that touch each other as far as methods ask."""
    contact, response, cases, _, _ = random_problem(np.random.default_rng(13), 4, 6)
    contact.touched_link[:] = 1
    scratch = allocate_scratch(SolverScratch, len(contact.depth), 4)
    scratch.cases.mu[:] = cases.mu
    contact.impulse[:] = 1e-6 * contact.normal
    return contact, response, scratch


@pytest.mark.parametrize("effort", [0, MOST_EFFORT + 1])
def test_work_beyond_the_limit_is_unsolved_and_the_residual_is_that_of_the_law(effort):
    contact, response, scratch = hard_problem()
    response.report.all_iterations[0] = effort
    taken, residual, stage = solve_between(st.Coulomb(), contact, response, scratch, ACCURACY)
    if effort == 0:
        assert stage < NOT_CONVERGED
        assert residual <= 2 * ACCURACY.tolerance
        return
    assert stage == NOT_CONVERGED
    assert taken <= ITERATIONS
    error, largest = law_error(contact, response, scratch.cases)
    assert residual == pytest.approx(error / largest)
    assert residual <= NEAR  # what is further off is replaced
