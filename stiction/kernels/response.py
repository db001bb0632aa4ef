"""Response of the touching pairs to impulses: the problem that impulse solvers solve.

All points of one link move with it, so the unknowns are few. A touching pair is a link and what it
touches, the ground or another link. Its twist is that of the first relative to the second, taken
about the centre of its touching points; its wrench acts on the first, and the opposite one on the
second. The wrenches of all pairs change the twist of each of them.

    t = t_free + L w        change of twists over the step, impulse wrenches w, inverse inertia L
    v_i = u_i + P_i t       velocity of point i at the end of the step, u_i: at its start
    w = sum P_i' p_i        P_i t = linear + angular x (r_i - centre)

after J-R. Chardonnet et al., "Dynamic simulator for humanoids using constraint-based method with
static friction", Eq. (10)-(17), cited as [CBM], for whole links instead of points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel
from stiction.kernels.kinematics import last_dof, seen_from
from stiction.kernels.linear_system import LinearSystem, allocate_system
from stiction.kernels.spatial import (
    Wrench,
    load_twist,
    load_wrench,
    point_velocity,
    store_twist,
    store_wrench,
    twist_add,
    twist_scale,
    wrench_add,
    wrench_at_point,
)
from stiction.kernels.touching_pairs import common_dof, load_unit_response
from stiction.kernels.tree import STUCK
from stiction.kernels.vectors import (
    add,
    cross,
    like,
    load_vector,
    scale,
    sub,
    zero_vector,
)

NOT_CONVERGED = 9  # stage if no method converged


class SolverReport(NamedTuple):
    """How the last contact problem was solved, each an array of one number."""

    iterations: np.ndarray
    residual: np.ndarray
    stage: np.ndarray  # method that solved it, as numbered by the model; or NOT_CONVERGED
    left_wrenches: np.ndarray  # 1 if the solver writes wrenches and twists, not only impulses
    all_iterations: np.ndarray  # of all solves since the step began


class Response(NamedTuple):
    """Touching pairs and their response to impulses; a force law needs few of these arrays."""

    centre: np.ndarray  # (pairs, 3) mean of the touching points, relative to O of the first [m]
    unit_responses: np.ndarray  # (pairs, nv, 6) see `link_unit_responses`, first minus second
    touched_responses: np.ndarray  # (1, nv, 6) those of the second alone
    inverse_inertia: np.ndarray  # (6 pairs, pairs, 6) [6 c + k, b]: twist of b per wrench k on c
    free: np.ndarray  # (pairs, 6) change of the twists over the step without contact, t_free
    wrench: np.ndarray  # (pairs, 6) impulse on the first link of each pair, w
    twist: np.ndarray  # (pairs, 6) change of the twists over the step, t
    linear: LinearSystem  # (6 pairs) for methods that solve for wrenches
    report: SolverReport


def allocate_response(pairs: int, nv: int, solved: bool) -> Response:
    """Return zeros for `pairs` touching pairs; arrays for solvers are empty unless `solved`."""
    some = pairs if solved else 0
    return Response(
        centre=np.zeros((pairs, 3)),
        unit_responses=np.zeros((some, nv, 6)),
        touched_responses=np.zeros((1, nv if solved else 0, 6)),
        inverse_inertia=np.zeros((6 * some, some, 6)),
        free=np.zeros((pairs, 6)),
        wrench=np.zeros((some, 6)),
        twist=np.zeros((pairs, 6)),
        linear=allocate_system(6 * some),
        report=SolverReport(*(np.zeros(1) for _ in SolverReport._fields)),
    )


# ------------------------------------------------------------------ quantities of one contact point


@kernel
def arm_from_centre(contact, response, i):
    """Arm of point i from the centre of its touching pair."""
    return sub(load_vector(contact.arm, i), load_vector(response.centre, contact.touching[i]))


@kernel
def free_velocity(contact, response, i):
    """Velocity of point i against what it touches at the end of the step without contact."""
    change = load_twist(response.free, contact.touching[i])
    r = arm_from_centre(contact, response, i)
    return add(load_vector(contact.velocity, i), point_velocity(change, r))


@kernel
def free_acceleration(dynamics, contact, response, i):
    """Acceleration of point i without contact, J a + J_dot v, for acceleration laws."""
    free, b = load_twist(response.free, contact.touching[i]), contact.body_b[i]
    v, r = load_twist(dynamics.velocity, contact.body_a[i]), load_vector(contact.arm, i)
    turning = cross(v.angular, point_velocity(v, r))
    if b > 0:
        v, r = load_twist(dynamics.velocity, b), seen_from(dynamics, contact.body_a[i], b, r)
        turning = sub(turning, cross(v.angular, point_velocity(v, r)))
    return add(point_velocity(free, arm_from_centre(contact, response, i)), turning)


@kernel
def delassus(contact, response, i, j):
    """Change of the velocity of point i per unit impulse on point j, 3x3: [CBM] Eq. (17).

    Equally, change of its acceleration per unit force.
    """
    r, b = arm_from_centre(contact, response, i), contact.touching[i]
    s, c = arm_from_centre(contact, response, j), contact.touching[j]
    L = response.inverse_inertia
    u0 = point_velocity(
        load_unit_response(L, 6 * c, b), r
    )  # per unit wrenches on the touching link of j
    u1 = point_velocity(load_unit_response(L, 6 * c + 1, b), r)
    u2 = point_velocity(load_unit_response(L, 6 * c + 2, b), r)
    u3 = point_velocity(load_unit_response(L, 6 * c + 3, b), r)
    u4 = point_velocity(load_unit_response(L, 6 * c + 4, b), r)
    u5 = point_velocity(load_unit_response(L, 6 * c + 5, b), r)
    x = add(u0, sub(scale(s[2], u4), scale(s[1], u5)))  # the impulse e has the moment s x e
    y = add(u1, sub(scale(s[0], u5), scale(s[2], u3)))
    z = add(u2, sub(scale(s[1], u3), scale(s[0], u4)))
    return ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2]))


# ---------------------------------------------------------------------------------------- solutions


@kernel
def report_solution(response, iterations, residual, stage):
    """Report how a contact problem was solved: `Motion.solver` has it for every step."""
    report = response.report
    report.iterations[0], report.residual[0], report.stage[0] = iterations, residual, stage


@kernel
def gather_wrenches(contact, response):
    """w: the impulses of the points as one wrench per touching pair."""
    nowhere = zero_vector(response.report.residual[0])
    for touching in range(contact.touching_count[0]):
        store_wrench(response.wrench, touching, Wrench(nowhere, nowhere))
    for i in range(contact.count[0]):
        p = wrench_at_point(load_vector(contact.impulse, i), arm_from_centre(contact, response, i))
        touching = contact.touching[i]
        store_wrench(
            response.wrench, touching, wrench_add(load_wrench(response.wrench, touching), p)
        )


@kernel
def respond_to_wrenches(contact, response):
    """t = t_free + L w."""
    L = response.inverse_inertia
    for b in range(contact.touching_count[0]):
        t = load_twist(response.free, b)
        for c in range(contact.touching_count[0]):
            for k in range(6):
                t = twist_add(
                    t, twist_scale(response.wrench[c, k], load_unit_response(L, 6 * c + k, b))
                )
        store_twist(response.twist, b, t)


@kernel
def apply_impulse(contact, response, i, r, p):
    """Add the response of all twists to an impulse p on point i; r: its arm from the centre."""
    L, touching, moment = response.inverse_inertia, contact.touching[i], cross(r, p)
    for b in range(contact.touching_count[0]):
        t = load_twist(response.twist, b)
        for k in range(3):
            t = twist_add(t, twist_scale(p[k], load_unit_response(L, 6 * touching + k, b)))
            t = twist_add(t, twist_scale(moment[k], load_unit_response(L, 6 * touching + 3 + k, b)))
        store_twist(response.twist, b, t)


@kernel
def velocity_after(contact, response, i):
    """Velocity of point i against what it touches at the end of the step, from `twist`."""
    change = load_twist(response.twist, contact.touching[i])
    r = arm_from_centre(contact, response, i)
    return add(load_vector(contact.velocity, i), point_velocity(change, r))


@kernel
def force_on_coordinate(response, touching, d, factor):
    """Force on coordinate d of `factor` times a pair's wrench, outboard coordinates free."""
    wrench, responses = response.wrench, response.unit_responses
    total = like(factor, 0)
    for k in range(6):
        total += wrench[touching, k] * responses[touching, d, k]
    return factor * total


@kernel
def add_wrenches(dynamics, contact, response, factor):
    """Add `factor` times the touching pairs' wrenches to u, which accelerates the coordinates.

    Where the acceleration is known, u is the force required for it, and the wrenches reduce it.
    """
    tree = dynamics.tree
    for touching in range(contact.touching_count[0]):
        a, b = contact.touching_link[touching], contact.touched_link[touching]
        add_wrench(dynamics, response, touching, last_dof(tree, a), -1, factor)
        if b > 0:
            joined = common_dof(tree, a, b)
            add_wrench(dynamics, response, touching, last_dof(tree, b), joined, factor)


@kernel
def add_wrench(dynamics, response, touching, d, end, factor):
    """Add `factor` times a pair's wrench to u of the coordinates from d to before `end`."""
    while d != end:
        force = force_on_coordinate(response, touching, d, factor)
        dynamics.u[d] += force if dynamics.mode[d] < STUCK else -force
        d = dynamics.tree.dof_parent[d]


@kernel
def wrenches_alone(dynamics, contact, response, factor):
    """u: `factor` times the touching pairs' wrenches and nothing else, for `respond`."""
    for d in range(len(dynamics.u)):
        dynamics.u[d] = 0
    add_wrenches(dynamics, contact, response, factor)
