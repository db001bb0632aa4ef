"""Dynamics in joint space, H a + b = u: bias, inertia, its sparse factor, inverse dynamics.

Recursive Newton-Euler and composite-rigid-body algorithms of R. Featherstone, "Rigid Body Dynamics
Algorithms" (Springer 2008), chapters 5 and 6, and the factorisation H = L' D L of its section 6.5,
cited as [RBDA]. H couples a coordinate only with those between it and the world; row d holds only
these, root first, starting at `dof_row[d]`, so all inner loops run over contiguous memory.
"""

from stiction.compiler.compiled import kernel
from stiction.kernels.articulated import damped_inertia, unit_wrench
from stiction.kernels.kinematics import last_dof
from stiction.kernels.spatial import (
    Twist,
    inertia_add,
    load_inertia,
    load_twist,
    load_wrench,
    momentum,
    power,
    store_inertia,
    store_twist,
    store_wrench,
    twist_add,
    twist_scale,
    wrench_add,
    wrench_sub,
)
from stiction.kernels.tree import STUCK
from stiction.kernels.vectors import like, zero_vector

# ------------------------------------------------------------------------ bias and inverse dynamics


@kernel
def inverse_dynamics(dynamics, a, force):
    """force = H a + b - J' f, the forces that give the coordinates accelerations a [RBDA ch. 5].

    f: the external wrenches, in `load`. Needs `move_links`.
    """
    tree = dynamics.tree
    acceleration, through = dynamics.link_acceleration, dynamics.pA
    nowhere = zero_vector(tree.gravity[0])
    store_twist(acceleration, 0, Twist(nowhere, nowhere))
    for i in range(1, len(tree.parent)):
        link = load_twist(acceleration, tree.parent[i])
        for d in range(tree.v_index[i], tree.v_index[i + 1]):
            link = twist_add(link, twist_scale(a[d], load_twist(dynamics.S, d)))
        store_twist(acceleration, i, link)
        needed = momentum(load_inertia(dynamics.rigid, i), link)
        store_wrench(through, i, wrench_sub(needed, load_wrench(dynamics.load, i)))
    for i in range(len(tree.parent) - 1, 0, -1):
        f = load_wrench(through, i)
        for d in range(tree.v_index[i], tree.v_index[i + 1]):
            force[d] = power(load_twist(dynamics.S, d), f) + tree.armature[d] * a[d]
        parent = tree.parent[i]
        store_wrench(through, parent, wrench_add(load_wrench(through, parent), f))


@kernel
def bias(dynamics):
    """b of H a + b = u + J' f, minus the external J' f: `inverse_dynamics` at zero acceleration."""
    for d in range(len(dynamics.b)):
        dynamics.b[d] = 0
    inverse_dynamics(dynamics, dynamics.b, dynamics.b)


# ------------------------------------------------------------------------------------------ inertia


@kernel
def joint_space_inertia(dynamics):
    """H by composite rigid bodies [RBDA ch. 6]."""
    tree, composite = dynamics.tree, dynamics.composite
    for i in range(1, len(tree.parent)):
        store_inertia(composite, i, load_inertia(dynamics.rigid, i))
    for i in range(len(tree.parent) - 1, 0, -1):
        I, parent = load_inertia(composite, i), tree.parent[i]
        for d in range(tree.v_index[i], tree.v_index[i + 1]):
            f = momentum(I, load_twist(dynamics.S, d))
            row, depth = tree.dof_row[d], tree.dof_depth[d]
            for k in range(row, row + depth + 1):
                dynamics.H[k] = power(load_twist(dynamics.S, tree.ancestor[k]), f)
            dynamics.H[row + depth] += tree.armature[d]
        if parent > 0:
            store_inertia(composite, parent, inertia_add(load_inertia(composite, parent), I))


@kernel
def dense_inertia(tree, H, dense):
    """dense (nv, nv) from the rows of H."""
    for d in range(len(tree.dof_parent)):
        for other in range(len(tree.dof_parent)):
            dense[d, other] = 0
    for d in range(len(tree.dof_parent)):
        for k in range(tree.dof_row[d], tree.dof_row[d] + tree.dof_depth[d] + 1):
            dense[d, tree.ancestor[k]] = H[k]
            dense[tree.ancestor[k], d] = H[k]


# --------------------------------------------------------------------------------- factor and solve


@kernel
def factor(dynamics):
    """L <- factor of the inertia that it holds, H = L' D L [RBDA ch. 6]; diagonal: 1 / D."""
    tree, L = dynamics.tree, dynamics.L
    for d in range(len(tree.dof_parent) - 1, -1, -1):
        row, depth = tree.dof_row[d], tree.dof_depth[d]
        D = L[row + depth]
        if dynamics.mode[d] < STUCK:
            D = damped_inertia(dynamics, d, D)
        inverse_D = like(D, 1) / D
        for k in range(depth - 1, -1, -1):
            share = L[row + k] * inverse_D
            if share == 0:  # removed: its acceleration is known
                continue
            above = tree.dof_row[tree.ancestor[row + k]]
            for j in range(k + 1):
                L[above + j] -= share * L[row + j]
            L[row + k] = share
        L[row + depth] = inverse_D


@kernel
def link_joint_space_unit_responses(dynamics, link, at, responses, b):
    """responses[b] (nv, 6) as in `link_unit_responses`, from the factor L of H: L^-T J'.

    For a coordinate with known acceleration this is its plain Jacobian column: the term H a
    accounts for its effect on the others.
    """
    tree, L = dynamics.tree, dynamics.L
    end = last_dof(tree, link)
    for k in range(6):
        f = unit_wrench(k, L[0], at)
        d = end
        while d >= 0:
            responses[b, d, k] = power(load_twist(dynamics.S, d), f)
            d = tree.dof_parent[d]
        d = end
        while d >= 0:
            row, depth = tree.dof_row[d], tree.dof_depth[d]
            for j in range(depth):
                responses[b, tree.ancestor[row + j], k] -= L[row + j] * responses[b, d, k]
            d = tree.dof_parent[d]


@kernel
def add_joint_space_coordinate_response(dynamics, d, factor, responses, row):
    """responses[row] (nv) += factor times row d of L^-1. Overwrites `reaction`."""
    tree, L, x = dynamics.tree, dynamics.L, dynamics.reaction
    for k in range(tree.dof_row[d], tree.dof_row[d] + tree.dof_depth[d]):
        x[tree.ancestor[k]] = 0
    x[d] = factor
    while d >= 0:
        row_of, depth = tree.dof_row[d], tree.dof_depth[d]
        for k in range(depth):
            x[tree.ancestor[row_of + k]] -= L[row_of + k] * x[d]
        responses[row, d] += x[d]
        d = tree.dof_parent[d]


@kernel
def joint_space_unit_responses(dynamics, links, responses):
    """responses (links, nv, 6) of several links, each about the O of its tree."""
    for b in range(len(links)):
        link_joint_space_unit_responses(
            dynamics, links[b], zero_vector(dynamics.L[0]), responses, b
        )


# --------------------------------------------------------------------------------- forward dynamics


@kernel
def some_known(dynamics):
    """Return whether any acceleration is known."""
    for d in range(len(dynamics.mode)):
        if dynamics.mode[d] >= STUCK:
            return True
    return False


@kernel
def factor_free_part(dynamics):
    """L and 1 / D of the unknown accelerations; coordinates with a known one are removed from H."""
    tree, L = dynamics.tree, dynamics.L
    for k in range(len(L)):
        L[k] = dynamics.H[k]
    for d in range(len(tree.dof_parent)):
        L[tree.dof_row[d] + tree.dof_depth[d]] += dynamics.resistance[d]
    if some_known(dynamics):
        cut_known(dynamics)
    factor(dynamics)
    for d in range(len(tree.dof_parent)):
        free = L[tree.dof_row[d] + tree.dof_depth[d]]
        dynamics.inverse_D[d] = free if dynamics.mode[d] < STUCK else like(free, 0)


@kernel
def cut_known(dynamics):
    """Replace the rows and columns of known accelerations in L by those of the identity matrix."""
    tree, L = dynamics.tree, dynamics.L
    for d in range(len(tree.dof_parent)):
        row, depth = tree.dof_row[d], tree.dof_depth[d]
        known = dynamics.mode[d] >= STUCK
        for k in range(row, row + depth):
            if known or dynamics.mode[tree.ancestor[k]] >= STUCK:
                L[k] = 0
        if known:
            L[row + depth] = 1


@kernel
def add_inertia_force(dynamics, a, force):
    """force += H a."""
    tree = dynamics.tree
    for d in range(len(tree.dof_parent)):
        row, depth = tree.dof_row[d], tree.dof_depth[d]
        for k in range(depth):
            other = tree.ancestor[row + k]
            force[d] += dynamics.H[row + k] * a[other]
            force[other] += dynamics.H[row + k] * a[d]
        force[d] += dynamics.H[row + depth] * a[d]


@kernel
def joint_space_forces(dynamics):
    """u = L^-T (tau - b - H a), a: known accelerations; the forces left for the unknown ones."""
    tree, a, u = dynamics.tree, dynamics.acceleration, dynamics.u
    changing = False  # some known acceleration is not zero
    for d in range(len(tree.dof_parent)):
        if dynamics.mode[d] < STUCK:
            a[d] = 0
        changing = changing or a[d] != 0
        u[d] = dynamics.b[d]
    if changing:
        add_inertia_force(dynamics, a, u)
    for d in range(len(tree.dof_parent)):
        u[d] = dynamics.tau[d] - u[d] if dynamics.mode[d] < STUCK else like(u[d], 0)
    for d in range(len(tree.dof_parent) - 1, -1, -1):
        row, depth = tree.dof_row[d], tree.dof_depth[d]
        for k in range(depth):
            u[tree.ancestor[row + k]] -= dynamics.L[row + k] * u[d]


@kernel
def joint_space_accelerations(dynamics):
    """Unknown accelerations from u, and reactions to known ones; needs H, b and L."""
    for d in range(len(dynamics.u)):
        if dynamics.mode[d] < STUCK:
            dynamics.acceleration[d] = left_over(dynamics, d, dynamics.acceleration)
        dynamics.reaction[d] = 0
    if some_known(dynamics):
        reactions(dynamics)


@kernel
def left_over(dynamics, d, x):
    """Row d of L^-1 D^-1 u; x holds the rows before it."""
    tree = dynamics.tree
    row, depth = tree.dof_row[d], tree.dof_depth[d]
    rest = dynamics.u[d] * dynamics.inverse_D[d]
    for k in range(depth):
        rest -= dynamics.L[row + k] * x[tree.ancestor[row + k]]
    return rest


@kernel
def reactions(dynamics):
    """Forces that maintain the known accelerations: row d of H a + b, minus its known forces."""
    a = dynamics.acceleration
    add_inertia_force(dynamics, a, dynamics.reaction)
    for d in range(len(a)):
        left = dynamics.b[d] + dynamics.resistance[d] * a[d] - dynamics.tau[d] + dynamics.u[d]
        dynamics.reaction[d] += left
        if dynamics.mode[d] < STUCK:
            dynamics.reaction[d] = 0


@kernel
def add_joint_space_response(dynamics, change):
    """change += L^-1 D^-1 u: response to the forces in `u`, see `link_joint_space_unit_responses`.

    Coordinates with known acceleration do not change. Overwrites `reaction`.
    """
    x = dynamics.reaction
    for d in range(len(x)):
        x[d] = left_over(dynamics, d, x)
    for d in range(len(x)):
        change[d] += x[d]
