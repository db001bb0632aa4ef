"""Chardonnet et al., "Dynamic simulator for humanoids ... with static friction", section II.C.

    Paper             Here                      Meaning
    v_c^{k+1}         velocity_after            velocity of a point at the end of the step, Eq. (10)
    f T_e             p, contact.impulse        impulse of a point
    Lambda_c^-1       delassus                  velocity per unit impulse, Eq. (16), (17)
    B_c T_e + v_c^k   free_velocity             velocity without contact, Eq. (10), (13)
    epsilon           restitution               Eq. (4)
    mu                mu_static, mu_kinetic     `friction.py` tells when which

Algorithm 1: visit one contact after the other, give it the impulse that it needs while all others
keep theirs, and repeat until nothing changes. A contact that can be stopped within its friction
cone is; otherwise it slides or opens, and its impulse is found by a Newton-Coulomb step: first the
normal impulse, then the tangential one, projected on the disc mu p_n. The cone is exact.

Departs from the paper: (1) it sweeps over the velocities of m points, O(m^2) a sweep; here points
act on the twists of the links that they are on, so that a sweep is O(m). (2) Algorithm 1 prints the
test |f| < mu f_n; it must be |f_t| <= mu f_n, and a contact that opens has f = 0. (3) Eq. (5) would
drive a leaving point back into the ground; here only points that come down bounce (`touching.py`),
with as much of Eq. (4) as adds no energy; `newton_impacts` = 1 is Eq. (4) as printed. Impacts have
friction too. (4) `least_norm` = 1 (ours) evens out the forces of a foot on many points: it moves
them towards those of least norm with the same wrench, as far as the friction cones allow.
"""

import math
from typing import Annotated, NamedTuple

from stiction.compiled import kernel
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    IMPULSE_SOLVER,
    NO_PULL,
    Parameter,
    contact_model,
)
from stiction.contact.friction import MU, break_away, choose_friction
from stiction.contact.least_norm import even_out
from stiction.contact.spring_damper import Friction, Speed, Switch
from stiction.contact.warm_start import (
    NOT_CONVERGED,
    Fraction,
    Tolerance,
    recall_impulses,
    remember_impulses,
)
from stiction.kernels.response import (
    apply_impulse,
    arm_from_centre,
    delassus,
    gather_wrenches,
    respond_to_wrenches,
)
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
from stiction.kernels.tree import OK

INVERSE, NORMAL_STEP, TANGENT_STEP, PUSH = 2, 8, 9, 10  # columns of the room, see `prepare_point`
ROOM = 13
AGAIN = 8  # solutions in a step, each time that points break away


class GaussSeidel(NamedTuple):
    """Exact Coulomb friction and impacts, one contact after the other, Algorithm 1."""

    mu_static: Friction = 0.5  # 0: no static friction
    mu_kinetic: Friction = 0.5
    restitution: Fraction = 0.0
    rest_speed: Speed = 0.01  # points that come down more slowly do not bounce
    stick_speed: Speed = 1e-4  # points that slide more slowly are at rest
    newton_impacts: Switch = 0.0  # 1: Eq. (4) even where it adds energy
    least_norm: Switch = 0.0
    tolerance: Tolerance = 1e-8  # relative, of impulses
    sweeps: Annotated[float, Parameter("", low=1, high=1e6)] = 200.0


@contact_model(
    GaussSeidel,
    promises=(CONE_PER_POINT, NO_PULL),
    family=IMPULSE_SOLVER,
    point_state=4,
    room=ROOM,
)
def gauss_seidel(params, dynamics, contact, state, work, dt):
    """Write the impulses of all points, Algorithm 1."""
    response, room = work.response, work.room
    choose_friction(params, contact, room)
    recall_impulses(contact, state, dt)
    for i in range(contact.count[0]):
        prepare_point(contact, response, room, i)
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    sweeps, off, stage = 0, like(dt, 0), 0
    for _ in range(AGAIN):
        for _ in range(int(params.sweeps)):
            off = sweep(contact, response, room)
            sweeps += 1
            if off <= params.tolerance:
                break
        if off > params.tolerance:
            stage = NOT_CONVERGED
            break
        if break_away(params, contact, response, room) == 0:
            break
    if params.least_norm > 0:
        even_out(contact, response, room)
    response.report[0], response.report[1], response.report[2] = sweeps, off, stage
    remember_impulses(contact, state, dt)
    return OK


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
    moved, largest = like(room[0, MU], 0), like(room[0, MU], 1e-300)
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
    return math.sqrt(moved / largest)


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
