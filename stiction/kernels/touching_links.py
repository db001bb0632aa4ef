"""Touching links: the links that take part in contact, and how they respond to wrenches.

They are numbered tree by tree, in the order of `tree_order.py`. A wrench on one of them moves only
those of its own tree, so their inverse inertia is block diagonal: what couples the trees are the
contacts between them. Trees that loops join count as one.

In most worlds nothing but the ground is touched. Then each touching link is a pair of its own, and
code for more is left out at compile time (`on_ground_alone`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import as_python, chooses, kernel
from stiction.kernels.forward_dynamics import unit_responses_of
from stiction.kernels.kinematics import last_dof, link_drift
from stiction.kernels.spatial import (
    Twist,
    Wrench,
    load_twist,
    load_wrench,
    point_velocity,
    store_twist,
    store_wrench,
    twist_add,
    twist_scale,
    wrench_add,
)
from stiction.kernels.tree import STUCK
from stiction.kernels.tree_order import (
    NONE,
    GroundAlone,
    TreeOrder,
    allocate_order,
    order_trees,
)
from stiction.kernels.vectors import add, cross, like, load_vector, zero_vector

LISTED = -2  # number of a link that touches and is not numbered yet


class TouchingLinks(NamedTuple):
    """The touching links of one instant; twists and wrenches are about the centre of each."""

    count: np.ndarray  # type: ignore[assignment]  # (1) number of rows in use
    link: np.ndarray  # (rows) link of the forest
    first: np.ndarray  # (rows) first touching link of the same tree
    end: np.ndarray  # (rows) one past the last of them
    number: np.ndarray  # (links of the forest) row of each link, or NONE
    root: np.ndarray  # (links of the forest) first link of its tree, or of those that loops join
    tree_end: np.ndarray  # (links of the forest) one past the last link of these
    trees: TreeOrder | GroundAlone
    pairs: np.ndarray  # (rows) number of touching pairs that it belongs to
    centre: np.ndarray  # (rows, 3) relative to O of the tree [m]
    unit_responses: np.ndarray  # (rows, nv, 6) see `link_unit_responses`
    inverse_inertia: np.ndarray  # (6 rows, most of a tree, 6) L, see `response_block`
    free: np.ndarray  # (rows, 6) change of the twists over the step without contact
    wrench: np.ndarray  # (rows, 6) impulse of all contacts
    twist: np.ndarray  # (rows, 6) change of the twists over the step


def allocate_links(
    root: np.ndarray,
    carriers: np.ndarray,
    pairs: int,
    nv: int,
    solved: bool,
    ground_alone: bool = False,
) -> TouchingLinks:
    """Return zeros for the links that may touch.

    root: equal for the links of a tree, and of trees that loops join; carriers: links that may
    touch; pairs: most that touch at once; solved: whether responses are needed; ground_alone:
    whether each of the carriers, in this order, may touch the ground and none anything else.
    """
    _, first, tree = np.unique(root, return_index=True, return_inverse=True)
    root = first[tree]
    rows = len(carriers)
    most = int(np.bincount(root[carriers]).max()) if rows else 0
    some = rows if solved else 0
    tree_end = np.zeros(len(root), np.int64)
    for link in range(len(root)):
        tree_end[root == root[link]] = link + 1
    trees: TreeOrder | GroundAlone = GroundAlone()
    if not ground_alone or np.any(np.diff(carriers) <= 0) or np.any(np.diff(root[carriers]) < 0):
        trees = allocate_order(len(root), len(np.unique(root[carriers])), pairs)
    return TouchingLinks(
        count=np.zeros(1, np.int64),
        link=np.zeros(rows, np.int64),
        first=np.zeros(rows, np.int64),
        end=np.zeros(rows, np.int64),
        number=np.full(len(root), NONE),
        root=root,
        tree_end=tree_end,
        trees=trees,
        pairs=np.zeros(rows, np.int64),
        centre=np.zeros((rows, 3)),
        unit_responses=np.zeros((some, nv, 6)),
        inverse_inertia=np.zeros((6 * some, most, 6)),
        free=np.zeros((rows, 6)),
        wrench=np.zeros((rows, 6)),
        twist=np.zeros((rows, 6)),
    )


# ----------------------------------------------------------------------------------- which they are


def on_ground_alone(links):
    """Return whether links touch nothing but the ground, known at compile time."""
    return isinstance(links.trees, GroundAlone)


@chooses(on_ground_alone)
def _on_ground_alone(links):
    alone = links.types[links.fields.index("trees")].instance_class is GroundAlone
    return lambda links: alone


def list_links(contact, links):
    """Number the links that touch or are touched, tree by tree."""
    _LISTS[type(links.trees)](contact, links)


@kernel
def list_pairs(contact, links):
    """Number the links that touch the ground, as the pairs are."""
    count = contact.touching_count[0]
    first = 0
    for row in range(count):
        link = contact.touching_link[row]
        links.link[row] = link
        if links.root[link] != links.root[links.link[first]]:
            first = row
        links.first[row] = first
    end = count
    for back in range(count):
        row = count - 1 - back
        links.end[row] = end
        if links.first[row] == row:
            end = row
    links.count[0] = count


@kernel
def list_by_trees(contact, links):
    """Number the links that touch or are touched, in the order of their trees."""
    number, root = links.number, links.root
    for i in range(len(number)):
        number[i] = NONE
    for pair in range(contact.touching_count[0]):
        number[contact.touching_link[pair]] = LISTED
        if contact.touched_link[pair] > 0:
            number[contact.touched_link[pair]] = LISTED
    order_trees(root, contact, links.trees)
    count = 0
    for k in range(links.trees.count[0]):
        top, first = links.trees.root[links.trees.order[k]], count
        for i in range(top, links.tree_end[top]):
            if number[i] == LISTED and root[i] == top:
                links.link[count], links.first[count], number[i] = i, first, count
                count += 1
        for row in range(first, count):
            links.end[row] = count
    links.count[0] = count


_LISTS = {GroundAlone: list_pairs, TreeOrder: list_by_trees}


@chooses(list_links)
def _list_links(contact, links):
    return as_python(_LISTS[links.types[links.fields.index("trees")].instance_class])


@kernel
def moved_to(twist, r):
    """Return a twist about the point at r."""
    return Twist(point_velocity(twist, r), twist.angular)


@kernel
def wrench_from(wrench, r):
    """Return a wrench about the point at r, about where r starts."""
    return Wrench(wrench.force, add(wrench.moment, cross(r, wrench.force)))


# ------------------------------------------------------------------------------ motion of the links


@kernel
def link_twist_change(dynamics, link, dt):
    """Change of a link's twist over a step with the present accelerations, J a dt, about O."""
    tree = dynamics.tree
    nowhere = zero_vector(dt)
    total = Twist(nowhere, nowhere)
    d = last_dof(tree, link)
    while d >= 0:
        change = dt * dynamics.acceleration[d]
        total = twist_add(total, twist_scale(change, load_twist(dynamics.S, d)))
        d = tree.dof_parent[d]
    return total


@kernel
def twists_of_accelerations(dynamics, links, dt):
    """Write into `twist` its change over dt by the present accelerations."""
    for row in range(links.count[0]):
        change = link_twist_change(dynamics, links.link[row], dt)
        store_twist(links.twist, row, moved_to(change, load_vector(links.centre, row)))


@kernel
def free_twists(dynamics, links, dt):
    """Write into `free` the change of the twists over dt without contact."""
    nowhere, tree = zero_vector(dt), dynamics.tree
    for row in range(links.count[0]):
        total = Twist(nowhere, nowhere)
        d = last_dof(tree, links.link[row])
        while d >= 0:
            alone = dynamics.u[d] * dynamics.inverse_D[d]  # its acceleration if it moved alone
            if dynamics.mode[d] >= STUCK:
                alone = dynamics.acceleration[d]
            unit = load_unit_response(links.unit_responses, row, d)
            total = twist_add(total, twist_scale(alone, unit))
            d = tree.dof_parent[d]
        store_twist(links.free, row, twist_scale(dt, total))


@kernel
def add_drift(dynamics, links):
    """Turn changes per second without contact into accelerations: add J_dot v to `free`."""
    for row in range(links.count[0]):
        drift = link_drift(dynamics, links.link[row])
        drift = moved_to(drift, load_vector(links.centre, row))
        store_twist(links.free, row, twist_add(load_twist(links.free, row), drift))


# --------------------------------------------------------------------------------- inverse inertia


@kernel
def touching_unit_responses(method, dynamics, links):
    """Write the unit responses of the touching links, after `eliminate_coordinates`."""
    for row in range(links.count[0]):
        centre = load_vector(links.centre, row)
        unit_responses_of(method, dynamics, links.link[row], centre, links.unit_responses, row)


@kernel
def load_unit_response(responses, b, d):
    """Return responses[b, d] as a twist."""
    return Twist(
        (responses[b, d, 0], responses[b, d, 1], responses[b, d, 2]),
        (responses[b, d, 3], responses[b, d, 4], responses[b, d, 5]),
    )


@kernel
def common_dof(tree, a, b):
    """Last coordinate on the paths of both links to the world, -1 if none."""
    d, e = last_dof(tree, a), last_dof(tree, b)
    while d != e:
        if d > e:
            d = tree.dof_parent[d]
        else:
            e = tree.dof_parent[e]
    return d


@kernel
def inverse_inertia(dynamics, links):
    """L: twist of each touching link per unit wrench on each of its tree, [CBM] Eq. (17)."""
    for b in range(links.count[0]):
        for c in range(links.first[b], b + 1):
            t0, t1, t2, t3, t4, t5 = shared_response(dynamics, links, b, c)
            store_response(links, b, c, 0, t0)
            store_response(links, b, c, 1, t1)
            store_response(links, b, c, 2, t2)
            store_response(links, b, c, 3, t3)
            store_response(links, b, c, 4, t4)
            store_response(links, b, c, 5, t5)


@kernel
def shared_response(dynamics, links, b, c):
    """Twists of touching link b per unit wrenches on c: by the coordinates on both their paths."""
    tree, responses, still = dynamics.tree, links.unit_responses, zero_vector(dynamics.D[0])
    none = Twist(still, still)
    t0, t1, t2, t3, t4, t5 = none, none, none, none, none, none
    d = common_dof(tree, links.link[b], links.link[c])
    while d >= 0:
        unit = load_unit_response(responses, b, d)
        shares = twist_scale(dynamics.inverse_D[d], load_unit_response(responses, c, d))
        t0 = twist_add(t0, twist_scale(shares.linear[0], unit))
        t1 = twist_add(t1, twist_scale(shares.linear[1], unit))
        t2 = twist_add(t2, twist_scale(shares.linear[2], unit))
        t3 = twist_add(t3, twist_scale(shares.angular[0], unit))
        t4 = twist_add(t4, twist_scale(shares.angular[1], unit))
        t5 = twist_add(t5, twist_scale(shares.angular[2], unit))
        d = tree.dof_parent[d]
    return t0, t1, t2, t3, t4, t5


@kernel
def store_response(links, b, c, k, twist):
    """Write the twist of b per unit wrench k on c; the transpose is that of c per wrenches on b."""
    L, first = links.inverse_inertia, links.first[b]
    row, place, other = 6 * c + k, b - first, c - first
    L[row, place, 0], L[row, place, 1], L[row, place, 2] = twist.linear
    L[row, place, 3], L[row, place, 4], L[row, place, 5] = twist.angular
    L[6 * b, other, k], L[6 * b + 1, other, k], L[6 * b + 2, other, k] = twist.linear
    L[6 * b + 3, other, k], L[6 * b + 4, other, k], L[6 * b + 5, other, k] = twist.angular


@kernel
def load_response(links, b, c, k):
    """Twist of touching link b per unit wrench k on c, of the same tree."""
    return load_unit_response(links.inverse_inertia, 6 * c + k, b - links.first[b])


# ---------------------------------------------------------------------------------------- responses


@kernel
def respond_to_link_wrenches(links):
    """t = t_free + L w of all touching links."""
    for b in range(links.count[0]):
        t = load_twist(links.free, b)
        for c in range(links.first[b], links.end[b]):
            for k in range(6):
                t = twist_add(t, twist_scale(links.wrench[c, k], load_response(links, b, c, k)))
        store_twist(links.twist, b, t)


@kernel
def add_link_response(links, c, wrench):
    """Add the response to a wrench on touching link c to the twists of its tree."""
    f, moment = wrench.force, wrench.moment
    for b in range(links.first[c], links.end[c]):
        t = load_twist(links.twist, b)
        for k in range(3):
            t = twist_add(t, twist_scale(f[k], load_response(links, b, c, k)))
            t = twist_add(t, twist_scale(moment[k], load_response(links, b, c, 3 + k)))
        store_twist(links.twist, b, t)


@kernel
def add_link_wrench(links, row, wrench):
    """Add to the wrench on a touching link."""
    store_wrench(links.wrench, row, wrench_add(load_wrench(links.wrench, row), wrench))


@kernel
def clear_link_wrenches(links):
    """Set the wrenches on all touching links to zero."""
    for row in range(links.count[0]):
        for k in range(6):
            links.wrench[row, k] = 0


@kernel
def add_forces_of_wrenches(dynamics, links, factor):
    """Add `factor` times the wrenches on the touching links to u, which accelerates coordinates.

    Where the acceleration is known, u is the force required for it, and the wrenches reduce it.
    """
    wrench, responses = links.wrench, links.unit_responses
    for row in range(links.count[0]):
        d = last_dof(dynamics.tree, links.link[row])
        while d >= 0:
            force = like(factor, 0)
            for k in range(6):
                force += wrench[row, k] * responses[row, d, k]
            force *= factor
            dynamics.u[d] += force if dynamics.mode[d] < STUCK else -force
            d = dynamics.tree.dof_parent[d]
