"""Microseconds per step of the Unitree G1 on the ground, Stiction and MuJoCo interleaved.

Both sides do the same work: one MJCF file with small spheres under the soles, dt 1 ms, the same
servos that hold the home configuration, the same friction, joint friction and limits on, float64,
one core. Stiction runs the public `simulate` with its defaults and records everything at every
step. MuJoCo takes its steps in one call of `mj_step` without recording, with the Newton solver,
elliptic cones and its default number of iterations; the five of the file are not always enough. The
setup time of a run is measured by runs of one step and subtracted, as MuJoCo's data are also
allocated beforehand. `cases.py` describes how the robot stands, lands and is driven.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.bench.contact.cases import (
    DRIVE,
    DT,
    FRICTION,
    HELD,
    LANDING,
    SERVO,
    SETTLING,
    STAND,
    TORQUE,
    Case,
    make_cases,
)
from stiction.bench.contact.contenders import Contender, MuJoCo, Ours, controllers, happened
from stiction.bench.contact.models import FORCE_LAWS, contact_models
from stiction.bench.data import G1, MENAGERIE, data_file
from stiction.bench.told import mujoco_told, parameters_told


class Limit(NamedTuple):
    """Limits on a model's time per step in a case, as fractions of MuJoCo's."""

    must: float
    goal: float | None = None


LIMITS = {
    ("stand 8", "Coulomb"): Limit(0.25, 0.15),
    ("stand 16", "Coulomb"): Limit(0.25, 0.15),
    ("stand 64", "Coulomb"): Limit(0.25, 0.15),
    ("land 8", "Coulomb"): Limit(0.6, 0.25),
    ("land 64", "Coulomb"): Limit(0.6, 0.25),
    ("drive 8", "Coulomb"): Limit(0.25, 0.15),
    ("stand 8", "GaussSeidel"): Limit(0.45),
    ("stand 16", "GaussSeidel"): Limit(0.4),
    ("stand 64", "GaussSeidel"): Limit(0.25),
    **{
        (f"stand {points}", model): Limit(0.6)
        for points in STAND
        for model in ("Balanced", "Multipoint")
    },
    # No limit for force laws that land: 1 ms exceeds their stable step, as the notes say.
    **{
        (f"{case} {count}", law): Limit(0.3, 0.08)
        for case, counts in (("stand", STAND), ("drive", DRIVE))
        for count in counts
        for law in FORCE_LAWS
    },
}


def bench(
    robot_path: Path | None = None,
    repeats: int = 10,
    steps: int = 5000,
    progress: Callable[[float], None] | None = None,
    profile: bool = False,
) -> dict[str, Any]:
    """Best time per step of each model over interleaved repeats, ratios, and what happened.

    The robot is the Unitree G1 by default. A landing takes its own number of steps. profile: also
    time the parts of a step.
    """
    with tempfile.TemporaryDirectory() as folder:
        cases = list(make_cases(robot_path or data_file(G1, MENAGERIE), Path(folder), steps))
    rows, parts, failures, notes = [], [], [], []
    for k, case in enumerate(cases):
        ours = [Ours(case, model) for model in contact_models(case.points)]
        mujocos = MuJoCo(case)
        contenders: list[Contender] = [*ours, mujocos]
        rounds = repeats * max(1, steps // case.steps)  # short runs get as many steps in total
        for round_ in range(rounds):
            for contender in contenders:
                contender.race()
            if progress is not None:
                progress((k + (round_ + 1) / rounds) / len(cases))
        rows += report(case, contenders, mujocos.seconds())
        failures += [f"{case.name}, {one.name}: {one.failure}" for one in ours if one.failure]
        notes += [f"{case.name}: {note}" for one in ours for note in one.notes]
        if profile and case.stands:
            parts += profiles(case, ours)
    return {
        **conditions(cases, repeats, steps),
        **({"microseconds of the parts of a step": parts} if profile else {}),
        "notes": notes,
        "failures": failures,
        "runs": rows,
        "holds": all(holds(row) for row in rows),
    }


# ------------------------------------------------------------------------------------------- report


def report(case: Case, contenders: list[Contender], reference: float) -> list[dict[str, Any]]:
    """One row per model of a case; reference: MuJoCo's time of all steps [s]."""
    nothing = dict.fromkeys(happened(case, np.zeros(1), np.zeros(2)))
    rows = []
    for contender in contenders:
        ran = contender.failure is None
        found = contender.found() if ran else nothing
        ratio = contender.seconds() / reference
        limit = LIMITS.get((case.name, contender.name))
        fine = ran and found["stands"] is not False and limit is not None and ratio <= limit.must
        row = {
            "case": case.name,
            "model": contender.name,
            "us a step": round(contender.seconds() / case.steps * 1e6, 3) if ran else None,
            "ratio": round(ratio, 3) if ran else None,
            "must": limit.must if limit else None,
            "goal": limit.goal if limit else None,
            "holds": fine if limit else None,
        }
        rows.append({**row, **found})
    return rows


def holds(row: dict[str, Any]) -> bool:
    """Whether a row meets its requirements; whether MuJoCo stands is checked in its own row."""
    return row["holds"] is not False and not (row["model"] == "mujoco" and row["stands"] is False)


def profiles(case: Case, ours: list[Ours]) -> list[dict[str, Any]]:
    """Times of the parts of a step for each of our models that ran."""
    from stiction.bench.profile import profile_step

    return [
        {"case": case.name, "model": one.name}
        | profile_step(st.Simulation(case.world, one.contact, DT, one.state, controllers(case)))
        for one in ours
        if one.failure is None
    ]


def conditions(cases: list[Case], repeats: int, steps: int) -> dict[str, Any]:
    """Conditions of the measurement, as plain values."""
    import mujoco

    return {
        "robot": cases[0].world.robots[0].name,
        "mujoco": mujoco.__version__,
        "mujoco options": mujoco_told(cases[0].model),
        "friction": FRICTION,
        "servos of a robot that stands [N m/rad, N m s/rad]": list(SERVO),
        "settling before standing is timed [s]": SETTLING * DT,
        "random torques of the driven joints [N m], held for [s]": [TORQUE, HELD * DT],
        "steps": {"stand": steps, "land": LANDING, "drive": steps},
        "repeats, best taken": repeats,
        "parameters": [
            {
                "points": case.points,
                "model": type(model).__name__,
                "values": parameters_told(model),
            }
            for case in cases
            if case.stands
            for model in contact_models(case.points)
        ],
    }
