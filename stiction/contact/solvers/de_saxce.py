"""Exact Coulomb friction by convex problems: slow, and sure where Newton's method goes in circles.

After De Saxce, the law of Coulomb and Signorini says that, with s = mu |v_t|,

    p in K,   v + s n in K*,   p . (v + s n) = 0        K: friction cone, K*: its dual

For a given s this is a convex problem. With a compliance R = eps g about impulses p^,

    p = P_K(p^ - (v + s n) / R),    w = sum P' p,    t = t_free + L w

is where the smooth convex function  w' L w / 2 + sum R |p|^2 / 2  is least (P_K: nearest point of
the cone; `response.py` tells the other letters). Newton's method with a line search finds it from
anywhere. Then p^ <- p and s <- mu |v_t|, until impulses and velocities obey the law. Less
compliance takes larger steps and can go astray: eps shrinks while progress is slow, and grows when
the error does.

F. Cadoux, "Optimization and Coulomb friction: from theory to numerical methods" (2009), tells when
solutions exist; V. Acary et al. (2018) compare methods for them.
"""

import math

from stiction.compiler.compiled import kernel, seldom
from stiction.contact.friction import KIND, MU, OPEN, SLIP, STICK, tangential
from stiction.contact.solvers.lu_factors import RIGHT, factor, substitute
from stiction.contact.solvers.newton import (
    add_outer,
    assemble,
    compliance,
    constrained_velocity,
    project,
    stiffen_sticking,
)
from stiction.kernels.response import arm_from_centre, gather_wrenches, respond_to_wrenches
from stiction.kernels.spatial import (
    add,
    cross,
    dot,
    like,
    load_twist,
    load_vector,
    scale,
    store_vector,
    sub,
    zero_vector,
)

TURN, ANCHOR, SPEED = 5, 6, 9  # columns of the scratch: see `nearest_on_cone`; p^ (three); s
FORCE, TWIST, STEP = 2, 3, 4  # rows of `response.residual`: before a step, and its wrenches

ITERATIONS = 400  # Newton steps in all
INNER = 20  # of these for one convex problem
ENOUGH = 0.01  # an inner error this much below the outer one
FIRST, LEAST, MOST = 1e-2, 1e-7, 1.0  # compliance, eps
SHRINK, SLOW = 0.3, 0.3  # of eps, where an iteration leaves more than this part of the error
GROW, WORSE = 10.0, 2.0  # of eps, where an iteration makes the error this much larger
SHORTEST = 1e-4  # part of a step
DESCENT = 1e-4  # part of the linear prediction that a step must achieve


@seldom
def de_saxce(contact, response, scratch, tolerance, speed, rounding):
    """Iterate from the present impulses; returns iterations, error, largest impulse and success.

    Error and impulse are velocities [m/s], see `law_error`; the error must come down to `tolerance`
    of the impulse, or to `speed`. Wrenches and twists are left as the impulses make them.
    """
    for i in range(contact.count[0]):
        p = load_vector(contact.impulse, i)
        store_vector(contact.impulse, i, nearest_on_cone(contact, scratch, i, p))
    eps, taken, inner = like(tolerance, FIRST), 0, True
    error, largest, before = like(tolerance, 0), like(tolerance, 0), like(tolerance, math.inf)
    for _ in range(ITERATIONS):
        error, largest = law_error(contact, response, scratch)
        if error <= max(tolerance * largest, speed) or taken >= ITERATIONS:
            break
        if error > like(eps, WORSE) * before:  # the last problem again, with more compliance
            eps = min(like(eps, GROW) * eps, like(eps, MOST))
        else:
            if inner and error > like(eps, SLOW) * before:
                eps = max(like(eps, SHRINK) * eps, like(eps, LEAST))
            before = error
            begin_problem(contact, response, scratch)
        steps, inner = solve_convex(contact, response, scratch, eps, before, rounding)
        taken += steps
    return taken, error, largest, error <= max(tolerance * largest, speed)


@kernel
def law_error(contact, response, scratch):
    """Return how far impulses and velocities are from the law, and the largest impulse.

    As velocities, times g [m/s]; the same equation as in `newton.py`. Writes wrenches and twists,
    impulses stay.
    """
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    error, largest = like(scratch[0, MU], 0), like(scratch[0, MU], 0)
    for i in range(contact.count[0]):
        touching, p = contact.touching[i], load_vector(contact.impulse, i)
        g, r = compliance(response, touching), arm_from_centre(contact, response, i)
        v = constrained_velocity(contact, i, load_twist(response.twist, touching), r)
        off = sub(project(contact, scratch, i, p, v, g, like(g, 0)), p)
        error = max(error, g * math.sqrt(dot(off, off)))
        largest = max(largest, g * math.sqrt(dot(p, p)))
    return error, largest


@kernel
def anchor(scratch, i):
    """p^: the impulse that the compliance pulls towards."""
    return (scratch[i, ANCHOR], scratch[i, ANCHOR + 1], scratch[i, ANCHOR + 2])


@kernel
def begin_problem(contact, response, scratch):
    """p^ <- p and s <- mu |v_t|, at the present impulses and twists."""
    for i in range(contact.count[0]):
        scratch[i, ANCHOR], scratch[i, ANCHOR + 1], scratch[i, ANCHOR + 2] = load_vector(
            contact.impulse, i
        )
        r, n = arm_from_centre(contact, response, i), load_vector(contact.normal, i)
        v = constrained_velocity(contact, i, load_twist(response.twist, contact.touching[i]), r)
        v_t = tangential(n, v)
        scratch[i, SPEED] = scratch[i, MU] * math.sqrt(dot(v_t, v_t))


@kernel
def nearest_on_cone(contact, scratch, i, y):
    """P_K(y): the nearest point of the friction cone; writes which part of the cone it is on.

    On the side, SLIP, at an angle: along a = (n + mu d) / |n + mu d|, it turns with y by TURN.
    """
    n, mu = load_vector(contact.normal, i), scratch[i, MU]
    y_n, y_t = dot(n, y), tangential(n, y)
    size = math.sqrt(dot(y_t, y_t))
    if size <= mu * y_n:
        scratch[i, KIND] = STICK
        return y
    if mu * size <= -y_n:
        scratch[i, KIND] = OPEN
        return zero_vector(mu)
    scratch[i, KIND] = SLIP
    p_n = (y_n + mu * size) / (like(mu, 1) + mu * mu)
    p = add(scale(p_n, n), scale(mu * p_n / size, y_t))
    scratch[i, TURN] = mu * p_n / size
    return p


# ------------------------------------------------------------------------------ the convex problem


@kernel
def solve_convex(contact, response, scratch, eps, error, rounding):
    """Newton's method for one convex problem; returns steps and whether it came to its end."""
    n = 6 * contact.touching_count[0]
    x, w, t = response.residual, response.wrench, response.twist
    least, slope = like(eps, math.inf), like(eps, 0)
    steps, share, move = 0, like(eps, 0), like(eps, 0)
    while True:
        value, off = potential(contact, response, scratch, eps)
        descends = value <= least + like(eps, DESCENT) * share * slope + rounding * abs(value)
        if descends or share <= like(eps, SHORTEST):
            least = value
            if off <= like(eps, ENOUGH) * error or steps == INNER:
                return steps, steps < INNER
            cone_stiffness(contact, response, scratch, eps)
            for j in range(n):
                x[FORCE, j], x[TWIST, j] = x[RIGHT, j], t[j // 6, j % 6]
            assemble(contact, response)
            factor(response.matrix, x, n)
            substitute(response.matrix, x, n)
            for j in range(n):
                x[STEP, j] = x[RIGHT, j]
            steps, share, move = steps + 1, like(eps, 1), like(eps, 1)
        else:
            share *= like(eps, 0.5)
            move = -share
        for j in range(n):
            w[j // 6, j % 6] += move * x[STEP, j]
        respond_to_wrenches(contact, response)
        if share == 1:
            slope = like(eps, 0)
            for j in range(n):
                slope -= x[FORCE, j] * (t[j // 6, j % 6] - x[TWIST, j])


@kernel
def potential(contact, response, scratch, eps):
    """Return w' L w / 2 + sum R |p|^2 / 2 and the size of its gradient as a velocity [m/s].

    Writes the impulses p and, as a right-hand side, sum P' p - w.
    """
    x, half = response.residual, like(eps, 0.5)
    total, error = like(eps, 0), like(eps, 0)
    i = 0
    for touching in range(contact.touching_count[0]):
        g, t = compliance(response, touching), load_twist(response.twist, touching)
        R, first, reach = eps * g, i, like(eps, 0)
        force, moment = zero_vector(eps), zero_vector(eps)
        while i < contact.count[0] and contact.touching[i] == touching:
            r, n = arm_from_centre(contact, response, i), load_vector(contact.normal, i)
            v = add(constrained_velocity(contact, i, t, r), scale(scratch[i, SPEED], n))
            y = sub(anchor(scratch, i), scale(like(R, 1) / R, v))
            p = nearest_on_cone(contact, scratch, i, y)
            store_vector(contact.impulse, i, p)
            force, moment = add(force, p), add(moment, cross(r, p))
            total += half * R * dot(p, p)
            reach = max(reach, dot(r, r))
            i += 1
        for k in range(6):
            w = response.wrench[touching, k]
            total += half * w * (response.twist[touching, k] - response.free[touching, k])
            x[RIGHT, 6 * touching + k] = (force[k] if k < 3 else moment[k - 3]) - w
        off = gap_of_wrenches(x, touching, reach)
        error = max(error, g * off / like(g, i - first))
    return total, error


@kernel
def gap_of_wrenches(x, touching, reach):
    """Size of a touching link's right-hand side as an impulse; reach: longest arm squared."""
    j = 6 * touching
    force, moment = x[RIGHT, j] ** 2, like(reach, 0)
    force += x[RIGHT, j + 1] ** 2 + x[RIGHT, j + 2] ** 2
    moment += x[RIGHT, j + 3] ** 2 + x[RIGHT, j + 4] ** 2 + x[RIGHT, j + 5] ** 2
    return math.sqrt(force + (moment / reach if reach > 0 else like(reach, 0)))


@kernel
def cone_stiffness(contact, response, scratch, eps):
    """Minus the derivative of sum P' p by the touching link's twist."""
    A, zero = response.tangent, like(eps, 0)
    i = 0
    for touching in range(contact.touching_count[0]):
        for row in range(6):
            for k in range(6):
                A[touching, row, k] = zero
        k = like(eps, 1) / (eps * compliance(response, touching))
        while i < contact.count[0] and contact.touching[i] == touching:
            r, kind = arm_from_centre(contact, response, i), scratch[i, KIND]
            if kind == STICK:
                xx, xy, xz = r[0] * r[0], r[0] * r[1], r[0] * r[2]
                yy, yz, zz = r[1] * r[1], r[1] * r[2], r[2] * r[2]
                stiffen_sticking(A, touching, k, 1, r, (xx, xy, xz, yy, yz, zz))
            elif kind == SLIP:
                n, p = load_vector(contact.normal, i), load_vector(contact.impulse, i)
                e = cross(n, p)
                add_outer(A, touching, k / dot(p, p), p, r, p)
                if scratch[i, TURN] > 0:
                    add_outer(A, touching, k * scratch[i, TURN] / dot(e, e), e, r, e)
            i += 1
