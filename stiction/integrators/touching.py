"""How contact enters a step, by the family of the contact model.

A force law is asked in every stage, before the accelerations (`touch`). An acceleration law is
asked in every stage, when the accelerations without contact are known (`resist`, `resist_again`).
Impulse laws and solvers are asked once, when these are known; their impulses act evenly through the
step and are held in later stages.

A point that comes down fast has its own time of impact within the step. For solvers `resist` finds
the earliest one; the loop then takes the step in parts: to the impact, the impact itself, and the
rest.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from stiction.compiled import as_python, chooses, kernel, seldom
from stiction.contact.contact_model import (
    ACCELERATION_LAW,
    FORCE_LAW,
    IMPULSE_LAW,
    IMPULSE_SOLVER,
    MODELS,
    Memory,
    Workspace,
    contact_forces,
    held_of,
    newton_impacts_of,
    rest_speed_of,
    restitution_of,
)
from stiction.contact.warm_start import NOT_CONVERGED
from stiction.integrators.forward_dynamics import slot_modes
from stiction.kernels.contact import (
    NEVER,
    Contact,
    Places,
    add_contact_forces,
    carry_points,
    detect,
    detect_within_reach,
    find_missed,
    may_be_missed,
)
from stiction.kernels.kinematics import zero_rows
from stiction.kernels.response import (
    ALL_ITERATIONS,
    WRENCHES_LEFT,
    add_drift,
    add_wrenches,
    arm_from_centre,
    free_twists,
    gather_wrenches,
    place_slots,
    respond_to_wrenches,
    slot_inverse_inertia,
    twists_of_accelerations,
    velocity_after,
)
from stiction.kernels.spatial import (
    add,
    dot,
    like,
    load_twist,
    load_vector,
    point_velocity,
    scale,
    store_vector,
    sub,
)
from stiction.kernels.tree import OK

# What part of a step is taken.
WHOLE = 0  # the step, or what is left of it
APPROACH = 1  # up to an impact: points that come down fast are not held up
IMPACT = 2  # no time passes, only impulses count

NEAR_IMPACT = 0.05  # impacts within this fraction of a step happen together
SKIN = 1e-7  # of the robots' size: a smaller gap is none, points of a foot agree on where they are
TAMINGS = 12  # trials for a restitution that adds no energy
# See `tries_together`. Force laws have no impulses that could be held, so theirs is only the first
# part of all tries; what other laws find settles faster with joints in turn.
TOGETHER = {FORCE_LAW: 2, ACCELERATION_LAW: 3, IMPULSE_LAW: 3, IMPULSE_SOLVER: 30}
SMALL_WORK = 1e-10  # relative rounding of the work of an impact


class Surface(NamedTuple):
    """Where robots may touch the ground, what touches now, and what the contact model remembers."""

    places: Places
    ground: Any
    contact: Contact
    memory: Memory
    work: Workspace
    phase: np.ndarray  # (2) WHOLE, APPROACH or IMPACT; 1 once impulses are found and held
    impact: np.ndarray  # (4) see below


# Rows of `Surface.impact`.
EARLIEST = 0  # impact in the step [s]
STEP = 1  # its length [s]
BEND = 2  # `Shares.bend`
REST_SPEED = 3  # slower points do not bounce, if the model leaves that open [m/s]


class Shares(NamedTuple):
    """How an integrator moves positions, as far as contact and stops need to know.

    From the configuration in which contact is detected to that of the next step they move by
    dt (old v + new v_next), to the end of this step by dt (old v + bend v_next); within the step by
    v t + bend a t^2.
    """

    old: float
    new: float
    bend: float


# ------------------------------------------------------------------------------------ the families


def touch(model, surface, dynamics, instant):
    """Add the contact forces that are known before the accelerations; returns a status."""
    return _family(type(model))[0](model, surface, dynamics, instant)


def seek(model, surface, dynamics, instant, shares):
    """Find the points that a model is asked about, before the accelerations are sought."""
    _family(type(model))[1](model, surface, dynamics, instant, shares)


def seek_again(model, surface, dynamics, instant, shares, v):
    """Find points that the accelerations bring into reach; tells whether there are any."""
    return _family(type(model))[6](model, surface, dynamics, instant, shares, v)


def resist(model, system, instant, shares):
    """Add what contact does to the accelerations without it; returns a status."""
    return _family(type(model))[2](model, system, instant, shares)


def resist_again(model, system, instant):
    """Add what contact does to the accelerations without it in a later stage; returns a status."""
    return _family(type(model))[3](model, system, instant)


def hold(model, surface, dynamics, factor):
    """Add `factor` times the impulses found to the external forces; tells whether there are any."""
    return _family(type(model))[4](model, surface, dynamics, factor)


def close(model, surface, dynamics, dt):
    """Complete impulses of the step and twists at its end, for the record."""
    _family(type(model))[5](model, surface, dynamics, dt)


def tries_together(model):
    """How often modes of the joints and impulses are sought together."""
    return TOGETHER[MODELS[type(model)].family]


def solves(model):
    """Tell whether a model is an impulse solver."""
    return MODELS[type(model)].family == IMPULSE_SOLVER


@chooses(solves)
def _solves(model):
    chosen = MODELS[model.instance_class].family == IMPULSE_SOLVER
    return lambda model: chosen


@chooses(tries_together)
def _tries_together(model):
    tries = TOGETHER[MODELS[model.instance_class].family]
    return lambda model: tries


def _family(kind):
    return _FAMILIES[MODELS[kind].family]


@chooses(touch)
def _touch(model, surface, dynamics, instant):
    return as_python(_family(model.instance_class)[0])


@chooses(seek)
def _seek(model, surface, dynamics, instant, shares):
    return as_python(_family(model.instance_class)[1])


@chooses(seek_again)
def _seek_again(model, surface, dynamics, instant, shares, v):
    return as_python(_family(model.instance_class)[6])


@chooses(resist)
def _resist(model, system, instant, shares):
    return as_python(_family(model.instance_class)[2])


@chooses(resist_again)
def _resist_again(model, system, instant):
    return as_python(_family(model.instance_class)[3])


@chooses(hold)
def _hold(model, surface, dynamics, factor):
    return as_python(_family(model.instance_class)[4])


@chooses(close)
def _close(model, surface, dynamics, dt):
    return as_python(_family(model.instance_class)[5])


@kernel
def set_clock(surface, instant):
    """Tell the model when it is asked."""
    surface.work.clock[0], surface.work.clock[1] = instant.time, instant.step_time


# -------------------------------------------------------------------------------------- force laws


@kernel
def _law_touch(model, surface, dynamics, instant):
    contact, dt = surface.contact, instant.dt
    set_clock(surface, instant)
    detect(surface.places, surface.ground, dynamics, contact, like(dt, 0))
    status = contact_forces(model, dynamics, contact, surface.memory, surface.work, dt)
    add_contact_forces(dynamics, contact)
    return status


@kernel
def _law_seek(model, surface, dynamics, instant, shares):
    """Do nothing."""


@kernel
def _none_missed(model, surface, dynamics, instant, shares, v):
    return False


@kernel
def _law_resist(model, system, instant, shares):
    return OK


@kernel
def _not_again(model, system, instant):
    return OK


@kernel
def _law_hold(model, surface, dynamics, factor):
    return False


@kernel
def _law_close(model, surface, dynamics, dt):
    contact, response = surface.contact, surface.work.response
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, scale(dt, load_vector(contact.force, i)))
        contact.floor[i] = 0
    place_slots(contact, response)
    twists_of_accelerations(dynamics, contact, response, dt)


# ------------------------------------------------------------------------ impulse laws and solvers


@kernel
def _solver_hold(model, surface, dynamics, factor):
    contact = surface.contact
    for i in range(contact.count[0]):
        store_vector(contact.force, i, scale(factor, load_vector(contact.impulse, i)))
    add_contact_forces(dynamics, contact)
    return contact.count[0] > 0


@kernel
def _solver_touch(model, surface, dynamics, instant):
    """Add the forces that were found in the first stage."""
    if surface.phase[1] == 1:
        _solver_hold(model, surface, dynamics, like(instant.dt, 1) / instant.dt)
    return OK


@kernel
def _impulse_law_seek(model, surface, dynamics, instant, shares):
    contact = surface.contact
    set_clock(surface, instant)
    detect(surface.places, surface.ground, dynamics, contact, like(instant.dt, 0))
    place_slots(contact, surface.work.response)
    for i in range(contact.count[0]):
        contact.floor[i] = 0


@kernel
def _solver_seek(model, surface, dynamics, instant, shares):
    contact = surface.contact
    set_clock(surface, instant)
    reach = instant.dt
    if surface.phase[0] == IMPACT:
        reach = like(reach, NEAR_IMPACT) * surface.impact[STEP]
    detect(surface.places, surface.ground, dynamics, contact, reach)
    prepare_points(model, surface, dynamics, instant, shares)


@kernel
def _solver_seek_again(model, surface, dynamics, instant, shares, v):
    contact, dt = surface.contact, instant.dt
    if surface.phase[0] == IMPACT:
        return False  # no time passes
    if not may_be_missed(surface.places, dynamics, contact, v, dt):
        return False
    return find_and_detect(model, surface, dynamics, instant, shares)


@seldom
def find_and_detect(model, surface, dynamics, instant, shares):
    """Add the points that the accelerations bring into reach; tells whether there are any."""
    contact, dt = surface.contact, instant.dt
    if not find_missed(surface.places, surface.ground, dynamics, contact, dt):
        return False
    detect_within_reach(surface.places, surface.ground, dynamics, contact, dt)
    prepare_points(model, surface, dynamics, instant, shares)
    return True


@kernel
def prepare_points(model, surface, dynamics, instant, shares):
    """Carry the points that were found on to where forces act, and lay their floors."""
    contact, dt = surface.contact, instant.dt
    if shares.bend != 1:  # semi-implicit Euler is of first order, and as the papers have it
        ahead = shares.old * dt
        carry_points(surface.places, dynamics, contact, ahead, like(dt, 0.5) * dt + ahead, dt)
    place_slots(contact, surface.work.response)
    lay_floors(model, surface, dt, shares, like(dt, 1))


@kernel
def begin_step(surface, dynamics, dt):
    """Tell of a step that it begins: its length, and what gravity does in it.

    A point that gravity stops within the step does not bounce; without gravity, one that does not
    leave the skin within it.
    """
    gravity = dynamics.tree.gravity
    g = (gravity[0], gravity[1], gravity[2])
    skin = like(dt, SKIN) * surface.places.size[0]
    surface.impact[EARLIEST], surface.impact[STEP] = like(dt, math.inf), dt
    surface.impact[REST_SPEED] = max(dt * math.sqrt(dot(g, g)), skin / dt)


@kernel
def rest_speed(model, surface, pair):
    """Points that come down more slowly do not bounce [m/s]."""
    told = rest_speed_of(model, surface.contact.table, pair)
    return told if told > 0 else surface.impact[REST_SPEED]


@kernel
def lay_floors(model, surface, dt, shares, bounce):
    """Write the slowest velocity along the normal that each point may end the step with.

    An open point may close its gap and no more, one that touches may not sink deeper; at an impact
    a point that comes down fast goes up again with `bounce` times its coefficient of restitution.
    """
    contact, phase = surface.contact, surface.phase[0]
    skin = like(dt, SKIN) * surface.places.size[0]
    for i in range(contact.count[0]):
        pair, gap = contact.pair[i], -contact.depth[i]
        v_n = dot(load_vector(contact.normal, i), load_vector(contact.velocity, i))
        fast = v_n < -rest_speed(model, surface, pair)
        floor = like(gap, 0)
        if phase == IMPACT:
            if fast:
                floor = -bounce * restitution_of(model, contact.table, pair) * v_n
        elif phase == APPROACH and fast:
            floor = like(gap, NEVER)
        elif gap > skin:
            # what bounces needs its time of impact, so it is held up only within this step
            bounces = fast and restitution_of(model, contact.table, pair) > 0
            new = shares.bend if bounces else shares.new
            floor = min(-((gap - skin) / dt + shares.old * v_n) / new, floor)
        contact.floor[i] = floor


@kernel
def _impulse_law_resist(model, system, instant, shares):
    surface, dynamics, dt = system.surface, system.dynamics, instant.dt
    contact, response = surface.contact, surface.work.response
    surface.phase[1] = 1
    if contact.count[0] == 0:
        clear_report(response)
        return OK
    answer_to_impulses(system, dt)
    status = solve(model, surface, dynamics, dt)
    add_wrenches(dynamics, contact, response, like(dt, 1) / dt)
    return status


@kernel
def _solver_resist(model, system, instant, shares):
    surface, dynamics, dt = system.surface, system.dynamics, instant.dt
    contact, response = surface.contact, surface.work.response
    surface.phase[1] = 1
    surface.impact[EARLIEST], surface.impact[BEND] = like(dt, math.inf), shares.bend
    if contact.count[0] == 0:
        clear_report(response)
        return OK
    answer_to_impulses(system, dt)
    status = solve_and_tame(model, surface, dynamics, dt, shares)
    add_wrenches(dynamics, contact, response, like(dt, 1) / dt)
    if surface.phase[0] == WHOLE:
        surface.impact[EARLIEST] = earliest_impact(model, surface, instant, shares)
    return status


@kernel
def clear_report(response):
    """Tell that there was nothing to solve."""
    for k in range(3):
        response.report[k] = 0


@kernel
def answer_to_impulses(system, dt):
    """How the touching links move without contact, and what impulses on them do."""
    dynamics, contact = system.dynamics, system.surface.contact
    response = system.surface.work.response
    slot_modes(system.method, dynamics, contact, response)
    free_twists(dynamics, contact, response, dt)
    slot_inverse_inertia(dynamics, contact, response)


@kernel
def accept_held(model, surface, dynamics, dt):
    """Take impulses that the joints were settled with: twists at the end are what comes of them.

    The model would have found others for the final modes of the joints. A solver's step is then
    unsolved; a law was asked, and has answered, before the joints were.
    """
    contact, response = surface.contact, surface.work.response
    if solves(model):
        response.report[2] = NOT_CONVERGED
    twists_of_accelerations(dynamics, contact, response, dt)


@kernel
def _solver_close(model, surface, dynamics, dt):
    """Do nothing: the model has left both."""


@kernel
def solve(model, surface, dynamics, dt):
    """Let the model find the impulses; with them, wrenches on the slots and twists at the end."""
    contact, response = surface.contact, surface.work.response
    response.report[WRENCHES_LEFT] = 0
    status = contact_forces(model, dynamics, contact, surface.memory, surface.work, dt)
    response.report[ALL_ITERATIONS] += response.report[0]
    if response.report[WRENCHES_LEFT] == 0:
        gather_wrenches(contact, response)
        respond_to_wrenches(contact, response)
    return status


@kernel
def solve_and_tame(model, surface, dynamics, dt, shares):
    """Find the impulses; at an impact with the most restitution, up to the given, that is safe.

    Newton's law of restitution can add energy where friction acts as well, so the impulses must not
    do positive work on the points: work = sum p . (v_before + v_after) / 2. Without restitution
    they never do; between, the largest safe share is found by halving.
    """
    contact, response = surface.contact, surface.work.response
    safe, unsafe, share = like(dt, 0), like(dt, 1), like(dt, 1)
    status = OK
    for trial in range(TAMINGS):
        status = solve(model, surface, dynamics, dt)
        if surface.phase[0] != IMPACT or share == safe:
            break
        if work_is_safe(model, contact, response):
            if share == 1:
                break
            safe = share
        else:
            unsafe = share
        last = trial >= TAMINGS - 2
        share = safe if last else like(dt, 0.5) * (safe + unsafe)
        lay_floors(model, surface, dt, shares, share)
    return status


@kernel
def work_is_safe(model, contact, response):
    """Tell whether an impact adds no energy, or is allowed to."""
    total, size = like(contact.depth[0], 0), like(contact.depth[0], 0)
    for i in range(contact.count[0]):
        if newton_impacts_of(model, contact.table, contact.pair[i]) > 0:
            return True
        p, before = load_vector(contact.impulse, i), load_vector(contact.velocity, i)
        done = dot(p, add(before, velocity_after(contact, response, i)))
        total += done
        size += abs(dot(p, before))
    return total <= like(size, SMALL_WORK) * size


@kernel
def earliest_impact(model, surface, instant, shares):
    """When the first point that is held up and came down fast reaches the ground [s]; else inf.

    From the begin of the step a gap closes as gap + v t + shares.bend a t^2, in the way that the
    integrator moves positions. Where the next contact detection follows the new velocity alone, a
    point without restitution needs no time of its own: it is just at the ground by then.
    """
    contact, response = surface.contact, surface.work.response
    first = like(instant.dt, math.inf)
    for i in range(contact.count[0]):
        n = load_vector(contact.normal, i)
        v_n = dot(n, load_vector(contact.velocity, i))
        if dot(n, load_vector(contact.impulse, i)) <= 0:
            continue
        pair = contact.pair[i]
        if v_n >= -rest_speed(model, surface, pair):
            continue
        if shares.new == 1 and restitution_of(model, contact.table, pair) == 0:
            continue
        r = arm_from_centre(contact, response, i)
        change = dot(n, point_velocity(load_twist(response.free, contact.slot[i]), r))
        gap = -contact.depth[i] - (instant.time - instant.step_time) * v_n
        first = min(first, time_to_close(gap, v_n, shares.bend * change / instant.dt))
    return first


@kernel
def time_to_close(gap, v, a):
    """First t >= 0 with gap + v t + a t^2 = 0, for v < 0; if there is none, when it is least."""
    if gap <= 0:
        return like(gap, 0)
    root = v * v - like(gap, 4) * a * gap
    if root < 0:
        return -v / (like(gap, 2) * a)
    return like(gap, 2) * gap / (-v + math.sqrt(root))


# ------------------------------------------------------------------------------- acceleration laws


@kernel
def _acceleration_law_touch(model, surface, dynamics, instant):
    """Add the forces of the first stage, if they are held."""
    if surface.phase[1] == 1 and held(model, surface.contact):
        add_contact_forces(dynamics, surface.contact)
    return OK


@kernel
def held(model, contact):
    """Tell whether the forces of the first stage last for the whole step."""
    return held_of(model, contact.table, 0) > 0


@kernel
def _acceleration_law_resist(model, system, instant, shares):
    """Find the forces at the points; they become impulses, as if they lasted for the step."""
    surface, dynamics, dt = system.surface, system.dynamics, instant.dt
    contact, response = surface.contact, surface.work.response
    surface.phase[1] = 1
    clear_report(response)
    if contact.count[0] == 0:
        return OK
    answer_to_impulses(system, like(dt, 1))
    add_drift(dynamics, contact, response)
    status = contact_forces(model, dynamics, contact, surface.memory, surface.work, dt)
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, scale(dt, load_vector(contact.force, i)))
    gather_wrenches(contact, response)
    add_wrenches(dynamics, contact, response, like(dt, 1) / dt)
    return status


@kernel
def _acceleration_law_again(model, system, instant):
    surface = system.surface
    if held(model, surface.contact):
        return OK
    shares = Shares(like(instant.dt, 0), like(instant.dt, 1), like(instant.dt, 1))
    _impulse_law_seek(model, surface, system.dynamics, instant, shares)
    return _acceleration_law_resist(model, system, instant, shares)


_FAMILIES = {
    FORCE_LAW: (
        _law_touch,
        _law_seek,
        _law_resist,
        _not_again,
        _law_hold,
        _law_close,
        _none_missed,
    ),
    ACCELERATION_LAW: (
        _acceleration_law_touch,
        _impulse_law_seek,
        _acceleration_law_resist,
        _acceleration_law_again,
        _solver_hold,
        _law_close,
        _none_missed,
    ),
    IMPULSE_LAW: (
        _solver_touch,
        _impulse_law_seek,
        _impulse_law_resist,
        _not_again,
        _solver_hold,
        _solver_close,
        _none_missed,
    ),
    IMPULSE_SOLVER: (
        _solver_touch,
        _solver_seek,
        _solver_resist,
        _not_again,
        _solver_hold,
        _solver_close,
        _solver_seek_again,
    ),
}


# --------------------------------------------------------------------------------------- the record


@kernel
def record_contact(model, surface, dynamics, work, dt, share, first):
    """Add a stage's share of the impulses; with the first, also depth, slip and velocities.

    The velocity is that at the end of the step, counted from the slowest allowed. Work is that of
    the impulses on the mean of the velocities at both ends; a stage of several has one velocity.
    """
    contact, response = surface.contact, surface.work.response
    if first:
        zero_rows(work.impulse)
        zero_rows(work.slip)
        zero_rows(work.contact_velocity)
        for i in range(len(work.depth)):
            work.depth[i] = 0
        work.contact_work[0] = 0
    close(model, surface, dynamics, dt)
    for i in range(contact.count[0]):
        p = load_vector(contact.impulse, i)
        if contact.depth[i] <= 0 and dot(p, p) == 0:
            continue  # near the ground and not held up
        place, n = contact.point[i], load_vector(contact.normal, i)
        store_vector(work.impulse, place, add(load_vector(work.impulse, place), scale(share, p)))
        before, after = load_vector(contact.velocity, i), velocity_after(contact, response, i)
        mean = scale(like(dt, 0.5), add(before, after)) if share == 1 else before
        work.contact_work[0] += share * dot(p, mean)
        if first:
            v = sub(before, load_vector(contact.carried, i))
            after = add(after, scale(-contact.floor[i], n))
            work.depth[place] = max(contact.depth[i], like(dt, 0))
            store_vector(work.slip, place, sub(v, scale(dot(n, v), n)))
            store_vector(work.contact_velocity, place, after)
