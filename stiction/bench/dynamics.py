"""Microseconds per step of a robot in free flight, Stiction and MuJoCo interleaved.

Both sides do the same work: dt 1 ms, the actuators of the file with the same control, joint
friction and limits on, float64, one core. Stiction runs the public `simulate` and records
positions, velocities and forces of every step; MuJoCo takes its steps in one call of `mj_step`
without recording. There are two flights: "hold", where the servos hold the home configuration, so
that joints stick; and "swing", from random joint angles and speeds, so that joints slide and hit
stops.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stiction as st
from stiction.bench.data import G1, MENAGERIE, data_file
from stiction.bench.told import mujoco_told

DT = 0.001  # [s]
MUST, GOAL = 0.6, 0.35  # of MuJoCo's time per step
METHODS = {"articulated body": st.ArticulatedBody(), "joint space (H)": st.JointSpace()}


def bench(
    robot_path: Path | None = None,
    repeats: int = 10,
    steps: int = 5000,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Best time per step of both engines over interleaved repeats, and the ratios.

    The robot is the Unitree G1 by default.
    """
    import mujoco

    robot_path = robot_path or data_file(G1, MENAGERIE)
    robot = st.load(robot_path)
    world = st.World(robot, ground=None)
    model = mujoco.MjModel.from_xml_path(str(robot_path))
    model.opt.timestep = DT
    flights = {"hold": world.home(), "swing": swinging(world)}
    best: dict[tuple[str, str], float] = {}
    for repeat in range(repeats + 1):
        for flight, state in flights.items():
            for name, run in contenders(world, model, state, steps).items():
                taken = run() / steps * 1e6
                if repeat > 0:  # the first round compiles and warms up
                    best[flight, name] = min(taken, best.get((flight, name), np.inf))
        if progress is not None:
            progress((repeat + 1) / (repeats + 1))
    return report(robot, model, best, repeats, steps)


def swinging(world: st.World) -> st.State:
    """Random joint angles within the limits and random speeds."""
    rng = np.random.default_rng(0)
    state = world.home()
    single = world.tree.dof_q >= 0
    where = world.tree.dof_q[single]
    angles = state.q[where] + 0.3 * rng.normal(size=len(where))
    state.q[where] = np.clip(angles, world.tree.lower[single], world.tree.upper[single])
    state.v[:] = rng.normal(size=world.nv)
    return state


def contenders(
    world: st.World, model: Any, state: st.State, steps: int
) -> dict[str, Callable[[], float]]:
    """Functions that take all steps from the state and return the time in seconds."""
    import mujoco

    control = servo_targets(world)

    def ours(method: Any) -> float:
        begun = time.perf_counter()
        st.simulate(
            world,
            contact=None,
            duration=steps * DT,
            dt=DT,
            state=state,
            controller=st.Actuators(control),
            method=method,
        )
        return time.perf_counter() - begun

    def mujocos() -> float:
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:], data.ctrl[:] = state.q, state.v, control
        begun = time.perf_counter()
        mujoco.mj_step(model, data, steps)
        return time.perf_counter() - begun

    mine = {name: (lambda method=method: ours(method)) for name, method in METHODS.items()}
    return {**mine, "mujoco": mujocos}


def servo_targets(world: st.World) -> np.ndarray:
    """Control with which position servos hold the home configuration; motors get zero."""
    robot = world.robots[0]
    targets = world.home().q[robot.q_index[robot.actuator_link]]
    return np.where(robot.actuator_bias[:, 1] != 0, targets, 0.0)


def report(robot: st.Robot, model: Any, best: dict, repeats: int, steps: int) -> dict[str, Any]:
    """Times and ratios as plain values."""
    import mujoco

    times = {
        flight: {name: round(best[flight, name], 3) for name in (*METHODS, "mujoco")}
        for flight in ("hold", "swing")
    }
    ratios = {
        flight: {name: round(row[name] / row["mujoco"], 3) for name in METHODS}
        for flight, row in times.items()
    }
    worst = max(ratio for row in ratios.values() for ratio in row.values())
    return {
        "robot": robot.name,
        "mujoco": mujoco.__version__,
        "mujoco options": mujoco_told(model),
        "steps": steps,
        "repeats, best taken": repeats,
        "microseconds a step": times,
        "ratio to mujoco": ratios,
        "must be at most": MUST,
        "goal": GOAL,
        "holds": worst <= MUST,
    }
