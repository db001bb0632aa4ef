"""Force laws: the forces on points in the ground follow from the motion of the points alone.

They are known before the accelerations, in every stage of an integrator, and act like external
forces.
"""

from stiction.collision.bodies import detect_bodies
from stiction.collision.detection import add_contact_forces, detect
from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import FORCE_LAW, contact_forces
from stiction.contact.families.family import FAMILIES, Family
from stiction.contact.surface import set_clock
from stiction.kernels.touching_links import twists_of_accelerations
from stiction.kernels.touching_pairs import place_pairs
from stiction.kernels.tree import OK
from stiction.kernels.vectors import like, load_vector, scale, store_vector


@kernel
def add_forces(model, surface, dynamics, instant):
    """Detect contacts, and add the forces of the law."""
    contact, dt = surface.contact, instant.dt
    set_clock(surface, instant, False)
    detect(surface.points, surface.ground, dynamics, contact, like(dt, 0))
    detect_bodies(surface, dynamics, like(dt, 0), dt)
    status = contact_forces(model, dynamics, contact, surface.memory, surface.work, dt)
    add_contact_forces(dynamics, contact)
    return status


@kernel
def detect_no_more(model, surface, dynamics, instant, shares):
    """Do nothing: contacts are detected where the forces are added."""


@kernel
def none_missed(model, surface, dynamics, instant, shares, v):
    """Return False: a point above the ground has no force."""
    return False


@kernel
def solve_nothing(model, system, instant, shares):
    """Do nothing: the forces are known."""
    return OK


@kernel
def solve_nothing_again(model, system, instant):
    """Do nothing: the forces are known, or held."""
    return OK


@kernel
def hold_none(model, surface, dynamics, factor):
    """Return False: there are no impulses."""
    return False


@kernel
def impulses_of_forces(model, surface, dynamics, dt):
    """Write the impulses of the forces over the step, and the twists at the end of the step."""
    contact, response = surface.contact, surface.work.response
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, scale(dt, load_vector(contact.force, i)))
        contact.least_velocity[i] = 0
    place_pairs(dynamics, contact, response)
    twists_of_accelerations(dynamics, response.links, dt)


FAMILIES[FORCE_LAW] = Family(
    add_known_forces=add_forces,
    detect=detect_no_more,
    detect_missed=none_missed,
    solve=solve_nothing,
    solve_again=solve_nothing_again,
    hold=hold_none,
    complete=impulses_of_forces,
    trials=2,  # there are no impulses to hold: these are only the first of all tries
)
