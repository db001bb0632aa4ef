"""Gymnasium environments for legged robots: any robot, any contact model.

`import stiction.gym` registers `stiction/Stand-v0`, `stiction/Walk-v0`, `stiction/PushRecovery-v0`
and `stiction/RoughGround-v0`, for `gymnasium.make` and `gymnasium.make_vec`.
"""

from __future__ import annotations

from stiction.errors import not_installed

try:
    import gymnasium
except ImportError:
    raise not_installed("stiction.gym", "gymnasium", "stiction[gym]") from None

from stiction.gym.environment import LeggedEnv
from stiction.gym.vector import LeggedVectorEnv
from stiction.learn.tasks import TASKS, Task

__all__ = ["IDS", "TASKS", "LeggedEnv", "LeggedVectorEnv", "Task"]

IDS = {
    "stand": "stiction/Stand-v0",
    "walk": "stiction/Walk-v0",
    "push": "stiction/PushRecovery-v0",
    "rough": "stiction/RoughGround-v0",
}
for _task, _id in IDS.items():
    if _id not in gymnasium.registry:
        gymnasium.register(
            _id,
            entry_point="stiction.gym.environment:LeggedEnv",
            vector_entry_point="stiction.gym.vector:LeggedVectorEnv",
            kwargs={"task": _task},
        )
