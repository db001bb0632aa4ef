"""Contact with faceted friction cones as a complementarity problem, solved by Lemke's method.

Equations are those of `faceted_lcp.py`. With 0 facets there is no friction, and only Eq. (1) holds.

The unknowns of a point are contiguous: c, and with friction beta_0 .. beta_{n-1}, lambda. Impulses
count as velocities g p, g the mean velocity of a point per impulse on it, and all of them relative
to the largest velocity without contact: the entries of M and q are around 1.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from stiction.collision.detection import NEVER
from stiction.compiler.compiled import as_python, kernel
from stiction.contact.scratch import PerPoint, VectorPerPoint
from stiction.contact.solvers.lemke import RAY, SOLVED, Lemke, lemke, refine
from stiction.errors import InputError
from stiction.kernels.response import delassus, free_velocity
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    load_vector,
    scale,
    store_vector,
    sub,
    transform,
    zero_vector,
)

MOST_FACETS = 16
MOST_UNKNOWNS = 8000  # two matrices of 0.5 GB
STEEP = 0.9  # cosine of the angle to the normal within which a link's x axis gives no direction
IMMOVABLE = 1e-12  # velocity of a point per impulse on it that counts as none [1/kg]
COMPLIANCE = 1e-4, 100.0  # of a point, relative to g; or in slacks of the precision
TRIALS = 3  # with other compliances:
STIFFER, SOFTER = 1e-2, 1e2  # factors if the error stays too large; and if Lemke's method fails
ROUNDS = 8  # solutions in a trial, each with the compliance about the last impulses ...
FINE = 1e-5  # ... until the error is this part of the accuracy
PIVOTS = 5  # at most, per unknown; usually fewer than one
ROUNDING = 0.1  # in slacks: numbers around 1 that differ by less are equal for Lemke's method
INACCURATE = 3  # status of a solution that rounding has spoilt
PerFacet = Annotated[np.ndarray, (MOST_FACETS,)]
Scalar = Annotated[np.ndarray, (1,)]


class FacetedCones(NamedTuple):
    """Scratch: friction polygons of the points, and their complementarity problem."""

    mu: PerPoint  # coefficient of friction
    point: PerPoint  # points in the problem, in its order
    first: VectorPerPoint  # d_0 of every point
    cosine: PerFacet  # of the angle from d_0 to d_k
    sine: PerFacet
    size: Scalar  # unknowns of the last problem
    problem: Lemke


class Setup(NamedTuple):
    """Size and units of a problem."""

    facets: int  # n, or 0
    points: int  # m
    eps: float  # compliance R / g
    g: float  # mean velocity of a point per impulse on it [1/kg]
    speed: float  # largest velocity without contact [m/s]


class Solution(NamedTuple):
    """How a problem was solved."""

    pivots: int
    error: float  # of a velocity [m/s]
    status: int  # of Lemke's method, or INACCURATE


def unknowns_of(model: str, facets: int, points: int) -> int:
    """Unknowns of a problem with so many points; raises InputError if they are too many."""
    unknowns = as_python(unknowns_per_point)(facets) * points
    if unknowns > MOST_UNKNOWNS:
        raise InputError(
            f"{model} with {facets} facets has {unknowns} unknowns for the {points} contact points "
            f"of this world, and at most {MOST_UNKNOWNS}; use fewer contact points "
            "(`robot.with_colliding`, `with_sole_points`), fewer facets, or Coulomb"
        )
    return unknowns


@kernel
def unknowns_per_point(facets):
    """n + 2, or 1 without friction."""
    return facets + 2 if facets > 0 else 1


@kernel
def solve_faceted(dynamics, contact, response, cones, facets, accuracy):
    """Write the impulses of all points; returns a `Solution`.

    accuracy: error of a velocity that is negligible [m/s].
    """
    slack = dynamics.tree.slack[0]
    clear_impulses(contact)  # also of points that are not in the problem
    points = prepare_cones(dynamics, contact, cones, facets)
    cones.size[0] = unknowns_per_point(facets) * points
    g, speed = choose_units(contact, response, cones, points)
    pivots, error, status = 0, like(slack, 0), SOLVED
    eps = max(like(slack, COMPLIANCE[0]), like(slack, COMPLIANCE[1]) * slack)
    if g <= like(g, IMMOVABLE):  # no impulse helps
        error = fastest_approach(contact, response, cones, points)
        status = RAY if error > accuracy else SOLVED
    elif speed > 0:
        for _ in range(TRIALS):
            setup = Setup(facets, points, eps, g, speed)
            taken, error, status = solve_softly(contact, response, cones, setup, slack, accuracy)
            pivots += taken
            if status == SOLVED and error <= accuracy:
                break
            eps *= like(slack, STIFFER if status == SOLVED else SOFTER)
    return Solution(pivots, error, status)


@kernel
def clear_impulses(contact):
    """Begin without impulses."""
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, zero_vector(contact.depth[0]))


@kernel
def solve_softly(contact, response, cones, setup, slack, accuracy):
    """Solve with compliance, and remove the velocities that it leaves, Eq. (4).

    Returns pivots, the error of a velocity and the status of Lemke's method.
    """
    problem, n = cones.problem, unknowns_per_point(setup.facets) * setup.points
    rounding = like(slack, ROUNDING) * slack
    pivots, error, status = 0, like(slack, 0), SOLVED
    clear_impulses(contact)
    write_matrix(contact, response, cones, setup)
    for k in range(ROUNDS):
        write_velocities(contact, response, cones, setup)
        if k == 0 or refine(problem, n) < -rounding:
            if k > 0 and error <= accuracy:
                break
            taken, status = lemke(problem, n, PIVOTS * n, rounding)
            pivots += taken
            if status == SOLVED:
                refine(problem, n)
        moved = store_impulses(contact, cones, setup)
        wrong = setup.speed * complementarity_error(problem, n)
        error = setup.eps * moved + wrong
        if status == SOLVED and wrong > accuracy:
            status = INACCURATE
        if error <= like(accuracy, FINE) * accuracy or status != SOLVED:
            break
    return pivots, error, status


# ----------------------------------------------------------------------------------- friction cones


@kernel
def prepare_cones(dynamics, contact, cones, facets):
    """Choose the points that may touch, and the directions of their facets; returns how many."""
    half, m = facets // 2, 0
    for k in range(half):
        angle = like(cones.mu[0], math.pi * k / half)
        cones.cosine[k], cones.sine[k] = math.cos(angle), math.sin(angle)
        cones.cosine[k + half], cones.sine[k + half] = -cones.cosine[k], -cones.sine[k]
    for i in range(contact.count[0]):
        store_vector(cones.first, i, first_direction(dynamics, contact, i))
        if contact.least_velocity[i] > NEVER:
            cones.point[m] = i
            m += 1
    return m


@kernel
def first_direction(dynamics, contact, i):
    """d_0 of point i: the x axis of its link along the ground, or y where x is steep."""
    n, R, link = load_vector(contact.normal, i), dynamics.rotation, contact.body_a[i]
    axis = (R[link, 0, 0], R[link, 1, 0], R[link, 2, 0])
    if abs(dot(n, axis)) > like(n[0], STEEP):
        axis = (R[link, 0, 1], R[link, 1, 1], R[link, 2, 1])
    along = sub(axis, scale(dot(n, axis), n))
    return scale(like(n[0], 1) / math.sqrt(dot(along, along)), along)


@kernel
def choose_units(contact, response, cones, m):
    """g of `Setup`, and its speed: 0 if no point comes down."""
    g = fastest = like(cones.mu[0], 0)
    for a in range(m):
        i = int(cones.point[a])
        G, v = delassus(contact, response, i, i), start_velocity(contact, response, i)
        g += G[0][0] + G[1][1] + G[2][2]
        fastest = max(fastest, dot(v, v))
    return g / like(g, max(3 * m, 1)), math.sqrt(fastest)


@kernel
def fastest_approach(contact, response, cones, m):
    """Largest velocity without contact towards the ground [m/s]."""
    fastest = like(cones.mu[0], 0)
    for a in range(m):
        i = int(cones.point[a])
        v = start_velocity(contact, response, i)
        fastest = max(fastest, -dot(load_vector(contact.normal, i), v))
    return fastest


@kernel
def start_velocity(contact, response, i):
    """Velocity of point i without contact, relative to its least velocity."""
    least = scale(-contact.least_velocity[i], load_vector(contact.normal, i))
    return add(free_velocity(contact, response, i), least)


# --------------------------------------------------------------------------------------- M, q and z


@kernel
def write_matrix(contact, response, cones, setup):
    """Write M of all points, block by block."""
    facets, g = setup.facets, setup.g
    for a in range(setup.points):
        for b in range(setup.points):
            i, j = int(cones.point[a]), int(cones.point[b])
            G = delassus(contact, response, i, j)
            x, y, z = local_axes(contact, cones, j)
            columns = transform(G, x), transform(G, y), transform(G, z)
            inverse = like(g, 1) / g
            own = setup.eps if a == b else like(g, 0)
            x, y, z = local_axes(contact, cones, i)
            K = (
                local_row(x, columns, inverse, (own, like(g, 0), like(g, 0))),
                local_row(y, columns, inverse, (like(g, 0), own, like(g, 0))),
                local_row(z, columns, inverse, (like(g, 0), like(g, 0), own)),
            )
            write_block(cones, facets, a, b, K)
        if facets > 0:
            write_friction(cones, facets, a, cones.mu[int(cones.point[a])])


@kernel
def local_axes(contact, cones, i):
    """Axes of point i: normal, d_0, and the direction at a right angle to both."""
    n, d = load_vector(contact.normal, i), load_vector(cones.first, i)
    return n, d, cross(n, d)


@kernel
def local_row(axis, columns, inverse, own):
    """Row of G / g + R / g in local axes."""
    x, y, z = columns
    return add(scale(inverse, (dot(axis, x), dot(axis, y), dot(axis, z))), own)


@kernel
def write_block(cones, facets, a, b, K):
    """Write the velocities of point a per unknown of point b, given those in local axes."""
    M, cosine, sine = cones.problem.M, cones.cosine, cones.sine
    row, first = unknowns_per_point(facets) * a, unknowns_per_point(facets) * b
    M[row, first] = K[0][0]  # Eq. (1)
    if facets == 0:
        return
    lambda_a, lambda_b = row + facets + 1, first + facets + 1
    M[row, lambda_b] = M[lambda_a, first] = M[lambda_a, lambda_b] = 0
    for k in range(facets):
        c, s = cosine[k], sine[k]
        M[row, first + 1 + k] = c * K[0][1] + s * K[0][2]
        M[row + 1 + k, first] = c * K[1][0] + s * K[2][0]
        M[row + 1 + k, lambda_b] = M[lambda_a, first + 1 + k] = 0
        along, across = c * K[1][1] + s * K[2][1], c * K[1][2] + s * K[2][2]
        for l in range(facets):
            M[row + 1 + k, first + 1 + l] = along * cosine[l] + across * sine[l]


@kernel
def write_friction(cones, facets, a, mu):
    """Write the terms of lambda, and the limit of friction, of point a."""
    M, row = cones.problem.M, (facets + 2) * a
    last = row + facets + 1
    M[last, row] = mu  # Eq. (3)
    for k in range(facets):
        M[row + 1 + k, last] = 1  # Eq. (2)
        M[last, row + 1 + k] = -1


@kernel
def write_velocities(contact, response, cones, setup):
    """Write q: velocities without contact, with the compliance about the present impulses."""
    q, R, facets = cones.problem.q, setup.eps * setup.g, setup.facets
    for a in range(setup.points):
        i, row = int(cones.point[a]), unknowns_per_point(facets) * a
        x, y, z = local_axes(contact, cones, i)
        about = scale(R, load_vector(contact.impulse, i))
        v = sub(start_velocity(contact, response, i), about)  # Eq. (4)
        v = scale(like(R, 1) / setup.speed, v)
        q[row] = dot(x, v)
        if facets > 0:
            q[row + facets + 1] = 0
        for k in range(facets):
            q[row + 1 + k] = cones.cosine[k] * dot(y, v) + cones.sine[k] * dot(z, v)


@kernel
def store_impulses(contact, cones, setup):
    """Write the impulses of all points; returns the largest change, as a velocity [m/s].

    Rounding may leave friction beyond its limit; it is cut to that.
    """
    unit, most = setup.speed / setup.g, like(setup.g, 0)
    for a in range(setup.points):
        i = int(cones.point[a])
        x, y, z = local_axes(contact, cones, i)
        normal, along, across = impulse_of(cones, setup.facets, a, cones.mu[i])
        p = scale(unit, add(scale(normal, x), add(scale(along, y), scale(across, z))))
        change = sub(p, load_vector(contact.impulse, i))
        most = max(most, dot(change, change))
        store_vector(contact.impulse, i, p)
    return setup.g * math.sqrt(most)


@kernel
def impulse_of(cones, facets, a, mu):
    """Impulse of point a in local axes."""
    z, row = cones.problem.z, unknowns_per_point(facets) * a
    along = across = total = like(mu, 0)
    for k in range(facets):
        beta = z[row + 1 + k]
        along, across = along + beta * cones.cosine[k], across + beta * cones.sine[k]
        total += beta
    limit = mu * z[row]
    share = limit / total if total > limit else like(mu, 1)
    return z[row], share * along, share * across


@kernel
def complementarity_error(problem, n):
    """Largest min(z, w), which is 0 if w = M z + q, w >= 0, z >= 0, w'z = 0."""
    most = like(problem.q[0], 0)
    for i in range(n):
        w = problem.q[i]
        for j in range(n):
            w += problem.M[i, j] * problem.z[j]
        most = max(most, abs(min(w, problem.z[i])))
    return most
