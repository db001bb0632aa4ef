"""`Simulation`: a world stepped from Python."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.collision.bodies import NoBodies, known_pairs
from stiction.collision.pair_slots import PairSlots, are_consistent
from stiction.compiler.checked import run_checked
from stiction.contact.contact_model import NoContact
from stiction.control.controller import allocate_memories
from stiction.errors import InputError
from stiction.kernels.forward_dynamics import ArticulatedBody, JointSpace
from stiction.kernels.tree import OK, allocate
from stiction.motion.motion import Motion
from stiction.motion.unsolved import (
    UnsolvedSteps,
    allocate_report,
    unsolved_steps,
    warn_of_unsolved,
)
from stiction.simulation.allocation import allocate_record, allocate_work, make_surface
from stiction.simulation.arguments import (
    ARTICULATED,
    AUTOMATIC,
    MIDPOINT,
    Controller,
    bound_controllers,
    checked_dt,
    checked_integrator,
    checked_method,
    chosen_model,
    is_count,
)
from stiction.simulation.chunks import chunks
from stiction.simulation.contacts import ContactPoint, contacts_of, forces_of
from stiction.simulation.failures import Fault, failure_of
from stiction.simulation.saved_state import SavedState, check_fits
from stiction.simulation.sensing import Sensing
from stiction.simulation.warn import (
    warn_of_depth,
    warn_of_energy,
    warn_of_long_step,
    warn_of_outlook,
    warn_of_servos,
    warn_of_shapes,
)
from stiction.step.loop import Clock, loop_for
from stiction.step.record import Record
from stiction.step.system import StepState, System
from stiction.world.bodies import body_material_pairs, points_between
from stiction.world.contact_points import contact_points_of
from stiction.world.external import Push, TabulatedForce, bind_forces
from stiction.world.loops import make_loops
from stiction.world.world import State, World, checked_vector, checked_world

DEEPER = 1.1  # times the depth last judged: then `Simulation.step` judges it again


def _leaves(value: Any) -> Iterator[bytes]:
    """Bytes of the names and numbers in nested tuples."""
    yield type(value).__name__.encode()
    if isinstance(value, tuple):
        for one in value:
            yield from _leaves(one)
    else:
        yield np.asarray(value).tobytes()


class Simulation:
    """A world stepped from Python, for control loops."""

    def __init__(
        self,
        world: World,
        contact: Any = AUTOMATIC,
        dt: float = 0.001,
        state: State | None = None,
        controller: Controller = None,
        forces: Iterable[Push | TabulatedForce] = (),
        integrator: Any = MIDPOINT,
        method: ArticulatedBody | JointSpace = ARTICULATED,
    ) -> None:
        """Start from a state, by default the home configuration; dt in s.

        contact: the contact model; by default `Coulomb()` if a shape can touch the ground. None
        means no contact.
        """
        self.world, self.dt = checked_world(world), checked_dt(dt)
        forces = tuple(forces) if isinstance(forces, Iterable) else forces  # refused below
        self._given = (controller, forces, integrator, method)
        self._integrator = checked_integrator(integrator)
        controllers = bound_controllers(world, controller)
        begin = world.check_state(state)
        self._start, self._steps = begin.time, 0
        self._state = StepState(begin.q, begin.v)
        model, told = chosen_model(world, contact)
        surface, self.point_names, notes = make_surface(world, model)
        self.notes = [*(world.moved_aside() if state is None else []), *told, *notes]
        self.notes += warn_of_long_step(world, model, surface, self.dt, begin)
        self.notes += warn_of_outlook(world, model, surface, self.dt, begin)
        self.notes += warn_of_servos(world, self._integrator, controllers, begin, self.dt)
        self._system = System(
            allocate(world.tree),
            checked_method(method),
            controllers,
            allocate_memories(controllers, world.nv),
            bind_forces(world, forces),
            model,
            surface,
            make_loops(world.robots, world.tree, len(surface.work.response.links.link)),
        )
        self._work = allocate_work(world, len(self.point_names), points_between(surface.bodies))
        sizes = (len(self.point_names), points_between(surface.bodies))
        self._sensing = Sensing(world, *sizes, self._system.forces, self.dt)
        self.sensor_seed = 0  # of the noise in `sensors`
        self.checked = False  # whether steps run without the compiler, every index checked
        self._warned = self._warned_of_energy = False
        self._warned_of_depth = self._warned_of_shapes = False
        self._report, self._deepest_judged = allocate_report(), 0.0  # [m]
        kinds: list[Any] = [type(value) for value in (integrator, method, model, *controllers)]
        self._run = loop_for(*kinds)

    @property
    def contacts(self) -> list[ContactPoint]:
        """The points that touched in the last step."""
        return contacts_of(self._work, self.world, self.point_names, self.dt)

    @property
    def sensors(self) -> dict[str, np.ndarray]:
        """What the sensors read, by name: the state at the start of the last step, and its forces.

        Before the first step, accelerations and forces are NaN.
        """
        return self._sensing.readings(self.state, self._steps, self.sensor_seed)

    def snapshot(self) -> Motion:
        """The current state with the forces of the last step, as a motion of one sample."""
        state, forces = self.state, forces_of(self._work, self.dt)
        rows = {name: array[np.newaxis].copy() for name, array in forces.items()}
        time = np.array([state.time])
        rows |= {"q": state.q[np.newaxis], "v": state.v[np.newaxis]}
        return Motion(self.world, time, **rows, parameters=self.parameters())  # type: ignore[arg-type]

    def under(self, contact: Any, state: State | None = None) -> Simulation:
        """The same simulation under another contact model, from a state, by default this one's."""
        state = self.state if state is None else state
        return Simulation(self.world, contact, self.dt, state, *self._given)

    @property
    def contact(self) -> Any:
        """The contact model."""
        return self._system.model

    @property
    def time(self) -> float:
        """Current time [s]."""
        return self._start + self._steps * self.dt

    @property
    def state(self) -> State:
        """A copy of the current state."""
        return State(self._state.q.copy(), self._state.v.copy(), self.time)

    @property
    def torque(self) -> np.ndarray:
        """Forces of controllers and of prescribed motion in the last step, (nv)."""
        return self._work.total_torque.copy()

    @property
    def passive(self) -> np.ndarray:
        """Forces of joint friction and stops in the last step, (nv)."""
        return self._work.total_passive.copy()

    @property
    def unsolved(self) -> UnsolvedSteps:
        """Steps so far whose contact problem or joint friction was not solved."""
        return unsolved_steps(self._report, self._start, self.dt)

    @property
    def contact_work(self) -> float:
        """Work of all contact forces on the robots so far [J]."""
        return float(self._report.contact_work[0])

    @property
    def contact_gain(self) -> float:
        """The largest value that `contact_work` had so far [J]: energy that contact added."""
        return float(self._report.most_work[0])

    def warn_once(self, stacklevel: int) -> list[str]:
        """Warn, once per simulation, of unsolved steps, shapes, and energy that contact added.

        Returns the messages about shapes and energy.
        """
        if self.unsolved.count and not self._warned:
            self._warned = True
            warn_of_unsolved(self.unsolved.message(self._system.model), stacklevel + 1)
        told: list[str] = []
        if not self._warned_of_shapes:
            told = warn_of_shapes(self._system.surface, stacklevel + 1)
            self._warned_of_shapes = len(told) > 0
        if self._warned_of_energy:
            return told
        energy = warn_of_energy(self, self._report, stacklevel + 1)
        self._warned_of_energy = len(energy) > 0
        return [*told, *energy]

    def step(self, torque: ArrayLike | None = None, n: int = 1) -> None:
        """Take n steps with forces `torque` along the coordinates, (nv), besides controllers.

        The first unsolved step gives an `UnsolvedWarning`; `unsolved` counts them all. Energy that
        contact adds and too much depth in the last of the n steps give a `StabilityWarning`.
        Ctrl-C ends it between two steps.
        """
        if not is_count(n):
            raise InputError(f"step(n={n!r}): give a positive integer")
        applied = self._system.dynamics.applied
        if torque is None:
            applied[:] = 0.0
        else:
            applied[:] = checked_vector(
                "torque", torque, self.world.nv, "force", self.world.dof_name
            )
        before, status = self.state, OK
        for count in chunks(n):
            first_row = self._sensing.begin(self._steps, count)
            status = self.advance(self._sensing.record, 1, count, first_row)
            if status != OK:
                break
        self.warn_once(stacklevel=2)
        self._warn_of_depth(stacklevel=2)
        if status != OK:
            raise self.failure(status, [before], None)

    def _warn_of_depth(self, stacklevel: int) -> None:
        """Warn once if the last step was deeper than dt allows; judged again only if it deepens."""
        deepest = float(self._work.depth.max(initial=0.0))
        if self._warned_of_depth or deepest <= DEEPER * self._deepest_judged:
            return
        self._deepest_judged = deepest
        told = warn_of_depth(self, self._work.depth[np.newaxis], stacklevel + 1)
        self._warned_of_depth = len(told) > 0

    def advance(self, record: Record, every: int, n: int, first_row: int = 0) -> int:
        """Take n steps in one compiled call; returns a status.

        first_row: the row of the run that is the first of the record.
        """
        clock = Clock(self._start, self.dt, every, first_row)
        moving = (self._integrator, self._system, self._state, self._work)
        steps = (clock, self._steps, self._steps + n)
        try:
            if self.checked:
                return run_checked(self._run, *moving, record, *steps, self._report)
            return self._run(*moving, record, *steps, self._report)
        finally:  # also after Ctrl-C
            self._steps = int(self._report.steps[0])

    def allocate_record(self, rows: int) -> Record:
        """Return arrays for a record of `rows` rows."""
        between = len(self._work.between)
        return allocate_record(self.world, len(self.point_names), rows, between=between)

    def save_state(self) -> SavedState:
        """Return everything that the continuation depends on."""
        return SavedState(
            self._start,
            self._steps,
            self._state.q.copy(),
            self._state.v.copy(),
            self._system.dynamics.mode.copy(),
            self._system.dynamics.last_acceleration.copy(),
            tuple(array.copy() for array in self._remembered()),
            tuple(memory.now.copy() for memory in self._system.control_memory),
            tuple(array.copy() for array in self._report),
            self._identity,
        )

    @cached_property
    def _identity(self) -> dict[str, Any]:
        """What must be equal for a saved state to be continued, by its name in messages."""
        return {
            "world": self.world.digest(),
            "contact model": repr(self._system.model),
            "dt": self.dt,
        }

    def digest(self) -> str:
        """Hash of all that the motion depends on besides the state, 16 hexadecimal digits."""
        system = self._system
        settings = (self._integrator, system.method, system.controllers, system.forces)
        parts = [repr(self._identity).encode(), *_leaves(settings)]
        return hashlib.sha256(b" ".join(parts)).hexdigest()[:16]

    def _remembered(self) -> tuple[np.ndarray, ...]:
        """Arrays of contact and sensors that pass from step to step."""
        surface = self._system.surface
        known = known_pairs(surface.bodies)
        of_pairs = () if isinstance(known, NoBodies) else (*known.slots, known.feature)
        return (*surface.memory, *of_pairs, *self._sensing.arrays())

    def _check_pairs(self, saved: SavedState) -> None:
        """Raise InputError if the near pairs of a saved state cannot be those of this world."""
        surface = self._system.surface
        if isinstance(surface.bodies, NoBodies):
            return
        first = len(surface.memory)
        slots = PairSlots(*saved.memory[first : first + len(PairSlots._fields)])
        if not are_consistent(slots, len(surface.bodies.swerve)):
            raise InputError(
                "restore_state(): the saved state is damaged: its pairs of near shapes cannot be; "
                "save it again"
            )

    def restore_state(self, saved: SavedState) -> None:
        """Go back to a saved state; the continuation is bitwise the same.

        Raises InputError unless it was saved in a simulation of an equal world with the same
        contact model, controllers and dt.
        """
        if not isinstance(saved, SavedState):
            raise InputError(
                f"restore_state(): found {type(saved).__name__}; give what save_state() returned"
            )
        check_fits(saved, self.save_state())
        self.world.check_state(State(saved.q, saved.v, saved.start))
        self._check_pairs(saved)
        memory = self._remembered()
        control_memory = tuple(memory.now for memory in self._system.control_memory)
        self._start, self._steps = saved.start, saved.steps
        self._state.q[:], self._state.v[:] = saved.q, saved.v
        self._system.dynamics.mode[:] = saved.mode
        self._system.dynamics.last_acceleration[:] = saved.last_acceleration
        arrays = (*memory, *control_memory, *self._report)
        kept = (*saved.memory, *saved.control_memory, *saved.report)
        for array, values in zip(arrays, kept, strict=True):
            array[:] = values

    def parameters(self) -> dict[str, Any]:
        """How the world is simulated, as plain values for the motion file."""
        system = self._system
        model = None
        if not isinstance(system.model, NoContact):
            model = {"model": type(system.model).__name__, **system.model._asdict()}
        return {
            "contact": model,
            "dt": self.dt,
            "integrator": type(self._integrator).__name__,
            "method": type(system.method).__name__,
            "controllers": [type(one).__name__ for one in system.controllers],
            "external forces": len(system.forces.link),
            "contact_points": self.point_names,
            "pairs": self._pairs(),
            "notes": self.notes,
        }

    def _pairs(self) -> list[dict[str, Any]]:
        """The parameters used for each pair of materials, whatever their source."""
        system = self._system
        if isinstance(system.model, NoContact):
            return []
        _, _, pairs = contact_points_of(self.world)
        pairs = [*pairs, *body_material_pairs(self.world)]
        rows = system.surface.contact.table.tolist()
        return [
            {"pair": list(pair), **dict(zip(system.model._fields, row, strict=True))}
            for pair, row in zip(pairs, rows, strict=True)
        ]

    def failure(self, status: int, before: list[State], motion: Motion | None) -> Exception:
        """Return the error for a status; `before`: the last good states, oldest first."""
        fault = Fault(status, int(self._report.fault[0]), self._state, self._steps, self.time)
        return failure_of(self.world, self._system, self.dt, fault, before, motion)
