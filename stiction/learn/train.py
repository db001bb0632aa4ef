"""Train a policy on a GPU: `python -m stiction.learn.train OUT.npz`; keeps a row per iteration."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import stiction as st
from stiction.learn.policy import Policy
from stiction.learn.ppo import Settings, trained
from stiction.learn.randomised import Randomised
from stiction.learn.worlds import LearningWorlds

# what differs between worlds, so that a policy relies on none of it
DIFFERENT = Randomised(friction=(0.4, 1.0), mass=(0.9, 1.1), gains=(0.9, 1.1))


def train(
    out: Path,
    contact: Any,
    worlds: int = 16384,
    seconds: float = 300.0,
    iterations: int = 10**6,
    **options: Any,
) -> Policy:
    """Train, save the policy, and write the learning curve beside it."""
    begun = time.perf_counter()
    made = LearningWorlds(
        worlds, "cuda", randomised=DIFFERENT, contact=contact, task="walk", **options
    )
    curve = out.with_suffix(".jsonl")
    with curve.open("w") as file:

        def tell(row: dict[str, float]) -> None:
            file.write(json.dumps({name: float(f"{row[name]:.5g}") for name in row}) + "\n")
            file.flush()
            if row["iteration"] % 20 == 0:
                print(json.dumps({name: float(f"{row[name]:.3g}") for name in row}), flush=True)

        policy = trained(made, iterations, seconds, Settings(), tell)
    policy.trained.update(
        robot=made.setup.robot.name,
        contact=type(contact).__name__,
        parameters=contact._asdict(),
        worlds=worlds,
        seconds=time.perf_counter() - begun,
    )
    policy.save(out)
    return policy


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--contact", default="Coulomb")
    parser.add_argument("--worlds", type=int, default=16384)
    parser.add_argument("--seconds", type=float, default=300.0)
    given = parser.parse_args()
    train(given.out, getattr(st, given.contact)(), given.worlds, given.seconds)


if __name__ == "__main__":
    main()
