"""`simulate` a world for a while, or step it by hand with `Simulation`."""

from __future__ import annotations

import math
import time as clock_time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.control.controller import CONTROLLERS, PRESCRIBERS
from stiction.errors import DivergenceError, InputError, JointSolveError
from stiction.external import Push, TabulatedForce, bind_forces
from stiction.integrators.equation_of_motion import ArticulatedBody, JointSpace, System
from stiction.integrators.integrator import INTEGRATORS, StepState, Work
from stiction.integrators.runge_kutta import RungeKutta4  # noqa: F401  registers it
from stiction.integrators.semi_implicit import SemiImplicitEuler
from stiction.kernels.tree import DIVERGED, OK, PRESCRIBED, allocate
from stiction.loop import SPEED_LIMIT, Clock, Record, loop_for
from stiction.motion import Motion
from stiction.world import State, World, checked_vector

CHUNK_SECONDS = 0.1  # the loop comes back to Python about this often, for progress and Ctrl-C
FIRST_CHUNK = 500  # [steps]
LONGEST_RECORD = 16e9  # [bytes]

# a specification with `bind(world)`, a parameter tuple of a registered type, or several
Controller = Any
Progress = Callable[[float], None]

EULER = SemiImplicitEuler()
ARTICULATED = ArticulatedBody()


@dataclass(frozen=True)
class Recording:
    """What a run keeps: one moment out of every `every` steps."""

    every: int = 1


EVERY_STEP = Recording()


@dataclass(frozen=True)
class SavedState:
    """Everything that the continuation of a simulation depends on."""

    start: float
    steps: int
    q: np.ndarray
    v: np.ndarray
    mode: np.ndarray


class Simulation:
    """A world that is stepped by hand, for control loops in Python."""

    def __init__(
        self,
        world: World,
        contact: None = None,
        dt: float = 0.001,
        state: State | None = None,
        controller: Controller = None,
        forces: Iterable[Push | TabulatedForce] = (),
        integrator: Any = EULER,
        method: ArticulatedBody | JointSpace = ARTICULATED,
    ) -> None:
        """Begin at a state, the home configuration by default; dt in s."""
        if not isinstance(world, World):
            raise InputError(
                f"simulate() takes a World, found {type(world).__name__}; wrap it: World(robot)"
            )
        if contact is not None:
            raise InputError(
                f"contact: found {contact!r}; this version has no contact model, give None"
            )
        self.world = world
        self.dt = _checked_dt(dt)
        self._integrator = _checked_integrator(integrator)
        controllers = _bound_controllers(world, controller)
        begin = world.check_state(state)
        self._start, self._steps = begin.time, 0
        self._state = StepState(begin.q, begin.v)
        dynamics = allocate(world.tree)
        self._system = System(
            dynamics, _checked_method(method), controllers, bind_forces(world, forces)
        )
        self._work = _allocate_work(world)
        self._report = np.zeros(2, np.int64)
        self._nothing_recorded = _allocate_record(world, 0)
        kinds: list[Any] = [type(value) for value in (integrator, method, *controllers)]
        self._run = loop_for(*kinds)

    @property
    def time(self) -> float:
        """Time now [s]."""
        return self._start + self._steps * self.dt

    @property
    def state(self) -> State:
        """A copy of the state now."""
        return State(self._state.q.copy(), self._state.v.copy(), self.time)

    @property
    def torque(self) -> np.ndarray:
        """Forces of controllers, and what prescribed motion takes, in the last step, (nv)."""
        return self._work.torque.copy()

    @property
    def passive(self) -> np.ndarray:
        """Forces of joint friction and stops in the last step, (nv)."""
        return self._work.passive.copy()

    def step(self, torque: ArrayLike | None = None, n: int = 1) -> None:
        """Take n steps with forces `torque` along the coordinates, (nv), beside controllers."""
        if not _is_count(n):
            raise InputError(f"step(n={n!r}): give a whole number of steps, at least 1")
        applied = self._system.dynamics.applied
        if torque is None:
            applied[:] = 0.0
        else:
            applied[:] = checked_vector(
                "torque", torque, self.world.nv, "force", self.world.dof_name
            )
        before = self.state
        status = self.advance(self._nothing_recorded, 1, n)
        if status != OK:
            raise self.failure(status, [before], None)

    def advance(self, record: Record, every: int, n: int) -> int:
        """Take n steps in one compiled call; returns a status."""
        clock = Clock(self._start, self.dt, every)
        first = self._steps
        status = self._run(
            self._integrator,
            self._system,
            self._state,
            self._work,
            record,
            clock,
            first,
            first + n,
            self._report,
        )
        self._steps = int(self._report[0])
        return status

    def save_state(self) -> SavedState:
        """Return all that the continuation depends on."""
        mode = self._system.dynamics.mode.copy()
        return SavedState(
            self._start, self._steps, self._state.q.copy(), self._state.v.copy(), mode
        )

    def restore_state(self, saved: SavedState) -> None:
        """Go back to a saved state; the continuation is bitwise the same."""
        if saved.q.shape != self._state.q.shape or saved.v.shape != self._state.v.shape:
            raise InputError(
                f"restore_state(): the saved state has {len(saved.q)} positions and "
                f"{len(saved.v)} velocities; this world has {self.world.nq} and {self.world.nv}"
            )
        self._start, self._steps = saved.start, saved.steps
        self._state.q[:], self._state.v[:] = saved.q, saved.v
        self._system.dynamics.mode[:] = saved.mode

    def failure(self, status: int, before: list[State], motion: Motion | None) -> Exception:
        """Return the error that a status means; `before`: the last good states, oldest first."""
        if status == DIVERGED:
            return DivergenceError(self._divergence(before), motion)
        joints = ", ".join(self.world.dof_name(int(d)) for d in self._unsettled())
        return JointSolveError(
            f"t = {self.time - self.dt:.6g} s: no consistent friction and stop forces were found; "
            f"joints in question: {joints}; try a smaller dt",
            motion,
        )

    def _unsettled(self) -> np.ndarray:
        tree = self.world.tree
        limited = np.isfinite(tree.lower) | np.isfinite(tree.upper) | (tree.friction > 0)
        return np.flatnonzero(limited & (self._system.dynamics.mode != PRESCRIBED))[:8]

    def _divergence(self, before: list[State]) -> str:
        """When, where and after what the state left all bounds."""
        where, nv = int(self._report[1]), self.world.nv
        if where < nv:
            value, name = self._state.v[where], self.world.dof_name(where)
            what = f"velocity of '{name}' became {value:.4g} (limit {SPEED_LIMIT:.0e})"
        else:
            k = where - nv
            link = int(np.searchsorted(self.world.tree.q_index[1:], k, side="right"))
            value, name = self._state.q[k], self.world.joint_names[link]
            what = f"position q[{k}] of joint '{name}' became {value:.4g}"
            where = int(self.world.tree.v_index[link])
        last = before[-1]
        fastest = int(np.argmax(np.abs(last.v)))
        history = ", ".join(f"{state.v[where]:.4g} at {state.time:.6g} s" for state in before)
        return (
            f"the state diverged at t = {self.time:.6g} s (step {self._steps}, dt {self.dt:g} s): "
            f"{what}; before: {history}; "
            f"fastest then: '{self.world.dof_name(fastest)}' at {last.v[fastest]:.4g}; "
            "try a smaller dt, softer gains or smaller forces"
        )


def simulate(
    world: World,
    contact: None = None,
    *,
    duration: float,
    dt: float = 0.001,
    state: State | None = None,
    controller: Controller = None,
    forces: Iterable[Push | TabulatedForce] = (),
    integrator: Any = EULER,
    record: Recording = EVERY_STEP,
    method: ArticulatedBody | JointSpace = ARTICULATED,
    progress: Progress | None = None,
) -> Motion:
    """Simulate until the first end of a step at or after `duration` [s]; returns what was recorded.

    progress is called now and then with the fraction done. A run that fails raises a
    SimulationError whose `motion` holds what was recorded until then.
    """
    simulation = Simulation(world, contact, dt, state, controller, forces, integrator, method)
    if not (_is_real(duration) and duration >= 0):
        raise InputError(f"duration: found {duration!r}; give a finite time in s, not negative")
    if not (isinstance(record, Recording) and _is_count(record.every)):
        raise InputError(f"record: found {record!r}; give Recording(every=n) with n >= 1")
    steps = math.ceil(duration / simulation.dt * (1 - 1e-12))
    rows = steps // record.every + 1
    if rows * (world.nq + 3 * world.nv) * 8 > LONGEST_RECORD:
        raise InputError(
            f"{rows:.3g} recorded moments would take more than {LONGEST_RECORD / 1e9:.0f} GB; "
            "give Recording(every=n)"
        )
    arrays = _allocate_record(world, rows)
    started = simulation.time
    parameters = _parameters(simulation, duration, record, controller)

    def motion(kept: int) -> Motion:
        time = started + np.arange(kept) * (record.every * simulation.dt)
        recorded = {name: array[:kept] for name, array in arrays._asdict().items()}
        return Motion(world, time, **recorded, parameters=parameters)

    _run_in_chunks(simulation, arrays, record.every, steps, motion, progress)
    if steps % record.every == 0:
        arrays.q[-1], arrays.v[-1] = simulation.state.q, simulation.state.v
        arrays.torque[-1], arrays.passive[-1] = np.nan, np.nan
    return motion(rows)


def _run_in_chunks(
    simulation: Simulation,
    arrays: Record,
    every: int,
    steps: int,
    motion: Callable[[int], Motion],
    progress: Progress | None,
) -> None:
    """Take the steps, a tenth of a second at a time."""
    done, chunk = 0, FIRST_CHUNK
    while done < steps:
        count = min(chunk, steps - done)
        begun = clock_time.perf_counter()
        status = simulation.advance(arrays, every, count)
        took = clock_time.perf_counter() - begun
        if status != OK:
            kept = (simulation._steps - 1) // every + 1
            so_far = motion(kept)
            before = [so_far.state(k) for k in range(max(0, kept - 3), kept)]
            raise simulation.failure(status, before, so_far)
        done += count
        chunk = max(1, int(count * min(10.0, CHUNK_SECONDS / max(took, 1e-9))))
        if progress is not None:
            progress(done / steps)


# ---------------------------------------------------------------------------------------- arguments


def _checked_dt(dt: float) -> float:
    if not (_is_real(dt) and dt > 0):
        raise InputError(f"dt: found {dt!r}; give a positive time step in s")
    return float(dt)


def _is_real(value: Any) -> bool:
    """Tell whether a value is a finite real number."""
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return bool(real and math.isfinite(value))


def _is_count(value: Any) -> bool:
    """Tell whether a value is a whole number of at least 1."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return bool(whole and value >= 1)


def _checked_integrator(integrator: Any) -> Any:
    if type(integrator) not in INTEGRATORS:
        known = ", ".join(f"{kind.__name__}()" for kind in INTEGRATORS)
        raise InputError(f"integrator: found {integrator!r}; give one of {known}")
    return type(integrator)(*(float(value) for value in integrator))


def _checked_method(method: Any) -> Any:
    if not isinstance(method, ArticulatedBody | JointSpace):
        raise InputError(f"method: found {method!r}; give ArticulatedBody() or JointSpace()")
    return method


def _bound_controllers(world: World, controller: Controller) -> tuple:
    """All controllers as parameter tuples."""
    several = isinstance(controller, tuple | list) and not hasattr(controller, "_fields")
    given = () if controller is None else tuple(controller) if several else (controller,)
    bound = tuple(
        one.bind(world) if hasattr(one, "bind") and not isinstance(one, type) else one
        for one in given
    )
    for one in bound:
        if type(one) not in CONTROLLERS and type(one) not in PRESCRIBERS:
            found = f"the class {one.__name__}" if isinstance(one, type) else type(one).__name__
            raise InputError(
                f"controller: found {found}; give PDTracking, Torques, Actuators, "
                "Prescribed, or a parameter tuple whose type is registered with @controller"
            )
    return bound


def _allocate_work(world: World) -> Work:
    nq, nv = world.nq, world.nv
    sizes = {"q": nq, "v": nv, "q_rate": nq, "q_sum": nq, "v_sum": nv, "torque": nv, "passive": nv}
    return Work(**{name: np.zeros(size) for name, size in sizes.items()})


def _allocate_record(world: World, rows: int) -> Record:
    return Record(np.zeros((rows, world.nq)), *(np.zeros((rows, world.nv)) for _ in range(3)))


def _parameters(
    simulation: Simulation, duration: float, record: Recording, controller: Controller
) -> dict:
    """How a motion was simulated, as plain values for its file."""
    given = (
        controller
        if isinstance(controller, tuple | list) and not hasattr(controller, "_fields")
        else [controller]
    )
    return {
        "contact": None,
        "dt": simulation.dt,
        "duration": float(duration),
        "integrator": type(simulation._integrator).__name__,
        "method": type(simulation._system.method).__name__,
        "controllers": [type(one).__name__ for one in given if one is not None],
        "external forces": len(simulation._system.forces.link),
        "record every": record.every,
    }
