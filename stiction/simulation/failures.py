"""The errors of a run that stopped early: when, where, and the values before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import DivergenceError, JointSolveError, SimulationError
from stiction.kernels.tree import DIVERGED, PRESCRIBED, TOO_MANY_PAIRS
from stiction.motion.motion import Motion
from stiction.step.loop import SPEED_LIMIT, Report
from stiction.step.system import System
from stiction.world.bodies import most_touching
from stiction.world.world import State

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation


def failure(
    simulation: Simulation,
    system: System,
    report: Report,
    status: int,
    before: list[State],
    motion: Motion | None,
) -> SimulationError:
    """Return the error for a status; `before`: the last good states, oldest first."""
    if status == DIVERGED:
        return DivergenceError(_divergence(simulation, int(report.fault[0]), before), motion)
    began = simulation.time - simulation.dt
    if status == TOO_MANY_PAIRS:
        return SimulationError(f"t = {began:.6g} s: {_crowd(system.surface.bodies)}", motion)
    world = simulation.world
    joints = ", ".join(world.dof_name(int(d)) for d in _unsettled(world.tree, system))
    return JointSolveError(
        f"t = {began:.6g} s: no consistent joint friction and stop forces were found. Joints with "
        f"friction or limits: {joints}; try a smaller dt",
        motion,
    )


def _crowd(bodies: Any) -> str:
    """How many pairs of bodies were near each other."""
    if bodies.missing[0]:
        found = f"{bodies.broad.search.needed[0]} pairs of shapes are near each other"
        most = len(bodies.order)
    else:
        most = most_touching(bodies)
        found = f"more than {most} pairs of links touch each other"
    return f"{found}; there is room for {most}: simulate fewer bodies, or bodies of fewer shapes"


def _unsettled(tree: Any, system: System) -> np.ndarray:
    limited = np.isfinite(tree.lower) | np.isfinite(tree.upper) | (tree.friction > 0)
    return np.flatnonzero(limited & (system.dynamics.mode != PRESCRIBED))[:8]


def _divergence(simulation: Simulation, where: int, before: list[State]) -> str:
    """When and where the state diverged, and the values before."""
    world, state, nv = simulation.world, simulation.state, simulation.world.nv
    if where < nv:
        value, name = state.v[where], world.dof_name(where)
        what = f"velocity of '{name}' became {value:.4g} (limit {SPEED_LIMIT:.0e})"
    else:
        k = where - nv
        link = int(np.searchsorted(world.tree.q_index[1:], k, side="right"))
        value, name = state.q[k], world.joint_names[link]
        what = f"position q[{k}] of joint '{name}' became {value:.4g}"
        where = int(world.tree.v_index[link])
    last, taken = before[-1], simulation.unsolved.steps
    fastest = int(np.argmax(np.abs(last.v)))
    history = ", ".join(f"{one.v[where]:.4g} at {one.time:.6g} s" for one in before)
    return (
        f"the state diverged at t = {simulation.time:.6g} s (step {taken}, dt {simulation.dt:g} "
        f"s): {what}; previous values: {history}; "
        f"fastest coordinate before: '{world.dof_name(fastest)}' at "
        f"{last.v[fastest]:.4g}; try a smaller dt, softer gains or smaller forces"
    )
