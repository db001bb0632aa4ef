"""What the impulse solvers share: impulses kept between steps, and words for their parameters."""

from typing import Annotated

from stiction.compiled import kernel
from stiction.contact.contact_model import Parameter
from stiction.kernels.spatial import like, load_vector, scale, store_vector, zero_vector

Fraction = Annotated[float, Parameter("", low=0, high=1)]
Tolerance = Annotated[float, Parameter("", low=1e-15, high=0.1)]

NOT_CONVERGED = 9  # stage that a solver reports when it did not come to an end


@kernel
def recall_impulses(contact, state, dt):
    """Begin with the impulses that the forces of the last step would give."""
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, scale(dt, load_vector(state.now, contact.point[i])))


@kernel
def remember_impulses(contact, state, dt):
    """Remember the mean force of every place for the next step."""
    for place in range(state.trial.shape[0]):
        store_vector(state.trial, place, zero_vector(dt))
    for i in range(contact.count[0]):
        force = scale(like(dt, 1) / dt, load_vector(contact.impulse, i))
        store_vector(state.trial, contact.point[i], force)
