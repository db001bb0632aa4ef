"""What a simulation keeps between steps: saved, restored, and cleared for a new start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.collision.bodies import NoBodies, known_pairs
from stiction.collision.pair_slots import PairSlots, are_consistent
from stiction.errors import InputError
from stiction.simulation.saved_state import SavedState, check_fits
from stiction.step.system import System
from stiction.world.world import State

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation


def saved_state_of(simulation: Simulation, of: dict[str, Any]) -> SavedState:
    """Everything that the continuation of a simulation depends on; of: what it belongs to."""
    system, state = simulation._system, simulation._state
    return SavedState(
        simulation._start,
        simulation._steps,
        state.q.copy(),
        state.v.copy(),
        system.dynamics.mode.copy(),
        system.dynamics.last_acceleration.copy(),
        system.dynamics.inverse_D.copy(),
        tuple(array.copy() for array in _remembered(simulation)),
        (*(one.now.copy() for one in system.control_memory), *simulation._python.memories()),
        tuple(array.copy() for array in simulation._report),
        of,
    )


def restore(simulation: Simulation, saved: SavedState) -> None:
    """Write a saved state into a simulation, after checking it."""
    if not isinstance(saved, SavedState):
        raise InputError(
            f"restore_state(): found {type(saved).__name__}; give what save_state() returned"
        )
    check_fits(saved, saved_state_of(simulation, simulation._identity))
    simulation.world.check_state(State(saved.q, saved.v, saved.start))
    _check_pairs(simulation._system, saved)
    write(simulation, saved)


def write(simulation: Simulation, saved: SavedState) -> None:
    """Write a state that is known to fit into a simulation."""
    system = simulation._system
    control_memory = tuple(memory.now for memory in system.control_memory)
    simulation._start = saved.start
    simulation._state.q[:], simulation._state.v[:] = saved.q, saved.v
    system.dynamics.mode[:] = saved.mode
    system.dynamics.last_acceleration[:] = saved.last_acceleration
    system.dynamics.inverse_D[:] = saved.inverse_D
    arrays = (*_remembered(simulation), *control_memory, *simulation._report)
    compiled = saved.control_memory[: len(control_memory)]  # then come controllers in Python
    kept = (*saved.memory, *compiled, *saved.report)
    for array, values in zip(arrays, kept, strict=True):
        array[:] = values


def _remembered(simulation: Simulation) -> tuple[np.ndarray, ...]:
    """Arrays of contact and sensors that pass from step to step."""
    surface = simulation._system.surface
    known = known_pairs(surface.bodies)
    of_pairs = () if isinstance(known, NoBodies) else (*known.slots, known.feature)
    return (*surface.memory, *of_pairs, *simulation._sensing.arrays())


def _check_pairs(system: System, saved: SavedState) -> None:
    """Raise InputError if the near pairs of a saved state cannot be those of this world."""
    surface = system.surface
    if isinstance(surface.bodies, NoBodies):
        return
    first = len(surface.memory)
    slots = PairSlots(*saved.memory[first : first + len(PairSlots._fields)])
    if not are_consistent(slots, len(surface.bodies.swerve)):
        raise InputError(
            "restore_state(): the saved state is damaged: its pairs of near shapes are "
            "impossible; save it again"
        )
