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
pull, it is zero (`unilateral` = 1, default; 0 is as printed). Friction is that of a sliding point,
Eq. (12) of `spring_damper`; the tangential springs belong to the model of the whole paper.
"""

from typing import Annotated, NamedTuple

from stiction.contact.contact_model import (
    CONE_PER_POINT,
    NO_PULL,
    UNIQUE_FORCES,
    Parameter,
    contact_model,
    parameters,
    vector,
)
from stiction.contact.spring_damper import (
    Friction,
    Speed,
    Switch,
    bearable_step,
    store_sliding_force,
)
from stiction.kernels.spatial import dot
from stiction.kernels.tree import OK

DEPTH = 1e-3  # at which the longest step is told: deeper, the law is stiffer [m]
Exponent = Annotated[float, Parameter("", low=0, high=10)]


class HuntCrossley(NamedTuple):
    """Spring and damper with exponents of the depth, Eq. (16); Hunt and Crossley's by default."""

    stiffness: Annotated[float, Parameter("N/m^alpha", low=0)] = 1.0e6
    damping: Annotated[float, Parameter("N s/m^(1+beta)", low=0)] = 1.0e6
    alpha: Exponent = 1.5
    beta: Exponent = 1.5
    mu_kinetic: Friction = 0.5
    eps: Speed = 1e-4
    unilateral: Switch = 1.0


def bearable_at_depth(p: HuntCrossley, mass: float) -> float:
    """Return the longest step [s] with the stiffness and damping that the law has at DEPTH."""
    stiffness = p.alpha * p.stiffness * DEPTH ** (p.alpha - 1) if p.alpha > 0 else 0.0
    return bearable_step(stiffness, p.damping * DEPTH**p.beta, mass)


@contact_model(
    HuntCrossley,
    promises=(CONE_PER_POINT, NO_PULL, UNIQUE_FORCES),
    longest_step=bearable_at_depth,
)
def hunt_crossley(params, dynamics, contact, state, work, dt):
    """Write the forces of Eq. (16)."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        d = contact.depth[i]
        d_dot = -dot(vector(contact.normal, i), vector(contact.velocity, i))
        f_n = p.stiffness * d**p.alpha + p.damping * d**p.beta * d_dot  # Eq. (16)
        store_sliding_force(contact, i, f_n, d_dot, p)
    return OK
