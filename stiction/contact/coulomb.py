"""`Coulomb`: exact friction cone by Newton's method; our own solver, the one to begin with.

One or two linear systems of six unknowns per touching link, however many points it touches with;
`newton.py` tells the method, `friction.py` the rule for two coefficients of friction.

Impulses are those of least norm (`unique` = 1, default), a function of the state alone: a foot that
stands on many points is carried evenly. With `unique` = 0 they continue those of the last step.
Where Newton's method goes round in circles, which happens at hard impacts and on rough ground,
convex problems are solved one after the other (`de_saxce.py`), from the impulses of the last step.
A single contact is solved exactly (`one_contact.py`). Where all else fails, which takes two
contacts and friction of 5 and more, one contact after the other is (`sweeps.py`).
"""

from typing import NamedTuple

from stiction.contact.contact_model import (
    CONE_PER_POINT,
    IMPULSE_SOLVER,
    NO_ENERGY_GAIN,
    NO_PULL,
    UNIQUE_FORCES,
    contact_model,
)
from stiction.contact.friction import BROKEN_SPEED, break_away, choose_friction, speed_scale
from stiction.contact.parameters import Fraction, Friction, Speed, Switch, Tolerance
from stiction.contact.solvers.de_saxce import de_saxce
from stiction.contact.solvers.newton import FAILED, NEARLY, SOLVED, newton
from stiction.contact.solvers.one_contact import solve_alone
from stiction.contact.solvers.sweeps import sweep_exactly
from stiction.contact.solvers.warm_start import (
    NOT_CONVERGED,
    SCRATCH,
    keep_impulses,
    recall_impulses,
    remember_impulses,
    return_impulses,
)
from stiction.kernels.response import ALL_ITERATIONS, WRENCHES_LEFT
from stiction.kernels.spatial import like
from stiction.kernels.tree import OK

AGAIN = 8  # solutions in a step, each time that points break away
ITERATIONS = 40  # of Newton's method
COMPLIANCE = 1e3  # eps per tolerance: 1e-5 in double precision
ROUNDING = 10.0  # largest relative error that rounding may leave, in slacks of the precision
NEGLIGIBLE = 1e-5  # velocities by what gravity gives in a step: larger ones are errors
EFFORT = 5000  # iterations in a step after which only Newton's method is tried
NEWTON, DE_SAXCE, SWEEPING = 0, 1, 2  # stages


class Coulomb(NamedTuple):
    """Exact Coulomb friction and impacts, solved by Newton's method."""

    mu_static: Friction = 0.5  # 0: no static friction
    mu_kinetic: Friction = 0.5
    restitution: Fraction = 0.0
    rest_speed: Speed = 0.0  # slower points do not bounce; 0: those that gravity stops in a step
    stick_speed: Speed = 1e-4  # points that slide more slowly are at rest
    newton_impacts: Switch = 0.0  # 1: Newton's restitution even where it adds energy
    unique: Switch = 1.0
    tolerance: Tolerance = 1e-8  # relative, of impulses; 1e-5 in single precision


@contact_model(
    Coulomb,
    promises=(CONE_PER_POINT, NO_PULL, NO_ENERGY_GAIN, UNIQUE_FORCES),
    family=IMPULSE_SOLVER,
    point_memory=4,
    scratch=SCRATCH,
)
def coulomb(params, dynamics, contact, memory, work, dt):
    """Write the impulses of all points."""
    response, scratch, tolerance = work.response, work.scratch, params.tolerance
    choose_friction(params, contact, scratch)
    recall_impulses(contact, memory, dt)
    speed = like(dt, NEGLIGIBLE) * speed_scale(dynamics, contact, response, dt)
    rounding = like(dt, ROUNDING) * dynamics.tree.slack[0]
    hat, eps, nothing = like(dt, params.unique == 0), like(dt, COMPLIANCE) * tolerance, like(dt, 0)
    iterations, error, largest, stage = 0, nothing, nothing, NEWTON
    for _ in range(AGAIN):
        end, alone = NEARLY, solve_alone(contact, response, scratch)
        if not alone:
            keep_impulses(contact, scratch)
            taken, error, largest, end = newton(
                contact, response, scratch, tolerance, speed, rounding, hat, eps, ITERATIONS
            )
            iterations += taken
            stage = NEWTON
        if end == FAILED:
            return_impulses(contact, scratch)
        if end != SOLVED and not alone and response.report[ALL_ITERATIONS] > EFFORT:
            stage = NOT_CONVERGED
        elif end != SOLVED:
            taken, error, largest, solved = de_saxce(
                contact, response, scratch, tolerance, speed, rounding
            )
            iterations += taken
            stage = DE_SAXCE if taken > 0 else NEWTON
            if not solved:
                taken, error, solved = sweep_exactly(contact, response, scratch, speed)
                iterations += taken
                stage = SWEEPING if solved else NOT_CONVERGED
        if break_away(params, contact, response, scratch, like(dt, BROKEN_SPEED)) == 0:
            break
    response.report[0], response.report[2] = iterations, stage
    response.report[1] = error / largest if largest > 0 else nothing
    response.report[WRENCHES_LEFT] = 1  # more exact than their sum over points
    remember_impulses(contact, memory, dt)
    return OK
