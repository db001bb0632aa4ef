"""A block on a belt that runs, and on one that swings to and fro.

Notation: mu coefficient of friction, g gravity, m mass.
"""

from __future__ import annotations

import functools
import math

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import FRICTION, GRAVITY
from stiction.bench.closed_forms.trial import HEADINGS, Measures, Trial, along

BELT = (0.5, 2.0)  # speed [m/s]
OMEGA = 4 * math.pi  # of a belt that swings [rad/s]
PERIODS = 2.0
# largest acceleration of the belt over mu g: what the block does, and unit of the error
SWINGS = {1.5: ("sticks and slips", "%"), 5.0: ("always slides", "%"), 0.9: ("rides along", "mm")}
FINE = 500_000  # steps of the exact solution


def belt(trial: Trial) -> Measures:
    """A block put on a belt of speed V slides back by V^2 / (2 mu g), then rides along at V."""
    if not trial.contender.slides:
        return {}
    level = st.World(st.robots.brick())
    rest = trial.settled(level)
    behind = speed = 0.0
    for fast in BELT:
        for heading in HEADINGS[:3]:
            velocity = (*(fast * along(heading)), 0.0)
            world = st.World(st.robots.brick(), ground=st.Plane(velocity=velocity))
            ends = fast / (FRICTION * GRAVITY)
            motion = trial.simulate(world, st.State(rest.q, rest.v.copy()), ends + 0.3)
            way = fast**2 / (2 * FRICTION * GRAVITY)
            rode = fast * float(motion.time[-1]) * along(heading)
            off = motion.q[-1, :2] - rest.q[:2] - (rode - way * along(heading))
            behind = max(behind, 100 * float(np.linalg.norm(off)) / way)
            left = motion.v[-1, :2] - fast * along(heading)
            speed = max(speed, 1000 * float(np.linalg.norm(left)))
    return {"slid back [%]": behind, "speed on the belt [mm/s]": speed}


def swinging_belt(trial: Trial) -> Measures:
    """A block on a belt of speed V sin(w t) rides along, sticks and slips, or always slides.

    Friction changes its speed u by at most mu g a second, towards that of the belt. It rides along
    while the belt accelerates by less, V w cos(w t) < mu g; otherwise du/dt = +-mu g until u has
    caught up. In the frame of the belt, where the scene is simulated because other engines have no
    belts whose speed varies, the force -m V w cos(w t) acts on its centre. The largest distance
    from the exact place on the belt is measured, relative to the width of the region in which the
    block slides.
    """
    if not trial.contender.slides:
        return {}
    world = st.World(st.robots.brick())
    mass, rest = world.robots[0].total_mass, trial.settled(world)
    duration = PERIODS * 2 * math.pi / OMEGA
    time = np.linspace(0.0, 1.1 * duration, 20_000)
    found: Measures = {}
    for share, (name, unit) in SWINGS.items():
        error = 0.0
        for heading in HEADINGS[:3]:
            pull = -mass * share * FRICTION * GRAVITY * np.cos(OMEGA * time)
            force = pull[:, None] * [*along(heading), 0.0]
            inertia = st.TabulatedForce("brick", (0.0, 0.0, 0.0), time, force)
            motion = trial.simulate(world, rest, duration, forces=[inertia])
            exact_time, exact = place_on_belt(share)
            there = np.interp(motion.time, exact_time, exact)[:, None] * along(heading)
            off = np.linalg.norm(motion.q[:, :2] - rest.q[:2] - there, axis=1)
            scale = 1000 if unit == "mm" else 100 / float(np.ptp(exact))
            error = max(error, scale * float(off.max()))
        found[f"{name}: place [{unit}]"] = error
    return found


@functools.cache
def place_on_belt(share: float) -> tuple[np.ndarray, np.ndarray]:
    """Time and exact place of a block on a belt whose acceleration is up to share mu g."""
    h = PERIODS * 2 * math.pi / OMEGA / FINE
    most = FRICTION * GRAVITY * h
    time = h * np.arange(FINE + 1)
    belt = (share * FRICTION * GRAVITY / OMEGA * np.sin(OMEGA * time)).tolist()
    speed, block = np.zeros(FINE + 1), 0.0
    for k, fast in enumerate(belt):
        block += min(max(fast - block, -most), most)
        speed[k] = block - fast
    return time, np.concatenate([[0.0], np.cumsum(h * (speed[1:] + speed[:-1]) / 2)])
