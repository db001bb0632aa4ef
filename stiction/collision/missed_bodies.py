"""Bodies that were out of reach when contact was detected, and that accelerations bring together.

Detection grants two bodies the travel at REACH times gravity. Once the accelerations are known,
pairs of shapes for which that is not enough get a longer one, and are detected again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from stiction.collision.bodies import (
    Bodies,
    NoBodies,
    fall_within,
    find_manifold,
    order_pairs,
    poses_of,
    touching_shapes,
)
from stiction.collision.bounds import reach_within
from stiction.collision.broad_phase import find_near_pairs
from stiction.collision.detection import acceleration_bound, acceleration_of
from stiction.collision.fast_pairs import relative_velocity
from stiction.compiler.compiled import as_python, chooses, kernel, subroutine
from stiction.kernels.kinematics import arm_to, seen_from, velocity_from_origin
from stiction.kernels.spatial import point_acceleration
from stiction.kernels.vectors import dot, like, load_vector, zero_vector


def bodies_may_be_missed(surface: Any, dynamics: Any, v: Any, dt: Any) -> bool:
    """Return whether accelerations may bring bodies together within dt that were out of reach."""
    return _CHECKS[type(surface.bodies)].may_be_missed(surface, dynamics, v, dt)


def find_missed_bodies(surface: Any, dynamics: Any, dt: Any) -> bool:
    """Return whether accelerations bring bodies together within dt that `detect_bodies` left out.

    Their pairs then have a longer travel, with which `detect_bodies` finds them.
    """
    return _CHECKS[type(surface.bodies)].find_missed(surface, dynamics, dt)


@kernel
def _none_may_be_missed(surface, dynamics, v, dt):
    return False


@kernel
def _none_missed(surface, dynamics, dt):
    return False


@kernel
def _may_be_missed(surface, dynamics, v, dt):
    swerve = like(dt, 2) * dt * dt * acceleration_bound(surface.points, dynamics, v)
    return swerve > fall_within(dynamics, dt)


@kernel
def _find_missed(surface, dynamics, dt):
    bodies = surface.bodies
    fall, farthest = fall_within(dynamics, dt), like(dt, 0)
    for i in range(len(bodies.link)):
        bodies.swerve[i] = 0
        if bodies.link[i] > 0:
            bodies.swerve[i] = dt * dt * largest_acceleration(bodies.broad.bounds, dynamics, i)
            farthest = max(farthest, bodies.swerve[i])
    if like(dt, 2) * farthest <= fall:
        return False
    if farthest > like(dt, 4) * fall and not search_farther(bodies, dynamics, surface.memory, dt):
        return False
    missed = False
    for k in range(bodies.broad.slots.count[0]):
        slot = bodies.order[k]
        a, b = touching_shapes(bodies, slot)
        if may_meet(bodies, slot, a, b, fall):
            way = way_together(bodies, dynamics, a, b, max(fall, bodies.way[slot]), dt)
            if way > 0:
                bodies.way[slot] = way
                missed = True
    return missed


@kernel
def may_meet(bodies, slot, a, b, fall):
    """Return whether accelerations may bring two shapes together that detection left out.

    Their velocities bring them closer by at most half their reach, which is that of two steps.
    """
    swerve, reach = bodies.swerve[a] + bodies.swerve[b], bodies.broad.boxes.reach
    far = bodies.apart[slot] - like(fall, 0.5) * (reach[a] + reach[b]) >= swerve
    return swerve > max(fall, bodies.way[slot]) and not far


@kernel
def largest_acceleration(bounds, dynamics, i):
    """Upper bound of the acceleration of all points of shape i [m/s2]."""
    link = bounds.link[i]
    a, seen = acceleration_of(dynamics, link), velocity_from_origin(dynamics, link)
    centre = arm_to(dynamics, link, load_vector(bounds.centre, i))
    linear, w = point_acceleration(a, seen, centre), seen.angular
    turning = math.sqrt(dot(a.angular, a.angular)) + dot(w, w)
    return math.sqrt(dot(linear, linear)) + bounds.radius[i] * turning


@kernel
def search_farther(bodies, dynamics, memory, dt):
    """Find the near pairs again, where shapes also have the travel of their accelerations.

    Returns whether there are slots for all; otherwise the near pairs remain as they are.
    """
    broad = bodies.broad
    reach_within(broad.bounds, dynamics, broad.boxes, like(dt, 2) * dt)
    for i in range(len(bodies.link)):
        broad.boxes.reach[i] += bodies.swerve[i]
    found = find_near_pairs(broad, dynamics)
    if found:
        order_pairs(bodies, memory)
    return found


@subroutine
def way_together(bodies, dynamics, a, b, known, dt):
    """Distance by which accelerations bring a point of two shapes together that is missed, or 0.

    known: the travel that detection granted them [m].
    """
    link, other = bodies.link[a], bodies.link[b]
    pose, other_pose = poses_of(bodies, dynamics, a, b, zero_vector(dt))
    find_manifold(bodies, a, pose, b, other_pose, dt)
    widest = like(dt, 0)
    for k in range(bodies.manifold.count[0]):
        r, n = load_vector(bodies.manifold.point, k), load_vector(bodies.manifold.normal, k)
        nearing = dot(n, relative_velocity(dynamics, link, other, r, r))
        gap = min(dt * nearing, like(dt, 0)) - bodies.manifold.depth[k]
        seen = velocity_from_origin(dynamics, link)
        down = -dot(n, point_acceleration(acceleration_of(dynamics, link), seen, r))
        if other > 0:
            seen, s = velocity_from_origin(dynamics, other), seen_from(dynamics, link, other, r)
            down += dot(n, point_acceleration(acceleration_of(dynamics, other), seen, s))
        if gap >= known and gap < dt * dt * down:
            widest = max(widest, dt * dt * down)
    return widest


class _Checks(NamedTuple):
    """What is checked once accelerations are known."""

    may_be_missed: Callable[..., bool]
    find_missed: Callable[..., bool]


_CHECKS = {
    NoBodies: _Checks(_none_may_be_missed, _none_missed),
    Bodies: _Checks(_may_be_missed, _find_missed),
}


@chooses(bodies_may_be_missed)
def _bodies_may_be_missed(surface, dynamics, v, dt):
    bodies = surface.types[surface.fields.index("bodies")]
    return as_python(_CHECKS[bodies.instance_class].may_be_missed)


@chooses(find_missed_bodies)
def _find_missed_bodies(surface, dynamics, dt):
    bodies = surface.types[surface.fields.index("bodies")]
    return as_python(_CHECKS[bodies.instance_class].find_missed)
