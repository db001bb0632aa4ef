"""What is recorded: forces of a stage, totals of a step, and rows of a run."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel
from stiction.contact.contact_state import state_of
from stiction.contact.families.family import complete_impulses
from stiction.kernels.kinematics import zero_rows
from stiction.kernels.response import velocity_after
from stiction.kernels.servos import control_force
from stiction.kernels.tree import OK, PRESCRIBED, TOO_MANY_PAIRS
from stiction.kernels.vectors import add, dot, like, load_vector, scale, store_vector, sub

ITERATIONS, RESIDUAL, STAGE = 0, 1, 2  # columns of `Record.solver` and `Work.total_solver`


# columns of `Record.between`: both shapes, numbered from 1 (0: no contact), where they touch, the
# normal out of the second, the force on the first, penetration, slip of the first, state
SHAPES, POSITION, NORMAL, FORCE, DEPTH, SLIP, STATE, BETWEEN = 0, 2, 5, 8, 11, 12, 15, 16


class Record(NamedTuple):
    """The record of a run: the state before every `every`-th step and the forces in that step.

    Arrays may have fewer rows, or none: rows that do not fit are not recorded.
    """

    q: np.ndarray  # (rows, nq)
    v: np.ndarray  # (rows, nv)
    torque: np.ndarray  # (rows, nv)
    passive: np.ndarray  # (rows, nv)
    force: np.ndarray  # (rows, points, 3)
    depth: np.ndarray  # (rows, points)
    slip: np.ndarray  # (rows, points, 3)
    contact_velocity: np.ndarray  # (rows, points, 3)
    contact_state: np.ndarray  # (rows, points) see `contact_state.py`
    solver: np.ndarray  # (rows, 3)
    between: np.ndarray  # (rows, points between bodies, BETWEEN)


# ------------------------------------------------------------------------------ forces of a stage


@kernel
def record_forces(system, work, instant, share):
    """Record forces along coordinates at the first stage, contact as the weighted mean of all.

    `share` is the weight of this stage in the step.
    """
    if work.wanted[0] == 0:
        return
    dynamics = system.dynamics
    first = work.share[0] < 0
    work.share[0] = share if first else work.share[0] + share
    if first:
        for d in range(len(work.torque)):
            work.torque[d] = torque(dynamics, d, instant.implicit)
            work.passive[d] = passive_force(dynamics, d)
    record_contact(system.model, system.surface, dynamics, work, instant.dt, share, first)


@kernel
def torque(dynamics, d, implicit):
    """Return the controller's force on coordinate d, or the force that prescribes its motion."""
    force = control_force(dynamics, d, implicit) + dynamics.applied[d]
    return force + dynamics.reaction[d] if dynamics.mode[d] == PRESCRIBED else force


@kernel
def passive_force(dynamics, d):
    """Friction and stop force on coordinate d."""
    friction = dynamics.tau[d] - dynamics.known[d]
    return friction if dynamics.mode[d] == PRESCRIBED else friction + dynamics.reaction[d]


@kernel
def record_contact(model, surface, dynamics, work, dt, share, first):
    """Add a stage's share of the impulses; with the first, also depth, slip and velocities.

    The velocity is that at the end of the step, relative to the least normal velocity. The work is
    that of the impulses at the mean of the velocities before and after, or, if there are several
    stages, at the velocity before.
    """
    contact, response = surface.contact, surface.work.response
    if first:
        zero_rows(work.impulse)
        zero_rows(work.slip)
        zero_rows(work.contact_velocity)
        clear_between(work.between, work.rows, work.row_count)
        for i in range(len(work.depth)):
            work.depth[i], work.contact_state[i] = 0, 0
        work.contact_work[0] = 0
    complete_impulses(model, surface, dynamics, dt)
    for i in range(contact.count[0]):
        p = load_vector(contact.impulse, i)
        if contact.depth[i] <= 0 and dot(p, p) == 0:
            continue  # near the ground, not held up
        point, n = contact.point[i], load_vector(contact.normal, i)
        before, after = load_vector(contact.velocity, i), velocity_after(contact, response, i)
        mean = scale(like(dt, 0.5), add(before, after)) if share == 1 else before
        work.contact_work[0] += share * dot(p, mean)
        state = state_of(model, surface, dynamics, i, after, dt)
        if point >= len(work.depth):
            add_between(dynamics, contact, work, i, share, first)
            if first:
                work.between[point - len(work.depth), STATE] = state
            continue
        store_vector(work.impulse, point, add(load_vector(work.impulse, point), scale(share, p)))
        if work.contact_state[point] == 0:  # of the first stage in which it has a force
            work.contact_state[point] = state
        if first:
            v = sub(before, load_vector(contact.carried, i))
            after = add(after, scale(-contact.least_velocity[i], n))
            work.depth[point] = max(contact.depth[i], like(dt, 0))
            store_vector(work.slip, point, sub(v, scale(dot(n, v), n)))
            store_vector(work.contact_velocity, point, after)


@kernel
def add_between(dynamics, contact, work, i, share, first):
    """Add a stage's share of the impulse of a point between bodies; with the first, where it is."""
    row = contact.point[i] - len(work.depth)
    if first:
        list_row(work.rows, work.row_count, row)
        origin = dynamics.tree.root[contact.body_a[i]]
        for k in range(2):
            work.between[row, SHAPES + k] = contact.shape[i, k] + 1
        for k in range(3):
            work.between[row, POSITION + k] = dynamics.origin[origin, k] + contact.arm[i, k]
            work.between[row, NORMAL + k] = contact.normal[i, k]
        work.between[row, DEPTH] = max(contact.depth[i], like(share, 0))
        n, v = load_vector(contact.normal, i), load_vector(contact.velocity, i)
        v = sub(v, load_vector(contact.carried, i))
        slip = sub(v, scale(dot(n, v), n))
        for k in range(3):
            work.between[row, SLIP + k] = slip[k]
    if work.between[row, SHAPES] > 0:  # it touched in the first stage
        for k in range(3):
            work.between[row, FORCE + k] += share * contact.impulse[i, k]


@kernel
def list_row(rows, count, row):
    """Add a row of points between bodies to those in use, of many that there are."""
    rows[count[0]] = row
    count[0] += 1


@kernel
def clear_between(between, rows, count):
    """Clear the rows in use."""
    for i in range(count[0]):
        for k in range(BETWEEN):
            between[rows[i], k] = 0
    count[0] = 0


# -------------------------------------------------------------------------------- totals of a step


@kernel
def clear_totals(work):
    """Clear the totals of the last step."""
    for k in range(3):
        work.total_solver[k] = 0
    if work.wanted[0] == 0:
        return
    zero_rows(work.total_impulse)
    clear_between(work.total_between, work.total_rows, work.total_row_count)
    for i in range(len(work.total_state)):
        work.total_state[i] = 0
    work.total_work[0] = 0
    for d in range(len(work.torque)):
        work.total_torque[d], work.total_passive[d] = 0, 0


@kernel
def add_part(system, work, share):
    """Add a part to the totals of the step; `share`: its duration as a fraction of the step.

    The solver's report enters the totals of every step, recorded or not. Returns a status.
    """
    solved = system.surface.work.response.report
    total = work.total_solver
    total[ITERATIONS] = solved.all_iterations[0]
    total[RESIDUAL] = max(total[RESIDUAL], solved.residual[0])
    total[STAGE] = max(total[STAGE], solved.stage[0])
    if work.wanted[0] == 0:
        return OK
    for d in range(len(work.torque)):
        work.total_torque[d] += share * work.torque[d]
        work.total_passive[d] += share * work.passive[d]
    for i in range(len(work.depth)):
        for k in range(3):
            work.total_impulse[i, k] += work.impulse[i, k]
        if work.contact_state[i] > 0:  # of the last part in which it has a force
            work.total_state[i] = work.contact_state[i]
    status = OK
    for i in range(work.row_count[0]):
        status = max(status, add_row(work, work.rows[i]))
    work.total_work[0] += work.contact_work[0]
    return status


@kernel
def add_row(work, row):
    """Add a part's point between bodies to the totals; returns a status.

    Normals turn from part to part, most after impacts at high speed. Where the point was, and its
    normal, are means weighted by normal impulses: a part without impulse does not count. The slip
    is that of the part with the larger impulse, the depth the largest.
    """
    total = row_of_totals(work, row)
    if total < 0:
        return TOO_MANY_PAIRS
    part, sums = work.between, work.total_between
    p, n = columns(part, row, FORCE), columns(part, row, NORMAL)
    before, n_before = columns(sums, total, FORCE), columns(sums, total, NORMAL)
    new, old = abs(dot(p, n)), abs(dot(before, n_before))
    share, mean = like(new, 1), n
    if old > 0:
        share = new / (new + old)
        mean = add(scale(like(new, 1) - share, n_before), scale(share, n))
        size = math.sqrt(dot(mean, mean))
        mean = scale(like(new, 1) / size, mean) if size > 0 else n
    for k in range(3):
        if new >= old:
            sums[total, SLIP + k] = part[row, SLIP + k]
        sums[total, FORCE + k] += p[k]
        sums[total, NORMAL + k] = mean[k]
        sums[total, POSITION + k] *= like(new, 1) - share
        sums[total, POSITION + k] += share * part[row, POSITION + k]
    sums[total, DEPTH] = max(sums[total, DEPTH], part[row, DEPTH])
    if part[row, STATE] > 0:  # of the last part in which it has a force
        sums[total, STATE] = part[row, STATE]
    return OK


@kernel
def row_of_totals(work, row):
    """Row of the totals for a point of a part; -1 if there is none.

    It is the same row, or a free one: a pair that lost its slot within the step may have this one.
    """
    part, sums = work.between, work.total_between
    same = sums[row, SHAPES] == part[row, SHAPES] and sums[row, SHAPES + 1] == part[row, SHAPES + 1]
    if same:
        return row
    found = row
    if sums[row, SHAPES] > 0:
        found = len(sums) - 1
        while found >= 0 and (sums[found, SHAPES] > 0 or part[found, SHAPES] > 0):
            found -= 1
        if found < 0:
            return found
    list_row(work.total_rows, work.total_row_count, found)
    for k in range(2):
        sums[found, SHAPES + k] = part[row, SHAPES + k]
    return found


@kernel
def columns(between, row, first):
    """Three numbers of a row, as a vector."""
    return between[row, first], between[row, first + 1], between[row, first + 2]


# ---------------------------------------------------------------------------------- rows of a run


@kernel
def keep_state(record, state, row, dt):
    """Copy the state into a row of the record."""
    one = like(dt, 1)
    copy_row(record.q, row, state.q, one)
    copy_row(record.v, row, state.v, one)


@kernel
def keep_forces(record, work, row, dt):
    """Copy the forces of the step into a row of the record."""
    one = like(dt, 1)
    copy_row(record.torque, row, work.total_torque, one)
    copy_row(record.passive, row, work.total_passive, one)
    copy_row(record.solver, row, work.total_solver, one)
    copy_row(record.depth, row, work.depth, one)
    copy_row(record.contact_state, row, work.total_state, one)
    copy_rows(record.force, row, work.total_impulse, one / dt)
    copy_rows(record.slip, row, work.slip, one)
    copy_rows(record.contact_velocity, row, work.contact_velocity, one)
    if 0 <= row and row < len(record.between):
        for i in range(len(work.total_between)):
            for k in range(BETWEEN):
                per = dt if FORCE <= k < DEPTH else one
                record.between[row, i, k] = work.total_between[i, k] / per


@kernel
def copy_row(record, row, values, factor):
    """Write `factor` times the values into a row of a record, if it has one."""
    if 0 <= row and row < len(record):
        for k in range(len(values)):
            record[row, k] = factor * values[k]


@kernel
def copy_rows(record, row, values, factor):
    """Write `factor` times the vectors into a row of a record, if it has one."""
    if 0 <= row and row < len(record):
        for i in range(len(values)):
            for k in range(3):
                record[row, i, k] = factor * values[i, k]
