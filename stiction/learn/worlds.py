"""Many robots that learn a task: tensors of PyTorch on a GPU, or arrays of NumPy on all cores.

On a GPU nothing is copied to the host: the policy reads states and writes set-points where the
simulation has them. A world whose episode has ended starts over at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from stiction.batch.simulate_batch import WELL, BatchSimulation
from stiction.description.arguments import count, numbers, shown
from stiction.errors import InputError, not_installed
from stiction.learn.options import checked_options, times_of
from stiction.learn.randomised import Randomised, drawn
from stiction.learn.setup import PUSH_EVERY, PUSH_SECONDS, Setup
from stiction.learn.tasks import task_of

STARTS = 256  # first states that are prepared; episodes begin in one of them


class Stepped(NamedTuple):
    """What an action led to; arrays have the worlds along their first axis."""

    observation: Any  # (worlds, observed), of the new episode where one has ended
    reward: Any  # (worlds)
    terminated: Any  # (worlds) bool: fell, or failed
    truncated: Any  # (worlds) bool: the longest episode is over
    velocity: Any  # (worlds, 3) forward, sideways, turning, before a new episode [m/s, rad/s]
    last: Any  # (worlds, observed) the observation that an episode ended with


class LearningWorlds:
    """Worlds of a task, stepped by actions; options are those of `stiction.gym.LeggedEnv`."""

    def __init__(
        self,
        worlds: int,
        device: str = "cpu",
        seed: int = 0,
        randomised: Randomised | None = None,
        **options: Any,
    ) -> None:
        """Make the worlds; randomised: what differs between them."""
        given = checked_options(options)
        if device not in ("cpu", "cuda"):
            raise InputError(f"device is {shown(device)}; give 'cpu' or 'cuda'")
        self.worlds = count("worlds", worlds, 10**6)
        self.dt, self.every, self.most = times_of(given)
        self.setup = Setup(given["robot"], task_of(given["task"]), given)
        random = np.random.default_rng(count("seed", seed, 2**63, 0))
        starts = [self.setup.first_state(random) for _ in range(STARTS)]
        draws = drawn(
            Randomised() if randomised is None else randomised,
            self.worlds,
            given["contact"],
            random,
        )
        options = {
            "dt": self.dt,
            "states": starts[0],
            "controls": [self.setup.controller] * self.worlds,
            **draws.options,
        }
        kind = OnGpu if device == "cuda" else OnCores
        self.place: Any = kind(self.setup, given["contact"], self.worlds, options, seed)
        self.place.scale_gains(draws.gains)
        self.formulas = self.setup.formulas.on(self.place.xp, self.place.array)
        self._first_q = self.place.array(np.stack([state.q for state in starts]))
        self._first_v = self.place.array(np.stack([state.v for state in starts]))
        zeros = self.place.zeros
        self.actions = zeros(self.worlds, len(self.setup.names))
        self.commands, self.start = zeros(self.worlds, 3), zeros(self.worlds)
        self.taken, self.force = zeros(self.worlds), zeros(self.worlds, 2)
        self.push_ends = zeros(self.worlds)
        self._begun = False

    @property
    def seconds(self) -> float:
        """Time of an action [s]."""
        return self.every * self.dt

    def reset(self) -> Any:
        """Begin an episode in all worlds; returns the observations."""
        self._begin(self.taken >= 0)
        self._begun = True
        return self._observed()

    def step(self, actions: Any) -> Stepped:
        """Let actions from -1 to 1 act, (worlds, joints), for the time of one."""
        if not self._begun:
            raise InputError("step() before reset(): call reset() first")
        place, xp = self.place, self.place.xp
        actions = self._checked(actions)
        place.put_set_points(self.formulas.set_points(actions))
        place.put_push(self._pushes())
        well = place.step(self.every)
        q, v = place.state()
        self.taken += 1
        reward = self.formulas.reward((q, v), actions, self.actions, self.commands)
        reward = xp.where(well, reward, xp.zeros_like(self.taken))
        terminated = ~well | self.formulas.fallen(q, self.start)
        truncated = (self.taken >= self.most) & ~terminated
        self.actions[:] = xp.where(well[:, None], actions, xp.zeros_like(self.actions))
        velocity = xp.concatenate([self.formulas.base_of(q, v)[1][:, :2], v[:, 5:6]], 1)
        last = self._observed()
        self._begin(terminated | truncated)
        return Stepped(self._observed(), reward, terminated, truncated, velocity, last)

    def _checked(self, actions: Any) -> Any:
        """Actions from -1 to 1 of this device; NaN stays, and fails the world that it acts on."""
        found, shape = self.place.reals(actions), tuple(self.actions.shape)
        if tuple(found.shape) != shape:
            what = f"shape {tuple(found.shape)}" if found.ndim else shown(actions)
            raise InputError(f"actions: found {what}; give numbers of shape {shape}")
        return self.place.xp.clip(found, -1.0, 1.0)

    def _observed(self) -> Any:
        q, v = self.place.state()
        return self.formulas.observe(q, v, self.actions, self.commands)

    def _begin(self, ended: Any) -> None:
        """Begin an episode where one has ended."""
        xp, n, setup = self.place.xp, self.worlds, self.setup
        k = self.place.integers(STARTS, n)
        q, v = self._first_q[k], self._first_v[k]
        self.place.restart(ended, q, v)
        share = self.place.uniform(n, 3)  # 0 to 1
        speed, turn = setup.task.speed * setup.speed, setup.task.turn
        wanted = [(1.5 * share[:, 0] - 0.5) * speed, (share[:, 1] - 0.5) * speed]
        commands = xp.stack([*wanted, (2 * share[:, 2] - 1) * turn], 1)
        column = ended[:, None]
        self.commands[:] = xp.where(column, commands, self.commands)
        self.actions[:] = xp.where(column, xp.zeros_like(self.actions), self.actions)
        self.force[:] = xp.where(column, xp.zeros_like(self.force), self.force)
        self.start[:] = xp.where(ended, q[:, 2], self.start)
        self.taken[:] = xp.where(ended, xp.zeros_like(self.taken), self.taken)
        self.push_ends[:] = xp.where(ended, xp.zeros_like(self.push_ends), self.push_ends)

    def _pushes(self) -> Any:
        """Forces on the bases during the next action, (worlds, 2) [N]."""
        task, setup, xp = self.setup.task, self.setup, self.place.xp
        if task.push > 0:
            chance = self.place.uniform(self.worlds, 3)
            over = self.taken >= self.push_ends
            begins = over & (chance[:, 0] < self.seconds / PUSH_EVERY)
            largest = task.push * setup.speed * setup.world.total_mass / PUSH_SECONDS
            size, angle = (0.3 + 0.7 * chance[:, 1]) * largest, 2 * np.pi * chance[:, 2]
            new = xp.stack([size * xp.cos(angle), size * xp.sin(angle)], 1)
            lasts = max(1, round(PUSH_SECONDS / self.seconds))
            self.force[:] = xp.where(over[:, None], xp.zeros_like(self.force), self.force)
            self.force[:] = xp.where(begins[:, None], new, self.force)
            self.push_ends[:] = xp.where(begins, self.taken + lasts, self.push_ends)
        return self.force


class OnCores:
    """Worlds on all cores, as arrays of NumPy."""

    xp: Any = np

    def __init__(
        self, setup: Setup, contact: Any, worlds: int, options: dict[str, Any], seed: int
    ) -> None:
        """Make the batch."""
        self.batch = BatchSimulation(setup.world, worlds, contact, **options)
        self._tables = [self.batch.controllers(k) for k in range(worlds)]
        self._targets = [setup.written_to(one) for one in self._tables]
        self._torque = np.zeros((worlds, setup.world.nv))
        self._random = np.random.default_rng([seed, 1])

    def array(self, values: Any) -> np.ndarray:
        """An array of this device."""
        return np.asarray(values)

    def reals(self, values: Any) -> np.ndarray:
        """Numbers of a user; a single NaN for what is none."""
        return numbers(values)

    def zeros(self, *shape: int) -> np.ndarray:
        """Zeros."""
        return np.zeros(shape)

    def uniform(self, *shape: int) -> np.ndarray:
        """Random numbers from 0 to 1."""
        return self._random.uniform(size=shape)

    def integers(self, below: int, size: int) -> np.ndarray:
        """Random whole numbers."""
        return self._random.integers(below, size=size)

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Return q (worlds, nq) and v (worlds, nv)."""
        return self.batch.q, self.batch.v

    def scale_gains(self, factors: np.ndarray | None) -> None:
        """Multiply the gains of the servos of each world."""
        if factors is not None:
            for (table,), factor in zip(self._tables, factors, strict=True):
                table.stiffness[:] *= factor
                table.damping[:] *= factor

    def put_set_points(self, values: np.ndarray) -> None:
        """Write set-points, (worlds, joints)."""
        for target, one in zip(self._targets, values, strict=True):
            target[:] = one

    def put_push(self, force: np.ndarray) -> None:
        """Push the bases, (worlds, 2) [N]."""
        self._torque[:, :2] = force
        self.batch.set_torque(self._torque)

    def step(self, n: int) -> np.ndarray:
        """Take n steps; returns which worlds are well, after putting others where they were."""
        q, v = self.batch.q, self.batch.v
        self.batch.step(n)
        well = np.asarray(self.batch.status == WELL)
        self.restart(~well, q, v)
        return well

    def restart(self, worlds: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Put chosen worlds into new states, without a history."""
        chosen = np.flatnonzero(worlds)
        self.batch.reset(chosen, (q[chosen], v[chosen]))


class OnGpu:
    """Worlds on a GPU, as tensors of PyTorch that share the memory of the simulation."""

    def __init__(
        self, setup: Setup, contact: Any, worlds: int, options: dict[str, Any], seed: int
    ) -> None:
        """Make the batch, in single precision."""
        try:
            import torch
        except ImportError:
            raise not_installed("device 'cuda': learning there", "torch", "torch") from None
        self.xp = torch
        self.batch = BatchSimulation(
            setup.world, worlds, contact, device="cuda", precision="float32", **options
        )
        shared = self.batch.on_device()
        self._q, self._v, self._torque, self._status = (
            torch.as_tensor(shared[name], device="cuda") for name in ("q", "v", "torque", "status")
        )
        self._table = shared["controllers"]
        self._target = torch.as_tensor(setup.written_to(self._table), device="cuda")
        self._random = torch.Generator("cuda").manual_seed(seed)

    def array(self, values: Any) -> Any:
        """A tensor on the GPU."""
        if isinstance(values, self.xp.Tensor):
            return values
        real = values.dtype == np.float64
        return self.xp.as_tensor(values.astype(np.float32) if real else values, device="cuda")

    def reals(self, values: Any) -> Any:
        """Numbers of a user; a single NaN for what is none."""
        if isinstance(values, self.xp.Tensor):
            return values.to(self._q)
        return self.array(numbers(values))

    def zeros(self, *shape: int) -> Any:
        """Zeros."""
        return self.xp.zeros(shape, device="cuda")

    def uniform(self, *shape: int) -> Any:
        """Random numbers from 0 to 1."""
        return self.xp.rand(shape, device="cuda", generator=self._random)

    def integers(self, below: int, size: int) -> Any:
        """Random whole numbers."""
        return self.xp.randint(below, (size,), device="cuda", generator=self._random)

    def state(self) -> tuple[Any, Any]:
        """Return q (worlds, nq) and v (worlds, nv): views of the simulation's own."""
        return self._q.T, self._v.T

    def scale_gains(self, factors: np.ndarray | None) -> None:
        """Multiply the gains of the servos of each world."""
        if factors is not None:
            (table,) = self._table
            for gains in (table.stiffness, table.damping):
                self.xp.as_tensor(gains, device="cuda").mul_(self.array(factors))

    def put_set_points(self, values: Any) -> None:
        """Write set-points, (worlds, joints)."""
        self._target.copy_(values.T)

    def put_push(self, force: Any) -> None:
        """Push the bases, (worlds, 2) [N]."""
        self._torque[:2] = force.T

    def step(self, n: int) -> Any:
        """Take n steps; returns which worlds are well, after putting others where they were."""
        q, v = self._q.clone(), self._v.clone()
        self.batch.step(n)
        well = self._status[0] == 0
        self.restart(~well, q.T, v.T)
        return well

    def restart(self, worlds: Any, q: Any, v: Any) -> None:
        """Put chosen worlds into new states, without a history."""
        self._q.copy_(self.xp.where(worlds, q.T, self._q))
        self._v.copy_(self.xp.where(worlds, v.T, self._v))
        self.batch.forget(worlds.to(self.xp.uint8))
