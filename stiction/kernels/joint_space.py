"""Dynamics in joint space, H a + b = u: bias, inertia, its sparse factor, inverse dynamics.

Recursive Newton-Euler and composite-rigid-body algorithms of R. Featherstone, "Rigid Body Dynamics
Algorithms" (Springer 2008), chapters 5 and 6, and the factorisation H = L' D L of its section 6.5,
cited as [RBDA]. H couples a coordinate only with those between it and the world; row d holds just
these, the root's first, from `dof_row[d]` on, so that all inner loops run over contiguous numbers.
"""

from stiction.compiled import kernel
from stiction.kernels.articulated import unit_wrench
from stiction.kernels.kinematics import last_dof
from stiction.kernels.spatial import (
    Twist,
    inertia_add,
    like,
    load_inertia,
    load_twist,
    load_wrench,
    momentum,
    power,
    scale,
    store_inertia,
    store_twist,
    store_wrench,
    twist_add,
    twist_scale,
    wrench_add,
    wrench_sub,
    zero_vector,
)
from stiction.kernels.tree import STUCK

# ------------------------------------------------------------------------ bias and inverse dynamics


@kernel
def inverse_dynamics(dynamics, a, force):
    """force = H a + b - J' f, the forces that give the coordinates accelerations a [RBDA ch. 5].

    f are the external wrenches, in `load`. Needs `move_links`.
    """
    tree = dynamics.tree
    upwards = scale(like(tree.gravity[0], -1), (tree.gravity[0], tree.gravity[1], tree.gravity[2]))
    acceleration, through = dynamics.link_acceleration, dynamics.pA
    store_twist(acceleration, 0, Twist(upwards, zero_vector(upwards[0])))
    for i in range(1, len(tree.parent)):
        link = twist_add(load_twist(acceleration, tree.parent[i]), load_twist(dynamics.c, i))
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
    """b of H a + b = u + J' f, less the external J' f: `inverse_dynamics` without acceleration."""
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
def factor(tree, L):
    """L <- factor of the inertia that it holds, H = L' D L [RBDA ch. 6]; diagonal: 1 / D."""
    for d in range(len(tree.dof_parent) - 1, -1, -1):
        row, depth = tree.dof_row[d], tree.dof_depth[d]
        inverse_D = like(L[row], 1) / L[row + depth]
        for k in range(depth - 1, -1, -1):
            share = L[row + k] * inverse_D
            if share == 0:  # cut out: its acceleration is known
                continue
            above = tree.dof_row[tree.ancestor[row + k]]
            for j in range(k + 1):
                L[above + j] -= share * L[row + j]
            L[row + k] = share
        L[row + depth] = inverse_D


@kernel
def solve(tree, L, x):
    """x <- H^-1 x."""
    for d in range(len(tree.dof_parent) - 1, -1, -1):
        row, depth = tree.dof_row[d], tree.dof_depth[d]
        for k in range(depth):
            x[tree.ancestor[row + k]] -= L[row + k] * x[d]
    for d in range(len(tree.dof_parent)):
        row, depth = tree.dof_row[d], tree.dof_depth[d]
        rest = x[d] * L[row + depth]
        for k in range(depth):
            rest -= L[row + k] * x[tree.ancestor[row + k]]
        x[d] = rest


@kernel
def link_joint_space_modes(dynamics, link, at, modes, b):
    """modes[b] (nv, 6) as `link_modes` gives, from the factor L of H: L^-T J'; and `inverse_D`."""
    tree, L = dynamics.tree, dynamics.L
    end = last_dof(tree, link)
    for k in range(6):
        f = unit_wrench(k, L[0], at)
        d = end
        while d >= 0:
            known = dynamics.mode[d] >= STUCK  # it does not yield
            modes[b, d, k] = like(L[0], 0) if known else power(load_twist(dynamics.S, d), f)
            d = tree.dof_parent[d]
        d = end
        while d >= 0:
            row, depth = tree.dof_row[d], tree.dof_depth[d]
            for j in range(depth):
                modes[b, tree.ancestor[row + j], k] -= L[row + j] * modes[b, d, k]
            dynamics.inverse_D[d] = L[row + depth]
            d = tree.dof_parent[d]


@kernel
def joint_space_modes(dynamics, links, modes):
    """modes (links, nv, 6) of several links, each about the O of its tree."""
    for b in range(len(links)):
        link_joint_space_modes(dynamics, links[b], zero_vector(dynamics.L[0]), modes, b)


# --------------------------------------------------------------------------------- forward dynamics


@kernel
def some_known(dynamics):
    """Tell whether any acceleration is known."""
    for d in range(len(dynamics.mode)):
        if dynamics.mode[d] >= STUCK:
            return True
    return False


@kernel
def factor_free_part(dynamics):
    """L of the coordinates with unknown acceleration; those with a known one are cut out of H."""
    tree, L = dynamics.tree, dynamics.L
    for k in range(len(L)):
        L[k] = dynamics.H[k]
    for d in range(len(tree.dof_parent)):
        L[tree.dof_row[d] + tree.dof_depth[d]] += dynamics.resistance[d]
    if some_known(dynamics):
        cut_known(dynamics)
    factor(tree, L)


@kernel
def cut_known(dynamics):
    """Replace the rows and columns of L with known accelerations by those of the unit matrix."""
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
def joint_space_accelerations(dynamics):
    """Unknown accelerations from H a + b = tau, and reactions to known ones; needs H, b and L."""
    tree, a, u = dynamics.tree, dynamics.acceleration, dynamics.u
    known, changing = False, False  # some acceleration is known; some known one is not zero
    for d in range(len(tree.dof_parent)):
        if dynamics.mode[d] >= STUCK:
            known = True
            changing = changing or a[d] != 0
        else:
            a[d] = 0
        u[d] = dynamics.b[d]
        dynamics.reaction[d] = 0
    if changing:
        add_inertia_force(dynamics, a, u)
    for d in range(len(tree.dof_parent)):
        if dynamics.mode[d] < STUCK:
            a[d] = dynamics.tau[d] - u[d]
    solve(tree, dynamics.L, a)
    if known:
        reactions(dynamics)


@kernel
def reactions(dynamics):
    """Forces that keep the known accelerations: row d of H a + b, less the known forces there."""
    a = dynamics.acceleration
    add_inertia_force(dynamics, a, dynamics.reaction)
    for d in range(len(a)):
        left = dynamics.b[d] + dynamics.resistance[d] * a[d] - dynamics.tau[d]
        dynamics.reaction[d] += left
        if dynamics.mode[d] < STUCK:
            dynamics.reaction[d] = 0


@kernel
def add_joint_space_response(dynamics, change):
    """change += H^-1 J' f for the wrenches f that `pA` holds, one per link; uses up `pA` and `u`.

    Where the acceleration is known, the change of the force that keeps it goes into `reaction`.
    """
    tree, f, u = dynamics.tree, dynamics.pA, dynamics.u
    for i in range(len(tree.parent) - 1, 0, -1):
        passed = load_wrench(f, i)
        for d in range(tree.v_index[i], tree.v_index[i + 1]):
            u[d] = power(load_twist(dynamics.S, d), passed)
            if dynamics.mode[d] >= STUCK:
                dynamics.reaction[d] -= u[d]
                u[d] = 0
        parent = tree.parent[i]
        store_wrench(f, parent, wrench_add(load_wrench(f, parent), passed))
    solve(tree, dynamics.L, u)
    if some_known(dynamics):
        add_inertia_force(dynamics, u, dynamics.reaction)
    for d in range(len(u)):
        change[d] += u[d]
        if dynamics.mode[d] < STUCK:
            dynamics.reaction[d] = 0
