"""Motions with both feet on the ground: squat, sway, lean, reach."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.arguments import count, numbers, shown
from stiction.errors import InputError
from stiction.patterns.body import Body
from stiction.patterns.curves import piecewise, sample_times
from stiction.patterns.pattern import Pattern, Plan, make_pattern
from stiction.patterns.postures import Solver, Targets
from stiction.patterns.walking import check_finite, check_positive
from stiction.robot.robot import Robot

REST = 0.2  # at rest before and after a motion [s]
MOST_CYCLES = 1000


def squat(
    robot: Robot,
    depth: float | None = None,
    time: float | None = None,
    height: float | None = None,
    feet: tuple[str, str] | None = None,
) -> Pattern:
    """Go down and up again, with the centre of mass above the midpoint of the soles.

    depth: of the centre of mass [m]; default 15 % of the leg's length.
    time: down, and up again, each [s]; default 6 sqrt(leg's length / g).
    height: of the centre of mass at both ends [m]; see `walk`.
    """
    body, time, height = _begin("squat", robot, feet, time, height)
    depth = 0.15 * body.leg_length if depth is None else depth
    check_positive("squat", depth=depth)
    low = (0.0, 0.0, height - depth)
    return _of_centre("squat", body, [low, low, (0.0, 0.0, height)], time, height)


def sway(
    robot: Robot,
    distance: float | None = None,
    time: float | None = None,
    cycles: int = 2,
    height: float | None = None,
    feet: tuple[str, str] | None = None,
) -> Pattern:
    """Shift the centre of mass left and right repeatedly, and back to the middle.

    distance: to either side [m]; default a third of the distance between the soles.
    time: from side to side [s]; default 6 sqrt(leg's length / g).
    height: of the centre of mass [m]; see `walk`.
    """
    body, time, height = _begin("sway", robot, feet, time, height)
    distance = body.home_width() / 3 if distance is None else distance
    check_positive("sway", distance=distance)
    count("sway: cycles", cycles, MOST_CYCLES)
    sides = [(0.0, sign * distance, height) for sign in (1.0, -1.0)] * cycles
    return _of_centre("sway", body, [*sides, (0.0, 0.0, height)], time, height)


def lean(
    robot: Robot,
    distance: float | None = None,
    time: float | None = None,
    height: float | None = None,
    feet: tuple[str, str] | None = None,
) -> Pattern:
    """Lean forward and stop so abruptly that the heels lift, and stand upright again.

    The centre of mass stops before the edge of the soles, so that the feet fall back on their
    heels. While it brakes, the planned zero-moment point lies beyond that edge, so `zmp_margin` is
    negative; in the simulation the heels lift instead.

    distance: of the centre of mass from the midpoint of the soles [m]; default 60 % of half their
        length.
    time: forward [s]; default 2.4 sqrt(height / g). The return takes four times as long.
    height: of the centre of mass [m]; see `walk`.
    """
    body = Body(robot, feet)
    height = body.height_for(0.0) if height is None else height
    check_positive("lean", height=height)
    time = 2.4 * math.sqrt(height / body.gravity) if time is None else time
    distance = 0.6 * min(sole.half[0] for sole in body.soles) if distance is None else distance
    check_positive("lean", time=time)
    check_finite("lean", distance=distance)
    there, upright = (distance, 0.0, height), (0.0, 0.0, height)
    knots = [(0.0, upright), (REST, upright), (REST + time, there), (REST + 3 * time, there)]
    return _along("lean", body, [*knots, (REST + 7 * time, upright)])


def reach(
    robot: Robot,
    hand: str,
    by: ArrayLike,
    time: float | None = None,
    height: float | None = None,
    feet: tuple[str, str] | None = None,
) -> Pattern:
    """Move a hand and bring it back, with the centre of mass above the midpoint of the soles.

    Only the joints of the arm, from where it branches off the trunk, move it; the trunk stays
    upright.

    hand: link or frame. by: displacement from the home configuration, in the robot's axes [m].
    time: there, and back again, each [s]; default 6 sqrt(leg's length / g).
    height: of the centre of mass [m]; see `walk`.
    """
    body, time, height = _begin("reach", robot, feet, time, height)
    way = numbers(by)
    if way.shape != (3,) or not np.isfinite(way).all():
        raise InputError(f"reach: by is {shown(by)}; give three finite numbers in m")
    place = body.world.place(hand)
    if place.link - 1 in {0, *body.legs[0].links, *body.legs[1].links}:
        raise InputError(f"reach: '{hand}' is not a hand: it is on the base or on a leg")
    upright = _standing(body, np.zeros(1), np.array([[0.0, 0.0, height]]))
    pose = Solver(body, upright).solve(body.standing(), 0, body.standing())
    start = body.point(pose, hand)
    times = sample_times(2 * REST + 3 * time)
    ends = [(0.0, start), (REST, start), (REST + time, start + way)]
    path = piecewise(times, [*ends, (REST + 2 * time, start + way), (REST + 3 * time, start)])
    centre = np.tile([0.0, 0.0, height], (len(times), 1))
    return make_pattern("reach", body, _plan(body, times, centre, hand, path))


# ------------------------------------------------------------------------------------------ helpers


def _begin(
    what: str,
    robot: Robot,
    feet: tuple[str, str] | None,
    time: float | None,
    height: float | None,
) -> tuple[Body, float, float]:
    body = Body(robot, feet)
    time = 6 * math.sqrt(body.leg_length / body.gravity) if time is None else time
    height = body.height_for(0.0) if height is None else height
    check_positive(what, time=time, height=height)
    return body, time, height


def _of_centre(what: str, body: Body, places: list, time: float, height: float) -> Pattern:
    """Pattern whose centre of mass moves from place to place, each move in the same time."""
    upright = (0.0, 0.0, height)
    knots = [(0.0, upright), (REST, upright)]
    knots += [(REST + time * (k + 1), place) for k, place in enumerate(places)]
    return _along(what, body, knots)


def _along(what: str, body: Body, knots: list) -> Pattern:
    times = sample_times(knots[-1][0] + REST)
    return make_pattern(what, body, _plan(body, times, piecewise(times, knots)))


def _plan(
    body: Body,
    times: np.ndarray,
    centre: np.ndarray,
    hand: str = "",
    path: np.ndarray | None = None,
) -> Plan:
    """Plan with both feet in place."""
    targets = replace(_standing(body, times, centre), hand=hand, hand_position=path)
    rise = np.gradient(np.gradient(centre, times, axis=0), times, axis=0)
    carried = body.gravity + rise[:, 2:]
    zmp = centre[:, :2] - centre[:, 2:] * rise[:, :2] / carried
    return Plan(targets, np.ones((len(times), 2), bool), zmp)


def _standing(body: Body, times: np.ndarray, centre: np.ndarray) -> Targets:
    """Targets with the soles side by side as at home and an upright base."""
    soles = np.zeros((len(times), 2, 4))
    soles[:, :, 1] = body.home_width() / 2 * np.array([1, -1])
    return Targets(times, centre, soles, np.zeros((len(times), 2)))
