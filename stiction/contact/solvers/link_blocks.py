"""Six by six blocks of the touching links: sums of P'M P over the contact points of a link.

P takes the twist of a link, about the centre of its contact points, to the velocity of a point:
P t = linear + angular x r, see `response.py`.
"""

from __future__ import annotations

from typing import NamedTuple

from stiction.compiler.compiled import kernel
from stiction.kernels.vectors import add, cross, like, symmetric_add, symmetric_outer, zero_vector


class ArmSums(NamedTuple):
    """Moments of the arms of some points: all that the sum of P'P over them depends on."""

    points: int
    first: tuple  # sum of r
    second: tuple  # sum of r r', rows of the upper half


@kernel
def no_arms(zero):
    """Sums over no points, in the precision of zero."""
    return ArmSums(0, zero_vector(zero), (zero, zero, zero, zero, zero, zero))


@kernel
def add_arm(sums, r):
    """Sums with one more point, at r."""
    second = symmetric_add(sums.second, symmetric_outer(r, r))
    return ArmSums(sums.points + 1, add(sums.first, r), second)


@kernel
def clear_block(blocks, touching):
    """Set the block of a touching link to zero."""
    for i in range(6):
        for k in range(6):
            blocks[touching, i, k] = 0


@kernel
def add_outer(A, touching, k, force, arm, motion):
    """A[touching] += k (P' force)(P' motion)', for a point at `arm`."""
    f, m = cross(arm, force), cross(arm, motion)
    row = (force[0], force[1], force[2], f[0], f[1], f[2])
    for i in range(6):
        x = k * row[i]
        A[touching, i, 0] += x * motion[0]
        A[touching, i, 1] += x * motion[1]
        A[touching, i, 2] += x * motion[2]
        A[touching, i, 3] += x * m[0]
        A[touching, i, 4] += x * m[1]
        A[touching, i, 5] += x * m[2]


@kernel
def add_points(A, touching, k, sums):
    """A[touching] += k sum P'P, from the sums over the arms of the points."""
    s, (xx, xy, xz, yy, yz, zz) = sums.first, sums.second
    k_count = k * like(k, sums.points)
    A[touching, 0, 0] += k_count
    A[touching, 1, 1] += k_count
    A[touching, 2, 2] += k_count
    x, y, z = k * s[0], k * s[1], k * s[2]
    A[touching, 0, 4] += z
    A[touching, 0, 5] -= y
    A[touching, 1, 3] -= z
    A[touching, 1, 5] += x
    A[touching, 2, 3] += y
    A[touching, 2, 4] -= x
    A[touching, 3, 1] -= z
    A[touching, 3, 2] += y
    A[touching, 4, 0] += z
    A[touching, 4, 2] -= x
    A[touching, 5, 0] -= y
    A[touching, 5, 1] += x
    A[touching, 3, 3] += k * (yy + zz)
    A[touching, 3, 4] -= k * xy
    A[touching, 3, 5] -= k * xz
    A[touching, 4, 3] -= k * xy
    A[touching, 4, 4] += k * (xx + zz)
    A[touching, 4, 5] -= k * yz
    A[touching, 5, 3] -= k * xz
    A[touching, 5, 4] -= k * yz
    A[touching, 5, 5] += k * (xx + yy)
