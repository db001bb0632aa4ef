"""Batches on all cores: threads that run the compiled loop of `simulate`, one world after another.

Each thread owns the scratch that a step needs; a world owns only what it keeps between steps. So
results are bitwise those of single runs, whatever the number of threads.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np
from numba import config

from stiction.batch.leaves import arrays_of, map_arrays
from stiction.batch.one_world import Own, Place, pooled, with_own
from stiction.batch.problem import Problem, in_precision, tree_in_precision
from stiction.batch.variations import GROUND, TREE
from stiction.collision.bodies import known_pairs
from stiction.compiler.bound import Handle, numbers_of
from stiction.control.controller import allocate_memories
from stiction.kernels.tree import OK, allocate
from stiction.motion.unsolved import allocate_report
from stiction.simulation.allocation import allocate_work
from stiction.simulation.chunks import chunks
from stiction.simulation.native import entry_of, loop_of, moving_of
from stiction.simulation.saved_state import SavedState
from stiction.step.loop import Clock, Moving, Recorded, Report
from stiction.step.record import Record
from stiction.step.system import StepState, System
from stiction.terminal.line import shown
from stiction.world.bodies import points_between

TELL_SECONDS = 0.5  # between two looks at how many worlds are done


class Scratch(NamedTuple):
    """The scratch of a thread; nothing in it is kept from one world to the next."""

    moving: Moving
    place: Place
    used: np.ndarray  # all that steps write, as bytes
    clean: np.ndarray  # the same as it was made


class CpuEngine:
    """The worlds of a problem in memory."""

    def __init__(self, problem: Problem, threads: int) -> None:
        """Allocate all worlds in their initial states."""
        self.problem, self.real = problem, problem.real
        self.q, self.v = problem.q.astype(self.real), problem.v.astype(self.real)
        self.torque = problem.torque.astype(self.real)
        surface = in_precision(problem.surface, self.real)
        self.memory = self._for_all(surface.memory)
        self.pairs = self._for_all(known_pairs(surface.bodies))
        self.control_memory = self._for_all(tuple(one.now for one in self._one_control_memory()))
        self.mode = np.zeros((problem.worlds, problem.world.nv), np.int64)
        self.last_acceleration = np.zeros((problem.worlds, problem.world.nv), self.real)
        self.inverse_D = np.zeros((problem.worlds, problem.world.nv), self.real)
        self.status = np.full(problem.worlds, OK)
        self.report = self._for_all(allocate_report(self.real))
        self._table = problem.table.astype(self.real)
        self._values = problem.values.astype(self.real)
        self._controllers = [in_precision(one, self.real) for one in problem.controllers]
        self._forces = [in_precision(one, self.real) for one in problem.forces]
        self._surface = surface
        self._tree = tree_in_precision(problem.world.tree, self.real)
        self._varied = {path: one.astype(self.real) for path, one in problem.varied.items()}
        self._threads, self._stopped = min(threads, problem.worlds), False
        self._scratch = [self._make_scratch() for _ in range(self._threads)]
        self._rows: list[np.ndarray | None] = [None] * problem.worlds  # numbers of what each owns
        self._run = loop_of(self._scratch[0].moving)
        self._pool = ThreadPoolExecutor(self._threads)
        self._prepared: Any = None  # a record, and how the loop is called with it

    def _for_all(self, one: Any) -> Any:
        """The arrays of one world, repeated along a first axis over worlds."""
        return map_arrays(lambda array: np.repeat(array[None], self.problem.worlds, 0), one)

    def _one_control_memory(self) -> tuple:
        """Return the initial memory of the controllers of one world."""
        problem = self.problem
        memories = allocate_memories(problem.controllers[0], problem.world.nv)
        return in_precision(memories, self.real)

    def _make_scratch(self) -> Scratch:
        problem = self.problem
        surface = map_arrays(np.ndarray.copy, self._surface)
        points, between = len(problem.point_names), points_between(problem.surface.bodies)
        dynamics = allocate(self._tree)
        of_contact = (surface.contact, surface.work, surface.impact)  # those of bodies stay valid
        work = in_precision(allocate_work(problem.world, points, between), self.real)
        written = (tuple(dynamics[1:]), of_contact, self._one_control_memory(), work)
        (variables, (contact, contact_work, impact), memory, work), used = pooled(written)
        system = System(
            type(dynamics)(dynamics[0], *variables),
            problem.method,
            self._controllers[0],
            memory,
            self._forces[0],
            in_precision(problem.model, self.real),
            surface._replace(contact=contact, work=contact_work, impact=impact),
            map_arrays(np.ndarray.copy, in_precision(problem.loops, self.real)),
        )
        own = self._own(0)
        moving = moving_of(problem.integrator, system, own.state, work, own.report)
        return Scratch(moving, Place(moving, own), used, used.copy())

    def _own(self, world: int) -> Own:
        """What a world owns."""
        return Own(
            StepState(self.q[world], self.v[world]),
            self.mode[world],
            self.last_acceleration[world],
            self.inverse_D[world],
            one_of(self._controllers, world),
            tuple(array[world] for array in self.control_memory),
            one_of(self._forces, world),
            type(self.problem.model)(*one_of(self._values, world)),
            one_of(self._table, world),
            of_world(self.memory, world),
            of_world(self.pairs, world),
            of_world(self.report, world),
            self._tree._replace(**self._different(TREE, world)),
            self._surface.ground._replace(**self._different(GROUND, world)),
        )

    def _different(self, part: str, world: int) -> dict[str, np.ndarray]:
        """Fields of the tree or the ground of a world that differ from those of others."""
        found = {path: one for path, one in self._varied.items() if path.startswith(part)}
        return {path.removeprefix(part): one[world] for path, one in found.items()}

    def advance(
        self, records: Record, every: int, first: int, last: int, first_row: int = 0
    ) -> None:
        """Take the steps from first to last - 1 in all worlds that have not failed.

        After Ctrl-C the worlds are at different steps.
        """
        clock = Clock(self.real(self.problem.start), self.real(self.problem.dt), every, first_row)
        if self._prepared is None or self._prepared[0] is not records or self._prepared[1] != clock:
            recorded = Handle(Recorded(of_world(records, 0), clock))
            entry = entry_of(self._run, self._scratch[0].place.handle, recorded)
            self._prepared = (records, clock, entry, recorded)
        _, _, entry, recorded = self._prepared
        rows = max(array.shape[1] for array in records)  # without any, one handle serves all worlds
        left = iter(range(self.problem.worlds))  # a thread takes the next world when it is free
        done = 0

        def run_some(thread: int) -> None:
            nonlocal done
            for world in left:
                if self.status[world] == OK and not self._stopped:
                    own = Handle(Recorded(of_world(records, world), clock)) if rows else recorded
                    self._run_world(self._scratch[thread], world, (entry, own), first, last)
                done += 1

        self._stopped = False
        label = f"simulating {self.problem.worlds} worlds"
        with shown(label, None, None) as tell:
            running = {self._pool.submit(run_some, thread) for thread in range(self._threads)}
            try:
                while running:
                    finished, running = wait(running, TELL_SECONDS, FIRST_COMPLETED)
                    for one in finished:
                        one.result()
                    tell(done / self.problem.worlds)
            except BaseException:
                self._stopped = True
                wait(running)
                raise

    def _run_world(
        self, scratch: Scratch, world: int, call: tuple[Any, Handle], first: int, last: int
    ) -> None:
        scratch.used[:] = scratch.clean
        scratch.moving.system.dynamics.applied[:] = self.torque[world]
        entry, recorded = call
        handle = scratch.place.handle
        if config.DISABLE_JIT:  # type: ignore[attr-defined]
            handle.bundle = with_own(scratch.moving, self._own(world))
        else:
            row = self._rows[world]
            if row is None:
                row = self._rows[world] = np.array(numbers_of(self._own(world)), np.int64)
            scratch.place.put(row)
        for count in chunks(last - first):
            if self._stopped or self.status[world] != OK:
                return
            self.status[world] = entry(handle, recorded, first, first + count)
            first += count

    def controllers(self, world: int) -> tuple:
        """Return the controllers of a world."""
        found: tuple = one_of(self._controllers, world)
        return found

    def make_record(self, record: Record) -> Record:
        """Return a record for all worlds."""
        worlds = self.problem.worlds
        return map_arrays(lambda array: np.zeros((worlds, *array.shape), self.real), record)

    def host_record(self, record: Record) -> Record:
        """Return the record."""
        return record

    def host(self, name: str) -> np.ndarray:
        """Return a copy of q, v or status, (worlds, ...)."""
        return getattr(self, name).copy()

    def reports(self) -> Report:
        """Return the report of each world, (worlds) each."""
        return map_arrays(lambda array: array[:, 0].copy(), self.report)

    def set_torque(self, torque: np.ndarray) -> None:
        """Set the forces along the coordinates, (worlds, nv)."""
        self.torque[:] = torque

    def restore(self, saved: SavedState) -> None:
        """Give all worlds the history of a saved state of an equal world; q and v stay."""
        self.mode[:], self.last_acceleration[:] = saved.mode, saved.last_acceleration
        self.inverse_D[:] = saved.inverse_D
        contact, control = arrays_of((self.memory, self.pairs)), arrays_of(self.control_memory)
        # then come delays of sensors, and controllers in Python
        kept = (*saved.memory[: len(contact)], *saved.control_memory[: len(control)])
        for array, values in zip((*contact, *control), kept, strict=True):
            array[:] = values

    def reset(self, worlds: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Put some worlds into new states and clear their history."""
        self.q[worlds], self.v[worlds] = q, v
        self.mode[worlds], self.status[worlds] = 0, OK
        self.last_acceleration[worlds] = self.inverse_D[worlds] = 0
        for array in (*self.memory, *self.control_memory):
            array[worlds] = 0
        unknown = arrays_of(known_pairs(self._surface.bodies))
        for array, clean in zip(arrays_of(self.pairs), unknown, strict=True):
            array[worlds] = clean


def one_of(values: Any, world: int) -> Any:
    """The value of a world, or the one that all worlds share."""
    return values[world if len(values) > 1 else 0]


def of_world(values: Any, world: int) -> Any:
    """The arrays of one world, from arrays whose first axis is over worlds."""
    return map_arrays(lambda array: array[world], values)
