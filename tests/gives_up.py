"""A contact solver for tests that says from some time on that it did not converge."""

from typing import Annotated, NamedTuple

from stiction.contact.contact_model import (
    IMPULSE_SOLVER,
    Parameter,
    contact_model,
    parameters,
    vector,
)
from stiction.kernels.response import NOT_CONVERGED, delassus, free_velocity, report_solution
from stiction.kernels.tree import OK
from stiction.kernels.vectors import dot, like, scale, store_vector, transform

ITERATIONS = 2  # that it reports for every solution
RESIDUAL, WORST_RESIDUAL = 1e-4, 1e-3

Time = Annotated[float, Parameter("s")]


class GivesUp(NamedTuple):
    """Stops points along the normal, each as if it were alone."""

    start: Time = 0.0  # steps that begin before this are solved
    worst: Time = 0.0  # the step that begins here has the largest residual
    restitution: Annotated[float, Parameter("", low=0, high=1)] = 0.0
    tolerance: float = 1e-6


@contact_model(GivesUp, family=IMPULSE_SOLVER)
def gives_up(params, dynamics, contact, memory, work, dt):
    """Write the impulses of all points."""
    response, time = work.response, work.clock[1]
    p = parameters(params, contact.table, contact.pair[0])
    for i in range(contact.count[0]):
        n = vector(contact.normal, i)
        missing = contact.least_velocity[i] - dot(n, free_velocity(contact, response, i))
        freedom = dot(n, transform(delassus(contact, response, i, i), n))
        store_vector(contact.impulse, i, scale(max(missing / freedom, like(missing, 0)), n))
    half = like(time, 0.5) * dt
    residual = WORST_RESIDUAL if abs(time - p.worst) < half else RESIDUAL
    stage = NOT_CONVERGED if time > p.start - half else 0
    report_solution(response, ITERATIONS, residual, stage)
    return OK
