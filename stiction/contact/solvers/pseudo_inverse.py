"""Forces at points that produce wanted motions: least squares first, then least norm.

M f = a with M = P L P', where P takes the twists of the touching links to the velocities of their
points and L is the inverse inertia of these links (`response.py`). Four or more points of a link
exceed its six degrees of freedom, so M is singular, and a may be outside its range. M^+ a is
the f of least norm among those that come nearest to a. It is found without M, in the small space of
the twists:

    P = Q R       for each link by itself, R from a pivoted Cholesky factor of the 6x6 P'P
    A = R L R'    as large as the rank of P; M = Q A Q', so M^+ a = Q A^+ (Q'a)
    A^+           from a pivoted Cholesky factor of A, whose rows are then made orthonormal

Links can be coupled so that A is singular too: feet whose legs are stuck, a base that is held, legs
that lack a joint. Near such a pose a tiny acceleration would take a huge force; directions in which
the points of a link move by less than `rank_tolerance` per force, relative to the one in which they
move most, count as immovable. Each link has a scale of its own: a light ball next to a heavy robot
moves far more than the robot does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.scratch import (
    BlockPerLink,
    LinkMatrix,
    PerPoint,
    TwistPerLink,
    VectorPerPoint,
)
from stiction.contact.solvers.link_blocks import add_arm, add_points, clear_block, no_arms
from stiction.kernels.response import arm_from_centre
from stiction.kernels.spatial import Twist, point_velocity, twist_add, twist_scale
from stiction.kernels.touching_links import load_unit_response
from stiction.kernels.vectors import add, cross, like, load_vector, store_vector, zero_vector

DEPENDENT = 1e-10  # relative pivot of P'P below which a direction depends on those before


class LeastNorm(NamedTuple):
    """Scratch: which points are in the problem, what is wanted of them, and factors."""

    chosen: PerPoint  # 1 for the points that are in the problem
    wanted: VectorPerPoint  # a
    R: BlockPerLink
    basis: LinkMatrix  # Q, rows
    remains: TwistPerLink  # of the diagonal that is being factored
    least: TwistPerLink  # a smaller rest of the diagonal of A counts as none


@subroutine
def least_norm_solution(contact, response, problem, rank_tolerance, force):
    """Write M^+ a for the chosen points into the rows of `force`; zero for the others."""
    linear = response.linear
    for touching in range(contact.touching_count[0]):
        gather_points(contact, response, problem, touching)
        dependent = like(contact.depth[0], DEPENDENT)
        factor_points(linear, problem.R, problem.remains, touching, dependent)
    n = 6 * contact.touching_count[0]
    reduce_inertia(contact, response, problem.R)
    rank = factor_with_pivots(linear, problem, n, rank_tolerance)
    orthonormalise(linear, problem.basis, rank, n)
    solve_orthonormal(linear, problem, rank, n)
    for touching in range(contact.touching_count[0]):
        twist_of_link(linear, problem.R, touching)
    for i in range(contact.count[0]):
        f = zero_vector(contact.depth[i])
        if problem.chosen[i] > 0:
            y = load_right(linear, contact.touching[i])
            f = point_velocity(y, arm_from_centre(contact, response, i))
        store_vector(force, i, f)


@kernel
def load_right(linear, touching):
    """Return the right-hand side, or the solution, that belongs to a touching link."""
    x, k = linear.right, 6 * touching
    return Twist((x[k], x[k + 1], x[k + 2]), (x[k + 3], x[k + 4], x[k + 5]))


# ------------------------------------------------------------------------------------ P = Q R, Q'a


@kernel
def gather_points(contact, response, problem, touching):
    """Write P'P of the chosen points of a touching link into its block of `matrix`, and P'a."""
    zero = like(contact.depth[0], 0)
    linear, angular, sums = zero_vector(zero), zero_vector(zero), no_arms(zero)
    for i in range(contact.count[0]):
        if contact.touching[i] == touching and problem.chosen[i] > 0:
            r, a = arm_from_centre(contact, response, i), load_vector(problem.wanted, i)
            linear, angular = add(linear, a), add(angular, cross(r, a))
            sums = add_arm(sums, r)
    block, first = problem.R, 6 * touching
    clear_block(block, touching)
    add_points(block, touching, like(zero, 1), sums)
    for row in range(6):
        response.linear.right[first + row] = linear[row] if row < 3 else angular[row - 3]
        for k in range(6):
            response.linear.matrix[first + row, first + k] = block[touching, row, k]
    clear_block(block, touching)


@kernel
def factor_points(system, R, remains, touching, dependent):
    """Factor P'P = R'R with pivots into R[touching], which must be zero, and turn P'a into Q'a.

    A rotation is measured against the largest arms, whatever its own axis; dependent: relative
    pivot below which a direction depends on those before. Unlike `factor_with_pivots`, it measures
    translations and rotations on scales of their own and leaves eliminated columns exactly zero,
    because `twist_of_link` solves with R as a triangle.
    """
    G, x, pivots, first = system.matrix, system.right, system.pivots, 6 * touching
    count = max(G[first, first], G[first + 1, first + 1], G[first + 2, first + 2])
    arms = G[first + 3, first + 3] + G[first + 4, first + 4] + G[first + 5, first + 5]
    for k in range(6):
        remains[first + k] = G[first + k, first + k]
        pivots[first + k] = -1
    right = load_right(system, touching)
    for row in range(6):
        pivot = largest_remaining(remains, first, count, arms, dependent)
        beta = like(arms, 0)
        if pivot >= 0:
            pivots[first + row] = pivot
            beta = right.linear[pivot] if pivot < 3 else right.angular[pivot - 3]
            for m in range(row):
                beta -= R[touching, m, pivot] * x[first + m]
            top = math.sqrt(remains[first + pivot])
            beta /= top
            remains[first + pivot] = -1
            R[touching, row, pivot] = top
            for k in range(6):
                if remains[first + k] >= 0:
                    entry = G[first + pivot, first + k]
                    for m in range(row):
                        entry -= R[touching, m, pivot] * R[touching, m, k]
                    entry /= top
                    R[touching, row, k] = entry
                    remains[first + k] = max(remains[first + k] - entry * entry, like(top, 0))
        x[first + row] = beta


@kernel
def largest_remaining(remains, first, count, arms, dependent):
    """Column of a touching link with the largest relative pivot, -1 if no other is independent."""
    best, largest = -1, dependent
    for k in range(6):
        size = count if k < 3 else arms
        if size > 0 and remains[first + k] > largest * size:
            best, largest = k, remains[first + k] / size
    return best


@kernel
def twist_of_link(system, R, touching):
    """Solve R y = omega: the forces Q omega of the touching link's points are P y."""
    x, first = system.right, 6 * touching
    omega = load_right(system, touching)
    for k in range(6):
        x[first + k] = 0
    for row in range(5, -1, -1):
        pivot = int(system.pivots[first + row])
        if pivot >= 0:
            y = omega.linear[row] if row < 3 else omega.angular[row - 3]
            for k in range(6):
                if k != pivot:
                    y -= R[touching, row, k] * x[first + k]
            x[first + pivot] = y / R[touching, row, pivot]


# -------------------------------------------------------------------------------------------- A^+


@kernel
def reduce_inertia(contact, response, R):
    """A = R L R'."""
    L, A = response.inverse_inertia, response.linear.matrix
    nowhere = zero_vector(A[0, 0])
    for c in range(contact.touching_count[0]):
        for b in range(contact.touching_count[0]):
            for n in range(6):
                t = Twist(nowhere, nowhere)
                for k in range(6):
                    t = twist_add(t, twist_scale(R[c, n, k], load_unit_response(L, 6 * c + k, b)))
                for m in range(6):
                    entry = like(A[0, 0], 0)
                    for k in range(3):
                        entry += R[b, m, k] * t.linear[k] + R[b, m, 3 + k] * t.angular[k]
                    A[6 * b + m, 6 * c + n] = entry


@kernel
def factor_with_pivots(system, problem, n, rank_tolerance):
    """Write rows F with F'F = A into `basis`; returns how many.

    Column k of a row belongs to row and column k of A; the pivot is the largest that remains.
    Unlike `factor_points`, it needs one scale per link only, as all entries of A have the same
    unit, and no triangle, as `orthonormalise` works on whole rows.
    """
    A, F, remains, least = system.matrix, problem.basis, problem.remains, problem.least
    for first in range(0, n, 6):
        largest = like(A[0, 0], 0)
        for k in range(first, first + 6):
            remains[k] = A[k, k]
            largest = max(largest, A[k, k])
        for k in range(first, first + 6):
            least[k] = rank_tolerance * largest
    for row in range(n):
        pivot = -1
        for k in range(n):
            if remains[k] > least[k] and (pivot < 0 or remains[k] > remains[pivot]):
                pivot = k
        if pivot < 0:
            return row
        top = math.sqrt(remains[pivot])
        for k in range(n):
            entry = A[pivot, k]
            for m in range(row):
                entry -= F[m, pivot] * F[m, k]
            F[row, k] = entry / top
        for k in range(n):
            remains[k] -= F[row, k] * F[row, k]
        remains[pivot] = -1
    return n


@kernel
def orthonormalise(system, Q, rank, n):
    """Make the rows of Q, which are F, orthonormal: F = T Q, T lower triangular into `matrix`."""
    T = system.matrix
    for row in range(rank):
        for m in range(row):
            along = like(Q[0, 0], 0)
            for k in range(n):
                along += Q[row, k] * Q[m, k]
            for k in range(n):
                Q[row, k] -= along * Q[m, k]
            T[row, m] = along
        length = like(Q[0, 0], 0)
        for k in range(n):
            length += Q[row, k] * Q[row, k]
        length = math.sqrt(length)
        for k in range(n):
            Q[row, k] /= length
        T[row, row] = length


@kernel
def solve_orthonormal(system, problem, rank, n):
    """A^+ x = Q' T^-1 T'^-1 Q x, in place of x."""
    T, Q, x, y = system.matrix, problem.basis, system.right, problem.remains
    for row in range(rank):
        along = like(Q[0, 0], 0)
        for k in range(n):
            along += Q[row, k] * x[k]
        y[row] = along
    for row in range(rank - 1, -1, -1):
        for m in range(row + 1, rank):
            y[row] -= T[m, row] * y[m]
        y[row] /= T[row, row]
    for row in range(rank):
        for m in range(row):
            y[row] -= T[row, m] * y[m]
        y[row] /= T[row, row]
    for k in range(n):
        x[k] = 0
        for row in range(rank):
            x[k] += Q[row, k] * y[row]
