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
from stiction.contact.contact_model import Memory, NoContact, Workspace
from stiction.external import bind_forces
from stiction.integrators.equation_of_motion import Surface, System
from stiction.integrators.integrator import StepState, Work
from stiction.kernels.contact import Contact, Places
from stiction.kernels.response import Response
from stiction.kernels.spatial import like
from stiction.kernels.terrain import Ground
from stiction.kernels.tree import Dynamics, Tree, allocate
from stiction.loop import commit, step_with
from stiction.simulation import allocate_work, make_surface

SHARED = (Tree, Places, Ground)  # constant, the same for all worlds
KINDS = (Dynamics, StepState, Surface, Contact, Memory, Workspace, Response, Work)


def is_shared(field: str, value: object) -> bool:
    return isinstance(value, SHARED) or field == "table"


def one_world(values: tuple, name: str) -> str:
    """Source of a tuple whose arrays are those of one world: views at the last index."""
    views = []
    for field, value in zip(values._fields, values, strict=True):
        path = f"{name}.{field}"
        if is_shared(field, value):
            views.append(path)
        elif isinstance(value, tuple):
            views.append(one_world(value, path))
        else:
            views.append(f"{path}[{', '.join([':'] * value.ndim + ['i'])}]")
    return f"{type(values).__name__}({', '.join(views)})"


def make_kernel(dynamics: Dynamics, surface: Surface, work: Work):
    """Compile the loop over steps for one thread per world."""
    source = f"""
def run(integrator, method, model, forces, dynamics, surface, work, state, dt, steps):
    i = cuda.grid(1)
    if i < state.q.shape[1]:
        mine = StepState(state.q[:, i], state.v[:, i])
        here = {one_world(dynamics, "dynamics")}
        touching = {one_world(surface, "surface")}
        room = {one_world(work, "work")}
        system = System(here, method, (), forces, model, touching)
        for step in range(steps):
            step_with(model, integrator, system, mine, room, like(dt, step) * dt, dt)
            commit(touching.memory)
"""
    names = {kind.__name__: kind for kind in (*KINDS, System)}
    names |= {"cuda": cuda, "like": like}
    names |= {"step_with": step_with, "commit": commit}
    exec(source, names)
    return cuda.jit(names["run"])


def on_device(values: tuple, worlds: int, real: type, shared: bool = False) -> tuple:
    """Arrays on the device, with a last axis over the worlds unless they are shared."""
    moved = []
    for field, value in zip(values._fields, values, strict=True):
        alike = shared or is_shared(field, value)
        if isinstance(value, tuple):
            moved.append(on_device(value, worlds, real, alike))
        elif alike:
            moved.append(cuda.to_device(as_real(value, real)))
        else:
            each = np.repeat(as_real(value, real)[..., None], worlds, axis=-1)
            moved.append(cuda.to_device(each))
    return type(values)(*moved)


def as_real(array: np.ndarray, real: type) -> np.ndarray:
    return array.astype(real) if array.dtype == np.float64 else array


def compare(world, states, integrator, method, model, real, steps, dt=0.001):
    """Largest difference of q and v from the CPU, and world-steps a second on the device."""
    worlds = len(states)
    surface, names, _ = make_surface(world, model or NoContact())
    bundles = allocate(world.tree), surface, allocate_work(world, len(names))
    kernel = make_kernel(*bundles)
    state = StepState(
        cuda.to_device(np.stack([s.q for s in states], axis=-1).astype(real)),
        cuda.to_device(np.stack([s.v for s in states], axis=-1).astype(real)),
    )
    plain = [
        type(value)(*(real(x) for x in value))
        for value in (integrator, method, model or NoContact())
    ]
    arguments = (
        *plain,
        on_device(bind_forces(world, []), worlds, real, shared=True),
        *(on_device(bundle, worlds, real) for bundle in bundles),
        state,
        real(dt),
        steps,
    )
    call = kernel[(worlds + 63) // 64, 64]
    call(*arguments)
    q, v = state.q.copy_to_host(), state.v.copy_to_host()
    begun = time.perf_counter()
    call(*arguments)
    cuda.synchronize()
    rate = worlds * steps / (time.perf_counter() - begun)
    worst = 0.0
    for k in range(min(worlds, 4)):
        motion = st.simulate(
            world,
            model,
            duration=steps * dt,
            dt=dt,
            state=states[k],
            integrator=integrator,
            method=method,
        )
        worst = max(worst, np.abs(motion.q[-1] - q[:, k]).max())
        worst = max(worst, np.abs(motion.v[-1] - v[:, k]).max())
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
    robots = st.robots.biped10(), st.robots.box().at((1.0, 0.0, 0.199))
    hills = np.random.default_rng(5).uniform(0.0, 0.002, (9, 9))
    plane, field, stairs = (
        st.World(*robots, ground=ground)
        for ground in (st.Plane(), st.HeightField(hills, 0.5), st.Steps(start=0.05, rise=0.0005))
    )
    states = random_states(plane, worlds)
    springs = st.ImplicitSpringDamper(stiffness=2e4)
    cases = [
        (plane, st.SemiImplicitEuler(), st.ArticulatedBody(), None),
        (plane, st.SemiImplicitEuler(), st.JointSpace(), None),
        (plane, st.Leapfrog(), st.ArticulatedBody(), None),
        (plane, st.RungeKutta4(), st.JointSpace(), None),
        (plane, st.SemiImplicitEuler(), st.ArticulatedBody(), springs),
        (plane, st.RungeKutta4(), st.ArticulatedBody(), springs),
        (field, st.SemiImplicitEuler(), st.ArticulatedBody(), springs),
        (stairs, st.SemiImplicitEuler(), st.ArticulatedBody(), springs),
        (plane, st.SemiImplicitEuler(), st.ArticulatedBody(), st.GaussSeidel(tolerance=1e-5)),
        (plane, st.SemiImplicitEuler(), st.ArticulatedBody(), st.Coulomb(tolerance=1e-5)),
    ]
    for world, integrator, method, model in cases:
        for real in (np.float64, np.float32):
            worst, rate = compare(world, states, integrator, method, model, real, steps)
            names = [type(value).__name__ for value in (world.ground, integrator, method, model)]
            row = dict(zip(("ground", "integrator", "method", "contact"), names, strict=True))
            row |= {"real": real.__name__, "worst": worst, "steps a second": rate}
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
