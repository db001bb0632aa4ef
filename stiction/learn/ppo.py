"""Proximal policy optimisation [Schulman], one page of PyTorch, for worlds on a GPU.

[Schulman] J. Schulman, F. Wolski, P. Dhariwal, A. Radford, O. Klimov: Proximal policy optimization
algorithms. arXiv:1707.06347, 2017. Advantages are those of J. Schulman, P. Moritz, S. Levine,
M. Jordan, P. Abbeel: High-dimensional continuous control using generalized advantage estimation.
ICLR 2016.

    r_t        ratio of the probabilities of an action now and when it was taken
    A_t        advantage, by generalised estimation with discount gamma and decay lambda
    (7)        mean of min(r_t A_t, clip(r_t, 1 - eps, 1 + eps) A_t), which is made large
    (11), (12) delta_t = reward_t + gamma V(s_t+1) - V(s_t); A_t = sum of (gamma lambda)^l delta_t+l
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from stiction.errors import not_installed
from stiction.learn.policy import Policy
from stiction.learn.worlds import LearningWorlds, Stepped


class Settings(NamedTuple):
    """Numbers of the method."""

    horizon: int = 24  # actions of each world in an iteration
    epochs: int = 5
    batches: int = 4
    gamma: float = 0.99
    decay: float = 0.95  # lambda
    clip: float = 0.2  # eps
    entropy: float = 0.002
    rate: float = 1e-3  # of learning, at most
    change: float = 0.01  # wanted Kullback-Leibler divergence of an iteration; adapts the rate
    hidden: tuple[int, ...] = (256, 128, 64)
    spread: float = 0.5  # first standard deviation of actions


class Rollout(NamedTuple):
    """What all worlds did in an iteration, (horizon, worlds, ...)."""

    observation: Any
    action: Any
    likelihood: Any  # logarithm
    value: Any
    advantage: Any
    mean: Any
    spread: Any


Progress = Callable[[dict[str, float]], None]


def require_torch() -> Any:
    """PyTorch, or an InputError that says where to get it."""
    try:
        import torch
    except ImportError:
        raise not_installed("training", "torch", "torch") from None
    return torch


def trained(
    worlds: LearningWorlds, iterations: int, seconds: float, settings: Settings, tell: Progress
) -> Policy:
    """A policy after some iterations, or after some time [s]; `tell` gets a row for each."""
    require_torch().manual_seed(0)
    learner = Learner(worlds, settings)
    begun, taken = time.perf_counter(), 0
    for iteration in range(iterations):
        rollout, row = learner.collect()
        row |= learner.learn(rollout)
        taken += worlds.worlds * settings.horizon
        elapsed = time.perf_counter() - begun
        tell({"iteration": iteration, "actions": taken, "seconds": elapsed, **row})
        if elapsed > seconds:
            break
    return learner.policy()


class Learner:
    """Actor, critic, and the running mean and deviation of observations."""

    def __init__(self, worlds: LearningWorlds, settings: Settings) -> None:
        """Networks with random weights."""
        self.torch = torch = require_torch()
        self.worlds, self.settings = worlds, settings
        self.device = "cuda" if worlds.place.xp is torch else "cpu"
        observed, actions = worlds.setup.observed, len(worlds.setup.names)
        self.actor = self._network(observed, actions, 0.01)
        self.critic = self._network(observed, 1, 1.0)
        spread = torch.full((actions,), float(np.log(settings.spread)), device=self.device)
        self.log_spread = torch.nn.Parameter(spread)
        self.weights = [*self.actor.parameters(), *self.critic.parameters(), self.log_spread]
        self.optimiser = torch.optim.Adam(self.weights, lr=settings.rate)
        self.count = 1e-4
        self.mean = torch.zeros(observed, device=self.device)
        self.variance = torch.ones(observed, device=self.device)
        self.observation = self._tensor(worlds.reset())
        self.alive = torch.zeros(worlds.worlds, device=self.device)

    def _tensor(self, values: Any) -> Any:
        """What worlds return, as a tensor where the networks are."""
        real = values.dtype not in (bool, self.torch.bool)
        dtype = self.torch.float32 if real else self.torch.bool
        return self.torch.as_tensor(values, dtype=dtype, device=self.device)

    def _network(self, inputs: int, outputs: int, last: float) -> Any:
        nn, sizes = self.torch.nn, (inputs, *self.settings.hidden, outputs)
        layers: list[Any] = []
        for k, (one, other) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
            layer = nn.Linear(one, other)
            is_last = k == len(sizes) - 2
            nn.init.orthogonal_(layer.weight, last if is_last else 2**0.5)
            nn.init.zeros_(layer.bias)
            layers += [layer] if is_last else [layer, nn.ELU()]
        return nn.Sequential(*layers).to(self.device)

    def normalised(self, observation: Any) -> Any:
        """Observations minus their mean, over their deviation."""
        scaled = (observation - self.mean) / (self.variance + 1e-8) ** 0.5
        return scaled.clip(-10.0, 10.0)

    def _take_into_account(self, observation: Any) -> None:
        """Update mean and variance."""
        n = observation.shape[0]
        mean, variance = observation.mean(0), observation.var(0)
        share = n / (self.count + n)
        off = mean - self.mean
        self.mean = self.mean + share * off
        self.variance = (1 - share) * (self.variance + share * off**2) + share * variance
        self.count = min(self.count + n, 1e8)

    def collect(self) -> tuple[Rollout, dict[str, float]]:
        """Let the worlds act; returns what they did and how well."""
        torch, worlds, settings = self.torch, self.worlds, self.settings
        rows: list[tuple[Any, ...]] = []
        total: dict[str, Any] = dict.fromkeys(("reward", "fell", "ended", "lasted", "off"), 0.0)
        with torch.no_grad():
            for _ in range(settings.horizon):
                self._take_into_account(self.observation)
                seen = self.normalised(self.observation)
                mean, spread = self.actor(seen), self.log_spread.exp()
                action = mean + spread * torch.randn_like(mean)
                likelihood = torch.distributions.Normal(mean, spread).log_prob(action).sum(1)
                value = self.critic(seen)[:, 0]
                commands = self._tensor(worlds.commands).clone()
                done = Stepped(*map(self._tensor, worlds.step(worlds.place.array(action))))
                reward = torch.nan_to_num(done.reward)
                beyond = self.critic(self.normalised(done.last))[:, 0]
                reward = reward + settings.gamma * beyond * done.truncated  # the episode went on
                ended = done.terminated | done.truncated
                rows.append((seen, action, likelihood, value, reward, ended.float(), mean))
                self.alive += worlds.seconds
                total["reward"] += done.reward.mean()
                total["fell"] += done.terminated.sum()
                total["ended"] += ended.sum()
                total["lasted"] += (self.alive * ended).sum()
                total["off"] += (done.velocity - commands)[:, :2].norm(dim=1).mean()
                self.alive *= ~ended
                self.observation = done.observation
            last = self.critic(self.normalised(self.observation))[:, 0]
            seen, action, likelihood, value, reward, ended, mean = map(
                torch.stack, zip(*rows, strict=True)
            )
            advantage = self._advantages(reward, value, ended, last)
        n = settings.horizon
        spread = self.log_spread.detach().exp().expand_as(mean)
        told = {
            "reward": float(total["reward"] / n),
            "off [m/s]": float(total["off"] / n),
            "falls [1/s]": float(total["fell"] / n / worlds.worlds / worlds.seconds),
            "episode [s]": float(total["lasted"] / max(1.0, float(total["ended"]))),
            "spread": float(spread.mean()),
        }
        return Rollout(seen, action, likelihood, value, advantage, mean, spread), told

    def _advantages(self, reward: Any, value: Any, ended: Any, last: Any) -> Any:
        """Eqs. (11), (12)."""
        advantage, beyond = self.torch.zeros_like(reward), self.torch.zeros_like(last)
        after = last
        gamma, decay = self.settings.gamma, self.settings.decay
        for t in reversed(range(len(reward))):
            goes_on = 1.0 - ended[t]
            delta = reward[t] + gamma * after * goes_on - value[t]  # Eq. (12)
            beyond = delta + gamma * decay * goes_on * beyond  # Eq. (11)
            advantage[t], after = beyond, value[t]
        return advantage

    def learn(self, rollout: Rollout) -> dict[str, float]:
        """Improve actor and critic; the rate of learning adapts to how much the policy changes."""
        torch, settings = self.torch, self.settings
        flat = Rollout(*(one.flatten(0, 1) for one in rollout))
        wanted = flat.advantage + flat.value
        gain = (flat.advantage - flat.advantage.mean()) / (flat.advantage.std() + 1e-8)
        changes = []
        for _ in range(settings.epochs):
            order = torch.randperm(len(gain), device=self.device)
            for part in order.chunk(settings.batches):
                mean, spread = self.actor(flat.observation[part]), self.log_spread.exp()
                now = torch.distributions.Normal(mean, spread)
                ratio = (now.log_prob(flat.action[part]).sum(1) - flat.likelihood[part]).exp()
                clipped = ratio.clip(1 - settings.clip, 1 + settings.clip)
                surrogate = torch.minimum(ratio * gain[part], clipped * gain[part])  # Eq. (7)
                off = self.critic(flat.observation[part])[:, 0] - wanted[part]
                loss = (off**2).mean() - surrogate.mean()
                loss = loss - settings.entropy * now.entropy().sum(1).mean()
                self.optimiser.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.weights, 1.0)
                self.optimiser.step()
                before = torch.distributions.Normal(flat.mean[part], flat.spread[part])
                with torch.no_grad():
                    changes.append(torch.distributions.kl_divergence(before, now).sum(1).mean())
            self._adapt(float(torch.stack(changes[-settings.batches :]).mean()))
        return {"change": float(changes[-1]), "rate": self.optimiser.param_groups[0]["lr"]}

    def _adapt(self, change: float) -> None:
        """Learn more slowly after large changes of the policy, faster after small ones."""
        group = self.optimiser.param_groups[0]
        if change > 2 * self.settings.change:
            group["lr"] = max(1e-5, group["lr"] / 1.5)
        elif change < self.settings.change / 2:
            group["lr"] = min(self.settings.rate, group["lr"] * 1.5)

    def policy(self) -> Policy:
        """The policy without noise, as NumPy reads it."""
        layers = [layer for layer in self.actor if hasattr(layer, "weight")]

        def host(tensor: Any) -> np.ndarray:
            return np.asarray(tensor.detach().cpu().numpy())

        return Policy(
            host(self.mean),
            host((self.variance + 1e-8) ** 0.5),
            [host(layer.weight) for layer in layers],
            [host(layer.bias) for layer in layers],
        )
