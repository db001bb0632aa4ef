"""Batches on a GPU: one thread for each world, all steps of a call in one launch.

The kernels are those of the CPU. Arrays that differ between worlds have these along their last
axis, so that neighbouring threads read neighbouring numbers; what all worlds share is there once.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from stiction.batch.problem import (
    Problem,
    arrays_of,
    in_precision,
    tree_in_precision,
)
from stiction.compiled import kernel
from stiction.contact.contact_model import parameters
from stiction.errors import InputError
from stiction.integrators.equation_of_motion import System
from stiction.integrators.integrator import StepState, Work
from stiction.kernels.tree import OK, Dynamics, allocate
from stiction.loop import Clock, Record, run
from stiction.simulation import allocate_record, allocate_work

THREADS = 64  # in a block
run_world = kernel(run)


class Bundle(NamedTuple):
    """Everything of all worlds."""

    controllers: tuple
    forces: Any
    values: np.ndarray  # (worlds or 1, fields) of the contact model
    dynamics: Dynamics
    surface: Any
    work: Work
    state: StepState
    record: Record
    report: np.ndarray  # (2)
    status: np.ndarray  # (1)


def cuda_module() -> Any:
    """Return numba.cuda, or say what is missing."""
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # numba-cuda 0.30 wants it
    try:
        from numba import cuda
    except ImportError as error:
        raise InputError(
            f"device 'cuda': numba-cuda cannot be imported ({error}); install 'stiction[gpu]' or "
            "use device='cpu'"
        ) from None
    if not cuda.is_available():
        raise InputError(
            "device 'cuda': Numba finds no GPU; it needs an NVIDIA driver and a CUDA toolkit. Use "
            "device='cpu', or NUMBA_ENABLE_CUDASIM=1 with NUMBA_DISABLE_JIT=1 to try kernels"
        )
    return cuda


class CudaEngine:
    """The worlds of a problem on the device."""

    def __init__(self, problem: Problem, threads: int) -> None:
        """Move all worlds to the device at their beginning. threads: no matter here."""
        self.problem, self.real = problem, problem.real
        self.cuda = cuda_module()
        one, each = self._bundles()
        needed = sum(array.nbytes for array in arrays_of(each))
        check_memory(self.cuda, needed, problem.worlds)
        self.device = moved(self.cuda, each)
        pairs = zip(arrays_of(one), arrays_of(each), strict=True)
        self.bytes_of_worlds = sum(many.nbytes for single, many in pairs if many.ndim > single.ndim)
        kinds = (problem.integrator, problem.method, problem.model)
        self._constants = tuple(in_precision(value, self.real) for value in kinds)
        self.kernel = cuda_kernel(self.cuda, source_of(one, each), type(problem.model))

    def _bundles(self) -> tuple[Bundle, Bundle]:
        """What one world needs, and what all need, world-last; the record is empty."""
        problem, real = self.problem, self.real
        tree = tree_in_precision(problem.world.tree, real)
        surface = in_precision(problem.surface, real)
        record = allocate_record(problem.world, len(problem.place_names), 0)
        one = Bundle(
            in_precision(problem.controllers[0], real),
            in_precision(problem.forces[0], real),
            problem.values.astype(real),
            allocate(tree),
            surface,
            in_precision(allocate_work(problem.world, len(problem.place_names)), real),
            StepState(problem.q[0].astype(real), problem.v[0].astype(real)),
            in_precision(record, real),
            np.zeros(2, np.int64),
            np.zeros(1, np.int64),
        )
        n = problem.worlds
        shared = surface._replace(
            contact=repeated(surface.contact, n)._replace(table=last(problem.table, real)),
            memory=repeated(surface.memory, n),
            work=repeated(surface.work, n),
            phase=repeated(surface.phase, n),
            impact=repeated(surface.impact, n),
        )
        dynamics = repeated(one.dynamics, n)._replace(
            tree=tree, applied=np.ascontiguousarray(problem.torque.T, real)
        )
        each = one._replace(
            controllers=stacked([in_precision(c, real) for c in problem.controllers]),
            forces=stacked([in_precision(f, real) for f in problem.forces]),
            dynamics=dynamics,
            surface=shared,
            work=repeated(one.work, n),
            state=StepState(*(np.ascontiguousarray(x.T, real) for x in (problem.q, problem.v))),
            record=repeated(one.record, n),
            report=np.zeros((2, n), np.int64),
            status=np.full((1, n), OK),
        )
        return one, each

    def advance(self, record: Record, every: int, first: int, last: int) -> None:
        """Take the steps first .. last in all worlds; `record` is on the device, world-last."""
        clock = Clock(self.real(self.problem.start), self.real(self.problem.dt), every)
        blocks = (self.problem.worlds + THREADS - 1) // THREADS
        bundle = self.device._replace(record=record)
        self.kernel[blocks, THREADS](*self._constants, bundle, clock, first, last)

    def make_record(self, record: Record) -> Record:
        """Return a record for all worlds, on the device, world-last."""
        many = repeated(in_precision(record, self.real), self.problem.worlds)
        check_memory(self.cuda, sum(array.nbytes for array in many), self.problem.worlds)
        return moved(self.cuda, many)

    def host_record(self, record: Any) -> Record:
        """Return a record in the memory of the computer, (worlds, rows, ...)."""
        return Record(*(np.moveaxis(array.copy_to_host(), -1, 0).copy() for array in record))

    def host(self, name: str) -> np.ndarray:
        """Return q, v or status in the memory of the computer, (worlds, ...)."""
        array = self.device.status if name == "status" else getattr(self.device.state, name)
        return np.ascontiguousarray(array.copy_to_host().T)

    def steps(self) -> np.ndarray:
        """Return how many steps each world has taken."""
        return self.device.report.copy_to_host()[0]

    def set_torque(self, torque: np.ndarray) -> None:
        """Copy forces along the coordinates to the device, (worlds, nv)."""
        self.device.dynamics.applied.copy_to_device(np.ascontiguousarray(torque.T, self.real))

    def reset(self, worlds: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Put some worlds into states, without a past, on the device."""
        cuda, state = self.cuda, self.device.state
        index = cuda.to_device(np.ascontiguousarray(worlds, np.int64))
        new_q = cuda.to_device(np.ascontiguousarray(q.T, self.real))
        new_v = cuda.to_device(np.ascontiguousarray(v.T, self.real))
        put = reset_kernel(cuda)
        blocks = (len(worlds) + THREADS - 1) // THREADS
        memory = self.device.surface.memory
        put[blocks, THREADS](
            index, new_q, new_v, state.q, state.v, self.device.dynamics.mode, self.device.status
        )
        for array in memory:
            clear_kernel(cuda)[blocks, THREADS](index, array)


# ---------------------------------------------------------------------------------------- bundles


def repeated(values: Any, worlds: int) -> Any:
    """Return nested tuples whose arrays have a last axis over worlds, all alike."""
    if isinstance(values, tuple):
        return type(values)(*(repeated(value, worlds) for value in values))
    return np.repeat(values[..., None], worlds, axis=-1)


def stacked(values: list[Any]) -> Any:
    """Return the only one as it is, or several as one with a last axis over worlds."""
    if len(values) == 1:
        return values[0]
    first = values[0]
    if isinstance(first, tuple):
        parts = [stacked([value[k] for value in values]) for k in range(len(first))]
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    if isinstance(first, np.ndarray):
        return np.ascontiguousarray(np.stack(values, axis=-1))
    return np.array(values)


def last(values: np.ndarray, real: type) -> np.ndarray:
    """Return an array over worlds with these along its last axis; one row for all as it is."""
    if len(values) == 1:
        return np.ascontiguousarray(values[0], real)
    return np.ascontiguousarray(np.moveaxis(values, 0, -1), real)


def moved(cuda: Any, values: Any) -> Any:
    """Return nested tuples with their arrays on the device."""
    if isinstance(values, tuple):
        parts = [moved(cuda, value) for value in values]
        return type(values)(*parts) if hasattr(values, "_fields") else tuple(parts)
    return (
        cuda.to_device(np.ascontiguousarray(values)) if isinstance(values, np.ndarray) else values
    )


def check_memory(cuda: Any, needed: int, worlds: int) -> None:
    """Refuse what does not fit on the device."""
    free = cuda.current_context().get_memory_info()[0] if hasattr(cuda, "current_context") else 0
    if free and needed > 0.9 * free:
        raise InputError(
            f"{worlds} worlds need {needed / 1e9:.3g} GB on the device, {free / 1e9:.3g} GB are "
            f"free: give at most {int(0.9 * free / needed * worlds)} worlds, float32, or fewer "
            "channels to record"
        )


# ---------------------------------------------------------------------------------------- kernels


def source_of(one: Bundle, each: Bundle) -> tuple[str, dict[str, type]]:
    """Source of the tuple that one thread sees, from the name `bundle`, and the types in it."""
    types: dict[str, type] = {}

    def view(single: Any, many: Any, path: str) -> str:
        if isinstance(single, tuple):
            parts = [
                view(a, b, f"{path}.{name}" if hasattr(single, "_fields") else f"{path}[{k}]")
                for k, (name, a, b) in enumerate(
                    zip(getattr(single, "_fields", single), single, many, strict=True)
                )
            ]
            if not hasattr(single, "_fields"):
                return f"({''.join(part + ', ' for part in parts)})"
            name = f"T{len(types)}_{type(single).__name__}"
            known = [key for key, kind in types.items() if kind is type(single)]
            types.setdefault(known[0] if known else name, type(single))
            return f"{known[0] if known else name}({', '.join(parts)})"
        if isinstance(single, np.ndarray):
            own = many.ndim > single.ndim
            return f"{path}[{', '.join([':'] * single.ndim + ['i'])}]" if own else path
        return f"{path}[i]" if isinstance(many, np.ndarray) else path

    return view(one, each, "bundle"), types


_KERNELS: dict[Any, Any] = {}


def cuda_kernel(cuda: Any, source: tuple[str, dict[str, type]], model: type) -> Any:
    """Return the kernel for bundles of such a shape, compiled once in a process for each type."""
    text, types = source
    key = (text, tuple(types.values()), model)
    if key not in _KERNELS:
        body = f"""
def run_worlds(integrator, method, model, bundle, clock, first, last):
    i = cuda.grid(1)
    if i < bundle.status.shape[1] and bundle.status[0, i] == OK:
        mine = {text}
        system = System(
            mine.dynamics, method, mine.controllers, mine.forces,
            parameters(model, bundle.values, min(i, bundle.values.shape[0] - 1)), mine.surface,
        )
        bundle.status[0, i] = run_world(
            integrator, system, mine.state, mine.work, mine.record, clock, first, last, mine.report
        )
"""
        names: dict[str, Any] = {**types, "cuda": cuda, "OK": OK, "System": System}
        names |= {"run_world": run_world, "parameters": parameters}
        exec(body, names)
        _KERNELS[key] = cuda.jit(names["run_worlds"])
    return _KERNELS[key]


@cache
def reset_kernel(cuda: Any) -> Any:
    """Return the kernel that puts worlds into states."""

    def put(index: Any, q: Any, v: Any, all_q: Any, all_v: Any, mode: Any, status: Any) -> None:
        j = cuda.grid(1)
        if j < len(index):
            i = index[j]
            for k in range(q.shape[0]):
                all_q[k, i] = q[k, j]
            for k in range(v.shape[0]):
                all_v[k, i] = v[k, j]
                mode[k, i] = 0
            status[0, i] = 0

    return cuda.jit(put)


@cache
def clear_kernel(cuda: Any) -> Any:
    """Return the kernel that clears what worlds remember."""

    def clear(index: Any, memory: Any) -> None:
        j = cuda.grid(1)
        if j < len(index):
            for a in range(memory.shape[0]):
                for b in range(memory.shape[1]):
                    memory[a, b, index[j]] = 0

    return cuda.jit(clear)
