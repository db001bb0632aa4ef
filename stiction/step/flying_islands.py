"""Islands in flight: free bodies that touch each other, and neither ground nor scenery.

Nothing but contact turns them about their common centre of mass, so their angular momentum stays.
Where a step of finite length has changed it, the island gets back what it lost as a rotation of the
whole, which changes no velocity of one body relative to another where they touch:

    x, v, w    position and velocity of a body, relative to the common centre of mass; its spin
    L          angular momentum, sum of m x cross v + I w
    J          inertia of the island as a whole, sum of m (x.x - x x') + I
    W          its spin as a whole, J^-1 L

    v <- W_0 cross x + s (v - W cross x),    w <- W_0 + s (w - W),    W_0 = J^-1 L_0

L_0 is what the angular momentum should be. The share s is 1, or less where energy would be gained.
Where even 0 is too much, velocities stay as they are.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from stiction.compiler.compiled import kernel, subroutine
from stiction.kernels.loops import in_loop
from stiction.kernels.rotations import load_quaternion, quaternion_to_matrix
from stiction.kernels.tree import FREE, PRESCRIBED
from stiction.kernels.tree_order import NONE
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    load_symmetric,
    load_vector,
    scale,
    sub,
    symmetric_add,
    symmetric_outer,
    symmetric_rotate,
    symmetric_transform,
    transform,
    transform_transposed,
    zero_vector,
)


class Body(NamedTuple):
    """A free body by itself, in world axes."""

    mass: float
    x: tuple  # centre of mass
    v: tuple  # its velocity
    w: tuple  # spin
    I: tuple  # inertia  # noqa: E741


class Whole(NamedTuple):
    """The bodies of an island together."""

    x: tuple  # centre of mass
    v: tuple  # its velocity
    L: tuple  # angular momentum about it
    J: tuple  # inertia about it
    energy: float  # kinetic, of what moves relative to it


@kernel
def may_fly(links):
    """Return whether any two trees touch: otherwise there is no island in flight."""
    return links.count[0] > 0 and links.end[0] < links.count[0]


@kernel
def is_in_flight(system, islands, k):
    """Return whether island k has nothing but free bodies, and touches nothing fixed."""
    contact, response = system.surface.contact, system.surface.work.response
    for pair in range(contact.touching_count[0]):
        if response.second[pair] == NONE and islands.island[response.first[pair]] == k:
            return False
    for row in range(response.links.count[0]):
        if islands.island[row] == k and not flies(system, response.links.link[row]):
            return False
    return True


@kernel
def flies(system, link):
    """Return whether a link is a body by itself that nothing holds."""
    dynamics, tree = system.dynamics, system.dynamics.tree
    if tree.joint_type[link] != FREE or tree.gathers[link] == 1 or in_loop(system.loops, link):
        return False
    for d in range(tree.v_index[link], tree.v_index[link + 1]):
        if dynamics.mode[d] == PRESCRIBED:
            return False
    return link + 1 == len(tree.parent) or tree.parent[link + 1] != link


@subroutine
def turn_island(system, islands, k, state, wanted):
    """Give island k the velocity and angular momentum of a `Whole`, at no more than its energy."""
    tree, links = system.dynamics.tree, system.surface.work.response.links
    now = island_as_whole(tree, links, islands, k, state.q, state.v)
    W, W_0 = divide(now.L, now.J), divide(wanted.L, now.J)
    half = like(now.energy, 0.5)
    within = now.energy - half * dot(W, now.L)  # of motion relative to the rotation
    left = wanted.energy - half * dot(W_0, wanted.L)
    if left < 0:
        return  # it turns as a whole, and has become smaller: faster, it would gain energy
    s = math.sqrt(left / within) if left < within else like(left, 1)
    for row in range(links.count[0]):
        if islands.island[row] == k:
            link = links.link[row]
            body = load_body(tree, state.q, state.v, link)
            x = sub(body.x, now.x)
            own = sub(sub(body.v, now.v), cross(W, x))
            velocity = add(wanted.v, add(cross(W_0, x), scale(s, own)))
            store_motion(tree, state, link, velocity, add(W_0, scale(s, sub(body.w, W))))


@kernel
def island_as_whole(tree, links, islands, k, q, v):
    """Return the bodies of island k as a `Whole`."""
    nothing = zero_vector(v[0])
    mass, x, p = like(v[0], 0), nothing, nothing
    for row in range(links.count[0]):
        if islands.island[row] == k:
            body = load_body(tree, q, v, links.link[row])
            mass += body.mass
            x, p = add(x, scale(body.mass, body.x)), add(p, scale(body.mass, body.v))
    each = like(mass, 1) / mass
    x, mean = scale(each, x), scale(each, p)
    L, energy = nothing, like(mass, 0)
    J = load_symmetric(tree.inertia, 0)  # of the world: none
    for row in range(links.count[0]):
        if islands.island[row] == k:
            body = load_body(tree, q, v, links.link[row])
            r, u, spin = sub(body.x, x), sub(body.v, mean), symmetric_transform(body.I, body.w)
            L = add(L, add(scale(body.mass, cross(r, u)), spin))
            J = symmetric_add(J, symmetric_add(body.I, inertia_of_point(body.mass, r)))
            energy += like(mass, 0.5) * (body.mass * dot(u, u) + dot(body.w, spin))
    return Whole(x, mean, L, J, energy)


@kernel
def load_body(tree, q, v, link):
    """Return a free body as a `Body`."""
    i, d = tree.q_index[link], tree.v_index[link]
    R = quaternion_to_matrix(load_quaternion(q, i + 3))
    c = transform(R, load_vector(tree.centre, link))
    w = transform(R, (v[d + 3], v[d + 4], v[d + 5]))
    x = add((q[i], q[i + 1], q[i + 2]), c)
    velocity = add((v[d], v[d + 1], v[d + 2]), cross(w, c))
    I = symmetric_rotate(R, load_symmetric(tree.inertia, link))  # noqa: E741
    return Body(tree.mass[link], x, velocity, w, I)


@kernel
def store_motion(tree, state, link, velocity, w):
    """Write the velocity of the centre of mass of a free body, and its spin."""
    d = tree.v_index[link]
    R = quaternion_to_matrix(load_quaternion(state.q, tree.q_index[link] + 3))
    origin = sub(velocity, cross(w, transform(R, load_vector(tree.centre, link))))
    spin = transform_transposed(R, w)
    for axis in range(3):
        state.v[d + axis], state.v[d + 3 + axis] = origin[axis], spin[axis]


@kernel
def inertia_of_point(m, r):
    """Return m (r.r - r r')."""
    square, none = m * dot(r, r), like(m, 0)
    xx, xy, xz, yy, yz, zz = symmetric_outer(scale(-m, r), r)
    return symmetric_add((xx, xy, xz, yy, yz, zz), (square, none, none, square, none, square))


@kernel
def divide(L, J):
    """Return J^-1 L, by Cramer's rule."""
    xx, xy, xz, yy, yz, zz = J
    a, b, c = (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
    k = like(xx, 1) / dot(a, cross(b, c))
    return (k * dot(L, cross(b, c)), k * dot(a, cross(L, c)), k * dot(a, cross(b, L)))
