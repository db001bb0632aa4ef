"""Errors of faceted friction cones against the exact cone: a brick at several headings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import stiction as st
from stiction.bench.lcp.methods import DT

FRICTION, GRAVITY = 0.5, 9.81
MOVES = 1e-6  # speed of a brick that is not held [m/s]
BISECTIONS = 12
ROUNDING = 1e-3  # by which a measured error may exceed its closed form: bisection, and steps


def facet_errors(
    facets: int, headings: Sequence[float], speed: float, time: float
) -> dict[str, Any]:
    """Largest errors of a cone with so many facets, and their closed forms [%, degrees].

    headings: of slopes and slides, from the corner of the polygon [rad]; speed, time: of a slide,
    which ends within this time.
    """
    model = st.FacetedLCP(facets=facets, mu_static=FRICTION, mu_kinetic=FRICTION)
    held = min(steepest_held(model, heading) for heading in headings)
    exact, ways = speed**2 / (2 * FRICTION * GRAVITY), []
    turned = 0.0
    for heading in headings:
        way = slide(model, heading, speed, time)
        ways.append(float(np.linalg.norm(way)))
        turned = max(turned, abs(math.remainder(math.atan2(way[1], way[0]) - heading, math.tau)))
    half = math.pi / facets
    return {
        "facets": facets,
        "unknowns a contact": facets + 2,
        "slope held [%]": percent(held / FRICTION),
        "1 - cos(pi/n) [%]": percent(2 - math.cos(half)),
        "stopping distance [%]": percent(max(ways) / exact),
        "1/cos(pi/n) - 1 [%]": percent(1 / math.cos(half)),
        "deflection [deg]": round(math.degrees(turned), 2),
    }


def percent(ratio: float) -> float:
    """Deviation from 1 in per cent."""
    return round(100 * (ratio - 1), 3)


def within_bounds(row: dict[str, Any]) -> bool:
    """Whether the errors do not exceed their closed forms."""
    slack = 100 * ROUNDING
    held = -slack - row["1 - cos(pi/n) [%]"] <= row["slope held [%]"] <= slack
    return held and -slack <= row["stopping distance [%]"] <= row["1/cos(pi/n) - 1 [%]"] + slack


def steepest_held(model: Any, heading: float) -> float:
    """Tangent of the steepest slope on which a brick rests; the slope falls towards `heading`."""
    low, high = 0.5 * FRICTION, 1.1 * FRICTION
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        angle = math.atan(middle)
        x, y = math.sin(angle) * math.cos(heading), math.sin(angle) * math.sin(heading)
        down = (GRAVITY * x, GRAVITY * y, -GRAVITY * math.cos(angle))
        world = st.World(st.robots.brick(), gravity=down)
        motion = st.simulate(world, model, duration=2 * DT, dt=DT, state=world.standing())
        moves = np.linalg.norm(motion.v[-1, :2]) > MOVES
        low, high = (low, middle) if moves else (middle, high)
    return low


def slide(model: Any, heading: float, speed: float, time: float) -> np.ndarray:
    """Displacement in which a sliding brick comes to rest [m]."""
    world = st.World(st.robots.brick())
    state = world.standing()
    state.v[:2] = speed * math.cos(heading), speed * math.sin(heading)
    motion = st.simulate(world, model, duration=time, dt=DT, state=state)
    return motion.q[-1, :2] - motion.q[0, :2]
