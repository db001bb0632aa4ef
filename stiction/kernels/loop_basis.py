"""An orthonormal basis of the rows of closed loops, and what follows from it.

The response of a row is a vector over the coordinates; in the metric 1 / D, products of two
responses are entries of J H^-1 J'. Gram-Schmidt orthogonalisation, the row that is least redundant
first, factors that matrix and finds its rank. Redundant rows are common: the points of a planar
linkage cannot leave its plane anyway. With an orthonormal basis there is no system left to solve:
the force along a basis vector is what the acceleration along it lacks.
"""

import math

from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.kinematics import last_dof
from stiction.kernels.tree import STUCK
from stiction.kernels.vectors import like

REDUNDANT = 1e-8  # squared sine between a row and the basis below which it adds nothing
PENDING, KEPT, LEFT_OUT = 0, 1, 2


@subroutine
def orthonormal_rows(loops, dynamics):
    """Turn `basis` into an orthonormal basis, and `aim` into accelerations along it."""
    for row in range(len(loops.aim)):
        loops.kept[row] = PENDING
        loops.size[row] = product(loops, dynamics, row, row)
    for _ in range(len(loops.aim)):
        row = least_redundant(loops)
        if row < 0:
            return
        size = product(loops, dynamics, row, row)  # `size` has lost digits
        if size <= like(size, REDUNDANT) * loops.scale[row]:
            loops.kept[row] = LEFT_OUT
            continue
        loops.kept[row] = KEPT
        scale_row(loops, row, like(size, 1) / math.sqrt(size))
        for other in range(len(loops.aim)):
            same = loops.row_group[other] == loops.row_group[row]
            if same and loops.kept[other] == PENDING:
                subtract_row(loops, dynamics, other, row)


@kernel
def least_redundant(loops):
    """Return the pending row with the largest part outside the basis; -1 if there is none."""
    best, most = -1, like(loops.aim[0], 0)
    for row in range(len(loops.aim)):
        if loops.kept[row] == PENDING:
            if loops.size[row] > like(most, REDUNDANT) * loops.scale[row]:
                share = loops.size[row] / loops.scale[row]
                if share > most:
                    best, most = row, share
            else:
                loops.kept[row] = LEFT_OUT
    return best


@kernel
def product(loops, dynamics, row, other):
    """Product of two rows of `basis` in the metric 1 / D."""
    total, basis = like(loops.aim[0], 0), loops.basis
    for k in range(len(loops.moved)):
        d = loops.moved[k]
        total += basis[row, d] * basis[other, d] * dynamics.inverse_D[d]
    return total


@kernel
def scale_row(loops, row, factor):
    """Multiply a row of `basis`, and its aim, by a factor."""
    loops.aim[row] *= factor
    for k in range(len(loops.moved)):
        loops.basis[row, loops.moved[k]] *= factor


@kernel
def subtract_row(loops, dynamics, row, other):
    """Subtract from a row its part along the unit vector `other`."""
    share = product(loops, dynamics, row, other)
    loops.size[row] -= share * share
    loops.aim[row] -= share * loops.aim[other]
    for k in range(len(loops.moved)):
        d = loops.moved[k]
        loops.basis[row, d] -= share * loops.basis[other, d]


# ------------------------------------------------------------------------------- forces of loops


@kernel
def lacking(loops, dynamics, row):
    """Force along a basis vector: the acceleration that it lacks with the present forces u."""
    left = loops.aim[row]
    for k in range(len(loops.moved)):
        d = loops.moved[k]
        alone = dynamics.u[d] * dynamics.inverse_D[d]
        if dynamics.mode[d] >= STUCK:
            alone = dynamics.acceleration[d]
        left -= loops.basis[row, d] * alone
    return left


@kernel
def add_along(loops, dynamics, row, force):
    """Add a force along a basis vector to u; where the acceleration is known, it reduces u."""
    for k in range(len(loops.moved)):
        d = loops.moved[k]
        along = force * loops.basis[row, d]
        dynamics.u[d] += along if dynamics.mode[d] < STUCK else -along


@subroutine
def add_loop_forces(loops, dynamics):
    """Add to u the forces with which the accelerations along the basis are `aim`."""
    for row in range(len(loops.aim)):
        if loops.kept[row] == KEPT:
            add_along(loops, dynamics, row, lacking(loops, dynamics, row))


@subroutine
def keep_displacement_closed(loops, dynamics):
    """Add to u, which holds forces that displace the links from rest, those of the loops."""
    for row in range(len(loops.aim)):
        if loops.kept[row] == KEPT:
            moved = like(loops.aim[0], 0)
            for k in range(len(loops.moved)):
                d = loops.moved[k]
                moved += loops.basis[row, d] * dynamics.u[d] * dynamics.inverse_D[d]
            add_along(loops, dynamics, row, -moved)


# --------------------------------------------------------------------------- response of links


@subroutine
def constrain_twists(loops, dynamics, links, dt):
    """Subtract from L, and add to the free twists, what the loops prevent and cause."""
    for row in range(len(loops.aim)):
        loops.push[row] = 0
        if loops.kept[row] == KEPT:
            loops.push[row] = lacking(loops, dynamics, row)
    for b in range(links.count[0]):
        twists_by_loops(loops, dynamics, links.link[b], links.unit_responses, b)
        for row in range(len(loops.aim)):
            for k in range(6):
                links.free[b, k] += dt * loops.push[row] * loops.touching[b, k, row]
    for b in range(links.count[0]):
        for c in range(links.first[b], links.end[b]):
            subtract_block(loops, links.inverse_inertia, b, c, b - links.first[b])


@kernel
def twists_by_loops(loops, dynamics, link, responses, b):
    """Write the twist of a link per unit force along each basis vector; 0 in other groups."""
    for row in range(len(loops.aim)):
        for k in range(6):
            loops.touching[b, k, row] = 0
        if loops.kept[row] == KEPT and loops.row_group[row] == loops.link_group[link]:
            d = last_dof(dynamics.tree, link)
            while d >= 0:
                share = loops.basis[row, d] * dynamics.inverse_D[d]
                for k in range(6):
                    loops.touching[b, k, row] += share * responses[b, d, k]
                d = dynamics.tree.dof_parent[d]


@kernel
def subtract_block(loops, L, b, c, place):
    """Subtract from the twists of b per unit wrenches on c those that the loops prevent."""
    for k in range(6):
        for j in range(6):
            total = like(loops.aim[0], 0)
            for row in range(len(loops.aim)):
                total += loops.touching[b, j, row] * loops.touching[c, k, row]
            L[6 * c + k, place, j] -= total
