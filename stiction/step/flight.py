"""Robots that touch each other and nothing else keep their momentum through a step.

An island is in flight if none of its robots touches the ground or scenery, each has a free base,
and no motion is prescribed. Forces within it cannot change its momentum about its centre of mass,
but two things in a step do:

    position correction   displaces links and leaves their velocities: L changes by sum m d x v
    the integrator        turns a body by its mean spin, while torques act at one pose: `missing`

A rigid motion that all robots of the island have in common restores both momenta. It changes no
relative velocity, so what was solved for the contacts still holds. For a robot with joints it is a
change of the velocity of its base alone. With the centre of mass c and the inertia I about it,

    v(x) += U + Omega x (x - c)      U = (P - P_now) / m      Omega = I^-1 (L - L_now)

Kinetic energy is that of the rigid motion which P and L determine, plus that of the motion relative
to it. Where their sum would exceed the energy before the correction, all relative velocities are
reduced by one factor. If they have too little energy for that, the velocities stay as they were: a
ball inside a ring that turns with it is pushed inwards, where the same angular momentum would need
more energy. Taking the displacement back instead would let the ball sink through the ring.

No displacement keeps the angular momentum of two bodies that slide along each other: to part them
moves them across their relative velocity. Robots with loops are left out. For a robot with joints,
the momentum kept is the one that the integrator left, with its error.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.islands import first_of
from stiction.kernels.kinematics import arm_to, forward_kinematics, velocities
from stiction.kernels.loops import in_loop
from stiction.kernels.response import is_pushing
from stiction.kernels.spatial import (
    Twist,
    Wrench,
    inertia_add,
    load_twist,
    load_wrench,
    massless_body,
    point_velocity,
    rigid_inertia,
    store_wrench,
    wrench_add,
)
from stiction.kernels.touching_links import moved_to
from stiction.kernels.tree import FREE, PRESCRIBED
from stiction.kernels.tree_order import NONE
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    load_matrix,
    load_symmetric,
    load_vector,
    rounding,
    scale,
    store_vector,
    sub,
    symmetric_rotate,
    symmetric_solve,
    symmetric_transform,
    transform_transposed,
    zero_vector,
)

HELD = 0  # island of what touches the ground or scenery, or is not free to move
SHARE = 4.0  # rounding errors of the energy that count as none


class Flight(NamedTuple):
    """The islands in flight, and their state before position correction."""

    island: np.ndarray  # (nl) at roots: first root of the island, HELD, or NONE if nothing touches
    next_root: np.ndarray  # (nl) at roots: next root of the same island, or NONE
    q: np.ndarray  # (nq) positions before the correction
    centre: np.ndarray  # (nl, 3) at first roots: centre of mass then, relative to the root [m]
    momentum: np.ndarray  # (nl, 6) at first roots: P, and L about the centre of mass, then
    energy: np.ndarray  # (nl) at first roots: kinetic energy then [J]
    missing: np.ndarray  # (nl, 3) L that a body should have gained besides in this part [N m s]


class NoFlight(NamedTuple):
    """A world in which robots touch only the ground."""


def allocate_flight(links: int, nq: int) -> Flight:
    """Return the arrays for a forest of so many links."""
    return Flight(
        island=np.full(links, NONE),
        next_root=np.full(links, NONE),
        q=np.zeros(nq),
        centre=np.zeros((links, 3)),
        momentum=np.zeros((links, 6)),
        energy=np.zeros(links),
        missing=np.zeros((links, 3)),
    )


# -------------------------------------------------------------------------------- who is in flight


@kernel
def begin_correction(flight, system, state):
    """Find the islands in flight and keep the positions; returns whether there are any."""
    if system.surface.contact.count[0] == 0 or not find_islands(flight, system):
        return False
    for k in range(len(state.q)):
        flight.q[k] = state.q[k]
    return True


@kernel
def find_islands(flight, system):
    """Find the islands of what touches; returns whether any is in flight."""
    for i in range(len(flight.island)):
        flight.island[i] = NONE
    flight.island[HELD] = HELD
    join_touching(flight, system)
    return list_islands(flight, system)


@kernel
def join_touching(flight, system):
    """Join the islands of links that overlap or have a wrench: an impulse, or a displacement."""
    island, contact, response = flight.island, system.surface.contact, system.surface.work.response
    root, joined = response.links.root, NONE
    for i in range(contact.count[0]):
        pair = contact.touching[i]
        if pair == joined or (contact.depth[i] <= 0 and not is_pushing(response, pair)):
            continue
        joined = pair
        a, b = root[contact.touching_link[pair]], HELD
        if contact.touched_link[pair] > 0:
            b = root[contact.touched_link[pair]]
        island[a] = a if island[a] == NONE else island[a]
        island[b] = b if island[b] == NONE else island[b]
        a, b = first_of(island, a), first_of(island, b)
        island[max(a, b)] = min(a, b)


@kernel
def list_islands(flight, system):
    """List the roots of every island; returns whether any is in flight."""
    island, root, found = flight.island, system.surface.work.response.links.root, False
    for top in range(1, len(root)):
        if root[top] == top and island[top] != NONE:
            flight.next_root[top] = NONE
            first = first_of(island, top)
            if first != HELD and not is_free(system, top):
                island[first] = HELD
    for back in range(1, len(root)):
        top = len(root) - back
        if root[top] == top and island[top] != NONE:
            first = first_of(island, top)
            found = found or first != HELD
            if first != HELD and first != top:
                flight.next_root[top] = flight.next_root[first]
                flight.next_root[first] = top
    return found


@kernel
def is_free(system, top):
    """Return whether a tree moves freely: a free base, no loops, nothing prescribed."""
    dynamics, links = system.dynamics, system.surface.work.response.links
    tree, end = dynamics.tree, links.tree_end[top]
    if tree.joint_type[top] != FREE or in_loop(system.loops, top):
        return False
    for d in range(tree.v_index[top], tree.v_index[end]):
        if dynamics.mode[d] == PRESCRIBED:
            return False
    return True


# ---------------------------------------------------------------------------- momentum and energy


@kernel
def end_correction(flight, system, state):
    """Restore the momentum of the islands in flight."""
    if is_changed(flight, state.q):
        restore_momenta(flight, system, state)


@subroutine
def restore_momenta(flight, system, state):
    """Restore the momentum of all islands in flight."""
    dynamics, links = system.dynamics, system.surface.work.response.links
    list_islands(flight, system)
    place_links(dynamics, flight.q, state.v)
    for first in range(1, len(flight.island)):
        if is_first(flight, links, first):
            I, now, flight.energy[first] = measure_island(flight, dynamics, links, first, state.v)
            store_vector(flight.centre, first, centre_of(I))
            store_wrench(flight.momentum, first, about_centre(I, now))
    place_links(dynamics, state.q, state.v)
    for first in range(1, len(flight.island)):
        if is_first(flight, links, first):
            restore_island(flight, dynamics, links, state, first)


@subroutine
def place_links(dynamics, q, v):
    """Pose and velocity of every link."""
    forward_kinematics(dynamics, q)
    velocities(dynamics, v)


@kernel
def is_first(flight, links, i):
    """Return whether a link is the first root of an island in flight."""
    return flight.island[i] == i and links.root[i] == i


@kernel
def is_changed(flight, q):
    """Return whether positions were corrected, or the integrator left an error."""
    for k in range(len(q)):
        if q[k] != flight.q[k]:
            return True
    for i in range(len(flight.island)):
        L = load_vector(flight.missing, i)
        if flight.island[i] > HELD and dot(L, L) > 0:
            return True
    return False


@kernel
def origin_before(flight, dynamics, first):
    """Return o, the origin of the first root of an island before the correction."""
    k = dynamics.tree.q_index[first]
    return flight.q[k], flight.q[k + 1], flight.q[k + 2]


@kernel
def measure_island(flight, dynamics, links, first, v):
    """Inertia of an island and its momentum, both about o, and its kinetic energy [J]."""
    tree, o = dynamics.tree, origin_before(flight, dynamics, first)
    half = like(o[0], 0.5)
    I, p, energy = massless_body(half), Wrench(zero_vector(half), zero_vector(half)), like(half, 0)
    top = first
    while top != NONE:
        end, s = links.tree_end[top], sub(load_vector(dynamics.origin, top), o)
        for i in range(top, end):
            c = arm_to(dynamics, i, load_vector(tree.centre, i))
            R, r, mass = load_matrix(dynamics.rotation, i), add(s, c), tree.mass[i]
            inertia = symmetric_rotate(R, load_symmetric(tree.inertia, i))
            t = moved_to(load_twist(dynamics.velocity, i), c)
            P, L = scale(mass, t.linear), symmetric_transform(inertia, t.angular)
            I = inertia_add(I, rigid_inertia(mass, r, inertia))
            p = wrench_add(p, Wrench(P, add(L, cross(r, P))))
            energy += half * (dot(P, t.linear) + dot(L, t.angular))
        for d in range(tree.v_index[top], tree.v_index[end]):
            energy += half * tree.armature[d] * v[d] * v[d]
        top = flight.next_root[top]
    return I, p, energy


@kernel
def centre_of(I):
    """Centre of mass of what has the inertia I."""
    return scale(like(I.mass, 1) / I.mass, I.first_moment)


@kernel
def about_centre(I, momentum):
    """Return the momentum of what has the inertia I, about its centre of mass."""
    P = momentum.force
    return Wrench(P, sub(momentum.moment, cross(centre_of(I), P)))


@kernel
def restore_island(flight, dynamics, links, state, first):
    """Add the rigid motion that restores the momentum of an island, if its energy suffices."""
    half, before = like(flight.energy[0], 0.5), flight.energy[first]
    I, now, energy = measure_island(flight, dynamics, links, first, state.v)
    c, mass, now = centre_of(I), I.mass, about_centre(I, now)
    inertia = rigid_inertia(-mass, c, I.rotational).rotational  # about c
    wanted = load_wrench(flight.momentum, first)
    lost, top = sub(wanted.moment, now.moment), first
    while top != NONE:
        lost = add(lost, load_vector(flight.missing, top))
        top = flight.next_root[top]
    P, L = wanted.force, add(now.moment, lost)
    spin, Omega = symmetric_solve(inertia, now.moment), symmetric_solve(inertia, lost)
    relative = energy - half * (dot(now.force, now.force) / mass + dot(now.moment, spin))
    left = before - half * (dot(P, P) / mass + dot(L, add(spin, Omega)))
    left += like(half, SHARE) * rounding(half) * before
    kept = like(half, 1)
    if relative > left:
        kept = math.sqrt(left / relative) if left > 0 else like(half, 0)
    back = sub(load_vector(flight.centre, first), c)  # joints displace it a little
    move_island(flight, dynamics.tree, state.q, first, back)
    if kept > 0:
        U = scale(like(half, 1) / mass, sub(P, scale(kept, now.force)))
        Omega = add(Omega, scale(like(half, 1) - kept, spin))
        rigid = moved_to(Twist(U, Omega), scale(like(half, -1), c))
        change_velocities(flight, dynamics, links, state.v, first, kept, rigid)


@kernel
def move_island(flight, tree, q, first, back):
    """Displace an island as a whole."""
    top = first
    while top != NONE:
        k = tree.q_index[top]
        for axis in range(3):
            q[k + axis] += back[axis]
        top = flight.next_root[top]


@kernel
def change_velocities(flight, dynamics, links, v, first, kept, rigid):
    """Multiply all velocities of an island by `kept`, and add a rigid motion, given about o."""
    tree, o, top = dynamics.tree, origin_before(flight, dynamics, first), first
    while top != NONE:
        d = tree.v_index[top]
        for e in range(d, tree.v_index[links.tree_end[top]]):
            v[e] *= kept
        linear = point_velocity(rigid, sub(load_vector(dynamics.origin, top), o))
        angular = transform_transposed(load_matrix(dynamics.rotation, top), rigid.angular)
        for axis in range(3):
            v[d + axis] += linear[axis]
            v[d + 3 + axis] += angular[axis]
        top = flight.next_root[top]
