"""Sugihara & Nakamura, "Computation of Contact Force ... based on Multipoint Rigid Contact Model".

    Paper        Here              Meaning
    v_{i-}       v                 velocity of the point before the step
    nu_i         nu                unit normal of the touched face
    sigma_i      sigma             direction in which it slides, zero for one that does not, Eq. (6)
    v_{i+}       v_plus            velocity that the ideal rigid law gives it, Eq. (10)
    e_i          restitution
    M            P L P'            velocities per impulse, Eq. (17), see `pseudo_inverse.py`
    Delta a      problem.wanted    change of velocity that contact has to make, Eq. (17)
    Delta f      contact.impulse   impulses of the step, Eq. (16); forces times dt, Eq. (20)
    mu_S, mu_K   mu_static, mu_kinetic
    epsilon      eps               slower points do not slide; 0: see `rest.py`

All points in the ground are first treated as ideal: they bounce along the normal and keep their
velocity along the face. Where the impulses for that are not unique, those of least norm are taken;
points that would be pulled are dropped and the rest is solved again. Then friction is corrected,
point by point.

Departs from the paper: (1) Eq. (6) has its two cases swapped. (2) In Eq. (21)-(23) and (27) f_sigma
is a magnitude and sigma points along the slip, so f_nu nu + f_sigma sigma would drive it. Here a
sliding point has f = f_nu (nu - mu_K sigma), a point at rest keeps its tentative force along the
face, and one that just breaks away has mu_K f_nu in the direction of that force. (3) Eq. (19) picks
m independent rows of Eq. (17); where rows contradict each other (e > 0, a foot that turns) the
result would depend on the order of the points. Here it is the least-squares solution of least norm,
the same where they do not. (4) The paper gives no epsilon, and no constant suits all cases:
friction reverses points that are slower than the speed it takes from them in a step. By default,
`eps` = 0, a point rests if friction can stop it within the step (`rest.py`). Eq. (26) is then used
only for points that it cannot stop, so friction never reverses the slip. `eps` > 0 is the paper's
constant; with 0.01 m/s a ball that lands at 5 m/s leaves with 1.4 times its energy. (5) Impulses
along the normal are found for points that keep their velocity along the face, Eq. (12), and
friction then replaces the impulses that keep it. Where the two are coupled, as at the corner of a
cube, the point is thrown up. `capped` = 1, the default, scales the impulses on a robot down until
they do no work on it, in steps in which a point slides; 0 is as printed. (6) Where the robot can
hardly move its points, Eq. (18) requires unbounded impulses; `rank_tolerance` sets when they count
as immovable. Above 1e-5, feet tied together by joints stuck in friction count as immovable relative
to each other and creep; the joints then alternate between moving and sticking, which takes three
solutions a step.

As in the paper, correcting friction afterwards leaves an error in the normal velocities, which the
next step sees; and penetration from the step of impact remains.
"""

import math
from typing import NamedTuple

from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    FULL_FRICTION,
    IMPULSE_LAW,
    NO_PULL,
    UNIQUE_FORCES,
    contact_model,
    parameters,
    vector,
)
from stiction.contact.friction import tangential
from stiction.contact.parameters import Friction, RankTolerance, Restitution, Speed, Switch
from stiction.contact.rest import (
    cannot_stop,
    faster_than_constant,
    link_stops,
    may_slide,
    slip_speed,
    take_back_work,
)
from stiction.contact.scratch import PerPoint
from stiction.contact.solvers.pseudo_inverse import LeastNorm, least_norm_solution
from stiction.kernels.response import free_velocity, report_solution
from stiction.kernels.tree import OK
from stiction.kernels.vectors import add, dot, scale, store_vector, sub


class Multipoint(NamedTuple):
    """Rigid contact at many points: the ideal impulses of least norm, then friction."""

    mu_static: Friction = 0.5  # 0: no static friction
    mu_kinetic: Friction = 0.5
    restitution: Restitution = 0.0
    eps: Speed = 0.0  # 0: a point rests if friction can stop it within the step
    rank_tolerance: RankTolerance = 1e-5
    capped: Switch = 1.0  # 1: impulses of points that slide do no work on the robot


class MultipointScratch(NamedTuple):
    """Which points slide, and the problem of Eq. (17)."""

    slides: PerPoint  # 1 for the points that do
    problem: LeastNorm


@contact_model(
    Multipoint,
    promises=(CONE_PER_POINT, NO_PULL, FULL_FRICTION, UNIQUE_FORCES),
    family=IMPULSE_LAW,
    scratch=MultipointScratch,
)
def multipoint(params, dynamics, contact, memory, work, dt):
    """Write the impulses of all points in the ground, steps 4 to 8 of section 3.3."""
    response, scratch = work.response, work.scratch
    presume_rest(params, contact, scratch)
    solutions = rigid_impulses(params, contact, response, scratch, contact.impulse)
    if may_slide(params, contact):
        let_slide(params, contact, scratch)
        solutions += rigid_impulses(params, contact, response, scratch, contact.force)
        sliding, stopped = stop_where_possible(params, contact, scratch)
        if sliding > 0 and stopped > 0:
            solutions += rigid_impulses(params, contact, response, scratch, contact.impulse)
        elif sliding > 0:  # the same points that were let slide
            for i in range(contact.count[0]):
                store_vector(contact.impulse, i, vector(contact.force, i))
    slides = False
    for i in range(contact.count[0]):
        correct_friction(params, contact, scratch, i)
        slides = slides or scratch.slides[i] > 0
    if slides and params.capped > 0:
        take_back_work(dynamics, contact, response)
    report_solution(response, solutions, 0, 0)
    return OK


# ------------------------------------------------------------------------------------ rest or slide


@kernel
def presume_rest(params, contact, scratch):
    """Write which points slide, Eq. (6); with eps = 0 the solution decides, and none does yet."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        scratch.slides[i] = faster_than_constant(p, slip_speed(contact, i))


@kernel
def let_slide(params, contact, scratch):
    """With eps = 0, let every moving point slide."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        if p.eps == 0:
            scratch.slides[i] = slip_speed(contact, i) > 0


@kernel
def stop_where_possible(params, contact, scratch):
    """Hold the points that friction can stop within the step; returns how many slide and stop."""
    sliding = stopped = 0
    for touching in range(contact.touching_count[0]):
        stops = link_stops(params, contact, touching)
        for i in range(contact.count[0]):
            p = parameters(params, contact.table, contact.pair[i])
            if contact.touching[i] == touching and p.eps == 0:
                slides = not stops and cannot_stop(params, contact, i)
                stopped += scratch.slides[i] > 0 and not slides
                scratch.slides[i] = slides
                sliding += slides
    return sliding, stopped


# ------------------------------------------------------------------------------- the ideal impulses


@kernel
def rigid_impulses(params, contact, response, scratch, impulse):
    """Impulses of the ideal rigid law that do not pull, steps 4 to 7; returns how many solves."""
    want_rigid_motion(params, contact, response, scratch)
    solutions = 0
    for _ in range(contact.count[0] + 1):
        # Eq. (18), or (19) where there are more points than their links have freedoms
        least_norm_solution(contact, response, scratch.problem, params.rank_tolerance, impulse)
        solutions += 1
        if drop_pulled(contact, scratch, impulse) == 0:
            break
    return solutions


@kernel
def want_rigid_motion(params, contact, response, scratch):
    """Write Delta a: the velocity changes that the ideal rigid law requires."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        nu, v = vector(contact.normal, i), vector(contact.velocity, i)
        v_nu = dot(nu, v)  # Eq. (8)
        v_plus = scale(-p.restitution * v_nu, nu)  # Eq. (11)
        if scratch.slides[i] > 0:
            v_plus = add(v_plus, tangential(nu, v))  # Eq. (10), (12)
        scratch.problem.chosen[i] = 1
        contact.least_velocity[i] = dot(nu, v_plus)
        delta_a = sub(v_plus, free_velocity(contact, response, i))  # Eq. (17)
        store_vector(scratch.problem.wanted, i, delta_a)


@kernel
def drop_pulled(contact, scratch, impulse):
    """Drop the points that the ground would have to pull, Eq. (24); returns how many."""
    dropped = 0
    for i in range(contact.count[0]):
        if scratch.problem.chosen[i] > 0 and dot(vector(contact.normal, i), vector(impulse, i)) < 0:
            scratch.problem.chosen[i] = 0
            dropped += 1
    return dropped


@kernel
def correct_friction(params, contact, scratch, i):
    """Keep the friction of a point that rests and holds; else make it kinetic."""
    p = parameters(params, contact.table, contact.pair[i])
    nu, v, f = vector(contact.normal, i), vector(contact.velocity, i), vector(contact.impulse, i)
    f_nu, f_sigma, v_sigma = dot(nu, f), tangential(nu, f), tangential(nu, v)  # Eq. (21)-(23)
    speed, friction = math.sqrt(dot(v_sigma, v_sigma)), math.sqrt(dot(f_sigma, f_sigma))  # Eq. (9)
    if scratch.slides[i] > 0:
        f_sigma = scale(-p.mu_kinetic * f_nu / speed, v_sigma)  # Eq. (26)
    elif friction > p.mu_static * f_nu:
        f_sigma = scale(p.mu_kinetic * f_nu / friction, f_sigma)  # Eq. (27)
    # else unchanged: Eq. (25), (28)
    store_vector(contact.impulse, i, add(scale(f_nu, nu), f_sigma))
