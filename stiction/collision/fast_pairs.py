"""Pairs of shapes that move so fast that they must be compared as they were when the step began.

Half a step ahead, where contact is detected, a fast ball may be on the other side of a thin plate.
"""

from __future__ import annotations

import math

from stiction.compiler.compiled import kernel
from stiction.kernels.kinematics import arm_to, seen_from
from stiction.kernels.spatial import load_twist, point_velocity
from stiction.kernels.vectors import dot, like, load_vector, scale, sub, zero_vector

QUICK = 0.5  # of half the thickness of the thinner shape: pairs that have moved farther are fast
FRACTIONS = 1024  # of a step: integrators evaluate at such times


@kernel
def time_ahead(time, start, dt):
    """Time from the start of a step to an evaluation, without the rounding of the clock.

    A step must not depend on when it is taken.
    """
    share, fractions = (time - start) / dt, like(dt, FRACTIONS)
    return dt * like(dt, math.floor(share * fractions + like(dt, 0.5))) / fractions


@kernel
def relative_velocity(dynamics, link, other, r, s):
    """Velocity of the point r of a link relative to the point s of another one, or of scenery.

    Both points are relative to O of the first.
    """
    v = point_velocity(load_twist(dynamics.velocity, link), r)
    if other > 0:
        s = seen_from(dynamics, link, other, s)
        v = sub(v, point_velocity(load_twist(dynamics.velocity, other), s))
    return v


@kernel
def way_back(bodies, dynamics, a, b, ahead):
    """Displacement of shape b that brings two fast shapes as far apart as the step began; else 0.

    Distance and normal are then those at the start of the step, and `meet_bodies` extrapolates the
    depth. The travel is that of the centre of the smaller shape.
    """
    bounds, boxes = bodies.broad.bounds, bodies.broad.boxes
    short = like(ahead, QUICK) * min(half_thickness(bounds, a), half_thickness(bounds, b))
    if boxes.reach[a] + boxes.reach[b] <= short:  # an upper bound of the travel
        return zero_vector(ahead)
    link, other = bodies.link[a], bodies.link[b]
    centre = arm_to(dynamics, link, load_vector(bounds.centre, a))
    if bounds.radius[b] < bounds.radius[a]:
        centre = arm_to(dynamics, other, load_vector(bounds.centre, b))
        centre = seen_from(dynamics, other, link, centre)
    way = scale(ahead, relative_velocity(dynamics, link, other, centre, centre))
    return way if dot(way, way) > short * short else zero_vector(ahead)


@kernel
def half_thickness(bounds, i):
    """Half of the smallest extent of shape i [m]."""
    across = min(bounds.half[i, 0], bounds.half[i, 1]) + bounds.disc[i]
    return min(across, bounds.half[i, 2]) + bounds.ball[i]
