"""Semismooth Newton method for exact Coulomb friction, in the twist space of the touching links.

The unknowns are the wrenches' impulses w on the links that touch, six numbers each, however many
points there are; `response.py` tells how w, the twists t and the velocities v of the points hang
together. In the end every point is open, sticks or slips,

    open   p = 0
    stick  p = p^ - v / R
    slip   p = (p^_n - v_n / R)(n + mu d) - kappa e . (v - R p^) e


where d is the direction of friction and e = n x d; kappa tells how d turns with the velocity, and v
counts from the velocity that the point must keep (`least_velocity`). R = eps g is a small
compliance beside that of the touching link, g. Projecting y = p - v / g on the cone tells which
case holds (Alart and Curnier's equation); Newton's method then solves w = sum P' p for these cases,
and repeats.

p^ = 0 makes the impulses unique: those of least norm, a function of the state alone, at the price
of velocities R p. Once the cases are settled, repeating with p^ = p takes these velocities away.
p^ from the last step instead (proximal) is easier to solve.
"""

import math

from stiction.compiler.compiled import kernel
from stiction.contact.friction import KIND, MU, OPEN, SLIP, STICK
from stiction.contact.solvers.lu_factors import RIGHT, factor, store_six, substitute
from stiction.kernels.response import gather_wrenches, respond_to_wrenches
from stiction.kernels.spatial import (
    add,
    cross,
    dot,
    like,
    load_twist,
    load_vector,
    load_wrench,
    point_velocity,
    scale,
    store_vector,
    sub,
    zero_vector,
)

DIRECTION, KAPPA = 2, 5  # columns of the scratch: d (three), kappa

SHARPENING, SHARPER = 6, 0.1  # from this iteration on, velocities count more and more
CIRCLES = 9  # after so many iterations without settled cases the next ones are soft, ...
CALMING, CALM = 6, 1e-3  # ... at most so many, or down to this relative error; then from p^ = 0
POLISHES, MOST_POLISHES = 1, 9  # iterations that take away the velocities of a unique solution ...
SOFT = 1e-4  # ... and one more where eps is larger, as in single precision
CLOSE = 1e-5  # relative error from which on polishing begins
LENIENT = 3  # after so many of them an error of `speed` is good enough
SOFTER = 100.0  # compliance of soft ones, and of further polishes where cases still change
PATIENCE = 5  # after so many of them that do it starts again from p^ = 0 with less compliance, ...
STIFFER, STIFFEST = 0.1, 1e-8  # ... by this factor, down to this eps or that of rounding
SOLVED, NEARLY, FAILED = 0, 1, 2  # how it ended; nearly: unique, but not rid of R p
STALLING = 0.3  # an error that falls no faster, and is as small as rounding can be, is rounding
LEVER = 1e-3  # arm at which turning counts as compliance [m]
LEAST_COMPLIANCE = 1e-12  # of a link that cannot move [1/kg]


@kernel
def compliance(response, touching):
    """g: mean velocity of a touching link's centre per unit impulse there.

    A link on a fixed base may only turn about its centre, or be held by friction: g counts a
    little of what turning does as well, and is never zero.
    """
    L = response.inverse_inertia
    total = (
        L[6 * touching, touching, 0]
        + L[6 * touching + 1, touching, 1]
        + L[6 * touching + 2, touching, 2]
    )
    turns = (
        L[6 * touching + 3, touching, 3]
        + L[6 * touching + 4, touching, 4]
        + L[6 * touching + 5, touching, 5]
    )
    lever = like(total, LEVER)
    return max((total + lever * lever * turns) / like(total, 3), like(total, LEAST_COMPLIANCE))


@kernel
def constrained_velocity(contact, i, twist, r):
    """Velocity of point i at the end of the step, counted from the slowest allowed."""
    n = load_vector(contact.normal, i)
    v = add(load_vector(contact.velocity, i), point_velocity(twist, r))
    return add(v, scale(-contact.least_velocity[i], n))


@kernel
def friction_direction(scratch, i):
    """d: where friction pushes a point that slips."""
    return (scratch[i, DIRECTION], scratch[i, DIRECTION + 1], scratch[i, DIRECTION + 2])


@kernel
def implied_impulse(contact, scratch, i, v, R, hat):
    """Impulse of point i by its case, at the velocity v; hat tells how much of p counts as p^."""
    kind, p = scratch[i, KIND], load_vector(contact.impulse, i)
    if kind == OPEN:
        return zero_vector(R)
    if kind == STICK:
        return sub(scale(hat, p), scale(like(R, 1) / R, v))
    n, d = load_vector(contact.normal, i), friction_direction(scratch, i)
    normal = hat * dot(n, p) - dot(n, v) / R
    e = cross(n, d)
    along = add(n, scale(scratch[i, MU], d))
    sideways = scratch[i, KAPPA] * (dot(e, v) - hat * R * dot(e, p))
    return sub(scale(normal, along), scale(sideways, e))


@kernel
def judge_points(contact, response, scratch, eps, hat, solved, softness):
    """Find the case of every point; returns the largest error, the largest impulse, changes, slips.

    The first two as velocities, times g [m/s]; then how many cases are new, and how many points
    slip. Impulses become those on the cone. `solved` tells that the twists are those of a linear
    solve, which then implies the impulses; these must also add up to the wrenches.
    """
    largest, error, changes, slips = like(eps, 0), like(eps, 0), 0, 0
    i = 0
    for touching in range(contact.touching_count[0]):
        g, t = compliance(response, touching), load_twist(response.twist, touching)
        centre = load_vector(response.centre, touching)
        w = load_wrench(response.wrench, touching)
        force, moment, reach, first = w.force, w.moment, like(eps, 0), i
        off, size = like(eps, 0), like(eps, 0)
        while i < contact.count[0] and contact.touching[i] == touching:
            r = sub(load_vector(contact.arm, i), centre)
            v = constrained_velocity(contact, i, t, r)
            p = load_vector(contact.impulse, i)
            if solved:
                p = implied_impulse(contact, scratch, i, v, eps * g, hat)
                force, moment = sub(force, p), sub(moment, cross(r, p))
                reach = max(reach, dot(r, r))
            v = add(v, scale((like(eps, 1) - hat) * eps * g, p))
            kind = scratch[i, KIND]
            on_cone = project(contact, scratch, i, p, v, softness * g, eps * g)
            store_vector(contact.impulse, i, on_cone)
            change = sub(on_cone, p)
            off = max(off, dot(change, change))
            size = max(size, dot(on_cone, on_cone))
            changes += scratch[i, KIND] != kind
            slips += scratch[i, KIND] == SLIP
            i += 1
        if solved:  # shared by the points, whose errors are independent
            points = like(eps, i - first)
            off = max(off, dot(force, force) / points)
            if reach > 0:
                off = max(off, dot(moment, moment) / (reach * points))
        error = max(error, g * g * off)
        largest = max(largest, g * g * size)
    return math.sqrt(error), math.sqrt(largest), changes, slips


@kernel
def project(contact, scratch, i, p, v, g, R):
    """Project p - v / g on the friction cone, and write the case that this speaks for.

    A point that slipped one way and would now slip the other way comes to rest between the two;
    taking it for one that sticks ends what would go to and fro for ever.
    """
    n = load_vector(contact.normal, i)
    y = sub(p, scale(like(g, 1) / g, v))
    y_n = dot(n, y)
    if y_n <= 0:
        scratch[i, KIND] = OPEN
        return zero_vector(g)
    y_t = sub(y, scale(y_n, n))
    size, limit = math.sqrt(dot(y_t, y_t)), scratch[i, MU] * y_n
    if size <= limit:
        scratch[i, KIND] = STICK
        return y
    d = scale(like(g, 1) / size, y_t)
    reversed_slip = scratch[i, KIND] == SLIP and dot(d, friction_direction(scratch, i)) < 0
    scratch[i, KIND] = STICK if reversed_slip else SLIP
    scratch[i, DIRECTION], scratch[i, DIRECTION + 1], scratch[i, DIRECTION + 2] = d
    scratch[i, KAPPA] = limit / (g * (size - limit) + R * limit)
    return add(scale(y_n, n), scale(limit, d))


# ------------------------------------------------------------------------------------ linear system


@kernel
def add_outer(A, touching, k, force, arm, motion):
    """A[touching] += k (P' force)(P' motion)', for a point at `arm`."""
    f, m = cross(arm, force), cross(arm, motion)
    row = (force[0], force[1], force[2], f[0], f[1], f[2])
    for i in range(6):
        x = k * row[i]
        A[touching, i, 0] += x * motion[0]
        A[touching, i, 1] += x * motion[1]
        A[touching, i, 2] += x * motion[2]
        A[touching, i, 3] += x * m[0]
        A[touching, i, 4] += x * m[1]
        A[touching, i, 5] += x * m[2]


@kernel
def stiffen_sticking(A, touching, k, count, s, ss):
    """A[touching] += k sum P'P of sticking points: their number, sum of arms, second moments."""
    xx, xy, xz, yy, yz, zz = ss
    k_count = k * like(k, count)
    A[touching, 0, 0] += k_count
    A[touching, 1, 1] += k_count
    A[touching, 2, 2] += k_count
    x, y, z = k * s[0], k * s[1], k * s[2]
    A[touching, 0, 4] += z
    A[touching, 0, 5] -= y
    A[touching, 1, 3] -= z
    A[touching, 1, 5] += x
    A[touching, 2, 3] += y
    A[touching, 2, 4] -= x
    A[touching, 3, 1] -= z
    A[touching, 3, 2] += y
    A[touching, 4, 0] += z
    A[touching, 4, 2] -= x
    A[touching, 5, 0] -= y
    A[touching, 5, 1] += x
    A[touching, 3, 3] += k * (yy + zz)
    A[touching, 3, 4] -= k * xy
    A[touching, 3, 5] -= k * xz
    A[touching, 4, 3] -= k * xy
    A[touching, 4, 4] += k * (xx + zz)
    A[touching, 4, 5] -= k * yz
    A[touching, 5, 3] -= k * xz
    A[touching, 5, 4] -= k * yz
    A[touching, 5, 5] += k * (xx + yy)


@kernel
def tangent_stiffness(contact, response, scratch, eps):
    """Minus the derivative of sum P' p by the touching link's twist, for the present cases."""
    A = response.tangent
    zero = like(eps, 0)
    i = 0
    for touching in range(contact.touching_count[0]):
        for row in range(6):
            for column in range(6):
                A[touching, row, column] = 0
        k = like(eps, 1) / (eps * compliance(response, touching))
        centre = load_vector(response.centre, touching)
        count, s, ss = 0, zero_vector(eps), (zero, zero, zero, zero, zero, zero)
        while i < contact.count[0] and contact.touching[i] == touching:
            kind = scratch[i, KIND]
            if kind != OPEN:
                r = sub(load_vector(contact.arm, i), centre)
                if kind == STICK:
                    count += 1
                    s = add(s, r)
                    ss = (
                        ss[0] + r[0] * r[0],
                        ss[1] + r[0] * r[1],
                        ss[2] + r[0] * r[2],
                        ss[3] + r[1] * r[1],
                        ss[4] + r[1] * r[2],
                        ss[5] + r[2] * r[2],
                    )
                else:
                    n = load_vector(contact.normal, i)
                    d = friction_direction(scratch, i)
                    e = cross(n, d)
                    add_outer(A, touching, k, add(n, scale(scratch[i, MU], d)), r, n)
                    add_outer(A, touching, scratch[i, KAPPA], e, r, e)
            i += 1
        if count > 0:
            stiffen_sticking(A, touching, k, count, s, ss)


@kernel
def assemble(contact, response):
    """matrix = 1 + (tangent stiffness) L; L is symmetric."""
    A, H, L = response.matrix, response.tangent, response.inverse_inertia
    links, zero = contact.touching_count[0], like(response.matrix[0, 0], 0)
    for b in range(links):
        for c in range(links):
            for i in range(6):
                a0, a1, a2, a3, a4, a5 = zero, zero, zero, zero, zero, zero
                for q in range(6):
                    x, row = H[b, i, q], 6 * b + q
                    a0 += x * L[row, c, 0]
                    a1 += x * L[row, c, 1]
                    a2 += x * L[row, c, 2]
                    a3 += x * L[row, c, 3]
                    a4 += x * L[row, c, 4]
                    a5 += x * L[row, c, 5]
                store_six(A, 6 * b + i, 6 * c, (a0, a1, a2, a3, a4, a5))
    for k in range(6 * links):
        A[k, k] += like(zero, 1)


@kernel
def unbalance(contact, response, scratch, eps, hat):
    """Right-hand side: sum P' p - w, with the impulses that the cases imply at these twists."""
    right = response.residual
    i = 0
    for touching in range(contact.touching_count[0]):
        R, t = eps * compliance(response, touching), load_twist(response.twist, touching)
        centre = load_vector(response.centre, touching)
        force, moment = zero_vector(R), zero_vector(R)
        while i < contact.count[0] and contact.touching[i] == touching:
            if scratch[i, KIND] != OPEN:
                r = sub(load_vector(contact.arm, i), centre)
                v = constrained_velocity(contact, i, t, r)
                p = implied_impulse(contact, scratch, i, v, R, hat)
                force, moment = add(force, p), add(moment, cross(r, p))
            i += 1
        for k in range(3):
            right[RIGHT, 6 * touching + k] = force[k] - response.wrench[touching, k]
            right[RIGHT, 6 * touching + 3 + k] = moment[k] - response.wrench[touching, 3 + k]


@kernel
def take_newton_step(contact, response, scratch, eps, hat, same):
    """Move w and t to where the cases balance; `same`: the factors of the last step are kept."""
    n = 6 * contact.touching_count[0]
    if not same:
        tangent_stiffness(contact, response, scratch, eps)
        assemble(contact, response)
        factor(response.matrix, response.residual, n)
    unbalance(contact, response, scratch, eps, hat)
    substitute(response.matrix, response.residual, n)
    for touching in range(contact.touching_count[0]):
        for k in range(6):
            response.wrench[touching, k] += response.residual[RIGHT, 6 * touching + k]
    respond_to_wrenches(contact, response)


# ------------------------------------------------------------------------------------ the iteration


@kernel
def newton(contact, response, scratch, tolerance, speed, rounding, hat, eps, most):
    """Iterate from the present impulses; returns iterations, error, largest impulse and the end.

    Error and impulse are velocities [m/s], see `judge_points`; it ends with an error of `tolerance`
    of the impulse, or of `speed`. From hat = 0, which makes impulses unique, more iterations with
    hat = 1 take the velocities R p away once the cases are settled, with the same factors where no
    point slips; an error of `speed` is good enough only after LENIENT of them. Where cases change
    all the same, less and less compliance leads to where R p is negligible. Where cases go round in
    circles, a few iterations with hat = 1 and more compliance lead near the solution. In single
    precision the tolerance may be out of reach: an error below `rounding` that does not get better,
    with the same cases, is as good as it gets.
    """
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    unique, stiffened = hat == 0, False
    polishes = POLISHES + (eps > like(eps, SOFT)) if unique else 0
    polished, softness, before, stiff = 0, like(eps, 1), like(eps, math.inf), eps
    age, calming, calmed, first_hat = 0, 0, False, hat
    for k in range(most + 1):
        if age >= SHARPENING:
            softness = max(like(eps, SHARPER) * softness, eps)
        if polished > 0 or calming > 0:
            softness = like(eps, 1)
        error, largest, changes, slips = judge_points(
            contact, response, scratch, eps, hat, k > 0, softness
        )
        if largest == 0 and error == 0:
            return k, error, largest, SOLVED
        stalls = changes == 0 and like(eps, STALLING) * before < error <= rounding * largest
        before = error
        enough = tolerance * largest
        if polishes == 0 or polished > LENIENT:
            enough = max(enough, speed)
        fits = k > 0 and (error <= enough or stalls)
        rigid = stiffened and eps * largest <= max(enough, speed)
        if fits and calming == 0 and (polished >= polishes or rigid):
            return k, error, largest, SOLVED
        if k == most or polished == MOST_POLISHES:
            break
        settled = k > 0 and changes == 0
        close = settled and error <= like(eps, CLOSE) * largest
        same = settled and slips == 0  # else the directions of friction have turned
        stiffest = max(like(eps, STIFFEST), rounding)
        age += 1
        if calming > 0:
            calming -= 1
            if calming == 0 or (settled and error <= like(eps, CALM) * largest):
                age, calming, same, softness = 0, 0, False, like(eps, 1)
                hat, eps = first_hat, stiff
        elif age == CIRCLES and polished == 0 and not close and not calmed:
            calming, calmed, same = CALMING, True, False
            hat, eps = like(eps, 1), like(eps, SOFTER) * stiff
        elif polished > PATIENCE and changes > 0 and unique and stiff > stiffest:
            stiff *= like(eps, STIFFER)
            hat, polished, same, stiffened, eps = like(eps, 0), 0, False, True, stiff
        elif fits or polished > 0 or (close and polishes > 0):
            hat = like(eps, 1)
            polished += 1
            softer = like(eps, SOFTER if polished > polishes and changes > 0 else 1) * stiff
            same, eps = same and softer == eps, softer
        take_newton_step(contact, response, scratch, eps, hat, same)
    return k, error, largest, NEARLY if polished > 0 else FAILED
