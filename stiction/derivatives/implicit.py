"""Derivatives of a step under `Coulomb` by implicit differentiation.

The converged step solves F(z, x) = 0 for the accelerations and impulses z, with the active cases
of points and joints; `equations.py` has F. So

    dF/dz dz = -dF/dx dx

dF/dz is exact, and so is the passage through the friction cones: no contact problem is solved
again. dF/dx is the derivative of smooth functions, inertia, bias and contact kinematics with z
held, by differences of fourth order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from stiction.batch.leaves import arrays_of, map_arrays
from stiction.contact.contact_model import NoContact
from stiction.contact.coulomb import Coulomb
from stiction.contact.solvers.newton import MOST_POLISHES
from stiction.control.controller import PRESCRIBERS
from stiction.derivatives.differences import (
    ACTUATORS,
    POSITIONS,
    TORQUES,
    VELOCITIES,
    Column,
    Differences,
)
from stiction.derivatives.equations import Equations, Measured, Unknowns, Variables
from stiction.derivatives.taken_step import TakenStep
from stiction.derivatives.tangent import displaced, displacement
from stiction.errors import InputError, LinearisationError
from stiction.integrators.midpoint import Midpoint
from stiction.integrators.semi_implicit import SemiImplicitEuler
from stiction.kernels.loops import NoLoops
from stiction.step.record import FORCE

POSITION, VELOCITY, ACCELERATION = 1e-4, 1e-3, 1.0  # perturbations of smooth functions
SETTLED = 1e-12  # relative change of the unknowns that counts as rounding
NEWTON_STEPS = 4  # from the unknowns of one stage to those of the next; two or three suffice
SAME_POSITION, SAME_VELOCITY = 1e-9, 2e-6  # between the step and its equations, relative to 1 or v


class Solution(NamedTuple):
    """The unknowns of a step: with impulses of least norm, and after each polish."""

    stages: tuple[Unknowns, ...]
    at: Measured

    @property
    def last(self) -> Unknowns:
        """The final unknowns."""
        return self.stages[-1]


def differentiate_implicitly(step: TakenStep, columns: list[Column]) -> Differences:
    """Differentiate the step with respect to all columns."""
    check_step(step)
    try:
        with np.errstate(all="ignore"):  # what is not finite is refused
            found = _differentiate(step, columns)
    except np.linalg.LinAlgError:
        found = None
    if found is None or not np.isfinite(found.slope).all():
        raise LinearisationError(
            "linearise: the cases of the step have no unique solution; use method='differences'"
        )
    return found


def _differentiate(step: TakenStep, columns: list[Column]) -> Differences:
    equations = Equations(step)
    solution = solve(equations)
    check_solution(equations, solution)
    system = coupled_system(equations, solution)
    right = np.array([-over(equations, solution, column) for column in columns])
    nv, last = step.world.nv, len(system) - len(system) // len(solution.stages)
    change = np.linalg.solve(system, right.reshape(len(columns), len(system)).T)
    a = change[last : last + nv]
    slope = np.zeros((2 * nv, len(columns)))
    start, z = equations.start, solution.last.a
    for k, column in enumerate(columns):
        slope[:nv, k] = position_slope(equations, start, z, column, a[:, k])
        slope[nv:, k] = step.dt * a[:, k]
        if column.what == VELOCITIES:
            slope[nv + column.number, k] += 1.0
    return Differences(slope, np.zeros(len(columns)), np.zeros(len(columns), bool))


# ------------------------------------------------------------------------------- what can be solved


def check_step(step: TakenStep) -> None:
    """Raise an error for a step that cannot be differentiated implicitly."""
    model, integrator = step.system.model, step.given.integrator
    if not isinstance(model, Coulomb | NoContact):
        raise InputError(
            f"linearise: method 'implicit' is for Coulomb, found {type(model).__name__}; use "
            "method='differences'"
        )
    if isinstance(model, Coulomb) and model.unique == 0:
        raise InputError(
            "linearise: with Coulomb(unique=0) impulses depend on the steps before; method "
            "'implicit' needs unique=1"
        )
    if not isinstance(integrator, Midpoint | SemiImplicitEuler):
        raise InputError(
            f"linearise: method 'implicit' is for Midpoint() and SemiImplicitEuler(), found "
            f"{type(integrator).__name__}(); use method='differences'"
        )
    reason = _why_not(step)
    if reason:
        raise LinearisationError(f"linearise: {reason}; use method='differences'")


def _why_not(step: TakenStep) -> str:
    """What has no implicit derivative in this step, in words; '' if there is nothing."""
    if step.has_impacts:
        return "points hit the ground within the step, and the time of impact matters"
    if any(type(one) in PRESCRIBERS for one in step.controllers):
        return "coordinates are prescribed"
    if not isinstance(step.system.loops, NoLoops):
        return "the world has closed loops"
    if step.work.total_between[:, FORCE : FORCE + 3].any():
        return "bodies touch each other, and points between them may jump"
    if step.simulation.unsolved.count > step.before.report[2][0]:
        return "the step is unsolved"
    return ""


def check_solution(equations: Equations, solution: Solution) -> None:
    """Raise LinearisationError unless the equations reproduce the step that was taken."""
    step, a = equations.step, solution.last.a
    after = step.simulation.state
    fastest = 1.0 + float(np.abs(after.v).max(initial=0.0))
    off = float(np.abs(step.dt * (a - step.acceleration)).max(initial=0.0))
    if not off <= SAME_VELOCITY * fastest:
        raise LinearisationError(
            f"linearise: the cases of the step give velocities that differ by {off:.2g} m/s from "
            "its own; use method='differences'"
        )
    moved = displacement(
        equations.tree, equations.advanced(equations.start, step.acceleration), after.q
    )
    if not np.abs(moved).max(initial=0.0) <= SAME_POSITION:
        raise LinearisationError(
            "linearise: the step corrects positions, of points that have sunk or of a slide that "
            "ends; use method='differences'"
        )


# ------------------------------------------------------------------------------- stages of a step


def solve(equations: Equations) -> Solution:
    """Solve the equations of all stages, from the unknowns of the step.

    How often the solver has polished the impulses is seen from these: where legs can hardly move
    the feet, each polish changes them.
    """
    m = equations.measured(equations.start)
    found = Unknowns(equations.step.acceleration, equations.touching.impulse)
    stages, z, hat = [], found, np.zeros_like(found.p)
    nearest = np.inf
    for _ in range(1 + MOST_POLISHES):
        z = newton(equations, m, z, hat)
        off = float(np.abs(z.p - found.p).max(initial=0.0))
        if not off < nearest:
            break
        stages.append(z)
        hat, nearest = z.p, off
    return Solution(tuple(stages), m)


def newton(equations: Equations, m: Measured, z: Unknowns, hat: np.ndarray) -> Unknowns:
    """Solve the equations of one stage by Newton's method."""
    nv = len(z.a)
    for _ in range(NEWTON_STEPS):
        A, _ = equations.slopes(m, z)
        step = np.linalg.solve(A, -equations.residual(m, z, hat))
        z = Unknowns(z.a + step[:nv], z.p + step[nv:].reshape(-1, 3))
        if np.abs(step).max() <= SETTLED * np.abs(z.a).max():
            break
    return z


def coupled_system(equations: Equations, solution: Solution) -> np.ndarray:
    """dF/dz of all stages; the mean spin of lone bodies couples them to the last accelerations."""
    nv, count = len(solution.last.a), len(solution.stages)
    size = nv + solution.last.p.size
    system = np.zeros((count * size, count * size))
    for k, z in enumerate(solution.stages):
        here, before = slice(k * size, (k + 1) * size), slice((k - 1) * size + nv, k * size)
        system[here, here], over_hat = equations.slopes(solution.at, z)
        if k > 0:
            system[here, before] = over_hat
    for d in equations.alone:
        shift = ACCELERATION * np.eye(1, nv, d)[0]

        def spun(s: float, shift: np.ndarray = shift) -> Variables:
            return equations.start._replace(mean=equations.start.mean + s * shift)

        last = (count - 1) * size + d
        system[:, last] += smooth_slope(equations, solution, spun) / ACCELERATION
    return system


def smooth_slope(
    equations: Equations, solution: Solution, at: Callable[[float], Variables]
) -> np.ndarray:
    """Derivative of the residuals of all stages along `at`, at 0, unknowns held.

    The coefficients are differentiated by differences of fourth order. They are smooth; the
    residual is not, on the scale of a slow slip, and follows exactly.
    """
    m = solution.at
    ends = np.cumsum([np.size(array) for array in arrays_of(m)])[:-1]

    def coefficients(s: float) -> np.ndarray:
        return np.concatenate([array.ravel() for array in arrays_of(equations.measured(at(s)))])

    parts = iter(np.split(slope_of(coefficients), ends))
    dm = map_arrays(lambda array: next(parts).reshape(array.shape), m)
    return np.concatenate([equations.residual_slope(m, dm, z) for z in solution.stages])


def slope_of(f: Callable[[float], np.ndarray]) -> np.ndarray:
    """Derivative of f at 0, with steps of 1 and 2, to fourth order."""
    return (8.0 * (f(1.0) - f(-1.0)) - (f(2.0) - f(-2.0))) / 12.0


# ----------------------------------------------------------------------------------------- columns


def over(equations: Equations, solution: Solution, column: Column) -> np.ndarray:
    """dF/dx of all stages for the variable of a column."""
    if column.what in (POSITIONS, VELOCITIES, ACTUATORS):
        size = _size(column)
        return (
            smooth_slope(equations, solution, lambda s: varied(equations, column, s * size)) / size
        )
    direct = [_over_directly(equations, solution, column, z) for z in solution.stages]
    return np.concatenate(direct)


def _over_directly(
    equations: Equations, solution: Solution, column: Column, z: Unknowns
) -> np.ndarray:
    """dF/dx of one stage for a force along a coordinate, or a parameter of the contact model."""
    m, nv = solution.at, len(z.a)
    result = np.zeros(nv + z.p.size)
    if column.what == TORQUES:
        result[column.number] = 0.0 if equations.holds[column.number] else -1.0
    elif equations.step.system.model._fields[column.number] == "mu_kinetic":
        v = equations.velocity(m, z.a)
        result[nv:] = equations.cases.over_friction(m.at.normal, v, z.p)
    return result


def _size(column: Column) -> float:
    """Perturbation for differences of smooth functions."""
    return {POSITIONS: POSITION, VELOCITIES: VELOCITY}.get(column.what, column.size)


def varied(equations: Equations, column: Column, change: float) -> Variables:
    """Return the variables of the step with one of them changed."""
    start, step = equations.start, equations.step
    unit = change * np.eye(1, step.world.nv, column.number)[0]
    if column.what == POSITIONS:
        return start._replace(q=displaced(equations.tree, start.q, unit))
    if column.what == VELOCITIES:
        return start._replace(v=start.v + unit)
    if column.what == ACTUATORS:
        signals = step.controllers[step.actuators].control.shape[1]  # type: ignore[index]
        change_of_signals = change * np.eye(1, signals, column.number)[0]
        return start._replace(controllers=step.with_signals(change_of_signals))
    return start


def position_slope(
    equations: Equations, start: Variables, a: np.ndarray, column: Column, change: np.ndarray
) -> np.ndarray:
    """Derivative of the displacement after the step; change: that of the accelerations."""
    size = VELOCITY / max(1.0, equations.dt * float(np.abs(change).max()))
    after = equations.advanced(start, a)

    def moved(s: float) -> np.ndarray:
        at = varied(equations, column, s * size)
        return displacement(equations.tree, after, equations.advanced(at, a + s * size * change))

    return slope_of(moved) / size
