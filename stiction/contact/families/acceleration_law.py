"""Acceleration laws: forces of points in the ground from the accelerations without contact.

They are evaluated in every stage of an integrator, or only in the first if `held` is set.
"""

from stiction.collision.detection import add_contact_forces
from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import ACCELERATION_LAW, contact_forces, held_of
from stiction.contact.families.family import FAMILIES, Family
from stiction.contact.families.force_law import impulses_of_forces, none_missed
from stiction.contact.families.impulse_law import (
    answer_to_impulses,
    clear_report,
    detect_penetrating,
    hold_as_forces,
)
from stiction.contact.surface import set_clock
from stiction.kernels.response import add_wrenches, gather_wrenches
from stiction.kernels.touching_links import add_drift
from stiction.kernels.touching_pairs import whole_response
from stiction.kernels.tree import OK
from stiction.kernels.vectors import like, load_vector, scale, store_vector


@kernel
def add_held_forces(model, surface, dynamics, instant):
    """Add the forces of the first stage, if they are held."""
    if surface.impact.solved[0] == 1 and held(model, surface.contact):
        add_contact_forces(dynamics, surface.contact)
    return OK


@kernel
def detect_now(model, surface, dynamics, instant, shares):
    """Find the points in the ground, with their velocities against it now."""
    set_clock(surface, instant, False)
    detect_penetrating(surface, dynamics, instant)


@kernel
def held(model, contact):
    """Return whether the forces of the first stage last for the whole step."""
    return held_of(model, contact.table, 0) > 0


@kernel
def solve_forces(model, system, instant, shares):
    """Find the forces, convert them to impulses over the whole step, and add them to u."""
    surface, dynamics, dt = system.surface, system.dynamics, instant.dt
    contact, response = surface.contact, surface.work.response
    surface.impact.solved[0] = 1
    clear_report(response)
    if contact.count[0] == 0:
        return OK
    answer_to_impulses(system, like(dt, 1))
    add_drift(dynamics, response.links)
    whole_response(contact, response)
    status = contact_forces(model, dynamics, contact, surface.memory, surface.work, dt)
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, scale(dt, load_vector(contact.force, i)))
    gather_wrenches(contact, response)
    add_wrenches(dynamics, contact, response, like(dt, 1) / dt)
    return status


@kernel
def solve_forces_again(model, system, instant):
    """Find the forces of a later stage, unless those of the first are held."""
    surface = system.surface
    if held(model, surface.contact):
        return OK
    detect_now(model, surface, system.dynamics, instant, 0)
    return solve_forces(model, system, instant, 0)


FAMILIES[ACCELERATION_LAW] = Family(
    add_known_forces=add_held_forces,
    detect=detect_now,
    detect_missed=none_missed,
    solve=solve_forces,
    solve_again=solve_forces_again,
    hold=hold_as_forces,
    complete=impulses_of_forces,
    trials=3,  # see impulse_law.py
)
