"""`simulate` a world for a given time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from stiction.description.arguments import shown
from stiction.errors import InputError, Interrupted
from stiction.kernels.forward_dynamics import ArticulatedBody, JointSpace
from stiction.kernels.tree import OK
from stiction.motion.motion import Motion
from stiction.simulation.arguments import (
    ARTICULATED,
    AUTOMATIC,
    MIDPOINT,
    MOST_STEPS,
    Controller,
    is_count,
    is_real,
)
from stiction.simulation.chunks import chunks
from stiction.simulation.simulation import Simulation
from stiction.simulation.warn import warn_of_depth
from stiction.step.record import Record
from stiction.world.external import Push, TabulatedForce
from stiction.world.world import State, World

LONGEST_RECORD = 16e9  # [bytes]

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Recording:
    """What a run records: one of every `every` steps."""

    every: int = 1


EVERY_STEP = Recording()


def simulate(  # twelve arguments: the keywords that users know, all but two with a default
    world: World,
    contact: Any = AUTOMATIC,
    *,
    duration: float,
    dt: float = 0.001,
    state: State | None = None,
    controller: Controller = None,
    forces: Iterable[Push | TabulatedForce] = (),
    integrator: Any = MIDPOINT,
    record: Recording = EVERY_STEP,
    method: ArticulatedBody | JointSpace = ARTICULATED,
    progress: Progress | None = None,
    checked: bool = False,
) -> Motion:
    """Simulate for at least `duration` [s], in whole steps; returns what was recorded.

    contact: the contact model; by default `Coulomb()` if a shape can touch the ground. None means
    no contact. progress is called about ten times a second with the fraction done. A run that fails
    raises a SimulationError whose `motion` holds what was recorded until then; Ctrl-C raises
    `Interrupted`, a KeyboardInterrupt, with the same. Unsolved steps give one `UnsolvedWarning`;
    `motion.unsolved` counts them, recorded or not.

    checked: run without the compiler, thousands of times slower, and raise a BoundsError with the
    line where a plug-in of yours uses a wrong index.
    """
    simulation = Simulation(world, contact, dt, state, controller, forces, integrator, method)
    simulation.checked = bool(checked)
    steps, rows = _steps_and_rows(simulation, duration, record)
    arrays = simulation.allocate_record(rows)
    started = simulation.time
    parameters = simulation.parameters()
    parameters |= {"duration": float(duration), "record every": record.every}

    def motion(kept: int) -> Motion:
        time = started + np.arange(kept) * (record.every * simulation.dt)
        recorded = {name: array[:kept] for name, array in arrays._asdict().items()}
        counted = {"unsolved": asdict(simulation.unsolved)}
        return Motion(world, time, **recorded, parameters=parameters | counted)

    try:
        _run_in_chunks(simulation, arrays, record.every, steps, motion, progress)
    finally:  # a run that fails warns, too
        parameters["notes"] += warn_of_depth(simulation, arrays.depth, stacklevel=2)
        parameters["notes"] += simulation.warn_once(stacklevel=2)
    if steps % record.every == 0:
        arrays.q[-1], arrays.v[-1] = simulation.state.q, simulation.state.v
        for name, array in arrays._asdict().items():
            if name not in ("q", "v"):
                array[-1] = np.nan
    return motion(rows)


def _steps_and_rows(simulation: Simulation, duration: float, record: Recording) -> tuple[int, int]:
    """Return how many steps to take and how many to record, after checking both arguments."""
    if not (is_real(duration) and 0 <= duration < MOST_STEPS * simulation.dt):
        raise InputError(
            f"duration: found {shown(duration)}; give a finite, non-negative time in s"
        )
    if not (isinstance(record, Recording) and is_count(record.every)):
        raise InputError(f"record: found {record!r}; give Recording(every=n) with n >= 1")
    steps = math.ceil(duration / simulation.dt * (1 - 1e-12))
    rows = steps // record.every + 1
    world, contact_points = simulation.world, len(simulation.point_names)
    if rows * (world.nq + 3 * world.nv + 10 * contact_points + 3) * 8 > LONGEST_RECORD:
        raise InputError(
            f"recording {rows:.3g} time steps would take more than {LONGEST_RECORD / 1e9:.0f} GB; "
            "record fewer with Recording(every=n)"
        )
    return steps, rows


def _run_in_chunks(
    simulation: Simulation,
    arrays: Record,
    every: int,
    steps: int,
    motion: Callable[[int], Motion],
    progress: Progress | None,
) -> None:
    """Take the steps in chunks, after each of which Python answers Ctrl-C."""
    done, begin = 0, simulation.state
    try:
        for count in chunks(steps):
            status = simulation.advance(arrays, every, count)
            if status != OK:
                kept = (simulation._steps - 1) // every + 1
                so_far = motion(kept)
                before = [so_far.state(k) for k in range(max(0, kept - 3), kept)]
                raise simulation.failure(status, before, so_far)
            done += count
            if progress is not None:
                progress(done / steps)
    except KeyboardInterrupt:
        arrays.q[0], arrays.v[0] = begin.q, begin.v  # before the first step nothing is recorded
        kept = max(1, (simulation._steps - 1) // every + 1)
        message = f"interrupted at t = {simulation.time:.6g} s, after {simulation._steps} steps"
        raise Interrupted(message, motion(kept)) from None
