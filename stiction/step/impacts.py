"""The parts of a step with impacts: to the first impact, the impact itself, and the rest.

Restitution needs the time of impact: a ball that bounces in the middle of a step is above the
ground again at its end. A ball that comes to rest has more and more impacts; after MOST of them,
the rest of the step is taken as a whole.
"""

from typing import NamedTuple

from stiction.collision.bodies import begin_bodies
from stiction.compiler.compiled import as_python, chooses, kernel
from stiction.contact.contact_model import IMPULSE_SOLVER, MODELS
from stiction.contact.families.family import solves
from stiction.contact.surface import APPROACH, IMPACT, WHOLE, forget_impacts
from stiction.control.memory import commit_trials
from stiction.kernels.servos import clear_saturations
from stiction.kernels.vectors import like
from stiction.step.drift import remove_drift
from stiction.step.flight import NoFlight, begin_correction, end_correction, join_touching
from stiction.step.record import add_part
from stiction.step.sliding import finish_slides

MOST = 8  # impacts in one step
MOMENT = 1e-6  # duration of an impact in steps: only impulses matter in so short a time
SHORT = 0.1  # of a step: in a shorter part, accelerations are those of impulses, and do not last
DONE = -1  # phase after the last part


class Part(NamedTuple):
    """A part of a step."""

    phase: int  # WHOLE, APPROACH, IMPACT or DONE
    time: float  # of its start [s]
    dt: float  # duration [s]
    left: float  # time to the end of the step, from its start [s]
    impacts: int  # so far in the step


@kernel
def whole_step(system, time, dt):
    """Return the step as one part; its impacts are not known yet."""
    begin_bodies(system.surface.bodies)
    if solves(system.model):
        forget_impacts(system.surface, system.dynamics, dt)
    return Part(WHOLE, time, dt, dt, 0)


@kernel
def begin_part(system, state, work, part):
    """Start a part: nothing is solved or recorded yet."""
    impact = system.surface.impact
    impact.phase[0], impact.solved[0] = part.phase, 0
    work.share[0] = -1
    clear_saturations(system.dynamics)
    if part.phase == WHOLE and part.impacts > 0:
        begin_bodies(system.surface.bodies)  # what was hit may now reach others
    if solves(system.model) and part.phase == WHOLE:
        keep_beginning(system, state, work)


@kernel
def is_interrupted(system, part):
    """Return whether a point hits the ground within the part."""
    earliest = system.surface.impact.earliest[0]
    return part.phase == WHOLE and part.impacts < MOST and earliest < part.dt


@kernel
def part_before_impact(system, part, dt):
    """Return the part up to the first impact, or the impact itself if it happens now."""
    until, moment = system.surface.impact.earliest[0], like(dt, MOMENT) * dt
    if until <= moment:
        return Part(IMPACT, part.time, moment, part.left, part.impacts + 1)
    return Part(APPROACH, part.time, until, part.left, part.impacts + 1)


@kernel
def next_part(part, dt):
    """Return the part after one that was taken."""
    moment = like(dt, MOMENT) * dt
    if part.phase == APPROACH:
        return Part(IMPACT, part.time + part.dt, moment, part.left - part.dt, part.impacts)
    left = max(part.left - part.dt, moment)
    if part.phase == IMPACT:
        return Part(WHOLE, part.time, left, left, part.impacts)
    return Part(DONE, part.time, part.dt, part.left, part.impacts)


@kernel
def finish_part(system, state, work, part, dt):
    """Add a part to the totals of the step, and correct the state at its end.

    Returns a status.
    """
    commit_trials(system.control_memory)
    status = add_part(system, work, part.dt / dt)
    if part.phase != IMPACT and part.dt >= like(dt, SHORT) * dt:
        keep_acceleration(system.dynamics)
    correct_positions(system.model, system, state, work, part)
    return status


def correct_positions(model, system, state, work, part):
    """Correct the position errors that an impulse solver leaves; other models leave none."""
    _correction_of(type(model), type(work.flight))(model, system, state, work, part)


def _correction_of(kind, flight):
    if MODELS[kind].family != IMPULSE_SOLVER:
        return _correct_nothing
    return _correct if flight is NoFlight else _correct_between


@chooses(correct_positions)
def _correct_positions(model, system, state, work, part):
    flight = work.types[work.fields.index("flight")].instance_class
    return as_python(_correction_of(model.instance_class, flight))


@kernel
def _correct(model, system, state, work, part):
    if part.phase != IMPACT:
        finish_slides(system, state, work, part.dt)
    if part.phase == WHOLE:
        remove_drift(system, state, work)


@kernel
def _correct_between(model, system, state, work, part):
    in_flight = begin_correction(work.flight, system, state)
    if part.phase != IMPACT:
        finish_slides(system, state, work, part.dt)
    if in_flight:
        join_touching(work.flight, system)  # also those that were displaced together
    if part.phase == WHOLE:
        remove_drift(system, state, work)
    if in_flight:
        join_touching(work.flight, system)
        end_correction(work.flight, system, state)


@kernel
def _correct_nothing(model, system, state, work, part):
    pass


@kernel
def keep_acceleration(dynamics):
    """Remember the accelerations of a completed part for the parts that follow."""
    for d in range(len(dynamics.acceleration)):
        dynamics.last_acceleration[d] = dynamics.acceleration[d]


@kernel
def keep_beginning(system, state, work):
    """Remember the state at the start of the step, or of the rest of it."""
    for k in range(len(state.q)):
        work.first_q[k] = state.q[k]
    for d in range(len(state.v)):
        work.first_v[d] = state.v[d]
        work.first_mode[d] = system.dynamics.mode[d]


@kernel
def go_back(system, state, work):
    """Return to the state at the start of the step, or of the rest of it."""
    for k in range(len(state.q)):
        state.q[k] = work.first_q[k]
    for d in range(len(state.v)):
        state.v[d] = work.first_v[d]
        system.dynamics.mode[d] = work.first_mode[d]
