"""A task whose plane is level and passes through the origin, for engines that are given one plane.

The whole world is turned so that the normal of its ground points up, gravity with it. Joints and
velocities in link axes stay as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.engines.engine import Ran, Task
from stiction.errors import InputError
from stiction.kernels.tree import FREE
from stiction.visual.poses import matrices, quaternions
from stiction.world.ground import Plane, Slope
from stiction.world.world import State, World

UP = np.array([0.0, 0.0, 1.0])


class Level(NamedTuple):
    """The frame in which the ground is level: x_level = rotation (x_world - origin)."""

    rotation: np.ndarray  # (3, 3)
    origin: np.ndarray  # (3) a point of the ground [m]
    roots: tuple[int, ...]  # links with a free joint

    def state(self, world: World, state: State) -> State:
        """Return a state of the world in this frame."""
        q, v = state.q[None].copy(), state.v[None].copy()
        self._turn(world, q, v, self.rotation, -self.rotation @ self.origin)
        return State(q[0], v[0], state.time)

    def told_state(
        self, world: World, q: np.ndarray, v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return a state in this frame in axes of the world."""
        q, v = q[None].copy(), v[None].copy()
        self._turn(world, q, v, self.rotation.T, self.origin)
        return q[0], v[0]

    def told(self, world: World, ran: Ran) -> Ran:
        """Return what was recorded in this frame in axes of the world."""
        back = self.rotation.T
        q, v = ran.q.copy(), ran.v.copy()
        self._turn(world, q, v, back, self.origin)
        contacts = ran.contacts
        if contacts is not None:
            contacts = contacts._replace(
                position=contacts.position @ self.rotation + self.origin,
                normal=contacts.normal @ self.rotation,
                force=contacts.force @ self.rotation,
            )
        force, moment = ran.force @ self.rotation, ran.moment
        if moment is not None:
            moment = moment @ self.rotation + np.cross(self.origin, force)
        return ran._replace(q=q, v=v, force=force, moment=moment, contacts=contacts)

    def _turn(
        self, world: World, q: np.ndarray, v: np.ndarray, rotation: np.ndarray, shift: np.ndarray
    ) -> None:
        """Change the free joints of states (n): x = rotation x + shift."""
        for root in self.roots:
            k, d = int(world.tree.q_index[root]), int(world.tree.v_index[root])
            q[:, k : k + 3] = q[:, k : k + 3] @ rotation.T + shift
            q[:, k + 3 : k + 7] = quaternions(rotation @ matrices(q[:, k + 3 : k + 7]))
            v[:, d : d + 3] = v[:, d : d + 3] @ rotation.T


def level_of(task: Task, engine: str) -> Level:
    """Return the frame in which the ground of a task is level; raises InputError for other grounds.

    Without ground it is the frame of the world.
    """
    world, tree = task.world, task.world.tree
    free = tuple(int(k) for k in np.flatnonzero(tree.joint_type == FREE) if k > 0)
    ground = world.ground
    if ground is None:
        return Level(np.eye(3), np.zeros(3), free)
    if not isinstance(ground, Plane | Slope):
        raise InputError(
            f"engine '{engine}': ground {type(ground).__name__} is not translated; "
            "give Plane, Slope or None, and bumps as scenery"
        )
    return Level(turned_up(ground.normal()), np.array([0.0, 0.0, ground.height]), free)


def turned_up(normal: np.ndarray) -> np.ndarray:
    """Return the smallest rotation that turns a unit vector up."""
    axis, cosine = np.cross(normal, UP), float(normal[2])
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + skew + skew @ skew / (1.0 + cosine)
