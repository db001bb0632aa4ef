"""What went wrong in a step that ended a simulation, as an error that says when, where and why."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from stiction.collision.bodies import POINTS
from stiction.contact.contact_model import IMPULSE_LAW, IMPULSE_SOLVER, MODELS
from stiction.errors import DivergenceError, JointSolveError, SimulationError
from stiction.kernels.tree import DIVERGED, JOINTS_UNSETTLED, PRESCRIBED, TOO_MANY_PAIRS
from stiction.motion.motion import Motion
from stiction.step.loop import SPEED_LIMIT
from stiction.step.system import StepState, System
from stiction.world.world import State, World

MOST_NAMED = 8  # joints in a message


class Fault(NamedTuple):
    """How a simulation ended."""

    status: int
    coordinate: int  # that diverged: of v, then of q
    state: StepState
    steps: int
    time: float  # [s]


def failure_of(
    world: World,
    system: System,
    dt: float,
    fault: Fault,
    before: list[State],
    motion: Motion | None,
) -> Exception:
    """Return the error for a fault; `before`: the last good states, oldest first."""
    if fault.status == DIVERGED and fault.coordinate >= 0:
        advice = _not_finite(world, system) or "try a smaller dt, softer gains or smaller forces"
        return DivergenceError(f"{_divergence(world, dt, fault, before)}; {advice}", motion)
    begun = f"t = {fault.time - dt:.6g} s"
    if fault.status == TOO_MANY_PAIRS:
        return SimulationError(f"{begun}: {_crowd(system.surface)}", motion)
    if fault.status != JOINTS_UNSETTLED:
        return SimulationError(
            f"{begun}: the contact model '{type(system.model).__name__}' or the integrator "
            f"returned the status {fault.status}; a simulation continues only after OK",
            motion,
        )
    joints = ", ".join(world.dof_name(int(d)) for d in _unsettled(world, system))
    return JointSolveError(
        f"{begun}: no consistent joint friction and stop forces were found. Joints with friction "
        f"or limits: {joints}; try a smaller dt",
        motion,
    )


def _crowd(surface: Any) -> str:
    """How many pairs of bodies were near each other."""
    bodies = surface.bodies
    if bodies.missing[0]:
        needed, most = bodies.broad.search.needed[0], len(bodies.order)
        return (
            f"{needed} pairs of shapes are near each other; there is room for {most}: simulate "
            "fewer bodies, or bodies of fewer shapes"
        )
    if not bodies.missing[1]:
        points = POINTS * len(bodies.order)
        return (
            f"so many bodies met one after another within a step that there is no room to record "
            f"their contacts, {points} points: simulate fewer bodies, or try a smaller dt"
        )
    most = len(surface.contact.touching_link)
    return (
        f"more than {most} links touch each other or the ground: simulate fewer bodies, or use "
        "Coulomb or GaussSeidel, which have room for more"
    )


def _unsettled(world: World, system: System) -> np.ndarray:
    """Some of the coordinates with friction or limits."""
    tree = world.tree
    limited = np.isfinite(tree.lower) | np.isfinite(tree.upper) | (tree.friction > 0)
    return np.flatnonzero(limited & (system.dynamics.mode != PRESCRIBED))[:MOST_NAMED]


def _divergence(world: World, dt: float, fault: Fault, before: list[State]) -> str:
    """When and where the state diverged, and the values before."""
    where, state = fault.coordinate, fault.state
    if where < world.nv:
        value, name = state.v[where], world.dof_name(where)
        what = f"velocity of '{name}' became {value:.4g} (limit {SPEED_LIMIT:.0e})"
    else:
        k = where - world.nv
        link = int(np.searchsorted(world.tree.q_index[1:], k, side="right"))
        value, name = state.q[k], world.joint_names[link]
        what = f"position q[{k}] of joint '{name}' became {value:.4g}"
        where = int(world.tree.v_index[link])
    last = before[-1]
    fastest = int(np.argmax(np.abs(last.v)))
    history = ", ".join(f"{one.v[where]:.4g} at {one.time:.6g} s" for one in before)
    return (
        f"the state diverged at t = {fault.time:.6g} s (step {fault.steps}, dt {dt:g} s): "
        f"{what}; previous values: {history}; "
        f"fastest coordinate before: '{world.dof_name(fastest)}' at "
        f"{last.v[fastest]:.4g}"
    )


def _not_finite(world: World, system: System) -> str:
    """Which plug-in turned finite numbers into others in the last evaluation; "" if none did."""
    dynamics = system.dynamics
    control = np.flatnonzero(~np.isfinite(dynamics.control))
    if control.size and np.isfinite(dynamics.velocity).all():
        force = dynamics.control[control[0]]
        return f"the controllers gave '{world.dof_name(int(control[0]))}' a force of {force:g}"
    contact, model = system.surface.contact, type(system.model)
    impulses = MODELS[model].family in (IMPULSE_LAW, IMPULSE_SOLVER)
    for i in range(int(contact.count[0])):
        given = (contact.impulse if impulses else contact.force)[i]
        known = (*contact.velocity[i], contact.depth[i])
        if not np.isfinite(given).all() and np.isfinite(known).all():
            return (
                f"'{model.__name__}' gave '{world.link_names[contact.body_a[i]]}' a contact "
                f"{'impulse' if impulses else 'force'} of ({', '.join(f'{x:.3g}' for x in given)}) "
                f"at a depth of {1e3 * contact.depth[i]:.3g} mm and a velocity of "
                f"({', '.join(f'{x:.3g}' for x in contact.velocity[i])}) m/s"
            )
    return ""
