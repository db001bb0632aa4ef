"""Sugihara & Nakamura, "Computation of Contact Force ... based on Multipoint Rigid Contact Model".

    Paper        Here              Meaning
    v_{i-}       v                 velocity of the point before the step
    nu_i         nu                unit normal of the touched face
    sigma_i      sigma             direction in which it slides, zero for one that does not, Eq. (6)
    v_{i+}       v_plus            velocity that the ideal rigid law gives it, Eq. (10)
    e_i          restitution
    M            P L P'            velocities per impulse, Eq. (17), see `pseudo_inverse.py`
    Delta a      room, WANTED      change of velocity that contact has to make, Eq. (17)
    Delta f      contact.impulse   impulses of the step, Eq. (16); forces times dt, Eq. (20)
    mu_S, mu_K   mu_static, mu_kinetic
    epsilon      eps               slower points do not slide

All points in the ground are first taken for ideal: they bounce along the normal and keep on along
the face. The impulses for that are those of least norm where there are many; points that would be
pulled are dropped and the rest is solved again. Then friction is put right, point by point.

Departs from the paper: (1) Eq. (6) has its two cases swapped. (2) In Eq. (21)-(23) and (27) f_sigma
is a length and sigma points along the sliding, so that f_nu nu + f_sigma sigma would drive it. Here
a sliding point has f = f_nu (nu - mu_K sigma), a point at rest keeps its tentative force along the
face, and one that just breaks away has mu_K f_nu in the direction of that force. (3) Eq. (19) picks
m independent rows of Eq. (17); where rows contradict each other (e > 0, a foot that turns) the
result would depend on the order of the points. Here it is the least-squares solution of least norm,
the same where they do not. (4) The paper leaves epsilon open. Friction takes mu g dt of speed in a
step, so with an epsilon below that a sliding foot is reversed instead of stopped; the default suits
steps of 1 ms. (5) Where the robot can hardly move its points, Eq. (18) asks for impulses without
bounds; `rank_tolerance` says when it cannot.

As in the paper, friction that is put right afterwards leaves the normal velocities a little off,
which the next step sees; and nothing takes back the depth to which a point came in its last step
above the ground.
"""

import math
from typing import NamedTuple

from stiction.compiled import kernel
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    IMPULSE_LAW,
    NO_PULL,
    UNIQUE_FORCES,
    contact_model,
    parameters,
    vector,
)
from stiction.contact.friction import tangential
from stiction.contact.pseudo_inverse import (
    CHOSEN,
    ROOM,
    WANTED,
    RankTolerance,
    least_norm_solution,
)
from stiction.contact.spring_damper import Friction, Speed
from stiction.contact.warm_start import Fraction
from stiction.kernels.response import free_velocity
from stiction.kernels.spatial import add, dot, scale, store_vector, sub
from stiction.kernels.tree import OK


class Multipoint(NamedTuple):
    """Rigid contact at many points: the ideal impulses of least norm, then friction."""

    mu_static: Friction = 0.5  # 0: no static friction
    mu_kinetic: Friction = 0.5
    restitution: Fraction = 0.0
    eps: Speed = 0.01
    rank_tolerance: RankTolerance = 3e-4


@contact_model(
    Multipoint,
    promises=(CONE_PER_POINT, NO_PULL, UNIQUE_FORCES),
    family=IMPULSE_LAW,
    room=ROOM,
)
def multipoint(params, dynamics, contact, state, work, dt):
    """Write the impulses of all points in the ground, steps 4 to 8 of section 3.3."""
    response, room = work.response, work.room
    want_rigid_motion(params, contact, response, room)
    solutions = 0
    for _ in range(contact.count[0] + 1):
        least_norm_solution(
            contact, response, room, params.rank_tolerance, contact.impulse
        )  # Eq. (17), (18)
        solutions += 1
        if drop_pulled(contact, room) == 0:
            break
    for i in range(contact.count[0]):
        if room[i, CHOSEN] > 0:
            correct_friction(params, contact, i)
    response.report[0], response.report[1], response.report[2] = solutions, 0, 0
    return OK


@kernel
def want_rigid_motion(params, contact, response, room):
    """Write Delta a: what is missing to the velocities of the ideal rigid law."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        nu, v = vector(contact.normal, i), vector(contact.velocity, i)
        v_nu, v_sigma = dot(nu, v), tangential(nu, v)  # Eq. (8), (9)
        v_plus = scale(-p.restitution * v_nu, nu)  # Eq. (11)
        if math.sqrt(dot(v_sigma, v_sigma)) > p.eps:  # Eq. (6)
            v_plus = add(v_plus, v_sigma)  # Eq. (10), (12)
        room[i, CHOSEN] = 1
        contact.floor[i] = dot(nu, v_plus)
        delta_a = sub(v_plus, free_velocity(contact, response, i))
        for k in range(3):
            room[i, WANTED + k] = delta_a[k]


@kernel
def drop_pulled(contact, room):
    """Leave out the points that the ground would have to pull, Eq. (24); returns how many."""
    dropped = 0
    for i in range(contact.count[0]):
        if room[i, CHOSEN] > 0 and dot(vector(contact.normal, i), vector(contact.impulse, i)) < 0:
            room[i, CHOSEN] = 0
            dropped += 1
    return dropped


@kernel
def correct_friction(params, contact, i):
    """Keep the friction of a point that rests and holds; else make it kinetic."""
    p = parameters(params, contact.table, contact.pair[i])
    nu, v, f = vector(contact.normal, i), vector(contact.velocity, i), vector(contact.impulse, i)
    f_nu, f_sigma, v_sigma = dot(nu, f), tangential(nu, f), tangential(nu, v)  # Eq. (21)-(23)
    speed, friction = math.sqrt(dot(v_sigma, v_sigma)), math.sqrt(dot(f_sigma, f_sigma))
    if speed > p.eps:
        f_sigma = scale(-p.mu_kinetic * f_nu / speed, v_sigma)  # Eq. (26)
    elif friction > p.mu_static * f_nu:
        f_sigma = scale(p.mu_kinetic * f_nu / friction, f_sigma)  # Eq. (27)
    # else as it is: Eq. (25), (28)
    store_vector(contact.impulse, i, add(scale(f_nu, nu), f_sigma))
