"""Impacts: Newton's restitution, Eq. (4), as a complementarity problem, Eq. (5), and their time.

Bricks land flat on four corners, without and with spin, under Eq. (5) and Lemke's method; with spin
some corners come down while others leave. A ball bounces with impacts at their own time, and at the
start of their step, as the paper allows for steps of 1 ms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction import scenes
from stiction.motion.motion import Motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCENE = "gauss-seidel-bounce"
DT, SHORT, GRAVITY = 0.001, 1e-6, 9.81
E = 0.5  # restitution, that of the scene too
SPEED, SPIN, SEEDS = 1.0, 10.0, 12  # of the bricks that land [m/s, rad/s]
DROPS = tuple(np.linspace(0.20, 0.22, 21))  # of the ball [m]
LONG = 0.45  # duration of the scene: until the ball is down again [s]


def data() -> dict[str, Any]:
    """Landings of a brick under Eq. (5), and heights of the bounces of a ball."""
    return {
        "plastic": landing(0.0, np.zeros(3)),
        "elastic": landing(E, np.zeros(3)),
        "spinning": [landing(E, spin(seed)) for seed in range(SEEDS)],
        "own time": [bounce(height) for height in DROPS],
        "at t0": [bounce_at_t0(height) for height in DROPS],
    }


def spin(seed: int) -> np.ndarray:
    """Angular velocity of a brick that lands [rad/s]."""
    return np.random.default_rng(seed).uniform(-SPIN, SPIN, 3)


def landing(restitution: float, turning: np.ndarray) -> Motion:
    """One step, so short that nothing but the impact happens, of a brick on the ground."""
    model = st.GaussSeidel(restitution=restitution, lcp_impacts=1.0, newton_impacts=1.0)
    world = st.World(st.robots.brick(), gravity=(0.0, 0.0, 0.0))
    state = world.standing()
    state.v[:] = [0.0, 0.0, -SPEED, *turning]
    return st.simulate(world, model, duration=SHORT, dt=SHORT, state=state)


def corners(motion: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Impulses along the normal [N s], and velocities before and after [m/s], of the lower four."""
    low = np.argsort(motion.contact_points.position[0, :, 2], kind="stable")[:4]
    velocity = motion.contact_points.velocity[:, low, 2]
    return SHORT * motion.force[0, low, 2], velocity[0], velocity[1]


def bounce(height: float) -> float:
    """Height to which a ball rises again [m]."""
    scene = scenes.scene(SCENE)
    motion = replace(scene, robots=(replace(scene.robots[0], above=height),)).simulate()
    z = motion.q[:, 2] - motion.q[0, 2] + height
    return float(z[np.argmin(z[: len(z) * 2 // 3]) :].max())


def bounce_at_t0(height: float) -> float:
    """The same if the impact happens at the start of the step in which the ball would touch."""
    z, v, top = height, 0.0, 0.0
    landed = False
    for _ in range(round(LONG / DT)):
        if not landed and z + v * DT - GRAVITY * DT**2 / 2 < 0:
            v, landed = -E * v, True
        z, v = z + v * DT - GRAVITY * DT**2 / 2, v - GRAVITY * DT
        top = max(top, z) if landed else top
    return top


def measures(data: dict[str, Any]) -> dict[str, float]:
    """What claims.toml names."""
    _, before, after = corners(data["elastic"])
    errors = np.array(data["at t0"]) / (E**2 * np.array(DROPS)) - 1
    own = np.array(data["own time"]) / (E**2 * np.array(DROPS)) - 1
    return {
        "speed_after_impact": 1e3 * float(np.abs(corners(data["plastic"])[2]).max()),
        "restitution": float((-after / before).max()),
        "complementarity_error": max(complementarity(one) for one in data["spinning"]),
        "corners_that_leave": float(sum((corners(one)[1] > 0).sum() for one in data["spinning"])),
        "bounce_error_t0": 100 * float(errors.mean()),
        "bounce_error_t0_worst": 100 * float(np.abs(errors).max()),
        "bounce_error_own_time": 100 * float(np.abs(own).max()),
    }


def complementarity(motion: Motion) -> float:
    """Worst error of Eq. (5), relative to the speed and the momentum of the brick.

    Velocities are those above Eq. (4): v+ + epsilon min(v-, 0).
    """
    impulse, before, after = corners(motion)
    above = (after + E * np.minimum(before, 0.0)) / SPEED
    impulse = impulse / (motion.world.total_mass * SPEED)
    return float(max((-impulse).max(), (-above).max(), (impulse * above).max(), 0.0))


def draw(data: dict[str, Any]) -> Figure:
    """Velocities of corners after over before the impact, and errors of bounces."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for one in data["spinning"]:
        impulse, before, after = corners(one)
        hit = impulse > 0
        left.plot(before[hit], after[hit], "C0o", ms=4)
        left.plot(before[~hit], after[~hit], "C1s", ms=4)
    v = np.array([-2.5, 1.5])
    left.plot(v, -E * v, "k:", label="v$^+$ = -0.5 v$^-$")
    left.plot([], [], "C0o", label="corners with an impulse")
    left.plot([], [], "C1s", label="corners without")
    left.set(xlabel="velocity before the impact [m/s]", ylabel="after [m/s]")
    exact = E**2 * np.array(DROPS)
    for name, label in (("at t0", "impact at the start of its step"), ("own time", "at its time")):
        right.plot(DROPS, 100 * (np.array(data[name]) / exact - 1), "o-", label=label)
    right.set(xlabel="dropped from [m]", ylabel="error of the height of the bounce [%]")
    right.locator_params(axis="x", nbins=5)
    for ax in (left, right):
        ax.legend(fontsize="small")
    return figure
