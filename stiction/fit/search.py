"""Global, then local search for the smallest error, by SciPy's optimisers.

Differential evolution (Storn & Price 1997) evaluates a whole generation in one batch. From its best
member, least squares by a trust region (`loss="squares"`) or Nelder and Mead's simplex
(`loss="mean"`, which is not smooth) continues.

Errors are smooth only piece by piece: a parameter decides which corner of a tumbling box hits the
ground first. Least squares by itself then ends in the nearest valley. So it is repeated from the
best of random places in a box around the best one; the box, and the step of finite differences with
it, shrinks when it has nothing better to offer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stiction.errors import InputError
from stiction.fit.objective import SQUARES, Objective

Progress = Callable[[float], object]
GLOBAL_SHARE = 0.8  # of the progress of a search
ROUGH = 5e-3  # in places: how near the corners of the last simplex are
BOX = 30.0  # half of the width of a box around the best place, in steps of finite differences
SAMPLES = 30  # places in it, per parameter
BETTER = 0.9  # of the total error: a box in which that is found does not shrink
SHRINK = 3.0
FINEST = 0.01  # the last step of finite differences, of the first
MOST_BOXES = 30
EDGE = 1e-9  # least squares starts at least that far from its bounds


@dataclass(frozen=True)
class Search:
    """Effort of a search."""

    population: int = 10  # members per parameter
    generations: int = 30  # at most
    local: int = 150  # evaluations of a run of least squares, or of the simplex, at most
    tolerance: float = 1e-6  # of places, with which the local search ends
    step: float = 1e-3  # in places, of the first finite differences
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise InputError for impossible values."""
        for name in ("population", "generations", "local"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InputError(f"fit: {name} is {value!r}; give a positive integer")
        for name in ("tolerance", "step"):
            value = getattr(self, name)
            if not 0 < value < 0.5:
                raise InputError(f"fit: {name} is {value!r}; give a number between 0 and 0.5")


class Found(NamedTuple):
    """The end of a search."""

    place: np.ndarray
    total: float
    converged: bool  # whether the local search ended by its tolerance
    message: str


def search(objective: Objective, effort: Search, progress: Progress = lambda part: None) -> Found:
    """Return the best place found, by global and then by local search."""
    start, value = _global(objective, effort, lambda part: progress(GLOBAL_SHARE * part))
    local = _least_squares if objective.loss == SQUARES else _simplex
    found = local(objective, effort, start)
    progress(1.0)
    return found if found.total <= value else found._replace(place=start, total=value)


def _global(objective: Objective, effort: Search, progress: Progress) -> tuple[np.ndarray, float]:
    from scipy.optimize import differential_evolution

    count, generation = len(objective.ranges), 0

    def tell(*_: object, **__: object) -> bool:
        nonlocal generation
        generation += 1
        progress(generation / effort.generations)
        return False

    # no polishing: `local` search follows
    done = differential_evolution(
        lambda columns: objective.totals(columns.T),
        [(0.0, 1.0)] * count,
        maxiter=effort.generations,
        popsize=effort.population,
        tol=1e-3,
        seed=effort.seed,
        vectorized=True,
        updating="deferred",
        polish=False,
        callback=tell,
    )
    return np.asarray(done.x), float(done.fun)


def _least_squares(objective: Objective, effort: Search, start: np.ndarray) -> Found:
    """Least squares from the best place of boxes that shrink."""
    random, step = np.random.default_rng(effort.seed), effort.step
    best = Found(start, float(objective.totals(start)[0]), False, "")
    for _ in range(MOST_BOXES):
        size = (SAMPLES * len(start), len(start))
        around = np.clip(best.place + BOX * step * random.uniform(-1.0, 1.0, size), 0.0, 1.0)
        totals = objective.totals(around)
        begin = around[totals.argmin()] if totals.min() < best.total else best.place
        found = _valley(objective, effort, begin, step)
        shrinks = not found.total < BETTER * best.total
        if found.total < best.total:
            best = found
        best = best._replace(converged=found.converged, message=found.message)
        if shrinks:
            if step <= FINEST * effort.step:
                break
            step = max(step / SHRINK, FINEST * effort.step)
    return best


def _valley(objective: Objective, effort: Search, start: np.ndarray, step: float) -> Found:
    """The end of one run of least squares."""
    from scipy.optimize import least_squares

    done = least_squares(
        lambda place: objective.residuals(place)[0].ravel(),
        np.clip(start, EDGE, 1 - EDGE),
        jac=lambda place: jacobian(objective, place, step).reshape(-1, len(place)),
        bounds=(0.0, 1.0),
        xtol=effort.tolerance,
        ftol=1e-10,
        gtol=None,
        max_nfev=effort.local,
    )
    value = float(objective.totals(done.x)[0])
    return Found(done.x, value, bool(done.status > 0), str(done.message))


def _simplex(objective: Objective, effort: Search, start: np.ndarray) -> Found:
    from scipy.optimize import minimize

    # the first simplex spans a twentieth of the bounds, inwards
    corners = np.tile(start, (len(start) + 1, 1))
    for k in range(len(start)):
        corners[k + 1, k] += 0.05 if start[k] < 0.5 else -0.05
    done = minimize(
        lambda place: float(objective.totals(place)[0]),
        start,
        method="Nelder-Mead",
        bounds=[(0.0, 1.0)] * len(start),
        options={
            "maxfev": effort.local,
            "xatol": ROUGH,
            "fatol": np.inf,
            "initial_simplex": corners,
        },
    )
    return Found(done.x, float(done.fun), bool(done.success), str(done.message))


def jacobian(objective: Objective, place: np.ndarray, step: float) -> np.ndarray:
    """Derivatives of the residuals by finite differences, (motions, values, parameters).

    All are evaluated in one batch; at a bound the difference is one-sided.
    """
    up, down = place + step * np.eye(len(place)), place - step * np.eye(len(place))
    places = np.clip(np.concatenate([up, down]), 0.0, 1.0)
    found = objective.residuals(places)
    n = len(place)
    width = np.diagonal(places[:n] - places[n:])
    return np.moveaxis((found[:n] - found[n:]) / width[:, None, None], 0, -1)
