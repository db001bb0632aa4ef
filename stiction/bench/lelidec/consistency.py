"""Contact criteria and self-consistency of all models and engines in the scenes of Le Lidec et al.

Self-consistency compares a model or engine with itself: the mean distance over the run of its
bodies from where they are with a tenth of the shortest step. It says nothing about the contact law,
only whether the step is short enough for it. The parameters of force laws are chosen for the
longest step and kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

import stiction as st
from stiction.bench.accuracy import EXACT, brief, chosen_among, contenders
from stiction.bench.closed_forms.engines import EngineContender, engine_contenders
from stiction.bench.closed_forms.models import Contender, Load, Material, model_for
from stiction.bench.lelidec.cases import SCENES, Scene
from stiction.bench.lelidec.point_criteria import worst_criteria
from stiction.compare.runs import Case, Refused, Run, run_engine, run_model
from stiction.errors import InputError, did_you_mean
from stiction.kernels.tree import FREE

TIME_STEPS = (0.004, 0.002, 0.001, 0.0005)  # [s]
REFERENCE = 0.00005  # [s]
SHOWN = 0.001  # step of the criteria [s]
UNITS = {"primal": "N s", "signorini": "J", "dissipation": "J"}
# of exact models, times the impulse of the weight in a step; the normal of bumpy ground turns
# within a step, which limits how well a force is known to be in its cone
LIMITS = {"primal": 1e-3, "signorini": 1e-5, "dissipation": 1e-5}


def bench(
    scenes: Iterable[str] = (),
    progress: Callable[[float], None] | None = None,
    engines: Iterable[str] = (),
    models: Iterable[str] = (),
    plot: Path | None = None,
) -> dict[str, Any]:
    """Criteria and self-consistency; engines, models and plot as in `accuracy.bench`."""
    chosen = list(scenes) or list(SCENES)
    for name in chosen:
        if name not in SCENES:
            hint = did_you_mean(name, SCENES)
            raise InputError(f"unknown scene '{name}'; scenes: {', '.join(SCENES)}{hint}")
    field: list[Any] = [*ours(models), *engine_contenders(engines)]
    rows: list[dict[str, Any]] = []
    criteria: list[dict[str, Any]] = []
    times: list[dict[str, Any]] = []
    failures: list[str] = []
    for k, name in enumerate(chosen):
        scene = SCENES[name]()
        found: dict[str, dict[float, Run]] = {}
        for j, contender in enumerate(field):
            found[contender.name] = runs_of(scene, contender, failures)
            if progress is not None:
                progress((k + (j + 1) / len(field)) / len(chosen))
        rows += distances(scene, found)
        criteria += judged(scene, found)
        times.append({"scene": scene.name, **brief(spent(found))})
    if plot is not None:
        draw(plot, rows, [contender.name for contender in field])
    return {
        "largest contact criteria with steps of 1 ms": criteria,
        "did not run": failures,
        "microseconds per step of 1 ms": times,
        "self-consistency: mean distance from the same with 0.05 ms [mm]": rows,
        "holds": all(row["holds"] is not False for row in criteria),
    }


def ours(models: Iterable[str]) -> list[Contender]:
    """The named models with the default integrator, all that have friction if none is named."""
    field = [one for one in contenders() if one.slides and isinstance(one.integrator, st.Midpoint)]
    return chosen_among(field, models)


def runs_of(scene: Scene, contender: Any, failures: list[str]) -> dict[float, Run]:
    """Runs of one model or engine by time step; says why one did not run, each reason once."""
    found, told = {}, set()
    for dt in (*TIME_STEPS, REFERENCE):
        run = simulated(scene, contender, dt)
        if isinstance(run, Run) and not run.stopped:
            found[dt] = run
            continue
        why = run.why if isinstance(run, Refused) else run.stopped
        if why not in told:
            failures.append(f"{scene.name}, {1000 * dt:g} ms, {contender.name}: {why}")
        told.add(why)
    return found


def simulated(scene: Scene, contender: Any, dt: float) -> Run | Refused:
    """One run."""
    case = Case(
        name=scene.name,
        shows="",
        world=scene.world,
        state=scene.state,
        controller=scene.controller,
        duration=scene.duration,
        dt=dt,
        dt_force_law=dt,
        mu=scene.mu,
        forces=scene.forces,
    )
    if isinstance(contender, EngineContender):
        return run_engine(case, contender.engine, contender.setting, dt)
    load = Load(Material(scene.mu, scene.mu), scene.mass, max(TIME_STEPS))
    return run_model(case, contender.name, model_for(contender, load))


def distances(scene: Scene, found: dict[str, dict[float, Run]]) -> list[dict[str, Any]]:
    """A row per time step: how far bodies are from where they are with the shortest step [mm]."""
    rows = []
    for dt in TIME_STEPS:
        values: dict[str, float | None] = {name: distance(runs, dt) for name, runs in found.items()}
        rows.append({"scene": scene.name, "dt [ms]": 1000 * dt, **brief(values)})
    return rows


def distance(runs: dict[float, Run], dt: float) -> float | None:
    """Mean over time of the distance of the body that is farthest off [mm]; inf if it failed."""
    if not runs:
        return None
    if dt not in runs or REFERENCE not in runs:
        return math.inf
    there, exactly = (places(runs[one], one) for one in (dt, REFERENCE))
    off = np.linalg.norm(there - exactly, axis=2).max(axis=1)
    return 1000 * float(off.mean())


def places(run: Run, dt: float) -> np.ndarray:
    """Where the free bodies of a run are, every longest step, (n, bodies, 3) [m]."""
    motion = run.steps
    assert motion is not None  # all of these runs are short
    tree = motion.world.tree
    first = tree.q_index[np.flatnonzero(tree.joint_type == FREE)]
    q = motion.q[:: round(max(TIME_STEPS) / dt)]
    return np.stack([q[:, k : k + 3] for k in first], axis=1)


def judged(scene: Scene, found: dict[str, dict[float, Run]]) -> list[dict[str, Any]]:
    """A row per criterion; those of exact models have a limit."""
    worst = {name: criteria_of(scene, runs[SHOWN]) for name, runs in found.items() if SHOWN in runs}
    weight, rows = scene.world.total_mass * float(np.linalg.norm(scene.world.gravity)) * SHOWN, []
    for name, unit in UNITS.items():
        limit = weight * LIMITS[name]
        values: dict[str, float | None] = {one: worst.get(one, {}).get(name) for one in found}
        exact = [value for one in EXACT if (value := values.get(one)) is not None]
        holds = all(value <= limit for value in exact) if exact else None
        row: dict[str, Any] = {"scene": scene.name, "criterion": f"{name} [{unit}]"}
        rows.append(row | {**brief({"target": limit}), "holds": holds, **brief(values)})
    return rows


def criteria_of(scene: Scene, run: Run) -> dict[str, float]:
    """Largest criteria at the contacts with the ground."""
    motion = run.steps
    assert motion is not None  # all of these runs are short
    if not run.engine:
        return motion.criteria().worst()
    if run.contacts is None:
        return {}
    return worst_criteria(scene.world, motion.q, run.contacts, scene.mu, run.dt)


def spent(found: dict[str, dict[float, Run]]) -> dict[str, float | None]:
    """Microseconds per step."""
    return {
        name: 1e6 * runs[SHOWN].seconds * SHOWN / runs[SHOWN].simulated if SHOWN in runs else None
        for name, runs in found.items()
    }


def draw(path: Path, rows: list[dict[str, Any]], names: list[str]) -> None:
    """Draw the distances against the time step, a panel per scene."""
    from stiction.bench.panels import panels

    scenes = dict.fromkeys(row["scene"] for row in rows)
    lines = {
        scene: {
            name: [(row["dt [ms]"], row[name]) for row in rows if row["scene"] == scene]
            for name in names
        }
        for scene in scenes
    }
    panels(path, lines, ("time step [ms]", {scene: "distance [mm]" for scene in scenes}))
