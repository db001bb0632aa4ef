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
at zero, 0 is as printed.

Eq. (7) has no friction below eps, and all of it above. But friction changes the speed of a point by
mu f dt / m in a step, far more than eps, so a body that should rest oscillates forever, a brick of
2 kg under 9.81 N. `sticking` = 1 (default, ours) holds a point by a spring along the ground, as
stiff and as damped as the normal one, whose force is limited to mu f_nu (P. A. Cundall and O. D. L.
Strack, "A discrete numerical model for granular assemblies", 1979). The point rests, does not
creep, and is stable at the same steps. `sticking` = 0 is as printed; eps matters only then.

Stiffness and damping are those of one point. On sides with more than eight points each has a share,
see `stiction.world.contact_points`.
"""

import math
from typing import NamedTuple

from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    FULL_FRICTION,
    NO_PULL,
    Outlook,
    contact_model,
    foresees,
    parameters,
    vector,
)
from stiction.contact.parameters import Damping, Friction, Speed, Stiffness, Switch
from stiction.contact.touched_axes import (
    from_touched,
    places_on_links,
    recall,
    remember,
    to_touched,
)
from stiction.kernels.kinematics import arm_to, seen_from
from stiction.kernels.tree import OK
from stiction.kernels.vectors import add, dot, like, scale, store_vector, sub, zero_vector

# What a point that sticks remembers: columns of `memory.now` and `memory.trial`.
TOUCHES = 0  # 1 while it is in the ground
SINCE = 1  # time at which its spring was last updated [s]
STRETCH = 2  # of its spring along the ground, three columns, in axes of what it touches [m]
OWN = 5  # on a body: where it touched then, in its own link and in the one that it touches [m]
UNDER = 8
POINT_STATE = 11


class SpringDamper(NamedTuple):
    """Spring and damper in parallel, Eq. (13)."""

    stiffness: Stiffness = 5.0e4
    damping: Damping = 500.0  # acts while the point sinks
    mu_kinetic: Friction = 0.5
    eps: Speed = 1e-4  # without sticking: slower than this, a point does not slip
    unilateral: Switch = 1.0
    sticking: Switch = 1.0  # 1: a spring along the ground holds a point; 0: Eq. (7)


class ImplicitSpringDamper(NamedTuple):
    """Spring and damper whose damping grows with the time step, Eq. (14)."""

    stiffness: Stiffness = 5.0e4
    damping: Damping = 500.0  # acts while the point sinks
    mu_kinetic: Friction = 0.5
    eps: Speed = 1e-4  # without sticking: slower than this, a point does not slip
    unilateral: Switch = 1.0
    sticking: Switch = 1.0  # 1: a spring along the ground holds a point; 0: Eq. (7)


def bearable_step(stiffness: float, damping: float, mass: float) -> float:
    """Return the longest step [s] at which semi-implicit Euler keeps a damped spring bounded.

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


@foresees(SpringDamper)
@foresees(ImplicitSpringDamper)
def creeps(p: SpringDamper | ImplicitSpringDamper, outlook: Outlook) -> str:
    """Predict that robots do not stand still where friction is that of Eq. (7)."""
    if p.sticking > 0 or p.mu_kinetic == 0 or outlook.gravity == 0:
        return ""
    change = p.mu_kinetic * outlook.gravity * outlook.dt
    return (
        f"without sticking, robots that should stand still creep: friction changes the speed of a "
        f"body by up to {1e3 * change:.2g} mm/s in a step and is zero below eps = "
        f"{1e3 * p.eps:.2g} mm/s. Expect {600 * max(change, p.eps):.2g} m in ten minutes, or more; "
        "use sticking=1"
    )


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


@kernel
def forget_stretch(params, memory):
    """Clear what points remember; those that touch write it again."""
    for point in range(memory.trial.shape[0]):
        memory.trial[point, TOUCHES] = 0


@subroutine
def way_on_body(dynamics, contact, now, i):
    """How far point i of a link has moved along another link since the last step [m].

    It is measured between the places that touched then: adding up velocities would let a body that
    turns with the one that carries it drift, in every step by half the distance that its
    acceleration covers.
    """
    a, b, nu = contact.body_a[i], contact.body_b[i], vector(contact.normal, i)
    own = arm_to(dynamics, a, recall(now, contact.point[i], OWN))
    under = arm_to(dynamics, b, recall(now, contact.point[i], UNDER))
    way = sub(own, seen_from(dynamics, b, a, under))
    return sub(way, scale(dot(nu, way), nu))


@subroutine
def remember_places(dynamics, contact, trial, i):
    """Remember where point i touches, on its own link and on the one that it touches."""
    own, under = places_on_links(dynamics, contact, i)
    remember(trial, contact.point[i], OWN, own)
    remember(trial, contact.point[i], UNDER, under)


@kernel
def store_held_force(dynamics, contact, memory, time, i, f_nu, held, p):
    """Write the force of a point with normal force f_nu that a spring holds along the ground.

    held: by a spring and a damper along the ground [N/m, N s/m]. Where their force exceeds
    friction, the point slips, and the spring with it. The spring turns with a body that is touched.
    """
    spring, damper = held
    nu, v = vector(contact.normal, i), vector(contact.velocity, i)
    if p.unilateral > 0 and f_nu < 0:
        f_nu = like(f_nu, 0)  # the ground does not pull
    point, now, trial = contact.point[i], memory.now, memory.trial
    v_sigma = sub(v, scale(dot(nu, v), nu))  # Eq. (8)
    stretch = zero_vector(f_nu)
    if now[point, TOUCHES] > 0:
        x = from_touched(dynamics, contact, i, recall(now, point, STRETCH))
        x = sub(x, scale(dot(nu, x), nu))
        way = scale(time - now[point, SINCE], v_sigma)
        if contact.body_b[i] > 0:
            way = way_on_body(dynamics, contact, now, i)
        stretch = add(x, way)
    pull = add(scale(spring, stretch), scale(damper, v_sigma))
    size, most = math.sqrt(dot(pull, pull)), p.mu_kinetic * max(f_nu, like(f_nu, 0))
    if size > most:
        pull = scale(most / size, pull)  # Eq. (12)
        stretch = scale(like(f_nu, 1) / spring, pull) if spring > 0 else zero_vector(f_nu)
    trial[point, TOUCHES], trial[point, SINCE] = like(f_nu, 1), time
    remember(trial, point, STRETCH, to_touched(dynamics, contact, i, stretch))
    if contact.body_b[i] > 0:
        remember_places(dynamics, contact, trial, i)
    store_vector(contact.force, i, sub(scale(f_nu, nu), pull))


@contact_model(
    SpringDamper,
    promises=(CONE_PER_POINT, NO_PULL, FULL_FRICTION),
    point_memory=POINT_STATE,
    longest_step=lambda p, mass: bearable_step(p.stiffness, p.damping, mass),
)
def spring_damper(params, dynamics, contact, memory, work, dt):
    """Write the forces of Eq. (13)."""
    forget_stretch(params, memory)
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        k, c = contact.share[i] * p.stiffness, contact.share[i] * p.damping
        d = contact.depth[i]
        d_dot = -dot(vector(contact.normal, i), vector(contact.velocity, i))  # below Eq. (5)
        f_nu = k * d
        if d_dot > 0:
            f_nu += c * d_dot  # Eq. (13)
        if p.sticking > 0:
            store_held_force(dynamics, contact, memory, work.clock[0], i, f_nu, (k, c), p)
        else:
            store_sliding_force(contact, i, f_nu, d_dot, p)
    return OK


@contact_model(
    ImplicitSpringDamper,
    promises=(CONE_PER_POINT, NO_PULL, FULL_FRICTION),
    point_memory=POINT_STATE,
    longest_step=lambda p, mass: implicit_bearable_step(p.stiffness, p.damping, mass),
)
def implicit_spring_damper(params, dynamics, contact, memory, work, dt):
    """Write the forces of Eq. (14)."""
    forget_stretch(params, memory)
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        k, c = contact.share[i] * p.stiffness, contact.share[i] * p.damping
        d = contact.depth[i]
        d_dot = -dot(vector(contact.normal, i), vector(contact.velocity, i))  # below Eq. (5)
        f_nu = k * (d + d_dot * dt)
        if d_dot > 0:
            f_nu += c * d_dot  # Eq. (14)
        if p.sticking > 0:
            store_held_force(dynamics, contact, memory, work.clock[0], i, f_nu, (k, c), p)
        else:
            store_sliding_force(contact, i, f_nu, d_dot, p)
    return OK
