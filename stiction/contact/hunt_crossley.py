"""The family of normal laws of Bruneau & Ouezdou, "Distributed Ground/Walking Robot Interaction".

Section 3.1.1, Eqs. (5), (13)-(16): f_n = k_n d^alpha + mu_n d^beta d_dot with d = -y the depth.

    Paper     Here        Meaning
    -y_i      d           penetration depth
    k_n       stiffness   generalised stiffness
    mu_n      damping     generalised damping
    alpha     alpha       exponent of the spring
    beta      beta        exponent of the damper

    Member of the family     alpha   beta   damping
    linear, Eq. (5)          1       0      any
    Hertz, Eq. (13)          1.5     -      0
    Kelvin-Voigt, Eq. (14)   1.5     0      any
    Hunt-Crossley, Eq. (15)  any     alpha  any
    both chosen, Eq. (16)    any     any    any

Departs from the paper: Eqs. (5) and (13)-(15) are printed with the sign of a force that pulls;
Eq. (16), whose sign is right, is used for all. Where a point leaves so fast that the force would
pull, it is zero (`unilateral` = 1, default; 0 is as printed). Friction is that of `spring_damper`:
a point sticks by a spring along the ground, here as stiff as the normal one is at the present
depth, f_n / d, and damped by the normal damper and by taking the spring at the end of the step; or,
with `sticking` = 0, Eq. (7) and (12) there. The tangential springs of the whole paper, and its
friction of whole feet, are in `distributed`.

The law is stiffer the deeper a point is. Its longest step is evaluated at the depth reached in a
landing: all of the robot's mass on one side of a link, with the energy of its fall.
"""

import math
from typing import Annotated, NamedTuple

from stiction.contact.contact_model import (
    CONE_PER_POINT,
    FULL_FRICTION,
    NO_PULL,
    Parameter,
    contact_model,
    parameters,
    vector,
)
from stiction.contact.parameters import Exponent, Friction, Speed, Switch
from stiction.contact.spring_damper import (
    POINT_STATE,
    bearable_step,
    forget_stretch,
    store_held_force,
    store_sliding_force,
)
from stiction.kernels.tree import OK
from stiction.kernels.vectors import dot, like

DEPTH = 1e-3  # least depth at which the longest step is evaluated: deeper, the law is stiffer [m]


class HuntCrossley(NamedTuple):
    """Spring and damper with exponents of the depth, Eq. (16); Hunt and Crossley's by default."""

    stiffness: Annotated[float, Parameter("N/m^alpha", low=0)] = 1.0e6
    damping: Annotated[float, Parameter("N s/m^(1+beta)", low=0)] = 1.0e6
    alpha: Exponent = 1.5
    beta: Exponent = 1.5
    mu_kinetic: Friction = 0.5
    eps: Speed = 1e-4  # without sticking: slower than this, a point does not slip
    unilateral: Switch = 1.0
    sticking: Switch = 1.0  # 1: a spring along the ground holds a point; 0: Eq. (7)


def bearable_at_depth(p: HuntCrossley, mass: float, depth: float = DEPTH) -> float:
    """Return the longest stable step [s] with the law's stiffness and damping at a depth."""
    d = max(depth, DEPTH)
    stiffness = p.alpha * p.stiffness * d ** (p.alpha - 1) if p.alpha > 0 else 0.0
    return bearable_step(stiffness, p.damping * d**p.beta, mass)


def landing_depth(p: HuntCrossley, mass: float, speed: float, gravity: float) -> float:
    """Return the depth [m] reached by a point that lands with a mass on it, without damping.

    There k d^(alpha + 1) / (alpha + 1) = m v^2 / 2 + m g d.
    """
    if p.stiffness == 0:
        return DEPTH
    d = 0.0
    for _ in range(200):  # converges by a factor of at least 1 / (alpha + 1) each time
        energy = mass * (speed**2 / 2 + gravity * d)
        before, d = d, ((p.alpha + 1) * energy / p.stiffness) ** (1 / (p.alpha + 1))
        if math.isclose(d, before, rel_tol=1e-9):
            break
    return d


@contact_model(
    HuntCrossley,
    promises=(CONE_PER_POINT, NO_PULL, FULL_FRICTION),
    point_memory=POINT_STATE,
    longest_step=bearable_at_depth,
    landing_depth=landing_depth,
)
def hunt_crossley(params, dynamics, contact, memory, work, dt):
    """Write the forces of Eq. (16)."""
    forget_stretch(params, memory)
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        d = contact.depth[i]
        d_dot = -dot(vector(contact.normal, i), vector(contact.velocity, i))
        k, c = contact.share[i] * p.stiffness * d**p.alpha, contact.share[i] * p.damping * d**p.beta
        f_n = k + c * d_dot  # Eq. (16)
        if p.sticking > 0:
            spring = k / d if d > 0 else like(d, 0)
            held = (spring, c + spring * dt)
            store_held_force(dynamics, contact, memory, work.clock[0], i, f_n, held, p)
        else:
            store_sliding_force(contact, i, f_n, d_dot, p)
    return OK
