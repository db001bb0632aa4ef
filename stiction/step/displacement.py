"""Displacements that correct positions; bodies in flight keep their momentum.

A displacement leaves the velocities as they are. It does not move the common centre of mass of
bodies in flight, but changes their angular momentum, by m d x v for a body of mass m that moves by
d. They get it back (`flying_islands.py`).
"""

from stiction.compiler.compiled import as_python, chooses, kernel
from stiction.kernels.islands import Islands, OneIsland, count_islands
from stiction.kernels.kinematics import advance
from stiction.kernels.vectors import like
from stiction.step.flying_islands import is_in_flight, island_as_whole, may_fly, turn_island


@kernel
def displace(system, state, work):
    """Move the configuration by `work.v`; islands in flight keep their momentum."""
    for k in range(len(state.q)):
        work.q_sum[k] = state.q[k]
    advance(system.dynamics.tree, state.q, work.v, like(work.v[0], 1))
    keep_momentum(system.surface.work.islands, system, state, work.q_sum)


def keep_momentum(islands, system, state, q_before):
    """Give islands in flight the momentum that they had at q_before."""
    _METHODS[type(islands)](islands, system, state, q_before)


@kernel
def keep_none(islands, system, state, q_before):
    """Do nothing: all that touches touches the ground."""


@kernel
def keep_of_each(islands, system, state, q_before):
    """Do so for one island after another."""
    contact, response = system.surface.contact, system.surface.work.response
    if not may_fly(response.links):
        return
    for k in range(count_islands(contact, response, islands)):
        if is_in_flight(system, islands, k):
            tree = system.dynamics.tree
            before = island_as_whole(tree, response.links, islands, k, q_before, state.v)
            turn_island(system, islands, k, state, before)


_METHODS = {OneIsland: keep_none, Islands: keep_of_each}


@chooses(keep_momentum)
def _keep_momentum(islands, system, state, q_before):
    return as_python(_METHODS[islands.instance_class])
