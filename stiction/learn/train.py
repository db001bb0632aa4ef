"""Train a policy that follows commands; the learning curve is kept next to it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from stiction.description.arguments import count, number
from stiction.errors import InputError
from stiction.files.written import check_target
from stiction.learn.ppo import Settings, require_torch, trained
from stiction.learn.randomised import Randomised
from stiction.learn.worlds import LearningWorlds

# what differs between worlds, so that a policy relies on none of it
DIFFERENT = Randomised(friction=(0.4, 1.0), mass=(0.9, 1.1), gains=(0.9, 1.1))
SMOOTH = 1.0  # weight of the change of the action; with the 0.1 of the environments feet tremble
DIGITS = 5  # of the learning curve


class Plan(NamedTuple):
    """How long to train, and where."""

    worlds: int = 16384
    seconds: float = 250.0
    iterations: int = 10**6
    device: str = "cuda"
    seed: int = 0
    settings: Settings = Settings()


def train(
    out: str | Path,
    contact: Any,
    plan: Plan = Plan(),  # noqa: B008  a tuple
    progress: Callable[[float, str], None] = lambda fraction, doing: None,
    **options: Any,
) -> dict[str, Any]:
    """Train, save the policy as `out`, its learning curve as `out` with .jsonl; returns the end.

    options: those of `stiction.gym.LeggedEnv`; by default the robot walks to commands.
    """
    path = Path(out)
    if path.suffix != ".npz":
        raise InputError(f"{path}: give a file name that ends in .npz")
    for written in (path, path.with_suffix(".jsonl")):
        check_target(written, InputError)
    count("iterations", plan.iterations, 10**9)
    number("seconds", plan.seconds, "s", positive=True)
    require_torch()
    begun = time.perf_counter()
    given = {"task": "walk", "smooth": SMOOTH, **options, "contact": contact}
    progress(0.0, "making and compiling worlds")
    worlds = LearningWorlds(plan.worlds, plan.device, plan.seed, DIFFERENT, **given)
    rows: list[dict[str, float]] = []
    with path.with_suffix(".jsonl").open("w") as curve:

        def tell(row: dict[str, float]) -> None:
            rows.append({name: float(f"{value:.{DIGITS}g}") for name, value in row.items()})
            curve.write(json.dumps(rows[-1]) + "\n")
            curve.flush()
            done = max(row["seconds"] / plan.seconds, (row["iteration"] + 1) / plan.iterations)
            progress(min(done, 1.0), f"reward {row['reward']:.3f}, off {row['off [m/s]']:.3f} m/s")

        policy = trained(worlds, plan.iterations, plan.seconds, plan.settings, tell)
    last = rows[-1]
    told = {
        "robot": worlds.setup.robot.name,
        "contact": type(contact).__name__,
        "parameters": contact._asdict(),
        "dt": worlds.dt,
        "worlds": plan.worlds,
        "iterations": len(rows),
        "actions": last["actions"],
        "world-steps": last["actions"] * worlds.every,
        "seconds": round(time.perf_counter() - begun, 1),
    }
    policy.trained.update(told)
    policy.save(path)
    files = [str(path), str(path.with_suffix(".jsonl"))]
    return {**told, **{name: last[name] for name in ("reward", "off [m/s]")}, "files": files}
