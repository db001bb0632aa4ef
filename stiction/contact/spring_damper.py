"""Sugihara & Nakamura, "Balanced Micro/Macro Contact Model ...", section III-A.

    Paper      Here               Meaning
    d_i        d                  penetration depth, Eq. (4)
    nu_i       nu                 unit normal of the touched face
    v_i        v                  velocity of the point, Eq. (5)
    v_sigma    v_sigma            its part along the face, Eq. (8)
    k, c       stiffness, damping
    mu_K       mu_kinetic
    epsilon    eps                slower than this a point does not slip, Eq. (7)

Departs from the paper: Eqs. (13) and (14) print f_nu = -k d - c d_dot. With the depth of Eq. (4),
which is positive inside, that force would pull the foot down; the sign is reversed here. Eq. (14)
pulls where a point leaves faster than d / dt; `unilateral` = 1 (default, ours) cuts the force off
at zero, 0 is as printed. Static friction is not part of this model: below eps there is none.
"""

import math
from typing import Annotated, NamedTuple

from stiction.compiled import kernel
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    NO_PULL,
    UNIQUE_FORCES,
    Parameter,
    contact_model,
    parameters,
    vector,
)
from stiction.kernels.spatial import add, dot, like, scale, store_vector
from stiction.kernels.tree import OK

Stiffness = Annotated[float, Parameter("N/m", low=0)]
Damping = Annotated[float, Parameter("N s/m", low=0)]
Friction = Annotated[float, Parameter("", low=0)]
Speed = Annotated[float, Parameter("m/s", low=0)]
Switch = Annotated[float, Parameter("0 or 1", low=0, high=1)]


class SpringDamper(NamedTuple):
    """Spring and damper in parallel, Eq. (13)."""

    stiffness: Stiffness = 5.0e4
    damping: Damping = 500.0  # acts while the point sinks
    mu_kinetic: Friction = 0.5
    eps: Speed = 1e-4
    unilateral: Switch = 1.0


class ImplicitSpringDamper(NamedTuple):
    """Spring and damper whose damping grows with the time step, Eq. (14)."""

    stiffness: Stiffness = 5.0e4
    damping: Damping = 500.0  # acts while the point sinks
    mu_kinetic: Friction = 0.5
    eps: Speed = 1e-4
    unilateral: Switch = 1.0


def bearable_step(stiffness: float, damping: float, mass: float) -> float:
    """Return the longest step [s] with which semi-implicit Euler keeps a damped spring in bounds.

    The velocity changes by -dt (k x + c v) / m, then the position by dt times the new velocity:
    bounded while k dt^2 / 2 + c dt <= 2 m.
    """
    if stiffness == 0:
        return 2 * mass / damping if damping > 0 else math.inf
    return (math.sqrt(damping**2 + 4 * stiffness * mass) - damping) / stiffness


def implicit_bearable_step(stiffness: float, damping: float, mass: float) -> float:
    """Return the same with the damping c + k dt of Eq. (14): 3 k dt^2 / 2 + c dt <= 2 m."""
    if stiffness == 0:
        return bearable_step(0.0, damping, mass)
    return (math.sqrt(damping**2 + 12 * stiffness * mass) - damping) / (3 * stiffness)


@kernel
def store_sliding_force(contact, i, f_nu, d_dot, p):
    """Write the force of a point with normal force f_nu that slides or rests, Eq. (7) and (12)."""
    nu, v = vector(contact.normal, i), vector(contact.velocity, i)
    if p.unilateral > 0 and f_nu < 0:
        f_nu = like(f_nu, 0)  # the ground does not pull
    v_sigma = add(v, scale(d_dot, nu))  # Eq. (8)
    speed = math.sqrt(dot(v_sigma, v_sigma))
    f = scale(f_nu, nu)
    if speed > p.eps:  # Eq. (7)
        f = add(f, scale(-p.mu_kinetic * f_nu / speed, v_sigma))  # Eq. (12)
    store_vector(contact.force, i, f)


@contact_model(
    SpringDamper,
    promises=(CONE_PER_POINT, NO_PULL, UNIQUE_FORCES),
    longest_step=lambda p, mass: bearable_step(p.stiffness, p.damping, mass),
)
def spring_damper(params, dynamics, contact, state, work, dt):
    """Write the forces of Eq. (13)."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        d = contact.depth[i]
        d_dot = -dot(vector(contact.normal, i), vector(contact.velocity, i))  # below Eq. (5)
        f_nu = p.stiffness * d
        if d_dot > 0:
            f_nu += p.damping * d_dot  # Eq. (13)
        store_sliding_force(contact, i, f_nu, d_dot, p)
    return OK


@contact_model(
    ImplicitSpringDamper,
    promises=(CONE_PER_POINT, NO_PULL, UNIQUE_FORCES),
    longest_step=lambda p, mass: implicit_bearable_step(p.stiffness, p.damping, mass),
)
def implicit_spring_damper(params, dynamics, contact, state, work, dt):
    """Write the forces of Eq. (14)."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        d = contact.depth[i]
        d_dot = -dot(vector(contact.normal, i), vector(contact.velocity, i))  # below Eq. (5)
        f_nu = p.stiffness * (d + d_dot * dt)
        if d_dot > 0:
            f_nu += p.damping * d_dot  # Eq. (14)
        store_sliding_force(contact, i, f_nu, d_dot, p)
    return OK
