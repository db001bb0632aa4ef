"""Readings of the sensors of a world at one state, by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stiction.sensors.bound import BoundSensors, bind_sensors
from stiction.sensors.read import Samples
from stiction.step.record import BETWEEN
from stiction.world.mechanics import forward_dynamics
from stiction.world.world import State, World, checked_vector, checked_world


def by_name(bound: BoundSensors, readings: np.ndarray) -> dict[str, np.ndarray]:
    """Readings (..., columns) as a dictionary: name of a sensor -> (..., size)."""
    return {name: readings[..., bound.columns[name]] for name in bound.names}


def read_sensors(
    world: World, state: State, acceleration: ArrayLike | None = None
) -> dict[str, np.ndarray]:
    """What the sensors of a world read at a state, by name, without contact, noise, bias or delay.

    acceleration: of the coordinates, (nv); by default in free flight without forces in the joints.
    """
    state = checked_world(world).check_state(state)
    if acceleration is None:
        acceleration = forward_dynamics(world, state.q, state.v, np.zeros(world.nv))
    a = checked_vector("acceleration", acceleration, world.nv, "acceleration", world.dof_name)
    bound = bind_sensors(world, 0)
    samples = Samples(
        np.array([state.time]),
        state.q[None],
        state.v[None],
        a[None],
        np.zeros((1, world.nv)),
        np.zeros((1, 0, 3)),
        np.zeros((1, 0, BETWEEN)),
    )
    return by_name(bound, bound.measured(samples, 1.0)[0])
