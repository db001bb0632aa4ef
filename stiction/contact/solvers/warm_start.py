"""Warm start: impulses that impulse solvers keep between steps."""

from stiction.compiler.compiled import kernel
from stiction.kernels.spatial import load_vector, store_vector, zero_vector

NOT_CONVERGED = 9  # stage that a solver reports when it did not come to an end


DURATION = 3  # column of the memory beside the three of the impulse
KEPT = 13  # columns of a solver's scratch, after those of the methods: impulses to go back to
SCRATCH = KEPT + 3  # columns in all


@kernel
def recall_impulses(contact, memory, dt):
    """Begin with the latest impulses, if they are of a step of the same length; else with none."""
    for i in range(contact.count[0]):
        point = contact.point[i]
        same = memory.trial[point, DURATION] == dt
        latest = load_vector(memory.trial, point) if same else zero_vector(dt)
        store_vector(contact.impulse, i, latest)


@kernel
def remember_impulses(contact, memory, dt):
    """Remember the impulse of every point for the next time."""
    for point in range(memory.trial.shape[0]):
        memory.trial[point, DURATION] = 0
    for i in range(contact.count[0]):
        point = contact.point[i]
        store_vector(memory.trial, point, load_vector(contact.impulse, i))
        memory.trial[point, DURATION] = dt


@kernel
def keep_impulses(contact, scratch):
    """Keep the present impulses."""
    for i in range(contact.count[0]):
        scratch[i, KEPT], scratch[i, KEPT + 1], scratch[i, KEPT + 2] = load_vector(
            contact.impulse, i
        )


@kernel
def return_impulses(contact, scratch):
    """Return to the impulses that were kept."""
    for i in range(contact.count[0]):
        store_vector(
            contact.impulse, i, (scratch[i, KEPT], scratch[i, KEPT + 1], scratch[i, KEPT + 2])
        )
