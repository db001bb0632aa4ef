"""Grounds as arrays for kernels, and the depth of a ball or a point in them.

A ground is a tuple of arrays whose type selects the formulas. All have a `Belt`, which may move.

    FlatGround   a plane: everything is exact.
    Heights      heights on a grid, bilinear in between. The depth of a point is its vertical depth
                 below the surface times the upward component of the normal there: exact where the
                 ground is a plane, else to first order. The candidates on a ball are its lowest
                 point, the point facing the normal below its centre, and the points facing the
                 normals of the cells within half a radius; the deepest of them touches. So the
                 depth does not jump when a ball passes from one cell to the next. It is exact where
                 all candidates lie over one plane; on a ridge a ball sinks in a little.
    Stairs       level treads and vertical risers. The normal follows the shortest way out: up from
                 the tread, out of the nearest riser, or, in the corner between the two, out of
                 both. Exact for points, and for balls smaller than a tread.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.collision.belt import Belt
from stiction.compiler.compiled import chooses, formula, kernel
from stiction.kernels.vectors import add, dot, like, scale, sub


class FlatGround(NamedTuple):
    """A plane through `point` with a normal; it may move within itself (a belt)."""

    point: np.ndarray  # (3) [m]
    normal: np.ndarray  # (3) unit vector out of the ground
    belt: Belt


class Heights(NamedTuple):
    """Heights on a grid; those of its border continue outwards."""

    height: np.ndarray  # (rows, columns) [m]; rows follow y, columns x
    material: np.ndarray  # (rows - 1, columns - 1) number of the material of each cell
    corner: np.ndarray  # (2) x and y of height[0, 0] [m]
    spacing: np.ndarray  # (2) along x and y [m]
    stretch: np.ndarray  # (1) length of the steepest line on the surface over its horizontal length
    belt: Belt  # at rest


class Stairs(NamedTuple):
    """Level treads, one more than there are risers; the first and the last are unbounded."""

    riser: np.ndarray  # (n) positions along the heading, ascending [m]
    level: np.ndarray  # (n + 1) heights of the treads [m]
    heading: np.ndarray  # (2) unit vector perpendicular to the risers, x and y
    highest: np.ndarray  # (1) height of the highest riser [m]
    stretch: np.ndarray  # (1) of a ramp that, raised by `highest`, is nowhere below the stairs
    belt: Belt  # at rest


Ground = FlatGround | Heights | Stairs


class Meeting(NamedTuple):
    """Where a ball is deepest in the ground."""

    offset: tuple  # of the ball's deepest point from its centre [m]
    normal: tuple  # unit vector out of the ground
    depth: float  # [m], minus the gap if it does not touch
    material: int  # index of the ground's material there


def meet(ground, centre, radius):
    """Return the `Meeting` of a ball, or of a point if the radius is 0, with the ground."""
    return _GROUNDS[type(ground)][0](ground, centre, radius)


def clearance(ground, point):
    """Return a lower bound of the distance from the point to the ground [m]."""
    return _GROUNDS[type(ground)][1](ground, point)


# --------------------------------------------------------------------------------------------- flat


@kernel
def flat_meeting(ground, centre, radius):
    """Meeting with a plane."""
    n = (ground.normal[0], ground.normal[1], ground.normal[2])
    return Meeting(scale(-radius, n), n, radius - flat_clearance(ground, centre), 0)


@kernel
def flat_clearance(ground, point):
    """Height above a plane, along its normal."""
    n = (ground.normal[0], ground.normal[1], ground.normal[2])
    return dot(n, sub(point, (ground.point[0], ground.point[1], ground.point[2])))


# ------------------------------------------------------------------------------------------ heights


class Patch(NamedTuple):
    """The surface of a height field below a point."""

    height: float  # [m]
    slope_x: float
    slope_y: float
    u: float  # position in the cell along x, 0 to 1
    w: float  # and along y
    material: int


@formula
def cell(x, corner, spacing, count):
    """Cell of x on a line of `count` points, position in it (0 to 1), whether x is on the line."""
    u = (x - corner) / spacing
    first, last = like(u, 0), like(u, count - 1)
    inside = u >= first and u <= last
    if not u > first:  # also if u is NaN
        u = first
    if u > last:
        u = last
    k = min(int(u), count - 2)
    return k, u - like(u, k), inside


@kernel
def patch_at(ground, x, y):
    """Bilinear height and slopes; the border continues level outwards."""
    dx, dy = ground.spacing[0], ground.spacing[1]
    j, u, inside_x = cell(x, ground.corner[0], dx, ground.height.shape[1])
    i, w, inside_y = cell(y, ground.corner[1], dy, ground.height.shape[0])
    a, b = ground.height[i, j], ground.height[i, j + 1]
    c, d = ground.height[i + 1, j], ground.height[i + 1, j + 1]
    front, back = a + u * (b - a), c + u * (d - c)
    none = like(u, 0)
    slope_x = (b - a + w * (d - c - b + a)) / dx if inside_x else none
    slope_y = (back - front) / dy if inside_y else none
    return Patch(front + w * (back - front), slope_x, slope_y, u, w, ground.material[i, j])


@formula
def upward(patch):
    """Unit normal of a patch."""
    up = like(patch.height, 1)
    k = up / math.sqrt(patch.slope_x * patch.slope_x + patch.slope_y * patch.slope_y + up)
    return (-k * patch.slope_x, -k * patch.slope_y, k)


@kernel
def point_on_heights(ground, centre, offset):
    """Meeting with a height field of the point of a ball at an offset from its centre."""
    p = add(centre, offset)
    patch = patch_at(ground, p[0], p[1])
    n = upward(patch)
    return Meeting(offset, n, n[2] * (patch.height - p[2]), patch.material)


@kernel
def deeper(ground, centre, radius, patch, best):
    """The deeper of meeting `best` and that of the ball's point facing the normal of a patch."""
    found = point_on_heights(ground, centre, scale(-radius, upward(patch)))
    return found if found.depth > best.depth else best


@kernel
def heights_meeting(ground, centre, radius):
    """Meeting with a height field."""
    none, one = like(radius, 0), like(radius, 1)
    best = point_on_heights(ground, centre, (none, none, -radius))
    if radius == 0:
        return best
    below = patch_at(ground, centre[0], centre[1])
    best = deeper(ground, centre, radius, below, best)
    x, y, half = centre[0], centre[1], like(radius, 0.5) * radius
    dx, dy = ground.spacing[0], ground.spacing[1]
    if below.u * dx < half:
        best = deeper(ground, centre, radius, patch_at(ground, x - half, y), best)
    if (one - below.u) * dx < half:
        best = deeper(ground, centre, radius, patch_at(ground, x + half, y), best)
    if below.w * dy < half:
        best = deeper(ground, centre, radius, patch_at(ground, x, y - half), best)
    if (one - below.w) * dy < half:
        best = deeper(ground, centre, radius, patch_at(ground, x, y + half), best)
    return best


@kernel
def heights_clearance(ground, point):
    """Distance to the steepest cone in which the surface can rise from below the point."""
    return (point[2] - patch_at(ground, point[0], point[1]).height) / ground.stretch[0]


# ------------------------------------------------------------------------------------------- stairs
# In the plane perpendicular to the risers: s along the heading, z up.


@kernel
def tread_at(ground, s):
    """Number of the tread at a position along the heading."""
    low, high = 0, len(ground.riser)
    while low < high:
        middle = (low + high) // 2
        if ground.riser[middle] <= s:
            low = middle + 1
        else:
            high = middle
    return low


@formula
def before_riser(a, z, top, radius):
    """Depth in a higher tread, its riser at distance a ahead, and the normal: backwards, up."""
    none, one = like(z, 0), like(z, 1)
    if z < top:
        return radius - a, (one, none)
    distance = math.sqrt(a * a + (z - top) * (z - top))
    if distance == 0:
        return radius, (none, one)
    return radius - distance, (a / distance, (z - top) / distance)


@formula
def behind_riser(a, z, foot, radius):
    """Depth behind a riser at distance a, above a tread at `foot`, and the normal: back, up."""
    none = like(z, 0)
    back, up = a + radius, max(foot + radius - z, none)
    distance = math.sqrt(back * back + up * up)
    if distance == 0:
        return none, (like(z, 1), none)
    return distance, (back / distance, up / distance)


@formula
def out_of_both(d1, n1, d2, n2):
    """Depth and normal of the shortest way out of two half-planes; of the nearer if outside."""
    c = n1[0] * n2[0] + n1[1] * n2[1]
    if d1 >= d2 and (d2 <= 0 or d2 <= c * d1):
        return d1, n1
    if d2 > d1 and (d1 <= 0 or d1 <= c * d2):
        return d2, n2
    square = like(c, 1) - c * c
    if square < like(c, 1e-6):  # between two walls
        return (d1, n1) if d1 >= d2 else (d2, n2)
    k1, k2 = (d1 - c * d2) / square, (d2 - c * d1) / square
    x, z = k1 * n1[0] + k2 * n2[0], k1 * n1[1] + k2 * n2[1]
    depth = math.sqrt(x * x + z * z)
    return depth, (x / depth, z / depth)


@kernel
def stairs_meeting(ground, centre, radius):
    """Meeting with stairs."""
    s, z = ground.heading[0] * centre[0] + ground.heading[1] * centre[1], centre[2]
    tread = tread_at(ground, s)
    level = ground.level[tread]
    none, one = like(z, 0), like(z, 1)
    depth, normal = level + radius - z, (none, one)
    for side in range(2):
        neighbour = tread - 1 + 2 * side
        if neighbour < 0 or neighbour > len(ground.riser):
            continue
        sign = like(z, 2 * side - 1)  # of the direction to the neighbour
        a = sign * (ground.riser[tread - 1 + side] - s)
        other = ground.level[neighbour]
        if other > level:
            d, n = before_riser(a, z, other, radius)
            depth, normal = out_of_both(depth, normal, d, (-sign * n[0], n[1]))
        elif z < level:
            d, n = behind_riser(a, z, other, radius)
            if d < depth:
                depth, normal = d, (sign * n[0], n[1])
    n = (normal[0] * ground.heading[0], normal[0] * ground.heading[1], normal[1])
    return Meeting(scale(-radius, n), n, depth, 0)


@kernel
def stairs_clearance(ground, point):
    """Distance to the ramps that rise to both sides and cover all treads."""
    s = ground.heading[0] * point[0] + ground.heading[1] * point[1]
    level = ground.level[tread_at(ground, s)]
    return (point[2] - level - ground.highest[0]) / ground.stretch[0]


# ----------------------------------------------------------------------------------------- dispatch

_GROUNDS = {
    FlatGround: (flat_meeting, flat_clearance),
    Heights: (heights_meeting, heights_clearance),
    Stairs: (stairs_meeting, stairs_clearance),
}


@chooses(meet)
def _meet(ground, centre, radius):
    chosen = _GROUNDS[ground.instance_class][0]
    return lambda ground, centre, radius: chosen(ground, centre, radius)


@chooses(clearance)
def _clearance(ground, point):
    chosen = _GROUNDS[ground.instance_class][1]
    return lambda ground, point: chosen(ground, point)
