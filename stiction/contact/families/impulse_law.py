"""Impulse laws: impulses that act evenly over the step, from the motion without contact.

They are evaluated once per step, for points in the ground; later stages keep these impulses.
"""

from stiction.collision.bodies import detect_bodies
from stiction.collision.detection import add_contact_forces, detect
from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import IMPULSE_LAW, contact_forces
from stiction.contact.families.family import FAMILIES, Family
from stiction.contact.families.force_law import none_missed, solve_nothing_again
from stiction.contact.surface import set_clock
from stiction.kernels.loops import constrain_response
from stiction.kernels.response import (
    add_wrenches,
    gather_wrenches,
    report_solution,
    respond_to_wrenches,
)
from stiction.kernels.touching_links import free_twists, inverse_inertia, touching_unit_responses
from stiction.kernels.touching_pairs import compliances, place_pairs, whole_response
from stiction.kernels.tree import OK
from stiction.kernels.vectors import like, load_vector, scale, store_vector


@kernel
def add_held_impulses(model, surface, dynamics, instant):
    """Add the impulses that the first stage found, as forces."""
    if surface.impact.solved[0] == 1:
        hold_as_forces(model, surface, dynamics, like(instant.dt, 1) / instant.dt)
    return OK


@kernel
def hold_as_forces(model, surface, dynamics, factor):
    """Add `factor` times the impulses to the external forces; returns whether there are any."""
    contact = surface.contact
    for i in range(contact.count[0]):
        store_vector(contact.force, i, scale(factor, load_vector(contact.impulse, i)))
    add_contact_forces(dynamics, contact)
    return contact.count[0] > 0


@kernel
def detect_for_impulses(model, surface, dynamics, instant, shares):
    """Find the points in the ground, with their velocities against it at the end of the step."""
    set_clock(surface, instant, True)
    detect_penetrating(surface, dynamics, instant)


@kernel
def detect_penetrating(surface, dynamics, instant):
    """Find the points in the ground."""
    contact = surface.contact
    detect(surface.points, surface.ground, dynamics, contact, like(instant.dt, 0))
    detect_bodies(surface, dynamics, like(instant.dt, 0), instant.dt)
    place_pairs(dynamics, contact, surface.work.response)
    for i in range(contact.count[0]):
        contact.least_velocity[i] = 0


@kernel
def solve_impulses(model, system, instant, shares):
    """Find the impulses and add them to u."""
    surface, dynamics, dt = system.surface, system.dynamics, instant.dt
    contact, response = surface.contact, surface.work.response
    surface.impact.solved[0] = 1
    if contact.count[0] == 0:
        clear_report(response)
        return OK
    answer_to_impulses(system, dt)
    whole_response(contact, response)
    status = contact_forces(model, dynamics, contact, surface.memory, surface.work, dt)
    complete_solution(surface)
    add_wrenches(dynamics, contact, response, like(dt, 1) / dt)
    return status


@kernel
def answer_to_impulses(system, dt):
    """Compute the free twists of the touching links, and their response to impulses."""
    dynamics, contact = system.dynamics, system.surface.contact
    response = system.surface.work.response
    touching_unit_responses(system.method, dynamics, response.links)
    free_twists(dynamics, response.links, dt)
    inverse_inertia(dynamics, response.links)
    constrain_response(system.loops, dynamics, response.links, dt)
    compliances(contact, response, system.surface.points.size[0])


@kernel
def complete_solution(surface):
    """Count the iterations of a solution; add wrenches and twists if the model wrote none."""
    contact, response = surface.contact, surface.work.response
    report = response.report
    report.all_iterations[0] += report.iterations[0]
    if report.left_wrenches[0] == 0:
        gather_wrenches(contact, response)
        respond_to_wrenches(contact, response)
    report.left_wrenches[0] = 0


@kernel
def clear_report(response):
    """Report that there was nothing to solve."""
    report_solution(response, 0, 0, 0)


@kernel
def impulses_are_complete(model, surface, dynamics, dt):
    """Do nothing: the solution includes impulses and twists."""


FAMILIES[IMPULSE_LAW] = Family(
    add_known_forces=add_held_impulses,
    detect=detect_for_impulses,
    detect_missed=none_missed,
    solve=solve_impulses,
    solve_again=solve_nothing_again,
    hold=hold_as_forces,
    complete=impulses_are_complete,
    trials=3,  # a law agrees with the joints sooner when the two are solved in turn
)
