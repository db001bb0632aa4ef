"""Other engines by name: each simulates a `Task` on our robots; results are in our coordinates."""

from __future__ import annotations

from importlib import import_module

from stiction.engines.engine import Engine, Ran, Servos, Task
from stiction.errors import InputError, did_you_mean

MODULES = {name: f"stiction.engines.in_{name}" for name in ("mujoco", "pybullet", "drake", "dart")}
PACKAGES = {"mujoco": "mujoco", "pybullet": "pybullet", "drake": "pydrake", "dart": "dartpy"}


def engine_by_name(name: str) -> Engine:
    """The engine of this name; an error says what to install if its package is absent."""
    if name not in MODULES:
        hint = did_you_mean(name, MODULES)
        raise InputError(f"engine '{name}': choose among {', '.join(MODULES)}{hint}")
    try:
        import_module(PACKAGES[name])
    except ImportError as absent:
        raise InputError(
            f"engine '{name}': Python finds no package {PACKAGES[name]} ({absent}); "
            "install the engines with pip install 'stiction[peers]'"
        ) from absent
    return import_module(MODULES[name]).ENGINE


__all__ = ["MODULES", "Engine", "Ran", "Servos", "Task", "engine_by_name"]
