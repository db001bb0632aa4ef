"""The data of a step: the system, its state, scratch and totals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.contact.surface import Surface
from stiction.kernels.forces import Forces
from stiction.kernels.forward_dynamics import ArticulatedBody, JointSpace
from stiction.kernels.loops import Loops, NoLoops
from stiction.kernels.tree import Dynamics
from stiction.step.flight import Flight, NoFlight


class System(NamedTuple):
    """Everything that determines the accelerations of a state."""

    dynamics: Dynamics
    method: ArticulatedBody | JointSpace
    controllers: tuple
    control_memory: tuple  # a `ControlMemory` for each controller that has one
    forces: Forces
    model: NamedTuple  # parameters of the contact model
    surface: Surface
    loops: Loops | NoLoops


class Instant(NamedTuple):
    """The time of an evaluation, and the step that it belongs to."""

    time: float  # of the evaluation [s]
    step_time: float  # start of the step [s]
    dt: float  # length of the step [s]
    implicit: float  # delay of damping within the step: it acts on v + implicit a [s]


class Shares(NamedTuple):
    """How an integrator advances positions, for contact and stops.

    From the configuration in which contact is detected to that of the next step, positions move by
    dt (old v + new v_next); to the end of this step, by dt (old v + bend v_next); within the step,
    by v t + bend a t^2.
    """

    old: float
    new: float
    bend: float


class StepState(NamedTuple):
    """The arrays that a step changes; the modes of the joints are in `Dynamics`."""

    q: np.ndarray  # (nq)
    v: np.ndarray  # (nv)


class Work(NamedTuple):
    """Scratch for integrators, and the forces of the step for the record."""

    q: np.ndarray  # (nq) state at a stage
    v: np.ndarray  # (nv)
    q_rate: np.ndarray  # (nq) rate at a stage
    q_sum: np.ndarray  # (nq) weighted sum of rates
    v_sum: np.ndarray  # (nv)
    wanted: np.ndarray  # (1) 1 if the forces of this step are to be recorded
    share: np.ndarray  # (1) weight of the stages that are recorded, -1 before the first
    torque: np.ndarray  # (nv) of controllers and prescribed motion, at the first of them
    passive: np.ndarray  # (nv) friction and stops
    impulse: np.ndarray  # (points, 3) of contact, over all stages
    depth: np.ndarray  # (contact points) penetration
    slip: np.ndarray  # (points, 3) velocity along the ground
    contact_velocity: np.ndarray  # (points, 3) at the end of the step, minus the least velocity
    contact_state: np.ndarray  # (points) see `contact_state.py`
    between: np.ndarray  # (points between bodies, BETWEEN) see `record.py`, with impulses
    rows: np.ndarray  # (points between bodies) rows of `between` in use
    row_count: np.ndarray  # (1) number of these
    contact_work: np.ndarray  # (1) of contact on the robots, relative to the ground [J]
    first_q: np.ndarray  # (nq) at the start of the step, or of what is left of it
    first_v: np.ndarray  # (nv)
    first_mode: np.ndarray  # (nv)
    total_torque: np.ndarray  # (nv) mean over all parts of the step
    total_passive: np.ndarray  # (nv)
    total_impulse: np.ndarray  # (points, 3) of contact, over all parts of the step
    total_state: np.ndarray  # (points) in the last part of the step in which it is not open
    total_between: np.ndarray  # (points between bodies, BETWEEN)
    total_rows: np.ndarray  # (points between bodies) rows of it in use
    total_row_count: np.ndarray  # (1) number of these
    total_work: np.ndarray  # (1) of contact, over all parts of the step [J]
    total_solver: np.ndarray  # (3) iterations of all solutions, worst residual and stage of parts
    flight: Flight | NoFlight  # the second if robots can touch only the ground
