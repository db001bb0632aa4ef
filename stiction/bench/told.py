"""Text that the reports of several benchmarks share."""

from __future__ import annotations

from typing import Any


def parameters_told(model: Any) -> str:
    """Parameters of a contact model as text."""
    return ", ".join(f"{name} {value:g}" for name, value in model._asdict().items())


def mujoco_told(model: Any) -> dict[str, Any]:
    """Options of a MuJoCo model that determine its time per step."""
    import mujoco

    option = model.opt
    return {
        "integrator": mujoco.mjtIntegrator(option.integrator).name,
        "solver": mujoco.mjtSolver(option.solver).name,
        "cone": mujoco.mjtCone(option.cone).name,
        "iterations": int(option.iterations),
        "line search iterations": int(option.ls_iterations),
        "tolerance": float(option.tolerance),
        "dt": float(option.timestep),
    }
