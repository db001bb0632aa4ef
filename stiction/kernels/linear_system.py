"""Linear systems of six unknowns per block: LU factors within an envelope, Cholesky factors.

The systems are small and their size is known only at run time. The LU factorisation unrolls six
columns at a time: compilers vectorise six unrolled terms, but not such short loops.

Envelope: block k of the unknowns is coupled to none before low[k], and elimination fills nothing
outside these bounds. Rows are exchanged only within a group of blocks that share their bounds. A
dense system is one group. Blocks that are not coupled to others, as those of links whose contacts
are open, have the rows of the unit matrix; nothing need be subtracted from them, nor of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.vectors import like, rounding

# Rows stay in order while no row has a larger share of a pivot row. Forces and moments have
# different units, so that shares of a hundred are common, and harmless. A direction in which a foot
# is not held has a pivot of 1, of which rows of the other foot have shares of up to 1e5: harmless,
# too, in double precision. With these bounds, systems of a driven humanoid are solved to relative
# errors of 2e-5 (99 %) in single precision and 2e-11 in double, as with exchanges.
LARGEST_SHARE = 1e3  # in single precision
OWN_SHARE, OTHER_SHARE = 1e4, 1e6  # in double: of rows of the same block, and of other blocks
# Where rows are exchanged, a diagonal entry stays the pivot from this fraction of the largest entry
# below it.
LARGE = 0.1


class LinearSystem(NamedTuple):
    """A x = b: A becomes its factors, b becomes x."""

    matrix: np.ndarray  # (n, n) A
    right: np.ndarray  # (n) b, then x
    pivots: np.ndarray  # (n) rows that were exchanged with these, of blocks marked so
    exchanged: np.ndarray  # (n / 6) 1 for blocks whose rows were exchanged, else 0
    low: np.ndarray  # (n / 6) first block that a block is coupled to
    reach: np.ndarray  # (n / 6) last block that is coupled to this one or to an earlier one
    group_end: np.ndarray  # (n / 6) one past the last block of its group
    coupled: np.ndarray  # (n / 6) 0 for blocks whose rows are those of the unit matrix, else 1


def allocate_system(blocks: int) -> LinearSystem:
    """Return zeros for so many blocks of six unknowns."""
    n = 6 * blocks
    exchanged, low, reach, group_end, coupled = (np.zeros(blocks, np.int64) for _ in range(5))
    return LinearSystem(
        np.zeros((n, n)),
        np.zeros(n),
        np.zeros(n),
        exchanged,
        low,
        reach,
        group_end,
        coupled,
    )


# ---------------------------------------------------- LU factors in an envelope, threshold pivoting


@kernel
def one_group(system, blocks):
    """Set the bounds of a dense system."""
    for k in range(blocks):
        system.low[k], system.reach[k], system.group_end[k] = 0, blocks - 1, blocks
        system.coupled[k] = 1


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
        for i in range(6 * b, 6 * b + 6):
            for k in range(6 * system.low[b], 6 * system.reach[b] + 6):
                A[i, k] = 0


@subroutine
def factor(system, n):
    """LU factors of the n x n matrix, in place, with the diagonal of U inverted."""
    for here in range(n // 6):
        eliminate_block(system, here)
        if system.coupled[here] == 1:
            for column in range(here + 1, system.reach[here] + 1):
                if system.low[column] <= here:
                    reduce_column(system, here, column)


@kernel
def eliminate_block(system, here):
    """Eliminate the six unknowns of a block within its own columns, exchanging rows if it must."""
    if not eliminate_in_order(system, here):
        eliminate_with_exchanges(system, here)


@kernel
def eliminate_in_order(system, here):
    """Eliminate six unknowns without exchanging rows; returns False if a share is too large.

    Then nothing has changed. A row is read once and written once.
    """
    A, k = system.matrix, 6 * here
    rows, fits = factor_six(
        load_six(A, k, k),
        load_six(A, k + 1, k),
        load_six(A, k + 2, k),
        load_six(A, k + 3, k),
        load_six(A, k + 4, k),
        load_six(A, k + 5, k),
    )
    i = k + 6
    while fits and i < 6 * system.group_end[here]:
        fits = are_small(shares_of(load_six(A, i, k), rows), OTHER_SHARE)
        i += 1
    if not fits:
        return False
    store_six(A, k, k, rows[0])
    store_six(A, k + 1, k, rows[1])
    store_six(A, k + 2, k, rows[2])
    store_six(A, k + 3, k, rows[3])
    store_six(A, k + 4, k, rows[4])
    store_six(A, k + 5, k, rows[5])
    system.exchanged[here] = 0
    for block in range(here + 1, system.reach[here] + 1):
        if system.low[block] <= here and system.coupled[block] == 1:
            for i in range(6 * block, 6 * block + 6):
                store_six(A, i, k, shares_of(load_six(A, i, k), rows))
    return True


@kernel
def factor_six(a, b, c, d, e, f):
    """LU factors of six rows, and whether all shares are small; they stay in registers.

    A pivot of zero makes shares that are not numbers, and these are not small.
    """
    one = like(a[0], 1)
    a_pivot = one / a[0]
    b0, c0, d0, e0, f0 = (
        b[0] * a_pivot,
        c[0] * a_pivot,
        d[0] * a_pivot,
        e[0] * a_pivot,
        f[0] * a_pivot,
    )
    b, c, d = subtract_six(b, b0, a), subtract_six(c, c0, a), subtract_six(d, d0, a)
    e, f = subtract_six(e, e0, a), subtract_six(f, f0, a)
    b_pivot = one / b[1]
    c1, d1, e1, f1 = c[1] * b_pivot, d[1] * b_pivot, e[1] * b_pivot, f[1] * b_pivot
    c, d = subtract_six(c, c1, b), subtract_six(d, d1, b)
    e, f = subtract_six(e, e1, b), subtract_six(f, f1, b)
    c_pivot = one / c[2]
    d2, e2, f2 = d[2] * c_pivot, e[2] * c_pivot, f[2] * c_pivot
    d, e, f = subtract_six(d, d2, c), subtract_six(e, e2, c), subtract_six(f, f2, c)
    d_pivot = one / d[3]
    e3, f3 = e[3] * d_pivot, f[3] * d_pivot
    e, f = subtract_six(e, e3, d), subtract_six(f, f3, d)
    e_pivot = one / e[4]
    f4 = f[4] * e_pivot
    f = subtract_six(f, f4, e)
    small = are_small((b0, c0, d0, e0, f0, c1), OWN_SHARE)
    small = small and are_small((d1, e1, f1, d2, e2, f2), OWN_SHARE)
    factors = (
        (a_pivot, a[1], a[2], a[3], a[4], a[5]),
        (b0, b_pivot, b[2], b[3], b[4], b[5]),
        (c0, c1, c_pivot, c[3], c[4], c[5]),
        (d0, d1, d2, d_pivot, d[4], d[5]),
        (e0, e1, e2, e3, e_pivot, e[5]),
        (f0, f1, f2, f3, f4, one / f[5]),
    )
    return factors, small and are_small((e3, f3, f4, e3, f3, f4), OWN_SHARE) and f[5] != 0


@kernel
def shares_of(six, rows):
    """What a row has of the six pivot rows: the factors that eliminate its unknowns."""
    a, b, c, d, e, f = rows
    a0 = six[0] * a[0]
    a1 = (six[1] - a0 * a[1]) * b[1]
    a2 = (six[2] - a0 * a[2] - a1 * b[2]) * c[2]
    a3 = (six[3] - a0 * a[3] - a1 * b[3] - a2 * c[3]) * d[3]
    a4 = (six[4] - a0 * a[4] - a1 * b[4] - a2 * c[4] - a3 * d[4]) * e[4]
    a5 = (six[5] - a0 * a[5] - a1 * b[5] - a2 * c[5] - a3 * d[5] - a4 * e[5]) * f[5]
    return a0, a1, a2, a3, a4, a5


@kernel
def are_small(shares, largest):
    """Return whether six shares are small enough; False if one is not a number.

    largest: in double precision.
    """
    a0, a1, a2, a3, a4, a5 = shares
    most = like(a0, LARGEST_SHARE if rounding(a0) > 1e-10 else largest)
    first = abs(a0) <= most and abs(a1) <= most and abs(a2) <= most
    return first and abs(a3) <= most and abs(a4) <= most and abs(a5) <= most


@kernel
def eliminate_with_exchanges(system, here):
    """Eliminate six unknowns, with the largest entries of their columns as pivots if need be."""
    A, low = system.matrix, system.low
    reach, end = system.reach[here], 6 * here + 6
    system.exchanged[here] = 1
    for block in range(here, system.group_end[here]):
        system.coupled[block] = 1  # rows change places
    for k in range(6 * here, end):
        best = pivot_row(A, k, 6 * system.group_end[here])
        system.pivots[k] = best
        if best != k:
            for block in range(low[here], reach + 1):
                exchange_rows(A, k, best, 6 * block)
        inverse = like(A[k, k], 1) / A[k, k]
        for block in range(here, reach + 1):
            if low[block] <= here and system.coupled[block] == 1:
                for i in range(max(k + 1, 6 * block), 6 * block + 6):
                    share = A[i, k] * inverse
                    A[i, k] = share
                    for j in range(k + 1, end):
                        A[i, j] -= share * A[k, j]
        A[k, k] = inverse


@kernel
def reduce_column(system, here, column):
    """Eliminate the unknowns of a block from the rows below, in the six columns of another one."""
    A, k, c = system.matrix, 6 * here, 6 * column
    rows = reduce_pivot_rows(A, k, c)
    for block in range(here + 1, system.reach[here] + 1):
        if system.low[block] <= here and system.coupled[block] == 1:
            for i in range(6 * block, 6 * block + 6):
                store_six(A, i, c, less_shares(load_six(A, i, c), A, i, k, rows))


@kernel
def reduce_pivot_rows(A, k, column):
    """Eliminate six unknowns from their own rows, in six columns; returns these rows.

    They stay in registers: after every store to the matrix they would have to be loaded again.
    """
    a, b = load_six(A, k, column), load_six(A, k + 1, column)
    c, d = load_six(A, k + 2, column), load_six(A, k + 3, column)
    e, f = load_six(A, k + 4, column), load_six(A, k + 5, column)
    b = subtract_six(b, A[k + 1, k], a)
    c = subtract_six(subtract_six(c, A[k + 2, k], a), A[k + 2, k + 1], b)
    d = subtract_six(subtract_six(d, A[k + 3, k], a), A[k + 3, k + 1], b)
    d = subtract_six(d, A[k + 3, k + 2], c)
    e = subtract_six(subtract_six(e, A[k + 4, k], a), A[k + 4, k + 1], b)
    e = subtract_six(subtract_six(e, A[k + 4, k + 2], c), A[k + 4, k + 3], d)
    f = subtract_six(subtract_six(f, A[k + 5, k], a), A[k + 5, k + 1], b)
    f = subtract_six(subtract_six(f, A[k + 5, k + 2], c), A[k + 5, k + 3], d)
    f = subtract_six(f, A[k + 5, k + 4], e)
    store_six(A, k + 1, column, b)
    store_six(A, k + 2, column, c)
    store_six(A, k + 3, column, d)
    store_six(A, k + 4, column, e)
    store_six(A, k + 5, column, f)
    return a, b, c, d, e, f


@kernel
def less_shares(six, A, i, k, rows):
    """Six numbers less the shares of row i, from column k on, in six rows."""
    a, b, c, d, e, f = rows
    six = subtract_six(subtract_six(six, A[i, k], a), A[i, k + 1], b)
    six = subtract_six(subtract_six(six, A[i, k + 2], c), A[i, k + 3], d)
    return subtract_six(subtract_six(six, A[i, k + 4], e), A[i, k + 5], f)


@kernel
def subtract_six(six, share, row):
    """Six numbers less a share of six others."""
    return (
        six[0] - share * row[0],
        six[1] - share * row[1],
        six[2] - share * row[2],
        six[3] - share * row[3],
        six[4] - share * row[4],
        six[5] - share * row[5],
    )


@subroutine
def substitute(system, n):
    """Solve for the right-hand side with the LU factors of the matrix."""
    x = system.right
    for block in range(n // 6):
        if system.exchanged[block] == 1:
            for k in range(6 * block, 6 * block + 6):
                best = int(system.pivots[k])
                x[k], x[best] = x[best], x[k]
    for block in range(n // 6):
        substitute_forward(system, block)
    for block in range(n // 6 - 1, -1, -1):
        substitute_backward(system, block)


@kernel
def substitute_forward(system, block):
    """Find six unknowns of L y = b, those before them known."""
    A, x, i = system.matrix, system.right, 6 * block
    a = subtract_products(A, x, i, 6 * system.low[block], i, load_six_of(x, i))
    a0 = a[0]
    a1 = a[1] - A[i + 1, i] * a0
    a2 = a[2] - A[i + 2, i] * a0 - A[i + 2, i + 1] * a1
    a3 = a[3] - A[i + 3, i] * a0 - A[i + 3, i + 1] * a1 - A[i + 3, i + 2] * a2
    a4 = a[4] - A[i + 4, i] * a0 - A[i + 4, i + 1] * a1 - A[i + 4, i + 2] * a2
    a4 -= A[i + 4, i + 3] * a3
    a5 = a[5] - A[i + 5, i] * a0 - A[i + 5, i + 1] * a1 - A[i + 5, i + 2] * a2
    a5 -= A[i + 5, i + 3] * a3 + A[i + 5, i + 4] * a4
    store_six_of(x, i, (a0, a1, a2, a3, a4, a5))


@kernel
def substitute_backward(system, block):
    """Find six unknowns of U x = y, those after them known; the diagonal of U is inverted."""
    A, x, i = system.matrix, system.right, 6 * block
    a = load_six_of(x, i)
    for other in range(block + 1, system.reach[block] + 1):
        if system.low[other] <= block:
            a = subtract_products(A, x, i, 6 * other, 6 * other + 6, a)
    a5 = a[5] * A[i + 5, i + 5]
    a4 = (a[4] - A[i + 4, i + 5] * a5) * A[i + 4, i + 4]
    a3 = (a[3] - A[i + 3, i + 5] * a5 - A[i + 3, i + 4] * a4) * A[i + 3, i + 3]
    a2 = a[2] - A[i + 2, i + 5] * a5 - A[i + 2, i + 4] * a4 - A[i + 2, i + 3] * a3
    a2 *= A[i + 2, i + 2]
    a1 = a[1] - A[i + 1, i + 5] * a5 - A[i + 1, i + 4] * a4 - A[i + 1, i + 3] * a3
    a1 = (a1 - A[i + 1, i + 2] * a2) * A[i + 1, i + 1]
    a0 = a[0] - A[i, i + 5] * a5 - A[i, i + 4] * a4 - A[i, i + 3] * a3
    a0 = (a0 - A[i, i + 2] * a2 - A[i, i + 1] * a1) * A[i, i]
    store_six_of(x, i, (a0, a1, a2, a3, a4, a5))


@kernel
def subtract_products(A, x, i, begin, end, six):
    """Subtract from six numbers the products of six rows, from i on, with x from begin to end."""
    a0, a1, a2, a3, a4, a5 = six
    for k in range(begin, end):
        known = x[k]
        a0 -= A[i, k] * known
        a1 -= A[i + 1, k] * known
        a2 -= A[i + 2, k] * known
        a3 -= A[i + 3, k] * known
        a4 -= A[i + 4, k] * known
        a5 -= A[i + 5, k] * known
    return a0, a1, a2, a3, a4, a5


@kernel
def load_six_of(x, i):
    """Six numbers of a vector."""
    return x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5]


@kernel
def store_six_of(x, i, six):
    """Write six numbers of a vector."""
    x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5] = six


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
