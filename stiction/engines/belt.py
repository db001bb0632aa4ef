"""Ground that moves, for engines whose planes are at rest: the same task as the belt sees it.

Newton's laws are the same in a frame that moves at constant velocity. A task on a belt is simulated
in the frame of the belt, and its result is returned in ours.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace

import numpy as np

from stiction.engines.engine import Ran, Task
from stiction.errors import InputError
from stiction.kernels.tree import FREE
from stiction.world.ground import Plane, Slope
from stiction.world.world import State, World


def on_ground_at_rest(task: Task) -> tuple[Task, Callable[[Ran], Ran]]:
    """Return the task on ground at rest, and what turns its result into that of the task."""
    ground = task.world.ground
    if not isinstance(ground, Plane | Slope) or not np.any(ground.velocity):
        return task, lambda ran: ran
    if ground.time:
        raise InputError(
            "the velocity of the ground varies over time; an engine without moving planes "
            "simulates a belt of constant velocity only"
        )
    _refuse_fixed(task.world)
    belt, still = np.array(ground.velocity), replace(ground, velocity=(0.0, 0.0, 0.0))
    world = copy(task.world)
    world.ground = still
    roots = _roots(world)
    v = task.state.v.copy()
    for root in roots:
        v[world.tree.v_index[root] :][:3] -= belt
    state = State(task.state.q.copy(), v, task.state.time)

    def told(ran: Ran) -> Ran:
        gone = task.dt * np.arange(len(ran.q))[:, None] * belt
        q, v = ran.q.copy(), ran.v.copy()
        for root in roots:
            first_q, first_v = world.tree.q_index[root], world.tree.v_index[root]
            q[:, first_q : first_q + 3] += gone
            v[:, first_v : first_v + 3] += belt
        moment, contacts = ran.moment, ran.contacts
        if moment is not None:
            moment = moment + np.cross(gone[:-1, None], ran.force)
        if contacts is not None:
            contacts = contacts._replace(position=contacts.position + gone[contacts.step])
        return ran._replace(q=q, v=v, moment=moment, contacts=contacts)

    return task._replace(world=world, state=state), told


def _roots(world: World) -> list[int]:
    """Links that the world carries."""
    return [link for link in range(1, len(world.tree.parent)) if world.tree.parent[link] == 0]


def _refuse_fixed(world: World) -> None:
    """Raise InputError if anything but the belt is fixed in space."""
    held = [world.link_names[k] for k in _roots(world) if world.tree.joint_type[k] != FREE]
    scenery = world.scenery.name[world.scenery.collides].tolist()
    if held or scenery:
        raise InputError(
            f"the ground moves, and {', '.join([*held, *scenery][:5])} is fixed in space; an "
            "engine without moving planes simulates a belt only under free bodies without scenery"
        )
