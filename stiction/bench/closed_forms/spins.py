"""Spin and friction: a ball with backspin, a box that turns on the spot, rolling on a slope.

Notation: mu coefficient of friction, g gravity, R radius, m mass.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

import stiction as st
from stiction.bench.closed_forms.models import FRICTION, GRAVITY, Material
from stiction.bench.closed_forms.trial import (
    HEADINGS,
    Measures,
    Trial,
    along,
    percent,
    time_to_stop,
)
from stiction.description.description import WORLD, Description, Joint, Link, Shape

# velocity [m/s] and angular velocity times radius [m/s] of a ball, along x and y of the world
SPUN = (
    ((1.0, 0.0), (0.0, -0.5)),  # backspin: goes on
    ((1.0, 0.0), (0.0, -4.0)),  # comes back
    ((1.0, 0.0), (3.0, -2.0)),  # and turns aside
)
SPINS = (2.0, 10.0)  # of a box about the vertical [rad/s]
GRIP = 0.2  # coefficient of friction on a slope


def backspin(trial: Trial) -> Measures:
    """A ball that slides and spins in any direction rolls after 2 |u| / (7 mu g).

    The contact point slides with u = v + R (-w_y, w_x), w the angular velocity. Friction
    f = -mu m g u / |u| changes v by f / m and, with the inertia 2/5 m R^2, R (-w_y, w_x) by
    5/2 f / m, both along u: u keeps its direction and |u| falls by 7/2 mu g a second. When it is
    gone, the ball rolls with v - 2/7 u. The place is that of a constant force until then.
    """
    if not trial.contender.slides:
        return {}
    world = st.World(st.robots.ball())
    radius = world.robots[0].shape_size[0, 0]
    rest = trial.settled(world, points=1)
    speed = duration = place = 0.0
    for v, spin in SPUN:
        v0, w0 = np.array(v), np.array(spin)  # w0: radius times angular velocity
        u0 = v0 + [-w0[1], w0[0]]
        size = float(np.linalg.norm(u0))
        ends, rolls = 2 * size / (7 * FRICTION * GRAVITY), v0 - 2 / 7 * u0
        state = st.State(rest.q.copy(), rest.v.copy())
        state.q[3:7] = [1.0, 0.0, 0.0, 0.0]
        state.v[:2] += v0
        state.v[3:5] = w0 / radius
        motion = trial.simulate(world, state, ends + 0.5, points=1)
        turned = radius * spin_over_ground(motion.q, motion.v)
        slip = motion.v[:, :2] + np.stack([-turned[:, 1], turned[:, 0]], axis=1)
        duration = max(duration, percent(time_to_stop(motion, slip @ u0 / size), ends))
        off = np.linalg.norm(motion.v[-1, :2] - rolls)
        speed = max(speed, 100 * float(off) / size)
        after = float(motion.time[-1]) - ends
        at = v0 * ends - 0.5 * FRICTION * GRAVITY * ends**2 * u0 / size + rolls * after
        gone = motion.q[-1, :2] - state.q[:2]
        place = max(place, 100 * float(np.linalg.norm(gone - at)) / (size * ends))
    return {"speed [%]": speed, "time [%]": duration, "place [%]": place}


def spin_over_ground(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Angular velocity of a free body about x and y of the world [rad/s], (n, 2)."""
    w, u, omega = q[:, 3:4], q[:, 4:7], v[:, 3:6]
    turned = omega + 2 * np.cross(u, np.cross(u, omega) + w * omega)
    return turned[:, :2]


def spinning(trial: Trial) -> Measures:
    """A box that turns on the spot at w stops after w r / (3 mu g), turned by w^2 r / (6 mu g).

    Its four corners are at the distance r from the axis, whatever its sides a, b: friction mu m g
    acts at the arm r however the weight is shared, and the inertia is m (a^2 + b^2) / 12
    = m r^2 / 3. The centre stays if opposite corners carry the same.
    """
    if not trial.contender.slides:
        return {}
    world = st.World(st.robots.brick())
    a, b, _ = world.robots[0].shape_size[0]
    r = math.hypot(a, b)
    rest = trial.settled(world)
    angle = duration = drift = 0.0
    for omega in SPINS:
        ends = omega * r / (3 * FRICTION * GRAVITY)
        state = st.State(rest.q.copy(), rest.v.copy())
        state.v[5] += omega
        motion = trial.simulate(world, state, ends + 0.2)
        turned = 2 * math.atan2(motion.q[-1, 6], motion.q[-1, 3])
        turned -= 2 * math.atan2(rest.q[6], rest.q[3])
        angle = max(angle, percent(turned, omega * ends / 2))
        duration = max(duration, percent(time_to_stop(motion, motion.v[:, 5]), ends))
        off = np.linalg.norm(motion.q[-1, :2] - rest.q[:2])
        drift = max(drift, 1000 * float(off))
    return {"angle [%]": angle, "time [%]": duration, "centre moved [mm]": drift}


def rolling_slope(trial: Trial) -> Measures:
    """A body released on a slope rolls up to tan a = (1 + 1/k) mu, and slips on steeper ones.

    Its inertia is k m R^2: 2/5 for a ball, 1/2 for a cylinder, which so rolls up to 7/2 mu and
    3 mu. Rolling, it accelerates by g sin a / (1 + k) and needs the friction k m g sin a / (1 + k),
    which mu m g cos a allows up to that angle. Slipping, it accelerates by g (sin a - mu cos a).
    """
    if not trial.contender.slides:
        return {}
    found: Measures = {}
    for name, k in (("ball", 0.4), ("cylinder", 0.5)):
        rolls = slips = 0.0
        for share, heading in itertools.product((0.5, 0.99, 1.01, 1.5), HEADINGS[:2]):
            angle = math.atan(share * (1 + 1 / k) * GRIP)
            down = GRAVITY * math.sin(angle)
            exact = down / (1 + k) if share < 1 else down - GRIP * GRAVITY * math.cos(angle)
            error = percent(acceleration_down(trial, name, angle, heading), exact)
            rolls, slips = (max(rolls, error), slips) if share < 1 else (rolls, max(slips, error))
        found[f"{name} rolls: acceleration [%]"] = rolls
        found[f"{name} slips: acceleration [%]"] = slips
    return found


def acceleration_down(trial: Trial, name: str, angle: float, heading: float) -> float:
    """Mean acceleration of a ball or a cylinder down a slope, in the second half of 0.5 s."""
    body, points = (st.robots.ball(), 1) if name == "ball" else (cylinder(heading), 2)
    world = st.World(body, ground=st.Slope(angle, heading))
    motion = trial.simulate(world, world.standing(), 0.5, Material(GRIP, GRIP), points=points)
    falls = -np.array([*(math.cos(angle) * along(heading)), math.sin(angle)])
    half = len(motion) // 2
    gained = float((motion.v[-1, :3] - motion.v[half, :3]) @ falls)
    return gained / float(motion.time[-1] - motion.time[half])


def cylinder(heading: float) -> st.Robot:
    """A cylinder that lies on the ground, its axis across the heading."""
    mass, radius, half = 1.0, 0.05, 0.1
    across, axial = mass * (3 * radius**2 + 4 * half**2) / 12, mass * radius**2 / 2
    lying = Description(
        name="cylinder",
        source="stiction.bench.closed_forms.spins",
        links=(Link("cylinder", mass, (0.0,) * 3, (across, 0.0, 0.0, across, 0.0, axial)),),
        joints=(Joint("cylinder_free", "free", WORLD, "cylinder"),),
        shapes=(Shape("cylinder_shape", "cylinder", "cylinder", (radius, half)),),
    )
    r = math.sqrt(0.5)  # a quarter turn about the heading
    turn = (r, *(r * along(heading)).tolist(), 0.0)
    return st.Robot.from_description(lying).at((0.0, 0.0, 0.0), turn)
