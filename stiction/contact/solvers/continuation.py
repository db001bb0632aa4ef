"""Newton's method with p^ = p and a compliance that shrinks only as fast as cases settle.

With p^ = p any compliance leads to the same solutions, Eq. (7) and (8) of `coulomb.py`. With much
of it, impulses change little in an iteration, and cases settle. With little of it, impulses that
hardly move the links, as between the bricks of a wall, find their values in few iterations. So eps
begins at 1, shrinks while few cases change, and grows where many do. If that does not converge, it
goes on from the impulses that came nearest to the law, with less compliance and more patience. Of
44 problems of a wall that is shot at, with up to 350 points, the first attempt solves 40, in 74
iterations on average; shrinking by 0.7 in every iteration, down to 0.01, solves 2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from stiction.compiler.compiled import kernel, subroutine
from stiction.contact.friction import OPEN
from stiction.contact.solvers.de_saxce import solve_for_wrenches
from stiction.contact.solvers.friction_cases import (
    is_impossible,
    judge_points,
    relative_tolerance,
)
from stiction.contact.solvers.newton_step import add_step, tangent_stiffness, unbalance
from stiction.contact.solvers.warm_start import keep_impulses, return_impulses
from stiction.kernels.response import gather_wrenches, respond_to_wrenches
from stiction.kernels.vectors import like

MOST = 300  # iterations of an attempt
FIRST = 1.0, 0.1, 0.01  # eps with which attempts begin
SOFTNESS = 3.0  # when points are judged, see `project`: impulses count more than velocities
FEW, MANY = 3, 8  # with fewer cases that change eps shrinks, with as many it grows
SETTLED, FALL, RISE = (0.7, 0.85), (0.9, 0.95), (1.2, 1.1)  # factors: if none change, few, many;
# in the first attempt and in later ones
SOFTEST, STIFFEST = 1.0, 1e-6  # eps


class Attempt(NamedTuple):
    """How an attempt ended."""

    iterations: int
    error: float  # of the best impulses so far, all attempts included [m/s]
    largest: float  # impulse of these, as a velocity [m/s]
    solved: bool


@subroutine
def continue_slowly(contact, response, cases, best, accuracy):
    """Iterate from the present impulses; returns iterations, error, largest impulse and success.

    Error and impulse are velocities [m/s], see `Judgement`. Without success the impulses are those
    that came nearest to the law, and wrenches and twists are others. best: scratch for them.
    """
    iterations, error, largest = 0, like(accuracy.speed, math.inf), like(accuracy.speed, 0)
    for trial in range(len(FIRST)):
        attempt = follow(contact, response, cases, best, accuracy, (error, largest), trial)
        iterations, error, largest = (
            iterations + attempt.iterations,
            attempt.error,
            attempt.largest,
        )
        if attempt.solved:
            return iterations, error, largest, True
        return_impulses(contact, best)
    return iterations, error, largest, False


@kernel
def follow(contact, response, cases, best, accuracy, so_far, trial):
    """Shrink the compliance until the problem is solved, or MOST iterations; returns an `Attempt`.

    so_far: error and largest impulse of the best impulses so far; better ones go to `best`.
    """
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    for i in range(contact.count[0]):
        cases.case[i] = OPEN
    least, largest = so_far
    eps, soft = like(least, FIRST[trial]), like(least, SOFTNESS)
    one, k = like(least, 1), 0
    while True:
        judged = judge_points(contact, response, cases, eps, one, k > 0, soft)
        error = soft * judged.error
        if error < least:
            least, largest = error, judged.largest
            keep_impulses(contact, best)
        enough = max(relative_tolerance(accuracy, judged.largest), accuracy.speed)
        if k > 0 and error <= enough:
            return Attempt(k, error, judged.largest, True)
        if k == MOST or is_impossible(accuracy, judged.largest):
            return Attempt(k, least, largest, False)
        if k > 0:
            eps = next_compliance(eps, judged.changes, min(trial, 1))
        tangent_stiffness(contact, response, cases, eps)
        unbalance(contact, response, cases, eps, one)
        solve_for_wrenches(contact, response)
        add_step(contact, response)
        k += 1


@kernel
def next_compliance(eps, changes, later):
    """Return eps of the next iteration, after one in which so many cases have changed.

    later: 0 in the first attempt, 1 afterwards.
    """
    factor = like(eps, 1)
    if changes == 0:
        factor = like(eps, SETTLED[later])
    elif changes < FEW:
        factor = like(eps, FALL[later])
    elif changes >= MANY:
        factor = like(eps, RISE[later])
    return min(max(factor * eps, like(eps, STIFFEST)), like(eps, SOFTEST))
