"""Least squares with a price on the norm and impulses that do not pull: exact, in twist space.

    min |A x - v|^2 / 2 + lambda |x|^2 / 2    with c_i . x_i >= 0 for every point,    A = B L C'

Rows of B turn the twists of the touching links into velocities of points, rows of C are those with
which impulses make wrenches, and L is the inverse inertia of `response.py`. A point that sticks has
three rows in both, one that slips a single one: its normal in B, and c, the direction of its force,
in C. Both are made of blocks, one per touching link, so the problem has six unknowns per touching
link, whatever the number of points. With B = Q R, T = L R' and beta = Q'v it reads

    min |T'C'x - beta|^2 / 2 + lambda |x|^2 / 2

and where it is known which of the bounded impulses are free and which are zero, the minimiser is

    x = C T s = C q for the free ones,    (lambda + T'G T) s = beta,    G = sum of C'C over these.

The residual beta - T'C'x is lambda s, so the gradient at an impulse that is zero is -lambda C q.
All is right where c . q >= 0 for the free impulses and c . q <= 0 for the others, q taken at the
point: x is C q with what would pull cut off. Then s is where

    phi(s) = lambda |s|^2 / 2 - beta . s + |x(s)|^2 / 2

is lowest, which is smooth, strictly convex since lambda > 0, and made of parabolas. Newton's method
takes all impulses that are positive for free, the minimiser for these, and repeats; where phi does
not fall, it goes only a half, a quarter ... of the way. It ends at the exact minimiser when no
impulse changes sides. Its whole steps are those of block principal pivoting (Portugal, Judice &
Vicente, "A comparison of block pivoting and interior-point algorithms for linear least squares
problems with nonnegative variables", 1994); their rule for where these do not do takes longer.

R is a pivoted Cholesky factor of B'B (`pseudo_inverse.py`), so no row of B is ever written down and
the points cost a few sums each. (Givens' rotations, a row at a time, took most of the time of a
solution.) Links that move each other have one lambda; other robots may have another.

    In `response`   triangle: R    basis: T'    tangent: G    matrix: lambda + T'G T
                    residual: see the rows below    twist: q in the end
"""

import math

from stiction.compiler.compiled import kernel
from stiction.contact.friction import KIND, OPEN, SLIP, STICK
from stiction.contact.solvers.newton import add_outer, stiffen_sticking
from stiction.contact.solvers.pseudo_inverse import RIGHT as FACTORED_RIGHT
from stiction.contact.solvers.pseudo_inverse import factor_points
from stiction.kernels.response import arm_from_centre
from stiction.kernels.spatial import (
    add,
    cross,
    dot,
    like,
    load_twist,
    load_vector,
    point_velocity,
    scale,
    sub,
    symmetric_add,
    symmetric_outer,
    zero_vector,
)

# Columns of the scratch beside KIND: whether the bounded impulse is free; c (three); v (three).
FREE, DIRECTION, WANTED = 0, 2, 5
SCRATCH = 8

# Rows of `response.residual`; BETA is where `factor_points` leaves it, 0 and 1 are its scratch.
SOLUTION, LAST, BETA, RIGHT, PRICE = 0, 1, FACTORED_RIGHT, 3, 4
REFINEMENTS = 1  # of the linear system
MOST, HALVINGS = 200, 30  # steps; halvings of a step
DEPENDENT = 0.1  # of the slack: relative pivot of B'B that is no more than rounding
WRONG = 0.1  # of the slack that the precision allows: further off, an impulse is wrong


@kernel
def bounded_least_squares(contact, response, scratch, relative, slack):
    """Find q of the minimiser, in `response.twist`; returns iterations, error and success.

    Row PRICE of `response.residual` has lambda for each touching link, or if `relative` in units of
    (tr A / n)^2, friction of A left out. slack: relative rounding that the precision allows.
    """
    rows = reduce_rows(contact, response, scratch, like(slack, DEPENDENT) * slack)
    find_T(contact, response)
    mean = trace(contact, response) / like(slack, rows)
    if mean == 0:
        mean = like(slack, 1)  # points that cannot move: no impulse, whatever the price
    if relative:
        for k in range(6 * contact.touching_count[0]):
            response.residual[PRICE, k] *= mean * mean
    asked = length_of_beta(contact, response) / mean
    free_all(contact, scratch)
    lowest, off = like(slack, math.inf), like(slack, 0)
    for k in range(MOST):
        minimise(contact, response, scratch)
        wrong, off = judge(contact, response, scratch, asked, slack)
        if wrong == 0:
            return k + 1, off, True
        lowest = descend(contact, response, scratch, lowest)
        choose_free(contact, response, scratch)
    return MOST, off, False


@kernel
def set_price(response, touching, price):
    """Set lambda for the impulses of a touching link; links that move each other share it."""
    for k in range(6):
        response.residual[PRICE, 6 * touching + k] = price


@kernel
def bounded_impulse(contact, response, scratch, i):
    """x_i: the impulse of point i, from q."""
    x, c = at_point(contact, response, i), direction(scratch, i)
    along = dot(c, x)
    if scratch[i, KIND] == SLIP:
        return scale(max(along, like(along, 0)), c)
    return sub(x, scale(min(along, like(along, 0)), c))


# ------------------------------------------------------------------------------------------- points


@kernel
def at_point(contact, response, i):
    """q at point i; the rows of a point that sticks in C, times q."""
    q = load_twist(response.twist, contact.touching[i])
    return point_velocity(q, arm_from_centre(contact, response, i))


@kernel
def direction(scratch, i):
    """c: direction of the impulse that must not be negative; the normal if the point sticks."""
    return (scratch[i, DIRECTION], scratch[i, DIRECTION + 1], scratch[i, DIRECTION + 2])


@kernel
def wanted(scratch, i):
    """v: what the impulses are to add to the velocity of point i."""
    return (scratch[i, WANTED], scratch[i, WANTED + 1], scratch[i, WANTED + 2])


@kernel
def free_all(contact, scratch):
    """Begin with all impulses."""
    for i in range(contact.count[0]):
        scratch[i, FREE] = 1


@kernel
def wrong_by(contact, response, scratch, i):
    """How far the impulse of point i is on the wrong side; negative on the right one."""
    along = dot(direction(scratch, i), at_point(contact, response, i))
    if scratch[i, KIND] == OPEN:
        return like(along, 0)
    return -along if scratch[i, FREE] > 0 else along


@kernel
def largest(contact, response, scratch):
    """Size of the largest impulse, those that are zero included as they would be if free."""
    size = like(scratch[0, 0], 0)
    for i in range(contact.count[0]):
        if scratch[i, KIND] != OPEN:
            x = at_point(contact, response, i)
            along = dot(direction(scratch, i), x)
            size = max(size, along * along if scratch[i, KIND] == SLIP else dot(x, x))
    return math.sqrt(size)


@kernel
def judge(contact, response, scratch, asked, slack):
    """How many impulses are on the wrong side, and how far one is, relatively."""
    size = max(largest(contact, response, scratch), asked)
    wrong, most = 0, like(size, 0)
    for i in range(contact.count[0]):
        off = wrong_by(contact, response, scratch, i)
        most = max(most, off)
        wrong += off > like(size, WRONG) * slack * size
    return wrong, most / size if size > 0 else most


@kernel
def choose_free(contact, response, scratch):
    """Take the impulses for free that are positive at q."""
    for i in range(contact.count[0]):
        scratch[i, FREE] = dot(direction(scratch, i), at_point(contact, response, i)) > 0


@kernel
def descend(contact, response, scratch, lowest):
    """Go back half of the way to the last s while phi is not lower there; returns phi."""
    X, n = response.residual, 6 * contact.touching_count[0]
    value = phi(contact, response, scratch)
    for _ in range(HALVINGS):
        if value < lowest:
            break
        for k in range(n):
            X[SOLUTION, k] = like(lowest, 0.5) * (X[SOLUTION, k] + X[LAST, k])
        find_twists(contact, response)
        value = phi(contact, response, scratch)
    for k in range(n):
        X[LAST, k] = X[SOLUTION, k]
    return value


@kernel
def phi(contact, response, scratch):
    """lambda |s|^2 / 2 - beta . s + |x|^2 / 2."""
    X = response.residual
    total = like(X[0, 0], 0)
    half = like(total, 0.5)
    for i in range(contact.count[0]):
        if scratch[i, KIND] != OPEN:
            x, c = bounded_impulse(contact, response, scratch, i), direction(scratch, i)
            total += half * dot(x, x) / dot(c, c)  # a point that slips has the impulse x c
    for k in range(6 * contact.touching_count[0]):
        total += (half * X[PRICE, k] * X[SOLUTION, k] - X[BETA, k]) * X[SOLUTION, k]
    return total


# -------------------------------------------------------------------------------- R, beta and T


@kernel
def reduce_rows(contact, response, scratch, dependent):
    """R and beta, a touching link at a time; returns the number of rows of B."""
    rows = 0
    for touching in range(contact.touching_count[0]):
        rows += sum_rows(contact, response, scratch, touching)
        factor_points(response, response.triangle, touching, dependent)
    return rows


@kernel
def sum_rows(contact, response, scratch, touching):
    """Write B'B and B'v of a touching link into its block; returns its number of rows of B."""
    N, zero = response.tangent, like(scratch[0, 0], 0)
    one = like(zero, 1)
    clear(N, touching)
    clear(response.triangle, touching)
    linear, angular = zero_vector(zero), zero_vector(zero)
    stuck, sliding, s, ss = 0, 0, zero_vector(zero), (zero, zero, zero, zero, zero, zero)
    for i in range(contact.count[0]):
        kind = scratch[i, KIND]
        if contact.touching[i] != touching or kind == OPEN:
            continue
        v, r = wanted(scratch, i), arm_from_centre(contact, response, i)
        if kind == STICK:
            stuck += 1
            s = add(s, r)
            ss = symmetric_add(ss, symmetric_outer(r, r))
        else:
            sliding += 1
            n = load_vector(contact.normal, i)
            v = scale(dot(n, v), n)
            add_outer(N, touching, one, n, r, n)
        linear, angular = add(linear, v), add(angular, cross(r, v))
    stiffen_sticking(N, touching, one, stuck, s, ss)
    X, H, first = response.residual, response.matrix, 6 * touching
    for k in range(6):
        X[BETA, first + k] = linear[k] if k < 3 else angular[k - 3]
        for j in range(6):
            H[first + k, first + j] = N[touching, k, j]
    return 3 * stuck + sliding


@kernel
def clear(blocks, touching):
    """Zero in the block of a touching link."""
    for k in range(6):
        for j in range(6):
            blocks[touching, k, j] = 0


@kernel
def find_T(contact, response):
    """T = L R', a column in each row of `basis`."""
    R, L, T = response.triangle, response.inverse_inertia, response.basis
    for c in range(contact.touching_count[0]):
        for k in range(6):
            for b in range(contact.touching_count[0]):
                for j in range(6):
                    total = like(T[0, 0], 0)
                    for m in range(6):
                        total += R[c, k, m] * L[6 * c + m, b, j]
                    T[6 * c + k, 6 * b + j] = total


@kernel
def trace(contact, response):
    """tr B L B' = tr R T: that of A where nothing slips."""
    R, T = response.triangle, response.basis
    total = like(R[0, 0, 0], 0)
    for touching in range(contact.touching_count[0]):
        for k in range(6):
            for j in range(6):
                total += R[touching, k, j] * T[6 * touching + k, 6 * touching + j]
    return total


@kernel
def length_of_beta(contact, response):
    """|beta|, what is asked for and can be had by any motion of the touching links."""
    total = like(response.residual[0, 0], 0)
    for k in range(6 * contact.touching_count[0]):
        total += response.residual[BETA, k] * response.residual[BETA, k]
    return math.sqrt(total)


# ------------------------------------------------------------------------------------ the minimiser


@kernel
def minimise(contact, response, scratch):
    """s and q of the minimiser for the impulses that are free now."""
    X, n = response.residual, 6 * contact.touching_count[0]
    for touching in range(contact.touching_count[0]):
        sum_free(contact, response, scratch, touching)
    assemble(contact, response)
    factor(response.matrix, X, n)
    for k in range(n):
        X[SOLUTION, k], X[RIGHT, k] = 0, X[BETA, k]
    for refinement in range(1 + REFINEMENTS):
        if refinement > 0:
            find_residual(contact, response)
        substitute(response.matrix, X, n)
        for k in range(n):
            X[SOLUTION, k] += X[RIGHT, k]
    find_twists(contact, response)


@kernel
def sum_free(contact, response, scratch, touching):
    """G of a touching link, of the free impulses; friction of stuck points is always free."""
    G, zero = response.tangent, like(scratch[0, 0], 0)
    one = like(zero, 1)
    clear(G, touching)
    stuck, s, ss = 0, zero_vector(zero), (zero, zero, zero, zero, zero, zero)
    for i in range(contact.count[0]):
        kind, free = scratch[i, KIND], scratch[i, FREE] > 0
        if contact.touching[i] != touching or kind == OPEN or (kind == SLIP and not free):
            continue
        c, r = direction(scratch, i), arm_from_centre(contact, response, i)
        if kind == STICK:
            stuck += 1
            s = add(s, r)
            ss = symmetric_add(ss, symmetric_outer(r, r))
        if kind == SLIP or not free:
            add_outer(G, touching, one if kind == SLIP else -one, c, r, c)
    stiffen_sticking(G, touching, one, stuck, s, ss)


@kernel
def assemble(contact, response):
    """lambda + T'G T, its lower half, a column at a time."""
    X, H, T, n = response.residual, response.matrix, response.basis, 6 * contact.touching_count[0]
    for column in range(n):
        wrenches_of(contact, response, T, column)
        for row in range(column, n):
            H[row, column] = against_wrenches(contact, response, row)
        H[column, column] += X[PRICE, column]


@kernel
def wrenches_of(contact, response, twists, row):
    """w = G t, the twists t being a row of some array."""
    G, w = response.tangent, response.wrench
    for touching in range(contact.touching_count[0]):
        for k in range(6):
            total = like(G[0, 0, 0], 0)
            for j in range(6):
                total += G[touching, k, j] * twists[row, 6 * touching + j]
            w[touching, k] = total


@kernel
def against_wrenches(contact, response, k):
    """Entry k of T'w."""
    T, w = response.basis, response.wrench
    total = like(T[0, 0], 0)
    for touching in range(contact.touching_count[0]):
        for j in range(6):
            total += T[k, 6 * touching + j] * w[touching, j]
    return total


@kernel
def find_residual(contact, response):
    """beta - (lambda + T'G T) s, as right-hand side."""
    X = response.residual
    find_twists(contact, response)
    for touching in range(contact.touching_count[0]):
        for j in range(6):
            X[RIGHT, 6 * touching + j] = response.twist[touching, j]
    wrenches_of(contact, response, X, RIGHT)
    for k in range(6 * contact.touching_count[0]):
        rest = X[BETA, k] - X[PRICE, k] * X[SOLUTION, k]
        X[RIGHT, k] = rest - against_wrenches(contact, response, k)


@kernel
def find_twists(contact, response):
    """q = T s."""
    X, T, t = response.residual, response.basis, response.twist
    for touching in range(contact.touching_count[0]):
        for j in range(6):
            t[touching, j] = 0
    for k in range(6 * contact.touching_count[0]):
        s = X[SOLUTION, k]
        for touching in range(contact.touching_count[0]):
            for j in range(6):
                t[touching, j] += s * T[k, 6 * touching + j]


@kernel
def factor(H, X, n):
    """Cholesky's factor of H in its lower half; rounding makes no pivot less than lambda."""
    for j in range(n):
        for i in range(j, n):
            total = H[i, j]
            for k in range(j):
                total -= H[i, k] * H[j, k]
            H[i, j] = math.sqrt(max(total, X[PRICE, j])) if i == j else total / H[j, j]


@kernel
def substitute(H, X, n):
    """X[RIGHT] <- H^-1 X[RIGHT] with the factor of H."""
    for i in range(n):
        total = X[RIGHT, i]
        for k in range(i):
            total -= H[i, k] * X[RIGHT, k]
        X[RIGHT, i] = total / H[i, i]
    for i in range(n - 1, -1, -1):
        total = X[RIGHT, i]
        for k in range(i + 1, n):
            total -= H[k, i] * X[RIGHT, k]
        X[RIGHT, i] = total / H[i, i]
