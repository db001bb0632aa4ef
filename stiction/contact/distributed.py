"""Bruneau & Ouezdou, "Distributed Ground/Walking Robot Interaction", section 3, Eqs. (16)-(41).

    Paper           Here                   Meaning
    -y_i            d                      penetration depth of a testing point
    k_n, mu_n       stiffness, damping     of Eq. (16), with the exponents alpha and beta
    x_i, z_i        x                      displacement along the ground from the anchor
    k_t, mu_t       tangential_stiffness, tangential_damping
    f*, f^s         f_stick, f_slip        tangential forces of a point that sticks, or slides
    t_i             t                      direction of the tangential force when sliding began
    V_t             V_t                    velocity along t_i, negative while the point slides
    mu_t^s          sliding_damping
    lambda_s, _d    mu_static, mu_kinetic
    t^*s, t^s*      BEGUN                  time at which a transition began
    T_*s, T_s*      sliding_time, sticking_time
    g_s, g^*s, g^s* PHASE                  what a point does: five phases instead of three switches
    F_n, F_t        F_N, F_T               forces of all points of a foot, which is a link

A point sticks, begins to slide together with its foot when |F_t| reaches lambda_s F_n, slides, and
stops by itself. Eq. (41), the moment on a foot, is `Motion.foot_wrench`. The normal law alone, with
the exponents of Eqs. (5), (13)-(15), is `HuntCrossley`.

Departs from the paper:
- Eq. (16) pulls where a point leaves fast: cut off at zero, unless `unilateral` = 0 (as printed).
- Eqs. (22), (25), (26): V_t is negative, so "- mu |V_t|" would reduce friction, and the factors
  mu x' cos(theta) depend on the axes. Here f = (lambda_d f_n - mu V_t) t_i, whatever the heading;
  |F_t| / F_n of a sliding foot is then lambda_d + (sum of mu |V_t|) / F_n.
- Eq. (40) without memory ends sliding at once, because lambda_d < lambda_s: sliding is latched. A
  point begins if condition 1 fails and its own V_t < 0, and ends when V_t >= 0, Eq. (30).
- Not specified: the anchor is set where a point touches and again where it stops sliding. An
  interrupted transition gives way to the next one, which starts from the force reached. A point
  that lands on a sliding foot slides along its own velocity, and so does a point that begins to
  slide without a tangential force. A point that leaves the ground forgets everything.
- Normals may differ (rough ground): F_n adds numbers, F_t vectors; t_i is kept in the ground.

Limits of the law itself: forces jump where a point lands with a speed along the ground, since Eqs.
(17), (18) are without f_n (that is why the cone per point is not promised: only feet obey lambda_s,
and only as long as they do not slide); beta = 0.02 jumps too, (1e-6)^0.02 is 0.76; nothing resists
motion perpendicular to t_i while a point slides; a foot that turns on the spot has no F_t and never
slides; lambda_s = lambda_d leaves no margin: on a slope near the friction angle a brick alternates
between sticking and sliding, and rotates. A point that lands with a high speed along the ground
sticks first, which brakes it for T_*s. Points with a radius are anchored where they touch, so a
rolling ball winds up its spring.

Stiffness and damping are those of one testing point, as in the paper: unlike in the other force
laws, the hundreds of vertices of a hull do not share them. Give such a foot testing points with
`robot.with_sole_points`, and parameters with `from_material` or `stiction tune sole`.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

from stiction.collision.belt import TRAVEL
from stiction.compiler.compiled import formula, kernel
from stiction.contact.contact_model import (
    NO_PULL,
    Parameter,
    contact_model,
    parameters,
    vector,
)
from stiction.contact.contact_state import TO_SLIP, TO_STICK, contact_state
from stiction.contact.elastic_sole import sole_parameters
from stiction.contact.friction import OPEN, SLIP, STICK, tangential
from stiction.contact.hunt_crossley import DEPTH, HuntCrossley, bearable_at_depth, landing_depth
from stiction.contact.parameters import Damping, Duration, Exponent, Friction, Stiffness, Switch
from stiction.contact.spring_damper import bearable_step
from stiction.contact.touched_axes import (
    from_touched,
    place_in_world,
    place_on_touched,
    recall,
    remember,
    to_touched,
)
from stiction.kernels.tree import OK
from stiction.kernels.vectors import (
    add,
    dot,
    like,
    load_vector,
    scale,
    store_vector,
    sub,
    zero_vector,
)

FREE = OPEN  # the other phases of a point: STICK, TO_SLIP, SLIP, TO_STICK

# What a point remembers: columns of `memory.now` and `memory.trial`; a vector takes three.
PHASE = 0
BEGUN = 1  # time at which the transition began [s]
INTERRUPTED = 2  # 1 if it interrupted another transition
ANCHOR = 3  # position, on the ground or the touched body, where the point began to stick [m]
DIRECTION = 6  # t_i
HELD = 9  # tangential force when another transition was interrupted [N]
POINT_STATE = 12

# What a foot remembers.
SLIDING = 0  # number of points that slide
F_N = 1  # [N]
F_T = 2  # three wide [N]
GROUP_STATE = 5


class Distributed(NamedTuple):
    """Testing points under each sole that stick or slide, with transitions of a given duration."""

    stiffness: Annotated[float, Parameter("N/m^alpha", low=0)] = 9950.0
    damping: Annotated[float, Parameter("N s/m^(1+beta)", low=0)] = 450.0
    alpha: Exponent = 1.2
    beta: Exponent = 0.02
    tangential_stiffness: Stiffness = 90.0
    tangential_damping: Damping = 950.0
    sliding_damping: Damping = 1.0
    mu_static: Friction = 0.7  # of a whole foot
    mu_kinetic: Friction = 0.4
    sliding_time: Duration = 0.01  # from sticking to sliding
    sticking_time: Duration = 0.01  # from sliding to sticking
    unilateral: Switch = 1.0

    @classmethod
    def from_material(
        cls,
        *,
        young_modulus: float,
        poisson_ratio: float,
        thickness: float | None = None,
        area: float | None = None,
        radius: float | None = None,
        restitution: float = 0.5,
        impact_speed: float = 0.5,
        depth: float = 1e-3,
        **others: float,
    ) -> Distributed:
        """Return the law of a sole of an elastic material; see `stiction.contact.elastic_sole`.

        Either a pad of a thickness [m] with an area per point [m2], or rounded studs of a radius
        [m]. restitution: at impact_speed [m/s]; depth: at which tangential springs are evaluated
        [m]; others: friction, times and sliding_damping, passed on as given. Keywords only: what a
        data sheet lists for the material and the sole.
        """
        sole: dict[str, Any] = {"thickness": thickness, "area": area, "radius": radius}
        loss = {"restitution": restitution, "impact_speed": impact_speed, "depth": depth}
        given = {"young_modulus": young_modulus, "poisson_ratio": poisson_ratio, **sole, **loss}
        return cls(**sole_parameters(cls._fields, given, others))


def normal_law(p: Distributed) -> HuntCrossley:
    """Return the law along the normal alone."""
    return HuntCrossley(p.stiffness, p.damping, p.alpha, p.beta)


def bearable(p: Distributed, mass: float, depth: float = DEPTH) -> float:
    """Return the longest stable step [s] for the normal and tangential springs and dampers."""
    along = max(p.tangential_damping, p.sliding_damping)
    normal = bearable_at_depth(normal_law(p), mass, depth)
    return min(normal, bearable_step(p.tangential_stiffness, along, mass))


# ------------------------------------------------------------------------------------------ memory


@formula
def unit(a, otherwise):
    """Direction of a, or of another vector if a is zero, or zero if both are."""
    length = math.sqrt(dot(a, a))
    if length == 0:
        a, length = otherwise, math.sqrt(dot(otherwise, otherwise))
    return scale(like(length, 1) / length, a) if length > 0 else zero_vector(length)


@kernel
def forget(memory):
    """Clear the memory to be written, of all contact points and feet."""
    for point in range(memory.trial.shape[0]):
        for k in range(POINT_STATE):
            memory.trial[point, k] = 0
    for foot in range(memory.group_trial.shape[0]):
        for k in range(GROUP_STATE):
            memory.group_trial[foot, k] = 0


@kernel
def take_up(p, dynamics, contact, memory, i, position, time):
    """Recall the memory of a point; one that lands sticks, or slides with a sliding foot."""
    point, now, trial = contact.point[i], memory.now, memory.trial
    phase = now[point, PHASE]
    if phase == FREE:
        v_t = tangential(vector(contact.normal, i), vector(contact.velocity, i))
        slides = memory.group_now[contact.group[i], SLIDING] > 0 and dot(v_t, v_t) > 0
        trial[point, PHASE] = SLIP if slides else STICK
        remember(trial, point, ANCHOR, position)
        remember(trial, point, DIRECTION, unit(scale(like(time, -1), v_t), v_t))
        return
    for k in range(POINT_STATE):
        trial[point, k] = now[point, k]
    anchor = place_in_world(dynamics, contact, i, recall(now, point, ANCHOR))
    remember(trial, point, ANCHOR, anchor)
    t = from_touched(dynamics, contact, i, recall(now, point, DIRECTION))
    remember(trial, point, DIRECTION, t)
    remember(trial, point, HELD, from_touched(dynamics, contact, i, recall(now, point, HELD)))
    elapsed = time - now[point, BEGUN]
    if phase == TO_SLIP and elapsed >= p.sliding_time:  # Eq. (34)
        trial[point, PHASE] = SLIP
    if phase == TO_STICK and elapsed >= p.sticking_time:  # Eq. (33)
        trial[point, PHASE] = STICK


@kernel
def put_down(dynamics, contact, memory, i):
    """Keep the vectors that a point remembers in axes that move with the body that it touches."""
    point, trial = contact.point[i], memory.trial
    anchor = place_on_touched(dynamics, contact, i, recall(trial, point, ANCHOR))
    remember(trial, point, ANCHOR, anchor)
    t = to_touched(dynamics, contact, i, recall(trial, point, DIRECTION))
    remember(trial, point, DIRECTION, t)
    remember(trial, point, HELD, to_touched(dynamics, contact, i, recall(trial, point, HELD)))


@kernel
def ground_position(dynamics, contact, i):
    """Position of a point in axes that move with the ground, which may be a belt.

    On a body it is the position in the world: the anchor moves with the body.
    """
    link, r = contact.body_a[i], vector(contact.arm, i)
    position = add(load_vector(dynamics.origin, dynamics.tree.root[link]), r)
    if contact.body_b[i] > 0:
        return position
    return sub(position, load_vector(contact.belt, TRAVEL))


# ------------------------------------------------------------------------------------------ forces


@kernel
def normal_force(p, d, d_dot):
    """Force of a point along the normal in all phases, Eq. (31)."""
    f_n = p.stiffness * d**p.alpha + p.damping * d**p.beta * d_dot  # Eq. (16), (24)
    if p.unilateral > 0 and f_n < 0:
        f_n = like(f_n, 0)  # the ground does not pull
    return f_n


@kernel
def tangential_force(p, n, v, f_n, x, time, trial, point):
    """Force of a point along the ground in its phase, Eq. (32)."""
    v_t, phase = tangential(n, v), trial[point, PHASE]
    k_t, mu_t = p.tangential_stiffness, p.tangential_damping
    f_stick = sub(scale(-k_t, x), scale(mu_t, v_t))  # Eq. (17), (18)
    if phase == STICK:
        return f_stick
    t = direction(n, trial, point)
    V_t = dot(v, t)
    f_slip = scale(p.mu_kinetic * f_n - p.sliding_damping * V_t, t)  # Eq. (22), (25), (26)
    if phase == SLIP:
        return f_slip
    elapsed, duration = time - trial[point, BEGUN], p.sliding_time
    first, last = f_stick, f_slip  # Eq. (27)
    if phase == TO_STICK:
        first, last, duration = f_slip, f_stick, p.sticking_time  # Eq. (29)
    if trial[point, INTERRUPTED] > 0:
        first = tangential(n, recall(trial, point, HELD))
    share = elapsed / duration if elapsed < duration else like(elapsed, 1)
    return add(first, scale(share, sub(last, first)))


@kernel
def direction(n, trial, point):
    """t_i of a point that slides or has slid, projected on the ground."""
    t = tangential(n, recall(trial, point, DIRECTION))
    return unit(t, t)


@kernel
def store_force(p, contact, memory, i, position, time):
    """Write the force of a point in the phase that it has now."""
    n, v, point = vector(contact.normal, i), vector(contact.velocity, i), contact.point[i]
    f_n = normal_force(p, contact.depth[i], -dot(n, v))
    x = tangential(n, sub(position, recall(memory.trial, point, ANCHOR)))
    f_t = tangential_force(p, n, v, f_n, x, time, memory.trial, point)
    store_vector(contact.force, i, add(scale(f_n, n), f_t))


@kernel
def add_to_foot(contact, memory, i):
    """Add the force of a point to those of its foot, Eqs. (35), (36)."""
    foot, total = contact.group[i], memory.group_trial
    n, f = vector(contact.normal, i), vector(contact.force, i)
    total[foot, F_N] += dot(n, f)
    remember(total, foot, F_T, add(recall(total, foot, F_T), tangential(n, f)))


# ------------------------------------------------------------------------------------------ phases


@kernel
def change_phase(p, contact, memory, i, position, time):
    """Let a point begin to slide with its foot, or stop by itself; returns whether it does."""
    point, trial, foot = contact.point[i], memory.trial, memory.group_trial
    n, v = vector(contact.normal, i), vector(contact.velocity, i)
    phase = trial[point, PHASE]
    f_t = tangential(n, vector(contact.force, i))
    if phase == STICK or phase == TO_STICK:
        F_t = recall(foot, contact.group[i], F_T)
        lambda_s_F_n = p.mu_static * foot[contact.group[i], F_N]
        t = unit(f_t, scale(like(time, -1), tangential(n, v)))  # Eq. (20)
        if math.sqrt(dot(F_t, F_t)) < lambda_s_F_n or dot(v, t) >= 0:  # Eq. (40) while it sticks
            return False
        remember(trial, point, DIRECTION, t)
        trial[point, PHASE] = TO_SLIP
    else:
        if dot(v, direction(n, trial, point)) < 0:
            return False
        remember(trial, point, ANCHOR, position)  # Eq. (30): it stops here
        trial[point, PHASE] = TO_STICK
    trial[point, BEGUN] = time
    trial[point, INTERRUPTED] = like(time, phase == TO_SLIP or phase == TO_STICK)
    remember(trial, point, HELD, f_t)
    return True


@contact_model(
    Distributed,
    promises=(NO_PULL,),
    point_memory=POINT_STATE,
    group_memory=GROUP_STATE,
    longest_step=bearable,
    landing_depth=lambda p, *landing: landing_depth(normal_law(p), *landing),
)
def distributed(params, dynamics, contact, memory, work, dt):
    """Write the forces of all points, and what they and their feet must remember.

    A transition starts from the force before it, so forces are found in the old phases first.
    """
    time = work.clock[0]
    forget(memory)
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        position = ground_position(dynamics, contact, i)
        take_up(p, dynamics, contact, memory, i, position, time)
        store_force(p, contact, memory, i, position, time)
        add_to_foot(contact, memory, i)
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        position = ground_position(dynamics, contact, i)
        if change_phase(p, contact, memory, i, position, time):
            store_force(p, contact, memory, i, position, time)
        phase = memory.trial[contact.point[i], PHASE]
        if phase == TO_SLIP or phase == SLIP:
            memory.group_trial[contact.group[i], SLIDING] += 1  # Eq. (38), (39): all at once
        put_down(dynamics, contact, memory, i)
    return OK


@contact_state(Distributed)
def phase_of(params, contact, memory, i):
    """Phase of a point."""
    return memory.trial[contact.point[i], PHASE]
