"""What an engine must simulate, and what it returns.

Positions and velocities are ours: order of joints, quaternion w x y z, axes of the free joint as in
docs/conventions.md. An adapter translates, so that metrics, plots and pages need not know which
engine ran.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from stiction.world.external import Push, TabulatedForce
from stiction.world.world import State, World


class Servos(NamedTuple):
    """What drives the joints: a reference and a torque at every step, and gains, by joint.

    The torque of a joint is torque + stiffness (q_reference - q) + damping (v_reference - v), with
    the damping taken implicitly, and within the limits.
    """

    joints: tuple[str, ...]
    q: np.ndarray  # (steps, joints) [rad or m]
    v: np.ndarray  # (steps, joints)
    torque: np.ndarray  # (steps, joints), feed-forward [N m or N]
    stiffness: np.ndarray  # (joints) [N m/rad or N/m]
    damping: np.ndarray  # (joints)
    lower: np.ndarray | None = None  # (joints) limits of the torque; None: those of the joints
    upper: np.ndarray | None = None


# forces of controllers that are no servos, on all coordinates (nv), at a time and a state q, v
Torques = Callable[[float, np.ndarray, np.ndarray], np.ndarray]


class Task(NamedTuple):
    """A world, where it starts, and what acts on it."""

    world: World
    state: State
    dt: float  # [s]
    steps: int
    mu: float  # Coulomb's coefficient at every contact
    restitution: float = 0.0
    servos: Servos | None = None
    pushes: tuple[Push | TabulatedForce, ...] = ()
    torques: Torques | None = None  # evaluated at the start of every step


class Contacts(NamedTuple):
    """All n contact points of all steps that an engine reported, in world axes."""

    step: np.ndarray  # (n) ascending
    link: np.ndarray  # (n, 2) of the forest, 0 for what is fixed
    position: np.ndarray  # (n, 3) [m]
    normal: np.ndarray  # (n, 3) out of the second link, towards the first
    force: np.ndarray  # (n, 3) on the first link [N]
    depth: np.ndarray  # (n) [m]


class Ran(NamedTuple):
    """What an engine recorded. Row k of the forces is the step that starts at state k."""

    q: np.ndarray  # (steps + 1, nq)
    v: np.ndarray  # (steps + 1, nv)
    # (steps, links, 3) of contact, on each link of the forest, of which the world is the first [N];
    # NaN: the engine reports none
    force: np.ndarray
    depth: np.ndarray  # (steps) of the deepest contact [m]; NaN: the engine reports none
    seconds: float  # that stepping took, without translation [s]
    # (steps, links, 3) moments of these forces about the world's origin [N m]; None: not reported
    moment: np.ndarray | None = None
    contacts: Contacts | None = None  # None: the engine reports no single points


class Engine(Protocol):
    """An adapter: a module's `ENGINE`."""

    name: str  # as people write it: MuJoCo
    # by name, what differs from the engine's defaults; "default" has nothing in it
    settings: Mapping[str, Mapping[str, object]]

    def version(self) -> str:
        """The installed version."""
        ...

    def run(self, task: Task, setting: str = "default") -> Ran:
        """Simulate a task; an InputError names what the engine cannot represent."""
        ...
