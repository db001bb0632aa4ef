"""One step of Newton's method for Coulomb friction: a linear system of six unknowns per link.

Equations are those of `coulomb.py`.
"""

from stiction.compiler.compiled import kernel
from stiction.contact.friction import OPEN, STICK
from stiction.contact.solvers.friction_cases import (
    compliance,
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
from stiction.kernels.linear_system import factor, store_six, substitute
from stiction.kernels.response import respond_to_wrenches
from stiction.kernels.spatial import load_twist
from stiction.kernels.vectors import add, cross, like, load_vector, scale, sub, zero_vector


@kernel
def take_newton_step(contact, response, cases, eps, hat, same):
    """Move w and t to where the cases balance; `same`: the factors of the last step are reused."""
    n = 6 * contact.touching_count[0]
    if not same:
        tangent_stiffness(contact, response, cases, eps)
        assemble(contact, response, cases.tangent)
        factor(response.linear, n)
    unbalance(contact, response, cases, eps, hat)
    substitute(response.linear, n)
    for touching in range(contact.touching_count[0]):
        for k in range(6):
            response.wrench[touching, k] += response.linear.right[6 * touching + k]
    respond_to_wrenches(contact, response)  # Eq. (1)


@kernel
def tangent_stiffness(contact, response, cases, eps):
    """S of Eq. (10): minus the derivative of sum P'p over the twists, for the present cases."""
    S = cases.tangent
    i = 0
    for touching in range(contact.touching_count[0]):
        clear_block(S, touching)
        k = like(eps, 1) / (eps * compliance(response, touching))
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
def assemble(contact, response, S):
    """Matrix of Eq. (10), 1 + S L; L is symmetric."""
    A, L = response.linear.matrix, response.inverse_inertia
    links, zero = contact.touching_count[0], like(A[0, 0], 0)
    for b in range(links):
        for c in range(links):
            for i in range(6):
                a0, a1, a2, a3, a4, a5 = zero, zero, zero, zero, zero, zero
                for q in range(6):
                    x, row = S[b, i, q], 6 * b + q
                    a0 += x * L[row, c, 0]
                    a1 += x * L[row, c, 1]
                    a2 += x * L[row, c, 2]
                    a3 += x * L[row, c, 3]
                    a4 += x * L[row, c, 4]
                    a5 += x * L[row, c, 5]
                store_six(A, 6 * b + i, 6 * c, (a0, a1, a2, a3, a4, a5))
    for k in range(6 * links):
        A[k, k] += like(zero, 1)


@kernel
def unbalance(contact, response, cases, eps, hat):
    """Right-hand side of Eq. (10): sum P'p - w, with the impulses that the cases imply."""
    right = response.linear.right
    i = 0
    for touching in range(contact.touching_count[0]):
        R, t = eps * compliance(response, touching), load_twist(response.twist, touching)
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
            right[6 * touching + k] = force[k] - response.wrench[touching, k]
            right[6 * touching + 3 + k] = moment[k] - response.wrench[touching, 3 + k]
