"""Many robots as one Gymnasium vector environment, on all cores in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from stiction.batch.simulate_batch import WELL, BatchSimulation
from stiction.description.arguments import count, shown
from stiction.errors import InputError
from stiction.gym.environment import spaces_of
from stiction.gym.episodes import Episodes
from stiction.learn.options import checked_options
from stiction.world.world import State

MOST_SEED = 2**63


class LeggedVectorEnv(gymnasium.vector.VectorEnv):
    """Many worlds of `LeggedEnv`, whose options it takes; threads: of the CPU, all by default.

    A world whose episode has ended is reset by the next step, in which its action is ignored and
    its reward is 0 (`AutoresetMode.NEXT_STEP`). A world that diverges ends its own episode alone.
    World k with the seed s does what a `LeggedEnv` with the seed s + k does.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int = 1, threads: int | None = None, **options: Any) -> None:
        """Make the worlds; see `LeggedEnv` for the options."""
        self.num_envs = count("num_envs", num_envs, 10**6)
        given = checked_options(options)
        self.episodes = Episodes(self.num_envs, given)
        setup = self.episodes.setup
        self.batch = BatchSimulation(
            setup.world,
            self.num_envs,
            given["contact"],
            dt=self.episodes.dt,
            states=setup.standing,
            controls=[setup.controller] * self.num_envs,
            threads=threads,
        )
        self._targets = [setup.written_to(self.batch.controllers(k)) for k in range(num_envs)]
        one_observation, one_action = spaces_of(self.episodes)
        self.single_observation_space, self.single_action_space = one_observation, one_action
        self.observation_space = batch_space(one_observation, self.num_envs)
        self.action_space = batch_space(one_action, self.num_envs)
        self._random = [np.random.default_rng() for _ in range(self.num_envs)]
        self._torque = np.zeros((self.num_envs, setup.world.nv))
        self._ended = np.zeros(self.num_envs, bool)
        self._begun = False

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode in every world; seed: of the first world, or one for each.

        options: "reset_mask" chooses worlds, as that of Gymnasium's own vector environments.
        """
        chosen = chosen_worlds(options, self.num_envs)
        if not self._begun and len(chosen) < self.num_envs:
            raise gymnasium.error.ResetNeeded("reset_mask: reset all worlds first")
        seeds = each_seed(seed, self.num_envs)
        for world in chosen:
            if seeds[world] is not None:
                self._random[world] = gymnasium.utils.seeding.np_random(seeds[world])[0]
        self._begin(chosen)
        self._ended[chosen] = False
        self._begun = True
        return self._observed(), self._info()

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Let actions act in all worlds for the time of one; worlds that had ended start over."""
        if not self._begun:
            raise gymnasium.error.ResetNeeded("step() before reset(): call reset() first")
        episodes = self.episodes
        checked = episodes.setup.checked(actions, self.num_envs)
        reset = np.flatnonzero(self._ended)
        checked[reset] = 0.0
        for target, values in zip(
            self._targets, episodes.setup.formulas.set_points(checked), strict=True
        ):
            target[:] = values
        for world in range(self.num_envs):
            self._torque[world, :2] = 0.0
            if not self._ended[world]:
                self._torque[world, :2] = episodes.pushes(world, self._random[world])
        self.batch.set_torque(self._torque)
        q, v = self.batch.q, self.batch.v
        self.batch.step(episodes.every)
        told = self.batch.status
        well = told == WELL
        self._keep_finite(well, q, v)
        well[reset] = True  # their episodes had ended
        q, v = self.batch.q, self.batch.v
        reward, terminated, truncated = episodes.finish(q, v, checked, well)
        info = {} if well.all() else {"failure": np.where(well, "", told)}
        if len(reset):
            self._begin(reset)
            reward[reset], terminated[reset], truncated[reset] = 0.0, False, False
        self._ended = terminated | truncated
        return self._observed(), reward, terminated, truncated, info | self._info()

    def _keep_finite(self, well: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Put worlds that diverged back where they were before the action."""
        bad = np.flatnonzero(~well)
        if len(bad):
            self.batch.reset(bad, [State(q[k], v[k]) for k in bad])

    def _begin(self, worlds: np.ndarray) -> None:
        states = [self.episodes.begin(int(k), self._random[k]) for k in worlds]
        self.batch.reset(worlds, states)

    def _observed(self) -> np.ndarray:
        return self.episodes.observe(self.batch.q, self.batch.v)

    def _info(self) -> dict[str, Any]:
        return {"command": self.episodes.commands.copy()}


def chosen_worlds(options: Mapping[str, Any] | None, worlds: int) -> np.ndarray:
    """Numbers of the worlds that `reset` begins: all, or those of the option "reset_mask"."""
    if options is None or "reset_mask" not in options:
        return np.arange(worlds)
    mask = np.asarray(options["reset_mask"])
    if mask.dtype != bool or mask.shape != (worlds,):
        raise InputError(
            f"reset(): reset_mask is {shown(options['reset_mask'])}; give True or False for each "
            f"of {worlds} worlds"
        )
    return np.flatnonzero(mask)


def each_seed(seed: Any, worlds: int) -> list[int | None]:
    """The seeds of all worlds, from that of the first or from one for each; None gives no seed."""
    if isinstance(seed, np.ndarray):
        seed = seed.tolist()
    if seed is None:
        return [None] * worlds
    if not isinstance(seed, Sequence):
        first = count("reset(): seed", seed, MOST_SEED, 0)
        return [first + world for world in range(worlds)]
    if isinstance(seed, str) or len(seed) != worlds:
        raise InputError(
            f"reset(): seed is {shown(seed)}; give an integer, or a list with one for each of "
            f"{worlds} worlds"
        )
    return [
        None if one is None else count(f"reset(): seed of world {world}", one, MOST_SEED, 0)
        for world, one in enumerate(seed)
    ]
