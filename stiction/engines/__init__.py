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


def engine_and_setting(told: str) -> tuple[Engine, str]:
    """The engine and the setting that "mujoco:tuned" names; without a colon, "default"."""
    name, _, setting = told.partition(":")
    engine = engine_by_name(name)
    setting = setting or "default"
    if setting not in engine.settings:
        hint = did_you_mean(setting, engine.settings)
        raise InputError(
            f"engine '{name}': no setting '{setting}'; it has {', '.join(engine.settings)}{hint}"
        )
    return engine, setting


__all__ = ["MODULES", "Engine", "Ran", "Servos", "Task", "engine_and_setting", "engine_by_name"]
