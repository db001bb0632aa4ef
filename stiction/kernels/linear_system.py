"""Linear systems of six unknowns per block: LU factors within an envelope, Cholesky factors.

The systems are small and their size is known only at run time. The LU factorisation unrolls six
columns at a time: compilers vectorise six unrolled terms, but not such short loops.

Envelope: block k of the unknowns is coupled to none before low[k], and elimination fills nothing
outside these bounds. Rows are exchanged only within a group of blocks that share their bounds. A
dense system is one group.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel
from stiction.kernels.vectors import like

LARGE = 0.1  # fraction of the largest entry below it from which a diagonal entry is the pivot


class LinearSystem(NamedTuple):
    """A x = b: A becomes its factors, b becomes x."""

    matrix: np.ndarray  # (n, n) A
    right: np.ndarray  # (n) b, then x
    pivots: np.ndarray  # (n) rows that were exchanged
    low: np.ndarray  # (n / 6) first block that a block is coupled to
    reach: np.ndarray  # (n / 6) last block that is coupled to this one or to an earlier one
    group_end: np.ndarray  # (n / 6) one past the last block of its group


def allocate_system(blocks: int) -> LinearSystem:
    """Return zeros for so many blocks of six unknowns."""
    n, bounds = 6 * blocks, (np.zeros(blocks, np.int64) for _ in range(3))
    return LinearSystem(np.zeros((n, n)), np.zeros(n), np.zeros(n), *bounds)


# ---------------------------------------------------- LU factors in an envelope, threshold pivoting


@kernel
def one_group(system, blocks):
    """Set the bounds of a dense system."""
    for k in range(blocks):
        system.low[k], system.reach[k], system.group_end[k] = 0, blocks - 1, blocks


@kernel
def set_reach(system, blocks):
    """Set `reach` from `low`."""
    for k in range(blocks):
        system.reach[k] = k
    for k in range(blocks):
        first = system.low[k]
        system.reach[first] = max(system.reach[first], k)
    for k in range(1, blocks):
        system.reach[k] = max(system.reach[k], system.reach[k - 1])


@kernel
def clear_system(system, blocks):
    """Set the matrix to zero within its envelope."""
    A = system.matrix
    for b in range(blocks):
        for c in range(system.low[b], b + 1):
            for i in range(6):
                for k in range(6):
                    A[6 * b + i, 6 * c + k] = 0
                    A[6 * c + i, 6 * b + k] = 0


@kernel
def factor(system, n):
    """LU factors of the n x n matrix, in place, with the diagonal of U inverted."""
    for here in range(n // 6):
        eliminate_block(system, here)
        for column in range(here + 1, system.reach[here] + 1):
            if system.low[column] <= here:
                reduce_column(system, here, column)


@kernel
def eliminate_block(system, here):
    """Eliminate the six unknowns of a block within its own columns, exchanging rows."""
    A, low = system.matrix, system.low
    reach, end = system.reach[here], 6 * here + 6
    for k in range(6 * here, end):
        best = pivot_row(A, k, 6 * system.group_end[here])
        system.pivots[k] = best
        if best != k:
            for block in range(low[here], reach + 1):
                exchange_rows(A, k, best, 6 * block)
        inverse = like(A[k, k], 1) / A[k, k]
        for block in range(here, reach + 1):
            if low[block] <= here:
                for i in range(max(k + 1, 6 * block), 6 * block + 6):
                    share = A[i, k] * inverse
                    A[i, k] = share
                    for j in range(k + 1, end):
                        A[i, j] -= share * A[k, j]
        A[k, k] = inverse


@kernel
def reduce_column(system, here, column):
    """Eliminate the unknowns of a block from the rows below, in the six columns of another one."""
    A, c = system.matrix, 6 * column
    for i in range(6 * here + 1, 6 * here + 6):
        for k in range(6 * here, i):
            share = A[i, k]
            for j in range(c, c + 6):
                A[i, j] -= share * A[k, j]
    for block in range(here + 1, system.reach[here] + 1):
        if system.low[block] <= here:
            for i in range(6 * block, 6 * block + 6):
                subtract_rows(A, i, 6 * here, c)


@kernel
def subtract_rows(A, i, k, column):
    """Subtract six rows, from row k on, times their factors in row i, from row i in six columns."""
    a0, a1, a2, a3, a4, a5 = load_six(A, i, column)
    for q in range(6):
        share = A[i, k + q]
        a0 -= share * A[k + q, column]
        a1 -= share * A[k + q, column + 1]
        a2 -= share * A[k + q, column + 2]
        a3 -= share * A[k + q, column + 3]
        a4 -= share * A[k + q, column + 4]
        a5 -= share * A[k + q, column + 5]
    store_six(A, i, column, (a0, a1, a2, a3, a4, a5))


@kernel
def substitute(system, n):
    """Solve for the right-hand side with the LU factors of the matrix."""
    A, x, low = system.matrix, system.right, system.low
    for k in range(n):
        best = int(system.pivots[k])
        x[k], x[best] = x[best], x[k]
    for k in range(n):
        known, here = x[k], k // 6
        for block in range(here, system.reach[here] + 1):
            if low[block] <= here:
                for i in range(max(k + 1, 6 * block), 6 * block + 6):
                    x[i] -= A[i, k] * known
    for k in range(n - 1, -1, -1):
        known = x[k] * A[k, k]
        x[k] = known
        for i in range(6 * low[k // 6], k):
            x[i] -= A[i, k] * known


@kernel
def pivot_row(A, k, n):
    """Pivot row of unknown k, before n: row k if its entry is large enough, else the largest one.

    The diagonal entry usually is. Finding the row of the largest entry for every column would take
    as long as the elimination.
    """
    best, largest = k, abs(A[k, k])
    for i in range(k + 1, n):
        largest = max(largest, abs(A[i, k]))
    if abs(A[k, k]) < like(largest, LARGE) * largest:
        for i in range(k + 1, n):
            if abs(A[i, k]) == largest:
                best = i
    return best


@kernel
def exchange_rows(A, i, k, column):
    """Exchange rows i and k in the six columns from `column` on."""
    six = load_six(A, i, column)
    store_six(A, i, column, load_six(A, k, column))
    store_six(A, k, column, six)


@kernel
def load_six(A, i, column):
    """Six entries of row i from `column` on."""
    return (
        A[i, column],
        A[i, column + 1],
        A[i, column + 2],
        A[i, column + 3],
        A[i, column + 4],
        A[i, column + 5],
    )


@kernel
def store_six(A, i, column, six):
    """Write six entries of row i from `column` on."""
    A[i, column], A[i, column + 1], A[i, column + 2] = six[0], six[1], six[2]
    A[i, column + 3], A[i, column + 4], A[i, column + 5] = six[3], six[4], six[5]


# -------------------------------------------------- Cholesky factor of a positive definite matrix


@kernel
def factor_positive(system, least, n):
    """Cholesky factor of the matrix in its lower half; rounding leaves squared pivots >= least."""
    A = system.matrix
    for j in range(n):
        for i in range(j, n):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = math.sqrt(max(total, least[j])) if i == j else total / A[j, j]


@kernel
def substitute_positive(system, n):
    """Solve for the right-hand side with the Cholesky factor of the matrix."""
    A, x = system.matrix, system.right
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= A[i, k] * x[k]
        x[i] = total / A[i, i]
    for i in range(n - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, n):
            total -= A[k, i] * x[k]
        x[i] = total / A[i, i]
