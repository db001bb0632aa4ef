"""A policy walks to a command: in a world of ours under any contact model, or in another engine."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from stiction.description.arguments import steps_of_rate
from stiction.engines.engine import Engine, Servos, Task
from stiction.errors import InputError, SimulationError
from stiction.learn.policy import Policy
from stiction.learn.setup import Setup
from stiction.motion.motion import Motion
from stiction.simulation.recording import Recording
from stiction.simulation.simulation import Simulation
from stiction.world.world import State

KEPT = 0.02  # between two samples of a motion [s]


class Walked(NamedTuple):
    """How a walk went."""

    fell: float  # when it fell or failed; the duration if it did not [s]
    velocity: np.ndarray  # (actions, 3) forward, sideways, turning after each action [m/s, rad/s]
    motion: Motion | None  # if it was recorded
    stopped: str  # why it ended early


def check_policy(policy: Policy, setup: Setup) -> None:
    """Raise InputError for a policy of another robot."""
    observed, actions = len(policy.mean), len(policy.biases[-1])
    if observed != setup.observed or actions != len(setup.names):
        raise InputError(
            f"the policy takes {observed} numbers and gives {actions}; robot "
            f"'{setup.robot.name}' has {setup.observed} and {len(setup.names)}"
        )


class Walk:
    """The loop of a policy, one action after another."""

    def __init__(self, policy: Policy, setup: Setup, command: np.ndarray, start: State) -> None:
        """Begin at a state; command: forward and sideways speed, rate of turning."""
        self.policy, self.formulas, self.start = policy, setup.formulas, start
        self.command = np.asarray(command, float)[None]
        self.action = np.zeros((1, len(setup.names)))
        self.velocity: list[np.ndarray] = []
        self.fell: float | None = None

    def set_points(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The set-points that the policy gives for a state, (joints)."""
        seen = self.formulas.observe(q[None], v[None], self.action, self.command)
        self.action = self.policy(seen)
        found: np.ndarray = self.formulas.set_points(self.action)[0]
        return found

    def note(self, time: float, q: np.ndarray, v: np.ndarray) -> None:
        """Keep the velocity after an action, and when the robot fell."""
        along = self.formulas.base_of(q[None], v[None])[1][0]
        self.velocity.append(np.array([along[0], along[1], v[5]]))
        if self.fell is None and self.formulas.fallen(q[None], self.start.q[2:3])[0]:
            self.fell = time

    def walked(self, duration: float, motion: Motion | None = None, stopped: str = "") -> Walked:
        """What was noted."""
        fell = duration if self.fell is None else self.fell
        return Walked(fell, np.array(self.velocity).reshape(-1, 3), motion, stopped)


def walk_in_ours(
    walk: Walk, setup: Setup, contact: Any, dt: float, duration: float, record: bool = False
) -> Walked:
    """Walk under a contact model; a fall ends the walk unless it is recorded."""
    simulation = Simulation(
        setup.world, contact, dt, walk.start, controller=setup.controller,
        record=Recording(max(1, round(KEPT / dt))) if record else False,
    )  # fmt: skip
    target = setup.written_to(simulation.controllers)
    every = steps_of_rate("rate", setup.rate, dt)
    stopped = ""
    for k in range(round(duration * setup.rate)):
        target[:] = walk.set_points(simulation.q, simulation.v)
        try:
            simulation.step(n=every)
        except SimulationError as failure:
            walk.fell, stopped = k / setup.rate if walk.fell is None else walk.fell, str(failure)
            break
        walk.note((k + 1) / setup.rate, simulation.q, simulation.v)
        if walk.fell is not None and not record:
            break
    return walk.walked(duration, simulation.motion if record else None, stopped)


def walk_in_engine(
    walk: Walk, setup: Setup, engine: tuple[Engine, str], mu: float, dt: float, duration: float
) -> Walked:
    """Walk in another engine, with one of its settings; its servos have the same gains.

    Raises InputError if the engine has no such setting or cannot represent the robot.
    """
    world = setup.world
    table = setup.controller.bind(world)
    every, dofs, columns = steps_of_rate("rate", setup.rate, dt), table.dof, table.q_index
    target = np.zeros(len(dofs))
    taken = 0

    def torques(time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        nonlocal taken
        if taken % every == 0:
            if taken:
                walk.note(taken * dt, q, v)
            target[:] = walk.set_points(q, v)
        taken += 1
        found = np.zeros(world.nv)
        pull = table.stiffness * (target - q[columns])
        found[dofs] = np.clip(pull, table.lower, table.upper)
        return found

    steps = round(duration / dt)
    still = np.zeros((steps, len(dofs)))
    names = tuple(setup.names)
    damping = Servos(names, still, still, still, 0 * table.stiffness, table.damping)
    task = Task(world, walk.start, dt, steps, mu, servos=damping, torques=torques)
    try:
        ran = engine[0].run(task, engine[1])
    except SimulationError as failure:
        walk.fell = len(walk.velocity) / setup.rate if walk.fell is None else walk.fell
        return walk.walked(duration, None, str(failure))
    walk.note(duration, ran.q[-1], ran.v[-1])
    return walk.walked(duration)
