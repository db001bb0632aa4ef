"""The demonstration of `make demo`: a small humanoid walks under every contact model.

`hoap1` tracks one planned walk with the same servos and the same friction under all of them.
Compliant models have the stiffness with which the robot, on the four corners of one foot, sinks by
0.2 mm; `Bilateral` releases points that are pulled. Solvers take steps of 1 ms, laws shorter ones.
"""

from __future__ import annotations

import gc
import math
import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import stiction as st
from stiction.bench.parallel import Part, Progress
from stiction.bench.walk_measures import OFF, UPRIGHT, walk_measures
from stiction.compare import Case, Refused, Run, report, run_engine
from stiction.compare.runs import thinned
from stiction.contact.contact_model import (
    ACCELERATION_LAW,
    FORCE_LAW,
    IMPULSE_LAW,
    IMPULSE_SOLVER,
    MODELS,
    our_models,
)
from stiction.engines import engine_by_name
from stiction.errors import SimulationError
from stiction.files.written import make_folder
from stiction.patterns.pattern import Pattern

STEPS = 10
FAMILIES = (FORCE_LAW, ACCELERATION_LAW, IMPULSE_LAW, IMPULSE_SOLVER)  # fastest to compile first
DT = {FORCE_LAW: 2e-4, IMPULSE_LAW: 2e-4, ACCELERATION_LAW: 1e-3, IMPULSE_SOLVER: 1e-3}  # [s]
KEPT = 2e-3  # between two samples of a saved motion [s]
FEET = ("left_foot", "right_foot")
FRICTION = 0.6
MASS = 5.0  # of hoap1 [kg]
SINKS = 2e-4  # under its weight on the corners of one foot [m]
CORNERS = 4
STIFFNESS = MASS * 9.81 / CORNERS / SINKS  # [N/m]
DAMPING = 150.0  # stable for a foot at 0.2 ms; 0.27 of the robot's critical damping [N s/m]
SOFT = {"stiffness": STIFFNESS, "damping": DAMPING}
PARAMETERS: dict[str, dict[str, float]] = {
    "SpringDamper": SOFT,
    "ImplicitSpringDamper": SOFT,
    "HuntCrossley": {  # the same force at the same depth; 1 s/m is stable for a foot
        "stiffness": STIFFNESS * SINKS**-0.5,
        "damping": 1.0 * STIFFNESS * SINKS**-0.5,
    },
    "Distributed": SOFT
    | {"alpha": 1.0, "beta": 0.0}
    | {f"tangential_{name}": value for name, value in SOFT.items()},
    "Bilateral": {"release": 0.0},
}
SHOWN = "Coulomb"  # the model whose walk is drawn

SLIP = 0.01  # of a solver [mm a step]
DEPTH = 2.0  # Balanced stands 1.1 mm deep on its membrane [mm]
CALM = 0.01  # chatter of a solver [% of the weight]
EXPLAINED = 0.1  # [J]
REPEATS = 2  # runs that are timed, best taken
COMPILED, WALKED, TIMED, DRAWN = (
    0.8,
    0.87,
    0.92,
    0.95,
)  # fractions of the whole time, if nothing is cached
COLUMNS = [
    f"survived: at the end the base leans less than {UPRIGHT:g} degrees and is within "
    f"{1000 * OFF:g} mm of the plan",
    f"steps: number, counted from the first, that placed the foot within {1000 * OFF:g} mm of the "
    "plan",
    "lean, off: of the base at the end, from upright and from the plan",
    "slip: of the stance foot in single support, mean over the steps",
    "depth: largest of all points over the whole walk",
    "chatter: change of the upward force of the stance foot in single support, from one "
    "millisecond to the next, root mean square / weight",
    "ground: work of all contact forces on the robot",
    "error: change of energy minus the work of all forces, largest cumulative sum",
    "real time: simulated time / computing time",
]


def demo(
    folder: Path,
    progress: Progress = lambda fraction, doing: None,
    kinds: Sequence[Any] | None = None,
    steps: int = STEPS,
) -> dict[str, Any]:
    """Walk, save motion_MODEL.h5, motions.png and comparison.html; returns the measurements."""
    kinds = by_family() if kinds is None else kinds
    make_folder(folder)
    begun = time.perf_counter()
    pattern, rows = walked_in_parallel(folder, kinds, steps, progress)
    walked = time.perf_counter()
    for k, (kind, row) in enumerate(zip(kinds, rows, strict=True)):
        progress(WALKED + (TIMED - WALKED) * k / len(kinds), f"timing {kind.__name__}")
        row |= timed(kind, pattern) if row["survived"] else {}
    ready = time.perf_counter()
    progress(TIMED, "drawing")
    files = [motion_file(folder, kind) for kind in kinds]
    files.append(folder / "motions.png")
    draw(files[-1], kinds, folder, pattern)
    drawn = time.perf_counter()
    progress(DRAWN, "walking in MuJoCo, writing the page")
    files += compared(folder, kinds, pattern, rows)
    told = claims(rows)
    progress(1.0, "")
    return {
        "robot": f"{pattern.robot.name}, {pattern.body.mass:g} kg, walks {steps} steps in "
        f"{pattern.duration:.3g} s; friction {FRICTION}",
        "models": rows,
        "columns": COLUMNS,
        "fell": [fate(row) for row in rows if not row["survived"]],
        "claims": told,
        "files": [str(path) for path in files],
        "seconds": {
            "plan, compile, walk": digits(walked - begun),
            "time": digits(ready - walked),
            "draw": digits(drawn - ready),
            "compare": digits(time.perf_counter() - drawn),
        },
        "holds": all(claim["holds"] for claim in told),
    }


def by_family() -> list[Any]:
    """All built-in contact models, family by family."""
    return sorted(
        our_models(), key=lambda kind: (FAMILIES.index(MODELS[kind].family), kind.__name__)
    )


def motion_file(folder: Path, kind: Any) -> Path:
    """Path of the saved motion under a model."""
    return folder / f"motion_{kind.__name__}.h5"


# -------------------------------------------------------------------------------------------- scene


def plan(steps: int) -> Pattern:
    """The walk that is tracked."""
    pattern = st.patterns.walk(st.robots.hoap1(), steps=steps)
    pattern.tracking()  # computes the torques, which are pickled with it
    return pattern


def ground(kind: Any) -> Any:
    """A contact model with the parameters of the demonstration."""
    values = {"mu_static": FRICTION, "mu_kinetic": FRICTION} | PARAMETERS.get(kind.__name__, {})
    return kind(**{name: value for name, value in values.items() if name in kind._fields})


def simulated(kind: Any, pattern: Pattern, every: int = 1, duration: float | None = None) -> Any:
    """The walk under a contact model, with one sample recorded every `every` steps."""
    return st.simulate(
        st.World(pattern.robot),
        ground(kind),
        duration=pattern.duration if duration is None else duration,
        dt=DT[MODELS[kind].family],
        state=pattern.state,
        controller=pattern.tracking(),
        record=st.Recording(every),
    )


def walk(kind: Any, pattern: Pattern, path: Path) -> dict[str, Any]:
    """Simulate and save the walk under a model; returns its row of the report."""
    told = {"model": kind.__name__, "dt [ms]": 1000 * DT[MODELS[kind].family]}
    every, stopped = kept_every(kind), {}
    try:
        motion = simulated(kind, pattern)
    except SimulationError as error:
        if error.motion is None or len(error.motion) <= every:
            raise
        motion, stopped = error.motion, {"stopped": str(error)}
    thinned(motion, every).save(path)
    found = walk_measures(motion, pattern, FEET)
    rounded = {
        name: digits(value) if isinstance(value, float) else value for name, value in found.items()
    }
    return told | rounded | {"us/step": None, "real time": None} | stopped


def timed(kind: Any, pattern: Pattern) -> dict[str, float]:
    """Computing time per step: best of several runs, without the setup of a run."""
    simulated(kind, pattern, duration=0.0)
    setup = best = math.inf
    for _ in range(REPEATS):
        begun = time.perf_counter()
        simulated(kind, pattern, duration=0.0)
        ready = time.perf_counter()
        simulated(kind, pattern, kept_every(kind))
        setup = min(setup, ready - begun)
        best = min(best, time.perf_counter() - ready)
    seconds = max(best - setup, 0.5 * best)
    steps = pattern.duration / DT[MODELS[kind].family]
    return {
        "us/step": digits(1e6 * seconds / steps),
        "real time": digits(pattern.duration / seconds),
    }


def kept_every(kind: Any) -> int:
    """Number of steps between two samples of a saved motion."""
    return round(KEPT / DT[MODELS[kind].family])


def digits(value: float, count: int = 3) -> float:
    """Return a number rounded to `count` significant digits."""
    return float(f"{value:.{count}g}")


# ---------------------------------------------------------------------------------------- processes


def walked_in_parallel(
    folder: Path, kinds: Sequence[Any], steps: int, progress: Progress
) -> tuple[Pattern, list[dict[str, Any]]]:
    """Plan, compile and walk in one process per core; returns the plan and a row for each model.

    A process that compiles a second loop has already compiled most of its parts.
    """
    count = max(1, min(os.cpu_count() or 1, len(kinds)))
    # garbage collection takes a tenth of the compile time and frees almost nothing
    with ProcessPoolExecutor(count, get_context("spawn"), initializer=gc.disable) as pool:
        try:
            planned = pool.submit(plan, steps)
            # solvers take longest and go first
            ready = {kind.__name__: pool.submit(compiled, kind) for kind in kinds[::-1]}
            part = Part(progress, 0.0, COMPILED, count)
            part.wait({"the walk": planned} | ready, "planning and compiling")
            pattern = planned.result()
            walks = {
                kind.__name__: pool.submit(walk, kind, pattern, motion_file(folder, kind))
                for kind in kinds
            }
            Part(progress, COMPILED, WALKED, count).wait(walks, "walking under")
            return pattern, [one.result() for one in walks.values()]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def compiled(kind: Any) -> None:
    """Fill the cache with the loop of a model, using a robot that is quick to build."""
    world = st.World(st.robots.biped10())
    hold = st.Reference([0.0, 1.0], [world.home().q] * 2)
    tracking = st.PDTracking(hold, stiffness=1.0, damping=0.0)
    dt = DT[MODELS[kind].family]
    st.simulate(world, ground(kind), duration=dt, dt=dt, controller=tracking)


# ------------------------------------------------------------------------------------------ picture


def draw(path: Path, kinds: Sequence[Any], folder: Path, pattern: Pattern) -> None:
    """Draw the saved motions."""
    from stiction.plot import compare_walks

    motions = {kind.__name__: st.Motion.load(motion_file(folder, kind)) for kind in kinds}
    shown = SHOWN if SHOWN in motions else next(iter(motions))
    compare_walks(motions, pattern.reference, shown).savefig(path, dpi=100)


def compared(
    folder: Path, kinds: Sequence[Any], pattern: Pattern, rows: list[dict[str, Any]]
) -> list[Path]:
    """Write a page with all walks, and that of MuJoCo; returns what was added to the folder."""
    case = Case(
        name="demo",
        shows=f"{pattern.robot.name} tracks one planned walk",
        world=st.World(pattern.robot),
        state=pattern.state,
        controller=pattern.tracking(),
        duration=pattern.duration,
        dt=DT[IMPULSE_SOLVER],
        dt_force_law=DT[FORCE_LAW],
        mu=FRICTION,
    )
    runs = [saved_walk(kind, folder, row) for kind, row in zip(kinds, rows, strict=True)]
    theirs = run_engine(case, engine_by_name("mujoco"), "elliptic")
    refused = [theirs] if isinstance(theirs, Refused) else []
    runs += [theirs] if isinstance(theirs, Run) else []
    known = {row["model"]: {"energy [J]": row["error [J]"]} for row in rows}
    told = report(case, runs, refused, folder, known=known)["files"]
    own = {str(motion_file(folder, kind)) for kind in kinds}
    return [Path(path) for path in told if path not in own]


def saved_walk(kind: Any, folder: Path, row: dict[str, Any]) -> Run:
    """A saved walk as a run of a comparison."""
    motion = st.Motion.load(motion_file(folder, kind))
    speed = row["real time"] or math.nan
    return Run(
        name=kind.__name__,
        motion=motion,
        force=motion.total_force(),
        depth=motion.deepest(),
        dt=DT[MODELS[kind].family],
        seconds=float(motion.time[-1]) / speed,
        simulated=float(motion.time[-1] - motion.time[0]),
        told=dict(motion.parameters["contact"]),
        stopped=str(row.get("stopped", "")),
    )


# ------------------------------------------------------------------------------------------- claims


def claims(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the demonstration claims, and whether it holds."""
    solvers = [row for row in rows if MODELS[getattr(st, row["model"])].family == IMPULSE_SOLVER]
    told = {
        "the robot walks to the end under every model": all(row["survived"] for row in rows),
        f"under solvers, the stance foot slips at most {SLIP:g} mm per step": all(
            row["slip [mm]"] <= SLIP for row in solvers
        ),
        f"no point sinks deeper than {DEPTH:g} mm": all(row["depth [mm]"] <= DEPTH for row in rows),
        f"under solvers, forces chatter by at most {CALM:g} % of the weight": all(
            row["chatter [%]"] <= CALM for row in solvers
        ),
        f"the energy balance closes to within {EXPLAINED:g} J": all(
            row["error [J]"] <= EXPLAINED for row in rows
        ),
        "contact takes energy from the robot": all(row["ground [J]"] < 0 for row in rows),
        "every model is faster than real time": all((row["real time"] or 0) > 1 for row in rows),
    }
    return [{"claim": claim, "holds": holds} for claim, holds in told.items()]


def fate(row: dict[str, Any]) -> str:
    """What happened to a robot that did not complete the walk."""
    ends = f"leans {row['lean [deg]']:g} degrees, {row['off [mm]']:g} mm off the plan"
    return f"{row['model']} walked {row['steps']} steps: {row.get('stopped', ends)}"
