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
    epsilon       eps                   slower than this a point does not move, Eq. (7); or 0

Rigid bodies are covered with a membrane. A spring and a damper whose damping grows with the step
press on a point in it. A deeper point is also stopped within the step, by the impulses that
minimise the remaining velocities and, weighted with lambda, their own norm; they do not pull.
Friction is then corrected point by point.

Departs from the paper:

(1) Eqs. (13)-(15) print f = -k d - c d', which pulls down with the depth of Eq. (4); the sign is
reversed here. Eq. (14) pulls where a point leaves faster than d / dt; `unilateral` = 1 (default,
ours) cuts the force off at zero, 0 is as printed. The exponents are ours, for the nonlinear
springs that the paper allows: k z^alpha + c d^beta d' with z = d + d' dt; alpha = 1, beta = 0 is
Eq. (14). With any exponents the damper acts only while the point sinks.
(2) Eq. (2) lacks a term of b, and Eqs. (20), (21) leave all but gravity out of it, so that stuck
points would creep. Here v_B has (u_E - b) dt, as in Eq. (15) of the authors' multipoint paper.
Velocities at the end of the step use the Jacobians of its start.
(3) A point sticks if |v_sigma| <= eps as in II-B, not |v| as in III-B: a vertical landing has
static friction. With Eq. (25) nothing that sticks would bounce; Eq. (29) is used for all normals.
The paper gives no epsilon, and no constant suits all cases: with `eps` = 0, the default, a point
sticks if friction can stop it within the step (`rest.py`).
(4) Eq. (29) would pull back points that leave the ground, v_nu > 0. Points that would leave without
contact too are left out; with `eps` > 0, those faster than eps.
(5) A of Eq. (32) is not symmetric once points slide, so Eq. (33) contains A'A + lambda. lambda is
in kg^-2 and the paper's values, 0.01 to 4, hold for its robot of 5 kg. With zero, the
impulses of more than three points would not be unique. The defaults are the paper's values,
lambda = 1 and the membrane of section IV-C, for a robot of `reference_mass` = 5 kg. For another
mass M stiffness and damping grow with M / 5 kg and lambda falls with its square: two robots that
differ only in mass then move the same way. Between two robots, M is their reduced mass, which is
the same in either order. `reference_mass` = 0 takes all values as given, for a
floor whose stiffness is known. `relative` = 1 (ours) takes lambda in units of (tr A / n)^2, n being
the number of rows, with friction left out of A; lambda = 1 under hoap1 is 0.1 in these units.
(6) The paper does not say what acts beyond the membrane. By default the membrane acts there too:
then hoap1 walks with lambda = 1, Fig. 10, and stands 1.1 mm deep on its springs. With
`spring_beyond` = 0 the macro model acts alone there; nothing limits the depth, m points under a
mass M sink at lambda (M / m)^2 g dt, and with lambda = 1 hoap1 falls.
(7) `mu_static` = 0 is legal, Fig. 9: a point at rest that needs any friction has kinetic friction.
(8) The paper's damper, 158 N s/m at four points of a foot, would more than reverse the velocity of
a light foot in a step of 1 ms, and so would kinetic friction. `capped` = 1, the default, limits
both to the point's share of the impulse that stops its link; 0 is as printed.

In single support a foot on springs must resist tipping: k sum r^2 over its points has to exceed
M g h, h being the height of the centre of mass. G1, with feet 6 cm wide and h = 0.7 m, needs four
times the paper's stiffness to walk.
"""

import math
from typing import Annotated, NamedTuple

from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    FULL_FRICTION,
    IMPULSE_LAW,
    NO_PULL,
    UNIQUE_FORCES,
    Parameter,
    contact_model,
    parameters,
    vector,
)
from stiction.contact.friction import OPEN, SLIP, STICK, tangential
from stiction.contact.hunt_crossley import DEPTH
from stiction.contact.parameters import Exponent, Friction, Mass, Restitution, Speed, Switch
from stiction.contact.rest import (
    along_ground,
    cannot_stop,
    faster_than_constant,
    link_stops,
    may_slide,
    slip_speed,
)
from stiction.contact.scratch import VectorPerPoint
from stiction.contact.solvers.bounded_least_squares import (
    bounded_impulse,
    bounded_least_squares,
    set_price,
)
from stiction.contact.solvers.reduced_least_squares import BoundedProblem
from stiction.contact.spring_damper import implicit_bearable_step
from stiction.kernels.response import (
    NOT_CONVERGED,
    delassus,
    free_velocity,
    gather_wrenches,
    report_solution,
    respond_to_wrenches,
    velocity_after,
)
from stiction.kernels.tree import OK
from stiction.kernels.vectors import add, dot, like, scale, store_vector, sub, zero_vector


class Balanced(NamedTuple):
    """A membrane of springs on rigid ground that stops what is deeper, Eq. (14) and (33)."""

    stiffness: Annotated[float, Parameter("N/m^alpha", low=0)] = 5512.0
    damping: Annotated[float, Parameter("N s/m^(1+beta)", low=0)] = 158.0  # while a point sinks
    alpha: Exponent = 1.0
    beta: Exponent = 0.0
    thickness: Annotated[float, Parameter("m", low=0)] = 5e-4  # of the membrane
    spring_beyond: Switch = 1.0  # 1: the membrane acts on deeper points as well
    relaxation: Annotated[float, Parameter("kg^(2*relative-2)", low=1e-12)] = 1.0
    relative: Switch = 0.0  # 1: relaxation is in units of (tr A / n)^2
    reference_mass: Mass = 5.0  # of the robot that the values are for; 0: take them as given
    mu_static: Friction = 1.0
    mu_kinetic: Friction = 0.4
    restitution: Restitution = 0.0
    eps: Speed = 0.0  # 0: a point rests if friction can stop it within the step
    unilateral: Switch = 1.0
    capped: Switch = 1.0  # 1: membrane damping and friction stop a point but do not reverse it


class BalancedScratch(NamedTuple):
    """Impulses of the membrane, and the macro problem, Eq. (33)."""

    membrane: VectorPerPoint
    macro: BoundedProblem


def bearable_in_membrane(p: Balanced, mass: float) -> float:
    """Return the longest stable step [s], with stiffness and damping at the membrane's bottom."""
    depth = DEPTH if p.spring_beyond > 0 else min(p.thickness, DEPTH)
    if depth == 0:
        return math.inf
    stiffness = p.alpha * p.stiffness * depth ** (p.alpha - 1) if p.alpha > 0 else 0.0
    damping = 0.0 if p.capped > 0 else p.damping * depth**p.beta
    return implicit_bearable_step(stiffness, damping, mass)


@contact_model(
    Balanced,
    promises=(CONE_PER_POINT, NO_PULL, FULL_FRICTION, UNIQUE_FORCES),
    family=IMPULSE_LAW,
    scratch=BalancedScratch,
    longest_step=bearable_in_membrane,
)
def balanced(params, dynamics, contact, memory, work, dt):
    """Write the impulses of all points, steps 4 to 7 of section III-D."""
    response, macro = work.response, work.scratch.macro
    press_membrane(params, dynamics, contact, work, dt)
    iterations, off, solved = 0, like(dt, 0), True
    if choose_macro(params, contact, response, macro) > 0:
        gather_wrenches(contact, response)  # Eq. (18)
        respond_to_wrenches(contact, response)  # Eq. (24)
        ask_velocities(params, contact, response, macro)
        iterations, off, solved = solve_macro(params, dynamics, contact, work, contact.impulse)
        if may_slide(params, contact):
            keep_velocities(params, contact, macro, like(dt, 1))
            more, _, _ = solve_macro(params, dynamics, contact, work, contact.force)
            keep_velocities(params, contact, macro, like(dt, -1))
            iterations += more
            if let_slide(params, contact, macro) > 0:
                more, off, solved = solve_macro(params, dynamics, contact, work, contact.impulse)
                iterations += more
        for i in range(contact.count[0]):
            if macro.case[i] != OPEN:
                correct_friction(params, contact, macro, i)
    report_solution(response, iterations, off, 0 if solved else NOT_CONVERGED)
    return OK


@kernel
def robot_mass(dynamics, link):
    """Mass of the whole robot that a link belongs to [kg]."""
    tree = dynamics.tree
    total = like(tree.mass[0], 0)
    for k in range(1, len(tree.mass)):
        if tree.root[k] == tree.root[link]:
            total += tree.mass[k]
    return total


@kernel
def mass_scale(p, dynamics, contact, touching):
    """Mass of the robot of a touching pair relative to the one that the values are for.

    Between two robots it is their reduced mass: with that mass they move relative to each other.
    """
    if p.reference_mass == 0:
        return like(p.reference_mass, 1)
    link, other = contact.touching_link[touching], contact.touched_link[touching]
    mass = robot_mass(dynamics, link)
    if other > 0 and dynamics.tree.root[other] != dynamics.tree.root[link]:
        second = robot_mass(dynamics, other)
        mass = mass * second / (mass + second)
    return mass / p.reference_mass


# ------------------------------------------------------------------------------------- micro, III-A


@kernel
def press_membrane(params, dynamics, contact, work, dt):
    """Impulses of the points in the membrane, zero for the deeper ones unless the spring acts."""
    for touching in range(contact.touching_count[0]):
        pressed = count_pressed(params, contact, touching)
        heavier = mass_scale(params, dynamics, contact, touching)
        for i in range(contact.count[0]):
            if contact.touching[i] == touching:
                p = parameters(params, contact.table, contact.pair[i])
                f = zero_vector(dt)
                if contact.depth[i] < p.thickness or p.spring_beyond > 0:
                    f = membrane_impulse(p, contact, work.response, i, pressed, heavier, dt)
                store_vector(contact.impulse, i, f)
                store_vector(work.scratch.membrane, i, f)


@kernel
def count_pressed(params, contact, touching):
    """Number of points of a link on which the membrane acts."""
    pressed = 0
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        inside = contact.depth[i] < p.thickness or p.spring_beyond > 0
        pressed += inside and contact.touching[i] == touching
    return pressed


@kernel
def membrane_impulse(p, contact, response, i, pressed, heavier, dt):
    """Impulse of the membrane on point i, one of n = `pressed` points of its link.

    The points of a link share the impulse that stops it: v / (n W), W being the velocity of point i
    per unit impulse on it, never exceeds that share.
    """
    nu, v = vector(contact.normal, i), vector(contact.velocity, i)
    d_dot, v_sigma = -dot(nu, v), tangential(nu, v)  # below Eq. (5), Eq. (8)
    speed, n = math.sqrt(dot(v_sigma, v_sigma)), like(dt, pressed)
    W = delassus(contact, response, i, i)
    spring, damper = membrane_force(p, contact.depth[i], d_dot, dt)
    spring, damper = heavier * dt * spring, heavier * dt * damper
    if p.capped > 0:
        damper = min(damper, max(d_dot, like(dt, 0)) / (n * quadratic(W, nu)))
    f_nu = spring + damper
    if p.unilateral > 0 and f_nu < 0:
        f_nu = like(dt, 0)  # the ground does not pull
    f = scale(f_nu, nu)
    if speed > p.eps:  # Eq. (7)
        sigma = scale(like(dt, 1) / speed, v_sigma)
        friction = p.mu_kinetic * f_nu
        if p.capped > 0:
            friction = min(friction, speed / (n * quadratic(W, sigma)))
        f = sub(f, scale(friction, sigma))  # Eq. (12)
    return f


@kernel
def membrane_force(p, d, d_dot, dt):
    """The two parts of f_nu: the spring, at the end of the step, and the damper."""
    z = d + d_dot * dt
    spring = p.stiffness * math.copysign(abs(z) ** p.alpha, z)
    damper = p.damping * d**p.beta * d_dot if d_dot > 0 else like(dt, 0)  # Eq. (14)
    return spring, damper


@kernel
def quadratic(W, x):
    """x'W x."""
    return x[0] * dot(W[0], x) + x[1] * dot(W[1], x) + x[2] * dot(W[2], x)


# ------------------------------------------------------------------------------------- macro, III-B


@kernel
def choose_macro(params, contact, response, macro):
    """Find the points for the macro model and whether they stick or slip; returns how many."""
    count = 0
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        macro.case[i] = OPEN
        if contact.depth[i] >= p.thickness and not leaves(p, contact, response, i):
            stick_or_slip(p, contact, macro, i, faster_than_constant(p, slip_speed(contact, i)))
            count += 1
    return count


@kernel
def leaves(p, contact, response, i):
    """Return whether a point leaves, without contact too; with eps > 0, faster than eps."""
    nu = vector(contact.normal, i)
    v_nu = dot(nu, vector(contact.velocity, i))
    if p.eps > 0:
        return v_nu > p.eps
    return v_nu > 0 and dot(nu, free_velocity(contact, response, i)) > 0


@kernel
def stick_or_slip(p, contact, macro, i, slips):
    """Put point i in S or in K, with the direction along which its impulse must not pull."""
    c = vector(contact.normal, i)
    macro.case[i] = STICK
    if slips:
        v_sigma = along_ground(contact, i)
        c = sub(c, scale(p.mu_kinetic / slip_speed(contact, i), v_sigma))  # Eq. (26)
        macro.case[i] = SLIP
    store_vector(macro.direction, i, c)


@kernel
def ask_velocities(params, contact, response, macro):
    """v of Eq. (32), right-hand sides of (30), (31): velocities that macro impulses must add."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        nu = vector(contact.normal, i)
        v_nu = min(dot(nu, vector(contact.velocity, i)), like(p.restitution, 0))
        v_next = scale(-p.restitution * v_nu, nu)  # Eq. (25), (29)
        v = sub(v_next, velocity_after(contact, response, i))
        store_vector(macro.wanted, i, v)


@kernel
def solve_macro(params, dynamics, contact, work, impulse):
    """Write membrane and macro impulses of all points; returns iterations, error and success."""
    response, macro = work.response, work.scratch.macro
    for touching in range(contact.touching_count[0]):
        heavier = mass_scale(params, dynamics, contact, touching)
        price = like(heavier, params.relaxation)
        set_price(macro, touching, price if params.relative > 0 else price / (heavier * heavier))
    told = bounded_least_squares(  # Eq. (33)
        contact, response, macro, params.relative > 0, dynamics.tree.slack[0]
    )
    for i in range(contact.count[0]):
        f = vector(work.scratch.membrane, i)
        if macro.case[i] != OPEN:
            f = add(f, bounded_impulse(contact, response, macro, i))
        store_vector(impulse, i, f)
    return told


# ---------------------------------------------------------------------------------- friction, III-C


@kernel
def keep_velocities(params, contact, macro, sign):
    """With eps = 0, let points keep their velocity along the ground; sign = -1 undoes that."""
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        if p.eps == 0:
            v_sigma = along_ground(contact, i)
            for k in range(3):
                macro.wanted[i, k] += sign * v_sigma[k]


@kernel
def let_slide(params, contact, macro):
    """Let points slide that friction cannot stop within the step; returns how many."""
    sliding = 0
    for touching in range(contact.touching_count[0]):
        stops = link_stops(params, contact, touching)
        for i in range(contact.count[0]):
            if contact.touching[i] == touching and macro.case[i] == STICK and not stops:
                p = parameters(params, contact.table, contact.pair[i])
                if cannot_stop(params, contact, i):
                    stick_or_slip(p, contact, macro, i, True)
                    sliding += 1
    return sliding


@kernel
def correct_friction(params, contact, macro, i):
    """Give a stuck point that does not hold kinetic friction."""
    p = parameters(params, contact.table, contact.pair[i])
    nu, f = vector(contact.normal, i), vector(contact.impulse, i)
    if macro.case[i] == STICK:
        f_nu = max(dot(nu, f), like(p.eps, 0))
        f_phi = tangential(nu, f)
        size = math.sqrt(dot(f_phi, f_phi))  # Eq. (35)
        if size > p.mu_static * f_nu:
            f_phi = scale(p.mu_kinetic * f_nu / size, f_phi)  # Eq. (36)
        store_vector(contact.impulse, i, add(scale(f_nu, nu), f_phi))
