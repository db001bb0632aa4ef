"""Boxes on their edges and on each other: tipping, rocking, stacks."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import FRICTION, GRAVITY, Material
from stiction.bench.closed_forms.trial import Measures, Trial, percent

TIPPED = (0.2, 0.2, 0.4)  # edges of a box that is pushed along x [m]
MASS = 2.0  # [kg]
RAMP = 4.0  # of the push [N/s]
AFTER = 0.15  # time after it should tip [s]
SLIDING = 0.01  # a box that is faster slides; elastic contact creeps more slowly [m/s]
ROCKED = (0.1, 0.3, 0.4)  # edges of a block that rocks about y [m]
TILTS = (0.3, 0.6)  # angle at which it is released, over that at which it would fall over
STUCK = Material(0.9, 0.9)  # so that it does not slide
SPLIT = STUCK._replace(restitution=1e-9)  # ... and impacts have instants of their own
CUBE = 0.2  # edge of the boxes of a stack [m]
STACKED = 1.0  # time that a stack is watched [s]


def tipping(trial: Trial) -> Measures:
    """A box of width w pushed at height h slides at F = mu m g, or tips at F = m g w / (2 h).

    The smaller force decides: it slides below h = w / (2 mu). The push grows at a rate r = 4 N/s,
    so t after it began to slide the box has the speed r t^2 / (2 m), which gives the instant. A
    fixed step resolves that to one step, so the growth in one step is subtracted. Tipping is
    judged by the angular speed 0.15 s after its instant, against

        I theta'' = F (h cos theta + w sin theta) - m g (w cos theta - H sin theta) / 2

    about the far edge, I = m (w^2 + H^2) / 3, the push at the near face of the box of height H.
    """
    if not trial.contender.slides:
        return {}
    w, _, high = TIPPED
    critical = w / (2 * FRICTION)
    world = st.World(st.robots.box(TIPPED, MASS))
    rest = trial.settled(world)
    weight = MASS * GRAVITY
    slid = trial.simulate(
        world, rest, FRICTION * weight / RAMP + 0.1, forces=[push(0.9 * critical)]
    )
    k = int(np.argmax(slid.v[:, 0] > SLIDING))
    since = math.sqrt(2 * MASS * max(float(slid.v[k, 0]), 0.0) / RAMP)
    force = RAMP * (float(slid.time[k]) - since) if k else math.inf
    off = max(0.0, abs(force - FRICTION * weight) - RAMP * trial.dt)
    tipped = 1.1 * critical
    starts = weight * w / (2 * tipped) / RAMP
    motion = trial.simulate(world, rest, starts + AFTER, forces=[push(tipped)])
    last = float(motion.time[-1])

    def accelerated(t: float, theta: float) -> float:
        arm = tipped * math.cos(theta) + w * math.sin(theta)
        lever = (w * math.cos(theta) - high * math.sin(theta)) / 2
        return (RAMP * t * arm - weight * lever) / (MASS * (w**2 + high**2) / 3)

    exact = integrated(accelerated, starts, last)
    return {
        "slides: force, minus one step [%]": 100 * off / (FRICTION * weight),
        "tips: angular speed [%]": percent(float(motion.v[-1, 4]), exact),
    }


def push(height: float) -> st.TabulatedForce:
    """A growing force along x on the near face of the box, at a height above the ground."""
    end = 10.0
    point = (-TIPPED[0] / 2, 0.0, height - TIPPED[2] / 2)
    return st.TabulatedForce("box", point, [0.0, end], [[0.0, 0.0, 0.0], [RAMP * end, 0.0, 0.0]])


def integrated(accelerated: Callable[[float, float], float], t: float, end: float) -> float:
    """Speed at the end of x'' = accelerated(t, x) from rest at x = 0, by RK4 in 2000 steps."""
    h, x, v = (end - t) / 2000, 0.0, 0.0
    for _ in range(2000):
        a1 = accelerated(t, x)
        a2 = accelerated(t + h / 2, x + h / 2 * v)
        a3 = accelerated(t + h / 2, x + h / 2 * v + h * h / 4 * a1)
        a4 = accelerated(t + h, x + h * v + h * h / 2 * a2)
        x, v = x + h * v + h * h / 6 * (a1 + a2 + a3), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        t += h
    return v


def rocking(trial: Trial) -> Measures:
    """Housner's block, tilted and released, rocks on to a smaller angle after each impact.

    It turns about an edge at the distance R from its centre, which is at the angle alpha from the
    vertical, tan alpha = b / h. Its inertia about the edge is 4/3 m R^2. Angular momentum about the
    edge that it lands on is kept: w+ = w- (1 - 3/2 sin^2 alpha). Between impacts energy is kept,
    so the next largest angle follows from cos(alpha - theta) - cos(alpha), which an impact
    multiplies by the square of that ratio. Housner, "The behavior of inverted pendulum structures
    during earthquakes", 1963.

    Without restitution `Midpoint` and `SemiImplicitEuler` spread an impact over the steps before
    and after it (docs/contact.md, "Time of impact"), while the block still turns, and take too
    much energy. Any restitution above 0 makes them split the step at the instant of the impact, so
    models that can have one of 1e-9.
    """
    if not trial.contender.slides:
        return {}
    if not trial.contender.has("newton_impacts"):
        return {"angle after the impact [%]": rocked(trial, STUCK)}
    return {
        "angle after the impact [%]": rocked(trial, SPLIT),
        "angle, restitution 0 [%]": rocked(trial, STUCK),
    }


def rocked(trial: Trial, material: Material) -> float:
    """Largest error of the angle that a block reaches after its first impact [%]."""
    b, _, h = (edge / 2 for edge in ROCKED)
    alpha, reach = math.atan2(b, h), math.hypot(b, h)
    ratio = 1 - 1.5 * math.sin(alpha) ** 2
    world = st.World(st.robots.box(ROCKED, MASS))
    error = 0.0
    for share in TILTS:
        theta = share * alpha
        state = world.home()
        state.q[:3] = [b - reach * math.sin(alpha - theta), 0.0, reach * math.cos(alpha - theta)]
        state.q[3:7] = [math.cos(theta / 2), 0.0, math.sin(theta / 2), 0.0]
        motion = trial.simulate(world, state, 1.5, material)
        tilt = 2 * np.arctan2(motion.q[:, 5], motion.q[:, 3])
        landed = int(np.argmax(tilt < 0))
        risen = math.cos(alpha - theta) - math.cos(alpha)
        exact = alpha - math.acos(math.cos(alpha) + ratio**2 * risen)
        back = np.flatnonzero(tilt[landed:] > 0)
        until = landed + int(back[0]) if len(back) else len(tilt)
        found = -float(tilt[landed:until].min()) if landed else 0.0
        error = max(error, percent(found, exact))
    return error


def stacked(trial: Trial, masses: list[float]) -> Measures:
    """Boxes on top of each other stay where they are, for one second."""
    boxes = [
        st.robots.box((CUBE,) * 3, mass).at((0.0, 0.0, (k + 0.5) * CUBE))
        for k, mass in enumerate(masses)
    ]
    world = st.World(*boxes)
    state = world.home()
    motion = trial.simulate(world, state, STACKED)
    q, v = motion.q[-1].reshape(-1, 7), motion.v[-1].reshape(-1, 6)
    start = state.q.reshape(-1, 7)
    return {
        "sunk [mm]": 1000 * float((start - q)[:, 2].max()),
        "moved aside [mm]": 1000 * float(np.linalg.norm((q - start)[:, :2], axis=1).max()),
        "speed [mm/s]": 1000 * float(np.linalg.norm(v[:, :3], axis=1).max()),
    }


def stacks(trial: Trial) -> Measures:
    """Ten equal boxes; and a box of 1 kg under one of 1e3 and of 1e6 kg."""
    found: Measures = {}
    if not trial.contender.slides:
        return found
    cases = {"ten": [1.0] * 10, "1:1e3": [1.0, 1e3], "1:1e6": [1.0, 1e6]}
    for name, masses in cases.items():
        measures = stacked(trial, masses)
        found |= {f"{name}: {what}": value for what, value in measures.items()}
    return found
