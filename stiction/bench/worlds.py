"""World-steps per second of many worlds, on all cores or on a GPU, under every contact model.

The robot is the Unitree G1 on 8 points, held by the servos of `bench contact`, or a robot saved by
`Robot.save`, which may be a scene of `bench bodies`: a stack, or G1 with boxes. It is simulated to
rest once. Then all worlds start from that state, in three cases:

    driven  random torques on all joints, which change every 50 ms: as when a policy learns
    kicked  every velocity differs from world to world
    alike   all worlds are identical, and all threads of a GPU follow the same path

    cpu     one thread, then all cores; results must be equal, and throughput must grow with them
    cuda    one launch for many steps; one step in double precision must agree with the CPU
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.bench.contact.cases import SERVO, loaded, robot_on_points
from stiction.bench.contact.models import contact_models
from stiction.bench.data import G1, MENAGERIE, data_file
from stiction.bench.dynamics import servo_targets
from stiction.errors import InputError
from stiction.kernels.tree import FREE

Progress = Callable[[float], None]

DT = 0.001  # [s]
POINTS = 8
SETTLING = 2.0  # [s]
DRIVEN, KICKED, ALIKE = CASES = ("driven", "kicked", "alike")
KICK = 0.5  # standard deviation of velocities [m/s and rad/s]
TORQUE, HELD = 10.0, 50  # largest random torque [N m]; steps for which it is held
REPEATS = 3  # best taken
GAIN = 0.9  # least growth of throughput over the number of cores
# Between CUDA and CPU after one step in double precision. A GPU fuses multiplications and
# additions, and a statically indeterminate foot with stuck joints amplifies the rounding: 1.2e-11
# were seen, a ten-thousandth of the velocities that `GaussSeidel` tolerates.
AGREEMENT = 1e-10
COMPARED = 4  # worlds
# MUST: least million world-steps per second on an H200, FULL worlds, single precision.
FULL = 65536  # worlds that fill the GPU
MUST = {
    DRIVEN: {"GaussSeidel": 12.0, "Coulomb": 10.0, "ImplicitSpringDamper": 60.0},
    ALIKE: {"GaussSeidel": 12.0, "Coulomb": 12.0, "ImplicitSpringDamper": 45.0},
}


def bench(
    robot_path: Path | None = None,
    device: str = "cpu",
    worlds: Sequence[int] = (),
    steps: int = 200,
    models: Sequence[str] = (),
    progress: Progress = lambda part: None,
) -> dict[str, Any]:
    """Rates of all or some models for each number of worlds, and whether they meet the targets."""
    world, state, control = standing_robot(robot_path)
    counts = list(worlds) or ([64] if device == "cpu" else [4096, 16384, 65536])
    field = chosen_models(models)
    measure = on_cores if device == "cpu" else on_gpu
    rows: list[dict[str, Any]] = []
    total = len(field) * len(counts) * len(CASES)
    for name, model in field.items():
        for count in counts:
            for case in CASES:
                run = Run(world, model, control, count, case, state)
                rows.append({"model": name, "worlds": count, "case": case, **measure(run, steps)})
                progress(len(rows) / total)
    return {
        "robot": world.robots[0].name,
        "points": len(st.Simulation(world, st.Coulomb()).point_names),
        "device": device if device == "cpu" else gpu_name(),
        "cores": len(os.sched_getaffinity(0)),
        "steps": steps,
        "runs": rows,
        "holds": all(row["holds"] is not False for row in rows),
    }


def standing_robot(path: Path | None) -> tuple[st.World, st.State, Any]:
    """A world, the rest state of its robot, and the control that holds it."""
    if path is None:
        with tempfile.TemporaryDirectory() as folder:
            text = robot_on_points(data_file(G1, MENAGERIE), POINTS, SERVO)
            world, _ = loaded(text, Path(folder))
    else:
        world = st.World(st.Robot.load(path) if path.suffix == ".npz" else st.load(path))
    robot = world.robots[0]
    control: Any = ()
    if len(robot.actuator_name):
        control = st.Actuators(servo_targets(world))
    elif (robot.joint_type != FREE).any():
        control = st.PDTracking(st.Reference([0.0, 1.0], [world.home().q] * 2), 200.0, 5.0)
    model = next(one for one in contact_models(POINTS) if isinstance(one, st.Coulomb))
    motion = st.simulate(
        world, model, duration=SETTLING, dt=DT, state=world.standing(), controller=control
    )
    return world, st.State(motion.q[-1], motion.v[-1]), control


def chosen_models(names: Sequence[str]) -> dict[str, Any]:
    """Contact models by name; "None" is no contact."""
    known = {type(model).__name__: model for model in contact_models(POINTS)}
    known["None"] = None
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"unknown contact model '{unknown[0]}'; models: {', '.join(known)}")
    return {name: known[name] for name in (names or known)}


class Run(NamedTuple):
    """What a batch simulates."""

    world: st.World
    model: Any
    control: Any
    worlds: int
    case: str
    state: st.State

    def batch(self, worlds: int | None = None, **options: Any) -> st.BatchSimulation:
        """Return a batch, by default of all worlds."""
        count, random = worlds or self.worlds, np.random.default_rng(0)
        kick = KICK if self.case == KICKED else 0.0
        v = self.state.v + kick * random.normal(size=(count, self.world.nv))
        states = (np.tile(self.state.q, (count, 1)), v)
        return st.BatchSimulation(
            self.world, count, self.model, states=states, controls=self.control, **options
        )

    def torques(self) -> Iterator[np.ndarray]:
        """Random torques on all joints, again and again; one set is made and shuffled."""
        random = np.random.default_rng(1)
        driven = self.world.tree.dof_q >= 0  # not free and spherical joints
        some = TORQUE * random.uniform(-1.0, 1.0, (self.worlds, self.world.nv)) * driven
        while True:
            yield some
            some = np.roll(some, 1, axis=0)

    def seconds(self, batch: st.BatchSimulation, steps: int, wait: Callable[[], None]) -> float:
        """Seconds that a batch takes for some steps, less those of copying torques."""
        torques, spent, left = self.torques(), 0.0, steps
        while left > 0:
            if self.case == DRIVEN:
                batch.set_torque(next(torques))
            count = min(HELD, left)
            wait()
            begun = time.perf_counter()
            batch.step(count)
            wait()
            spent, left = spent + time.perf_counter() - begun, left - count
        return spent


# ------------------------------------------------------------------------------------------ devices


def on_cores(run: Run, steps: int) -> dict[str, Any]:
    """Throughput of one thread and of all cores [million world-steps/s]."""
    cores = len(os.sched_getaffinity(0))
    rates, ends = [0.0, 0.0], [np.zeros(0), np.zeros(0)]
    for _ in range(REPEATS):
        for k, threads in enumerate((1, cores)):
            batch = run.batch(threads=threads)
            spent = run.seconds(batch, steps, lambda: None)
            rates[k] = max(rates[k], run.worlds * steps / spent / 1e6)
            ends[k] = batch.q
    gain, equal = rates[1] / rates[0], bool((ends[0] == ends[1]).all())
    return {
        "one core [M/s]": round(rates[0], 4),
        "all cores [M/s]": round(rates[1], 4),
        "gain": round(gain, 2),
        "equal": equal,
        "holds": equal and gain >= GAIN * cores,
    }


def on_gpu(run: Run, steps: int) -> dict[str, Any]:
    """Throughput in single precision [million world-steps/s], and agreement with the CPU."""
    batch = run.batch(device="cuda", precision="float32")
    engine = batch._engine
    batch.step(1)  # compiles
    best = 0.0
    with alone():
        for _ in range(REPEATS):
            spent = run.seconds(batch, steps, engine.cuda.synchronize)
            best = max(best, run.worlds * steps / spent / 1e6)
    compiled = next(iter(engine.kernel.overloads.values()))
    name = "None" if run.model is None else type(run.model).__name__
    must = MUST.get(run.case, {}).get(name) if run.worlds >= FULL else None
    size, off, well = engine.bytes_of_worlds, disagreement(run), batch.status == "well"
    taken = run.worlds * (REPEATS * steps + 1)
    return {
        "rate [M/s]": round(best, 3),
        "must [M/s]": must,
        "well [%]": round(100 * float(well.mean()), 3),
        "unfinished [%]": round(100 * float(batch.unfinished.sum() / taken), 3),
        "unsolved [%]": round(100 * float(batch.unsolved.sum() / taken), 4),
        "one step, float64: off the CPU by": float(f"{off:.2g}"),
        "registers": compiled.regs_per_thread,
        "local memory [B]": compiled.local_mem_per_thread,
        "occupancy [%]": round(100 * occupancy(compiled.regs_per_thread), 1),
        "kB a world": round(size / run.worlds / 1e3, 2),
        "holds": bool(well.all()) and off <= AGREEMENT and (must is None or best >= must),
    }


@contextmanager
def alone() -> Iterator[None]:
    """Let one process at a time use the GPU, so that several can compile in parallel."""
    with (Path(tempfile.gettempdir()) / "stiction_bench_worlds.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def disagreement(run: Run) -> float:
    """Largest difference of q and v after one step in double precision, CUDA and CPU."""
    ends = []
    for device in ("cpu", "cuda"):
        batch = run.batch(COMPARED, device=device)
        batch.step(1)
        ends.append(np.hstack([batch.q, batch.v]))
    return float(np.abs(ends[0] - ends[1]).max())


def occupancy(registers: int) -> float:
    """Fraction of the 64 warps of a multiprocessor that its 65,536 registers allow."""
    return min(64, 65536 // (32 * -(-registers // 8) * 8)) / 64


def gpu_name() -> str:
    """Name of the device."""
    from stiction.batch.cuda import cuda_module

    name = getattr(cuda_module().get_current_device(), "name", "simulator")
    return name.decode() if isinstance(name, bytes) else str(name)
