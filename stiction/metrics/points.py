"""Positions and velocities of points in a motion; all compiled code of the metrics is here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.collision.points import meet_ground
from stiction.compiler.compiled import kernel, routine
from stiction.description.arguments import numbers, shown
from stiction.errors import InputError
from stiction.kernels.articulated import move_links
from stiction.kernels.forces import Forces, wrench_now
from stiction.kernels.kinematics import advance, arm_to, forward_kinematics, velocities, world_point
from stiction.kernels.spatial import load_inertia, load_twist, momentum, point_velocity
from stiction.kernels.tree import allocate
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    load_vector,
    scale,
    store_vector,
    sub,
    zero_vector,
)
from stiction.step.record import POSITION, SHAPES
from stiction.world.colliding_pairs import colliding_shapes
from stiction.world.contact_points import contact_points_of

if TYPE_CHECKING:
    from stiction.motion.motion import Motion
    from stiction.motion.touched import Touched


class Followed(NamedTuple):
    """All contact points at n states, in world axes."""

    position: np.ndarray  # (n, points, 3) [m]
    velocity: np.ndarray  # (n, points, 3) [m/s]
    normal: np.ndarray  # (n, points, 3) unit normal of the ground at the point
    pair: np.ndarray  # (n, points) number of the pair of materials that meet
    depth: np.ndarray  # (n, points) in the ground, minus the gap above it [m]


# -------------------------------------------------------------------------------- compiled routines


@routine
def _follow_points(dynamics, contact_points, ground, q, v, followed):
    """Write position, velocity, normal, pair and depth of the contact points at n states."""
    for k in range(len(q)):
        forward_kinematics(dynamics, q[k])
        velocities(dynamics, v[k])
        for i in range(len(contact_points.link)):
            link = contact_points.link[i]
            origin = load_vector(dynamics.origin, dynamics.tree.root[link])
            r, met = meet_ground(contact_points, ground, dynamics, link, i)
            moving = point_velocity(load_twist(dynamics.velocity, link), r)
            store_vector(followed.position[k], i, add(origin, r))
            store_vector(followed.velocity[k], i, moving)
            store_vector(followed.normal[k], i, met.normal)
            followed.pair[k, i] = contact_points.pair[i] + met.material
            followed.depth[k, i] = met.depth


@kernel
def velocity_at(dynamics, link, p):
    """Velocity of a link at a place in the world."""
    origin = load_vector(dynamics.origin, dynamics.tree.root[link])
    return point_velocity(load_twist(dynamics.velocity, link), sub(p, origin))


@routine
def _follow_touching(dynamics, links, place, begin, q, v, velocity):
    """Write the velocity of one link relative to another at places in the world, at n states.

    links: (places, 2), 0 for what is fixed; those at state k are from begin[k] to begin[k + 1].
    """
    for k in range(len(q)):
        forward_kinematics(dynamics, q[k])
        velocities(dynamics, v[k])
        for i in range(begin[k], begin[k + 1]):
            p = load_vector(place, i)
            one = velocity_at(dynamics, links[i, 0], p)
            store_vector(velocity, i, sub(one, velocity_at(dynamics, links[i, 1], p)))


@routine
def _follow_link(dynamics, link, point, q, position):
    """Write the position of a point of a link in the world at n configurations."""
    for k in range(len(q)):
        forward_kinematics(dynamics, q[k])
        p = world_point(dynamics, link, (point[0], point[1], point[2]))
        store_vector(position, k, p)


@routine
def _advance_all(tree, q, v, dt):
    """Move n configurations along their velocities."""
    for k in range(len(q)):
        advance(tree, q[k], v[k], dt)


@routine
def _momentum_of_links(dynamics, first, last, q, v, weighted_centre, total):
    """Write mass times centre, and momentum about the world's origin, of links first to last."""
    tree = dynamics.tree
    for k in range(len(q)):
        move_links(dynamics, q[k], v[k])
        weighted = zero_vector(tree.gravity[0])
        linear = zero_vector(tree.gravity[0])
        angular = zero_vector(tree.gravity[0])
        for i in range(first, last):
            c = world_point(dynamics, i, load_vector(tree.centre, i))
            weighted = add(weighted, scale(tree.mass[i], c))
            part = momentum(load_inertia(dynamics.rigid, i), load_twist(dynamics.velocity, i))
            origin = load_vector(dynamics.origin, tree.root[i])
            linear = add(linear, part.force)
            angular = add(angular, add(part.moment, cross(origin, part.force)))
        store_vector(weighted_centre, k, weighted)
        for axis in range(3):
            total[k, axis] = linear[axis]
            total[k, 3 + axis] = angular[axis]


@routine
def _external_power(dynamics, forces, time, begin, dt, q, v, power):
    """Write the power of external forces in n steps, at states q, v and times within the steps."""
    for k in range(len(q)):
        forward_kinematics(dynamics, q[k])
        velocities(dynamics, v[k])
        for i in range(len(forces.link)):
            link = forces.link[i]
            f = wrench_now(forces, i, time[k], begin[k], dt)
            twist = load_twist(dynamics.velocity, link)
            r = arm_to(dynamics, link, load_vector(forces.place, i))
            power[k] += dot(f.force, point_velocity(twist, r)) + dot(f.moment, twist.angular)


# ---------------------------------------------------------------------------------- over the motion


def point_positions(motion: Motion) -> np.ndarray:
    """Positions of all contact points in world axes [m], (n, points, 3)."""
    return motion.contact_points.position


def point_velocities(motion: Motion) -> np.ndarray:
    """Velocities of all contact points in world axes [m/s], (n, points, 3)."""
    return motion.contact_points.velocity


def followed_points(motion: Motion, q: np.ndarray, v: np.ndarray) -> Followed:
    """Return all contact points at the given states; `motion.contact_points` has its own."""
    shape = (len(q), motion.point_count, 3)
    position, velocity, normal = (np.zeros(shape) for _ in range(3))
    pair, depth = np.zeros(shape[:2], np.int64), np.zeros(shape[:2])
    followed = Followed(position, velocity, normal, pair, depth)
    if shape[1] > 0 and motion.world.ground is not None:
        contact_points, _, _ = contact_points_of(motion.world)
        ground = motion.world.ground.bind()
        _follow_points(allocate(motion.world.tree), contact_points, ground, q, v, followed)
    return followed


def followed_between(motion: Motion, kept: Touched, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Velocity of the first body relative to the second, where bodies touched, (values, 3).

    kept: rows of `motion.touched_between`; q, v: the states at which to take each of them.
    """
    of_shapes = np.array([0, *(shape.link for shape in colliding_shapes(motion.world.robots))])
    values = kept.values["between"]
    links = of_shapes[values[:, SHAPES : SHAPES + 2].astype(np.int64)]
    place = np.ascontiguousarray(values[:, POSITION : POSITION + 3])
    velocity = np.zeros((len(values), 3))
    _follow_touching(allocate(motion.world.tree), links, place, kept.begin, q, v, velocity)
    return velocity


def link_positions(motion: Motion, name: str) -> np.ndarray:
    """Positions of the origin of a link or frame in world axes [m], (n, 3)."""
    point = motion.world.place(name)
    position = np.zeros((len(motion), 3))
    _follow_link(allocate(motion.world.tree), point.link, point.position, motion.q, position)
    return position


def normals(motion: Motion) -> np.ndarray:
    """Unit normals out of the ground at all contact points, (n, points, 3)."""
    if motion.world.ground is None:
        raise InputError("normals: this world has no ground")
    return motion.contact_points.normal


def point_links(motion: Motion) -> np.ndarray:
    """Link that each contact point is on, (points)."""
    return contact_points_of(motion.world)[0].link


def points_under(motion: Motion, foot: str) -> np.ndarray:
    """Indices of the contact points of a link."""
    links = point_links(motion)
    found = np.flatnonzero(links == motion.world.place(foot).link)
    require_contact(motion)
    if not len(found):
        known = sorted({motion.world.link_names[i] for i in links})
        raise InputError(f"'{foot}' has no colliding shape; links with one: {', '.join(known)}")
    return found


def require_contact(motion: Motion) -> None:
    """Raise InputError if nothing could touch a ground in this motion."""
    if motion.point_count == 0 and motion.world.ground is None:
        raise InputError("this motion has no ground to touch; give the world a ground")
    if motion.point_count == 0:
        raise InputError(
            "this motion was simulated without contact; give simulate() a contact model"
        )


def links_of(motion: Motion, robot: str | None) -> tuple[int, int]:
    """First link of a robot, and the one after its last; of all robots for None."""
    if not (robot is None or isinstance(robot, str)):
        raise InputError(f"{shown(robot)} is not a robot; give its name")
    first = 1
    for one in motion.world.robots:
        last = first + len(one.link_name)
        if one.name == robot:
            return first, last
        first = last
    if robot is None:
        return 1, first
    known = ", ".join(one.name for one in motion.world.robots)
    raise InputError(f"no robot '{robot}' in this world; it has: {known}")


def momentum_of(motion: Motion, robot: str | None) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], mass times centre of mass (n, 3), momentum about the world's origin (n, 6)."""
    first, last = links_of(motion, robot)
    weighted, total = np.zeros((len(motion), 3)), np.zeros((len(motion), 6))
    dynamics = allocate(motion.world.tree)
    _momentum_of_links(dynamics, first, last, motion.q, motion.v, weighted, total)
    return float(motion.world.tree.mass[first:last].sum()), weighted, total


def advanced(motion: Motion, q: np.ndarray, v: np.ndarray, dt: float) -> np.ndarray:
    """Configurations after moving along velocities for dt [s], (n, nq)."""
    moved = np.array(q)
    _advance_all(motion.world.tree, moved, np.ascontiguousarray(v), dt)
    return moved


def external_power(
    motion: Motion, forces: Forces, time: np.ndarray, q: np.ndarray, v: np.ndarray
) -> np.ndarray:
    """Power of external forces at states within the first steps of a motion [W], (len(q))."""
    power = np.zeros(len(q))
    begin = motion.time[: len(q)]
    _external_power(
        allocate(motion.world.tree), forces, time, begin, step_length(motion), q, v, power
    )
    return power


def step_length(motion: Motion) -> float:
    """Length of a step of the simulation [s]."""
    if "dt" in motion.parameters:
        return float(motion.parameters["dt"])
    if len(motion) < 2:
        raise InputError("this motion has a single sample and no dt; its step length is unknown")
    return float(motion.time[1] - motion.time[0])


def world_points(what: str, value: ArrayLike, n: int) -> np.ndarray:
    """Check a point, or one per sample, and return it as (n, 3) [m]."""
    points = numbers(value)
    if points.shape not in ((3,), (n, 3)) or not np.isfinite(points).all():
        raise InputError(f"{what}: found {value!r}; give a finite point (3) or ({n}, 3) in m")
    return np.broadcast_to(points, (n, 3))
