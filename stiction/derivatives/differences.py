"""Derivatives of a step by finite differences, all perturbed worlds in one batch.

Every world starts with the history of the step: warm start, joint modes, the accelerations of the
last step and the memory of controllers are those of the given state. Only what is perturbed
differs.

    central     D(h) = (f(h) - f(-h)) / 2h
    one-sided   D(h) = (4 f(h) - f(2h)) / 2h, relative to f(0), where only one side is allowed

Both have errors of second order, so D(h) and D(h/2) give one of fourth order (Richardson),

    (4 D(h/2) - D(h)) / 3

and their difference estimates the error. h is chosen so that velocities change by about VELOCITY:
large enough for rounding (1e-16 / h), small enough to stay within a case. Positions are perturbed
by less, if a contact point is so close to the surface that it would leave it or enter it.
"""

from __future__ import annotations

import dataclasses
import os
import warnings
from typing import NamedTuple

import numpy as np

from stiction.batch.cpu import CpuEngine
from stiction.batch.problem import Arguments, Problem, make_problem
from stiction.batch.simulate_batch import DIVERGES, UNSETTLED, WELL, record_of
from stiction.contact.contact_model import MODELS, NoContact, Parameter
from stiction.control.actuators import ActuatorTable
from stiction.derivatives.taken_step import TakenStep
from stiction.derivatives.tangent import displaced, displacement
from stiction.errors import LinearisationError
from stiction.kernels.tree import OK
from stiction.simulation.arguments import ARTICULATED
from stiction.world.mechanics import inertia
from stiction.world.world import State

VELOCITY = 1e-6  # change of velocities that perturbations aim at [m/s or rad/s]
POSITION, FINEST = 1e-6, 1e-9  # perturbation of positions and its lower bound [m or rad]
CLEARANCE = 4.0  # perturbations that fit between a contact point and the surface
RELATIVE = 1e-4  # perturbation of a parameter of the contact model, or absolute where it is 0
POSITIONS, VELOCITIES, TORQUES, ACTUATORS, PARAMETERS = range(5)  # what is perturbed


class Stencil(NamedTuple):
    """Offsets in units of h, and the weights of D(h) and D(h/2); f(0) is 0."""

    offsets: np.ndarray
    coarse: np.ndarray
    fine: np.ndarray


CENTRAL = Stencil(*np.array([[-1, -0.5, 0.5, 1], [-0.5, 0, 0, 0.5], [0, -1, 1, 0]]))
ONE_SIDED = Stencil(*np.array([[0.5, 1, 2], [0, 2, -0.5], [4, -1, 0]]))


class Column(NamedTuple):
    """A variable to differentiate with respect to."""

    what: int
    number: int  # of the coordinate, actuator or parameter
    size: float  # h
    side: int = 0  # 1 or -1 where only one side is allowed

    @property
    def response(self) -> float:
        """A derivative that is not small: 1, or what changes velocities by VELOCITY."""
        return 1.0 if self.what in (POSITIONS, VELOCITIES) else VELOCITY / self.size

    @property
    def stencil(self) -> Stencil:
        """How it is perturbed."""
        if self.side == 0:
            return CENTRAL
        return Stencil(*(self.side * row for row in ONE_SIDED))


class Differences(NamedTuple):
    """Derivatives of the displacement and velocity after a step, a column for each variable."""

    slope: np.ndarray  # (2 nv, columns)
    error: np.ndarray  # (columns) estimated, of each column relative to its largest entry
    crosses: np.ndarray  # (columns) whether a perturbation changed the case of a point or joint


def name_of(step: TakenStep, column: Column) -> str:
    """The variable of a column, in words."""
    if column.what == PARAMETERS:
        return str(step.system.model._fields[column.number])
    if column.what == ACTUATORS:
        names = [str(name) for robot in step.world.robots for name in robot.actuator_name]
        return f"actuator '{names[column.number]}'"
    kind = {POSITIONS: "position", VELOCITIES: "velocity", TORQUES: "torque"}[column.what]
    return f"{kind} of '{step.world.dof_name(column.number)}'"


# ------------------------------------------------------------------------------------ perturbations


def state_columns(step: TakenStep, clearance: float) -> list[Column]:
    """Columns of positions, then velocities; clearance: of contact points from the surface [m]."""
    size = min(POSITION, max(FINEST, clearance / CLEARANCE))
    nv = range(step.world.nv)
    return [Column(POSITIONS, d, size) for d in nv] + [Column(VELOCITIES, d, VELOCITY) for d in nv]


def torque_columns(step: TakenStep) -> list[Column]:
    """Columns of the forces along all coordinates."""
    return [Column(TORQUES, d, size) for d, size in enumerate(_torque_sizes(step))]


def actuator_columns(step: TakenStep) -> list[Column]:
    """Columns of the actuators' signals; none if no controller drives actuators."""
    if step.actuators is None:
        return []
    table = step.controllers[step.actuators]
    sizes = _torque_sizes(step)
    signal = table.control[_row_at(table, step)]
    columns = []
    for i in np.argsort(table.column):
        length = table.gear[i] * step.before.q[step.world.tree.dof_q[table.dof[i]]]
        rate = table.gear[i] * step.before.v[table.dof[i]]
        slope = abs(table.gear[i] * (table.gain[i] @ (1.0, length, rate)))
        size = float(sizes[table.dof[i]] / slope) if slope > 0 else VELOCITY
        low, high = table.control_range[i]
        given = float(signal[table.column[i]])
        side = 0
        if low <= given <= high:  # outside, the signal is clipped and changes nothing
            side = _side(given, size, low, high)
        columns.append(Column(ACTUATORS, int(table.column[i]), size, side))
    return columns


def _row_at(table: ActuatorTable, step: TakenStep) -> int:
    """Row of the signals that acts in the step."""
    last = len(table.time) - 1
    middle = step.start.time + step.dt / 2
    return int(np.clip(np.searchsorted(table.time, middle, "right") - 1, 0, last))


def _torque_sizes(step: TakenStep) -> np.ndarray:
    """Forces that change each velocity by about VELOCITY in a step, (nv)."""
    return VELOCITY / step.dt * np.diag(inertia(step.world, step.before.q))


def parameter_columns(step: TakenStep) -> list[Column]:
    """Columns of the parameters of the contact model that are numbers, not switches."""
    model, table = step.system.model, step.system.surface.contact.table
    if isinstance(model, NoContact):
        return []
    fields = MODELS[type(model)].fields
    return [
        _parameter_column(k, fields, table)
        for k, name in enumerate(fields)
        if _is_continuous(fields[name]) and not (name == "mu_static" and (table[:, k] == 0).any())
    ]


def _is_continuous(parameter: Parameter) -> bool:
    return parameter.per_pair and parameter.unit != "0 or 1" and parameter.multiple == 0


def _parameter_column(k: int, fields: dict[str, Parameter], table: np.ndarray) -> Column:
    """Column of a parameter, perturbed within its bounds and with mu_static >= mu_kinetic."""
    values = table[:, k]
    size = RELATIVE * float(np.abs(values).max() or 1.0)
    name, bounds = list(fields)[k], list(fields.values())[k]
    low, high = bounds.low, bounds.high
    side = _side(float(values.min()), size, low, high) or _side(
        float(values.max()), size, low, high
    )
    names = list(fields)
    if name in ("mu_static", "mu_kinetic") and {"mu_static", "mu_kinetic"} <= set(names):
        static, kinetic = (table[:, names.index(one)] for one in ("mu_static", "mu_kinetic"))
        apart = (static - kinetic)[static > 0]
        if len(apart) and apart.min() < 2 * size:
            side = 1 if name == "mu_static" else -1
    return Column(PARAMETERS, k, size, side)


def _side(value: float, size: float, low: float, high: float) -> int:
    """Side to which a value can be perturbed: 1, -1, or 0 for both."""
    if value - size < low:
        return 1
    return -1 if value + size > high else 0


# ------------------------------------------------------------------------------------------- batch


def differentiate(step: TakenStep, columns: list[Column]) -> Differences:
    """Differentiate the step with respect to all columns, in one batch."""
    rows = [(column, offset) for column in columns for offset in column.stencil.offsets]
    problem = _problem(step, rows)
    engine = CpuEngine(problem, len(os.sched_getaffinity(0)))
    engine.restore(step.before)
    engine.q[0], engine.v[0] = step.before.q, step.before.v  # checking normalises quaternions again
    engine.torque[:] = step.torque
    for row, (column, offset) in enumerate(rows, start=1):
        if column.what == TORQUES:
            engine.torque[row, column.number] += offset * column.size
    record = engine.make_record(record_of(problem, 1, ("contact_state",)))
    engine.advance(record, 1, 0, 1)
    _check(engine, step, rows)
    after, tree = step.simulation.state, step.world.tree
    ends = zip(engine.q[1:], engine.v[1:], strict=True)
    y = [np.append(displacement(tree, after.q, q), v - after.v) for q, v in ends]
    cases = np.hstack([record.contact_state[:, 0], engine.mode])
    crossed = (cases[1:] != cases[:1]).any(axis=1)
    return _weighted(columns, np.array(y).reshape(len(rows), 2 * step.world.nv), crossed)


def _weighted(columns: list[Column], y: np.ndarray, crossed: np.ndarray) -> Differences:
    """Derivatives from the changes y of all perturbed worlds, (rows, 2 nv)."""
    slope, error = np.zeros((y.shape[1], len(columns))), np.zeros(len(columns))
    crosses, first = np.zeros(len(columns), bool), 0
    for k, column in enumerate(columns):
        stencil = column.stencil
        here = slice(first, first + len(stencil.offsets))
        coarse, fine = stencil.coarse @ y[here] / column.size, stencil.fine @ y[here] / column.size
        slope[:, k] = (4 * fine - coarse) / 3
        largest = max(float(np.abs(slope[:, k]).max()), column.response)
        error[k] = np.abs(fine - coarse).max() / 3 / largest
        crosses[k] = crossed[here].any()
        first = here.stop
    return Differences(slope, error, crosses)


def _problem(step: TakenStep, rows: list[tuple[Column, float]]) -> Problem:
    """The unperturbed world, then those with the states, signals and parameters of the rows."""
    start, tree, given = step.start, step.world.tree, step.given
    states = [start]
    signals = np.zeros((len(rows) + 1, _signal_count(step)))
    values = np.zeros((len(rows) + 1, len(step.system.model)))
    for row, (column, offset) in enumerate(rows, start=1):
        q, v, change = start.q, start.v, offset * column.size
        if column.what == POSITIONS:
            q = displaced(tree, q, change * np.eye(1, step.world.nv, column.number)[0])
        elif column.what == VELOCITIES:
            v = v + change * np.eye(1, step.world.nv, column.number)[0]
        elif column.what == ACTUATORS:
            signals[row, column.number] = change
        elif column.what == PARAMETERS:
            values[row, column.number] = change
        states.append(State(q, v, start.time))
    controls: object = step.controllers
    if signals.any():
        controls = [step.with_signals(change) for change in signals]
    arguments = Arguments(
        step.world, len(states), given.contact, step.dt, states, None, controls, given.forces, None,
        given.integrator, ARTICULATED, "float64",
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the step itself has given them
        problem = make_problem(arguments)
    if not values.any():
        return problem
    return dataclasses.replace(
        problem, values=problem.values + values, table=problem.table + values[:, None, :]
    )


def _signal_count(step: TakenStep) -> int:
    if step.actuators is None:
        return 0
    return step.controllers[step.actuators].control.shape[1]


def _check(engine: CpuEngine, step: TakenStep, rows: list[tuple[Column, float]]) -> None:
    """Raise LinearisationError if a perturbed world failed, or the first is not the step."""
    failed = np.flatnonzero(engine.status != OK)
    if len(failed):
        told = (WELL, DIVERGES, UNSETTLED)[min(int(engine.status[failed[0]]), 2)]
        raise LinearisationError(
            f"linearise: {len(failed)} of {len(rows)} perturbed steps failed ({told}); the step "
            "has no derivative that differences could find"
        )
    after = step.simulation.state
    if not (np.array_equal(engine.q[0], after.q) and np.array_equal(engine.v[0], after.v)):
        raise LinearisationError(
            "linearise: the step depends on more than its state; a controller or contact model "
            "keeps memory that a saved state does not hold"
        )
