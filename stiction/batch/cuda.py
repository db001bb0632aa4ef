"""Batches on a GPU: one thread for each world, all steps of a call in one launch.

The kernels are those of the CPU. Arrays of each world, and those that all worlds share, are packed
(`packed.py`). Arrays that users read and write have the worlds along their last axis.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any, NamedTuple

import numpy as np

from stiction.batch.columns import load_column, load_table, store_column
from stiction.batch.leaves import arrays_of, map_arrays, map_leaves
from stiction.batch.packed import LANES, Layout, compiler_options, enterer, viewer
from stiction.batch.problem import Problem, in_precision, tree_in_precision
from stiction.compiler.cache import folder, sources_of
from stiction.compiler.compiled import kernel
from stiction.contact.contact_model import FORCE_LAW, MODELS, parameters
from stiction.control.controller import allocate_memories
from stiction.errors import InputError
from stiction.kernels.tree import OK, Dynamics, allocate
from stiction.motion.unsolved import allocate_report
from stiction.simulation.allocation import allocate_record, allocate_work
from stiction.step.loop import Clock, Report, plug_ins_of, run
from stiction.step.record import Record
from stiction.step.system import StepState, System, Work
from stiction.world.bodies import points_between

THREADS = 32  # in a block: with few worlds, more multiprocessors work
# Most registers of a thread in single precision: 16 warps share a multiprocessor, 65,536 worlds an
# H200. A few registers more, and some of the worlds would wait until all others are done. Other
# families need twice as many and lose more by having fewer than by waiting.
REGISTERS = {FORCE_LAW: 128}
SHARED = (
    "controllers",
    "forces",
    "dynamics.tree",
    "surface.points",
    "surface.ground",
    *(f"surface.bodies.{name}" for name in ("shapes", "link", "position", "rotation")),
    *(f"surface.bodies.{name}" for name in ("material", "pair", "first_point", "first_group")),
    *(f"surface.bodies.broad.{name}" for name in ("bounds", "filters")),
    *(f"loops.{name}" for name in "link position rotation direction points turns".split()),
    *(f"loops.{name}" for name in "coordinate coefficients reference first_row".split()),
    *(f"loops.{name}" for name in ("row_group", "moved")),
)
TABLE = "surface.contact.table"
NONE: Any = ()  # a kernel takes no None
run_world = kernel(run)


class Bundle(NamedTuple):
    """Everything of one world."""

    controllers: tuple
    control_memory: tuple
    forces: Any
    dynamics: Dynamics
    surface: Any
    loops: Any
    work: Work
    state: StepState
    record: Record
    report: Report


class Given(NamedTuple):
    """Arrays on the device that users read and write; worlds along the last axis."""

    q: Any  # (nq, worlds)
    v: Any  # (nv, worlds)
    torque: Any  # (nv, worlds)
    values: Any  # (worlds or 1, fields) of the contact model
    table: Any  # (pairs, fields, worlds); NONE if it is the same for all
    controllers: Any  # NONE if they are the same for all
    forces: Any  # NONE if they are the same for all
    report: Report  # (1, worlds) each
    status: Any  # (1, worlds)
    varied: tuple  # arrays of the tree and the ground that differ


def cuda_module() -> Any:
    """Return numba.cuda, or raise InputError that says what is missing."""
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
            "device='cpu', or NUMBA_ENABLE_CUDASIM=1 with NUMBA_DISABLE_JIT=1 to simulate one"
        )
    return cuda


class CudaEngine:
    """The worlds of a problem on the device."""

    def __init__(self, problem: Problem, threads: int) -> None:
        """Copy all worlds to the device in their initial states; threads has no effect here."""
        self.problem, self.real = problem, problem.real
        self.cuda = cuda_module()
        one, given = self._one_world(), self._given()
        source = Source(self.real, one, given, tuple(problem.varied))
        blocks = -(-problem.worlds // LANES)
        needed = blocks * LANES * source.worlds.items * source.worlds.item.itemsize
        self.bytes_of_worlds = needed + sum(array.nbytes for array in arrays_of(given))
        check_memory(self.cuda, self.bytes_of_worlds, problem.worlds)
        self.given = map_arrays(lambda one: self.cuda.to_device(np.ascontiguousarray(one)), given)
        self._first = self.cuda.to_device(source.worlds.contents())
        self._shared = self.cuda.to_device(source.shared.contents())
        self._worlds = self.cuda.device_array(
            blocks * LANES * source.worlds.items, source.worlds.item
        )
        self._renew(np.arange(problem.worlds))
        kinds = (problem.integrator, problem.method, problem.model)
        self._constants = tuple(in_precision(value, self.real) for value in kinds)
        self.kernel = cuda_kernel(self.cuda, source, tuple(map(type, kinds)))

    def _one_world(self) -> Bundle:
        """The bundle of one world, with an empty record."""
        problem, real = self.problem, self.real
        tree = tree_in_precision(problem.world.tree, real)
        surface = in_precision(problem.surface, real)
        table = np.ascontiguousarray(problem.table[0], real)
        places, between = len(problem.point_names), points_between(problem.surface.bodies)
        return Bundle(
            in_precision(problem.controllers[0], real),
            in_precision(allocate_memories(problem.controllers[0], problem.world.nv), real),
            in_precision(problem.forces[0], real),
            allocate(tree),
            surface._replace(contact=surface.contact._replace(table=table)),
            in_precision(problem.loops, real),
            in_precision(allocate_work(problem.world, places, between), real),
            StepState(problem.q[0].astype(real), problem.v[0].astype(real)),
            in_precision(allocate_record(problem.world, places, 0, between=between), real),
            allocate_report(real),
        )

    def _given(self) -> Given:
        """The arrays that differ between worlds or that users read and write, on the host."""
        problem, real = self.problem, self.real

        def last(values: np.ndarray) -> np.ndarray:
            return np.ascontiguousarray(np.moveaxis(values, 0, -1), real)

        return Given(
            last(problem.q),
            last(problem.v),
            last(problem.torque),
            problem.values.astype(real),
            last(problem.table) if len(problem.table) > 1 else NONE,
            stacked([in_precision(one, real) for one in problem.controllers]),
            stacked([in_precision(one, real) for one in problem.forces]),
            map_arrays(lambda one: np.tile(one[:, None], problem.worlds), allocate_report(real)),
            np.full((1, problem.worlds), OK),
            tuple(last(one) for one in problem.varied.values()),
        )

    def advance(
        self, record: Record, every: int, first: int, last: int, first_row: int = 0
    ) -> None:
        """Take the steps from first to last - 1 in all worlds; `record`: on the device."""
        clock = Clock(self.real(self.problem.start), self.real(self.problem.dt), every, first_row)
        blocks = (self.problem.worlds + THREADS - 1) // THREADS
        memories = (self._shared, self._worlds, self.given, record)
        self.kernel[blocks, THREADS](*self._constants, *memories, clock, first, last)

    def make_record(self, record: Record) -> Record:
        """Return a record for all worlds, on the device, world-last."""
        worlds, one = self.problem.worlds, in_precision(record, self.real)
        check_memory(self.cuda, worlds * sum(array.nbytes for array in one), worlds)
        return map_arrays(lambda x: self.cuda.device_array((*x.shape, worlds), self.real), one)

    def host_record(self, record: Any) -> Record:
        """Return a record on the host, (worlds, rows, ...)."""
        return map_leaves(lambda one: np.moveaxis(one.copy_to_host(), -1, 0).copy(), record)

    def host(self, name: str) -> np.ndarray:
        """Return q, v or status on the host, (worlds, ...)."""
        return np.ascontiguousarray(getattr(self.given, name).copy_to_host().T)

    def reports(self) -> Report:
        """Return the report of each world, (worlds) each."""
        return map_leaves(lambda one: one.copy_to_host()[0], self.given.report)

    def set_torque(self, torque: np.ndarray) -> None:
        """Copy forces along the coordinates to the device, (worlds, nv)."""
        self.given.torque.copy_to_device(np.ascontiguousarray(torque.T, self.real))

    def reset(self, worlds: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Put some worlds into new states on the device and clear their history."""
        from stiction.batch.renewal import put

        index = self.cuda.to_device(np.ascontiguousarray(worlds, np.int64))
        new_q = self.cuda.to_device(np.ascontiguousarray(q.T, self.real))
        new_v = self.cuda.to_device(np.ascontiguousarray(v.T, self.real))
        blocks = (len(worlds) + THREADS - 1) // THREADS
        given = self.given
        put[blocks, THREADS](index, new_q, new_v, given.q, given.v, given.status)
        self._renew(worlds)

    def forget_where(self, mask: Any) -> None:
        """Clear the history and the failures of worlds where a mask on the device is not 0."""
        from stiction.batch.renewal import renew_where

        blocks = (self.problem.worlds + THREADS - 1) // THREADS
        memories = (self._first, self._worlds, self.given.status)
        renew_where[blocks, THREADS](mask, *memories)

    def _renew(self, worlds: np.ndarray) -> None:
        """Reset the packed memory of some worlds to its initial contents."""
        from stiction.batch.renewal import renew

        index = self.cuda.to_device(np.ascontiguousarray(worlds, np.int64))
        blocks = (len(worlds) + THREADS - 1) // THREADS
        renew[blocks, THREADS](index, self._first, self._worlds)


# ---------------------------------------------------------------------------------------- memories


def stacked(values: list[Any]) -> Any:
    """Stack values along a last axis over worlds; NONE if there is only one."""
    if len(values) == 1:
        return NONE
    return map_leaves(lambda *leaves: np.ascontiguousarray(np.stack(leaves, axis=-1)), *values)


def check_memory(cuda: Any, needed: int, worlds: int) -> None:
    """Raise InputError if the worlds do not fit on the device."""
    free = cuda.current_context().get_memory_info()[0] if hasattr(cuda, "current_context") else 0
    if free and needed > 0.9 * free:
        raise InputError(
            f"{worlds} worlds need {needed / 1e9:.3g} GB on the device, but "
            f"{free / 1e9:.3g} GB are free; use at most "
            f"{int(0.9 * free / needed * worlds)} worlds, float32, or record fewer channels"
        )


# ----------------------------------------------------------------------------------------- kernels


class Source:
    """Source text of the bundle of one thread, its names, and the places of its arrays."""

    def __init__(self, real: Any, one: Bundle, given: Given, varied: tuple[str, ...] = ()) -> None:
        """Lay out the arrays of one world; those of `Given` that are large stay where they are.

        varied: paths of the arrays that each world has for itself.
        """
        self.varied = dict(zip(varied, given.varied, strict=True))
        self.worlds, self.shared = Layout(real, shared=False), Layout(real, shared=True)
        self.names: dict[str, Any] = {}
        self._given = {
            "controllers": ("given.controllers", given.controllers),
            "forces": ("given.forces", given.forces),
            "report": ("given.report", given.report),
            "record": ("record", Ellipsis),
        }
        self.same_table = given.table is NONE
        self.kinds: list[type] = []  # of all named tuples, some of which are equal as tuples
        self._parts: dict[str, Any] = {}
        self.text = self._view(one, "")
        self.key = (
            self.text,
            self.loads(),
            *self._parts.values(),
            *self.kinds,
            self.worlds.items,
            real,
        )

    def functions(self) -> dict[str, Any]:
        """Return the functions that the text calls, by their names."""
        layouts = (self.worlds, self.shared)
        found = {name: viewer(part, layouts) for name, part in self._parts.items()}
        return {**found, "enter_world": enterer(self.worlds)}

    def loads(self) -> str:
        """Text that loads what differs between worlds in addition to their states."""
        loaded = [] if self.same_table else [("table", TABLE, 2)]
        for k, (path, one) in enumerate(self.varied.items()):
            loaded.append((f"varied[{k}]", path, one.ndim - 1))
        names = {1: "load_column", 2: "load_table"}
        calls = [f"{names[axes]}(given.{own}, i, mine.{path})" for own, path, axes in loaded]
        return "; ".join(calls)

    def _view(self, one: Any, path: str) -> str:
        """Text of one world's value, packed unless it is in `Given`."""
        path_given, given = self._given.get(path, ("", NONE))
        if given is not NONE:
            return self._view_given(one, path_given)
        if isinstance(one, tuple) and (type(one) is tuple or not path):
            return self._tuple(one, path, self._view)
        name = f"part{len(self._parts)}"
        self._parts[name] = self._place(one, path)
        return f"{name}(shared, worlds, i)"

    def _place(self, one: Any, path: str) -> Any:
        """Return one world's value with the places of its arrays."""
        if isinstance(one, tuple):
            names = getattr(one, "_fields", range(len(one)))
            parts = [
                self._place(part, f"{path}.{name}") for name, part in zip(names, one, strict=True)
            ]
            if type(one) is tuple:
                return tuple(parts)
            self.kinds.append(type(one))
            return type(one)(*parts)
        if not isinstance(one, np.ndarray):
            return one
        shared = path.startswith(SHARED) or (path == TABLE and self.same_table)
        shared = shared and path not in self.varied
        return (self.shared if shared else self.worlds).place(one)

    def _view_given(self, one: Any, path: str) -> str:
        """Text of one world's value in arrays with worlds along the last axis."""
        if isinstance(one, tuple):
            return self._tuple(one, path, self._view_given)
        axes = one.ndim if isinstance(one, np.ndarray) else 0
        return f"{path}[{', '.join([':'] * axes + ['i'])}]"

    def _tuple(self, one: tuple, path: str, view: Any) -> str:
        """Text of a tuple."""
        if not hasattr(one, "_fields"):
            return f"({''.join(view(part, f'{path}[{k}]') + ', ' for k, part in enumerate(one))})"
        parts = [
            view(part, f"{path}.{name}".lstrip("."))
            for name, part in zip(one._fields, one, strict=True)
        ]
        name = f"{type(one).__module__}.{type(one).__qualname__}".replace(".", "_")
        self.names[name] = type(one)
        self.kinds.append(type(one))
        return f"{name}({', '.join(parts)})"


_KERNELS: dict[Any, Any] = {}


def cuda_kernel(cuda: Any, source: Source, kinds: tuple[type, ...]) -> Any:
    """Return the kernel for bundles of this shape and plug-ins of these types."""
    key = (*source.key, *kinds)
    plug_ins = plug_ins_of(*kinds, *dict.fromkeys(source.kinds))
    if key not in _KERNELS:
        body = f"""
def run_worlds(integrator, method, model, shared, worlds, given, record, clock, first, last):
    i = cuda.grid(1)
    if i < given.status.shape[1] and given.status[0, i] == OK:
        enter_world(shared, worlds, i)
        mine = {source.text}
        load_column(given.q, i, mine.state.q)
        load_column(given.v, i, mine.state.v)
        load_column(given.torque, i, mine.dynamics.applied)
        {source.loads()}
        system = System(
            mine.dynamics, method, mine.controllers, mine.control_memory, mine.forces,
            parameters(model, given.values, min(i, given.values.shape[0] - 1)), mine.surface,
            mine.loops,
        )
        given.status[0, i] = run_world(
            integrator, system, mine.state, mine.work, mine.record, clock, first, last, mine.report
        )
        store_column(mine.state.q, given.q, i)
        store_column(mine.state.v, given.v, i)
"""
        names: dict[str, Any] = {**source.names, **source.functions()}
        names |= {"cuda": cuda, "OK": OK, "System": System}
        names |= {"run_world": run_world, "parameters": parameters, "store_column": store_column}
        names |= {"load_column": load_column, "load_table": load_table}
        file = kept_source(body, key, plug_ins)
        exec(compile(body, file, "exec"), names)
        single = source.worlds.real == np.float32
        options = compiler_options(REGISTERS.get(MODELS[kinds[-1]].family) if single else None)
        _KERNELS[key] = cuda.jit(names["run_worlds"], cache=True, **options)
    return _KERNELS[key]


def kept_source(body: str, key: tuple, plug_ins: list[Any]) -> str:
    """Write the source of a kernel where its compiled form is cached; returns the file's name.

    Numba caches compiled code next to a source file. The name of this file identifies everything
    that the kernel was made of, except our sources and the user's; the name of the folder
    identifies those.
    """
    files = sources_of(plug_in.__module__ for plug_in in plug_ins)
    digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
    file = folder(files) / f"run_worlds_{digest}.py"
    if not file.exists():
        mine = file.with_suffix(f".{os.getpid()}")
        mine.write_text(body)
        mine.replace(file)
    return str(file)
