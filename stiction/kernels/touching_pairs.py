"""Twists and inverse inertia of the touching pairs, which `response.py` builds upon.

A wrench on a pair moves the coordinates on the paths of both links to the world: the unit responses
of the first, minus those of the second, which cancel where the paths join.
"""

from __future__ import annotations

from stiction.compiler.compiled import kernel, seldom
from stiction.kernels.kinematics import last_dof, link_drift, seen_from
from stiction.kernels.spatial import (
    Twist,
    load_twist,
    point_velocity,
    store_twist,
    twist_add,
    twist_scale,
    twist_sub,
)
from stiction.kernels.tree import STUCK
from stiction.kernels.vectors import add, like, load_vector, scale, store_vector, zero_vector


@kernel
def centre_touching_pairs(contact, response):
    """Write the centre of each touching pair's contact points."""
    row = 0
    for touching in range(contact.touching_count[0]):
        total, count = zero_vector(contact.depth[0]), 0
        while row < contact.count[0] and contact.touching[row] == touching:
            total = add(total, load_vector(contact.arm, row))
            count += 1
            row += 1
        store_vector(
            response.centre, touching, scale(like(total[0], 1) / like(total[0], count), total)
        )


@kernel
def link_twist_change(dynamics, link, dt):
    """Change of a link's twist over a step with the present accelerations, J a dt, about O."""
    tree = dynamics.tree
    nowhere = zero_vector(dt)
    total = Twist(nowhere, nowhere)
    d = last_dof(tree, link)
    while d >= 0:
        change = dt * dynamics.acceleration[d]
        total = twist_add(total, twist_scale(change, load_twist(dynamics.S, d)))
        d = tree.dof_parent[d]
    return total


@kernel
def twists_of_accelerations(dynamics, contact, response, dt):
    """Write into `twist` its change by the present accelerations, about each pair's centre."""
    for touching in range(contact.touching_count[0]):
        a, b = contact.touching_link[touching], contact.touched_link[touching]
        centre = load_vector(response.centre, touching)
        t = moved_to(link_twist_change(dynamics, a, dt), centre)
        if b > 0:
            change = link_twist_change(dynamics, b, dt)
            t = twist_sub(t, moved_to(change, seen_from(dynamics, a, b, centre)))
        store_twist(response.twist, touching, t)


@kernel
def moved_to(twist, r):
    """Return a twist about O, about the point r."""
    return Twist(point_velocity(twist, r), twist.angular)


@kernel
def free_twists(dynamics, contact, response, dt):
    """t_free: change of the touching pairs' twists over dt without contact."""
    nowhere, tree = zero_vector(dt), dynamics.tree
    for touching in range(contact.touching_count[0]):
        a, b = contact.touching_link[touching], contact.touched_link[touching]
        total = Twist(nowhere, nowhere)
        total = add_free(dynamics, response, touching, last_dof(tree, a), -1, total)
        if b > 0:
            joined = common_dof(tree, a, b)
            total = add_free(dynamics, response, touching, last_dof(tree, b), joined, total)
        store_twist(response.free, touching, twist_scale(dt, total))


@kernel
def add_free(dynamics, response, touching, d, end, total):
    """Add to a pair's twist what the coordinates from d to before `end` do without contact."""
    while d != end:
        alone = dynamics.u[d] * dynamics.inverse_D[d]  # its acceleration if it moved alone
        if dynamics.mode[d] >= STUCK:
            alone = dynamics.acceleration[d]
        unit = load_unit_response(response.unit_responses, touching, d)
        total = twist_add(total, twist_scale(alone, unit))
        d = dynamics.tree.dof_parent[d]
    return total


@kernel
def add_drift(dynamics, contact, response):
    """Turn the touching pairs' changes per second into accelerations: add J_dot v."""
    for touching in range(contact.touching_count[0]):
        a, b = contact.touching_link[touching], contact.touched_link[touching]
        centre = load_vector(response.centre, touching)
        drift = moved_to(link_drift(dynamics, a), centre)
        if b > 0:
            other = moved_to(link_drift(dynamics, b), seen_from(dynamics, a, b, centre))
            drift = twist_sub(drift, other)
        store_twist(response.free, touching, twist_add(load_twist(response.free, touching), drift))


@kernel
def common_dof(tree, a, b):
    """Last coordinate on the paths of both links to the world, -1 if none."""
    return joint_of(tree, last_dof(tree, a), last_dof(tree, b))


@kernel
def joint_of(tree, d, e):
    """Last coordinate on the paths of both coordinates to the world, -1 if none."""
    while d != e:
        if d > e:
            d = tree.dof_parent[d]
        else:
            e = tree.dof_parent[e]
    return d


@kernel
def load_unit_response(responses, b, d):
    """Return responses[b, d] as a twist."""
    return Twist(
        (responses[b, d, 0], responses[b, d, 1], responses[b, d, 2]),
        (responses[b, d, 3], responses[b, d, 4], responses[b, d, 5]),
    )


@kernel
def touching_inverse_inertia(dynamics, contact, response):
    """L: twist of each touching pair per unit wrench on each of them, [CBM] Eq. (17)."""
    tree, link, touched = dynamics.tree, contact.touching_link, contact.touched_link
    still = zero_vector(dynamics.D[0])
    none = Twist(still, still)
    for b in range(contact.touching_count[0]):
        for c in range(b + 1):
            twists = (none, none, none, none, none, none)
            first = common_dof(tree, link[b], link[c])
            twists = add_shared(dynamics, response, b, c, first, -1, twists)
            if touched[b] > 0 or touched[c] > 0:
                twists = add_touched(dynamics, contact, response, b, c, first, twists)
            t0, t1, t2, t3, t4, t5 = twists
            store_inverse_inertia(response.inverse_inertia, b, c, 0, t0)
            store_inverse_inertia(response.inverse_inertia, b, c, 1, t1)
            store_inverse_inertia(response.inverse_inertia, b, c, 2, t2)
            store_inverse_inertia(response.inverse_inertia, b, c, 3, t3)
            store_inverse_inertia(response.inverse_inertia, b, c, 4, t4)
            store_inverse_inertia(response.inverse_inertia, b, c, 5, t5)


@kernel
def add_shared(dynamics, response, b, c, d, end, twists):
    """Add to the twists of pair b per unit wrenches on c those by coordinates d to before `end`."""
    t0, t1, t2, t3, t4, t5 = twists
    responses = response.unit_responses
    while d != end:
        unit = load_unit_response(responses, b, d)
        shares = twist_scale(dynamics.inverse_D[d], load_unit_response(responses, c, d))
        t0 = twist_add(t0, twist_scale(shares.linear[0], unit))
        t1 = twist_add(t1, twist_scale(shares.linear[1], unit))
        t2 = twist_add(t2, twist_scale(shares.linear[2], unit))
        t3 = twist_add(t3, twist_scale(shares.angular[0], unit))
        t4 = twist_add(t4, twist_scale(shares.angular[1], unit))
        t5 = twist_add(t5, twist_scale(shares.angular[2], unit))
        d = dynamics.tree.dof_parent[d]
    return t0, t1, t2, t3, t4, t5


@seldom
def add_touched(dynamics, contact, response, b, c, first, twists):
    """Add the coordinates that pairs b and c share on other paths than those of both first links.

    Each path from a shared coordinate to the world ends where one was counted already.
    """
    tree, link, touched = dynamics.tree, contact.touching_link, contact.touched_link
    second = common_dof(tree, link[b], touched[c])
    twists = add_shared(dynamics, response, b, c, second, joint_of(tree, second, first), twists)
    third = common_dof(tree, touched[b], link[c])
    end = max(joint_of(tree, third, first), joint_of(tree, third, second))
    twists = add_shared(dynamics, response, b, c, third, end, twists)
    fourth = common_dof(tree, touched[b], touched[c])
    end = max(joint_of(tree, fourth, first), joint_of(tree, fourth, second))
    end = max(end, joint_of(tree, fourth, third))
    return add_shared(dynamics, response, b, c, fourth, end, twists)


@kernel
def store_inverse_inertia(L, b, c, k, twist):
    """Write the twist of b per unit wrench k on c; the transpose is that of c per wrenches on b."""
    L[6 * c + k, b, 0], L[6 * c + k, b, 1], L[6 * c + k, b, 2] = twist.linear
    L[6 * c + k, b, 3], L[6 * c + k, b, 4], L[6 * c + k, b, 5] = twist.angular
    L[6 * b, c, k], L[6 * b + 1, c, k], L[6 * b + 2, c, k] = twist.linear
    L[6 * b + 3, c, k], L[6 * b + 4, c, k], L[6 * b + 5, c, k] = twist.angular
