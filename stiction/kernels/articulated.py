"""Articulated-body forward dynamics, for any mixture of known forces and known accelerations.

The recursions of R. Featherstone, "Rigid Body Dynamics Algorithms" (Springer 2008), table 7.1, in
world axes, with the hybrid dynamics of its chapter 9: a coordinate whose acceleration is known is
not eliminated, and the force that it requires is returned in `reaction`. A joint with several
degrees of freedom is eliminated one coordinate at a time, which is the Cholesky factorisation of
its 6x6 or 3x3 block, so a free base needs no solver of its own.

The same factors U and D give the response to impulses, and the inverse inertia at the contact
points: Chardonnet et al., "Dynamic simulator for humanoids using constraint-based method with
static friction", Eq. (16), (17).
"""

from stiction.compiler.compiled import kernel
from stiction.kernels.kinematics import last_dof, link_velocity, place_link
from stiction.kernels.spatial import (
    Twist,
    Wrench,
    articulated,
    articulated_add,
    articulated_transform,
    load_articulated,
    load_inertia,
    load_twist,
    load_wrench,
    massless_body,
    minus_outer,
    momentum,
    power,
    rigid_inertia,
    store_articulated,
    store_inertia,
    store_twist,
    store_wrench,
    twist_add,
    twist_cross,
    twist_scale,
    wrench_add,
    wrench_cross,
    wrench_scale,
    wrench_sub,
)
from stiction.kernels.tree import STUCK
from stiction.kernels.vectors import (
    add,
    cross,
    like,
    load_matrix,
    load_symmetric,
    load_vector,
    point_of_frame,
    scale,
    symmetric_rotate,
    zero_vector,
)

# ---------------------------------------------------------------------------------------- all links


@kernel
def move_links(dynamics, q, v):
    """Pose, velocity, drift, inertia about O and load of every link."""
    move_links_at(dynamics, q, v, v)


@kernel
def move_links_at(dynamics, q, v, v_products):
    """Pose, velocity, drift, inertia about O and load of every link, in one pass.

    Velocity products, in drift and load, are evaluated at v_products. Gravity enters as an upward
    acceleration of the world, so no link needs a weight. Drift and load are those that an observer
    sees who moves with O: they do not depend on the velocity of the tree as a whole. Here and in
    the passes below, values passed from a link to the next one in a chain stay in registers: on a
    GPU these passes are memory-bound.
    """
    tree = dynamics.tree
    R, p = load_matrix(dynamics.rotation, 0), load_vector(dynamics.position, 0)
    nowhere = zero_vector(p[0])
    upwards = scale(like(p[0], -1), (tree.gravity[0], tree.gravity[1], tree.gravity[2]))
    drift = Twist(upwards, nowhere)
    link, middle = Twist(nowhere, nowhere), Twist(nowhere, nowhere)
    store_twist(dynamics.velocity, 0, link)
    store_twist(dynamics.link_acceleration, 0, link)
    store_twist(dynamics.drift, 0, drift)
    for i in range(1, len(tree.parent)):
        parent = tree.parent[i]
        if parent != i - 1:
            R, p = load_matrix(dynamics.rotation, parent), load_vector(dynamics.position, parent)
            link = load_twist(dynamics.velocity, parent)
            middle = load_twist(dynamics.link_acceleration, parent)
            drift = load_twist(dynamics.drift, parent)
        R, p, last = place_link(dynamics, i, R, p, q)
        link, _ = link_velocity(dynamics, i, link, v, last)
        middle, turning = link_velocity(dynamics, i, middle, v_products, last)
        if parent == 0:
            middle = Twist(nowhere, middle.angular)
        drift = twist_add(drift, twist_cross(middle, turning))
        store_twist(dynamics.velocity, i, link)
        store_twist(dynamics.drift, i, drift)
        if tree.gathers[i] == 1:
            store_twist(dynamics.link_acceleration, i, middle)  # for the children
        centre = point_of_frame(p, R, load_vector(tree.centre, i))
        about_centre = symmetric_rotate(R, load_symmetric(tree.inertia, i))
        I = rigid_inertia(tree.mass[i], centre, about_centre)
        store_inertia(dynamics.rigid, i, I)
        taken = wrench_add(wrench_cross(middle, momentum(I, middle)), momentum(I, drift))
        store_wrench(dynamics.load, i, wrench_scale(like(p[0], -1), taken))


# --------------------------------------------------------------------------------- forward dynamics


@kernel
def articulated_bodies(dynamics):
    """From the leaves to the world: articulated-body inertias and bias wrenches [RBDA ch. 7]."""
    tree, IA, pA = dynamics.tree, dynamics.IA, dynamics.pA
    nothing = Wrench(zero_vector(tree.gravity[0]), zero_vector(tree.gravity[0]))
    massless = articulated(massless_body(tree.gravity[0]))
    for i in range(1, len(tree.parent)):
        if tree.gathers[i] == 1:
            store_articulated(IA, i, massless)
            store_wrench(pA, i, nothing)
    I, p = massless, nothing  # of the next link, if it is a child
    for i in range(len(tree.parent) - 1, 0, -1):
        I = articulated_add(I, articulated(load_inertia(dynamics.rigid, i)))
        p = wrench_sub(p, load_wrench(dynamics.load, i))
        if tree.gathers[i] == 1:
            I, p = articulated_add(I, load_articulated(IA, i)), wrench_add(p, load_wrench(pA, i))
        for d in range(tree.v_index[i + 1] - 1, tree.v_index[i] - 1, -1):
            I, p = eliminate(dynamics, d, I, p)
        parent = tree.parent[i]
        if parent != i - 1:
            if parent > 0:
                store_articulated(IA, parent, articulated_add(load_articulated(IA, parent), I))
                store_wrench(pA, parent, wrench_add(load_wrench(pA, parent), p))
            I, p = massless, nothing


@kernel
def eliminate(dynamics, d, I, p):
    """Write U, D and u of coordinate d; returns the inertia and bias wrench seen through it."""
    S = load_twist(dynamics.S, d)
    U = articulated_transform(I, S)
    D = power(S, U) + dynamics.tree.armature[d] + dynamics.resistance[d]
    held = power(S, p)
    store_wrench(dynamics.U, d, U)
    dynamics.D[d] = D
    if dynamics.mode[d] >= STUCK:
        dynamics.inverse_D[d] = 0
        dynamics.u[d] = held
        return I, wrench_add(p, wrench_scale(dynamics.acceleration[d], U))
    inverse_D = like(D, 1) / damped_inertia(dynamics, d, D)
    u = dynamics.tau[d] - held
    dynamics.inverse_D[d] = inverse_D
    dynamics.u[d] = u
    return minus_outer(I, U, inverse_D), wrench_add(p, wrench_scale(inverse_D * u, U))


@kernel
def damped_inertia(dynamics, d, D):
    """D, raised to least_D by delaying the damper for the rest of the step.

    At most once per step: joint modes are solved for one fixed inertia.
    """
    least = dynamics.least_D[d]
    dynamics.least_D[d] = 0
    if D < least:
        dynamics.resistance[d] += least - D
        return least
    return D


@kernel
def articulated_accelerations(dynamics):
    """From the world to the leaves: unknown accelerations, reactions to known ones [RBDA ch. 7, 9].

    Links accelerate relative to their drift, which the load accounts for.
    """
    tree, a = dynamics.tree, dynamics.link_acceleration
    nowhere = zero_vector(tree.gravity[0])
    link = Twist(nowhere, nowhere)
    store_twist(a, 0, link)
    for i in range(1, len(tree.parent)):
        if tree.parent[i] != i - 1:
            link = load_twist(a, tree.parent[i])
        for d in range(tree.v_index[i], tree.v_index[i + 1]):
            carried = power(link, load_wrench(dynamics.U, d))
            if dynamics.mode[d] >= STUCK:
                needed = dynamics.u[d] + carried + dynamics.D[d] * dynamics.acceleration[d]
                dynamics.reaction[d] = needed - dynamics.tau[d]
            else:
                dynamics.acceleration[d] = (dynamics.u[d] - carried) * dynamics.inverse_D[d]
                dynamics.reaction[d] = 0
            link = twist_add(link, twist_scale(dynamics.acceleration[d], load_twist(dynamics.S, d)))
        store_twist(a, i, link)


# --------------------------------------------------------------------------------- impulse response


@kernel
def add_response(dynamics, change):
    """change += response to the forces in `u`: the outward pass with everything at rest.

    `u` holds the force on each coordinate with all coordinates outboard of it free, see
    `link_unit_responses`. Coordinates with known acceleration do not change.
    """
    tree, link_change = dynamics.tree, dynamics.link_acceleration
    nowhere = zero_vector(tree.gravity[0])
    link = Twist(nowhere, nowhere)
    store_twist(link_change, 0, link)
    for i in range(1, len(tree.parent)):
        if tree.parent[i] != i - 1:
            link = load_twist(link_change, tree.parent[i])
        for d in range(tree.v_index[i], tree.v_index[i + 1]):
            left = dynamics.u[d] - power(link, load_wrench(dynamics.U, d))
            joint = left * dynamics.inverse_D[d]
            change[d] += joint
            link = twist_add(link, twist_scale(joint, load_twist(dynamics.S, d)))
        store_twist(link_change, i, link)


@kernel
def yielded(S, U, inverse_D, f):
    """Return an outboard wrench's force along a coordinate, and the wrench transmitted inboard."""
    taken = power(S, f)
    return taken, wrench_add(f, wrench_scale(-taken * inverse_D, U))


# ------------------------------------------------------------------------- inverse inertia of links


@kernel
def unit_wrench(k, x, at):
    """Return the k-th of the six unit wrenches at the point `at`, in the precision of x."""
    f = (like(x, k == 0), like(x, k == 1), like(x, k == 2))
    moment = (like(x, k == 3), like(x, k == 4), like(x, k == 5))
    return Wrench(f, add(moment, cross(at, f)))


@kernel
def link_unit_responses(dynamics, link, at, responses, b):
    """responses[b] (nv, 6): six unit wrenches on a link, passed to the world ([CBM] before Eq. 16).

    The recursion factors the inverse of the joint-space inertia, H^-1 = X D^-1 X', one coordinate
    at a time: responses[b, d] is the twist of the link, about the point `at`, when the coordinate d
    alone, decoupled from all others, moves at unit velocity. Only coordinates between the link and
    the world are written; the others are left untouched.
    """
    x = dynamics.D[0]
    f0, f1, f2 = unit_wrench(0, x, at), unit_wrench(1, x, at), unit_wrench(2, x, at)
    f3, f4, f5 = unit_wrench(3, x, at), unit_wrench(4, x, at), unit_wrench(5, x, at)
    d = last_dof(dynamics.tree, link)
    while d >= 0:
        S, U, k = load_twist(dynamics.S, d), load_wrench(dynamics.U, d), dynamics.inverse_D[d]
        responses[b, d, 0], f0 = yielded(S, U, k, f0)
        responses[b, d, 1], f1 = yielded(S, U, k, f1)
        responses[b, d, 2], f2 = yielded(S, U, k, f2)
        responses[b, d, 3], f3 = yielded(S, U, k, f3)
        responses[b, d, 4], f4 = yielded(S, U, k, f4)
        responses[b, d, 5], f5 = yielded(S, U, k, f5)
        d = dynamics.tree.dof_parent[d]


@kernel
def add_articulated_coordinate_response(dynamics, d, factor, responses, row):
    """responses[row] (nv) += factor times a unit force along coordinate d, passed to the world.

    As in `link_unit_responses`, for the acceleration of one coordinate instead of a twist.
    """
    responses[row, d] += factor
    f = wrench_scale(-factor * dynamics.inverse_D[d], load_wrench(dynamics.U, d))
    d = dynamics.tree.dof_parent[d]
    while d >= 0:
        S, U = load_twist(dynamics.S, d), load_wrench(dynamics.U, d)
        along, f = yielded(S, U, dynamics.inverse_D[d], f)
        responses[row, d] += along
        d = dynamics.tree.dof_parent[d]


@kernel
def articulated_unit_responses(dynamics, links, responses):
    """responses (links, nv, 6) of several links, each about the O of its tree."""
    for b in range(len(links)):
        link_unit_responses(dynamics, links[b], zero_vector(dynamics.D[0]), responses, b)


@kernel
def link_inverse_inertia(dynamics, links, common, responses, inverse_inertia):
    """inverse_inertia (6 links, links, 6): at [6 c + k, b], twist of link b per unit wrench k on c.

    The sum over the coordinates that both share ([CBM] Eq. 17 for whole bodies); `common` (links,
    links) is the last coordinate on both paths to the world, -1 if none. Twists and wrenches are
    about the O of each link's tree.
    """
    for b in range(len(links)):
        for c in range(b + 1):
            for k in range(6):
                for j in range(6):
                    total = like(responses[0, 0, 0], 0)
                    d = common[b, c]
                    while d >= 0:
                        total += responses[b, d, j] * responses[c, d, k] * dynamics.inverse_D[d]
                        d = dynamics.tree.dof_parent[d]
                    inverse_inertia[6 * c + k, b, j] = total
                    inverse_inertia[6 * b + j, c, k] = total
