"""What single precision and a bounded effort cost: worlds of G1 that are driven, and that stand.

Everything runs on the CPU, whose kernels are those of a GPU. Double precision without bounds is the
reference.

    depth     99th percentile of the largest depth of a world in a step [mm]
    residual  99th percentile of the relative errors of contact problems
    energy    the largest energy that contact has added to a world so far [J]
    drift     how far the base of a standing robot moves after the first tenth of a run [mm]
    speed     root mean square of the velocities of driven joints [rad/s]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import stiction as st
from stiction.batch.simulate_batch import record_of
from stiction.bench.worlds import ALIKE, DRIVEN, HELD, Run, chosen_models, standing_robot
from stiction.contact.effort import WHOLE, quick_effort_of
from stiction.step.record import RESIDUAL, Record

Progress = Callable[[float], None]

MODELS = ("Coulomb", "GaussSeidel", "ImplicitSpringDamper")
STANDING = 32  # worlds
SETTLES = 0.1  # part of a run in which standing robots settle
PART = 99  # percentile
MOST_ENERGY = 1e-2  # that contact may add; springs under the feet of G1 hold more at rest [J]
MOST_DRIFT = 1.0  # of a standing robot, beyond that of the reference [mm]


def bench(
    robot_path: Path | None = None,
    worlds: int = 1024,
    steps: int = 1000,
    models: Sequence[str] = (),
    progress: Progress = lambda part: None,
) -> dict[str, Any]:
    """Errors of each model in both precisions, with and without bounds on the effort.

    worlds: of the driven case; steps: of the driven case; robots stand for five times as many.
    """
    world, state, control = standing_robot(robot_path)
    field = chosen_models(models or MODELS)
    rows: list[dict[str, Any]] = []
    for name, model in field.items():
        quick = quick_effort_of(type(model))
        reference = None
        for precision, effort in (("float64", WHOLE), ("float32", WHOLE), ("float32", quick)):
            options = {"precision": precision, "effort": effort}
            found = drive(Run(world, model, control, worlds, DRIVEN, state), steps, options)
            standing = Run(world, model, control, STANDING, ALIKE, state)
            found["drift [mm]"] = drift(standing, 5 * steps, options)
            reference = reference or found
            more = found["drift [mm]"] - reference["drift [mm]"]
            bounds = "none" if effort == WHOLE else f"{effort.tries}, {effort.iterations}"
            rows.append(
                {
                    "model": name,
                    "precision": precision,
                    "bounds": bounds,
                    **found,
                    "holds": found["energy [J]"] <= MOST_ENERGY and more <= MOST_DRIFT,
                }
            )
            progress(len(rows) / (3 * len(field)))
    return {
        "robot": world.robots[0].name,
        "worlds": worlds,
        "steps": steps,
        "runs": rows,
        "holds": all(row["holds"] for row in rows),
    }


def drive(run: Run, steps: int, options: dict[str, Any]) -> dict[str, float]:
    """Errors while every joint is driven by random torques."""
    batch, torques = run.batch(**options), run.torques()
    depths, residuals, speeds, left = [], [], [], steps
    while left > 0:
        batch.set_torque(next(torques))
        count = min(HELD, left)
        record = recorded_steps(batch, count)
        depths.append(record.depth.max(axis=-1))
        residuals.append(record.solver[..., RESIDUAL])
        speeds.append(batch.v[:, 6:])
        left -= count
    added = batch._engine.reports().most_work
    return {
        "depth [mm]": rounded(1e3 * np.nanpercentile(depths, PART)),
        "residual": rounded(np.nanpercentile(residuals, PART)),
        "energy [J]": rounded(added.max(initial=0.0)),
        "speed [rad/s]": rounded(np.sqrt(np.mean(np.square(speeds)))),
        "unsolved [%]": rounded(100 * batch.unsolved.sum() / (run.worlds * steps)),
    }


def recorded_steps(batch: st.BatchSimulation, count: int) -> Record:
    """Take some steps; returns depths and what the solver reports, (worlds, steps, ...)."""
    engine = batch._engine
    record = engine.make_record(record_of(batch.problem, count, ("depth", "solver")))
    batch._advance(record, 1, count, batch.steps_taken)
    return engine.host_record(record)


def drift(run: Run, steps: int, options: dict[str, Any]) -> float:
    """How far standing robots move once they have settled [mm]."""
    batch = run.batch(**options)
    settling = max(1, round(SETTLES * steps))
    batch.step(settling)
    before = batch.q[:, :3]
    batch.step(steps - settling)
    return rounded(1e3 * np.linalg.norm(batch.q[:, :3] - before, axis=1).max())


def rounded(value: float) -> float:
    """Three digits."""
    return float(f"{value:.3g}")
