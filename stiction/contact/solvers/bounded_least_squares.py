"""Regularised least squares with impulses that do not pull: exact, in twist space.

    min |A x - v|^2 / 2 + lambda |x|^2 / 2    with c_i . x_i >= 0 for every point,    A = B L C'

B turns the twists of the touching links into velocities of points, C' turns impulses into wrenches,
and L is the inverse inertia of `response.py`. A point that sticks has three rows in B and C, one
that slips a single one: its normal in B, and c, the direction of its force, in C. Both consist of
blocks, one per touching link, so the problem has six unknowns per touching link, whatever the
number of points. With B = Q R, T = L R' and beta = Q'v it reads

    min |T'C'x - beta|^2 / 2 + lambda |x|^2 / 2

and once it is known which of the bounded impulses are free and which are zero, the minimiser is

    x = C T s = C q for the free ones,    (lambda + T'G T) s = beta,    G = sum of C'C over these.

The residual beta - T'C'x is lambda s, so the gradient at an impulse that is zero is -lambda C q.
The solution is optimal if c . q >= 0 for the free impulses and c . q <= 0 for the others, q taken
at the point: x is C q with what would pull cut off. Then s minimises

    phi(s) = lambda |s|^2 / 2 - beta . s + |x(s)|^2 / 2

which is smooth, strictly convex since lambda > 0, and piecewise quadratic. Newton's method takes
all positive impulses as free, moves to the minimiser for these, and repeats; if phi does not fall,
it takes only a half, a quarter ... of the step. It ends at the exact minimiser when no impulse
changes sides. Its full steps are those of block principal pivoting (Portugal, Judice & Vicente, "A
comparison of block pivoting and interior-point algorithms for linear least squares problems with
nonnegative variables", 1994); their rule for when these steps fail takes longer.

R is a pivoted Cholesky factor of B'B (`pseudo_inverse.py`), so no row of B is ever formed and the
points cost a few sums each. (Givens rotations, a row at a time, would take most of the solution
time.) Coupled links have one lambda; other robots may have another. The linear algebra is in
`reduced_least_squares.py`; q ends up in `problem.twist`.
"""

import math

from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.friction import OPEN, SLIP
from stiction.contact.solvers.reduced_least_squares import (
    find_T,
    find_twists,
    minimise,
    reduce_rows,
)
from stiction.kernels.response import arm_from_centre
from stiction.kernels.spatial import load_twist, point_velocity
from stiction.kernels.vectors import dot, like, load_vector, scale, sub

MOST, HALVINGS = 200, 30  # steps; halvings of a step
DEPENDENT = 0.1  # of the slack: relative pivot of B'B that counts as rounding
WRONG = 0.1  # of the slack: relative error beyond which an impulse is on the wrong side


@subroutine
def bounded_least_squares(contact, response, problem, relative, slack):
    """Find q of the minimiser, in `problem.twist`; returns iterations, error and success.

    `problem.price` has lambda for each touching link, if `relative` in units of (tr A / n)^2, with
    friction left out of A. slack: relative rounding that the precision allows.
    """
    rows = reduce_rows(contact, response, problem, like(slack, DEPENDENT) * slack)
    find_T(contact, response, problem)
    mean = trace(contact, problem) / like(slack, rows)
    if mean == 0:
        mean = like(slack, 1)  # points that cannot move: no impulse, whatever lambda
    if relative:
        for k in range(6 * contact.touching_count[0]):
            problem.price[k] *= mean * mean
    asked = length_of_beta(contact, problem) / mean
    free_all(contact, problem)
    lowest, off = like(slack, math.inf), like(slack, 0)
    for k in range(MOST):
        minimise(contact, response, problem)
        wrong, off = judge(contact, response, problem, asked, slack)
        if wrong == 0:
            return k + 1, off, True
        lowest = descend(contact, response, problem, lowest)
        choose_free(contact, response, problem)
    return MOST, off, False


@kernel
def set_price(problem, touching, price):
    """Set lambda for the impulses of a touching link; coupled links have the same."""
    for k in range(6):
        problem.price[6 * touching + k] = price


@kernel
def bounded_impulse(contact, response, problem, i):
    """x_i: the impulse of point i, from q."""
    x, c = at_point(contact, response, problem, i), load_vector(problem.direction, i)
    along = dot(c, x)
    if problem.case[i] == SLIP:
        return scale(max(along, like(along, 0)), c)
    return sub(x, scale(min(along, like(along, 0)), c))


# ------------------------------------------------------------------------------------------- points


@kernel
def at_point(contact, response, problem, i):
    """q at point i; the rows of a point that sticks in C, times q."""
    q = load_twist(problem.twist, contact.touching[i])
    return point_velocity(q, arm_from_centre(contact, response, i))


@kernel
def free_all(contact, problem):
    """Start with all impulses free."""
    for i in range(contact.count[0]):
        problem.free[i] = 1


@kernel
def wrong_by(contact, response, problem, i):
    """How far the impulse of point i is on the wrong side; negative on the right one."""
    along = dot(load_vector(problem.direction, i), at_point(contact, response, problem, i))
    if problem.case[i] == OPEN:
        return like(along, 0)
    return -along if problem.free[i] > 0 else along


@kernel
def largest(contact, response, problem):
    """Size of the largest impulse, with zero impulses counted as if they were free."""
    size = like(problem.free[0], 0)
    for i in range(contact.count[0]):
        if problem.case[i] != OPEN:
            x = at_point(contact, response, problem, i)
            along = dot(load_vector(problem.direction, i), x)
            size = max(size, along * along if problem.case[i] == SLIP else dot(x, x))
    return math.sqrt(size)


@kernel
def judge(contact, response, problem, asked, slack):
    """Number of impulses on the wrong side, and the largest relative error."""
    size = max(largest(contact, response, problem), asked)
    wrong, most = 0, like(size, 0)
    for i in range(contact.count[0]):
        off = wrong_by(contact, response, problem, i)
        most = max(most, off)
        wrong += off > like(size, WRONG) * slack * size
    return wrong, most / size if size > 0 else most


@kernel
def choose_free(contact, response, problem):
    """Free the impulses that are positive at q."""
    for i in range(contact.count[0]):
        problem.free[i] = (
            dot(load_vector(problem.direction, i), at_point(contact, response, problem, i)) > 0
        )


@kernel
def descend(contact, response, problem, lowest):
    """Halve the step from the last s until phi is lower than there; returns phi."""
    s, last, n = problem.solution, problem.last, 6 * contact.touching_count[0]
    value = phi(contact, response, problem)
    for _ in range(HALVINGS):
        if value < lowest:
            break
        for k in range(n):
            s[k] = like(lowest, 0.5) * (s[k] + last[k])
        find_twists(contact, response, problem)
        value = phi(contact, response, problem)
    for k in range(n):
        last[k] = s[k]
    return value


@kernel
def phi(contact, response, problem):
    """lambda |s|^2 / 2 - beta . s + |x|^2 / 2."""
    s, beta, price = problem.solution, problem.beta, problem.price
    total = like(price[0], 0)
    half = like(total, 0.5)
    for i in range(contact.count[0]):
        if problem.case[i] != OPEN:
            x, c = bounded_impulse(contact, response, problem, i), load_vector(problem.direction, i)
            total += half * dot(x, x) / dot(c, c)  # a point that slips has the impulse x c
    for k in range(6 * contact.touching_count[0]):
        total += (half * price[k] * s[k] - beta[k]) * s[k]
    return total


@kernel
def trace(contact, problem):
    """tr B L B' = tr R T: that of A where nothing slips."""
    R, T = problem.R, problem.basis
    total = like(R[0, 0, 0], 0)
    for touching in range(contact.touching_count[0]):
        for k in range(6):
            for j in range(6):
                total += R[touching, k, j] * T[6 * touching + k, 6 * touching + j]
    return total


@kernel
def length_of_beta(contact, problem):
    """|beta|: the part of v that motions of the touching links can achieve."""
    total = like(problem.beta[0], 0)
    for k in range(6 * contact.touching_count[0]):
        total += problem.beta[k] * problem.beta[k]
    return math.sqrt(total)
