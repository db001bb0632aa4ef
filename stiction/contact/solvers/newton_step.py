"""One step of Newton's method for Coulomb friction: a linear system of six unknowns per link.

Equations are those of `coulomb.py`.
"""

from stiction.compiler.compiled import kernel
from stiction.contact.friction import OPEN, STICK
from stiction.contact.solvers.friction_cases import (
    constrained_velocity,
    implied_impulse,
)
from stiction.contact.solvers.link_blocks import (
    add_arm,
    add_outer,
    add_points,
    clear_block,
    no_arms,
)
from stiction.contact.solvers.wrench_system import factor_wrench_system, solve_wrench_system
from stiction.kernels.response import pair_twist, respond_to_wrenches
from stiction.kernels.vectors import add, cross, like, load_vector, scale, sub, zero_vector


@kernel
def take_newton_step(contact, response, cases, eps, hat, same):
    """Move w and t to where the cases balance; `same`: the factors of the last step are reused."""
    if not same:
        tangent_stiffness(contact, response, cases, eps)
        factor_wrench_system(contact, response)
    unbalance(contact, response, cases, eps, hat)
    solve_wrench_system(contact, response)
    add_step(contact, response)


@kernel
def add_step(contact, response):
    """Add the solution to the wrenches, and find the twists."""
    for touching in range(contact.touching_count[0]):
        for k in range(6):
            response.wrench[touching, k] += response.unbalance[touching, k]
    respond_to_wrenches(contact, response)  # Eq. (1)


@kernel
def tangent_stiffness(contact, response, cases, eps):
    """S of Eq. (10): minus the derivative of sum P'p over the twists, for the present cases."""
    S = response.tangent
    i = 0
    for touching in range(contact.touching_count[0]):
        clear_block(S, touching)
        k = like(eps, 1) / (eps * response.compliance[touching])
        centre = load_vector(response.centre, touching)
        sticking = no_arms(like(eps, 0))
        while i < contact.count[0] and contact.touching[i] == touching:
            case = cases.case[i]
            if case != OPEN:
                r = sub(load_vector(contact.arm, i), centre)
                if case == STICK:
                    sticking = add_arm(sticking, r)
                else:
                    n, d = load_vector(contact.normal, i), load_vector(cases.direction, i)
                    e = cross(n, d)
                    add_outer(S, touching, k, add(n, scale(cases.mu[i], d)), r, n)
                    add_outer(S, touching, cases.kappa[i], e, r, e)
            i += 1
        if sticking.points > 0:
            add_points(S, touching, k, sticking)


@kernel
def unbalance(contact, response, cases, eps, hat):
    """Right-hand side of Eq. (10): sum P'p - w, with the impulses that the cases imply."""
    right = response.unbalance
    i = 0
    for touching in range(contact.touching_count[0]):
        R, t = eps * response.compliance[touching], pair_twist(response, touching)
        centre = load_vector(response.centre, touching)
        force, moment = zero_vector(R), zero_vector(R)
        while i < contact.count[0] and contact.touching[i] == touching:
            if cases.case[i] != OPEN:
                r = sub(load_vector(contact.arm, i), centre)
                v = constrained_velocity(contact, i, t, r)
                p = implied_impulse(contact, cases, i, v, R, hat)
                force, moment = add(force, p), add(moment, cross(r, p))
            i += 1
        for k in range(3):
            right[touching, k] = force[k] - response.wrench[touching, k]
            right[touching, 3 + k] = moment[k] - response.wrench[touching, 3 + k]
