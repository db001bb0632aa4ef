"""Vectors that a law remembers of a point, in the axes of the link that the point touches.

A spring along the surface of a moving body turns with this body. On the ground, and on scenery, the
axes are those of the world.
"""

from stiction.compiler.compiled import formula, kernel
from stiction.kernels.kinematics import seen_from, world_point
from stiction.kernels.vectors import (
    add,
    load_matrix,
    load_vector,
    sub,
    transform,
    transform_transposed,
    zero_vector,
)


@formula
def recall(memory, row, first):
    """Vector in three columns of a row."""
    return (memory[row, first], memory[row, first + 1], memory[row, first + 2])


@formula
def remember(memory, row, first, a):
    """Write a vector into three columns of a row."""
    memory[row, first], memory[row, first + 1], memory[row, first + 2] = a


@kernel
def to_touched(dynamics, contact, i, a):
    """Return a vector in world axes in those of the link that point i touches."""
    b = contact.body_b[i]
    if b > 0:
        a = transform_transposed(load_matrix(dynamics.rotation, b), a)
    return a


@kernel
def from_touched(dynamics, contact, i, a):
    """Return a vector in the axes of the link that point i touches in world axes."""
    b = contact.body_b[i]
    if b > 0:
        a = transform(load_matrix(dynamics.rotation, b), a)
    return a


@kernel
def places_on_links(dynamics, contact, i):
    """Where point i is on its own link, and on the link that it touches, in their frames [m]."""
    a, b, r = contact.body_a[i], contact.body_b[i], load_vector(contact.arm, i)
    own = sub(r, load_vector(dynamics.position, a))
    under = sub(seen_from(dynamics, a, b, r), load_vector(dynamics.position, b))
    own = transform_transposed(load_matrix(dynamics.rotation, a), own)
    return own, transform_transposed(load_matrix(dynamics.rotation, b), under)


@kernel
def place_on_touched(dynamics, contact, i, p):
    """Return a position in the world, in the frame of the link that point i touches [m]."""
    b = contact.body_b[i]
    if b > 0:
        p = to_touched(dynamics, contact, i, sub(p, world_point(dynamics, b, zero_vector(p[0]))))
    return p


@kernel
def place_in_world(dynamics, contact, i, p):
    """Return a position in the frame of the link that point i touches, in the world [m]."""
    b = contact.body_b[i]
    if b > 0:
        p = add(world_point(dynamics, b, zero_vector(p[0])), from_touched(dynamics, contact, i, p))
    return p
