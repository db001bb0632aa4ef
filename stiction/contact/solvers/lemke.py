"""Lemke's complementary pivoting for linear complementarity problems.

    [L] C. E. Lemke, "Bimatrix equilibrium points and mathematical programming", Management Science
        11 (1965) 681-689
    [E] B. C. Eaves, "The linear complementarity problem", Management Science 17 (1971) 612-634

    w = M z + q,    w >= 0,    z >= 0,    w'z = 0                                              (1)

An artificial variable z_0, as large as the most negative q, makes z = 0 feasible [L]:

    w = M z + q + z_0                                                                          (2)

From there one variable after the other enters the basis, each the complement of the one that left
it. When z_0 leaves, (1) is solved. If nothing blocks the entering variable, the path ends in a ray.
For a positive semidefinite or otherwise copositive-plus M that proves that no z >= 0 has w >= 0
[L]; for a P-matrix it cannot happen; for other matrices it proves nothing.

The basic variables x_B are written in terms of those that are zero, x_N:

    x_B + T x_N = b                                                                            (3)

T has n rows and n + 1 columns. A pivot exchanges the variables of a row and a column, in one pass
over T. The columns of w in T, unit columns where w is basic, form the inverse of the basis B:

    x_B = B^-1 q                                                                               (4)

Where M or q is special, several rows block together, and a careless choice among them can cycle.
The lexicographic rule [E] compares their rows of (b, B^-1), divided by their entries in the
entering column, one number after the other, until one row is least; cycles are then impossible.
Numbers that differ by no more than rounding count as equal, so it is only almost impossible in
floating point, and the number of pivots is bounded.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.scratch import PerColumn, PerUnknown, Tableau, UnknownMatrix
from stiction.kernels.vectors import like

SOLVED, RAY, PIVOT_LIMIT = 0, 1, 2  # how it ended
BASIC = -1  # instead of the column of a variable
NONE = -1  # instead of a row
LOOSE = 100.0  # times rounding: z_0 that counts as zero where nothing blocks


class Lemke(NamedTuple):
    """Scratch: a problem of n unknowns, in the first n rows; its solution; and the tableau.

    Variables have numbers: i is w_i, n + i is z_i, and 2 n is z_0.
    """

    M: UnknownMatrix
    q: PerUnknown
    z: PerUnknown  # the solution
    T: Tableau  # n + 1 columns of Eq. (3), then b
    basic: PerUnknown  # variable of each row
    zero: PerColumn  # variable of each column
    w_column: PerUnknown  # column of w_i, or BASIC
    tied: PerUnknown  # 1 for rows that block the entering variable together
    error: PerUnknown  # of Eq. (1), see `refine`


@subroutine
def lemke(problem, n, most, rounding):
    """Solve Eq. (1) for z; returns the number of pivots and SOLVED, RAY or PIVOT_LIMIT.

    If it is not solved, z is the last point of the path, which satisfies Eq. (2).

    most: pivots; rounding: of numbers around 1, to which M and q should be scaled.
    """
    row, pivots = start(problem, n), 0
    if problem.q[row] >= 0:
        write_solution(problem, n)
        return pivots, SOLVED
    artificial, column, status = row, n, PIVOT_LIMIT
    while pivots < most:
        leaving = int(problem.basic[row])
        pivot(problem, n, row, column)
        pivots += 1
        if leaving == 2 * n:
            status = SOLVED
            break
        column = column_of(problem, n, complement(leaving, n))
        row = blocking_row(problem, n, column, rounding)
        if may_leave(problem, n, artificial, column, rounding):
            row = artificial
        elif row == NONE:
            zero = problem.T[artificial, n + 1] <= like(rounding, LOOSE) * rounding
            status = SOLVED if zero else RAY
            break
    write_solution(problem, n)
    return pivots, status


@kernel
def complement(variable, n):
    """z_i for w_i, and the reverse."""
    return variable + n if variable < n else variable - n


@kernel
def start(problem, n):
    """Write the tableau of Eq. (2) with all w basic; returns the row that z_0 enters first.

    The row of the least q, the last one of several: their unit rows of B^-1 are ordered that way.
    """
    T, row = problem.T, 0
    for i in range(n):
        for j in range(n):
            T[i, j] = -problem.M[i, j]
        T[i, n], T[i, n + 1] = -1, problem.q[i]
        problem.basic[i], problem.zero[i], problem.w_column[i] = i, n + i, BASIC
        if problem.q[i] <= problem.q[row]:
            row = i
    problem.zero[n] = 2 * n
    return row


@kernel
def pivot(problem, n, row, column):
    """Exchange the variables of a row and a column of Eq. (3)."""
    T, one = problem.T, like(problem.q[0], 1)
    inverse = one / T[row, column]
    T[row, column] = one
    for j in range(n + 2):
        T[row, j] *= inverse
    for i in range(n):
        share = T[i, column]
        if i != row and share != 0:
            T[i, column] = 0
            for j in range(n + 2):
                T[i, j] -= share * T[row, j]
    leaves, enters = problem.basic[row], problem.zero[column]
    problem.basic[row], problem.zero[column] = enters, leaves
    if leaves < n:
        problem.w_column[int(leaves)] = column
    if enters < n:
        problem.w_column[int(enters)] = BASIC


@kernel
def column_of(problem, n, variable):
    """Column of a variable that is zero."""
    column = 0
    while problem.zero[column] != variable:
        column += 1
    return column


@kernel
def write_solution(problem, n):
    """Write z from the basic variables."""
    for i in range(n):
        problem.z[i] = 0
    for i in range(n):
        variable = int(problem.basic[i])
        if n <= variable < 2 * n:
            problem.z[variable - n] = max(problem.T[i, n + 1], like(problem.q[0], 0))


# --------------------------------------------------------------------------------------- ratio test


@kernel
def blocking_row(problem, n, column, rounding):
    """Row whose variable reaches zero first as that of the column grows, or NONE."""
    ties = find_ties(problem, n, column, rounding)
    j = 0
    while ties > 1 and j < n:
        ties = keep_least(problem, n, column, j, rounding)
        j += 1
    row = NONE
    for i in range(n):
        if problem.tied[i] == 1 and (row == NONE or problem.T[i, column] > problem.T[row, column]):
            row = i
    return row


@kernel
def find_ties(problem, n, column, rounding):
    """Mark the rows that block first; returns how many.

    Several if none of the variables that block before them becomes more negative than rounding.
    """
    T, zero = problem.T, like(problem.q[0], 0)
    largest, most = zero, like(problem.q[0], math.inf)
    for i in range(n):
        largest = max(largest, abs(T[i, column]))
    for i in range(n):
        if T[i, column] > rounding * largest:
            most = min(most, (max(T[i, n + 1], zero) + rounding) / T[i, column])
    ties = 0
    for i in range(n):
        blocks = T[i, column] > rounding * largest
        blocks = blocks and T[i, n + 1] <= most * T[i, column]
        problem.tied[i] = blocks
        ties += blocks
    return ties


@kernel
def may_leave(problem, n, row, column, rounding):
    """Whether the variable of a row can become zero now, up to rounding of all others."""
    T = problem.T
    if abs(T[row, column]) <= rounding:
        return False
    step = T[row, n + 1] / T[row, column]
    if step < -rounding:
        return False
    for i in range(n):
        if i != row and T[i, n + 1] - step * T[i, column] < -rounding:
            return False
    return True


@kernel
def keep_least(problem, n, column, j, rounding):
    """Keep the tied rows whose entry in column j of B^-1 is least; returns how many."""
    T = problem.T
    least = like(problem.q[0], math.inf)
    for i in range(n):
        if problem.tied[i] == 1:
            least = min(least, inverse_entry(problem, i, j) / T[i, column])
    ties = 0
    for i in range(n):
        if problem.tied[i] == 1:
            ratio = inverse_entry(problem, i, j) / T[i, column]
            equal = ratio - least <= rounding * max(abs(least), like(least, 1))
            problem.tied[i] = equal
            ties += equal
    return ties


@kernel
def inverse_entry(problem, i, j):
    """Entry (i, j) of B^-1."""
    column = int(problem.w_column[j])
    if column == BASIC:
        return like(problem.q[0], problem.basic[i] == j)
    return problem.T[i, column]


# ------------------------------------------------------------------- the same basis with another q


@subroutine
def refine(problem, n):
    """Solve Eq. (4) for the present q and the last basis; returns the least basic variable.

    It corrects the last solution by B^-1 times its error, which removes rounding errors of the
    pivots too. If the result is negative, this is not the basis of a solution.
    """
    T, error, nothing = problem.T, problem.error, like(problem.q[0], 0)
    for i in range(n):
        problem.z[i] = 0
        error[i] = problem.q[i]
    for i in range(n):
        variable = int(problem.basic[i])
        if variable < n:
            error[variable] -= T[i, n + 1]
        elif variable < 2 * n:
            problem.z[variable - n] = T[i, n + 1]
    for i in range(n):
        for j in range(n):
            error[i] += problem.M[i, j] * problem.z[j]
    least = nothing
    for i in range(n):
        correction = nothing
        for j in range(n):
            correction += inverse_entry(problem, i, j) * error[j]
        T[i, n + 1] += correction
        least = min(least, T[i, n + 1])
    write_solution(problem, n)
    return least
