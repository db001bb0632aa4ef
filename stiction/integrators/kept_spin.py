"""The spin of bodies that push each other in flight, kept by `Midpoint`.

A step of the midpoint rule takes torques at the pose half a step ahead at the old velocity, and
turns bodies by Cayley's map at the mean velocity. A body then gains

    R_1 I w_1 - R_0 I w_0 = dt R I a + e

instead of the torque R I a of that pose alone: e is of the order of dt (w_1 - w_0) cross I (w_1 -
w_0), and does not cancel between bodies whose torques do. Islands in flight give back the sum.
"""

from stiction.compiler.compiled import as_python, chooses, kernel
from stiction.kernels.islands import Islands, OneIsland, count_islands
from stiction.kernels.rotations import load_quaternion, quaternion_to_matrix
from stiction.kernels.vectors import (
    add,
    dot,
    load_matrix,
    load_symmetric,
    load_vector,
    scale,
    sub,
    symmetric_transform,
    transform,
    zero_vector,
)
from stiction.step.flying_islands import (
    Whole,
    is_in_flight,
    island_as_whole,
    may_fly,
    turn_island,
)


def keep_spin(islands, system, state, work, dt):
    """Take from islands in flight the angular momentum that a step of `Midpoint` has added."""
    _METHODS[type(islands)](islands, system, state, work, dt)


@kernel
def keep_none(islands, system, state, work, dt):
    """Do nothing: all that touches touches the ground."""


@kernel
def keep_of_each(islands, system, state, work, dt):
    """Do so for one island after another."""
    contact, response = system.surface.contact, system.surface.work.response
    if contact.count[0] == 0 or not may_fly(response.links):
        return
    for k in range(count_islands(contact, response, islands)):
        if is_in_flight(system, islands, k) and is_centred(system, islands, k):
            tree, links = system.dynamics.tree, response.links
            now = island_as_whole(tree, links, islands, k, state.q, state.v)
            L = sub(now.L, added_spin(system, islands, k, state, work, dt))
            turn_island(system, islands, k, state, Whole(now.x, now.v, L, now.J, now.energy))


_METHODS = {OneIsland: keep_none, Islands: keep_of_each}


@chooses(keep_spin)
def _keep_spin(islands, system, state, work, dt):
    return as_python(_METHODS[islands.instance_class])


@kernel
def is_centred(system, islands, k):
    """Return whether the frames of all bodies of island k are at their centres of mass.

    Elsewhere positions do not move by the mean velocity of the centre of mass.
    """
    links = system.surface.work.response.links
    for row in range(links.count[0]):
        c = load_vector(system.dynamics.tree.centre, links.link[row])
        if islands.island[row] == k and dot(c, c) > 0:
            return False
    return True


@kernel
def added_spin(system, islands, k, state, work, dt):
    """Sum of e over the bodies of island k; `work.q`: the configuration before the step."""
    dynamics, links = system.dynamics, system.surface.work.response.links
    tree, total = dynamics.tree, zero_vector(dt)
    for row in range(links.count[0]):
        if islands.island[row] == k:
            link = links.link[row]
            d, i = tree.v_index[link] + 3, tree.q_index[link] + 3
            I = load_symmetric(tree.inertia, link)  # noqa: E741
            a = numbers(dynamics.acceleration, d)
            w = numbers(state.v, d)
            w_before = sub(w, scale(dt, add(a, numbers(work.v_sum, d))))
            R = quaternion_to_matrix(load_quaternion(state.q, i))
            R_before = quaternion_to_matrix(load_quaternion(work.q, i))
            gained = sub(
                transform(R, symmetric_transform(I, w)),
                transform(R_before, symmetric_transform(I, w_before)),
            )
            torque = transform(load_matrix(dynamics.rotation, link), symmetric_transform(I, a))
            total = add(total, sub(gained, scale(dt, torque)))
    return total


@kernel
def numbers(values, d):
    """Three numbers of an array, as a vector."""
    return values[d], values[d + 1], values[d + 2]
