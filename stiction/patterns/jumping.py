"""A jump on the spot: crouch, extend, fly, land, absorb, stand up."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from stiction.errors import InputError
from stiction.patterns.body import Body
from stiction.patterns.curves import piecewise, sample_times, smooth_step
from stiction.patterns.pattern import Footstep, Pattern, Plan, make_pattern
from stiction.patterns.postures import Solver, Targets
from stiction.patterns.walking import check_positive
from stiction.robot.robot import Robot
from stiction.world import mechanics

BRIEF = 0.002  # time between samples; a small robot is in flight for 0.1 s at most [s]
REST = 0.3  # at rest before and after the jump [s]
STRETCH = 0.4  # how far the legs stretch after take-off, over the rise
PASSES = 3  # corrections of the pitch of the base
EXTEND = 2.0  # time of extension, in depth / take-off speed: that of constant acceleration


def jump(
    robot: Robot,
    rise: float | None = None,
    depth: float | None = None,
    time: float | None = None,
    height: float | None = None,
    feet: tuple[str, str] | None = None,
) -> Pattern:
    """Jump on the spot.

    The centre of mass goes down, accelerates up to the speed that carries it by `rise`, flies on a
    parabola, and after landing retraces the extension backwards. The soles leave the ground and
    touch it again at zero speed; in between they rise as far as the centre of mass.

    rise: of the centre of mass in flight [m]; default 8 % of the leg's length.
    depth: of the crouch before and after [m], at most twice the rise; default twice the rise.
    time: for crouching, and for standing up, each [s]; default 6 sqrt(leg's length / g).
    height: of the centre of mass at take-off, landing and both ends [m]; see `walk`.
    """
    body = Body(robot, feet)
    leg = body.leg_length
    rise = 0.08 * leg if rise is None else rise
    check_positive("jump", rise=rise)
    depth = 2 * rise if depth is None else depth
    time = 6 * math.sqrt(leg / body.gravity) if time is None else time
    check_positive("jump", depth=depth, time=time)
    if height is None:
        height = body.height_for(0.0) - STRETCH * rise
    else:
        check_positive("jump", height=height)
    if not height > depth:
        raise InputError(
            f"jump: a rise of {rise:.3g} m from a crouch of {depth:.3g} m is too much for "
            f"'{robot.name}': its centre of mass would be {height:.3g} m high at take-off, "
            f"which must be more than the crouch; its legs are {leg:.3g} m long"
        )
    if depth > 2 * rise * (1 + 1e-9):  # 20 depth - 8 speed time - g time^2 < 0: it sinks first
        raise InputError(
            f"jump: a crouch of {depth:.3g} m is too deep for a rise of {rise:.3g} m without "
            "a pause; give a depth of at most twice the rise"
        )
    plan = _plan(body, rise, depth, time, height)
    pattern = make_pattern("jump", body, plan)
    for _ in range(PASSES):
        plan = _without_spin(pattern, plan, time)
        pattern = make_pattern("jump", body, plan, start=pattern.q)
    return pattern


def _without_spin(pattern: Pattern, plan: Plan, time: float) -> Plan:
    """The same plan with the base pitched so that the angular momentum about y vanishes.

    In flight the angular momentum cannot change, and on the ground its rate of change moves the
    zero-moment point.
    time: interval before the final rest in which the small remaining pitch is removed [s].
    """
    body, targets = pattern.body, plan.targets
    solver = Solver(body, targets)
    rate = np.empty(len(pattern.time))
    for k, (q, v) in enumerate(zip(pattern.q, pattern.v, strict=True)):
        spin = mechanics.momentum(body.world, q, v).angular[1]
        rate[k] = -spin / mechanics.momentum(body.world, q, solver.pitching(q)).angular[1]
    steps = np.diff(pattern.time) * (rate[1:] + rate[:-1]) / 2
    pitch = targets.base[:, 1] + np.concatenate([[0.0], np.cumsum(steps)])
    last = smooth_step((pattern.time - pattern.time[-1] + REST + time) / time)
    base = np.column_stack([targets.base[:, 0], pitch - pitch[-1] * last])
    return replace(plan, targets=replace(targets, base=base))


def _plan(body: Body, rise: float, depth: float, time: float, height: float) -> Plan:
    g = body.gravity
    speed = math.sqrt(2 * g * rise)
    extend, fly = EXTEND * depth / speed, 2 * speed / g
    take_off = REST + time + extend
    land = take_off + fly
    end = land + extend + time
    times = sample_times(end + REST, BRIEF)
    push = _quintic(extend, depth, speed, g)
    low = height - depth
    z = piecewise(times, [(0.0, height), (REST, height), (REST + time, low)])
    for begun, sign in ((REST + time, 1.0), (land + extend, -1.0)):
        s = sign * (times - begun)
        now = (s >= 0) & (s <= extend)
        z[now] = low + np.polyval(push, s[now])
    flying = (times > take_off) & (times < land)
    s = times[flying] - take_off
    z[flying] = height + speed * s - g * s**2 / 2
    after = times > land + extend
    z[after] = piecewise(times[after], [(land + extend, low), (end, height)])
    return _assembled(body, times, z, flying, (take_off, land), rise)


def _assembled(
    body: Body,
    times: np.ndarray,
    z: np.ndarray,
    flying: np.ndarray,
    flight: tuple[float, float],
    clearance: float,
) -> Plan:
    take_off, land = flight
    soles = np.zeros((len(times), 2, 4))
    out = body.home_width() / 2
    soles[:, :, 1] = [out, -out]
    s = np.clip((times - take_off) / (land - take_off), 0.0, 1.0)
    soles[:, :, 2] = (clearance * 64 * (s * (1 - s)) ** 3)[:, None]
    support = np.repeat(~flying[:, None], 2, axis=1)
    zmp = np.where(flying[:, None], np.nan, 0.0) * np.ones(2)
    zero = np.zeros((len(times), 2))
    targets = Targets(times, np.column_stack([zero, z]), soles, zero)
    steps = tuple(
        Footstep(side, take_off, land, 0.0, sign * out, 0.0) for side, sign in ((0, 1), (1, -1))
    )
    return Plan(targets, support, zmp, steps)


def _quintic(time: float, rise: float, speed: float, gravity: float) -> np.ndarray:
    """Polynomial from rest at 0 to a height and speed, with the acceleration of free fall there."""
    n = np.array([5, 4, 3])
    rows = [time**n, n * time ** (n - 1), n * (n - 1) * time ** (n - 2)]
    return np.array([*np.linalg.solve(rows, [rise, speed, -gravity]), 0.0, 0.0, 0.0])
