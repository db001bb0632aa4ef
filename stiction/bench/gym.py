"""Steps per second of vector environments on all cores: ours, and Gymnasium's MuJoCo Humanoid.

Both take random actions and reset their worlds when they fall. One of our actions lasts 10 steps of
2 ms, one of the Humanoid's 5 steps of 3 ms. Ours are stepped by threads in one call; the Humanoid
runs in one process (`sync`) and in one process per environment (`async`), the faster of which
counts.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stiction.gym as environments

HUMANOID = "Humanoid-v5"
OURS = environments.IDS["walk"]


def bench(
    robot: Path | None = None,
    worlds: int = 64,
    repeats: int = 5,
    actions: int = 20,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Best steps per second of each environment over interleaved repeats."""
    import gymnasium

    options: dict[str, Any] = {} if robot is None else {"robot": str(robot)}
    made = {
        "stiction": gymnasium.make_vec(OURS, num_envs=worlds, **options),
        "humanoid sync": gymnasium.make_vec(HUMANOID, worlds, vectorization_mode="sync"),
        "humanoid async": gymnasium.make_vec(HUMANOID, worlds, vectorization_mode="async"),
    }
    best = dict.fromkeys(made, 0.0)
    try:
        for name, one in made.items():
            one.reset(seed=0)
            one.action_space.seed(0)
            rate(one, 2)  # compiles, starts processes
            best[name] = 0.0
        for repeat in range(repeats):
            for name, one in made.items():
                best[name] = max(best[name], rate(one, actions))
            if progress is not None:
                progress((repeat + 1) / repeats)
    finally:
        for one in made.values():
            one.close()
    return report(made["stiction"], best, worlds, repeats * actions)


def rate(environment: Any, actions: int) -> float:
    """Steps of environments per second."""
    begun = time.perf_counter()
    for _ in range(actions):
        observed, *_ = environment.step(environment.action_space.sample())
    if not np.isfinite(observed).all():
        raise AssertionError("an observation is not finite")
    return actions * environment.num_envs / (time.perf_counter() - begun)


def report(ours: Any, best: dict[str, float], worlds: int, actions: int) -> dict[str, Any]:
    """Rates as plain values."""
    setup = ours.unwrapped.episodes.setup
    theirs = max(best["humanoid sync"], best["humanoid async"])
    return {
        "environments": worlds,
        "cores": len(os.sched_getaffinity(0)),
        "robot": setup.robot.name,
        "joints": len(setup.joints),
        "actions of each": actions,
        "steps of environments per second": {name: round(value) for name, value in best.items()},
        "ratio to humanoid": round(best["stiction"] / theirs, 2),
        "holds": best["stiction"] >= theirs,
    }
