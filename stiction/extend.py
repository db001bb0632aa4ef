"""All that the author of a contact model, an integrator or a controller imports.

from stiction.extend import OK, Parameter, contact_model, dot, scale, store_vector, vector
"""

from stiction.compiler.compiled import formula, kernel
from stiction.contact.contact_model import (
    ACCELERATION_LAW,
    CONE_PER_POINT,
    FORCE_LAW,
    FULL_FRICTION,
    IMPULSE_LAW,
    IMPULSE_SOLVER,
    NO_ENERGY_GAIN,
    NO_PULL,
    UNIQUE_FORCES,
    Parameter,
    contact_model,
    parameters,
    vector,
)
from stiction.contact.contact_state import OPEN, SLIP, STICK, TO_SLIP, TO_STICK, contact_state
from stiction.contact.parameters import (
    Damping,
    Duration,
    Exponent,
    Fraction,
    Friction,
    Mass,
    Restitution,
    Speed,
    Stiffness,
    Switch,
    Tolerance,
)
from stiction.contact.scratch import PerPoint, VectorPerPoint
from stiction.contact.touched_axes import from_touched, to_touched
from stiction.control.controller import controller, prescribe, prescriber
from stiction.kernels.kinematics import advance
from stiction.kernels.response import (
    NOT_CONVERGED,
    apply_impulse,
    delassus,
    free_acceleration,
    free_velocity,
    gather_wrenches,
    report_solution,
    respond_to_wrenches,
    velocity_after,
)
from stiction.kernels.servos import add_servo
from stiction.kernels.tree import OK
from stiction.kernels.vectors import (
    add,
    cross,
    dot,
    like,
    load_vector,
    scale,
    store_vector,
    sub,
    transform,
    zero_vector,
)
from stiction.step.integrator import Accounting, integrator
from stiction.step.record import record_forces
from stiction.step.step import compute_forces, solve_motion, solve_motion_again
from stiction.step.system import Instant, Shares

__all__ = [
    "ACCELERATION_LAW",
    "CONE_PER_POINT",
    "FORCE_LAW",
    "FULL_FRICTION",
    "IMPULSE_LAW",
    "IMPULSE_SOLVER",
    "NOT_CONVERGED",
    "NO_ENERGY_GAIN",
    "NO_PULL",
    "OK",
    "OPEN",
    "SLIP",
    "STICK",
    "TO_SLIP",
    "TO_STICK",
    "UNIQUE_FORCES",
    "Accounting",
    "Damping",
    "Duration",
    "Exponent",
    "Fraction",
    "Friction",
    "Instant",
    "Mass",
    "Parameter",
    "PerPoint",
    "Restitution",
    "Shares",
    "Speed",
    "Stiffness",
    "Switch",
    "Tolerance",
    "VectorPerPoint",
    "add",
    "add_servo",
    "advance",
    "apply_impulse",
    "compute_forces",
    "contact_model",
    "contact_state",
    "controller",
    "cross",
    "delassus",
    "dot",
    "formula",
    "free_acceleration",
    "free_velocity",
    "from_touched",
    "gather_wrenches",
    "integrator",
    "kernel",
    "like",
    "load_vector",
    "parameters",
    "prescribe",
    "prescriber",
    "record_forces",
    "report_solution",
    "respond_to_wrenches",
    "scale",
    "solve_motion",
    "solve_motion_again",
    "store_vector",
    "sub",
    "to_touched",
    "transform",
    "vector",
    "velocity_after",
    "zero_vector",
]
