"""Linear systems of the contact solvers against NumPy."""

import numpy as np
import pytest

from mechanisms import fewer
from stiction.compiler.compiled import routine
from stiction.kernels.linear_system import (
    allocate_system,
    factor,
    factor_positive,
    one_group,
    set_reach,
    substitute,
    substitute_positive,
)


@routine
def solve(system, n):
    one_group(system, n // 6)
    factor(system, n)
    substitute(system, n)


@routine
def solve_within_envelope(system, n):
    set_reach(system, n // 6)
    factor(system, n)
    substitute(system, n)


@routine
def solve_positive(system, least, n):
    factor_positive(system, least, n)
    substitute_positive(system, n)


def system_of(A, right):
    """A system whose numbers beyond n must not be used: they are NaN."""
    n = len(A)
    system = allocate_system(n // 6 + 1)
    system.matrix[:], system.right[:] = np.nan, np.nan
    system.matrix[:n, :n], system.right[:n] = A, right
    system.coupled[:] = 1
    return system


@pytest.mark.parametrize("n", [6, 12, 18])
def test_dense_systems_are_solved(n):
    """Rows need exchanging: the diagonal is empty."""
    rng = np.random.default_rng(n)
    for _ in range(fewer(100, 10)):
        A = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, n)
        np.fill_diagonal(A, 0.0)
        right = rng.normal(size=n)
        system = system_of(A, right)
        solve(system, n)
        assert residual(A, system, right) <= 1e-12  # rounding, and its growth


# Blocks that each one is coupled to, and the groups of blocks in which rows are exchanged.
ENVELOPES = {
    "chain": ([0, 0, 1, 2, 3], [1, 2, 3, 4, 5]),
    "islands": ([0, 0, 2, 2, 4], [1, 2, 3, 4, 5]),
    "groups": ([0, 0, 0, 0, 2], [2, 2, 4, 4, 5]),
    "arrow": ([0, 1, 2, 3, 0], [1, 2, 3, 4, 5]),
}


@pytest.mark.parametrize("name", ENVELOPES)
def test_systems_within_an_envelope_are_solved(name):
    """Numbers outside the envelope must not be used: they are NaN."""
    low, group_end = map(np.array, ENVELOPES[name])
    n, rng = 6 * len(low), np.random.default_rng(5)
    row, column = np.indices((len(low), len(low)))
    inside = (column >= low[row]) & (column <= row) | (row >= low[column]) & (row <= column)
    inside = np.kron(inside, np.ones((6, 6))) > 0
    for _ in range(fewer(100, 10)):
        A = np.where(inside, rng.normal(size=(n, n)), 0.0) + 8.0 * np.eye(n)
        for k in range(0, n, 6):  # rows of a block need exchanging
            A[k : k + 6] = A[rng.permutation(np.arange(k, k + 6))]
        right = rng.normal(size=n)
        system = system_of(np.where(inside, A, np.nan), right)
        system.low[:-1], system.group_end[:-1] = low, group_end
        solve_within_envelope(system, n)
        assert residual(A, system, right) <= 1e-12


@pytest.mark.parametrize("alone", [[0], [2], [4], [1, 3], [0, 1, 2, 3, 4]])
def test_blocks_with_rows_of_the_unit_matrix_are_solved(alone):
    """Also where rows of other blocks of their group need exchanging."""
    n, rng = 30, np.random.default_rng(6)
    for diagonal in (0.0, 8.0):
        A = rng.normal(size=(n, n)) + diagonal * np.eye(n)
        for block in alone:
            A[6 * block : 6 * block + 6] = np.eye(n)[6 * block : 6 * block + 6]
        right = rng.normal(size=n)
        system = system_of(A, right)
        system.low[:], system.group_end[:] = 0, 5
        system.coupled[alone] = 0
        solve_within_envelope(system, n)
        assert residual(A, system, right) <= 1e-12


def residual(A, system, right):
    """Largest residual, relative to the largest sum of a row."""
    x = system.right[: len(A)]
    return np.abs(A @ x - right).max() / (np.abs(A) @ np.abs(x)).max()


@pytest.mark.parametrize("n", [6, 12])
def test_positive_definite_systems_are_solved(n):
    rng = np.random.default_rng(n)
    for _ in range(fewer(100, 10)):
        root = rng.normal(size=(n, n))
        A, right = root @ root.T + np.eye(n), rng.normal(size=n)
        system = system_of(np.tril(A), right)
        solve_positive(system, np.zeros(n), n)
        assert residual(A, system, right) <= 1e-13


def test_pivots_are_never_below_the_least():
    """A matrix of zeros is taken for one with the least pivots on its diagonal."""
    least = np.array([4.0, 9.0])
    system = system_of(np.zeros((2, 2)), np.array([4.0, 9.0]))
    solve_positive(system, least, 2)
    np.testing.assert_allclose(system.right[:2], 1.0)
