"""Rengifo et al., "A penalty-based approach for contact forces computation in bipedal robots".

    Paper            Here                  Meaning
    phi_i, p_iz      -contact.depth        distance of the point from the ground
    p_i'             v, contact.velocity   velocity of the point
    D' A^-1 D        P L P'                accelerations per force, Eq. (16), `pseudo_inverse.py`
    D' A^-1 (...) + B_c   free_acceleration     acceleration without contact, Eq. (16)
    p_i''^d          p_dd                  acceleration that the model imposes, Eq. (17)
    F'               contact.force         forces that would impose it, Eq. (18)
    k_p, k_v         position_gain, velocity_gain
    mu               mu_kinetic            of sticking and sliding
    epsilon          steady_depth          depth at which points come to rest, section V

The ground is a controller: it gives every point in it the acceleration of a spring and a damper,
whatever the mass. Input-output linearisation yields the forces that this requires. Forces that pull
or leave the friction cone are cut off; only then do the accelerations differ. The law is evaluated
in every stage of an integrator; `held` = 1 keeps the forces of the first stage through the step.

Departs from the paper: (1) the points in contact are those with phi <= 0, not phi = 0. (2) Eq. (20)
needs |cos| and |sin|: as printed, min(|f_y|, mu f_n sin(theta)) with a negative sine reverses a
force inside the cone. With them, both components shrink by the same factor, so the vector is cut
off at mu f_n. (3) In section V, with z up, the target is p_z = -epsilon. (4) Eq. (9) prints one
speed below which a brick on a ramp sticks, (g / k_v) (mu cos - sin), for both directions; that is
downhill, uphill it is (g / k_v) (mu cos + sin). Also, restitution depends on k_p / k_v^2, not on
k_p / k_v; and rising points are not damped, so they leave the ground with a rebound.
(5) The paper's epsilon, 1e-6 m, is less than a point falls in a step of 1 ms, g dt^2 = 1e-5 m, so
false impacts remain; the default here suits such steps. (6) Where the robot can hardly move its
points, Eq. (18) requires unbounded forces; `rank_tolerance` sets when they count as immovable.
"""

import math
from typing import Annotated, NamedTuple

from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import (
    ACCELERATION_LAW,
    CONE_PER_POINT,
    FULL_FRICTION,
    NO_PULL,
    UNIQUE_FORCES,
    Parameter,
    contact_model,
    parameters,
    vector,
)
from stiction.contact.friction import tangential
from stiction.contact.parameters import Friction, RankTolerance, Switch
from stiction.contact.solvers.pseudo_inverse import LeastNorm, least_norm_solution
from stiction.kernels.response import free_acceleration
from stiction.kernels.tree import OK
from stiction.kernels.vectors import add, dot, like, scale, store_vector, sub


class Feedback(NamedTuple):
    """The ground controls the accelerations of the points in it, within the friction cone."""

    position_gain: Annotated[float, Parameter("1/s2", low=0)] = 500.0
    velocity_gain: Annotated[float, Parameter("1/s", low=0)] = 250.0
    mu_kinetic: Friction = 0.5
    steady_depth: Annotated[float, Parameter("m", low=0)] = 1e-4
    held: Switch = 0.0
    rank_tolerance: RankTolerance = 3e-4


def calm_step(p: Feedback, mass: float) -> float:
    """Return the longest step [s] after which a velocity has not changed its sign.

    A point at rest on the ground loses k_v dt of its speed in a step, whatever its mass; with the
    spring, k_p dt^2 + k_v dt <= 1.
    """
    if p.position_gain == 0:
        return 1.0 / p.velocity_gain if p.velocity_gain > 0 else math.inf
    root = math.sqrt(p.velocity_gain**2 + 4 * p.position_gain)
    return (root - p.velocity_gain) / (2 * p.position_gain)


@contact_model(
    Feedback,
    promises=(CONE_PER_POINT, NO_PULL, FULL_FRICTION, UNIQUE_FORCES),
    family=ACCELERATION_LAW,
    scratch=LeastNorm,
    longest_step=calm_step,
)
def feedback(params, dynamics, contact, memory, work, dt):
    """Write the forces of Eq. (18), saturated."""
    response, problem = work.response, work.scratch
    for i in range(contact.count[0]):
        p_dd = desired_acceleration(params, contact, i)
        missing = sub(p_dd, free_acceleration(dynamics, contact, response, i))  # Eq. (16)
        problem.chosen[i] = 1
        store_vector(problem.wanted, i, missing)
    # Eq. (18)
    least_norm_solution(contact, response, problem, params.rank_tolerance, contact.force)
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        f = saturate(vector(contact.force, i), vector(contact.normal, i), p.mu_kinetic)
        store_vector(contact.force, i, f)
    return OK


@kernel
def desired_acceleration(params, contact, i):
    """Acceleration that stops point i and brings it to the steady depth."""
    p = parameters(params, contact.table, contact.pair[i])
    nu, v, d = vector(contact.normal, i), vector(contact.velocity, i), contact.depth[i]
    v_n = dot(nu, v)
    normal = p.position_gain * (d - p.steady_depth)  # section V
    normal -= p.velocity_gain * min(like(v_n, 0), v_n)
    return add(scale(normal, nu), scale(-p.velocity_gain, tangential(nu, v)))  # Eq. (17)


@kernel
def saturate(f, nu, mu):
    """Cut a force off at zero along the normal and at mu times that along the ground."""
    f_n, f_t = max(like(mu, 0), dot(nu, f)), tangential(nu, f)  # Eq. (19)
    size, limit = math.sqrt(dot(f_t, f_t)), mu * f_n
    if size > limit:
        f_t = scale(limit / size, f_t)  # Eq. (20)
    return add(scale(f_n, nu), f_t)
