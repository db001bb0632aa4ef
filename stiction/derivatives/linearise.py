"""`linearise`: how a step depends on state, control and parameters of the contact model."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.derivatives.differences import (
    Column,
    actuator_columns,
    differentiate,
    name_of,
    parameter_columns,
    state_columns,
    torque_columns,
)
from stiction.derivatives.implicit import differentiate_implicitly
from stiction.derivatives.margin import Margin, clearance_of, margin_of
from stiction.derivatives.taken_step import Given, TakenStep, take_step
from stiction.derivatives.tangent import displacement
from stiction.description.arguments import shown
from stiction.errors import CaseWarning, InputError
from stiction.simulation.arguments import AUTOMATIC, MIDPOINT, Controller
from stiction.simulation.saved_state import SavedState
from stiction.world.world import State, World

STATE, TORQUE, PARAMETERS = "state", "torque", "parameters"
BLOCKS = (STATE, TORQUE, PARAMETERS)
DIFFERENCES, IMPLICIT = "differences", "implicit"
NEAR = 1e-6  # margin below which derivatives hold on one side alone [m/s or rad/s]


@dataclass(frozen=True)
class Linearisation:
    """A step and its derivatives: x_next = A x + B u + B_actuators s + C p, in small changes.

    x (2 nv) is a displacement along the velocity coordinates, then a change of the velocities; u
    (nv) are forces along the coordinates, s (nu) signals of actuators, and p parameters of the
    contact model. Blocks that were not asked for have no columns.
    """

    world: World
    state: State  # at the start of the step
    next_state: State
    A: np.ndarray  # (2 nv, 2 nv)
    B: np.ndarray  # (2 nv, nv)
    B_actuators: np.ndarray  # (2 nv, nu); no columns if `Actuators` do not drive the world
    C: np.ndarray  # (2 nv, parameters)
    parameters: tuple[str, ...]  # names of the columns of C, each of all pairs of materials at once
    contact_state: np.ndarray  # (contact points) 0 open, 1 stick, 2 slip, as in `Motion`
    margin: float  # to the nearest change of case [m/s or rad/s]; NaN if it is not known
    nearest: str  # that change
    error: float  # estimated, of the worst column, relative to its largest entry; 0 if "implicit"
    crossed: tuple[str, ...]  # variables whose perturbation changed a case
    method: str

    def deviation(self, state: State) -> np.ndarray:
        """Return x of a state near the start of the step, (2 nv)."""
        near = self.world.check_state(state)
        moved = displacement(self.world.tree, self.state.q, near.q)
        return np.append(moved, near.v - self.state.v)


# More than eight arguments: they are the keywords of `simulate`, which are public and fixed, and
# what to differentiate; they are always given by name.
def linearise(
    world: World,
    state: State | SavedState | None = None,
    contact: Any = AUTOMATIC,
    *,
    dt: float = 0.001,
    controller: Controller = None,
    torque: ArrayLike | None = None,
    forces: Any = (),
    integrator: Any = MIDPOINT,
    wrt: tuple[str, ...] = BLOCKS,
    method: str = DIFFERENCES,
) -> Linearisation:
    """Return the derivatives of one step with respect to state, control and contact parameters.

    Warns with a `CaseWarning` if the step is at a change of case, where a derivative holds on one
    side alone.

    Args:
        world: the world.
        state: at the start of the step; home by default. A `SavedState` also brings the history of
            a simulation: warm start, joint modes, memory of controllers.
        contact: the contact model, as for `simulate`.
        dt: length of the step [s].
        controller: as for `simulate`; its feedback is part of A.
        torque: forces along the coordinates in addition to the controller, (nv).
        forces: external forces, as for `simulate`.
        integrator: as for `simulate`; `Midpoint` and `SemiImplicitEuler` for "implicit".
        wrt: some of "state", "torque" (and actuators) and "parameters".
        method: "differences", for every contact model, or "implicit", for `Coulomb`.
    """
    _check_names(wrt, method)
    step = take_step(Given(world, state, contact, dt, controller, forces, torque, integrator))
    return _linearised(step, wrt, method)


def _linearised(step: TakenStep, wrt: tuple[str, ...], method: str) -> Linearisation:
    """Differentiate a step and say how close it is to a change of case."""
    margin, blocks = margin_of(step), _blocks(step, wrt)
    columns = [column for block in blocks for column in block]
    found = (differentiate if method == DIFFERENCES else differentiate_implicitly)(step, columns)
    names = [name_of(step, column) for column in columns]
    crossed = tuple(name for name, crosses in zip(names, found.crosses, strict=True) if crosses)
    _warn(margin, crossed)
    ends = np.cumsum([len(block) for block in blocks])[:-1]
    A, B, B_actuators, C = np.split(found.slope, ends, axis=1)
    return Linearisation(
        world=step.world,
        state=step.start,
        next_state=step.simulation.state,
        A=A,
        B=B,
        B_actuators=B_actuators,
        C=C,
        parameters=tuple(names[ends[-1] :]),
        contact_state=step.work.total_state.copy(),
        margin=margin.speed,
        nearest=margin.nearest,
        error=float(found.error.max(initial=0.0)),
        crossed=crossed,
        method=method,
    )


def _blocks(step: TakenStep, wrt: tuple[str, ...]) -> list[list[Column]]:
    """Columns of A, B, B_actuators and C."""
    return [
        state_columns(step, clearance_of(step)) if STATE in wrt else [],
        torque_columns(step) if TORQUE in wrt else [],
        actuator_columns(step) if TORQUE in wrt else [],
        parameter_columns(step) if PARAMETERS in wrt else [],
    ]


def _check_names(wrt: Any, method: Any) -> None:
    """Raise InputError for unknown variables or an unknown method."""
    known = isinstance(wrt, tuple | list) and all(isinstance(one, str) for one in wrt)
    if not (known and wrt and set(wrt) <= set(BLOCKS)):
        raise InputError(f"linearise: wrt is {shown(wrt)}; give a tuple of some of {BLOCKS}")
    if not isinstance(method, str) or method not in (DIFFERENCES, IMPLICIT):
        raise InputError(
            f"linearise: method is {shown(method)}; give '{DIFFERENCES}' or '{IMPLICIT}'"
        )


def _warn(margin: Margin, crossed: tuple[str, ...]) -> None:
    """Warn if the derivatives hold on one side of a change of case alone."""
    if crossed:
        more = f" and {len(crossed) - 1} more" if len(crossed) > 1 else ""
        told = f"perturbing {crossed[0]}{more} changes a case"
    elif margin.speed < NEAR:
        told = f"{margin.nearest} at a change of {margin.speed:.2g} m/s or rad/s"
    else:
        return
    warnings.warn(
        f"linearise: the step is at a change of case: {told}; derivatives hold only on one side, "
        "or are means of both",
        CaseWarning,
        stacklevel=4,
    )
