"""Forces at points that give them wanted motions: least squares first, then least norm.

M f = a with M = P L P', where P takes the twists of the touching links to the velocities of their
points and L is the inverse inertia of these links (`response.py`). Four or more points of a link
are more than its six degrees of freedom, so M is singular, and a may be out of its reach. M^+ a is
the f of least norm among those that come nearest to a. It is found without M, in the small space of
the twists:

    P = Q R       for each link by itself, R from a pivoted Cholesky factor of the 6x6 P'P
    A = R L R'    as large as the rank of P; M = Q A Q', so M^+ a = Q A^+ (Q'a)
    A^+           from a pivoted Cholesky factor of A, whose rows are then made orthonormal

Links can be coupled so that A is singular too: feet whose legs are stuck, a base that is held, legs
that lack a joint. Near such a pose a tiny acceleration would take a huge force; directions in which
the points move by less than `rank_tolerance` per force, beside the one in which they move most,
count as those in which they do not move.
"""

import math

from stiction.compiler.compiled import kernel
from stiction.contact.solvers.newton import stiffen_sticking
from stiction.kernels.response import arm_from_centre, load_unit_response
from stiction.kernels.spatial import (
    Twist,
    add,
    cross,
    like,
    point_velocity,
    store_vector,
    symmetric_add,
    symmetric_outer,
    twist_add,
    twist_scale,
    zero_vector,
)

CHOSEN = 0  # column of the scratch: 1 for the points that are in the problem
WANTED = 1  # first of three columns of the scratch: a
SCRATCH = 4
REMAINS, PIVOT, RIGHT = 0, 1, 2  # rows of `response.residual`
DEPENDENT = 1e-10  # relative pivot of P'P below which a direction depends on those before


@kernel
def least_norm_solution(contact, response, scratch, rank_tolerance, force):
    """Write M^+ a for the chosen points into the rows of `force`; zero for the others."""
    for touching in range(contact.touching_count[0]):
        gather_points(contact, response, scratch, touching)
        factor_points(response, response.tangent, touching, like(contact.depth[0], DEPENDENT))
    n = 6 * contact.touching_count[0]
    reduce_inertia(contact, response)
    rank = factor_with_pivots(response, n, rank_tolerance)
    orthonormalise(response, rank, n)
    solve_orthonormal(response, rank, n)
    for touching in range(contact.touching_count[0]):
        twist_of_link(response, touching)
    for i in range(contact.count[0]):
        f = zero_vector(contact.depth[i])
        if scratch[i, CHOSEN] > 0:
            y = load_right(response, contact.touching[i])
            f = point_velocity(y, arm_from_centre(contact, response, i))
        store_vector(force, i, f)


@kernel
def load_right(response, touching):
    """Return the right-hand side, or the solution, that belongs to a touching link."""
    x, k = response.residual, 6 * touching
    return Twist(
        (x[RIGHT, k], x[RIGHT, k + 1], x[RIGHT, k + 2]),
        (x[RIGHT, k + 3], x[RIGHT, k + 4], x[RIGHT, k + 5]),
    )


# ------------------------------------------------------------------------------------ P = Q R, Q'a


@kernel
def gather_points(contact, response, scratch, touching):
    """Write P'P of the chosen points of a touching link into its block of `matrix`, and P'a."""
    zero = like(contact.depth[0], 0)
    linear, angular = zero_vector(zero), zero_vector(zero)
    count, s, ss = 0, zero_vector(zero), (zero, zero, zero, zero, zero, zero)
    for i in range(contact.count[0]):
        if contact.touching[i] == touching and scratch[i, CHOSEN] > 0:
            r = arm_from_centre(contact, response, i)
            a = (scratch[i, WANTED], scratch[i, WANTED + 1], scratch[i, WANTED + 2])
            linear, angular = add(linear, a), add(angular, cross(r, a))
            count += 1
            s = add(s, r)
            ss = symmetric_add(ss, symmetric_outer(r, r))
    R, first = response.tangent, 6 * touching
    for row in range(6):
        for k in range(6):
            R[touching, row, k] = 0
    stiffen_sticking(R, touching, like(zero, 1), count, s, ss)
    for row in range(6):
        response.residual[RIGHT, first + row] = linear[row] if row < 3 else angular[row - 3]
        for k in range(6):
            response.matrix[first + row, first + k] = R[touching, row, k]
            R[touching, row, k] = 0


@kernel
def factor_points(response, R, touching, dependent):
    """Factor P'P = R'R with pivots into R[touching], which must be zero, and turn P'a into Q'a.

    A rotation is measured against the largest arms, whatever its own axis; dependent: relative
    pivot below which a direction depends on those before.
    """
    G, x, first = response.matrix, response.residual, 6 * touching
    count = max(G[first, first], G[first + 1, first + 1], G[first + 2, first + 2])
    arms = G[first + 3, first + 3] + G[first + 4, first + 4] + G[first + 5, first + 5]
    for k in range(6):
        x[REMAINS, first + k] = G[first + k, first + k]
        x[PIVOT, first + k] = -1
    right = load_right(response, touching)
    for row in range(6):
        pivot = largest_remaining(x, first, count, arms, dependent)
        beta = like(arms, 0)
        if pivot >= 0:
            x[PIVOT, first + row] = pivot
            beta = right.linear[pivot] if pivot < 3 else right.angular[pivot - 3]
            for m in range(row):
                beta -= R[touching, m, pivot] * x[RIGHT, first + m]
            top = math.sqrt(x[REMAINS, first + pivot])
            beta /= top
            x[REMAINS, first + pivot] = -1
            R[touching, row, pivot] = top
            for k in range(6):
                if x[REMAINS, first + k] >= 0:
                    entry = G[first + pivot, first + k]
                    for m in range(row):
                        entry -= R[touching, m, pivot] * R[touching, m, k]
                    entry /= top
                    R[touching, row, k] = entry
                    x[REMAINS, first + k] = max(x[REMAINS, first + k] - entry * entry, like(top, 0))
        x[RIGHT, first + row] = beta


@kernel
def largest_remaining(x, first, count, arms, dependent):
    """Column of a touching link with the largest relative pivot, -1 if no other is independent."""
    best, largest = -1, dependent
    for k in range(6):
        size = count if k < 3 else arms
        if size > 0 and x[REMAINS, first + k] > largest * size:
            best, largest = k, x[REMAINS, first + k] / size
    return best


@kernel
def twist_of_link(response, touching):
    """Solve R y = omega: the forces Q omega of the touching link's points are P y."""
    R, x, first = response.tangent, response.residual, 6 * touching
    omega = load_right(response, touching)
    for k in range(6):
        x[RIGHT, first + k] = 0
    for row in range(5, -1, -1):
        pivot = int(x[PIVOT, first + row])
        if pivot >= 0:
            y = omega.linear[row] if row < 3 else omega.angular[row - 3]
            for k in range(6):
                if k != pivot:
                    y -= R[touching, row, k] * x[RIGHT, first + k]
            x[RIGHT, first + pivot] = y / R[touching, row, pivot]


# -------------------------------------------------------------------------------------------- A^+


@kernel
def reduce_inertia(contact, response):
    """A = R L R'."""
    R, L, A = response.tangent, response.inverse_inertia, response.matrix
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
def factor_with_pivots(response, n, rank_tolerance):
    """Write rows F with F'F = A into `basis`; returns how many.

    Column k of a row belongs to row and column k of A; pivots are taken where most remains.
    """
    A, F, x = response.matrix, response.basis, response.residual
    largest = like(A[0, 0], 0)
    for k in range(n):
        x[REMAINS, k] = A[k, k]
        largest = max(largest, A[k, k])
    for row in range(n):
        pivot = 0
        for k in range(n):
            if x[REMAINS, k] > x[REMAINS, pivot]:
                pivot = k
        if not x[REMAINS, pivot] > rank_tolerance * largest:
            return row
        top = math.sqrt(x[REMAINS, pivot])
        for k in range(n):
            entry = A[pivot, k]
            for m in range(row):
                entry -= F[m, pivot] * F[m, k]
            F[row, k] = entry / top
        for k in range(n):
            x[REMAINS, k] -= F[row, k] * F[row, k]
        x[REMAINS, pivot] = -1
    return n


@kernel
def orthonormalise(response, rank, n):
    """Make the rows of `basis` orthonormal: F = T Q, T lower triangular into `matrix`."""
    T, Q = response.matrix, response.basis
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
def solve_orthonormal(response, rank, n):
    """A^+ x = Q' T^-1 T'^-1 Q x, in place of x."""
    T, Q, x = response.matrix, response.basis, response.residual
    for row in range(rank):
        along = like(Q[0, 0], 0)
        for k in range(n):
            along += Q[row, k] * x[RIGHT, k]
        x[REMAINS, row] = along
    for row in range(rank - 1, -1, -1):
        for m in range(row + 1, rank):
            x[REMAINS, row] -= T[m, row] * x[REMAINS, m]
        x[REMAINS, row] /= T[row, row]
    for row in range(rank):
        for m in range(row):
            x[REMAINS, row] -= T[row, m] * x[REMAINS, m]
        x[REMAINS, row] /= T[row, row]
    for k in range(n):
        x[RIGHT, k] = 0
        for row in range(rank):
            x[RIGHT, k] += Q[row, k] * x[REMAINS, row]
