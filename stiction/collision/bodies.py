"""Bodies that touch each other: rows of `Contact` between links, and between links and scenery.

The broad phase finds the pairs of shapes that may meet within a step, once per step; each keeps its
slot while it stays near. The narrow phase gives up to four points for each. A point is found again
in the next step by its feature, so a contact model can remember it: point k of a slot has the
number FIRST + 4 slot + k, where FIRST contact points are those of the ground.

A world in which nothing but the ground can be touched has `NoBodies`, and no code for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from stiction.collision.bounds import reach_within
from stiction.collision.broad_phase import BroadPhase, find_near_pairs
from stiction.collision.detection import REACH
from stiction.collision.fast_pairs import relative_velocity, time_ahead, way_back
from stiction.collision.meshes.meet_mesh import meet
from stiction.collision.pair_slots import PairSlots, clear_fresh
from stiction.collision.pairs.clip import MOST as POINTS
from stiction.collision.pairs.clip import Manifold
from stiction.collision.pairs.manifold import PairScratch
from stiction.collision.pairs.meet import UNSOLVED
from stiction.collision.pairs.shapes import Pose, Shapes, radius_at
from stiction.compiler.compiled import as_python, chooses, kernel, subroutine
from stiction.kernels.kinematics import arm_to, seen_from
from stiction.kernels.tree import OK, TOO_MANY_PAIRS
from stiction.kernels.vectors import (
    add,
    compose,
    dot,
    like,
    load_matrix,
    load_vector,
    store_vector,
    sub,
    zero_vector,
)

NO_FEATURE = -1


class NoBodies(NamedTuple):
    """Nothing can be touched but the ground."""


class Bodies(NamedTuple):
    """Shapes that may touch each other, and what is known of near pairs."""

    shapes: Shapes
    link: np.ndarray  # (shapes) link of the forest, 0 for scenery
    position: np.ndarray  # (shapes, 3) in the link [m]
    rotation: np.ndarray  # (shapes, 3, 3)
    material: np.ndarray  # (shapes) number of the material
    pair: np.ndarray  # (materials, materials) row of `Contact.table`
    broad: BroadPhase
    order: np.ndarray  # (capacity) slots of near pairs, those of the same two links together
    narrow: PairScratch
    manifold: Manifold
    feature: np.ndarray  # (capacity, POINTS) of the points in the last step, or NO_FEATURE
    feature_trial: np.ndarray  # (capacity, POINTS) in this step
    number: np.ndarray  # (POINTS) of the points of the manifold, in their slot
    first_point: np.ndarray  # (1) number of contact points of the ground
    first_group: np.ndarray  # (1) number of groups of them
    searched: np.ndarray  # (1) 1 once the near pairs of this step are known
    apart: np.ndarray  # (capacity) lower bound of the distance when a pair was detected [m]
    swerve: np.ndarray  # (shapes) how far accelerations take each shape within the step [m]
    way: np.ndarray  # (capacity) how far they bring the shapes of a pair together [m]
    missing: np.ndarray  # (2) slots, and touching pairs, that there was no room for
    doubtful: np.ndarray  # (1) manifolds so far of an iteration that did not converge


class KnownPairs(NamedTuple):
    """What passes from step to step: which pairs are near, and which features touched."""

    slots: PairSlots
    feature: np.ndarray


def known_pairs(bodies: Bodies | NoBodies) -> KnownPairs | NoBodies:
    """Return what of these bodies passes from step to step."""
    if isinstance(bodies, NoBodies):
        return bodies
    return KnownPairs(bodies.broad.slots, bodies.feature)


def with_known_pairs(bodies: Any, known: Any) -> Any:
    """Return the same bodies with other known pairs."""
    if isinstance(bodies, NoBodies):
        return bodies
    return bodies._replace(broad=bodies.broad._replace(slots=known.slots), feature=known.feature)


def detect_bodies(surface: Any, dynamics: Any, reach_time: Any, dt: Any) -> None:
    """Append the rows of points between bodies, within reach of touching in reach_time."""
    _PARTS[type(surface.bodies)].detect(surface, dynamics, reach_time, dt)


def begin_bodies(bodies: Any) -> None:
    """Start a step: near pairs must be found again."""
    _PARTS[type(bodies)].begin(bodies)


def commit_bodies(bodies: Any) -> int:
    """Complete a step: remember the features of its points; returns a status."""
    return _PARTS[type(bodies)].commit(bodies)


@kernel
def _detect_none(surface, dynamics, reach_time, dt):
    pass


@kernel
def _begin_none(bodies):
    pass


@kernel
def _commit_none(bodies):
    return OK


@kernel
def _detect(surface, dynamics, reach_time, dt):
    bodies = surface.bodies
    if bodies.searched[0] == 0:
        search_pairs(bodies, dynamics, surface.memory, dt)
        bodies.searched[0] = 1
    if surface.work.impact[0] > 0:
        clear_ways(bodies)  # no time passes
    ahead = time_ahead(surface.work.clock[0], surface.work.clock[1], dt)
    append_points(bodies, dynamics, surface.contact, reach_time, ahead)


@subroutine
def append_points(bodies, dynamics, contact, reach_time, ahead):
    """Append the points of all near pairs that touch or may touch within reach_time.

    ahead: time from the start of the step to the poses in `dynamics` [s].
    """
    slots, touching = bodies.broad.slots, contact.touching_count[0]
    contact.near_count[0] = slots.count[0]
    last_a, last_b = -1, -1
    for k in range(slots.count[0]):
        slot = bodies.order[k]
        contact.near[k] = bodies.first_point[0] + POINTS * slot
        a, b = touching_shapes(bodies, slot)
        before = contact.count[0]
        new_pair = bodies.link[a] != last_a or bodies.link[b] != last_b
        if new_pair and touching >= len(contact.touching_link):
            bodies.missing[1] += 1
            continue
        meet_bodies(bodies, dynamics, contact, a, b, slot, reach_time, ahead)
        number = touching if new_pair else touching - 1
        for row in range(before, contact.count[0]):
            contact.touching[row] = number
        if contact.count[0] > before and new_pair:
            last_a, last_b = bodies.link[a], bodies.link[b]
            contact.touching_link[touching], contact.touched_link[touching] = last_a, last_b
            touching += 1
    contact.touching_count[0] = touching


@kernel
def touching_shapes(bodies, slot):
    """The shapes of a slot: the one that touches, and the one that is touched.

    Of two links the later one touches the earlier one; scenery comes first.
    """
    a, b = bodies.broad.slots.second[slot], bodies.broad.slots.first[slot]
    if bodies.link[a] < bodies.link[b]:
        a, b = b, a
    return a, b


@subroutine
def search_pairs(bodies, dynamics, memory, dt):
    """Find the pairs of shapes that may meet within dt, and put those of the same links together.

    The search happens where contact is first detected in the step, up to half a step from its
    start, so shapes get the travel of two steps.
    """
    broad, order = bodies.broad, bodies.order
    reach_within(broad.bounds, dynamics, broad.boxes, like(dt, 2) * dt)
    if not find_near_pairs(broad, dynamics):
        bodies.missing[0] = max(bodies.missing[0], broad.search.needed[0] - len(order))
    order_pairs(bodies, memory)


@kernel
def order_pairs(bodies, memory):
    """Put near pairs of the same links together, and forget what new ones had in their slots."""
    broad, order = bodies.broad, bodies.order
    for k in range(broad.slots.count[0]):
        slot = broad.slots.taken[k]
        if broad.slots.fresh[slot] == 1:
            forget_pair(bodies, memory, slot)
        i = k
        while i > 0 and comes_before(bodies, slot, order[i - 1]):
            order[i] = order[i - 1]
            i -= 1
        order[i] = slot


@kernel
def forget_pair(bodies, memory, slot):
    """Clear what is remembered of the points of a slot, which has a new pair."""
    for k in range(POINTS):
        bodies.feature[slot, k] = NO_FEATURE
        point = bodies.first_point[0] + POINTS * slot + k
        for i in range(memory.now.shape[1]):
            memory.now[point, i], memory.trial[point, i] = 0, 0
    group = bodies.first_group[0] + slot
    for i in range(memory.group_now.shape[1]):
        memory.group_now[group, i], memory.group_trial[group, i] = 0, 0


@kernel
def comes_before(bodies, slot, other):
    """Return whether the links of a slot come before those of another one.

    The sides of a mesh follow each other.
    """
    a, b = touching_shapes(bodies, slot)
    c, d = touching_shapes(bodies, other)
    if bodies.link[a] != bodies.link[c]:
        return bodies.link[a] < bodies.link[c]
    if bodies.link[b] != bodies.link[d]:
        return bodies.link[b] < bodies.link[d]
    return a < c or (a == c and b < d)


@kernel
def meet_bodies(bodies, dynamics, contact, a, b, slot, reach_time, ahead):
    """Append the points of shapes a and b that touch or may touch within reach_time.

    ahead: time from the start of the step to the poses in `dynamics` [s].
    """
    link, other = bodies.link[a], bodies.link[b]
    way, back = fall_within(dynamics, reach_time), zero_vector(reach_time)
    if reach_time > 0:
        way = max(way, bodies.way[slot])
        back = way_back(bodies, dynamics, a, b, ahead)
    pose, other_pose = poses_of(bodies, dynamics, a, b, back)
    find_manifold(bodies, a, pose, b, other_pose, reach_time)
    manifold = bodies.manifold
    bodies.apart[slot] = distance_known(bodies, a, b, back)
    name_points(bodies, slot)
    if manifold.count[0] == 0:
        return
    for k in range(manifold.count[0]):
        r, n = load_vector(manifold.point, k), load_vector(manifold.normal, k)
        v = relative_velocity(dynamics, link, other, r, sub(r, back))
        depth = manifold.depth[k] - dot(n, back)
        gap = min(reach_time * dot(n, v), like(reach_time, 0)) - depth
        if gap >= way:
            continue
        row = contact.count[0]
        contact.count[0] = row + 1
        contact.point[row] = bodies.first_point[0] + POINTS * slot + bodies.number[k]
        contact.group[row] = bodies.first_group[0] + slot
        contact.pair[row] = bodies.pair[bodies.material[a], bodies.material[b]]
        contact.body_a[row], contact.body_b[row] = link, other
        contact.shape[row, 0], contact.shape[row, 1] = a, b
        contact.radius[row, 0] = radius_at(bodies.shapes, a, pose.rotation, n)
        contact.radius[row, 1] = radius_at(bodies.shapes, b, other_pose.rotation, n)
        contact.depth[row], contact.share[row] = depth, like(gap, 1)
        store_vector(contact.arm, row, r)
        store_vector(contact.normal, row, n)
        store_vector(contact.velocity, row, v)
        store_vector(contact.carried, row, zero_vector(gap))


@kernel
def fall_within(dynamics, dt):
    """Travel that detection grants two bodies for accelerations within dt [m]."""
    gravity = dynamics.tree.gravity
    g = (gravity[0], gravity[1], gravity[2])
    return like(dt, REACH / 2) * math.sqrt(dot(g, g)) * dt * dt


@kernel
def poses_of(bodies, dynamics, a, b, back):
    """Poses of shapes a and b, relative to O of the tree of a; b is moved by `back`."""
    position, rotation = placed(bodies, dynamics, a)
    touched, turned = placed(bodies, dynamics, b)
    touched = add(seen_from(dynamics, bodies.link[b], bodies.link[a], touched), back)
    return Pose(position, rotation), Pose(touched, turned)


@kernel
def find_manifold(bodies, a, pose, b, other, reach_time):
    """Find the points of two shapes that touch or may within reach_time."""
    reach = like(reach_time, 0)
    if reach_time > 0:
        reach = bodies.broad.boxes.reach[a] + bodies.broad.boxes.reach[b]
    status = fill_manifold(bodies.shapes, a, pose, b, other, reach, bodies.narrow, bodies.manifold)
    if status == UNSOLVED:
        bodies.doubtful[0] += 1


@subroutine
def fill_manifold(shapes, a, pose, b, other, reach, narrow, manifold):
    """Write the manifold of two shapes; returns a status."""
    return meet(shapes, a, pose, b, other, reach, narrow, manifold)


@kernel
def distance_known(bodies, a, b, back):
    """Lower bound of the distance of shapes a and b, whose manifold is known [m].

    That of a mesh counts triangles within reach alone. Fast shapes were moved.
    """
    reach = bodies.broad.boxes.reach[a] + bodies.broad.boxes.reach[b]
    if dot(back, back) > 0:
        return -like(reach, math.inf)
    return min(bodies.manifold.distance[0], reach)


@kernel
def placed(bodies, dynamics, i):
    """Position of shape i, relative to O of its tree, and its axes in the world."""
    R = compose(load_matrix(dynamics.rotation, bodies.link[i]), load_matrix(bodies.rotation, i))
    return arm_to(dynamics, bodies.link[i], load_vector(bodies.position, i)), R


@kernel
def name_points(bodies, slot):
    """Number the points of the manifold: those with a feature of the last step keep theirs."""
    manifold, known, now = bodies.manifold, bodies.feature, bodies.feature_trial
    for k in range(POINTS):
        now[slot, k] = NO_FEATURE
    for i in range(manifold.count[0]):
        bodies.number[i] = -1
        for k in range(POINTS):
            if known[slot, k] == manifold.feature[i] and now[slot, k] == NO_FEATURE:
                bodies.number[i] = k
                now[slot, k] = manifold.feature[i]
                break
    for i in range(manifold.count[0]):
        if bodies.number[i] >= 0:
            continue
        k = 0
        while now[slot, k] != NO_FEATURE:
            k += 1
        bodies.number[i] = k
        now[slot, k] = manifold.feature[i]


@kernel
def _begin(bodies):
    bodies.searched[0] = 0
    clear_ways(bodies)


@kernel
def clear_ways(bodies):
    """Forget how far accelerations bring pairs together."""
    for slot in range(len(bodies.way)):
        bodies.way[slot] = 0


@kernel
def _commit(bodies):
    slots = bodies.broad.slots
    for k in range(slots.count[0]):
        slot = slots.taken[k]
        for i in range(POINTS):
            bodies.feature[slot, i] = bodies.feature_trial[slot, i]
    clear_fresh(slots)
    return OK if bodies.missing[0] + bodies.missing[1] == 0 else TOO_MANY_PAIRS


class _Parts(NamedTuple):
    """What bodies do in a step."""

    detect: Callable[..., None]
    begin: Callable[..., None]
    commit: Callable[..., int]


_PARTS = {
    NoBodies: _Parts(_detect_none, _begin_none, _commit_none),
    Bodies: _Parts(_detect, _begin, _commit),
}


@chooses(detect_bodies)
def _detect_bodies(surface, dynamics, reach_time, dt):
    bodies = surface.types[surface.fields.index("bodies")]
    return as_python(_PARTS[bodies.instance_class].detect)


@chooses(begin_bodies)
def _begin_bodies(bodies):
    return as_python(_PARTS[bodies.instance_class].begin)


@chooses(commit_bodies)
def _commit_bodies(bodies):
    return as_python(_PARTS[bodies.instance_class].commit)
