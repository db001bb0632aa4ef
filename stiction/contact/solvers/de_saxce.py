"""Exact Coulomb friction by convex problems: slow, but robust where Newton's method cycles.

[DF] writes the law of Coulomb and Signorini as Eq. (13) of `coulomb.py`, whose symbols hold here.
For a given s = mu |v_t| it is a convex problem. With a compliance R = eps g about impulses p^,

    p = P_K(p^ - (v + s n) / R),    w = sum P' p,    t = t_free + L w                        (14)

is the minimum of the smooth convex function  w' L w / 2 + sum R |p|^2 / 2  (P_K: nearest point of
the cone K). Newton's method with a line search finds it from anywhere. Then p^ <- p and
s <- mu |v_t|, until impulses and velocities obey the law. Less compliance takes larger steps and
may diverge: eps shrinks while progress is slow, and grows when the error does.

V. Acary, F. Cadoux, C. Lemarechal and J. Malick, "A formulation of the linear discrete Coulomb
friction problem via convex optimization", ZAMM 91 (2011) 155-175, show when solutions exist; V.
Acary, M. Bremond and O. Huber, "On solving contact problems with Coulomb friction: formulations and
numerical comparisons", Advanced Topics in Nonsmooth Dynamics (2018), compare methods for them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.friction import OPEN, SLIP, STICK, tangential
from stiction.contact.scratch import PerPoint, RowPerLink, VectorPerPoint
from stiction.contact.solvers.friction_cases import (
    constrained_velocity,
    project,
    relative_tolerance,
)
from stiction.contact.solvers.link_blocks import (
    add_arm,
    add_outer,
    add_points,
    clear_block,
    no_arms,
)
from stiction.contact.solvers.warm_start import keep_impulses, return_impulses
from stiction.contact.solvers.wrench_system import factor_wrench_system, solve_wrench_system
from stiction.kernels.response import (
    arm_from_centre,
    free_twist,
    gather_wrenches,
    pair_twist,
    respond_to_wrenches,
)
from stiction.kernels.spatial import (
    Wrench,
    load_twist,
    load_wrench,
    power,
    store_twist,
    store_wrench,
    twist_sub,
    wrench_sub,
)
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    load_vector,
    scale,
    store_vector,
    sub,
    zero_vector,
)

ITERATIONS = 400  # Newton steps in all
INNER = 20  # of these for one convex problem
ENOUGH = 0.01  # inner error that suffices, relative to the outer one
FIRST, LEAST, MOST = 1e-2, 1e-7, 1.0  # compliance, eps
SHRINK, SLOW = 0.3, 0.3  # of eps, if an iteration leaves more than this fraction of the error
GROW, WORSE = 10.0, 2.0  # of eps, if an iteration raises the error by this factor
SHORTEST = 1e-4  # fraction of a step
DESCENT = 1e-4  # fraction of the linear prediction that a step must achieve


class ConvexProblem(NamedTuple):
    """Scratch of one convex problem."""

    anchor: VectorPerPoint  # p^
    best: VectorPerPoint  # impulses nearest to the law so far
    speed: PerPoint  # s
    turn: PerPoint  # see `nearest_on_cone`
    unbalance: RowPerLink  # sum P'p - w before a step
    twist: RowPerLink  # t before a step
    step: RowPerLink  # of the wrenches


@subroutine
def de_saxce(contact, response, cases, convex, accuracy):
    """Iterate from the present impulses; returns iterations, error, largest impulse and success.

    Error and impulse are velocities [m/s], see `law_error`; the error must fall to `tolerance`
    times the impulse, or to `speed`. Wrenches and twists are left consistent with the impulses.
    """
    tolerance, speed = accuracy.tolerance, accuracy.speed
    for i in range(contact.count[0]):
        p = load_vector(contact.impulse, i)
        store_vector(contact.impulse, i, nearest_on_cone(contact, cases, convex, i, p))
    eps, taken, inner, least = like(tolerance, FIRST), 0, True, like(tolerance, math.inf)
    error, largest, before = like(tolerance, 0), like(tolerance, 0), like(tolerance, math.inf)
    for _ in range(ITERATIONS):
        error, largest = law_error(contact, response, cases)
        if error < least:
            least = error
            keep_impulses(contact, convex.best)
        if error <= max(relative_tolerance(accuracy, largest), speed) or taken >= ITERATIONS:
            break
        if error > like(eps, WORSE) * before:  # the last problem again, with more compliance
            eps = min(like(eps, GROW) * eps, like(eps, MOST))
        else:
            if inner and error > like(eps, SLOW) * before:
                eps = max(like(eps, SHRINK) * eps, like(eps, LEAST))
            before = error
            begin_problem(contact, response, cases, convex)
        steps, inner = solve_convex(
            contact, response, cases, convex, eps, before, accuracy.rounding
        )
        taken += steps
    if not error <= least:
        return_impulses(contact, convex.best)
        error, largest = law_error(contact, response, cases)
    return taken, error, largest, error <= max(relative_tolerance(accuracy, largest), speed)


@kernel
def law_error(contact, response, cases):
    """Return how far impulses and velocities are from the law, and the largest impulse.

    As velocities, times g [m/s], by Eq. (5). Writes wrenches and twists; impulses are unchanged.
    """
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    error, largest = like(cases.mu[0], 0), like(cases.mu[0], 0)
    for i in range(contact.count[0]):
        touching, p = contact.touching[i], load_vector(contact.impulse, i)
        g, r = response.compliance[touching], arm_from_centre(contact, response, i)
        v = constrained_velocity(contact, i, pair_twist(response, touching), r)
        off = sub(project(contact, cases, i, p, v, g, like(g, 0)), p)
        error = max(error, g * math.sqrt(dot(off, off)))
        largest = max(largest, g * math.sqrt(dot(p, p)))
    return error, largest


@kernel
def begin_problem(contact, response, cases, convex):
    """p^ <- p and s <- mu |v_t|, at the present impulses and twists."""
    for i in range(contact.count[0]):
        store_vector(convex.anchor, i, load_vector(contact.impulse, i))
        r, n = arm_from_centre(contact, response, i), load_vector(contact.normal, i)
        v = constrained_velocity(contact, i, pair_twist(response, contact.touching[i]), r)
        v_t = tangential(n, v)
        convex.speed[i] = cases.mu[i] * math.sqrt(dot(v_t, v_t))


@kernel
def nearest_on_cone(contact, cases, convex, i, y):
    """P_K(y): the nearest point of the friction cone; writes which part of the cone it is on.

    On its lateral surface, SLIP, it lies along a = (n + mu d) / |n + mu d|; it turns with y by
    `turn`.
    """
    n, mu = load_vector(contact.normal, i), cases.mu[i]
    y_n, y_t = dot(n, y), tangential(n, y)
    size = math.sqrt(dot(y_t, y_t))
    if size <= mu * y_n:
        cases.case[i] = STICK
        return y
    if mu * size <= -y_n:
        cases.case[i] = OPEN
        return zero_vector(mu)
    cases.case[i] = SLIP
    p_n = (y_n + mu * size) / (like(mu, 1) + mu * mu)
    p = add(scale(p_n, n), scale(mu * p_n / size, y_t))
    convex.turn[i] = mu * p_n / size
    return p


# ------------------------------------------------------------------------------ the convex problem


@kernel
def solve_convex(contact, response, cases, convex, eps, error, rounding):
    """Newton's method for one convex problem; returns steps and whether it converged."""
    least, slope = like(eps, math.inf), like(eps, 0)
    steps, share, move = 0, like(eps, 0), like(eps, 0)
    while True:
        value, off = potential(contact, response, cases, convex, eps)
        descends = value <= least + like(eps, DESCENT) * share * slope + rounding * abs(value)
        if descends or share <= like(eps, SHORTEST):
            least = value
            if off <= like(eps, ENOUGH) * error or steps == INNER:
                return steps, steps < INNER
            cone_stiffness(contact, response, cases, convex, eps)
            find_step(contact, response, convex)
            steps, share, move = steps + 1, like(eps, 1), like(eps, 1)
        else:
            share *= like(eps, 0.5)
            move = -share
        for touching in range(contact.touching_count[0]):
            for k in range(6):
                response.wrench[touching, k] += move * convex.step[touching, k]
        respond_to_wrenches(contact, response)
        if share == 1:
            slope = descent(contact, response, convex)


@kernel
def find_step(contact, response, convex):
    """Newton's step for the wrenches; keeps the right-hand side and the twists before it."""
    for touching in range(contact.touching_count[0]):
        store_twist(convex.twist, touching, pair_twist(response, touching))
        for k in range(6):
            convex.unbalance[touching, k] = response.unbalance[touching, k]
    solve_for_wrenches(contact, response)
    for touching in range(contact.touching_count[0]):
        for k in range(6):
            convex.step[touching, k] = response.unbalance[touching, k]


@subroutine
def solve_for_wrenches(contact, response):
    """Replace the right-hand side by the solution for the blocks in `tangent`."""
    factor_wrench_system(contact, response)
    solve_wrench_system(contact, response)


@kernel
def descent(contact, response, convex):
    """Linear prediction of the change of the potential by a whole step."""
    slope = like(response.compliance[0], 0)
    for touching in range(contact.touching_count[0]):
        change = twist_sub(pair_twist(response, touching), load_twist(convex.twist, touching))
        slope -= power(change, load_wrench(convex.unbalance, touching))
    return slope


@kernel
def potential(contact, response, cases, convex, eps):
    """Return w' L w / 2 + sum R |p|^2 / 2 and the size of its gradient as a velocity [m/s].

    Writes the impulses p and, as a right-hand side, sum P' p - w.
    """
    right, half = response.unbalance, like(eps, 0.5)
    total, error = like(eps, 0), like(eps, 0)
    i = 0
    for touching in range(contact.touching_count[0]):
        g, t = response.compliance[touching], pair_twist(response, touching)
        R, first, reach = eps * g, i, like(eps, 0)
        force, moment = zero_vector(eps), zero_vector(eps)
        while i < contact.count[0] and contact.touching[i] == touching:
            r, n = arm_from_centre(contact, response, i), load_vector(contact.normal, i)
            v = add(constrained_velocity(contact, i, t, r), scale(convex.speed[i], n))
            y = sub(load_vector(convex.anchor, i), scale(like(R, 1) / R, v))
            p = nearest_on_cone(contact, cases, convex, i, y)  # Eq. (14)
            store_vector(contact.impulse, i, p)
            force, moment = add(force, p), add(moment, cross(r, p))
            total += half * R * dot(p, p)
            reach = max(reach, dot(r, r))
            i += 1
        w, change = (
            load_wrench(response.wrench, touching),
            twist_sub(t, free_twist(response, touching)),
        )
        total += half * power(change, w)
        store_wrench(right, touching, wrench_sub(Wrench(force, moment), w))
        off = gap_of_wrenches(right, touching, reach)
        error = max(error, g * off / like(g, i - first))
    return total, error


@kernel
def gap_of_wrenches(right, touching, reach):
    """Size of a touching pair's right-hand side as an impulse; reach: longest arm squared."""
    off = load_wrench(right, touching)
    moment = dot(off.moment, off.moment) / reach if reach > 0 else like(reach, 0)
    return math.sqrt(dot(off.force, off.force) + moment)


@kernel
def cone_stiffness(contact, response, cases, convex, eps):
    """Minus the derivative of sum P' p with respect to the touching link's twist."""
    S, zero = response.tangent, like(eps, 0)
    i = 0
    for touching in range(contact.touching_count[0]):
        clear_block(S, touching)
        k = like(eps, 1) / (eps * response.compliance[touching])
        while i < contact.count[0] and contact.touching[i] == touching:
            r, case = arm_from_centre(contact, response, i), cases.case[i]
            if case == STICK:
                add_points(S, touching, k, add_arm(no_arms(zero), r))
            elif case == SLIP:
                n, p = load_vector(contact.normal, i), load_vector(contact.impulse, i)
                e = cross(n, p)
                add_outer(S, touching, k / dot(p, p), p, r, p)
                if convex.turn[i] > 0:
                    add_outer(S, touching, k * convex.turn[i] / dot(e, e), e, r, e)
            i += 1
