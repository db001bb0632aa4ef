"""External forces as engines take them: one wrench a step, at a point of a link."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.engines.engine import Task
from stiction.world.external import bind_forces


class Pushes(NamedTuple):
    """All n external forces of a task, constant over each step."""

    link: np.ndarray  # (n) of the forest
    place: np.ndarray  # (n, 3) where they act, in link axes [m]
    force: np.ndarray  # (steps, n, 3) in world axes [N]
    moment: np.ndarray  # (steps, n, 3) in world axes [N m]


def pushes_of(task: Task) -> Pushes:
    """Return the forces of a task; a push that covers part of a step keeps its impulse."""
    tables = bind_forces(task.world, task.pushes)
    n = len(tables.link)
    begin = task.state.time + task.dt * np.arange(task.steps)
    force, moment = np.zeros((task.steps, n, 3)), np.zeros((task.steps, n, 3))
    for i in range(n):
        rows = slice(tables.first[i], tables.first[i + 1])
        time = tables.time[rows]
        for table, found in ((tables.force[rows], force), (tables.moment[rows], moment)):
            if tables.held[i]:
                inside = np.minimum(time[-1], begin + task.dt) - np.maximum(time[0], begin)
                found[:, i] = (np.maximum(inside, 0.0) / task.dt)[:, None] * table[0]
            else:
                middle = begin + task.dt / 2
                within = (middle >= time[0]) & (middle <= time[-1])
                for axis in range(3):
                    found[:, i, axis] = within * np.interp(middle, time, table[:, axis])
    return Pushes(tables.link, tables.place, force, moment)
