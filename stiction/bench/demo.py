"""The demonstration of `make demo`: the test robot swings its legs and falls freely."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stiction as st

DURATION, DT = 2.0, 0.001  # [s]


def demo(folder: Path, progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """Simulate, save motion.h5 and motion.png in the folder; returns energies and momenta.

    The robot spins up its legs by tracked hip and knee angles while it falls. Nothing but gravity
    acts from outside, so its momentum must be the impulse of its weight, and about its centre of
    mass stay what it was.
    """
    world = st.World(st.robots.biped10(), ground=None)
    begun = time.perf_counter()
    motion = st.simulate(
        world,
        duration=DURATION,
        dt=DT,
        state=tumbling(world),
        controller=st.PDTracking(leg_swing(), stiffness=60.0, damping=2.0),
        integrator=st.RungeKutta4(),
        progress=progress,
    )
    seconds = time.perf_counter() - begun
    folder.mkdir(parents=True, exist_ok=True)
    motion.save(folder / "motion.h5")
    figure = motion.plot("energy", "momentum", "left_hip_pitch", "right_knee")
    figure.savefig(folder / "motion.png", dpi=110)
    return {
        **balance(motion),
        "seconds with compiling": seconds,
        "files": [str(folder / "motion.h5"), str(folder / "motion.png")],
    }


def tumbling(world: st.World) -> st.State:
    """Home configuration, thrown up with a slow somersault."""
    state = world.home()
    state.v[:6] = [0.4, 0.0, 4.0, 0.3, 1.5, 0.2]
    return state


def leg_swing() -> st.Reference:
    """Hips and knees that swing at 1.5 Hz, the legs in turn; the other joints are held."""
    t = np.linspace(0.0, DURATION, 201)
    swing = np.sin(2 * np.pi * 1.5 * t) * np.minimum(t / 0.3, 1.0)
    still = np.zeros_like(t)
    columns = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        columns[f"{side}_hip_roll"] = still
        columns[f"{side}_hip_pitch"] = -0.3 + 0.5 * sign * swing
        columns[f"{side}_knee"] = 0.8 + 0.4 * sign * swing
        columns[f"{side}_ankle_pitch"] = still - 0.3
        columns[f"{side}_ankle_roll"] = still
    return st.Reference(t, np.stack(list(columns.values()), axis=1), joints=tuple(columns))


def balance(motion: st.Motion) -> dict[str, Any]:
    """Energies and momenta at the beginning and the end, and what mechanics says of them."""
    energy, momentum = motion.energy(), motion.momentum()
    fallen = np.outer(motion.time - motion.time[0], motion.world.gravity) * motion.world.total_mass
    linear = np.abs(momentum.linear - momentum.linear[0] - fallen).max() / np.abs(fallen).max()
    spin = np.linalg.norm(momentum.angular, axis=1)
    angular = np.linalg.norm(momentum.angular - momentum.angular[0], axis=1).max() / spin[0]
    work = np.trapezoid((motion.torque * motion.v)[:-1].sum(axis=1), motion.time[:-1])
    return {
        "steps": len(motion) - 1,
        "kinetic energy [J]": [float(energy.kinetic[0]), float(energy.kinetic[-1])],
        "potential energy [J]": [float(energy.potential[0]), float(energy.potential[-1])],
        "work of the joint torques [J]": float(work),
        "linear momentum [N s]": [momentum.linear[k].round(6).tolist() for k in (0, -1)],
        "angular momentum about the centre of mass [N m s]": [
            momentum.angular[k].round(6).tolist() for k in (0, -1)
        ],
        "linear momentum against weight times time, relative error": float(linear),
        "angular momentum, relative change": float(angular),
        "holds": bool(linear < 1e-6 and angular < 1e-6),
    }
