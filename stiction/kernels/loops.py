"""Closed loops: constraints between links beyond the tree, as part of the dynamics.

Every loop has rows, scalar functions e(q) that stay zero. Their accelerations are J a + J_dot v:

    points        e = n . (x1 - x2)      points of two links, for up to three n fixed in the first
    orientations  e = sine of the turn   of a frame of the first link against one of the second
    coordinates   e = (q1 - r1) - p(q2 - r2)      p: a polynomial

In each evaluation, `measure_loops` finds e, J v and J_dot v; `aim_loops`, in the first evaluation
of a step, finds what is left to correct of earlier errors. After the elimination of coordinates,
`respond_loops` finds the responses of the rows, and `close_loops` adds the forces with which the
accelerations satisfy J a = -J_dot v - correction. What contact needs of loops is in
`constrain_response`. Loops do no work: their forces are orthogonal to all velocities that they
allow.

A world without loops has `NoLoops`, and no code for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from stiction.compiler.compiled import as_python, chooses, kernel
from stiction.kernels.loop_basis import (
    add_loop_forces,
    constrain_twists,
    keep_displacement_closed,
    orthonormal_rows,
)
from stiction.kernels.loop_rows import measure_rows, row_responses
from stiction.kernels.vectors import like

RECOVERY = 0.2  # fraction of an error that is removed per step ...
RECOVERY_SPEED = 0.5  # ... and the highest speed at which it is [m/s or rad/s]


class NoLoops(NamedTuple):
    """The links form trees."""


class Loops(NamedTuple):
    """Loops between links and couplings of coordinates: n of them, with `rows` rows together."""

    link: np.ndarray  # (n, 2) links of the forest, 0 for the world
    position: np.ndarray  # (n, 2, 3) of the points in both links [m]
    rotation: np.ndarray  # (n, 2, 3, 3) of the frames in both links, for orientations
    direction: np.ndarray  # (n, 3, 3) unit vectors in the first link
    points: np.ndarray  # (n) number of directions in which the points stay together
    turns: np.ndarray  # (n) 3 if the frames keep their orientation, else 0
    coordinate: np.ndarray  # (n, 2) coordinates coupled, -1 if none
    coefficients: np.ndarray  # (n, terms) of the polynomial
    reference: np.ndarray  # (n, 2) [rad or m]
    slope: np.ndarray  # (n) of the polynomial at the present q
    first_row: np.ndarray  # (n + 1)
    row_group: np.ndarray  # (rows) number of the set of trees that loops join
    link_group: np.ndarray  # (nl) the same, -1 for links without loops
    moved: np.ndarray  # (coordinates) those that some loop depends on

    error: np.ndarray  # (rows) e
    rate: np.ndarray  # (rows) J v
    drift: np.ndarray  # (rows) J_dot v
    driven: np.ndarray  # (rows) J a of the coordinates whose motion is prescribed
    correction: np.ndarray  # (rows) minus the acceleration that removes earlier errors
    step: np.ndarray  # (1) duration of the whole step [s]

    ends: np.ndarray  # (2, nv, 6) unit responses of the two links of a loop
    basis: np.ndarray  # (rows, nv) responses of the rows, then an orthonormal basis of them
    aim: np.ndarray  # (rows) accelerations that the loops require along the rows, then the basis
    scale: np.ndarray  # (rows) squared length of a response that is not redundant
    size: np.ndarray  # (rows) squared length of the part not yet in the basis
    kept: np.ndarray  # (rows) 1 if the row is in the basis
    push: np.ndarray  # (rows) forces along the basis
    touching: np.ndarray  # (touching links, 6, rows) their twists per unit of these forces


# ------------------------------------------------------------------------------ parts of a step


def in_loop(loops: Any, link: int) -> bool:
    """Return whether loops join the tree of a link to others, to itself or to the world."""
    return _PARTS[type(loops)].joins(loops, link)


def begin_loops(loops: Any, dt: float) -> None:
    """Start a step of duration dt, which may be taken in parts."""
    _PARTS[type(loops)].begin(loops, dt)


def measure_loops(loops: Any, dynamics: Any, q: Any, v: Any, v_products: Any) -> None:
    """Write errors, rates J v and drifts J_dot v of all rows, J_dot v at v_products."""
    _PARTS[type(loops)].measure(loops, dynamics, q, v, v_products)


def aim_loops(loops: Any, ahead: float, lag: float, dt: float) -> None:
    """Write the correction of the step, from what was measured in its first evaluation.

    `ahead`: time between the start of the step and the configuration of the evaluation. `lag`: time
    between the configuration to which v belongs and that one [s]; prescribed coordinates have the
    velocity of the start of the step.
    """
    _PARTS[type(loops)].aim(loops, ahead, lag, dt)


def respond_loops(method: Any, loops: Any, dynamics: Any) -> None:
    """Compute how forces along the loops move the links, after `eliminate_coordinates`."""
    _PARTS[type(loops)].respond(method, loops, dynamics)


def close_loops(loops: Any, dynamics: Any) -> None:
    """Add the forces of the loops to u, before `accelerate_coordinates`."""
    _PARTS[type(loops)].close(loops, dynamics)


def hold_loops(loops: Any, dynamics: Any) -> None:
    """Add the forces to u with which a displacement, by `respond`, keeps the loops as they are."""
    _PARTS[type(loops)].hold(loops, dynamics)


def constrain_response(loops: Any, dynamics: Any, links: Any, dt: float) -> None:
    """Turn the response of touching links, and their free twists in dt, into those with loops.

    Links joined only by loops respond to each other.
    """
    _PARTS[type(loops)].constrain(loops, dynamics, links, dt)


# ----------------------------------------------------------------------------------- with loops


@kernel
def _joins(loops, link):
    return loops.link_group[link] >= 0


@kernel
def _begin(loops, dt):
    loops.step[0] = dt


@kernel
def _measure(loops, dynamics, q, v, v_products):
    measure_rows(loops, dynamics, q, v, v_products)


@kernel
def _aim(loops, ahead, lag, dt):
    fastest, half = like(dt, RECOVERY_SPEED), like(dt, 0.5)
    for row in range(len(loops.error)):
        rate, drift, driven = loops.rate[row], loops.drift[row], loops.driven[row]
        error = loops.error[row] - ahead * (rate - half * ahead * (drift - driven))
        wanted = like(dt, RECOVERY) * error / loops.step[0]
        wanted = min(max(wanted, -fastest), fastest)
        rate -= lag * drift + (lag - ahead) * driven
        loops.correction[row] = (rate + wanted) / dt


@kernel
def _respond(method, loops, dynamics):
    row_responses(method, loops, dynamics)
    for row in range(len(loops.aim)):
        loops.aim[row] = -loops.drift[row] - loops.correction[row]
    orthonormal_rows(loops, dynamics)


@kernel
def _close(loops, dynamics):
    add_loop_forces(loops, dynamics)


@kernel
def _hold(loops, dynamics):
    keep_displacement_closed(loops, dynamics)


@kernel
def _constrain(loops, dynamics, links, dt):
    constrain_twists(loops, dynamics, links, dt)


# -------------------------------------------------------------------------------- without loops


@kernel
def _joins_none(loops, link):
    return False


@kernel
def _begin_none(loops, dt):
    pass


@kernel
def _measure_none(loops, dynamics, q, v, v_products):
    pass


@kernel
def _aim_none(loops, ahead, lag, dt):
    pass


@kernel
def _respond_none(method, loops, dynamics):
    pass


@kernel
def _close_none(loops, dynamics):
    pass


@kernel
def _constrain_none(loops, dynamics, links, dt):
    pass


# ------------------------------------------------------------------------- chosen by their type


class _Parts(NamedTuple):
    """What loops do in a step."""

    joins: Callable[..., bool]
    begin: Callable[..., None]
    measure: Callable[..., None]
    aim: Callable[..., None]
    respond: Callable[..., None]
    close: Callable[..., None]
    hold: Callable[..., None]
    constrain: Callable[..., None]


_PARTS = {
    Loops: _Parts(_joins, _begin, _measure, _aim, _respond, _close, _hold, _constrain),
    NoLoops: _Parts(
        _joins_none,
        _begin_none,
        _measure_none,
        _aim_none,
        _respond_none,
        _close_none,
        _close_none,
        _constrain_none,
    ),
}


@chooses(in_loop)
def _in_loop(loops, link):
    return as_python(_PARTS[loops.instance_class].joins)


@chooses(begin_loops)
def _begin_loops(loops, dt):
    return as_python(_PARTS[loops.instance_class].begin)


@chooses(measure_loops)
def _measure_loops(loops, dynamics, q, v, v_products):
    return as_python(_PARTS[loops.instance_class].measure)


@chooses(aim_loops)
def _aim_loops(loops, ahead, lag, dt):
    return as_python(_PARTS[loops.instance_class].aim)


@chooses(respond_loops)
def _respond_loops(method, loops, dynamics):
    return as_python(_PARTS[loops.instance_class].respond)


@chooses(close_loops)
def _close_loops(loops, dynamics):
    return as_python(_PARTS[loops.instance_class].close)


@chooses(hold_loops)
def _hold_loops(loops, dynamics):
    return as_python(_PARTS[loops.instance_class].hold)


@chooses(constrain_response)
def _constrain_response(loops, dynamics, links, dt):
    return as_python(_PARTS[loops.instance_class].constrain)
