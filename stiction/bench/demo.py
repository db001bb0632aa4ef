"""The demonstration of `make demo`: the test robot, dropped and pushed, under every contact model.

`biped10` is held in its home pose by stiff servos. It falls 3 cm, comes to rest on both feet, is
pushed at the trunk, so that it rocks on the edges of its soles, and must stand in the end. All
models have the same friction and their default parameters; force laws need the shorter step.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stiction as st
from stiction.contact.contact_model import (
    ACCELERATION_LAW,
    CONE_PER_POINT,
    FORCE_LAW,
    IMPULSE_LAW,
    IMPULSE_SOLVER,
    MODELS,
    NoContact,
)
from stiction.plot import base_positions, compare, lean

Progress = Callable[[float, str], None]

DURATION = 2.5  # [s]
DT = {FORCE_LAW: 1e-4, ACCELERATION_LAW: 1e-3, IMPULSE_LAW: 1e-3, IMPULSE_SOLVER: 1e-3}  # [s]
KEPT = 1e-3  # between two moments of a saved motion [s]
FRICTION = 0.6
DROP = 0.03  # [m]
STIFFNESS, DAMPING = 200.0, 5.0  # of every joint [N m/rad, N m s/rad]
FORCE = (16.0, 8.0, 0.0)  # of the push [N]
PUSH = st.Push("trunk", (0.0, 0.0, 0.2), FORCE, start=1.0, stop=1.1)
QUIET = (0.7, 1.0)  # when the robot stands still [s]
FEET = ("left_foot", "right_foot")

STANDING, UPRIGHT = 0.95, 5.0  # of the height before the push; [degrees]
WEIGHT_ERROR = {  # relative
    FORCE_LAW: 1e-2,
    ACCELERATION_LAW: 1e-2,
    IMPULSE_LAW: 1e-2,
    IMPULSE_SOLVER: 1e-6,
}
CONE_ERROR = 1e-9  # in weights
LAW_ERROR = 0.1  # of a solver: velocity into the ground, or against friction [mm/s]
REPEATS = 3  # runs that are timed, best taken
COMPILING = 0.8  # part of the whole time, where nothing is compiled yet


def demo(folder: Path, progress: Progress = lambda fraction, doing: None) -> dict[str, Any]:
    """Simulate, save motion_MODEL.h5 and motions.png in the folder; returns what was measured."""
    compile_in_parallel(progress)
    folder.mkdir(parents=True, exist_ok=True)
    motions, rows, files = {}, [], []
    kinds = our_models()
    for k, kind in enumerate(kinds):
        progress(COMPILING + (1 - COMPILING) * k / (len(kinds) + 1), kind.__name__)
        motion, seconds = timed(kind)
        files.append(folder / f"motion_{kind.__name__}.h5")
        simulated(kind, every=round(KEPT / motion.parameters["dt"])).save(files[-1])
        motions[kind.__name__] = motion
        rows.append(measured(motion, seconds))
    progress(1 - (1 - COMPILING) / (len(kinds) + 1), "drawing")
    files.append(folder / "motions.png")
    compare(motions, pushed=(PUSH.start, PUSH.stop)).savefig(files[-1], dpi=110)
    told = claims(rows)
    progress(1.0, "")
    return {
        "robot": f"biped10, dropped from {100 * DROP:g} cm, pushed with {FORCE} N "
        f"from {PUSH.start} to {PUSH.stop} s; friction {FRICTION}",
        "models": rows,
        "claims": told,
        "files": [str(path) for path in files],
        "holds": all(claim["holds"] for claim in told),
    }


# -------------------------------------------------------------------------------------------- scene


def our_models() -> list[Any]:
    """All contact models of ours, force laws first."""
    kinds = [
        kind for kind in MODELS if kind is not NoContact and kind.__module__.startswith("stiction.")
    ]
    return sorted(kinds, key=lambda kind: (MODELS[kind].family, kind.__name__))


def simulated(kind: Any, duration: float = DURATION, every: int = 1) -> st.Motion:
    """The robot's motion under a contact model, one moment out of every so many steps."""
    world = st.World(st.robots.biped10())
    hold = st.Reference([0.0, 1.0], [world.home().q] * 2)
    values = {"mu_static": FRICTION, "mu_kinetic": FRICTION}
    return st.simulate(
        world,
        kind(**{name: value for name, value in values.items() if name in kind._fields}),
        duration=duration,
        dt=DT[MODELS[kind].family],
        state=world.standing(above=DROP),
        controller=st.PDTracking(hold, STIFFNESS, DAMPING),
        forces=[PUSH],
        record=st.Recording(every),
    )


def timed(kind: Any) -> tuple[st.Motion, float]:
    """The robot's motion, and how long the computer took for its steps, best of some [s]."""
    simulated(kind, 0.0)
    setup = best = math.inf
    for _ in range(REPEATS):
        begun = time.perf_counter()
        simulated(kind, 0.0)
        ready = time.perf_counter()
        motion = simulated(kind)
        setup = min(setup, ready - begun)
        best = min(best, time.perf_counter() - ready)
    return motion, max(best - setup, 0.5 * best)


def compile_in_parallel(progress: Progress) -> None:
    """Fill the cache with the loops of all models, one process for each core.

    Where that fails, the loops are compiled when they are needed, and what is wrong comes up.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return
    waiting = our_models()[::-1]  # solvers take longest and begin
    total = len(waiting)
    running: dict[str, subprocess.Popen] = {}
    try:
        while waiting or running:
            while waiting and len(running) < (os.cpu_count() or 1):
                name = waiting.pop(0).__name__
                code = f"from stiction.bench.demo import *; simulated(st.{name}, DT[FORCE_LAW])"
                running[name] = subprocess.Popen(
                    [sys.executable, "-c", code],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            done = total - len(waiting) - len(running)
            progress(COMPILING * done / total, f"compiling {' and '.join(running)}")
            time.sleep(0.05)
            running = {name: one for name, one in running.items() if one.poll() is None}
    finally:
        for one in running.values():
            one.terminate()


# ----------------------------------------------------------------------------------------- measures


def measured(motion: st.Motion, seconds: float) -> dict[str, Any]:
    """What is told of a model."""
    name = motion.parameters["contact"]["model"]
    weight = motion.world.total_mass * 9.81
    still = (motion.time >= QUIET[0]) & (motion.time < QUIET[1])
    height, angle = base_positions(motion)[:, 2], lean(motion)
    stands = bool(height[-1] > STANDING * height[still].mean() and angle[-1] < UPRIGHT)
    carried = np.stack([motion.foot_force(foot)[:-1, 2] / weight for foot in FEET])
    spread = np.concatenate([motion.force_spread(foot)[still] for foot in FEET])
    remainder = motion.energy_balance([PUSH]).cumulative().remainder
    solver = motion.solver_summary()
    solved = MODELS[getattr(st, name)].family in (IMPULSE_LAW, IMPULSE_SOLVER)
    steps = len(motion) - 1
    return {
        "model": name,
        "dt [ms]": 1000 * motion.parameters["dt"],
        "stands at the end": stands,
        "base height at the end [m]": digits(height[-1]),
        "lean: largest, at the end [degrees]": [digits(angle.max(), 2), digits(angle[-1], 2)],
        "largest depth [mm]": digits(1000 * motion.depth[:-1].max()),
        "slip of standing feet, mean [mm/s]": digits(1000 * slip(motion, still), 2),
        "largest force of a foot / weight": digits(carried.max()),
        "standing: force / weight - 1": digits(carried[:, still[:-1]].sum(axis=0).mean() - 1, 2),
        "spread of forces under a standing foot": digits(spread.mean(), 2),
        "force outside the friction cone / weight": digits(cone_error(motion) / weight, 2),
        "error of the laws of contact, largest [mm/s]": digits(1000 * law_error(motion), 2),
        "energy not explained, largest [J]": digits(np.abs(remainder).max(), 2),
        "iterations: mean, largest": [digits(solver.iterations_mean, 2), solver.iterations_max]
        if solved
        else None,
        "steps not solved": solver.failures if solved else None,
        "microseconds a step": digits(1e6 * seconds / steps),
        "times faster than real time": digits(DURATION / seconds),
    }


def digits(value: float, count: int = 3) -> float:
    """Return a number rounded to so many digits."""
    return float(f"{value:.{count}g}")


def slip(motion: st.Motion, when: np.ndarray) -> float:
    """Mean speed along the ground of the loaded points [m/s]."""
    loaded = motion.force[when, :, 2] > 0
    return float(np.linalg.norm(motion.slip[when], axis=2)[loaded].mean())


def cone_error(motion: st.Motion) -> float:
    """Largest distance of a contact force to the friction cone [N]."""
    return float(np.nanmax(motion.cone_violation(mu=FRICTION)))


def law_error(motion: st.Motion) -> float:
    """Largest distance of a velocity to what Signorini and Coulomb allow [m/s], Le Lidec et al."""
    return motion.criteria(mu=FRICTION).worst()["dual"]


def claims(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the demonstration claims, and whether it holds."""

    def of(row: dict[str, Any]) -> Any:
        return MODELS[getattr(st, row["model"])]

    off, outside = "standing: force / weight - 1", "force outside the friction cone / weight"
    conic = [row for row in rows if CONE_PER_POINT in of(row).promises]
    exact = [row for row in conic if of(row).family == IMPULSE_SOLVER]
    told = {
        "the robot stands after the push": [row["stands at the end"] for row in rows],
        "standing feet carry the weight": [
            abs(row[off]) <= WEIGHT_ERROR[of(row).family] for row in rows
        ],
        "forces stay in the friction cone, where promised": [
            row[outside] <= CONE_ERROR for row in conic
        ],
        f"solvers of friction obey the laws of contact to {LAW_ERROR} mm/s": [
            row["error of the laws of contact, largest [mm/s]"] <= LAW_ERROR for row in exact
        ],
        "Coulomb solves every step": [
            row["steps not solved"] == 0 for row in exact if row["model"] == "Coulomb"
        ],
    }
    return [{"claim": claim, "holds": all(found)} for claim, found in told.items()]
