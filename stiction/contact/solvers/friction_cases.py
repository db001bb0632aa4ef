"""Open, stick or slip: the case of every point under Coulomb's law, and what its case implies.

Equations are those of `coulomb.py`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from stiction.compiler.compiled import kernel
from stiction.contact.friction import OPEN, SLIP, STICK
from stiction.contact.scratch import PerPoint, VectorPerPoint
from stiction.kernels.response import pair_twist
from stiction.kernels.spatial import load_wrench, point_velocity
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

IMPOSSIBLE = 100.0  # negligible speeds: an error above is one, however large impulses are


class FrictionCases(NamedTuple):
    """Scratch: the case of every point."""

    mu: PerPoint  # coefficient of friction
    case: PerPoint  # OPEN, STICK or SLIP
    direction: VectorPerPoint  # d: where friction pushes a point that slips
    kappa: PerPoint  # how d turns with the velocity
    start: VectorPerPoint  # impulse that the next step starts from: before it was polished


class Judgement(NamedTuple):
    """How far impulses and velocities are from Coulomb's law."""

    error: float  # the largest, as a velocity: impulse times g [m/s]
    largest: float  # impulse, as a velocity [m/s]
    changes: int  # points whose case has changed
    turned: float  # by how much friction that turned has changed, as a velocity [m/s]


@kernel
def relative_tolerance(accuracy, largest):
    """Error allowed for impulses of this size [m/s].

    What is squeezed between parts that do not yield has no solution, and impulses without bound.
    """
    return min(accuracy.tolerance * largest, like(largest, IMPOSSIBLE) * accuracy.speed)


@kernel
def is_impossible(accuracy, largest):
    """Return whether impulses grow without bound, or are no numbers."""
    return not accuracy.tolerance * largest <= like(largest, IMPOSSIBLE) * accuracy.speed


@kernel
def constrained_velocity(contact, i, twist, r):
    """Velocity of point i at the end of the step, relative to the least velocity, Eq. (2)."""
    n = load_vector(contact.normal, i)
    v = add(load_vector(contact.velocity, i), point_velocity(twist, r))
    return add(v, scale(-contact.least_velocity[i], n))


@kernel
def implied_impulse(contact, cases, i, v, R, hat):
    """Impulse of point i by its case, at the velocity v; hat: the fraction of p that is p^."""
    case, p = cases.case[i], load_vector(contact.impulse, i)
    if case == OPEN:
        return zero_vector(R)  # Eq. (6)
    if case == STICK:
        return sub(scale(hat, p), scale(like(R, 1) / R, v))  # Eq. (7)
    n, d = load_vector(contact.normal, i), load_vector(cases.direction, i)
    normal = hat * dot(n, p) - dot(n, v) / R
    e = cross(n, d)
    along = add(n, scale(cases.mu[i], d))
    sideways = cases.kappa[i] * (dot(e, v) - hat * R * dot(e, p))
    return sub(scale(normal, along), scale(sideways, e))  # Eq. (8)


@kernel
def judge_points(contact, response, cases, eps, hat, solved, softness):
    """Find the case of every point, and how far all of them are from the law: a `Judgement`.

    Impulses become those on the cone. `solved`: the twists are those of a linear solve and imply
    the impulses; these must also add up to the wrenches.
    """
    largest, error, turned, changes = like(eps, 0), like(eps, 0), like(eps, 0), 0
    i = 0
    for touching in range(contact.touching_count[0]):
        g, t = response.compliance[touching], pair_twist(response, touching)
        centre = load_vector(response.centre, touching)
        w = load_wrench(response.wrench, touching)
        force, moment, reach, first = w.force, w.moment, like(eps, 0), i
        off, size, turn = like(eps, 0), like(eps, 0), like(eps, 0)
        while i < contact.count[0] and contact.touching[i] == touching:
            r = sub(load_vector(contact.arm, i), centre)
            v = constrained_velocity(contact, i, t, r)
            p = load_vector(contact.impulse, i)
            if solved:
                p = implied_impulse(contact, cases, i, v, eps * g, hat)
                force, moment = sub(force, p), sub(moment, cross(r, p))
                reach = max(reach, dot(r, r))
            v = add(v, scale((like(eps, 1) - hat) * eps * g, p))
            case, d, kappa = cases.case[i], load_vector(cases.direction, i), cases.kappa[i]
            on_cone = project(contact, cases, i, p, v, softness * g, eps * g)
            store_vector(contact.impulse, i, on_cone)
            change = sub(on_cone, p)
            off = max(off, dot(change, change))
            size = max(size, dot(on_cone, on_cone))
            changes += cases.case[i] != case
            if cases.case[i] == SLIP:
                turn = max(turn, turning(contact, cases, i, d, kappa, v))
            i += 1
        if solved:  # shared by the points, whose errors are independent
            points = like(eps, i - first)
            off = max(off, dot(force, force) / points)
            if reach > 0:
                off = max(off, dot(moment, moment) / (reach * points))
        error = max(error, g * g * off)  # Eq. (12)
        largest = max(largest, g * g * size)
        turned = max(turned, g * g * turn)
    return Judgement(math.sqrt(error), math.sqrt(largest), changes, math.sqrt(turned))


@kernel
def turning(contact, cases, i, d, kappa, v):
    """Change of the impulse of a point that slips, squared, since d and kappa have changed."""
    n, now = load_vector(contact.normal, i), load_vector(cases.direction, i)
    limit, turn = cases.mu[i] * dot(n, load_vector(contact.impulse, i)), sub(now, d)
    sideways = (cases.kappa[i] - kappa) * dot(cross(n, now), v)
    return max(limit * limit * dot(turn, turn), sideways * sideways)


@kernel
def project(contact, cases, i, p, v, g, R):
    """Project y = p - v / g on the friction cone, Eq. (5), and write the case of the result.

    A point that slipped one way and would now slip the other way comes to rest between the two;
    treating it as sticking ends what would alternate forever.
    """
    n = load_vector(contact.normal, i)
    y = sub(p, scale(like(g, 1) / g, v))
    y_n = dot(n, y)
    if y_n <= 0:
        cases.case[i] = OPEN
        return zero_vector(g)
    y_t = sub(y, scale(y_n, n))
    squared, limit = dot(y_t, y_t), cases.mu[i] * y_n
    if squared <= limit * limit:
        cases.case[i] = STICK
        return y
    size = math.sqrt(squared)
    d = scale(like(g, 1) / size, y_t)
    reversed_slip = cases.case[i] == SLIP and dot(d, load_vector(cases.direction, i)) < 0
    cases.case[i] = STICK if reversed_slip else SLIP
    store_vector(cases.direction, i, d)
    cases.kappa[i] = limit / (g * (size - limit) + R * limit)  # Eq. (9)
    return add(scale(y_n, n), scale(limit, d))
