"""Least squares with a price on the norm and impulses that do not pull: exact, in twist space.

    min |A x - v|^2 / 2 + lambda |x|^2 / 2    with c_i . x_i >= 0 for every point,    A = B L C'

Rows of B turn the twists of the slots into velocities of points, rows of C are those with which
impulses make wrenches, and L is the inverse inertia of `response.py`. A point that sticks has three
rows in both, one that slips a single one: its normal in B, and c, the direction of its force, in C.
Both are made of blocks, one a slot, so the problem is as small as six numbers a slot, whatever the
number of points. With B = Q R, T = L R' and beta = Q'v it reads

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

R comes from Givens' rotations, a row of B at a time: no Q is kept, no rank has to be judged, and
small singular values are as exact as large ones.

    In `response`   triangle: R    tangent: G    matrix: lambda + T'G T    twist: q in the end
"""

import math

from stiction.compiled import kernel
from stiction.contact.friction import KIND, OPEN, SLIP, STICK
from stiction.contact.newton import add_outer, stiffen_sticking
from stiction.kernels.response import arm_from_centre
from stiction.kernels.spatial import (
    cross,
    dot,
    like,
    load_twist,
    load_vector,
    point_velocity,
    scale,
    sub,
)

# Columns of the room beside KIND: whether the bounded impulse is free; c (three); v (three).
FREE, DIRECTION, WANTED = 0, 2, 5
ROOM = 8

BETA, SOLUTION, LAST, RIGHT, ROW = 0, 1, 2, 3, 4  # rows of `response.residual`
REFINEMENTS = 1  # of the linear system
MOST, HALVINGS = 200, 30  # steps; halvings of a step
WRONG = 0.01  # of the slack that the precision allows: further off, an impulse is wrong


@kernel
def bounded_least_squares(contact, response, room, relaxation, relative, slack):
    """Find q of the minimiser, in `response.twist`; returns iterations, error and success.

    relaxation: lambda, or if `relative` in units of (tr A / n)^2, friction of A left out. slack:
    relative rounding that the precision allows.
    """
    rows = reduce_rows(contact, response, room)
    mean = trace(contact, response) / like(relaxation, rows)
    if mean == 0:
        mean = like(relaxation, 1)  # points that cannot move: no impulse, whatever the price
    price = relaxation * mean * mean if relative else relaxation
    asked = length_of_beta(contact, response) / mean
    free_all(contact, room)
    lowest, off = like(relaxation, math.inf), like(relaxation, 0)
    for k in range(MOST):
        minimise(contact, response, room, price)
        wrong, off = judge(contact, response, room, asked, slack)
        if wrong == 0:
            return k + 1, off, True
        lowest = descend(contact, response, room, price, lowest)
        choose_free(contact, response, room)
    return MOST, off, False


@kernel
def bounded_impulse(contact, response, room, i):
    """x_i: the impulse of point i, from q."""
    x, c = at_point(contact, response, i), direction(room, i)
    along = dot(c, x)
    if room[i, KIND] == SLIP:
        return scale(max(along, like(along, 0)), c)
    return sub(x, scale(min(along, like(along, 0)), c))


# ------------------------------------------------------------------------------------------- points


@kernel
def at_point(contact, response, i):
    """q at point i; the rows of a point that sticks in C, times q."""
    q = load_twist(response.twist, contact.slot[i])
    return point_velocity(q, arm_from_centre(contact, response, i))


@kernel
def direction(room, i):
    """c: direction of the impulse that must not be negative; the normal if the point sticks."""
    return (room[i, DIRECTION], room[i, DIRECTION + 1], room[i, DIRECTION + 2])


@kernel
def wanted(room, i):
    """v: what the impulses are to add to the velocity of point i."""
    return (room[i, WANTED], room[i, WANTED + 1], room[i, WANTED + 2])


@kernel
def free_all(contact, room):
    """Begin with all impulses."""
    for i in range(contact.count[0]):
        room[i, FREE] = 1


@kernel
def wrong_by(contact, response, room, i):
    """How far the impulse of point i is on the wrong side; negative on the right one."""
    along = dot(direction(room, i), at_point(contact, response, i))
    if room[i, KIND] == OPEN:
        return like(along, 0)
    return -along if room[i, FREE] > 0 else along


@kernel
def largest(contact, response, room):
    """Size of the largest impulse, those that are zero included as they would be if free."""
    size = like(room[0, 0], 0)
    for i in range(contact.count[0]):
        if room[i, KIND] != OPEN:
            x = at_point(contact, response, i)
            along = dot(direction(room, i), x)
            size = max(size, along * along if room[i, KIND] == SLIP else dot(x, x))
    return math.sqrt(size)


@kernel
def judge(contact, response, room, asked, slack):
    """How many impulses are on the wrong side, and how far one is, relatively."""
    size = max(largest(contact, response, room), asked)
    wrong, most = 0, like(size, 0)
    for i in range(contact.count[0]):
        off = wrong_by(contact, response, room, i)
        most = max(most, off)
        wrong += off > like(size, WRONG) * slack * size
    return wrong, most / size if size > 0 else most


@kernel
def choose_free(contact, response, room):
    """Take the impulses for free that are positive at q."""
    for i in range(contact.count[0]):
        room[i, FREE] = dot(direction(room, i), at_point(contact, response, i)) > 0


@kernel
def descend(contact, response, room, price, lowest):
    """Go back half of the way to the last s while phi is not lower there; returns phi."""
    X, n = response.residual, 6 * contact.slots[0]
    value = phi(contact, response, room, price)
    for _ in range(HALVINGS):
        if value < lowest:
            break
        for k in range(n):
            X[SOLUTION, k] = like(price, 0.5) * (X[SOLUTION, k] + X[LAST, k])
        find_twists(contact, response)
        value = phi(contact, response, room, price)
    for k in range(n):
        X[LAST, k] = X[SOLUTION, k]
    return value


@kernel
def phi(contact, response, room, price):
    """lambda |s|^2 / 2 - beta . s + |x|^2 / 2."""
    X, half = response.residual, like(price, 0.5)
    total = like(price, 0)
    for i in range(contact.count[0]):
        if room[i, KIND] != OPEN:
            x, c = bounded_impulse(contact, response, room, i), direction(room, i)
            total += half * dot(x, x) / dot(c, c)  # a point that slips has the impulse x c
    for k in range(6 * contact.slots[0]):
        total += (half * price * X[SOLUTION, k] - X[BETA, k]) * X[SOLUTION, k]
    return total


# --------------------------------------------------------------------------------------- R and beta


@kernel
def reduce_rows(contact, response, room):
    """R and beta, a slot at a time; returns the number of rows of B."""
    one, zero = like(room[0, 0], 1), like(room[0, 0], 0)
    axes = ((one, zero, zero), (zero, one, zero), (zero, zero, one))
    clear(contact, response)
    rows = 0
    for i in range(contact.count[0]):
        v, r, slot = wanted(room, i), arm_from_centre(contact, response, i), contact.slot[i]
        if room[i, KIND] == STICK:
            for k in range(3):
                rotate_in(response, slot, axes[k], r, v[k])
            rows += 3
        elif room[i, KIND] == SLIP:
            n = load_vector(contact.normal, i)
            rotate_in(response, slot, n, r, dot(n, v))
            rows += 1
    return rows


@kernel
def clear(contact, response):
    """No rows yet."""
    for slot in range(contact.slots[0]):
        for k in range(6):
            response.residual[BETA, 6 * slot + k] = 0
            for j in range(6):
                response.triangle[slot, k, j] = 0


@kernel
def rotate_in(response, slot, b, r, v):
    """Take up a row of B, that of the direction b at a point at r, whose right-hand side is v."""
    R, X = response.triangle, response.residual
    m = cross(r, b)
    for j in range(3):
        X[ROW, j], X[ROW, 3 + j] = b[j], m[j]
    for k in range(6):
        upper, lower = R[slot, k, k], X[ROW, k]
        size = math.sqrt(upper * upper + lower * lower)
        if size == 0:
            continue
        c, s = upper / size, lower / size
        for j in range(k, 6):
            upper, lower = R[slot, k, j], X[ROW, j]
            R[slot, k, j], X[ROW, j] = c * upper + s * lower, c * lower - s * upper
        upper = X[BETA, 6 * slot + k]
        X[BETA, 6 * slot + k], v = c * upper + s * v, c * v - s * upper


@kernel
def trace(contact, response):
    """tr B L B' = tr R L R': that of A where nothing slips."""
    R, L = response.triangle, response.inverse_inertia
    total = like(R[0, 0, 0], 0)
    for slot in range(contact.slots[0]):
        for k in range(6):
            for i in range(k, 6):
                for j in range(k, 6):
                    total += R[slot, k, i] * L[6 * slot + i, slot, j] * R[slot, k, j]
    return total


@kernel
def length_of_beta(contact, response):
    """|beta|, what is asked for and can be had by any motion of the slots."""
    total = like(response.residual[0, 0], 0)
    for k in range(6 * contact.slots[0]):
        total += response.residual[BETA, k] * response.residual[BETA, k]
    return math.sqrt(total)


# ------------------------------------------------------------------------------------ the minimiser


@kernel
def minimise(contact, response, room, price):
    """s and q of the minimiser for the impulses that are free now."""
    X, n = response.residual, 6 * contact.slots[0]
    sum_free(contact, response, room)
    assemble(contact, response, price)
    factor(response.matrix, n, price)
    for k in range(n):
        X[SOLUTION, k] = 0
    for _ in range(1 + REFINEMENTS):
        apply(contact, response)
        for k in range(n):
            X[RIGHT, k] = X[BETA, k] - price * X[SOLUTION, k] - X[RIGHT, k]
        substitute(response.matrix, X, n)
        for k in range(n):
            X[SOLUTION, k] += X[RIGHT, k]
    find_twists(contact, response)


@kernel
def sum_free(contact, response, room):
    """G, of the free impulses; those along the ground of points that stick always are."""
    G, one = response.tangent, like(room[0, 0], 1)
    for slot in range(contact.slots[0]):
        for k in range(6):
            for j in range(6):
                G[slot, k, j] = 0
    for i in range(contact.count[0]):
        kind, free = room[i, KIND], room[i, FREE] > 0
        if kind == OPEN or (kind == SLIP and not free):
            continue
        slot, c, r = contact.slot[i], direction(room, i), arm_from_centre(contact, response, i)
        if kind == STICK:
            x, y, z = r
            stiffen_sticking(G, slot, one, 1, r, (x * x, x * y, x * z, y * y, y * z, z * z))
        if kind == SLIP or not free:
            add_outer(G, slot, one if kind == SLIP else -one, c, r, c)


@kernel
def assemble(contact, response, price):
    """lambda + T'G T, a column at a time."""
    X, H, n = response.residual, response.matrix, 6 * contact.slots[0]
    for k in range(n):
        X[SOLUTION, k] = 0
    for column in range(n):
        X[SOLUTION, column] = 1
        apply(contact, response)
        X[SOLUTION, column] = 0
        for row in range(n):
            H[row, column] = X[RIGHT, row]
        H[column, column] += price


@kernel
def apply(contact, response):
    """T'G T s, as right-hand side."""
    X, R, G = response.residual, response.triangle, response.tangent
    find_twists(contact, response)
    for slot in range(contact.slots[0]):
        for k in range(6):
            total = like(G[0, 0, 0], 0)
            for j in range(6):
                total += G[slot, k, j] * response.twist[slot, j]
            response.wrench[slot, k] = total
    respond(contact, response)
    for slot in range(contact.slots[0]):
        for k in range(6):
            total = like(G[0, 0, 0], 0)
            for j in range(k, 6):
                total += R[slot, k, j] * response.twist[slot, j]
            X[RIGHT, 6 * slot + k] = total


@kernel
def find_twists(contact, response):
    """q = T s."""
    X, R = response.residual, response.triangle
    for slot in range(contact.slots[0]):
        for j in range(6):
            total = like(R[0, 0, 0], 0)
            for k in range(j + 1):
                total += R[slot, k, j] * X[SOLUTION, 6 * slot + k]
            response.wrench[slot, j] = total
    respond(contact, response)


@kernel
def respond(contact, response):
    """The twists that wrenches make, L w."""
    L, w, t = response.inverse_inertia, response.wrench, response.twist
    for b in range(contact.slots[0]):
        for j in range(6):
            t[b, j] = 0
    for c in range(contact.slots[0]):
        for k in range(6):
            x = w[c, k]
            if x != 0:
                for b in range(contact.slots[0]):
                    for j in range(6):
                        t[b, j] += x * L[6 * c + k, b, j]


@kernel
def factor(H, n, price):
    """Cholesky's factor of H in its lower half; rounding makes no pivot less than lambda."""
    for j in range(n):
        for i in range(j, n):
            total = H[i, j]
            for k in range(j):
                total -= H[i, k] * H[j, k]
            H[i, j] = math.sqrt(max(total, price)) if i == j else total / H[j, j]


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
