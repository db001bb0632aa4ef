"""Lemke's method against the conditions themselves, and against references that share nothing.

A solution of w = M z + q, w, z >= 0, w'z = 0 exists if q lies in one of the 2^n complementary
cones, whose columns are e_i or -M_i for each i: non-negative least squares tells for each of them.
"""

from itertools import product

import numpy as np
import pytest

from mechanisms import fewer
from stiction.contact.scratch import allocate_scratch
from stiction.contact.solvers.lemke import PIVOT_LIMIT, RAY, SOLVED, Lemke, lemke, refine

ROUNDING = 1e-10  # what FacetedLCP gives
EXACT = 1e-8  # of numbers around 1; degenerate problems amplify rounding by 1e6 or so


def solved(M, q, most=None, then=None):
    """z, w, pivots and status; then: another q, for which the last basis is used again."""
    n = len(q)
    problem = allocate_scratch(Lemke, 0, 0, n)
    problem.M[:], problem.q[:] = M, q
    pivots, status = lemke(problem, n, 50 * n if most is None else most, ROUNDING)
    if then is not None:
        problem.q[:] = then
        return problem.z, refine(problem, n)
    return problem.z, M @ problem.z + q, pivots, status


def violation(z, w):
    """How far z and w are from the conditions."""
    return np.abs(np.minimum(z, w)).max()


def has_solution(M, q):
    """Whether a complementary cone contains q."""
    from scipy.optimize import nnls

    unit = np.eye(len(q))
    for chosen in product((0, 1), repeat=len(q)):
        cone = np.where(np.array(chosen, bool), -M, unit)
        if nnls(cone, q, maxiter=1000)[1] <= 1e-9:
            return True
    return False


def small_integers(rng, n, rank):
    """A positive semidefinite matrix of small integers, with dependent and repeated rows."""
    A = rng.integers(-1, 2, (rank, n)).astype(float)
    A[:, rng.integers(n)] = A[:, rng.integers(n)]
    return A.T @ A


def test_p_matrices_have_one_solution_and_it_is_found():
    """Positive definite, not symmetric; the solution from an enumeration of all bases."""
    rng = np.random.default_rng(0)
    for _ in range(fewer(200, 30)):
        n = int(rng.integers(1, 7))
        A, S = rng.normal(size=(2, n, n))
        M, q = A @ A.T + 0.1 * np.eye(n) + S - S.T, rng.normal(size=n)
        found = []
        for chosen in product((False, True), repeat=n):
            B = np.where(np.array(chosen), -M, np.eye(n))
            x = np.linalg.solve(B, q)
            if x.min() >= 0:
                found.append(np.where(chosen, x, 0.0))
        z, w, _, status = solved(M, q)
        assert status == SOLVED and len(found) == 1
        assert np.allclose(z, found[0], atol=EXACT)


def test_symmetric_problems_are_quadratic_programmes():
    """min z'M z / 2 + q'z, z >= 0, by quadprog."""
    quadprog = pytest.importorskip("quadprog")
    rng = np.random.default_rng(1)
    for _ in range(fewer(200, 10)):
        n = int(rng.integers(2, fewer(40, 15)))
        A, q = rng.normal(size=(n, n)), rng.normal(size=n)
        M = A @ A.T / n + 0.01 * np.eye(n)
        expected = quadprog.solve_qp(M, -q, np.eye(n), np.zeros(n))[0]
        z, w, _, status = solved(M, q)
        assert status == SOLVED and violation(z, w) <= EXACT
        assert np.allclose(z, expected, atol=1e-7)  # the condition of M, at most 1e3, times 1e-10


@pytest.mark.parametrize("integers", [False, True], ids=["random", "degenerate"])
def test_semidefinite_problems_are_solved_if_and_only_if_they_have_a_solution(integers):
    """Degenerate: dependent and equal rows, zeros and ties in q. A ray says that there is none."""
    rng = np.random.default_rng(2)
    count = {SOLVED: 0, RAY: 0}
    for _ in range(fewer(300, 40)):
        n = int(rng.integers(1, fewer(9, 6)))
        rank = int(rng.integers(1, n + 1))
        A = rng.normal(size=(rank, n))
        M = small_integers(rng, n, rank) if integers else A.T @ A
        q = rng.integers(-1, 2, n).astype(float) if integers else rng.normal(size=n)
        if rng.random() < 0.3:  # w = (1 - z), for some z of zeros and ones, is a solution
            z = rng.integers(0, 2, n)
            q = (1.0 - z) * rng.integers(0, 2, n) - M @ z
        z, w, _, status = solved(M, q)
        assert (status == SOLVED) == has_solution(M, q)
        assert status in (SOLVED, RAY)
        if status == SOLVED:
            assert violation(z, w) <= EXACT
        count[status] += 1
    assert min(count.values()) >= fewer(30, 3)


def test_the_squares_of_a_semidefinite_problem_are_least():
    """M = A'A, q = -A'b: |A z - b| is that of non-negative least squares; z is not unique."""
    from scipy.optimize import nnls

    rng = np.random.default_rng(3)
    for _ in range(fewer(200, 20)):
        n = int(rng.integers(2, fewer(30, 12)))
        A = rng.normal(size=(n // 2, n))
        A[:, 0] = A[:, 1]
        b = rng.normal(size=n // 2)
        z, w, _, status = solved(A.T @ A, -A.T @ b)
        assert status == SOLVED and violation(z, w) <= EXACT
        assert np.linalg.norm(A @ z - b) == pytest.approx(nnls(A, b)[1], abs=1e-8)


def test_strictly_copositive_problems_are_always_solved():
    """Non-negative matrices with a positive diagonal, not definite; some entries and q are zero."""
    rng = np.random.default_rng(4)
    for _ in range(fewer(300, 40)):
        n = int(rng.integers(2, fewer(20, 9)))
        M = rng.uniform(0, 1, (n, n)) * (rng.random((n, n)) < 0.5) + np.diag(rng.uniform(0.1, 1, n))
        q = rng.choice([-1.0, -0.5, 0.0, 1.0], n)
        z, w, _, status = solved(M, q)
        assert status == SOLVED and violation(z, w) <= EXACT


def test_three_rows_that_always_tie_do_not_cycle():
    """Kostreva's cyclic matrix: all rows block together at the start."""
    M, q = np.array([[1.0, 2, 0], [0, 1, 2], [2, 0, 1]]), -np.ones(3)
    z, _, pivots, status = solved(M, q)
    assert status == SOLVED and pivots < 10
    assert np.allclose(z, 1 / 3, atol=1e-12)


def test_nothing_to_do_takes_no_pivot():
    z, _, pivots, status = solved(np.ones((3, 3)), np.array([0.0, 1.0, 0.0]))
    assert (status, pivots) == (SOLVED, 0) and not z.any()


def test_a_problem_without_solution_ends_in_a_ray():
    """z_0 cannot fall below 1: w_1 = -1 - z_2 whatever z."""
    z, w, _, status = solved(np.array([[0.0, -1.0], [0.0, 1.0]]), np.array([-1.0, 1.0]))
    assert status == RAY and w.min() <= -1


def test_the_limit_of_pivots_is_reported():
    rng = np.random.default_rng(5)
    A = rng.normal(size=(12, 12))
    M, q = A @ A.T, -rng.uniform(1, 2, 12)
    _, _, pivots, status = solved(M, q)
    assert status == SOLVED and pivots > 4
    assert solved(M, q, most=4)[2:] == (4, PIVOT_LIMIT)


def test_the_last_basis_solves_for_another_q_or_says_that_it_does_not():
    rng = np.random.default_rng(6)
    A = rng.normal(size=(8, 8))
    M, q = A @ A.T + np.eye(8), rng.normal(size=8)
    near = q + 1e-9 * rng.normal(size=8)
    z, least = solved(M, q, then=near)
    assert least >= 0 and violation(z, M @ z + near) <= 1e-13
    z, least = solved(M, q, then=-q)
    assert least < 0
