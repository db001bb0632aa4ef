"""Walking: footsteps, zero-moment point, centre of mass, soles."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from stiction.description.arguments import count, is_number, number, shown
from stiction.errors import InputError
from stiction.patterns.body import STRETCHED, Body
from stiction.patterns.curves import SAMPLE, sample_times, smooth_step
from stiction.patterns.pattern import Footstep, Pattern, Plan, make_pattern
from stiction.patterns.postures import Targets
from stiction.patterns.preview import follow_zmp
from stiction.robot.robot import Robot

REST = 4.0  # time at rest before the first and after the last weight shift, in sqrt(height / g)
LATE = 0.1  # fraction of a swing in which the foot rises before it goes forward, and sinks after
PASSES = 2  # corrections by the dynamics filter
MOST_STEPS = 2000


def walk(  # ten arguments: all are keywords with defaults except the robot
    robot: Robot,
    steps: int = 10,
    step_length: float | None = None,
    step_time: float | None = None,
    double_support: float = 0.2,
    foot_lift: float | None = None,
    height: float | None = None,
    width: float | None = None,
    turn: float = 0.0,
    feet: tuple[str, str] | None = None,
) -> Pattern:
    """Walk a number of steps, starting and ending at rest with the feet side by side.

    The right foot takes the first step; the last step puts the foot beside the other, so that the
    robot covers (steps - 1) step_length.

    step_length: from foot to foot along the walk [m], negative backwards; default 15 % of the leg's
        length.
    step_time: from landing to landing [s]; default 5 sqrt(leg's length / g).
    double_support: fraction of the step time with both feet on the ground, between 0 and 1.
    foot_lift: height of the swinging sole [m]; default 8 % of the leg's length.
    height: of the centre of mass above the ground [m]; default that of the home configuration,
        lowered until the legs bend enough.
    width: between the centres of the soles [m]; default that of the home configuration.
    turn: to the left with every step [rad]; the robot then goes along an arc.
    feet: names of the left and the right foot, links or frames; see docs/patterns.md.
    """
    body = Body(robot, feet)
    leg = body.leg_length
    step_length = 0.15 * leg if step_length is None else step_length
    step_time = 5 * math.sqrt(leg / body.gravity) if step_time is None else step_time
    foot_lift = 0.08 * leg if foot_lift is None else foot_lift
    width = body.home_width() if width is None else width
    _check(steps, step_length, step_time, double_support, foot_lift, width, turn)
    height = body.height_for(step_length) if height is None else height
    check_positive("walk", height=height)
    _check_reach(body, step_length, height)
    rest = REST * math.sqrt(height / body.gravity)
    steps_on = footsteps(steps, step_length, step_time, double_support, width, turn, rest)
    plan = walking_plan(body, steps_on, step_time, rest, foot_lift, height, width)
    return make_pattern("walk", body, plan, PASSES)


def _check(
    steps: int,
    step_length: float,
    step_time: float,
    double_support: float,
    foot_lift: float,
    width: float,
    turn: float,
) -> None:
    count("walk: steps", steps, MOST_STEPS, least=2)
    check_positive("walk", step_time=step_time, foot_lift=foot_lift, width=width)
    check_finite("walk", step_length=step_length, turn=turn)
    if not (is_number(double_support) and 0 < double_support < 1):
        raise InputError(
            f"walk: double_support is {shown(double_support)}; give the fraction of the step "
            "time with both feet on the ground, between 0 and 1"
        )
    shortest = 4 * SAMPLE
    for what, part in (("one foot", 1 - double_support), ("both feet", double_support)):
        if part * step_time < shortest:
            raise InputError(
                f"walk: step_time {step_time} s with double_support {double_support} leaves "
                f"{part * step_time:.3g} s on {what}; a pattern needs {shortest:.3g} s or more"
            )


def _check_reach(body: Body, step_length: float, height: float) -> None:
    """Raise InputError if the hips are too high for the legs and the step length."""
    lowered = body.height_for(0.0) - height
    hip = body.hip_height(body.robot.home) - lowered
    hip = min(hip, STRETCHED * body.leg_length - lowered)
    needed = math.hypot(max(hip, 0.0), step_length / 2)
    if needed > body.leg_length:
        raise InputError(
            f"walk: step_length {step_length} m is out of reach for '{body.robot.name}': its legs "
            f"have {body.leg_length:.3g} m from hip to ankle, and the centre of mass is "
            f"{height:.3g} m high; try shorter steps or a lower centre of mass"
        )


def check_positive(what: str, **values: float) -> None:
    """Raise InputError if a value is not a finite positive number."""
    for name, value in values.items():
        number(f"{what}: {name}", value, positive=True)


def check_finite(what: str, **values: float) -> None:
    """Raise InputError if a value is not a finite number."""
    for name, value in values.items():
        number(f"{what}: {name}", value)


# ---------------------------------------------------------------------------------------- footsteps


def footsteps(
    steps: int,
    step_length: float,
    step_time: float,
    double_support: float,
    width: float,
    turn: float,
    rest: float,
) -> tuple[Footstep, ...]:
    """Places and times of the footsteps: right, left, right ...

    After the rest, one step time is spent shifting the weight onto the left foot.
    """
    x = y = yaw = 0.0
    result = []
    for k in range(steps):
        if k < steps - 1:
            x += step_length * math.cos(yaw + turn / 2)
            y += step_length * math.sin(yaw + turn / 2)
            yaw += turn
        side = (k + 1) % 2
        out = width / 2 * (1 if side == 0 else -1)
        start = rest + step_time * (k + 1)
        stop = start + (1 - double_support) * step_time
        place = (x - out * math.sin(yaw), y + out * math.cos(yaw), yaw)
        result.append(Footstep(side, start, stop, *place))
    return tuple(result)


def walking_plan(
    body: Body,
    steps: tuple[Footstep, ...],
    step_time: float,
    rest: float,
    foot_lift: float,
    height: float,
    width: float,
) -> Plan:
    """Targets for the footsteps: the centre of mass follows by preview control."""
    end = steps[-1].stop + step_time
    time = sample_times(end + rest)
    first = ((0.0, width / 2, 0.0), (0.0, -width / 2, 0.0))
    soles, support = sole_paths(time, steps, first, foot_lift)
    knots = zmp_knots(steps, first, rest, end)
    zmp = np.array([np.interp(time, knots[:, 0], knots[:, axis]) for axis in (1, 2)]).T
    centre = np.column_stack([follow_zmp(zmp, height, SAMPLE, body.gravity), time * 0 + height])
    base = np.column_stack([soles[:, :, 3].mean(axis=1), 0 * time])
    return Plan(Targets(time, centre, soles, base), support, zmp, steps)


def zmp_knots(steps: tuple[Footstep, ...], first: tuple, rest: float, end: float) -> np.ndarray:
    """Knots of the piecewise linear zero-moment point: time, x, y.

    In single support it stays at the centre of the supporting sole.
    """
    places = {side: np.array(place[:2]) for side, place in enumerate(first)}
    knots = [(0.0, *(places[0] + places[1]) / 2), (rest, *(places[0] + places[1]) / 2)]
    for step in steps:
        carrying = places[1 - step.side]
        knots += [(step.start, *carrying), (step.stop, *carrying)]
        places[step.side] = np.array([step.x, step.y])
    knots += [(end, *(places[0] + places[1]) / 2)]
    return np.array(knots)


def sole_paths(
    time: np.ndarray, steps: tuple[Footstep, ...], first: tuple, foot_lift: float
) -> tuple[np.ndarray, np.ndarray]:
    """Poses of both soles, (n, 2, 4) x, y, z, yaw, and which are on the ground, (n, 2).

    A swinging sole rises and sinks as 64 s^3 (1 - s)^3 and moves forward with minimum jerk.
    """
    soles = np.zeros((len(time), 2, 4))
    support = np.ones((len(time), 2), bool)
    for side in (0, 1):
        own = [step for step in steps if step.side == side]
        places = [np.array(first[side]), *(np.array([s.x, s.y, s.yaw]) for s in own)]
        soles[:, side, [0, 1, 3]] = places[0]
        for step, (a, b) in zip(own, pairwise(places), strict=True):
            s = np.clip((time - step.start) / (step.stop - step.start), 0.0, 1.0)
            forward = smooth_step((s - LATE) / (1 - 2 * LATE))
            soles[:, side, [0, 1, 3]] += forward[:, None] * (b - a)
            soles[:, side, 2] += foot_lift * 64 * (s * (1 - s)) ** 3
            support[(time > step.start + 1e-9) & (time < step.stop - 1e-9), side] = False
    return soles, support
