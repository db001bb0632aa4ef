"""Feet fixed to the ground: Bruneau & Ouezdou, "Distributed Ground/Walking Robot ...", section 2.1.

    Paper        Here              Meaning
    D(q)         P, `response.py`  velocities of the touching points
    D q' = 0     Eq. (3)           touching points do not move at the end of the step
    Gamma        contact.impulse   reactions at these points, times the step
    I_v          contact.impulse   impulses at an impact, Eq. (4): perfectly inelastic

A touching point is fixed in all directions and may be pulled: nothing slides, and a point opens
only if it is pulled with more than `release`, the hardest pulled first. In the paper the gait
decides when a foot lifts off; by default feet stay fixed permanently, and `release` = 0 is the
unilateral assumption of its section 2.3.1, with unlimited friction. Constraints hold at the
velocity level, Eq. (3) at the end of each step, which integrates Eq. (2). Where more points are
fixed than needed, reactions are those of least norm.

Ours: an open point that would enter the ground in this step is fixed, once. If it is pulled and
opens again, the step is not solved; its residual is the speed at which the point enters [m/s].
"""

import math
from typing import Annotated, NamedTuple

from stiction.collision.detection import NEVER
from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import (
    IMPULSE_SOLVER,
    Outlook,
    Parameter,
    contact_model,
    foresees,
    parameters,
)
from stiction.contact.contact_state import contact_state
from stiction.contact.friction import OPEN, STICK
from stiction.contact.scratch import PerPoint
from stiction.contact.solvers.friction_cases import (
    FrictionCases,
    constrained_velocity,
    implied_impulse,
)
from stiction.contact.solvers.newton_step import take_newton_step
from stiction.kernels.response import (
    NOT_CONVERGED,
    arm_from_centre,
    free_velocity,
    gather_wrenches,
    pair_twist,
    report_solution,
    respond_to_wrenches,
)
from stiction.kernels.tree import OK
from stiction.kernels.vectors import dot, like, load_vector, store_vector, zero_vector

EPS, ROUNDING = 1e-6, 100.0  # compliance of a fixed point, relative to its link's; and in slacks
ENTERS = 0.1  # fraction of gravity's velocity change in a step; slower open points do not enter
SHALLOW = 1e-3  # penetration that needs no warning [m]
POLISHES = 2  # repetitions that remove the velocity due to this compliance


class Bilateral(NamedTuple):
    """Feet fixed to the ground, Eq. (1)-(4)."""

    release: Annotated[float, Parameter("N", low=0)] = 1e9  # pulled harder, a point opens


class BilateralScratch(NamedTuple):
    """Points are fixed, STICK, or OPEN."""

    cases: FrictionCases
    fixed_later: PerPoint  # 1 for points that entered the ground and were then fixed


@contact_model(Bilateral, family=IMPULSE_SOLVER, point_memory=1, scratch=BilateralScratch)
def bilateral(params, dynamics, contact, memory, work, dt):
    """Write the impulses that fix all touching points; points pulled too hard open, one by one."""
    response, scratch = work.response, work.scratch
    eps = max(like(dt, EPS), like(dt, ROUNDING) * dynamics.tree.slack[0])
    fixed = choose_fixed(contact, response, memory, scratch)
    gravity = dynamics.tree.gravity
    g = (gravity[0], gravity[1], gravity[2])
    slow = max(eps, like(dt, ENTERS) * dt * math.sqrt(dot(g, g)))  # [m/s]
    solutions = 0
    while fixed > 0:
        fix_points(contact, response, scratch.cases, eps)
        solutions += 1
        if not open_most_pulled(params, contact, scratch.cases, dt):
            if not fix_fastest_entering(contact, response, scratch, slow):
                break
    remember_fixed(contact, memory, scratch.cases)
    entering = fastest_entering(contact, response, scratch, True)[1] if fixed > 0 else like(dt, 0)
    report_solution(response, solutions, entering, NOT_CONVERGED if entering > slow else 0)
    response.report.left_wrenches[0] = fixed > 0
    return OK


@foresees(Bilateral)
def stays_deep(p: Bilateral, outlook: Outlook) -> str:
    """Predict how deep a landing link will stay in the ground.

    It turns about its first fixed point, and the speed of landing v moves its other points by v dt
    in a step, along a circle; velocities do not show how far the circle departs from its tangent.
    """
    landing = outlook.landing()
    if landing is None or landing.radius == 0:
        return ""
    depth = (landing.speed * outlook.dt) ** 2 / (2 * landing.radius)
    if depth < SHALLOW:
        return ""
    return (
        f"'{landing.link}' lands at {landing.speed:.3g} m/s if it falls, and may stay "
        f"{1e3 * depth:.2g} mm deep in the ground, because points are fixed by their velocities "
        f"only and move by {1e3 * landing.speed * outlook.dt:.3g} mm in a step; use dt below "
        f"{math.sqrt(2 * landing.radius * SHALLOW) / landing.speed:.2g} s"
    )


@kernel
def choose_fixed(contact, response, memory, scratch):
    """Fix points that were fixed, are in the ground or reach it in this step; returns how many."""
    fixed = 0
    for i in range(contact.count[0]):
        v_n = dot(load_vector(contact.normal, i), free_velocity(contact, response, i))
        comes = contact.depth[i] > 0 or v_n < contact.least_velocity[i]
        keep = (memory.now[contact.point[i], 0] > 0 or comes) and contact.least_velocity[i] > NEVER
        scratch.cases.case[i] = STICK if keep else OPEN
        scratch.fixed_later[i] = 0
        store_vector(contact.impulse, i, zero_vector(v_n))
        fixed += keep
    return fixed


@kernel
def fix_points(contact, response, cases, eps):
    """Solve for the impulses that stop all fixed points; those of least norm."""
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, zero_vector(eps))
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    for k in range(1 + POLISHES):
        take_newton_step(contact, response, cases, eps, like(eps, k > 0), k > 0)
        for i in range(contact.count[0]):
            touching = contact.touching[i]
            r, t = arm_from_centre(contact, response, i), pair_twist(response, touching)
            v, R = constrained_velocity(contact, i, t, r), eps * response.compliance[touching]
            p = implied_impulse(contact, cases, i, v, R, like(eps, k > 0))
            store_vector(contact.impulse, i, p)


@kernel
def open_most_pulled(params, contact, cases, dt):
    """Open the fixed point pulled hardest, if harder than allowed; returns whether it did."""
    worst, most = -1, like(dt, 0)
    for i in range(contact.count[0]):
        p = parameters(params, contact.table, contact.pair[i])
        n, impulse = load_vector(contact.normal, i), load_vector(contact.impulse, i)
        excess = -dot(n, impulse) - p.release * dt
        if cases.case[i] == STICK and excess > most:
            worst, most = i, excess
    if worst >= 0:
        cases.case[worst] = OPEN
    return worst >= 0


@kernel
def fix_fastest_entering(contact, response, scratch, speed):
    """Fix the open point that enters the ground fastest, if faster than `speed` and not fixed yet.

    Each point at most once in a step, so that the loop terminates. Returns whether there is one.
    """
    i, v = fastest_entering(contact, response, scratch, False)
    if v > speed:
        scratch.cases.case[i], scratch.fixed_later[i] = STICK, 1
    return v > speed


@kernel
def fastest_entering(contact, response, scratch, again):
    """Return the open point that enters the ground fastest, and how fast; -1 and 0 if none does.

    `again`: also points that were fixed later in this step and have opened again.
    """
    worst, most = -1, like(contact.depth[0], 0)
    for i in range(contact.count[0]):
        if scratch.cases.case[i] == OPEN and contact.least_velocity[i] > NEVER:
            if again or scratch.fixed_later[i] == 0:
                t = pair_twist(response, contact.touching[i])
                v = constrained_velocity(contact, i, t, arm_from_centre(contact, response, i))
                v_n = dot(load_vector(contact.normal, i), v)
                if -v_n > most:
                    worst, most = i, -v_n
    return worst, most


@kernel
def remember_fixed(contact, memory, cases):
    """Remember which contact points are fixed."""
    for point in range(memory.trial.shape[0]):
        memory.trial[point, 0] = 0
    for i in range(contact.count[0]):
        memory.trial[contact.point[i], 0] = cases.case[i]


@contact_state(Bilateral)
def fixed(params, contact, memory, i):
    """A point with a force is fixed."""
    return STICK
