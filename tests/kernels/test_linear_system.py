"""Dense linear systems of the contact solvers against NumPy."""

import numpy as np
import pytest

from mechanisms import fewer
from stiction.compiler.compiled import routine
from stiction.kernels.linear_system import (
    LinearSystem,
    factor,
    factor_positive,
    substitute,
    substitute_positive,
)


@routine
def solve(system, n):
    factor(system, n)
    substitute(system, n)


@routine
def solve_positive(system, least, n):
    factor_positive(system, least, n)
    substitute_positive(system, n)


def system_of(A, right):
    """A system whose columns beyond n must not be used: they are NaN."""
    n = len(A)
    matrix = np.full((n, 6 * ((n + 5) // 6)), np.nan)
    matrix[:, :n] = A
    return LinearSystem(matrix, right.copy(), np.zeros(n))


@pytest.mark.parametrize("n", [1, 5, 6, 11, 12, 18])
def test_systems_of_any_size_are_solved(n):
    """Rows need exchanging: the diagonal is empty."""
    rng = np.random.default_rng(n)
    for _ in range(fewer(100, 10)):
        A = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, n)
        if n > 1:
            np.fill_diagonal(A, 0.0)
        right = rng.normal(size=n)
        system = system_of(A, right)
        solve(system, n)
        off = np.abs(A @ system.right - right).max()
        assert off <= 1e-12 * (np.abs(A) @ np.abs(system.right)).max()  # rounding, and its growth


@pytest.mark.parametrize("n", [1, 6, 12])
def test_positive_definite_systems_are_solved(n):
    rng = np.random.default_rng(n)
    for _ in range(fewer(100, 10)):
        root = rng.normal(size=(n, n))
        A, right = root @ root.T + np.eye(n), rng.normal(size=n)
        system = system_of(np.tril(A), right)
        solve_positive(system, np.zeros(n), n)
        off = np.abs(A @ system.right - right).max()
        assert off <= 1e-13 * (np.abs(A) @ np.abs(system.right)).max()


def test_pivots_are_never_below_the_least():
    """A matrix of zeros is taken for one with the least pivots on its diagonal."""
    least = np.array([4.0, 9.0])
    system = system_of(np.zeros((2, 2)), np.array([4.0, 9.0]))
    solve_positive(system, least, 2)
    np.testing.assert_allclose(system.right, 1.0)
