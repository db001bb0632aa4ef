"""The worlds of a batch in a thread's scratch: what belongs to a world is a row of numbers.

A thread stores the addresses of its scratch once (`compiler/bound.py`). To step another world, the
numbers of what the world owns replace those of the world before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from stiction.batch.leaves import map_arrays, map_leaves
from stiction.collision.bodies import with_known_pairs
from stiction.compiler.bound import Handle, numbers_of
from stiction.step.loop import Moving, Report
from stiction.step.system import StepState, System

ALIGNMENT = 64  # of an array in a pool [bytes]


class Own(NamedTuple):
    """What a world keeps between steps, and what distinguishes it from others."""

    state: StepState
    mode: Any
    last_acceleration: Any
    inverse_D: Any  # noqa: N815  as in `Dynamics`
    controllers: tuple
    control_memory: tuple  # what each controller with a memory remembers
    forces: Any
    model: Any
    table: Any
    memory: Any
    pairs: Any
    report: Report
    tree: Any
    ground: Any


def with_own(scratch: Moving, own: Own) -> Moving:
    """The scratch of a thread with what a world owns."""
    system: System = scratch.system
    surface = system.surface
    memories = zip(system.control_memory, own.control_memory, strict=True)
    system = system._replace(
        dynamics=system.dynamics._replace(
            tree=own.tree,
            mode=own.mode,
            last_acceleration=own.last_acceleration,
            inverse_D=own.inverse_D,
        ),
        controllers=own.controllers,
        control_memory=tuple(one._replace(now=now) for one, now in memories),
        forces=own.forces,
        model=own.model,
        surface=surface._replace(
            contact=surface.contact._replace(table=own.table),
            memory=own.memory,
            ground=own.ground,
            bodies=with_known_pairs(surface.bodies, own.pairs),
        ),
    )
    return scratch._replace(system=system, state=own.state, report=own.report)


class Place:
    """Where a thread steps one world after another."""

    def __init__(self, scratch: Moving, own: Own) -> None:
        """Store the addresses of the scratch, with a first world."""
        self.handle = Handle(with_own(scratch, own))
        self._slots = slots_of(scratch, own)
        self._numbers = self.handle.numbers

    def put(self, row: np.ndarray) -> None:
        """Replace the world by another, given as the numbers of what it owns."""
        self._numbers[self._slots] = row


def slots_of(scratch: Moving, own: Own) -> np.ndarray:
    """Where the numbers of what a world owns are among those of the whole."""
    labels = iter(range(10**9))
    of_own = map_leaves(lambda leaf: next(labels), own)
    of_all = with_own(map_leaves(lambda leaf: -1, scratch), of_own)
    found: dict[int, np.ndarray] = {}
    first = 0

    def note(leaf: Any, label: int) -> None:
        nonlocal first
        count = len(numbers_of(leaf))
        if label >= 0:
            found[label] = np.arange(first, first + count)
        first += count

    map_leaves(note, with_own(scratch, own), of_all)
    return np.concatenate([found[label] for label in range(next(labels))])


def pooled(parts: Any) -> tuple[Any, np.ndarray]:
    """Nested tuples with all arrays moved into one block of memory, and that block.

    An array that occurs twice stays one.
    """
    sizes: dict[int, int] = {}
    total = 0

    def measure(array: np.ndarray) -> None:
        nonlocal total
        if id(array) not in sizes:
            sizes[id(array)] = total
            total += -(-array.nbytes // ALIGNMENT) * ALIGNMENT

    map_arrays(measure, parts)
    memory = np.zeros(total + ALIGNMENT, np.uint8)
    begin = -memory.__array_interface__["data"][0] % ALIGNMENT
    block = memory[begin : begin + total]
    made: dict[int, np.ndarray] = {}

    def move(array: np.ndarray) -> np.ndarray:
        if id(array) not in made:
            at = sizes[id(array)]
            new = block[at : at + array.nbytes].view(array.dtype).reshape(array.shape)
            new[...] = array
            made[id(array)] = new
        return made[id(array)]

    moved: Callable[[np.ndarray], np.ndarray] = move
    return map_arrays(moved, parts), block
