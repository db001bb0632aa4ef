"""Bounded least squares, reduced to six unknowns per touching link: R, beta, T and the minimiser.

Symbols and equations are those of `bounded_least_squares.py`.
"""

from __future__ import annotations

from typing import NamedTuple

from stiction.compiler.compiled import kernel
from stiction.contact.friction import OPEN, SLIP, STICK
from stiction.contact.scratch import (
    BlockPerLink,
    LinkMatrix,
    PerPoint,
    RowPerLink,
    TwistPerLink,
    VectorPerPoint,
)
from stiction.contact.solvers.link_blocks import (
    add_arm,
    add_outer,
    add_points,
    clear_block,
    no_arms,
)
from stiction.contact.solvers.pseudo_inverse import factor_points
from stiction.kernels.linear_system import factor_positive, load_six, substitute_positive
from stiction.kernels.response import arm_from_centre
from stiction.kernels.vectors import add, cross, dot, like, load_vector, scale, zero_vector

REFINEMENTS = 1  # of the linear system


class BoundedProblem(NamedTuple):
    """Scratch: the points of the problem, and its reduction to the touching links."""

    case: PerPoint  # OPEN: not in it; STICK: three rows of B and C; SLIP: one
    free: PerPoint  # 1 if the bounded impulse of the point is free
    direction: VectorPerPoint  # c: the impulse must not be negative along it; the normal for STICK
    wanted: VectorPerPoint  # v: velocity that the impulses are to add
    R: BlockPerLink
    gram: BlockPerLink  # G
    basis: LinkMatrix  # T'
    price: TwistPerLink  # lambda
    beta: TwistPerLink
    solution: TwistPerLink  # s
    last: TwistPerLink  # s of the last iteration
    remains: TwistPerLink  # see `factor_points`
    twist: RowPerLink  # q


@kernel
def reduce_rows(contact, response, problem, dependent):
    """R and beta, a touching link at a time; returns the number of rows of B."""
    rows = 0
    for touching in range(contact.touching_count[0]):
        rows += sum_rows(contact, response, problem, touching)
        factor_points(response.linear, problem.R, problem.remains, touching, dependent)
    for k in range(6 * contact.touching_count[0]):
        problem.beta[k] = response.linear.right[k]
    return rows


@kernel
def sum_rows(contact, response, problem, touching):
    """Write B'B and B'v of a touching link into its block; returns its number of rows of B."""
    N, zero = problem.gram, like(problem.free[0], 0)
    one = like(zero, 1)
    clear_block(N, touching)
    clear_block(problem.R, touching)
    linear, angular = zero_vector(zero), zero_vector(zero)
    stuck, sliding = no_arms(zero), 0
    for i in range(contact.count[0]):
        case = problem.case[i]
        if contact.touching[i] != touching or case == OPEN:
            continue
        v, r = load_vector(problem.wanted, i), arm_from_centre(contact, response, i)
        if case == STICK:
            stuck = add_arm(stuck, r)
        else:
            sliding += 1
            n = load_vector(contact.normal, i)
            v = scale(dot(n, v), n)
            add_outer(N, touching, one, n, r, n)
        linear, angular = add(linear, v), add(angular, cross(r, v))
    add_points(N, touching, one, stuck)
    right, H, first = response.linear.right, response.linear.matrix, 6 * touching
    for k in range(6):
        right[first + k] = linear[k] if k < 3 else angular[k - 3]
        for j in range(6):
            H[first + k, first + j] = N[touching, k, j]
    return 3 * stuck.points + sliding


@kernel
def find_T(contact, response, problem):
    """T = L R', a column in each row of `basis`."""
    R, L, T = problem.R, response.inverse_inertia, problem.basis
    for c in range(contact.touching_count[0]):
        for k in range(6):
            for b in range(contact.touching_count[0]):
                for j in range(6):
                    total = like(T[0, 0], 0)
                    for m in range(6):
                        total += R[c, k, m] * L[6 * c + m, b, j]
                    T[6 * c + k, 6 * b + j] = total


# ------------------------------------------------------------------------------------ the minimiser


@kernel
def minimise(contact, response, problem):
    """s and q of the minimiser for the impulses that are free now."""
    linear, n = response.linear, 6 * contact.touching_count[0]
    for touching in range(contact.touching_count[0]):
        sum_free(contact, response, problem, touching)
    assemble(contact, response, problem)
    factor_positive(linear, problem.price, n)
    for k in range(n):
        problem.solution[k], linear.right[k] = 0, problem.beta[k]
    for refinement in range(1 + REFINEMENTS):
        if refinement > 0:
            find_residual(contact, response, problem)
        substitute_positive(linear, n)
        for k in range(n):
            problem.solution[k] += linear.right[k]
    find_twists(contact, response, problem)


@kernel
def sum_free(contact, response, problem, touching):
    """G of a touching link, of the free impulses; friction of stuck points is always free."""
    G, zero = problem.gram, like(problem.free[0], 0)
    one, stuck = like(zero, 1), no_arms(zero)
    clear_block(G, touching)
    for i in range(contact.count[0]):
        case, free = problem.case[i], problem.free[i] > 0
        if contact.touching[i] != touching or case == OPEN or (case == SLIP and not free):
            continue
        c, r = load_vector(problem.direction, i), arm_from_centre(contact, response, i)
        if case == STICK:
            stuck = add_arm(stuck, r)
        if case == SLIP or not free:
            add_outer(G, touching, one if case == SLIP else -one, c, r, c)
    add_points(G, touching, one, stuck)


@kernel
def assemble(contact, response, problem):
    """lambda + T'G T, its lower half, a column at a time."""
    H, T, n = response.linear.matrix, problem.basis, 6 * contact.touching_count[0]
    for column in range(n):
        for touching in range(contact.touching_count[0]):
            t = load_six(T, column, 6 * touching)
            wrench_of_twist(response.wrench, problem.gram, touching, t)
        for row in range(column, n):
            H[row, column] = against_wrenches(contact, response, T, row)
        H[column, column] += problem.price[column]


@kernel
def wrench_of_twist(w, G, touching, t):
    """w = G t of a touching link; t: six numbers."""
    for k in range(6):
        w[touching, k] = (
            G[touching, k, 0] * t[0]
            + G[touching, k, 1] * t[1]
            + G[touching, k, 2] * t[2]
            + G[touching, k, 3] * t[3]
            + G[touching, k, 4] * t[4]
            + G[touching, k, 5] * t[5]
        )


@kernel
def against_wrenches(contact, response, T, k):
    """Entry k of T'w."""
    w = response.wrench
    total = like(T[0, 0], 0)
    for touching in range(contact.touching_count[0]):
        for j in range(6):
            total += T[k, 6 * touching + j] * w[touching, j]
    return total


@kernel
def find_residual(contact, response, problem):
    """beta - (lambda + T'G T) s, as right-hand side."""
    find_twists(contact, response, problem)
    for touching in range(contact.touching_count[0]):
        q = load_six(problem.twist, touching, 0)
        wrench_of_twist(response.wrench, problem.gram, touching, q)
    for k in range(6 * contact.touching_count[0]):
        rest = problem.beta[k] - problem.price[k] * problem.solution[k]
        response.linear.right[k] = rest - against_wrenches(contact, response, problem.basis, k)


@kernel
def find_twists(contact, response, problem):
    """q = T s."""
    T, t = problem.basis, problem.twist
    for touching in range(contact.touching_count[0]):
        for j in range(6):
            t[touching, j] = 0
    for k in range(6 * contact.touching_count[0]):
        s = problem.solution[k]
        for touching in range(contact.touching_count[0]):
            for j in range(6):
                t[touching, j] += s * T[k, 6 * touching + j]
