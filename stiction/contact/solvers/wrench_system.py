"""Linear systems for the wrenches of the touching pairs, solved for those of the touching links.

Newton's method needs, with a block S for each pair and the inverse inertia L of all pairs,

    (1 + S L) x = r                                                                            (1)

L = B L' B', where B takes the twists of the touching links to those of the pairs, and L' couples
the links of one tree alone (`touching_links.py`). With y = B'x, the wrenches on the links,

    (1 + G L') y = B'r,    G = B'S B,    x = r - S B L' y                                      (2)

There are fewer links than pairs in a wall of boxes, and G couples only those that touch. The matrix
has an envelope (`linear_system.py`): a stack costs as much as its boxes one by one. A pair of a
link that touches nothing but the ground has x = y. If there are few pairs, they are solved for
directly (`pair_system.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from stiction.compiler.compiled import as_python, chooses, kernel, subroutine
from stiction.contact.solvers.pair_system import factor_pair_system, solve_pair_system
from stiction.kernels.linear_system import (
    clear_system,
    factor,
    load_six,
    set_reach,
    store_six,
    substitute,
)
from stiction.kernels.response import gather_link_wrenches, pair_twist, touches_ground_alone
from stiction.kernels.spatial import Twist, Wrench, store_twist
from stiction.kernels.touching_links import NONE, add_link_response
from stiction.kernels.tree_order import GroundAlone, TreeOrder
from stiction.kernels.vectors import add, cross, dot, like, load_vector, zero_vector


def factor_wrench_system(contact, response):
    """Assemble the system for the blocks in `tangent`, and factor it."""
    _METHODS[type(response.links.trees)].factor(contact, response)


def solve_wrench_system(contact, response):
    """Replace r in `unbalance` by the solution x, with the factors. Overwrites the twists."""
    _METHODS[type(response.links.trees)].solve(contact, response)


@kernel
def factor_on_ground(contact, response):
    """Assemble and factor 1 + S L', where pairs are links."""
    write_blocks(response)
    add_unit_matrix(response)
    factor(response.linear, 6 * response.links.count[0])


@kernel
def factor_between(contact, response):
    """Assemble and factor the system of the pairs or that of the links."""
    if response.rows.used[0] == 1:
        factor_pair_system(contact, response)
    else:
        factor_link_system(contact, response)


@subroutine
def factor_link_system(contact, response):
    """Assemble and factor 1 + G L'."""
    add_all_blocks(contact, response)
    add_unit_matrix(response)
    factor(response.linear, 6 * response.links.count[0])


@kernel
def add_unit_matrix(response):
    """Add 1 to every entry of the diagonal."""
    A = response.linear.matrix
    for k in range(6 * response.links.count[0]):
        A[k, k] += like(A[0, 0], 1)


@kernel
def write_blocks(response):
    """Write S L' of the trees, where a pair is a link; trees are not coupled."""
    links, system = response.links, response.linear
    for b in range(links.count[0]):
        first, end = links.first[b], links.end[b]
        system.low[b], system.reach[b], system.group_end[b] = first, end - 1, end
        system.coupled[b] = 1
        for i in range(6):
            force, moment = load_row(response.tangent, b, i)
            x = (force[0], force[1], force[2], moment[0], moment[1], moment[2])
            for c in range(first, end):
                store_six(system.matrix, 6 * b + i, 6 * c, row_times_response(links, x, b, c))


@kernel
def add_all_blocks(contact, response):
    """Assemble G L' from the blocks of all pairs, within its envelope."""
    set_bounds(contact, response)
    clear_system(response.linear, response.links.count[0])
    one = like(response.compliance[0], 1)
    for pair in range(contact.touching_count[0]):
        if is_open(response, pair):
            continue
        link, arm, sign = response.first[pair], load_vector(response.first_arm, pair), one
        while link != NONE:  # one call of what the compiler inlines
            add_columns(response, pair, link, arm, sign)
            link = response.second[pair] if sign > 0 else NONE
            arm, sign = load_vector(response.second_arm, pair), -one


@kernel
def is_open(response, pair):
    """Return whether all points of a pair are open, so that S is zero."""
    S = response.tangent
    return S[pair, 0, 0] + S[pair, 1, 1] + S[pair, 2, 2] == 0


@kernel
def set_bounds(contact, response):
    """Set the envelope: the links of a tree, and the trees that touch, are coupled."""
    links, system = response.links, response.linear
    low = system.low
    for b in range(links.count[0]):
        low[b], system.group_end[b] = links.first[b], links.end[b]
        system.coupled[b] = 0
    for pair in range(contact.touching_count[0]):
        if is_open(response, pair):
            continue
        system.coupled[response.first[pair]] = 1
        if response.second[pair] != NONE:
            system.coupled[response.second[pair]] = 1
            a, b = links.first[response.first[pair]], links.first[response.second[pair]]
            later = max(a, b)
            low[later] = min(low[later], a, b)
    for b in range(links.count[0]):
        low[b] = low[links.first[b]]
    set_reach(system, links.count[0])


@kernel
def add_columns(response, pair, c, arm, sign):
    """Add `sign` times S of a pair, for twists of its touching link c, times L' of c's tree.

    arm: from the centre of c to that of the pair.
    """
    S, links, A = response.tangent, response.links, response.linear.matrix
    a, b = response.first[pair], response.second[pair]
    for d in range(links.first[c], links.end[c]):
        f0 = row_times_response(links, row_seen_from(S, pair, 0, arm), c, d)
        f1 = row_times_response(links, row_seen_from(S, pair, 1, arm), c, d)
        f2 = row_times_response(links, row_seen_from(S, pair, 2, arm), c, d)
        m0 = row_times_response(links, row_seen_from(S, pair, 3, arm), c, d)
        m1 = row_times_response(links, row_seen_from(S, pair, 4, arm), c, d)
        m2 = row_times_response(links, row_seen_from(S, pair, 5, arm), c, d)
        rows = (f0, f1, f2), (m0, m1, m2)
        add_rows(A, 6 * a, 6 * d, sign, load_vector(response.first_arm, pair), rows)
        if b != NONE:
            add_rows(A, 6 * b, 6 * d, -sign, load_vector(response.second_arm, pair), rows)


@kernel
def add_rows(A, i, column, sign, arm, rows):
    """Add `sign` times rows of forces and moments about a pair's centre to those about a link's.

    arm: from the link's centre; a force at the pair's has the moment arm x force.
    """
    (f0, f1, f2), (m0, m1, m2) = rows
    add_six(A, i, column, sign, f0)
    add_six(A, i + 1, column, sign, f1)
    add_six(A, i + 2, column, sign, f2)
    add_six(A, i + 3, column, sign, with_lever(m0, arm[1], f2, arm[2], f1))
    add_six(A, i + 4, column, sign, with_lever(m1, arm[2], f0, arm[0], f2))
    add_six(A, i + 5, column, sign, with_lever(m2, arm[0], f1, arm[1], f0))


@kernel
def with_lever(m, y, f, z, g):
    """Six numbers m + y f - z g."""
    return (
        m[0] + y * f[0] - z * g[0],
        m[1] + y * f[1] - z * g[1],
        m[2] + y * f[2] - z * g[2],
        m[3] + y * f[3] - z * g[3],
        m[4] + y * f[4] - z * g[4],
        m[5] + y * f[5] - z * g[5],
    )


@kernel
def row_times_response(links, x, c, d):
    """Six numbers: the row x times L' of touching link c for wrenches on d, of the same tree."""
    L, row, place, zero = links.inverse_inertia, 6 * c, d - links.first[c], like(x[0], 0)
    a0, a1, a2, a3, a4, a5 = zero, zero, zero, zero, zero, zero
    for q in range(6):
        a0 += x[q] * L[row + q, place, 0]
        a1 += x[q] * L[row + q, place, 1]
        a2 += x[q] * L[row + q, place, 2]
        a3 += x[q] * L[row + q, place, 3]
        a4 += x[q] * L[row + q, place, 4]
        a5 += x[q] * L[row + q, place, 5]
    return a0, a1, a2, a3, a4, a5


@kernel
def row_seen_from(S, pair, i, arm):
    """Row i of S for a twist about a point from which `arm` leads to the centre of the pair.

    The velocity at the centre is that of the point plus angular x arm.
    """
    force, moment = load_row(S, pair, i)
    moment = add(moment, cross(arm, force))
    return force[0], force[1], force[2], moment[0], moment[1], moment[2]


@kernel
def load_row(S, pair, i):
    """Row i of a block, as two vectors."""
    return (
        (S[pair, i, 0], S[pair, i, 1], S[pair, i, 2]),
        (S[pair, i, 3], S[pair, i, 4], S[pair, i, 5]),
    )


@kernel
def add_six(A, i, column, sign, six):
    """Add `sign` times six numbers to those of row i from `column` on."""
    old = load_six(A, i, column)
    store_six(
        A,
        i,
        column,
        (
            old[0] + sign * six[0],
            old[1] + sign * six[1],
            old[2] + sign * six[2],
            old[3] + sign * six[3],
            old[4] + sign * six[4],
            old[5] + sign * six[5],
        ),
    )


# ------------------------------------------------------------------------------------- the solution


@kernel
def substitute_on_ground(contact, response):
    """Solve where pairs are links."""
    right = response.linear.right
    for pair in range(contact.touching_count[0]):
        for k in range(6):
            right[6 * pair + k] = response.unbalance[pair, k]
    substitute(response.linear, 6 * contact.touching_count[0])
    for pair in range(contact.touching_count[0]):
        for k in range(6):
            response.unbalance[pair, k] = right[6 * pair + k]


@kernel
def substitute_between(contact, response):
    """Solve the system of the pairs or that of the links."""
    if response.rows.used[0] == 1:
        solve_pair_system(contact, response)
    else:
        solve_link_system(contact, response)


@subroutine
def solve_link_system(contact, response):
    """Solve for the wrenches on the links, and share them among the pairs."""
    links, right = response.links, response.linear.right
    gather_link_wrenches(contact, response, response.unbalance)
    for row in range(links.count[0]):
        for k in range(6):
            right[6 * row + k] = links.wrench[row, k]
    substitute(response.linear, 6 * links.count[0])
    shared = False
    for pair in range(contact.touching_count[0]):
        if touches_ground_alone(response, pair):
            for k in range(6):
                response.unbalance[pair, k] = right[6 * response.first[pair] + k]
        else:
            shared = True
    if shared:
        share_wrenches(contact, response)


@kernel
def share_wrenches(contact, response):
    """x = r - S B L' y of the pairs whose links touch something else too, Eq. (2)."""
    links, right, still = response.links, response.linear.right, zero_vector(response.compliance[0])
    for row in range(links.count[0]):
        store_twist(links.twist, row, Twist(still, still))
    for row in range(links.count[0]):
        k = 6 * row
        f, moment = (
            (right[k], right[k + 1], right[k + 2]),
            (right[k + 3], right[k + 4], right[k + 5]),
        )
        add_link_response(links, row, Wrench(f, moment))
    for pair in range(contact.touching_count[0]):
        if not touches_ground_alone(response, pair):
            t = pair_twist(response, pair)
            for i in range(6):
                force, moment = load_row(response.tangent, pair, i)
                response.unbalance[pair, i] -= dot(force, t.linear) + dot(moment, t.angular)


class _Method(NamedTuple):
    """How systems are factored and solved."""

    factor: Callable[..., None]
    solve: Callable[..., None]


_METHODS = {
    GroundAlone: _Method(factor_on_ground, substitute_on_ground),
    TreeOrder: _Method(factor_between, substitute_between),
}


def _method_of(response):
    links = response.types[response.fields.index("links")]
    return _METHODS[links.types[links.fields.index("trees")].instance_class]


@chooses(factor_wrench_system)
def _factor_wrench_system(contact, response):
    return as_python(_method_of(response).factor)


@chooses(solve_wrench_system)
def _solve_wrench_system(contact, response):
    return as_python(_method_of(response).solve)
