"""`simulate` a world for a given time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from stiction.contact.contact_model import NoContact
from stiction.errors import InputError, Interrupted
from stiction.kernels.forward_dynamics import ArticulatedBody, JointSpace
from stiction.kernels.tree import OK
from stiction.motion.motion import Motion
from stiction.simulation.arguments import (
    ARTICULATED,
    AUTOMATIC,
    MIDPOINT,
    Controller,
    steps_in,
)
from stiction.simulation.chunks import chunks
from stiction.simulation.recording import (
    Recorder,
    Recording,
    checked_recording,
    recorder_of,
)
from stiction.simulation.simulation import Simulation
from stiction.simulation.warn import warn_of_depth
from stiction.terminal.line import Progress
from stiction.terminal.line import shown as shown_progress
from stiction.world.external import Push, TabulatedForce
from stiction.world.world import State, World

EVERY_STEP = Recording()


def simulate(  # twelve arguments, and long: keywords that users know, all but two with a default
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
    no contact. progress is called about ten times a second with the fraction done; by default a
    line on the terminal shows it, unless STICTION_PROGRESS=0. A run that fails raises a
    SimulationError whose `motion` holds what was recorded until then; Ctrl-C raises `Interrupted`,
    a KeyboardInterrupt, with the same. Unsolved steps give one `UnsolvedWarning`; `motion.unsolved`
    counts them, recorded or not.

    checked: run without the compiler, thousands of times slower, and raise a BoundsError with the
    line where a plug-in of yours uses a wrong index.
    """
    simulation = Simulation(world, contact, dt, state, controller, forces, integrator, method)
    if simulation._python:
        raise InputError(
            "controller: a PythonController acts in a Simulation; make one with record=True, "
            "run(duration), and take its motion"
        )
    simulation.checked = bool(checked)
    steps, rows = _steps_and_rows(simulation, duration, record)
    parameters = simulation.parameters()
    parameters |= {"duration": float(duration), "record every": record.every}
    begin, interrupted, status = simulation.state, False, OK
    recorder = recorder_of(simulation, record, rows, parameters)
    model = simulation.contact
    name = "without contact" if isinstance(model, NoContact) else type(model).__name__
    try:
        with shown_progress(f"simulating {name}", progress, patience=None) as tell:
            status = _run_in_chunks(simulation, recorder, steps, tell)
    except KeyboardInterrupt:
        interrupted = True
    recorder.keep()
    # a run that fails warns, too
    parameters["notes"] += warn_of_depth(simulation, recorder.deepest[np.newaxis], stacklevel=2)
    parameters["notes"] += simulation.warn_once(stacklevel=2)
    if interrupted:
        raise _interruption(simulation, recorder, begin) from None
    if status != OK:
        so_far = recorder.motion()
        before = [so_far.state(k) for k in range(max(0, len(so_far) - 3), len(so_far))]
        raise simulation.failure(status, before, so_far)
    if steps % record.every == 0:
        recorder.add_last(simulation.state.q, simulation.state.v)
    return recorder.motion()


def _interruption(simulation: Simulation, recorder: Recorder, begin: State) -> Interrupted:
    """Return the exception that Ctrl-C raises, with the motion so far."""
    if recorder.recorded == 0:
        recorder.add_first(begin.q, begin.v)
    message = f"interrupted at t = {simulation.time:.6g} s, after {simulation._steps} steps"
    return Interrupted(message, recorder.motion())


def _steps_and_rows(simulation: Simulation, duration: float, record: Recording) -> tuple[int, int]:
    """Return how many steps to take and how many to record, after checking both arguments."""
    steps = steps_in(duration, simulation.dt)
    every = checked_recording(record).every
    return steps, steps // every + 1


def _run_in_chunks(
    simulation: Simulation, recorder: Recorder, steps: int, progress: Progress
) -> int:
    """Take the steps in chunks, after each of which Python answers Ctrl-C; returns a status."""
    done = 0
    for chunk in chunks(steps):
        left = chunk
        while left > 0:
            count = min(left, recorder.room)
            status = simulation.advance(recorder.record, recorder.every, count, recorder.first)
            if status != OK:
                return status
            left -= count
        done += chunk
        recorder.tick()
        progress(done / steps)
    return OK
