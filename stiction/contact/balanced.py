"""Sugihara & Nakamura, "Balanced Micro/Macro Contact Model for Forward Dynamics of Rigid ...".

    Paper         Here                  Meaning
    d_i, d_i'     d, d_dot              penetration depth and its rate, Eq. (4), (5)
    nu_i          nu                    unit normal of the touched face
    v_sigma i     v_sigma               velocity along the face, Eq. (8)
    T             `press_membrane`      points in the membrane
    S, K          STICK, SLIP           deeper points, with static and with kinetic friction
    k_i, c_i      stiffness, damping    of the membrane
    Delta f_i     contact.impulse       impulse of the step, Eq. (22)
    v_i + v_B i   velocity_after        at the end of the step, without macro impulses, Eq. (24)
    A, v, (33)    `bounded_least_squares.py`
    lambda        relaxation
    mu_S, mu_K    mu_static, mu_kinetic
    e_i           restitution
    epsilon       eps                   slower than this a point does not move, Eq. (7)

Rigid bodies are covered with a membrane. A point in it is pressed by a spring and a damper whose
damping grows with the step. A point that is deeper is stopped within the step, by the impulses that
miss this least while their norm, weighted with lambda, is small; they do not pull. Friction is then
set right point by point.

Departs from the paper:

(1) Eqs. (13)-(15) print f = -k d - c d', which pulls down with the depth of Eq. (4); the sign is
reversed here. Eq. (14) pulls where a point leaves faster than d / dt; `unilateral` = 1 (default,
ours) cuts the force off at zero, 0 is as printed. The exponents are ours, for the nonlinear
springs that the paper allows: k z^alpha + c d^beta d' with z = d + d' dt; alpha = 1, beta = 0 is
Eq. (14). With any exponents the damper acts only while the point sinks.
(2) Eq. (2) lacks a term of b, and Eqs. (20), (21) leave all but gravity out of it, so that stuck
points would creep. Here v_B has (u_E - b) dt, as Eq. (15) of the authors' multipoint paper.
Velocities at the end of the step are those with the Jacobians of its beginning.
(3) A point sticks if |v_sigma| <= eps as in II-B, not |v| as in III-B: a vertical landing has
static friction. With Eq. (25) nothing that sticks would bounce; Eq. (29) is used for all normals.
(4) Eq. (29) would pull points back that leave the ground, v_nu > 0. Those faster than eps are left
out; slower ones are at rest for this model.
(5) A of Eq. (32) is not symmetric once points slide, so Eq. (33) has A'A + lambda in it. lambda is
in kg^-2 and the paper's values, 0.01 to 4, hold for its robot of 5 kg; `relative` = 1 (default,
ours) takes it in units of (tr A / n)^2, n being the number of rows, friction left out of A. It is
one number for all materials, and not zero: then the impulses of more than three points would not be
unique.
(6) The paper does not say what acts beyond the membrane. By default it is the macro model alone:
then nothing holds the depth, and m points under a mass M sink at lambda (M / m)^2 g dt. With
`spring_beyond` = 1 the membrane acts as well and holds them up.
(7) `mu_static` = 0 is legal, Fig. 9: a point at rest that would need any friction has the kinetic.

Kinetic friction takes mu_K g dt of speed in a step and turns round what is slower; it then comes to
rest only if eps, which the paper leaves open, is above that: 4 mm/s for 1 ms.
"""

import math
from typing import Annotated, NamedTuple

from stiction.compiled import kernel
from stiction.contact.bounded_least_squares import (
    DIRECTION,
    ROOM,
    WANTED,
    bounded_impulse,
    bounded_least_squares,
)
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    IMPULSE_LAW,
    NO_PULL,
    UNIQUE_FORCES,
    Parameter,
    contact_model,
    parameters,
    vector,
)
from stiction.contact.friction import KIND, OPEN, SLIP, STICK, tangential
from stiction.contact.hunt_crossley import DEPTH, Exponent
from stiction.contact.spring_damper import (
    Friction,
    Speed,
    Switch,
    implicit_bearable_step,
    store_sliding_force,
)
from stiction.contact.warm_start import NOT_CONVERGED, Fraction
from stiction.kernels.response import gather_wrenches, respond_to_wrenches, velocity_after
from stiction.kernels.spatial import add, dot, like, scale, store_vector, sub, zero_vector
from stiction.kernels.tree import OK


class Balanced(NamedTuple):
    """A membrane of springs on rigid ground that stops what is deeper, Eq. (14) and (33)."""

    stiffness: Annotated[float, Parameter("N/m^alpha", low=0)] = 5512.0
    damping: Annotated[float, Parameter("N s/m^(1+beta)", low=0)] = 158.0  # while a point sinks
    alpha: Exponent = 1.0
    beta: Exponent = 0.0
    thickness: Annotated[float, Parameter("m", low=0)] = 5e-4  # of the membrane
    spring_beyond: Switch = 0.0  # 1: the membrane acts on deeper points as well
    relaxation: Annotated[float, Parameter("kg^-2", low=1e-12)] = 1e-4
    relative: Switch = 1.0  # 1: relaxation is in units of (tr A / n)^2
    mu_static: Friction = 1.0
    mu_kinetic: Friction = 0.4
    restitution: Fraction = 0.0
    eps: Speed = 0.01
    unilateral: Switch = 1.0


def bearable_in_membrane(p: Balanced, mass: float) -> float:
    """Return the longest step [s] with the stiffness and damping of the membrane at its bottom."""
    depth = DEPTH if p.spring_beyond > 0 else min(p.thickness, DEPTH)
    if depth == 0:
        return math.inf
    stiffness = p.alpha * p.stiffness * depth ** (p.alpha - 1) if p.alpha > 0 else 0.0
    return implicit_bearable_step(stiffness, p.damping * depth**p.beta, mass)


@contact_model(
    Balanced,
    promises=(CONE_PER_POINT, NO_PULL, UNIQUE_FORCES),
    family=IMPULSE_LAW,
    room=ROOM,
    longest_step=bearable_in_membrane,
)
def balanced(params, dynamics, contact, state, work, dt):
    """Write the impulses of all points, steps 4 to 7 of section III-D."""
    response, room = work.response, work.room
    press_membrane(params, contact, dt)
    iterations, off, solved = 0, like(dt, 0), True
    if choose_macro(params, contact, room) > 0:
        gather_wrenches(contact, response)  # Eq. (18)
        respond_to_wrenches(contact, response)  # Eq. (24)
        ask_velocities(params, contact, response, room)
        iterations, off, solved = bounded_least_squares(  # Eq. (33)
            contact,
            response,
            room,
            like(dt, params.relaxation),
            params.relative > 0,
            dynamics.tree.slack[0],
        )
        for i in range(contact.count[0]):
            if room[i, KIND] != OPEN:
                store_macro_impulse(params, contact, response, room, i)
    response.report[0], response.report[1] = iterations, off
    response.report[2] = 0 if solved else NOT_CONVERGED
    return OK


# ------------------------------------------------------------------------------------- micro, III-A


@kernel
def press_membrane(params, contact, dt):
    """Impulses of the points in the membrane, zero for the deeper ones unless the spring acts."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        d = contact.depth[i]
        store_vector(contact.impulse, i, zero_vector(dt))
        if d < p.thickness or p.spring_beyond > 0:
            d_dot = -dot(vector(contact.normal, i), vector(contact.velocity, i))  # below Eq. (5)
            store_sliding_force(contact, i, membrane_force(p, d, d_dot, dt), d_dot, p)  # Eq. (12)
            store_vector(contact.impulse, i, scale(dt, vector(contact.force, i)))


@kernel
def membrane_force(p, d, d_dot, dt):
    """f_nu, with the spring at the end of the step."""
    z = d + d_dot * dt
    f_nu = p.stiffness * math.copysign(abs(z) ** p.alpha, z)
    if d_dot > 0:
        f_nu += p.damping * d**p.beta * d_dot  # Eq. (14)
    return f_nu


# ------------------------------------------------------------------------------------- macro, III-B


@kernel
def choose_macro(params, contact, room):
    """Sort the points: deeper than the membrane and stuck or sliding, or none; returns how many."""
    count = 0
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        nu, v = vector(contact.normal, i), vector(contact.velocity, i)
        room[i, KIND] = OPEN
        if contact.depth[i] < p.thickness or dot(nu, v) > p.eps:
            continue
        v_sigma = tangential(nu, v)
        speed = math.sqrt(dot(v_sigma, v_sigma))
        room[i, KIND] = SLIP if speed > p.eps else STICK
        c = nu
        if speed > p.eps:
            c = sub(nu, scale(p.mu_kinetic / speed, v_sigma))  # Eq. (26)
        room[i, DIRECTION], room[i, DIRECTION + 1], room[i, DIRECTION + 2] = c
        count += 1
    return count


@kernel
def ask_velocities(params, contact, response, room):
    """Right-hand sides of Eq. (30), (31): what macro impulses are to add to the velocities."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        nu = vector(contact.normal, i)
        v_nu = min(dot(nu, vector(contact.velocity, i)), like(p.restitution, 0))
        v_next = scale(-p.restitution * v_nu, nu)  # Eq. (25), (29)
        v = sub(v_next, velocity_after(contact, response, i))
        room[i, WANTED], room[i, WANTED + 1], room[i, WANTED + 2] = v


# ---------------------------------------------------------------------------------- friction, III-C


@kernel
def store_macro_impulse(params, contact, response, room, i):
    """Add the macro impulse of point i to that of the membrane, with friction that is possible."""
    p = parameters(params, contact.table, contact.pair[i])
    nu = vector(contact.normal, i)
    f = add(vector(contact.impulse, i), bounded_impulse(contact, response, room, i))
    if room[i, KIND] == STICK:
        f_nu = max(dot(nu, f), like(p.eps, 0))
        f_phi = tangential(nu, f)
        size = math.sqrt(dot(f_phi, f_phi))  # Eq. (35)
        if size > p.mu_static * f_nu:
            f_phi = scale(p.mu_kinetic * f_nu / size, f_phi)  # Eq. (36)
        f = add(scale(f_nu, nu), f_phi)
    store_vector(contact.impulse, i, f)
