"""A contact problem solved island by island, each to its own tolerance (`kernels/islands.py`).

A solver declares how it solves one problem with `solves`: where nothing but the ground is touched,
and where bodies touch each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from stiction.compiler.compiled import as_python, chooses, kernel
from stiction.contact.solvers.pair_system import choose_unknowns
from stiction.kernels.islands import Islands, OneIsland, count_islands, show_island
from stiction.kernels.vectors import like


class Solver(NamedTuple):
    """Kernels (params, contact, response, scratch, accuracy) -> iterations, error, stage.

    Stages are numbered from 0 in the order in which methods are tried.
    """

    on_ground: Any
    between: Any


SOLVERS: dict[type, Solver] = {}  # by the type of their parameters


def solves(kind: type, on_ground: Any, between: Any) -> None:
    """Declare how the model of a parameter type solves a problem."""
    SOLVERS[kind] = Solver(on_ground, between)


def solve_islands(params, contact, response, scratch, islands, accuracy):
    """Solve for the present coefficients of friction, island by island where there may be several.

    Returns all iterations, the largest error and the latest stage.
    """
    return _METHODS[type(islands)](params, contact, response, scratch, islands, accuracy)


@kernel
def solve_whole(params, contact, response, scratch, islands, accuracy):
    """Solve where nothing but the ground is touched."""
    return solve_on_ground(params, contact, response, scratch, accuracy)


@kernel
def solve_each(params, contact, response, scratch, islands, accuracy):
    """Solve one island after another."""
    number, k = count_islands(contact, response, islands), 0
    iterations, error, stage = 0, like(accuracy.speed, 0), 0
    while True:
        if number > 1:
            show_island(contact, response, scratch.cases, islands, number, k)
        if k == number:
            response.rows.used[0] = 0
            return iterations, error, stage
        choose_unknowns(contact, response)
        taken, off, latest = solve_between(params, contact, response, scratch, accuracy)
        iterations, stage = iterations + taken, max(stage, latest)
        response.report.iterations[0] += taken
        if not off <= error:  # also if it is not a number
            error = off
        k += 1


_METHODS = {OneIsland: solve_whole, Islands: solve_each}


@chooses(solve_islands)
def _solve_islands(params, contact, response, scratch, islands, accuracy):
    return as_python(_METHODS[islands.instance_class])


def solve_on_ground(params, contact, response, scratch, accuracy):
    """Solve with the method of `params` where nothing but the ground is touched."""
    return SOLVERS[type(params)].on_ground(params, contact, response, scratch, accuracy)


@chooses(solve_on_ground)
def _solve_on_ground(params, contact, response, scratch, accuracy):
    return as_python(SOLVERS[params.instance_class].on_ground)


def solve_between(params, contact, response, scratch, accuracy):
    """Solve with the method of `params` where bodies touch each other."""
    return SOLVERS[type(params)].between(params, contact, response, scratch, accuracy)


@chooses(solve_between)
def _solve_between(params, contact, response, scratch, accuracy):
    return as_python(SOLVERS[params.instance_class].between)
