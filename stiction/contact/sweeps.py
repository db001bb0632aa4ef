"""One contact after the other: the sweeps of Algorithm 1 of [CBM], see `gauss_seidel.py`."""

import math

from stiction.compiled import kernel
from stiction.contact.friction import MU
from stiction.kernels.response import apply_impulse, arm_from_centre, delassus
from stiction.kernels.spatial import (
    add,
    column,
    cross,
    dot,
    like,
    load_twist,
    load_vector,
    point_velocity,
    scale,
    store_vector,
    sub,
    symmetric_transform,
    transform,
)

INVERSE, NORMAL_STEP, TANGENT_STEP, PUSH = 2, 8, 9, 10  # columns of the room, see `prepare_point`
ROOM = 13  # columns in all


@kernel
def prepare_points(contact, response, room):
    """Keep what the local problem of every point needs."""
    for i in range(contact.count[0]):
        prepare_point(contact, response, room, i)


@kernel
def prepare_point(contact, response, room, i):
    """Keep what the local problem needs of G, the velocity of a point per impulse on it.

    The inverse of G; 1 / G_nn; 1 / (largest eigenvalue of G along the ground); G n.
    """
    G, n = delassus(contact, response, i, i), load_vector(contact.normal, i)
    xx, xy, xz = sub_determinants(G)
    one = like(xx[0], 1)
    determinant = dot(G[0], xx)
    k = one / determinant
    room[i, INVERSE], room[i, INVERSE + 1], room[i, INVERSE + 2] = scale(k, xx)
    room[i, INVERSE + 3], room[i, INVERSE + 4] = k * xy[1], k * xy[2]
    room[i, INVERSE + 5] = k * xz[2]
    push = transform(G, n)
    G_nn = dot(n, push)
    room[i, NORMAL_STEP] = one / G_nn
    # along the ground: half the trace, and the determinant from that of the whole
    half = like(G_nn, 0.5) * (G[0][0] + G[1][1] + G[2][2] - G_nn)
    minor = dot(n, transform((xx, xy, xz), n))
    room[i, TANGENT_STEP] = one / (half + math.sqrt(max(half * half - minor, like(half, 0))))
    room[i, PUSH], room[i, PUSH + 1], room[i, PUSH + 2] = push


@kernel
def sub_determinants(G):
    """Return the adjugate of a symmetric matrix, as rows."""
    x, y, z = column(G, 0), column(G, 1), column(G, 2)
    return cross(y, z), cross(z, x), cross(x, y)


@kernel
def sweep(contact, response, room):
    """Visit every contact once; returns the largest change of an impulse by the largest."""
    moved, largest = like(room[0, MU], 0), like(room[0, MU], 0)
    for i in range(contact.count[0]):
        old, n = load_vector(contact.impulse, i), load_vector(contact.normal, i)
        r = arm_from_centre(contact, response, i)
        t = load_twist(response.twist, contact.slot[i])
        v = add(load_vector(contact.velocity, i), point_velocity(t, r))
        v = add(v, scale(-contact.floor[i], n))
        new = solve_contact(room, i, n, old, v)
        change = sub(new, old)
        size = dot(change, change)
        if size > 0:
            store_vector(contact.impulse, i, new)
            apply_impulse(contact, response, i, r, change)
            moved = max(moved, size)
        largest = max(largest, dot(new, new))
    return math.sqrt(moved / largest) if largest > 0 else like(moved, moved > 0)


@kernel
def solve_contact(room, i, n, p, v):
    """Return the impulse of one contact, all others held: the inner loop of Algorithm 1."""
    mu = room[i, MU]
    inverse = (
        room[i, INVERSE],
        room[i, INVERSE + 1],
        room[i, INVERSE + 2],
        room[i, INVERSE + 3],
        room[i, INVERSE + 4],
        room[i, INVERSE + 5],
    )
    stick = sub(p, symmetric_transform(inverse, v))  # stops the point
    stick_n = dot(n, stick)
    if stick_n > 0 and dot(stick, stick) <= (like(mu, 1) + mu * mu) * stick_n * stick_n:
        return stick
    p_n = dot(n, p)
    normal = max(like(mu, 0), p_n - room[i, NORMAL_STEP] * dot(n, v))
    push = (room[i, PUSH], room[i, PUSH + 1], room[i, PUSH + 2])
    moved = add(v, scale(normal - p_n, push))
    y = sub(p, scale(room[i, TANGENT_STEP], moved))
    y = sub(y, scale(dot(n, y), n))
    size, limit = math.sqrt(dot(y, y)), mu * normal
    if size > limit:
        y = scale(limit / size, y)
    return add(scale(normal, n), y)
