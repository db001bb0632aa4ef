"""The same scenes in other sizes: bricks and rods of millimetres, and of hundreds of metres.

With lengths times s, masses times s^3 and times, also the time step, times sqrt(s), the equations
of motion under the same gravity are the same: every result, over the size, must be the same too.
"""

from __future__ import annotations

import math

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import FRICTION, GRAVITY, Material
from stiction.bench.closed_forms.rods import rod_states
from stiction.bench.closed_forms.trial import HEADINGS, Measures, Trial, along

SIZES = {"2 mm": 1e-2, "200 m": 1e3}  # length of the brick: what a metre becomes
SPEEDS = (0.5, 4.0)  # at full size [m/s]
DROPS = (4, 22, 41, 65)  # of the 72 of a rod
FALLS = 0.4  # how long [s]


def sizes(trial: Trial) -> Measures:
    """A sliding brick stops after v^2 / (2 mu g) and a rod falls on its end, in any size alike."""
    if not trial.contender.slides:
        return {}
    found: Measures = {}
    for name, s in SIZES.items():
        scaled = type(trial)(trial.contender, trial.dt * math.sqrt(s))
        found[f"{name}: distance [%]"] = slid(scaled, s)
        found[f"{name}: rod off, of its length [%]"] = 100 * max(
            float(np.linalg.norm(fallen(scaled, s, k) - fallen(trial, 1.0, k))) for k in DROPS
        )
        trial.unsolved += scaled.unsolved
    return found


def slid(trial: Trial, s: float) -> float:
    """Largest error of the distance that a brick slides [%]."""
    world = st.World(st.robots.brick((0.2 * s, 0.1 * s, 0.06 * s), 2.0 * s**3))
    worst, rest = 0.0, world.standing()
    for heading in HEADINGS[:3]:
        for speed in SPEEDS:
            v0 = speed * math.sqrt(s)
            way, time = v0**2 / (2 * FRICTION * GRAVITY), v0 / (FRICTION * GRAVITY)
            state = st.State(rest.q.copy(), rest.v.copy())
            state.v[:2] = v0 * along(heading)
            motion = trial.simulate(world, state, time + 0.2 * math.sqrt(s))
            off = motion.q[-1, :2] - rest.q[:2] - way * along(heading)
            worst = max(worst, 100 * float(np.linalg.norm(off)) / way)
    return worst


def fallen(trial: Trial, s: float, k: int) -> np.ndarray:
    """Where the two ends of a rod are after fall number k, over its length, (6)."""
    full = st.World(st.robots.rod())
    mu, start = list(rod_states(full))[k]
    world = st.World(st.robots.rod(0.5 * s, 0.01 * s, 0.5 * s**3))
    q, v = start.q.copy(), start.v.copy()
    q[:3] *= s
    v[:3] *= math.sqrt(s)
    v[3:] /= math.sqrt(s)
    motion = trial.simulate(world, st.State(q, v), FALLS * math.sqrt(s), Material(mu, mu), points=4)
    centre, (w, x, y, z) = motion.q[-1, :3] / (0.5 * s), motion.q[-1, 3:7]
    axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    return np.concatenate([centre - axis / 2, centre + axis / 2])
