"""One contact at a time: the sweeps of Algorithm 1 of [CBM], see `gauss_seidel.py`.

Also sweeps in which every contact is solved exactly, all others held (`one_contact.py`). These are
slower but converge where friction is so high that the others cycle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.immovable import is_released
from stiction.contact.scratch import PerPoint, SymmetricPerPoint, VectorPerPoint
from stiction.contact.solvers.one_contact import slip_impulse
from stiction.kernels.response import (
    apply_impulse,
    arm_from_centre,
    delassus,
    gather_wrenches,
    pair_twist,
    respond_to_wrenches,
)
from stiction.kernels.spatial import point_velocity
from stiction.kernels.vectors import (
    add,
    column,
    cross,
    dot,
    like,
    load_symmetric,
    load_vector,
    scale,
    store_symmetric,
    store_vector,
    sub,
    symmetric_transform,
    transform,
    zero_vector,
)

EXACT_SWEEPS, LENIENT = 1000, 10.0  # lenient: sweeps leave 1e-6 m/s in a jammed rod


class LocalProblems(NamedTuple):
    """Scratch: what the problem of one contact, all others held, needs of G; [CBM] II-D.

    G is the velocity of a point per impulse on it.
    """

    inverse: SymmetricPerPoint  # of G
    normal_step: PerPoint  # 1 / G_nn
    tangent_step: PerPoint  # 1 / (largest eigenvalue of G along the ground)
    push: VectorPerPoint  # G n


@subroutine
def sweep_exactly(contact, response, mu, local, speed):
    """Sweep from no impulses; returns sweeps, the last change of a velocity [m/s] and success.

    Success means a change below LENIENT times `speed`, which other methods reach.
    """
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, zero_vector(speed))
    prepare_points(contact, response, local)
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    moved = speed
    for k in range(EXACT_SWEEPS):
        moved = sweep(contact, response, mu, local, True)
        if moved <= like(speed, LENIENT) * speed:
            return k + 1, moved, True
    return EXACT_SWEEPS, moved, False


@kernel
def prepare_points(contact, response, local):
    """Store what the local problem of every point needs."""
    for i in range(contact.count[0]):
        prepare_point(contact, response, local, i)


@kernel
def prepare_point(contact, response, local, i):
    """Store what the local problem of a point needs; steps are zero where it cannot move.

    Where it cannot move in some direction, no impulse stops it: the inverse is not a number.
    """
    G, n = delassus(contact, response, i, i), load_vector(contact.normal, i)
    xx, xy, xz = sub_determinants(G)
    determinant = dot(G[0], xx)
    k = like(determinant, 1) / determinant if determinant > 0 else like(determinant, math.nan)
    x, y, z = scale(k, xx)
    store_symmetric(local.inverse, i, (x, y, z, k * xy[1], k * xy[2], k * xz[2]))
    push = transform(G, n)
    G_nn = dot(n, push)
    local.normal_step[i] = inverse_or_zero(G_nn)
    # along the ground: half the trace, and the determinant from that of the whole
    half = like(G_nn, 0.5) * (G[0][0] + G[1][1] + G[2][2] - G_nn)
    minor = dot(n, transform((xx, xy, xz), n))
    largest = half + math.sqrt(max(half * half - minor, like(half, 0)))
    local.tangent_step[i] = inverse_or_zero(largest)
    store_vector(local.push, i, push)


@kernel
def inverse_or_zero(x):
    """Return 1 / x, or 0 for 0."""
    return like(x, 1) / x if x > 0 else like(x, 0)


@kernel
def sub_determinants(G):
    """Return the adjugate of a symmetric matrix, as rows."""
    x, y, z = column(G, 0), column(G, 1), column(G, 2)
    return cross(y, z), cross(z, x), cross(x, y)


@kernel
def sweep(contact, response, mu, local, exactly):
    """Visit every contact once; returns the largest change of a point's velocity when visited."""
    moved = like(mu[0], 0)
    for i in range(contact.count[0]):
        old, n = load_vector(contact.impulse, i), load_vector(contact.normal, i)
        r = arm_from_centre(contact, response, i)
        before = point_velocity(pair_twist(response, contact.touching[i]), r)
        v = add(load_vector(contact.velocity, i), before)
        v = add(v, scale(-contact.least_velocity[i], n))
        if is_released(contact, i):
            new = zero_vector(moved)
        elif exactly:
            new = solve_contact_exactly(contact, response, mu[i], local, i, old, v)
        else:
            new = solve_contact(mu[i], local, i, n, old, v)
        change = sub(new, old)
        if dot(change, change) > 0:
            store_vector(contact.impulse, i, new)
            apply_impulse(contact, response, i, r, change)
            after = point_velocity(pair_twist(response, contact.touching[i]), r)
            gained = sub(after, before)
            moved = max(moved, dot(gained, gained))
    return math.sqrt(moved)


@kernel
def solve_contact(mu, local, i, n, p, v):
    """Return the impulse of one contact, all others held: the inner loop of Algorithm 1."""
    stick = stopping_impulse(local, i, p, v)
    if inside_cone(n, mu, stick):
        return stick
    p_n = dot(n, p)
    normal = max(like(mu, 0), p_n - local.normal_step[i] * dot(n, v))
    moved = add(v, scale(normal - p_n, load_vector(local.push, i)))
    y = sub(p, scale(local.tangent_step[i], moved))
    y = sub(y, scale(dot(n, y), n))
    size, limit = math.sqrt(dot(y, y)), mu * normal
    if size > limit:
        y = scale(limit / size, y)
    return add(scale(normal, n), y)


@kernel
def stopping_impulse(local, i, p, v):
    """Impulse that stops the point, all others held."""
    return sub(p, symmetric_transform(load_symmetric(local.inverse, i), v))


@kernel
def inside_cone(n, mu, p):
    """Return whether an impulse presses and is inside the friction cone."""
    p_n = dot(n, p)
    return p_n > 0 and dot(p, p) <= (like(mu, 1) + mu * mu) * p_n * p_n


@kernel
def solve_contact_exactly(contact, response, mu, local, i, p, v):
    """Return the impulse of one contact, all others held, that obeys the law."""
    n, stick = load_vector(contact.normal, i), stopping_impulse(local, i, p, v)
    if inside_cone(n, mu, stick):
        return stick
    if local.normal_step[i] == 0:
        return p
    G = delassus(contact, response, i, i)
    c = sub(v, transform(G, p))
    if dot(n, c) >= 0:
        return zero_vector(mu)
    slip, speed = slip_impulse(G, n, c, mu)
    return slip if speed >= 0 else solve_contact(mu, local, i, n, p, v)
