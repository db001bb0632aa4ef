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

L is B L_links B', where B takes the twists of the touching links (`touching_links.py`) to those of
the pairs. It is never formed, except for methods that need it whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.kinematics import seen_from, velocity_from_origin
from stiction.kernels.linear_system import LinearSystem, allocate_system
from stiction.kernels.spatial import (
    Wrench,
    load_twist,
    load_wrench,
    point_velocity,
    store_wrench,
    twist_sub,
    wrench_add,
    wrench_at_point,
    wrench_scale,
)
from stiction.kernels.touching_links import (
    NONE,
    TouchingLinks,
    add_forces_of_wrenches,
    add_link_response,
    add_link_wrench,
    clear_link_wrenches,
    load_response,
    moved_to,
    on_ground_alone,
    respond_to_link_wrenches,
    wrench_from,
)
from stiction.kernels.tree_order import GroundAlone
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
ENDLESS = 2**30  # effort without a bound
LEFT = 1e-2  # relative error that a bounded effort may leave; a larger one is not solved
FEW_PAIRS = 12  # that may be solved for instead of the links, see `contact/solvers/pair_system.py`


class SolverReport(NamedTuple):
    """How the last contact problem was solved, each an array of one number."""

    iterations: np.ndarray
    residual: np.ndarray
    stage: np.ndarray  # method that solved it, as numbered by the model; or NOT_CONVERGED
    left_wrenches: np.ndarray  # 1 if the solver writes wrenches and twists, not only impulses
    all_iterations: np.ndarray  # of all solves since the step began


class StepEffort(NamedTuple):
    """Work that a step may take, each an array of one number; the next step continues the rest."""

    tries: np.ndarray  # at finding joint modes
    iterations: np.ndarray  # of Newton's method, or sweeps, in one solution
    used_up: np.ndarray  # 1 if something is left


class PairRows(NamedTuple):
    """Rows of the pairs where systems for wrenches are solved for these, see `pair_system.py`."""

    used: np.ndarray  # (1) 1 if they are
    most: np.ndarray  # (pairs) 3 for a single point, else 6
    first: np.ndarray  # (pairs) first row of each pair
    count: np.ndarray  # type: ignore[assignment]  # (pairs) number of rows, 0 if it is open


class Response(NamedTuple):
    """Touching pairs and their response to impulses; a force law needs few of these arrays."""

    first: np.ndarray  # (pairs) touching link that touches
    second: np.ndarray  # (pairs) touching link that is touched; NONE: the ground
    centre: np.ndarray  # (pairs, 3) mean of the touching points, relative to O of the first [m]
    first_arm: np.ndarray  # (pairs, 3) from the centre of the first link to that of the pair [m]
    second_arm: np.ndarray  # (pairs, 3) from that of the second link
    compliance: np.ndarray  # (pairs) g: mean velocity of its centre per unit impulse there [1/kg]
    wrench: np.ndarray  # (pairs, 6) impulse on the first link of each pair, w
    unbalance: np.ndarray  # (pairs, 6) right-hand side of systems for wrenches, then the solution
    tangent: np.ndarray  # (pairs, 6, 6) S of systems for wrenches
    inverse_inertia: np.ndarray  # (6 pairs, pairs, 6) L where needed whole, see `whole_response`
    rows: PairRows
    links: TouchingLinks
    linear: LinearSystem  # six unknowns per touching link; per pair for methods that need L whole
    report: SolverReport
    effort: StepEffort


def allocate_response(pairs: int, links: TouchingLinks, solved: bool, whole: bool) -> Response:
    """Return zeros for `pairs` touching pairs; arrays for solvers are empty unless `solved`.

    whole: whether L is needed whole.
    """
    some, few = pairs if solved else 0, 0 if isinstance(links.trees, GroundAlone) else FEW_PAIRS
    all_of_L = some if whole else min(some, few)
    return Response(
        first=np.zeros(pairs, np.int64),
        second=np.zeros(pairs, np.int64),
        centre=np.zeros((pairs, 3)),
        first_arm=np.zeros((pairs, 3)),
        second_arm=np.zeros((pairs, 3)),
        compliance=np.zeros(some),
        wrench=np.zeros((some, 6)),
        unbalance=np.zeros((some, 6)),
        tangent=np.zeros((some, 6, 6)),
        inverse_inertia=np.zeros((6 * all_of_L, all_of_L, 6)),
        rows=PairRows(*(np.zeros(n, np.int64) for n in (1, all_of_L, all_of_L, all_of_L))),
        links=links,
        linear=allocate_system(max(len(links.link), all_of_L) if solved else 0),
        report=SolverReport(*(np.zeros(1) for _ in SolverReport._fields)),
        effort=StepEffort(np.array([ENDLESS]), np.array([ENDLESS]), np.zeros(1, np.int64)),
    )


@kernel
def is_bounded(effort):
    """Return whether a step may leave something to the next one."""
    return effort.tries[0] < ENDLESS


# ---------------------------------------------------------------------------------- touching pairs


@kernel
def touches_ground_alone(response, pair):
    """Return whether the link of a pair touches the ground, and nothing else."""
    if on_ground_alone(response.links):
        return True
    return response.second[pair] == NONE and response.links.pairs[response.first[pair]] == 1


@kernel
def pair_twist(response, pair):
    """t of a touching pair: change of its twist over the step."""
    return relative_twist(response, response.links.twist, pair)


@kernel
def free_twist(response, pair):
    """t_free of a touching pair."""
    return relative_twist(response, response.links.free, pair)


@kernel
def relative_twist(response, twists, pair):
    """Twist of a pair, about its centre, from those of the touching links."""
    if on_ground_alone(response.links):
        return load_twist(twists, pair)
    first = load_twist(twists, response.first[pair])
    t = moved_to(first, load_vector(response.first_arm, pair))
    if response.second[pair] != NONE:
        second = load_twist(twists, response.second[pair])
        t = twist_sub(t, moved_to(second, load_vector(response.second_arm, pair)))
    return t


@kernel
def is_pushing(response, pair):
    """Return whether a touching pair has an impulse, however small."""
    for k in range(6):
        if response.wrench[pair, k] != 0:
            return True
    return False


@kernel
def gather_link_wrenches(contact, response, wrenches):
    """Write the wrenches on the touching links, from those of the pairs."""
    links = response.links
    if on_ground_alone(links):
        for pair in range(contact.touching_count[0]):
            store_wrench(links.wrench, pair, load_wrench(wrenches, pair))
        return
    clear_link_wrenches(links)
    for pair in range(contact.touching_count[0]):
        w = load_wrench(wrenches, pair)
        on_first = wrench_from(w, load_vector(response.first_arm, pair))
        add_link_wrench(links, response.first[pair], on_first)
        if response.second[pair] != NONE:
            opposite = wrench_scale(like(w.force[0], -1), w)
            on_second = wrench_from(opposite, load_vector(response.second_arm, pair))
            add_link_wrench(links, response.second[pair], on_second)


# ------------------------------------------------------------------ quantities of one contact point


@kernel
def arm_from_centre(contact, response, i):
    """Arm of point i from the centre of its touching pair."""
    return sub(load_vector(contact.arm, i), load_vector(response.centre, contact.touching[i]))


@kernel
def free_velocity(contact, response, i):
    """Velocity of point i against what it touches at the end of the step without contact."""
    change = free_twist(response, contact.touching[i])
    r = arm_from_centre(contact, response, i)
    return add(load_vector(contact.velocity, i), point_velocity(change, r))


@kernel
def free_acceleration(dynamics, contact, response, i):
    """Acceleration of point i without contact, J a + J_dot v, for acceleration laws."""
    free, b = free_twist(response, contact.touching[i]), contact.body_b[i]
    v, r = velocity_from_origin(dynamics, contact.body_a[i]), load_vector(contact.arm, i)
    turning = cross(v.angular, point_velocity(v, r))
    if b > 0:
        v, r = velocity_from_origin(dynamics, b), seen_from(dynamics, contact.body_a[i], b, r)
        turning = sub(turning, cross(v.angular, point_velocity(v, r)))
    return add(point_velocity(free, arm_from_centre(contact, response, i)), turning)


@kernel
def velocity_after(contact, response, i):
    """Velocity of point i against what it touches at the end of the step, from the twists."""
    change = pair_twist(response, contact.touching[i])
    r = arm_from_centre(contact, response, i)
    return add(load_vector(contact.velocity, i), point_velocity(change, r))


@kernel
def delassus(contact, response, i, j):
    """Change of the velocity of point i per unit impulse on point j, 3x3: [CBM] Eq. (17).

    Equally, change of its acceleration per unit force.
    """
    r, b = arm_from_centre(contact, response, i), contact.touching[i]
    s, c = arm_from_centre(contact, response, j), contact.touching[j]
    return velocity_per_impulse(response, b, r, c, s)


@kernel
def velocity_per_impulse(response, b, r, c, s):
    """Velocity of a point of pair b per unit impulse on a point of pair c; r, s: from centres."""
    links, first, second = response.links, response.first, response.second
    if on_ground_alone(links):
        return link_velocity_per_impulse(links, b, r, c, s)
    at = add(r, load_vector(response.first_arm, b))
    pushed = add(s, load_vector(response.first_arm, c))
    G = link_velocity_per_impulse(links, first[b], at, first[c], pushed)
    if second[b] != NONE or second[c] != NONE:
        G = add_second_links(response, b, r, c, s, G)
    return G


@subroutine
def add_second_links(response, b, r, c, s, G):
    """Add what the second links of two pairs contribute to `velocity_per_impulse`."""
    links, minus = response.links, like(r[0], -1)
    first_b, second_b, first_c, second_c = (
        response.first[b],
        response.second[b],
        response.first[c],
        response.second[c],
    )
    at = add(r, load_vector(response.first_arm, b))
    pushed = add(s, load_vector(response.first_arm, c))
    at_second = add(r, load_vector(response.second_arm, b))
    pushed_second = add(s, load_vector(response.second_arm, c))
    if second_b != NONE:
        more = link_velocity_per_impulse(links, second_b, at_second, first_c, pushed)
        G = matrix_add(G, minus, more)
    if second_c != NONE:
        more = link_velocity_per_impulse(links, first_b, at, second_c, pushed_second)
        G = matrix_add(G, minus, more)
    if second_b != NONE and second_c != NONE:
        more = link_velocity_per_impulse(links, second_b, at_second, second_c, pushed_second)
        G = matrix_add(G, -minus, more)
    return G


@kernel
def matrix_add(A, k, B):
    """Return A + k B."""
    return (
        add(A[0], scale(k, B[0])),
        add(A[1], scale(k, B[1])),
        add(A[2], scale(k, B[2])),
    )


@kernel
def link_velocity_per_impulse(links, b, r, c, s):
    """Velocity of the point at r of touching link b per unit impulse at s on c."""
    zero = zero_vector(r[0])
    if links.first[b] != links.first[c]:
        return zero, zero, zero
    u0 = point_velocity(load_response(links, b, c, 0), r)  # per unit wrenches on c
    u1 = point_velocity(load_response(links, b, c, 1), r)
    u2 = point_velocity(load_response(links, b, c, 2), r)
    u3 = point_velocity(load_response(links, b, c, 3), r)
    u4 = point_velocity(load_response(links, b, c, 4), r)
    u5 = point_velocity(load_response(links, b, c, 5), r)
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
    gather_link_wrenches(contact, response, response.wrench)
    respond_to_link_wrenches(response.links)


@kernel
def apply_impulse(contact, response, i, r, p):
    """Add the response of all twists to an impulse p on point i; r: its arm from the centre."""
    add_pair_response(response, contact.touching[i], wrench_at_point(p, r))


@kernel
def add_pair_response(response, pair, w):
    """Add the response of all twists to a wrench w on a pair."""
    if on_ground_alone(response.links):
        add_link_response(response.links, pair, w)
        return
    on_first = wrench_from(w, load_vector(response.first_arm, pair))
    add_link_response(response.links, response.first[pair], on_first)
    if response.second[pair] != NONE:
        opposite = wrench_scale(like(w.force[0], -1), w)
        on_second = wrench_from(opposite, load_vector(response.second_arm, pair))
        add_link_response(response.links, response.second[pair], on_second)


@kernel
def add_wrenches(dynamics, contact, response, factor):
    """Add `factor` times the touching pairs' wrenches to u, see `add_forces_of_wrenches`."""
    gather_link_wrenches(contact, response, response.wrench)
    add_forces_of_wrenches(dynamics, response.links, factor)


@kernel
def wrenches_alone(dynamics, contact, response, factor):
    """u: `factor` times the touching pairs' wrenches and nothing else, for `respond`."""
    for d in range(len(dynamics.u)):
        dynamics.u[d] = 0
    add_wrenches(dynamics, contact, response, factor)
