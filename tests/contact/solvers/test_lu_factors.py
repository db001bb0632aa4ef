"""LU factors of the contact solvers against NumPy."""

import numpy as np
import pytest

from mechanisms import fewer
from stiction.compiler.compiled import routine
from stiction.contact.solvers.lu_factors import RIGHT, factor, substitute


@routine
def solve(A, x, n):
    factor(A, x, n)
    substitute(A, x, n)


@pytest.mark.parametrize("n", [1, 5, 6, 11, 12, 18])
def test_systems_of_any_size_are_solved(n):
    """Rows need exchanging: the diagonal is empty. Columns beyond n are left out of it."""
    rng = np.random.default_rng(n)
    for _ in range(fewer(100, 10)):
        A = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, n)
        if n > 1:
            np.fill_diagonal(A, 0.0)
        scratch, x = np.full((n, 6 * ((n + 5) // 6)), np.nan), np.zeros((2, n))
        scratch[:, :n] = A
        right = x[RIGHT] = rng.normal(size=n)
        solve(scratch, x, n)
        off = np.abs(A @ x[RIGHT] - right).max()
        assert off <= 1e-12 * (np.abs(A) @ np.abs(x[RIGHT])).max()  # rounding, and its growth
