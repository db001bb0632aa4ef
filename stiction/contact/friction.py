"""Static or kinetic: the coefficient of friction of each point, for the impulse solvers.

A point at rest has the static coefficient, one that slides the kinetic one. A point at rest that
friction cannot hold slides in the same step, with the kinetic coefficient, so breaking away takes
no extra step. A static coefficient of 0 means that there is no static friction.
"""

import math

from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import parameters
from stiction.kernels.response import free_velocity, velocity_after
from stiction.kernels.vectors import dot, like, load_vector, scale, sub

BROKEN = 1e-4  # of `speed_scale`: faster than the error of a solution that has converged
SURELY_BROKEN = 1e-3  # of it: faster than the error of one that has nearly converged
OPEN = 0.0  # case of a point: no force acts on it
STICK = 1.0  # case of a point: it does not move along the surface
SLIP = 2.0  # case of a point: it moves, and its force is on the friction cone


FAST = 1e-2, 1e3  # see `speed_scale`: fraction of the highest speed; or in slacks of the precision


@kernel
def speed_scale(dynamics, contact, response, dt):
    """Speed to which a solver's tolerance is relative: gravity's velocity change in a step [m/s].

    Or a hundredth of the speed of the fastest point, where that is more: in a hard impact, or
    without gravity. In single precision, where velocities are less accurate, a tenth of it.
    """
    gravity = dynamics.tree.gravity
    square = gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]
    fastest = like(dt, 0)
    for i in range(contact.count[0]):
        v = free_velocity(contact, response, i)
        fastest = max(fastest, dot(v, v))
    part = max(like(dt, FAST[0]), like(dt, FAST[1]) * dynamics.tree.slack[0])
    return max(dt * math.sqrt(square), part * math.sqrt(fastest))


@kernel
def tangential(n, v):
    """Part of v along the ground."""
    return sub(v, scale(dot(n, v), n))


@kernel
def choose_friction(params, contact, mu):
    """Write the coefficient of every point for its present sliding speed."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        v = sub(load_vector(contact.velocity, i), load_vector(contact.carried, i))
        v_t = tangential(load_vector(contact.normal, i), v)
        slides = math.sqrt(dot(v_t, v_t)) > p.stick_speed
        mu[i] = p.mu_kinetic if slides else p.mu_static


@kernel
def break_away(params, contact, response, mu, speed):
    """Switch points that did not hold to their kinetic coefficient; returns how many.

    A point does not hold if it was treated as at rest and the solver leaves it with more than
    `speed`, which is above the error of the solution.
    """
    changed = 0
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        if p.mu_static > p.mu_kinetic and mu[i] == p.mu_static:
            v_t = tangential(load_vector(contact.normal, i), velocity_after(contact, response, i))
            loaded = dot(load_vector(contact.normal, i), load_vector(contact.impulse, i)) > 0
            if loaded and math.sqrt(dot(v_t, v_t)) > speed:
                mu[i] = p.mu_kinetic
                changed += 1
    return changed
