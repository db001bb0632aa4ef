"""The episodes of all worlds: commands, pushes, lengths; the same for single and vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from stiction.learn.options import times_of
from stiction.learn.setup import PUSH_EVERY, PUSH_SECONDS, Setup
from stiction.learn.tasks import Task, task_of
from stiction.world.world import State


class Episodes:
    """What is known of every world except its state; arrays have the worlds along their axis."""

    def __init__(self, worlds: int, options: dict[str, Any]) -> None:
        """Options: those of `LeggedEnv`."""
        self.task: Task = task_of(options["task"])
        self.setup = Setup(options["robot"], self.task, options)
        self.dt, self.every, self.most = times_of(options)
        self.worlds = worlds
        self.actions = np.zeros((worlds, len(self.setup.names)))
        self.commands, self.start = np.zeros((worlds, 3)), np.zeros(worlds)
        self.taken = np.zeros(worlds, np.int64)  # actions of the episode
        self.force = np.zeros((worlds, 2))  # of the present push [N]
        self.push_ends = np.zeros(worlds, np.int64)  # after so many actions

    @property
    def seconds(self) -> float:
        """Time of an action [s]."""
        return self.every * self.dt

    def begin(self, world: int, random: np.random.Generator) -> State:
        """Begin an episode in one world; returns its first state."""
        state = self.setup.first_state(random)
        self.actions[world], self.taken[world], self.start[world] = 0.0, 0, state.q[2]
        self.commands[world] = self.setup.command(random)
        self.force[world], self.push_ends[world] = 0.0, 0
        return state

    def pushes(self, world: int, random: np.random.Generator) -> np.ndarray:
        """The force on the base of a world during the next action (2) [N]."""
        if self.task.push > 0:
            if self.taken[world] >= self.push_ends[world]:
                self.force[world] = 0.0
                if random.random() < self.seconds / PUSH_EVERY:
                    self.force[world] = self.setup.push(random)
                    lasts = max(1, round(PUSH_SECONDS / self.seconds))
                    self.push_ends[world] = self.taken[world] + lasts
        return self.force[world]

    def observe(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Observations of all worlds."""
        formulas = self.setup.formulas
        return formulas.observe(q, v, self.actions, self.commands).astype(np.float32)

    def finish(
        self, q: np.ndarray, v: np.ndarray, actions: np.ndarray, well: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rewards, and which episodes are terminated or truncated, after an action."""
        self.taken += 1
        reward = self.setup.formulas.reward((q, v), actions, self.actions, self.commands)
        self.actions[:] = actions
        reward = np.where(well, reward, 0.0)
        terminated = ~well | self.setup.formulas.fallen(q, self.start)
        return reward, terminated, (self.taken >= self.most) & ~terminated
