"""The kernels on CUDA: one thread per world, arrays with a last axis over the worlds.

Run as a program with the number of worlds and of steps: simulates them on the device (or, with
NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1, in Numba's simulator of one), and prints how far
they are from the same worlds on the CPU.
"""

import json
import sys
import time

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda 0.30 wants it, numpy 2.5 has dropped it
from numba import cuda

import stiction as st
from stiction.external import bind_forces
from stiction.integrators.equation_of_motion import ArticulatedBody, JointSpace, System
from stiction.integrators.integrator import StepState, Work, take_step
from stiction.kernels.spatial import like
from stiction.kernels.tree import Dynamics, Tree, allocate
from stiction.simulate import _allocate_work


def one_world(kind: type, values: tuple, name: str) -> str:
    """Source of the tuple `kind` whose arrays are those of one world: a view at the last index."""
    views = []
    for field, value in zip(kind._fields, values, strict=True):
        if isinstance(value, Tree):
            views.append(f"{name}.{field}")
        else:
            views.append(f"{name}.{field}[{', '.join([':'] * value.ndim + ['i'])}]")
    return f"{kind.__name__}({', '.join(views)})"


def make_kernel(dynamics: Dynamics, work: Work):
    """Compile the loop over steps for one thread per world."""
    source = f"""
def run(integrator, method, controllers, forces, dynamics, state, work, dt, steps):
    i = cuda.grid(1)
    if i < state.q.shape[1]:
        system = System({one_world(Dynamics, dynamics, "dynamics")}, method, controllers, forces)
        mine = StepState(state.q[:, i], state.v[:, i])
        room = {one_world(Work, work, "work")}
        for step in range(steps):
            take_step(integrator, system, mine, room, like(dt, step) * dt, dt)
"""
    names = {
        "cuda": cuda,
        "System": System,
        "StepState": StepState,
        "Dynamics": Dynamics,
        "Work": Work,
    }
    exec(source, {**names, "take_step": take_step, "like": like}, names)
    return cuda.jit(names["run"])


def repeated(values: tuple, worlds: int, real: type) -> tuple:
    """Arrays with a last axis over the worlds; a tree is shared by all."""

    def each(value):
        if isinstance(value, Tree):
            return Tree(*(cuda.to_device(as_real(a, real)) for a in value))
        return cuda.to_device(np.repeat(as_real(value, real)[..., None], worlds, axis=-1))

    return type(values)(*(each(value) for value in values))


def as_real(array: np.ndarray, real: type) -> np.ndarray:
    return array.astype(real) if array.dtype == np.float64 else array


def compare(world, states, integrator, method, real, steps, dt=0.001) -> tuple[float, float]:
    """Largest difference of q and v from the CPU, and world-steps a second on the device."""
    worlds = len(states)
    dynamics, work = allocate(world.tree), _allocate_work(world)
    kernel = make_kernel(dynamics, work)
    on_device = repeated(dynamics, worlds, real), repeated(work, worlds, real)
    state = StepState(
        cuda.to_device(np.stack([s.q for s in states], axis=-1).astype(real)),
        cuda.to_device(np.stack([s.v for s in states], axis=-1).astype(real)),
    )
    forces = type(bind_forces(world, []))(
        *(cuda.to_device(as_real(a, real)) for a in bind_forces(world, []))
    )
    plain = [type(value)(*(real(x) for x in value)) for value in (integrator, method)]
    threads = 64
    call = kernel[(worlds + threads - 1) // threads, threads]
    arguments = (*plain, (), forces, on_device[0], state, on_device[1], real(dt), steps)
    call(*arguments)
    q, v = state.q.copy_to_host(), state.v.copy_to_host()
    begun = time.perf_counter()
    call(*arguments)
    cuda.synchronize()
    rate = worlds * steps / (time.perf_counter() - begun)
    worst = 0.0
    for k in range(min(worlds, 4)):
        motion = st.simulate(
            world, duration=steps * dt, dt=dt, state=states[k], integrator=integrator, method=method
        )
        worst = max(
            worst, np.abs(motion.q[-1] - q[:, k]).max(), np.abs(motion.v[-1] - v[:, k]).max()
        )
    return float(worst), rate


def random_states(world, count: int) -> list:
    rng = np.random.default_rng(4)
    states = []
    for _ in range(count):
        state = world.home()
        state.v[:] = rng.normal(size=world.nv)
        states.append(state)
    return states


def main(worlds: int, steps: int) -> None:
    robots = st.World(st.robots.biped10(), st.robots.box())
    states = random_states(robots, worlds)
    for integrator in (st.SemiImplicitEuler(), st.Leapfrog(), st.RungeKutta4()):
        for method in (ArticulatedBody(), JointSpace()):
            for real in (np.float64, np.float32):
                worst, rate = compare(robots, states, integrator, method, real, steps)
                row = {
                    "integrator": type(integrator).__name__,
                    "method": type(method).__name__,
                    "real": real.__name__,
                    "worst": worst,
                    "steps a second": rate,
                }
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
