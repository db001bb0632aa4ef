"""Semismooth Newton method for exact Coulomb friction, in the twist space of the touching links.

Each iteration judges the case of every point (`friction_cases.py`), then solves a linear system for
these cases (`newton_step.py`). The next step depends on the progress:

    solve      p^ = 0: impulses of least norm, at the price of velocities R p; from the
               SHARPENING-th iteration on, velocities get more and more weight in Eq. (5)
    calm       if cases cycle, a few iterations with p^ = p and more compliance lead near the
               solution; then it solves again
    polish     once the cases are settled, p^ = p removes the velocities R p, Eq. (11)
    continue   if polishing makes cases change, it solves again with less compliance, until R p is
               negligible

The next step starts from the impulses before they were polished: their velocities R p show which
points are open and which slip, even where nothing moves.

With p^ = p from the start, from the impulses of the last step, no polishing is needed, and the
impulses are not unique. That converges from far away if it begins with much compliance, which then
shrinks: a wall of boxes that is hit, with 350 points, takes 22 iterations. Equations are those of
`coulomb.py`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from stiction.compiler.compiled import kernel
from stiction.contact.friction import OPEN
from stiction.contact.solvers.friction_cases import judge_points, relative_tolerance
from stiction.contact.solvers.newton_step import take_newton_step
from stiction.contact.solvers.warm_start import keep_impulses
from stiction.kernels.response import gather_wrenches, respond_to_wrenches
from stiction.kernels.touching_pairs import touch_each_other
from stiction.kernels.vectors import like

SHARPENING, SHARPER = 6, 0.1  # from this iteration on softness falls by this factor each time
CIRCLES = 9  # iterations without settled cases after which it calms down ...
CALMING, CALM = 6, 1e-3  # ... for at most this many iterations, or down to this relative error
CALMED = -1  # it calms down once in a solution
POLISHES, MOST_POLISHES = 1, 9  # iterations that polish ...
SOFT = 1e-4  # ... and one more where eps is larger, as in single precision, or where links touch
# each other: velocities R p of a stack add up
CLOSE = 1e-5  # relative error below which it polishes
EXACT = 1e-2  # fraction of the error allowed below which there is nothing left to polish
LENIENT = 3  # polishes after which an error of `speed` is good enough
SOFTER = 100.0  # factor on eps to calm down, and to polish while cases still change
SHRINK, RIGID = 0.7, 1e-2  # an eps above the second shrinks by the first in every iteration
MANY, HOPELESS = 100, 0.25  # of so many points this fraction still changes: it does not converge
PATIENCE = 5  # polishes after which it continues with less compliance if cases change, ...
STIFFER, STIFFEST = 0.1, 1e-8  # ... by this factor, down to this eps or that of rounding
STALLING = 0.3  # an error within rounding that falls no faster than this is rounding
SOLVED, NEARLY, FAILED = 0, 1, 2  # how it ended; nearly: unique, but R p is not removed


class Accuracy(NamedTuple):
    """When a solution is good enough."""

    tolerance: float  # error relative to the largest impulse
    speed: float  # error that is negligible [m/s]
    rounding: float  # relative error that rounding may leave, larger in single precision


class Course(NamedTuple):
    """Where the iteration stands and how its next step is taken."""

    hat: float  # 1: p^ = p, 0: p^ = 0
    eps: float  # compliance of this step, R = eps g
    stiff: float  # eps while solving, without softening
    softness: float  # its inverse is the weight of velocities when points are judged, see `project`
    age: int  # iterations since the start, or since calming down
    calming: int  # iterations left to calm down; CALMED afterwards
    polished: int  # polishes so far
    stiffened: bool  # whether it continues with less compliance
    same: bool  # whether the factors of the last step are reused


class Verdict(NamedTuple):
    """What the errors of the present impulses mean."""

    solved: bool
    fits: bool  # the error is small enough, for these p^ and eps
    settled: bool  # no case has changed
    close: bool  # settled, and the error is small
    steady: bool  # settled, and friction has not turned: the factors of the last step still hold


@kernel
def newton(contact, response, cases, accuracy, unique, eps, most):
    """Iterate from the present impulses; returns iterations, a `Judgement`, and how it ended.

    It ends with an error of `tolerance` of the largest impulse or, after LENIENT polishes or where
    impulses need not be unique, of `speed`.
    """
    gather_wrenches(contact, response)
    respond_to_wrenches(contact, response)
    for i in range(contact.count[0]):
        cases.case[i] = OPEN  # not those of another problem, which `project` would compare with
    one = like(eps, 1)
    polishes = 0
    if unique:
        polishes = POLISHES + (eps > like(eps, SOFT)) + touch_each_other(contact)
    course = Course(one - like(eps, unique), eps, eps, one, 0, 0, 0, False, False)
    before, k = like(eps, math.inf), 0
    while True:
        course = sharpen(course)
        judged = judge_points(
            contact, response, cases, course.eps, course.hat, k > 0, course.softness
        )
        verdict = judge_solution(course, judged, accuracy, polishes, before, k > 0)
        if course.polished == 0:
            keep_impulses(contact, cases.start)
        if verdict.solved:
            return k, judged, SOLVED
        if k == most or course.polished == MOST_POLISHES or is_hopeless(contact, course, judged):
            return k, judged, how_it_ended(course, judged, accuracy)
        before = judged.error
        course = go_on(course, judged, verdict, accuracy, polishes)
        take_newton_step(contact, response, cases, course.eps, course.hat, course.same)
        k += 1


@kernel
def judge_solution(course, judged, accuracy, polishes, before, stepped):
    """Return whether the problem is solved, and how close it is; before: the last error."""
    error, largest, settled = judged.error, judged.largest, stepped and judged.changes == 0
    rounding = accuracy.rounding * largest
    stalls = judged.changes == 0 and like(error, STALLING) * before < error <= rounding
    enough = relative_tolerance(accuracy, largest)
    exact = course.polished > 0 and error <= like(error, EXACT) * enough
    approaches = course.stiff > like(error, RIGID)
    if (polishes == 0 and not approaches) or course.polished > LENIENT:
        enough = max(enough, accuracy.speed)
    fits = stepped and (error <= enough or stalls)
    rigid = course.stiffened and course.eps * largest <= max(enough, accuracy.speed)
    solved = fits and course.calming <= 0 and (course.polished >= polishes or rigid or exact)
    nothing = largest == 0 and error == 0
    close = settled and error <= like(error, CLOSE) * largest
    steady = settled and judged.turned <= course.eps * enough  # impulses are velocities over eps
    return Verdict(solved or nothing, fits, settled, close, steady)


@kernel
def is_hopeless(contact, course, judged):
    """Return whether the cases of many points go on changing, with little compliance."""
    many = contact.count[0] > MANY and judged.changes > HOPELESS * contact.count[0]
    return many and course.age >= CIRCLES and course.stiff <= like(course.eps, RIGID)


@kernel
def how_it_ended(course, judged, accuracy):
    """Return whether it nearly solved the problem, up to a negligible velocity, or failed."""
    if course.polished > 0:
        return NEARLY
    approaches = course.stiff > like(course.eps, RIGID)
    return SOLVED if approaches and judged.error <= accuracy.speed else FAILED


@kernel
def go_on(course, judged, verdict, accuracy, polishes):
    """Choose the next step: keep solving, calm down, polish, or continue with less compliance."""
    unique = polishes > 0
    stiffest = max(like(course.eps, STIFFEST), accuracy.rounding)
    age = course.age + 1
    if course.calming > 0:
        calm = verdict.settled and judged.error <= like(course.eps, CALM) * judged.largest
        return calm_down(course, age, calm or course.calming == 1, unique, verdict.steady)
    circles = age == CIRCLES and course.polished == 0 and not verdict.close
    if course.stiff > like(course.eps, RIGID):
        return approach(course, age, verdict.steady)
    if circles and course.calming != CALMED:
        return begin_calming(course, age)
    changing = course.polished > PATIENCE and judged.changes > 0
    if changing and unique and course.stiff > stiffest:
        return continue_stiffer(course, age)
    if verdict.fits or course.polished > 0 or (verdict.close and unique):
        return polish(
            course, age, course.polished >= polishes and judged.changes > 0, verdict.steady
        )
    return solve(course, age, verdict.steady)


@kernel
def approach(course, age, same):
    """Continue with p^ = p and less compliance."""
    eps = max(like(course.eps, SHRINK) * course.eps, like(course.eps, RIGID))
    return with_steps(course, course.hat, eps, course.softness, age, same and eps == course.eps)


@kernel
def sharpen(course):
    """Give velocities more weight when points are judged, the longer it solves."""
    softness = course.softness
    if course.age >= SHARPENING:
        softness = max(like(softness, SHARPER) * softness, course.eps)
    if course.polished > 0 or course.calming > 0 or course.stiff > like(softness, RIGID):
        softness = like(softness, 1)
    return with_steps(course, course.hat, course.eps, softness, course.age, course.same)


@kernel
def solve(course, age, same):
    """Continue as before."""
    return with_steps(course, course.hat, course.eps, course.softness, age, same)


@kernel
def with_steps(course, hat, eps, softness, age, same):
    """Return the course with other steps."""
    return Course(
        hat,
        eps,
        course.stiff,
        softness,
        age,
        course.calming,
        course.polished,
        course.stiffened,
        same,
    )


@kernel
def begin_calming(course, age):
    """Stay near the present impulses, with more compliance."""
    one = like(course.eps, 1)
    eps = like(course.eps, SOFTER) * course.stiff
    stiff, softness = course.stiff, course.softness
    return Course(one, eps, stiff, softness, age, CALMING, course.polished, course.stiffened, False)


@kernel
def calm_down(course, age, done, unique, same):
    """Keep calming down; when done, solve again from the result."""
    one, calming = like(course.eps, 1), course.calming - 1
    hat, eps, softness = course.hat, course.eps, course.softness
    if done:
        hat, eps, softness = one - like(eps, unique), course.stiff, one
        age, calming, same = 0, CALMED, False
    return Course(
        hat, eps, course.stiff, softness, age, calming, course.polished, course.stiffened, same
    )


@kernel
def polish(course, age, softer, same):
    """Remove the velocities R p, Eq. (11); softer if cases still change."""
    one = like(course.eps, 1)
    eps = like(course.eps, SOFTER if softer else 1) * course.stiff
    return Course(
        one,
        eps,
        course.stiff,
        course.softness,
        age,
        course.calming,
        course.polished + 1,
        course.stiffened,
        same and eps == course.eps,
    )


@kernel
def continue_stiffer(course, age):
    """Solve again with less compliance, so that there is less to polish away."""
    none, stiff = like(course.eps, 0), like(course.eps, STIFFER) * course.stiff
    return Course(none, stiff, stiff, course.softness, age, course.calming, 0, True, False)
