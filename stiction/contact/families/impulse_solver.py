"""Impulse solvers: impulses at all points that touch, or reach the ground within the step.

A point that lands fast has its own time of impact within the step. `solve_step` finds the earliest
one; the step is then taken in parts (`step/impacts.py`).
"""

import math

from stiction.collision.bodies import detect_bodies
from stiction.collision.carry_points import carry_points
from stiction.collision.detection import (
    detect,
    detect_within_reach,
    find_missed,
    links_may_miss,
    may_be_missed,
)
from stiction.collision.missed_bodies import bodies_may_be_missed, find_missed_bodies
from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.contact_model import IMPULSE_SOLVER, contact_forces
from stiction.contact.families.family import FAMILIES, Family
from stiction.contact.families.force_law import solve_nothing_again
from stiction.contact.families.impulse_law import (
    add_held_impulses,
    answer_to_impulses,
    clear_report,
    complete_solution,
    hold_as_forces,
    impulses_are_complete,
)
from stiction.contact.immovable import release_immovable
from stiction.contact.prescribed import release_prescribed, report_driven
from stiction.contact.restitution import TRIALS, full_bounce, judge_bounce, set_least_velocities
from stiction.contact.surface import IMPACT, WHOLE, set_clock
from stiction.contact.time_of_impact import earliest_impact
from stiction.kernels.response import add_wrenches
from stiction.kernels.touching_pairs import place_pairs
from stiction.kernels.tree import OK
from stiction.kernels.vectors import like

NEAR_IMPACT = 0.05  # impacts within this fraction of a step happen together


@kernel
def detect_within_step(model, surface, dynamics, instant, shares):
    """Find the points that are on the ground or may reach it within the step."""
    contact = surface.contact
    set_clock(surface, instant, True)
    reach = instant.dt
    if surface.impact.phase[0] == IMPACT:
        reach = like(reach, NEAR_IMPACT) * surface.impact.dt[0]
    detect(surface.points, surface.ground, dynamics, contact, reach)
    detect_bodies(surface, dynamics, reach, instant.dt)
    prepare_points(model, surface, dynamics, instant, shares)


@kernel
def detect_missed(model, surface, dynamics, instant, shares, v):
    """Find points that the accelerations bring into contact; returns whether there are any."""
    points, contact, dt = surface.points, surface.contact, instant.dt
    if surface.impact.phase[0] == IMPACT:
        return False  # no time passes
    missed = may_be_missed(points, dynamics, contact, v, dt)
    if missed and links_may_miss(points, dynamics, contact, dt):
        return find_and_detect(model, surface, dynamics, instant, shares)
    if surface.impact.earliest[0] < dt:
        return False  # this step is taken in parts, and bodies respond to the first impact alone
    if not bodies_may_be_missed(surface, dynamics, v, dt):
        return False
    return find_and_detect(model, surface, dynamics, instant, shares)


@subroutine
def find_and_detect(model, surface, dynamics, instant, shares):
    """Add the points that the accelerations bring into reach; returns whether there are any."""
    contact, dt = surface.contact, instant.dt
    ground = find_missed(surface.points, surface.ground, dynamics, contact, dt)
    if not (find_missed_bodies(surface, dynamics, dt) or ground):
        return False
    detect_within_reach(surface.points, surface.ground, dynamics, contact, dt)
    detect_bodies(surface, dynamics, dt, dt)
    prepare_points(model, surface, dynamics, instant, shares)
    return True


@kernel
def prepare_points(model, surface, dynamics, instant, shares):
    """Advance the detected points to where forces act, and bound their velocities."""
    contact, dt = surface.contact, instant.dt
    if shares.bend != 1:  # semi-implicit Euler is first order, and as in the papers
        ahead = shares.old * dt
        carry_points(surface.points, dynamics, contact, ahead, like(dt, 0.5) * dt + ahead, dt)
    place_pairs(dynamics, contact, surface.work.response)
    set_least_velocities(model, surface, dt, shares, like(dt, 1))


@kernel
def solve_step(model, system, instant, shares):
    """Find the impulses, add them to u, and find the time of the first impact."""
    surface, dynamics, dt = system.surface, system.dynamics, instant.dt
    contact, response, impact = surface.contact, surface.work.response, surface.impact
    impact.solved[0], impact.earliest[0], impact.bend[0] = 1, like(dt, math.inf), shares.bend
    if contact.count[0] == 0:
        clear_report(response)
        return OK
    answer_to_impulses(system, dt)
    status, bounce = OK, full_bounce(dt)
    for trial in range(TRIALS):
        release_immovable(system)
        driven = release_prescribed(system, dt)
        status = contact_forces(model, dynamics, contact, surface.memory, surface.work, dt)
        complete_solution(surface)
        report_driven(system, driven)
        bounce = judge_bounce(model, surface, bounce, trial)
        if bounce.found:
            break
        set_least_velocities(model, surface, dt, shares, bounce.share)
    add_wrenches(dynamics, contact, response, like(dt, 1) / dt)
    if impact.phase[0] == WHOLE:
        impact.earliest[0] = earliest_impact(model, surface, instant, shares)
    return status


FAMILIES[IMPULSE_SOLVER] = Family(
    add_known_forces=add_held_impulses,
    detect=detect_within_step,
    detect_missed=detect_missed,
    solve=solve_step,
    solve_again=solve_nothing_again,
    hold=hold_as_forces,
    complete=impulses_are_complete,
    trials=30,
)
