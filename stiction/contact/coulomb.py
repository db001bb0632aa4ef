"""`Coulomb`: exact friction cone by Newton's method; our own solver, the one to begin with.

One or two linear systems of six unknowns per touching link, however many points it touches with;
`newton.py` tells the method, `friction.py` the rule for two coefficients of friction.

Impulses are those of least norm (`unique` = 1, default), a function of the state alone: a foot that
stands on many points is carried evenly. With `unique` = 0 they continue those of the last step.
Where Newton's method goes round in circles, which happens at hard impacts, it starts again with a
compliance that shrinks from large to small, then with impulses that continue the last step's, and
in the end visits one contact after the other (`sweeps.py`).
"""

from typing import NamedTuple

from stiction.compiled import kernel
from stiction.contact import sweeps
from stiction.contact.contact_model import (
    CONE_PER_POINT,
    IMPULSE_SOLVER,
    NO_ENERGY_GAIN,
    NO_PULL,
    UNIQUE_FORCES,
    contact_model,
)
from stiction.contact.friction import BROKEN_SPEED, break_away, choose_friction
from stiction.contact.newton import newton
from stiction.contact.spring_damper import Friction, Speed, Switch
from stiction.contact.sweeps import prepare_points, sweep
from stiction.contact.warm_start import (
    NOT_CONVERGED,
    Fraction,
    Tolerance,
    recall_impulses,
    remember_impulses,
)
from stiction.kernels.response import WRENCHES_LEFT, gather_wrenches, respond_to_wrenches
from stiction.kernels.spatial import like, load_vector, store_vector
from stiction.kernels.tree import OK

SAVED = sweeps.ROOM  # columns of the room: impulses at the beginning
ROOM = SAVED + 3
ATTEMPTS = 8  # of all stages together, each time that points break away counted

# Stages: hat, compliance at the beginning (0: the least), how it shrinks, iterations.
STAGES = (
    (0.0, 0.0, 1.0, 40),  # unique impulses
    (0.0, 0.1, 0.3, 30),  # the same, from large compliance to small
    (1.0, 0.0, 1.0, 12),  # continue the last impulses
    (1.0, 0.3, 0.5, 30),  # the same, from large compliance to small
)
COMPLIANCE = 1e3  # least compliance per tolerance: 1e-5 in double precision
ROUNDING = 10.0  # largest relative error that rounding may leave, in slacks of the precision
CONTINUING = 2  # first stage whose impulses are not unique
SWEEPING = len(STAGES)  # the stage after these: one contact after the other
SWEEPS = 500


class Coulomb(NamedTuple):
    """Exact Coulomb friction and impacts, solved by Newton's method."""

    mu_static: Friction = 0.5  # 0: no static friction
    mu_kinetic: Friction = 0.5
    restitution: Fraction = 0.0
    rest_speed: Speed = 0.01  # points that come down more slowly do not bounce
    stick_speed: Speed = 1e-4  # points that slide more slowly are at rest
    newton_impacts: Switch = 0.0  # 1: Newton's restitution even where it adds energy
    unique: Switch = 1.0
    tolerance: Tolerance = 1e-8  # relative, of impulses; 1e-5 in single precision


@contact_model(
    Coulomb,
    promises=(CONE_PER_POINT, NO_PULL, NO_ENERGY_GAIN, UNIQUE_FORCES),
    family=IMPULSE_SOLVER,
    point_state=4,
    room=ROOM,
)
def coulomb(params, dynamics, contact, state, work, dt):
    """Write the impulses of all points."""
    response, room = work.response, work.room
    choose_friction(params, contact, room)
    recall_impulses(contact, state, dt)
    keep_impulses(contact, room)
    stage = 0 if params.unique > 0 else CONTINUING
    iterations, off = 0, like(dt, 0)
    for _ in range(ATTEMPTS):
        hat, eps, shrink, most = settings(stage, dt)
        least_eps = like(dt, COMPLIANCE) * params.tolerance
        taken, off, solved = newton(
            contact,
            response,
            room,
            params.tolerance,
            like(dt, ROUNDING) * dynamics.tree.slack[0],
            hat,
            max(eps, least_eps),
            shrink,
            least_eps,
            most,
        )
        iterations += taken
        if solved:
            if break_away(params, contact, response, room, like(dt, BROKEN_SPEED)) == 0:
                break
        else:
            stage += 1
            return_impulses(contact, room)
            if stage == SWEEPING:
                break
    if stage == SWEEPING:
        taken, off = sweep_to_rest(contact, response, room, params.tolerance)
        iterations += taken
        stage = SWEEPING if off <= params.tolerance else NOT_CONVERGED
    response.report[0], response.report[1], response.report[2] = iterations, off, stage
    response.report[WRENCHES_LEFT] = stage < SWEEPING  # more exact than their sum over points
    remember_impulses(contact, state, dt)
    return OK


@kernel
def settings(stage, dt):
    """Return the numbers of a stage in the precision of dt."""
    hat, eps, shrink, most = STAGES[stage]
    return like(dt, hat), like(dt, eps), like(dt, shrink), most


@kernel
def sweep_to_rest(contact, response, room, tolerance):
    """Sweep over the contacts until nothing moves; returns sweeps and the last relative change."""
    prepare_points(contact, response, room)
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    for k in range(SWEEPS):
        off = sweep(contact, response, room)
        if off <= tolerance:
            return k + 1, off
    return SWEEPS, off


# ------------------------------------------------------------------------- impulses to go back to


@kernel
def keep_impulses(contact, room):
    """Keep the present impulses."""
    for i in range(contact.count[0]):
        room[i, SAVED], room[i, SAVED + 1], room[i, SAVED + 2] = load_vector(contact.impulse, i)


@kernel
def return_impulses(contact, room):
    """Return to the impulses that were kept."""
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, (room[i, SAVED], room[i, SAVED + 1], room[i, SAVED + 2]))
