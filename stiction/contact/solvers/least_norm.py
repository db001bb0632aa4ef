"""Impulses of least norm with the same wrench on each link: many points of a foot share its load.

Impulses with the same wrench w move the robot the same way. Those of least norm are P (P'P)^+ w. If
some would leave their friction cones, the present ones move towards them as far as all stay inside.
Points that are open or slide, whose impulses are determined, are left unchanged.
"""

import math

from stiction.compiler.compiled import kernel
from stiction.contact.friction import tangential
from stiction.contact.solvers.link_blocks import add_arm, add_points, clear_block, no_arms
from stiction.kernels.linear_system import factor, one_group, substitute
from stiction.kernels.response import arm_from_centre, velocity_after
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

WEAK = 1e-12  # relative size of directions in which the points of a touching link give no wrench


@kernel
def sticks(contact, response, i, slow):
    """Return whether point i is pressed and ends the step more slowly than `slow` [m/s]."""
    n = load_vector(contact.normal, i)
    v_t = tangential(n, velocity_after(contact, response, i))
    pressed = dot(n, load_vector(contact.impulse, i)) > 0
    return pressed and dot(v_t, v_t) <= slow * slow


@kernel
def even_out(contact, response, mu, slow):
    """Move the impulses of every touching link towards those of least norm with the same wrench.

    Points that are slower than `slow` stick [m/s].
    """
    first = 0
    for touching in range(contact.touching_count[0]):
        last = first
        while last < contact.count[0] and contact.touching[last] == touching:
            last += 1
        if gather_sticking(contact, response, first, last, slow) > 1:
            one_group(response.linear, 1)
            factor(response.linear, 6)
            substitute(response.linear, 6)
            move_within_cones(contact, response, mu, first, last, slow)
        first = last


@kernel
def gather_sticking(contact, response, first, last, slow):
    """Write sum P'P into matrix and w into the right-hand side; returns how many points stick."""
    zero, blocks = like(contact.depth[0], 0), response.tangent
    force, moment = zero_vector(zero), zero_vector(zero)
    sums = no_arms(zero)
    for i in range(first, last):
        if sticks(contact, response, i, slow):
            r, p = arm_from_centre(contact, response, i), load_vector(contact.impulse, i)
            force, moment = add(force, p), add(moment, cross(r, p))
            sums = add_arm(sums, r)
    clear_block(blocks, 0)
    add_points(blocks, 0, like(zero, 1), sums)
    xx, _, _, yy, _, zz = sums.second
    weak, A = like(zero, WEAK) * (xx + yy + zz), response.linear.matrix
    for row in range(6):
        response.linear.right[row] = force[row] if row < 3 else moment[row - 3]
        for k in range(6):
            A[row, k] = blocks[0, row, k]
        A[row, row] += weak
    return sums.points


@kernel
def move_within_cones(contact, response, mu, first, last, slow):
    """Move the sticking points' impulses towards P y as far as all stay in their cones."""
    share = like(contact.depth[0], 1)
    for i in range(first, last):
        if sticks(contact, response, i, slow):
            p = load_vector(contact.impulse, i)
            change = sub(even_impulse(contact, response, i), p)
            n = load_vector(contact.normal, i)
            share = min(share, way_inside(n, mu[i], p, change))
    for i in range(first, last):
        if sticks(contact, response, i, slow):
            p = load_vector(contact.impulse, i)
            change = sub(even_impulse(contact, response, i), p)
            store_vector(contact.impulse, i, add(p, scale(share, change)))


@kernel
def even_impulse(contact, response, i):
    """P y for point i."""
    y, r = response.linear.right, arm_from_centre(contact, response, i)
    return add((y[0], y[1], y[2]), cross((y[3], y[4], y[5]), r))


@kernel
def way_inside(n, mu, p, change):
    """Largest share <= 1 for which p + share change stays in the friction cone, p being inside."""
    p_n, c_n = dot(n, p), dot(n, change)
    p_t, c_t = tangential(n, p), tangential(n, change)
    # |p_t + s c_t|^2 - mu^2 (p_n + s c_n)^2 = a s^2 + 2 b s + c <= 0 and p_n + s c_n >= 0
    a = dot(c_t, c_t) - mu * mu * c_n * c_n
    b = dot(p_t, c_t) - mu * mu * p_n * c_n
    c = min(dot(p_t, p_t) - mu * mu * p_n * p_n, like(p_n, 0))
    one = like(p_n, 1)
    root = math.sqrt(max(b * b - a * c, like(p_n, 0)))
    share = one
    if b + root > 0:
        share = min(one, -c / (b + root))
    if p_n + share * c_n < 0:
        share = min(share, -p_n / c_n)
    return share
