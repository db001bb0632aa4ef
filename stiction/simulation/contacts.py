"""The contacts of the last step, for control loops in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stiction.step.record import DEPTH, FORCE, SHAPES, SLIP
from stiction.step.system import Work
from stiction.world.bodies import body_shape_names
from stiction.world.world import World


@dataclass(frozen=True)
class ContactPoint:
    """A point that touched in the last step."""

    point: int  # its number, as in the arrays of a motion
    shape: str
    touches: str  # "ground", or another shape
    force: np.ndarray  # mean over the step, on the robot, world axes [N]
    depth: float  # at the start of the step [m]
    slip: np.ndarray  # velocity along what it touches at the start of the step [m/s]


def contacts_of(work: Work, world: World, names: Sequence[str], dt: float) -> list[ContactPoint]:
    """Return the points that touched in a step; names: shapes of the contact points."""
    return _on_ground(work, names, dt) + _between(work, world, dt)


def forces_of(work: Work, dt: float) -> dict[str, np.ndarray]:
    """Forces, depths and velocities of the last step, by name as in a motion."""
    between = work.total_between.copy()
    between[:, FORCE:DEPTH] /= dt
    return {
        "torque": work.total_torque,
        "passive": work.total_passive,
        "force": work.total_impulse / dt,
        "depth": work.depth,
        "slip": work.slip,
        "contact_velocity": work.contact_velocity,
        "contact_state": work.total_state,
        "solver": work.total_solver,
        "between": between,
    }


def forget_forces(work: Work) -> None:
    """Clear what `forces_of` and `contacts_of` return: no step has been taken from this state."""
    for array in (
        *(work.total_torque, work.total_passive, work.total_impulse, work.total_between),
        *(work.total_state, work.total_solver, work.depth, work.slip, work.contact_velocity),
    ):
        array[:] = 0


def _on_ground(work: Work, names: Sequence[str], dt: float) -> list[ContactPoint]:
    touching = (work.depth > 0) | (work.total_impulse != 0).any(axis=1)
    return [
        ContactPoint(
            point=int(i),
            shape=names[int(i)],
            touches="ground",
            force=work.total_impulse[i] / dt,
            depth=float(work.depth[i]),
            slip=work.slip[i].copy(),
        )
        for i in np.flatnonzero(touching)
    ]


def _between(work: Work, world: World, dt: float) -> list[ContactPoint]:
    between, touching = work.total_between, np.flatnonzero(work.total_between[:, SHAPES])
    names = body_shape_names(world) if len(touching) else []
    return [
        ContactPoint(
            point=int(i),
            shape=names[int(between[i, SHAPES]) - 1],
            touches=names[int(between[i, SHAPES + 1]) - 1],
            force=between[i, FORCE : FORCE + 3] / dt,
            depth=float(between[i, DEPTH]),
            slip=between[i, SLIP : SLIP + 3].copy(),
        )
        for i in touching
    ]
