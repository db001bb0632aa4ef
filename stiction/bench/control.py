"""Overhead of a control loop in Python at 1 kHz: G1 stands, Stiction and MuJoCo interleaved.

Both take the same steps twice: in one call, and in a loop in Python with one call per step. The
difference, per step, is the overhead. A loop can read the contact forces of every step; one call of
ours computes them for its last step alone, unless it records them. So the overhead is that beyond
one call that records. There are three loops: one that only steps; one that passes torques along all
coordinates; and one that reads positions and velocities and writes set-points of all actuators. dt
1 ms, float64, one core, 8 contact points.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import stiction as st
from stiction.bench.contact.cases import DT, SERVO, SETTLING, loaded, robot_on_points
from stiction.bench.data import G1, MENAGERIE, data_file
from stiction.bench.dynamics import servo_targets
from stiction.bench.told import mujoco_told

MOST = 2.0  # overhead of a step [us]
POINTS = 8
ONE_CALL, RECORDED = "one call", "one call, forces of every step"
STEP, TORQUE, CONTROL = "step", "step with torques", "read and set control"
Runs = dict[str, Callable[[int], None]]


def bench(
    robot_path: Path | None = None,
    repeats: int = 10,
    steps: int = 5000,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Best time per step of each loop over interleaved repeats, and the overheads [us]."""
    with TemporaryDirectory() as folder:
        text = robot_on_points(robot_path or data_file(G1, MENAGERIE), POINTS, SERVO)
        world, model = loaded(text, Path(folder))
    contenders = {"stiction": ours(world, steps), "mujoco": mujocos(model, servo_targets(world))}
    best: dict[tuple[str, str], float] = {}
    for repeat in range(repeats):
        for engine, (restart, runs) in contenders.items():
            for name, run in runs.items():
                restart()
                begun = time.perf_counter()
                run(steps)
                taken = (time.perf_counter() - begun) / steps * 1e6
                best[engine, name] = min(taken, best.get((engine, name), np.inf))
        if progress is not None:
            progress((repeat + 1) / repeats)
    return report(model, best, repeats, steps)


def ours(world: st.World, steps: int) -> tuple[Callable[[], None], Runs]:
    """How to go back to a robot that stands, and the loops."""
    target, torque = servo_targets(world), np.zeros(world.nv)
    simulation = st.Simulation(
        world, dt=DT, state=world.standing(), controller=st.Actuators(target)
    )
    simulation.step(n=SETTLING)
    stands = simulation.save_state()

    def restart() -> None:
        simulation.restore_state(stands)
        simulation.step()  # prepares single steps, so that no loop has to

    def only_step(steps: int) -> None:
        for _ in range(steps):
            simulation.step()

    def with_torques(steps: int) -> None:
        for _ in range(steps):
            simulation.step(torque)

    def with_control(steps: int) -> None:
        q, v, control = simulation.q, simulation.v, simulation.control
        for _ in range(steps):
            q[7], v[6]
            control[:] = target
            simulation.step()

    def recorded(steps: int) -> None:
        simulation.advance(record, 1, steps, SETTLING + 1)

    record = simulation.allocate_record(steps)
    runs = {ONE_CALL: lambda steps: simulation.step(n=steps), RECORDED: recorded, STEP: only_step}
    return restart, {**runs, TORQUE: with_torques, CONTROL: with_control}


def mujocos(model: Any, target: np.ndarray) -> tuple[Callable[[], None], Runs]:
    """The same for MuJoCo."""
    import mujoco

    data, torque = mujoco.MjData(model), np.zeros(model.nv)
    data.ctrl[:] = target
    mujoco.mj_step(model, data, SETTLING)
    q, v = data.qpos.copy(), data.qvel.copy()
    step = mujoco.mj_step

    def restart() -> None:
        data.qpos[:], data.qvel[:] = q, v
        step(model, data)

    def only_step(steps: int) -> None:
        for _ in range(steps):
            step(model, data)

    def with_torques(steps: int) -> None:
        for _ in range(steps):
            data.qfrc_applied[:] = torque
            step(model, data)

    def with_control(steps: int) -> None:
        positions, velocities, control = data.qpos, data.qvel, data.ctrl
        for _ in range(steps):
            positions[7], velocities[6]
            control[:] = target
            step(model, data)

    def one_call(steps: int) -> None:
        step(model, data, steps)

    runs = {ONE_CALL: one_call, RECORDED: one_call, STEP: only_step}
    return restart, {**runs, TORQUE: with_torques, CONTROL: with_control}


def report(model: Any, best: dict[tuple[str, str], float], repeats: int, steps: int) -> dict:
    """Times and overheads as plain values."""
    import mujoco

    engines = ("stiction", "mujoco")
    loops = (STEP, TORQUE, CONTROL)
    times = {
        engine: {name: round(best[engine, name], 3) for name in (ONE_CALL, RECORDED, *loops)}
        for engine in engines
    }
    overhead = {
        engine: {name: round(row[name] - row[RECORDED], 3) for name in loops}
        for engine, row in times.items()
    }
    return {
        "mujoco": mujoco.__version__,
        "mujoco options": mujoco_told(model),
        "points": POINTS,
        "steps": steps,
        "repeats, best taken": repeats,
        "microseconds a step": times,
        "overhead of Python, microseconds a step": overhead,
        "overhead of a step must be at most": MOST,
        "holds": max(overhead["stiction"][name] for name in (STEP, TORQUE)) <= MOST,
    }
