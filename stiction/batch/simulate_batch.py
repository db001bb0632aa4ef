"""Many worlds in one call, on all cores or on a GPU: `simulate_batch` and `BatchSimulation`."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.batch.cpu import CpuEngine
from stiction.batch.cuda import CudaEngine
from stiction.batch.problem import (
    Arguments,
    Problem,
    checked_torque,
    each_state,
    make_problem,
)
from stiction.batch.sensing import BatchSensing
from stiction.contact.effort import Effort
from stiction.description.arguments import count, shown
from stiction.errors import InputError
from stiction.integrators.midpoint import Midpoint
from stiction.kernels.forward_dynamics import ArticulatedBody
from stiction.motion.unsolved import UnsolvedSteps, warn_of_unsolved
from stiction.simulation.allocation import allocate_record
from stiction.simulation.arguments import AUTOMATIC, is_count, steps_in
from stiction.step.loop import NOTHING
from stiction.step.record import Record
from stiction.world.bodies import points_between
from stiction.world.world import World

ENGINES: dict[str, Any] = {"cpu": CpuEngine, "cuda": CudaEngine}
MIDPOINT, ARTICULATED = Midpoint(), ArticulatedBody()
WELL, DIVERGES, UNSETTLED = "well", "diverged", "joints not settled"
CROWDED = "more bodies near each other than expected"


@dataclass(frozen=True)
class BatchRecording:
    """What a batch records in addition to the final state: channels, at every `every`-th step.

    Channels are those of a motion: q, v, torque, passive, force, depth, slip, contact_velocity,
    contact_state, solver, between. memory: upper limit for the size of the record [bytes].
    """

    channels: tuple[str, ...] = ()
    every: int = 1
    memory: float = 4e9


@dataclass(frozen=True)
class BatchMotion:
    """The result of a batch; arrays have the worlds along their first axis."""

    q: np.ndarray  # (worlds, nq) at the end
    v: np.ndarray  # (worlds, nv)
    steps: np.ndarray  # (worlds) steps taken
    status: np.ndarray  # (worlds) "well", "diverged" or "joints not settled"
    unsolved: np.ndarray  # (worlds) steps whose contact problem or joint friction was not solved
    time: np.ndarray  # (rows) of the record [s]
    record: dict[str, np.ndarray]  # channel: (worlds, rows, ...); NaN after a failure
    notes: list[str]

    @property
    def well(self) -> np.ndarray:
        """Which worlds reached the end without failing, (worlds)."""
        return self.status == WELL


class BatchSimulation:
    """Many copies of a world, stepped together, each with its own state."""

    # More than eight arguments: they are the keywords of `simulate`, which are public and fixed,
    # and those of a batch; they are always given by name.
    def __init__(
        self,
        world: World,
        worlds: int,
        contact: Any = AUTOMATIC,
        *,
        dt: float = 0.001,
        states: Any = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        controls: Any = None,
        forces: Any = (),
        torque: ArrayLike | None = None,
        integrator: Any = MIDPOINT,
        method: Any = ARTICULATED,
        device: str = "cpu",
        precision: str = "float64",
        threads: int | None = None,
        effort: Effort | None = None,
        sensors: bool = False,
        variations: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        """Start from a state for each world.

        Args:
            world: the world to copy.
            worlds: the number of copies.
            contact: the contact model of all worlds; by default `Coulomb()` if a shape can touch
                the ground; None for no contact.
            dt: time step of all worlds [s].
            states: one state for all, one for each world, or arrays (q, v); home by default.
            parameters: contact parameters that differ: name -> one value for each world.
            controls: a controller for all worlds, or a list with one for each; a tuple holds
                several that act together.
            forces: a list for all worlds, or a list of lists, one for each world.
            torque: (worlds, nv) constant forces along the coordinates.
            integrator: of all worlds.
            method: of all worlds.
            device: "cpu" or "cuda".
            precision: "float64" or "float32".
            threads: number of threads on the CPU; all cores by default.
            effort: bounds on the work of a step; by default none, except in single precision on a
                GPU, where different worlds would wait for each other.
            sensors: whether `sensors` can be read; each step then records what they need.
            variations: of the robots and the ground: name -> values for each world; names are those
                of `variations.py`: mass, centre_of_mass, joint_friction, joint_damping, armature,
                heights.
        """
        if not isinstance(device, str) or device not in ENGINES:
            raise InputError(f"device: found {shown(device)}; give 'cpu' or 'cuda'")
        if threads is not None and not is_count(threads):
            raise InputError(f"threads: found {threads!r}; give a positive integer")
        given = Arguments(
            world, worlds, contact, dt, states, parameters, controls, forces, torque,
            integrator, method, precision, effort, device, variations,
        )  # fmt: skip
        if sensors and variations:
            raise InputError(
                "sensors=True with variations: sensors of forces read those of the world as given; "
                "use one of the two"
            )
        self.problem: Problem = make_problem(given)
        self.device, self.steps_taken = device, 0
        self._calls, self._warned, self._interrupted = 0, False, False
        self._no_record: Any = None
        self._engine = ENGINES[device](self.problem, threads or len(os.sched_getaffinity(0)))
        self._sensing = BatchSensing(self.problem, self._engine) if sensors else None
        self.sensor_seed = 0  # of the noise in `sensors`

    @property
    def time(self) -> float:
        """Current time, the same in all worlds [s]."""
        return self.problem.start + self.steps_taken * self.problem.dt

    @property
    def q(self) -> np.ndarray:
        """Current positions, (worlds, nq)."""
        return self._engine.host("q")

    @property
    def v(self) -> np.ndarray:
        """Current velocities, (worlds, nv)."""
        return self._engine.host("v")

    @property
    def sensors(self) -> dict[str, np.ndarray]:
        """What the sensors of all worlds read, by name, (worlds, size); see `Simulation.sensors`.

        NaN in worlds that failed.
        """
        if self._sensing is None:
            raise InputError("sensors: this batch was made without them; give it sensors=True")
        return self._sensing.readings(self.steps_taken, self.sensor_seed)

    @property
    def status(self) -> np.ndarray:
        """The status of each world, see `WELL`, `DIVERGES`, `UNSETTLED` and `CROWDED`."""
        told = self._engine.host("status").reshape(-1)
        return np.array([WELL, DIVERGES, UNSETTLED, CROWDED])[told]

    @property
    def unsolved(self) -> np.ndarray:
        """Steps of each world whose contact problem or joint friction was not solved, (worlds)."""
        return self._engine.reports().unsolved

    @property
    def unfinished(self) -> np.ndarray:
        """Steps of each world that left some work to the next one, see `Effort`, (worlds)."""
        return self._engine.reports().unfinished

    def controllers(self, world: int) -> tuple:
        """The compiled controllers of a world on the CPU; their arrays may be written to.

        All worlds share one tuple, unless `controls` was a list.
        """
        if self.device != "cpu":
            raise InputError("controllers(): this batch is on a GPU, which has copies of its own")
        return self._engine.controllers(count("controllers(): world", world, self.worlds - 1, 0))

    @property
    def worlds(self) -> int:
        """The number of worlds."""
        return self.problem.worlds

    def on_device(self) -> dict[str, Any]:
        """Return the arrays on the GPU that may be read and written between steps, not copied.

        q (nq, worlds), v (nv, worlds), torque (nv, worlds), status (1, worlds; 0 is well), and, if
        `controls` was a list, controllers: the compiled controllers of all worlds, whose arrays
        have the worlds along a last axis. They have `__cuda_array_interface__`, so torch.as_tensor,
        jax and cupy use them without a copy. After writing q and v call `forget`.
        """
        if self.device != "cuda":
            raise InputError("on_device(): this batch is on the CPU; use q and v")
        given = self._engine.given
        names = ("q", "v", "torque", "status", "controllers")
        return {name: getattr(given, name) for name in names}

    def set_torque(self, torque: ArrayLike) -> None:
        """Set constant forces along the coordinates of all worlds, (worlds, nv)."""
        problem = self.problem
        self._engine.set_torque(checked_torque(problem.world, torque, problem.worlds))

    def step(self, n: int = 1) -> None:
        """Take n steps in all worlds that have not failed.

        Unsolved steps give one `UnsolvedWarning`. They are checked after the first, second, fourth,
        eighth ... call, so that a GPU is not kept waiting; `unsolved` is always up to date.
        """
        if not is_count(n):
            raise InputError(f"step(n={n!r}): give a positive integer")
        if self._sensing is None:
            if self._no_record is None:
                self._no_record = self._engine.make_record(record_of(self.problem, 0))
            self._advance(self._no_record, NOTHING, n)
        else:
            first = self.steps_taken
            record, first_row = self._sensing.begin(first, n)
            self._advance(record, 1, n, first_row)
            self._sensing.end(first, n)
        self._calls += 1
        if not self._warned and self._calls & (self._calls - 1) == 0:
            self._warn_of_unsolved(stacklevel=2)

    def reset(self, worlds: ArrayLike, states: Any = None) -> None:
        """Put some worlds into new states, without history; time continues.

        worlds: distinct numbers, or a mask: one bool for each world. Integers of any type, uint8
        too, are numbers. states: one for all of them, one for each in the same order, or arrays
        (q, v); home by default.
        """
        chosen = self._chosen("reset", worlds)
        if len(chosen):
            q, v, _ = each_state(self.problem.world, states, len(chosen))
            self._engine.reset(chosen, q, v)
            if self._sensing is not None:
                self._sensing.forget(chosen)

    def forget(self, worlds: Any) -> None:
        """Clear the history of some worlds, by number or mask as in `reset`; q and v stay.

        What was remembered (warm starts, memories of models and controllers) and a failure are
        forgotten, as after `reset`. On a GPU `worlds` may be an array there; nothing is then copied
        to the host. It is always a mask, (worlds), of any type, also uint8: a world forgets where
        it is not 0.
        """
        if hasattr(worlds, "__cuda_array_interface__") or hasattr(worlds, "copy_to_host"):
            self._check_mask(worlds)
            self._engine.forget_where(worlds)
        else:
            chosen = self._chosen("forget", worlds)
            if len(chosen):
                self._engine.reset(chosen, self.q[chosen], self.v[chosen])
                if self._sensing is not None:
                    self._sensing.forget(chosen)

    def _check_mask(self, mask: Any) -> None:
        """Raise InputError for a mask on a GPU that these worlds cannot take."""
        if self.device != "cuda":
            raise InputError("forget(): found a mask on a GPU; this batch is on the CPU")
        if self._sensing is not None:
            raise InputError("forget(): with sensors=True give a mask on the host")
        shape = tuple(mask.shape)
        if shape != (self.worlds,):
            raise InputError(f"forget(): found shape {shape}; give ({self.worlds},)")

    def _chosen(self, verb: str, worlds: ArrayLike) -> np.ndarray:
        """Numbers of worlds, given as such or as a mask."""
        total = self.problem.worlds
        try:
            given = np.asarray(worlds)
        except (TypeError, ValueError, OverflowError):  # ragged, or a tensor on a GPU
            given = np.array(None)
        if given.dtype == bool and given.shape == (total,):
            return np.flatnonzero(given)
        numbered = given.ndim == 1 and (given.dtype.kind in "iu" or given.size == 0)
        if not numbered or given.dtype == bool or not _are_distinct(given, total):
            raise InputError(
                f"{verb}(): found {shown(worlds)}; give distinct integers from 0 to {total - 1}, "
                f"or a mask of {total} bools"
            )
        return given.astype(np.int64)

    def _warn_of_unsolved(self, stacklevel: int) -> None:
        """Warn once of unsolved steps, over all worlds."""
        reports = self._engine.reports()
        unsolved = int(reports.unsolved.sum())
        if unsolved == 0:
            return
        self._warned = True
        problem = self.problem
        worst = int(np.argmax(np.where(reports.unsolved > 0, reports.worst_residual, -np.inf)))
        all_worlds = UnsolvedSteps(
            unsolved,
            int(reports.steps.sum()),
            float(reports.worst_residual[worst]),
            problem.start + int(reports.worst_step[worst]) * problem.dt,
        )
        concerned = int((reports.unsolved > 0).sum())
        where = f"{concerned} of {problem.worlds} worlds, the worst in world {worst}"
        warn_of_unsolved(f"{all_worlds.message(problem.model)}; in {where}", stacklevel + 1)

    def _advance(self, record: Any, every: int, n: int, first_row: int = 0) -> None:
        if self._interrupted:
            raise InputError(
                "this batch was interrupted, and its worlds are at different times; make a new one"
            )
        first = self.steps_taken
        try:
            self._engine.advance(record, every, first, first + n, first_row)
        except KeyboardInterrupt:
            self._interrupted = True
            raise
        self.steps_taken = first + n


def simulate_batch(
    world: World,
    worlds: int,
    contact: Any = AUTOMATIC,
    *,
    duration: float,
    record: BatchRecording = BatchRecording(),  # noqa: B008  frozen
    **options: Any,
) -> BatchMotion:
    """Simulate many worlds for a duration [s]; options are those of `BatchSimulation`.

    A world that fails stops, and its status says why; the others continue.
    """
    batch = BatchSimulation(world, worlds, contact, **options)
    problem = batch.problem
    steps = steps_in(duration, problem.dt)
    rows = check_recording(problem, record, steps)
    kept = batch._engine.make_record(record_of(problem, rows, record.channels))
    if steps > 0:
        batch._advance(kept, record.every, steps)
        batch._warn_of_unsolved(stacklevel=2)
    reports = batch._engine.reports()
    status, taken = batch.status, reports.steps
    found = batch._engine.host_record(kept)
    channels = {name: getattr(found, name) for name in record.channels}
    for world_number in np.flatnonzero(status != WELL):
        first = (taken[world_number] - 1) // record.every + 1
        for array in channels.values():
            array[world_number, first:] = np.nan
    return BatchMotion(
        q=batch.q,
        v=batch.v,
        steps=taken,
        status=status,
        unsolved=reports.unsolved,
        time=problem.start + np.arange(rows) * (record.every * problem.dt),
        record=channels,
        notes=problem.notes,
    )


def _are_distinct(numbers: np.ndarray, below: int) -> bool:
    """Whether all numbers are different and from 0 to `below` - 1."""
    inside = (numbers >= 0) & (numbers < below)
    return bool(inside.all()) and len(np.unique(numbers)) == len(numbers)


def record_of(problem: Problem, rows: int, channels: tuple[str, ...] = ()) -> Record:
    """Return a record of one world."""
    between = points_between(problem.surface.bodies)
    return allocate_record(problem.world, len(problem.point_names), rows, channels, between)


def check_recording(problem: Problem, record: BatchRecording, steps: int) -> int:
    """Return the number of rows of a record, after checking the recording."""
    if not isinstance(record, BatchRecording):
        raise InputError(
            f"record: found {shown(record)}; give a BatchRecording(channels, every), for example "
            'BatchRecording(("q", "v"))'
        )
    several = isinstance(record.channels, tuple | list)
    if not several or any(name not in Record._fields for name in record.channels):
        raise InputError(
            f"record: found channels {record.channels!r}; give a tuple of "
            f"{', '.join(Record._fields)}"
        )
    if not is_count(record.every):
        raise InputError(f"record: every is {record.every!r}; give a positive integer")
    real = isinstance(record.memory, int | float | np.integer | np.floating)
    if not (real and record.memory > 0):
        raise InputError(
            f"record: memory is {shown(record.memory)}; give a positive number of bytes"
        )
    rows = -(-steps // record.every)
    one = sum(array.size for array in record_of(problem, 1, record.channels))
    needed = one * rows * problem.worlds * np.dtype(problem.real).itemsize
    if needed > record.memory:
        raise InputError(
            f"the record would take {needed / 1e9:.3g} GB, but {record.memory / 1e9:.3g} GB are "
            f"allowed; give every={math.ceil(record.every * needed / record.memory)}, fewer "
            "channels, or BatchRecording(memory=...)"
        )
    return rows
