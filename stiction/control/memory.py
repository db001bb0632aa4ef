"""What controllers remember from step to step, such as an integral of the error.

An integrator may evaluate a controller several times in a step, and a step may be repeated in parts
when a point hits the ground within it. Memory changes once in each completed part, to what the
controller wrote in its first stage:

    now    -> trial   before a controller is evaluated, so that what it does not write stays
    trial  -> first   in the first stage of a part
    first  -> now     when the part is completed
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from stiction.compiler.compiled import chooses, kernel


class ControlMemory(NamedTuple):
    """What one controller remembers: it reads `now` and writes `trial`."""

    now: np.ndarray  # (nv, numbers per velocity)
    trial: np.ndarray  # of the present stage
    first: np.ndarray  # trial of the first stage


def allocate_memory(nv: int, numbers: int) -> ControlMemory:
    """Return the memory of a controller that has not been evaluated yet, all zero."""
    return ControlMemory(*(np.zeros((nv, numbers)) for _ in ControlMemory._fields))


@kernel
def begin_trial(memory):
    """Start the trial from what is remembered."""
    _copy(memory.now, memory.trial)


@kernel
def _copy(source, target):
    for d in range(source.shape[0]):
        for k in range(source.shape[1]):
            target[d, k] = source[d, k]


@kernel
def _keep_trial(memory):
    _copy(memory.trial, memory.first)


@kernel
def _commit(memory):
    _copy(memory.first, memory.now)


def _of_each(change: Callable[..., None]) -> Callable[..., None]:
    """Return a function that changes each of a tuple of memories; nothing if there are none."""

    def change_each(memories):
        for memory in memories:
            change(memory)

    @chooses(change_each)
    def _change_each(memories):
        if len(memories) == 0:
            return lambda memories: None

        def first_then_rest(memories):
            change(memories[0])
            change_each(memories[1:])

        return first_then_rest

    return change_each


keep_trials = _of_each(_keep_trial)  # in the first stage
commit_trials = _of_each(_commit)  # when a part of a step is completed
