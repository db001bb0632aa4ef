"""Warm start: impulses that impulse solvers keep between steps."""

from stiction.collision.pairs.clip import MOST as POINTS
from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import points_of_ground
from stiction.kernels.vectors import load_vector, store_vector, zero_vector

DURATION = 3  # column of the memory after the three of the impulse


@kernel
def recall_impulses(contact, memory, dt):
    """Start from the last impulses, if their step had the same length; else from none."""
    for i in range(contact.count[0]):
        point = contact.point[i]
        same = memory.trial[point, DURATION] == dt
        latest = load_vector(memory.trial, point) if same else zero_vector(dt)
        store_vector(contact.impulse, i, latest)


@kernel
def remember_impulses(contact, memory, impulse, dt):
    """Remember an impulse of every point for the next step."""
    for point in range(points_of_ground(contact, memory)):
        memory.trial[point, DURATION] = 0
    for k in range(contact.near_count[0]):
        for point in range(contact.near[k], contact.near[k] + POINTS):
            memory.trial[point, DURATION] = 0
    for i in range(contact.count[0]):
        point = contact.point[i]
        store_vector(memory.trial, point, load_vector(impulse, i))
        memory.trial[point, DURATION] = dt


@kernel
def keep_impulses(contact, kept):
    """Save the present impulses."""
    for i in range(contact.count[0]):
        store_vector(kept, i, load_vector(contact.impulse, i))


@kernel
def return_impulses(contact, kept):
    """Restore the saved impulses."""
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, load_vector(kept, i))
