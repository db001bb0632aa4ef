"""`Simulation`: a world stepped from Python."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.control.controller import allocate_memories
from stiction.description.arguments import count
from stiction.errors import InputError
from stiction.kernels.forward_dynamics import ArticulatedBody, JointSpace
from stiction.kernels.response import NOT_CONVERGED
from stiction.kernels.tree import allocate
from stiction.motion.motion import Motion
from stiction.motion.unsolved import UnsolvedSteps, allocate_report, unsolved_steps
from stiction.simulation import restoring
from stiction.simulation.allocation import allocate_work, make_surface
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
)
from stiction.simulation.contacts import ContactPoint, contacts_of, forces_of
from stiction.simulation.open_recording import recording_of
from stiction.simulation.python_controller import InPython, divided
from stiction.simulation.recording import Recording
from stiction.simulation.saved_state import SavedState
from stiction.simulation.sensing import Sensing
from stiction.simulation.set_points import SetPoints, actuators_among, driven_home
from stiction.simulation.settings import digest_of, parameters_of
from stiction.simulation.stepping import Stepping
from stiction.simulation.warn import (
    warn_of_huge_step,
    warn_of_long_step,
    warn_of_outlook,
    warn_of_servos,
)
from stiction.step.system import StepState, System
from stiction.world.bodies import points_between
from stiction.world.external import Push, TabulatedForce, bind_forces
from stiction.world.loops import make_loops
from stiction.world.world import State, World, checked_world

LAST_SEED = 2**32 - 1


class SolverStatus(NamedTuple):
    """How the contact problem of the last step was solved."""

    iterations: int  # of all solutions that were tried
    residual: float  # the largest of the solutions that were used
    stage: int  # the method that was needed: 0 is the first, 9 none

    @property
    def solved(self) -> bool:
        """Whether contact and joint friction were solved."""
        return self.stage < NOT_CONVERGED


class Simulation(Stepping):
    """A world stepped from Python, for control loops."""

    def __init__(  # nine arguments: keywords that users know, all but one with a default
        self,
        world: World,
        contact: Any = AUTOMATIC,
        dt: float = 0.001,
        state: State | None = None,
        controller: Controller = None,
        forces: Iterable[Push | TabulatedForce] = (),
        integrator: Any = MIDPOINT,
        method: ArticulatedBody | JointSpace = ARTICULATED,
        record: bool | Recording = False,
    ) -> None:
        """Start from a state, by default the home configuration; dt in s.

        contact: the contact model; by default `Coulomb()` if a shape can touch the ground. None
        means no contact. controller: one or several, as for `simulate`; a `PythonController` too.
        record: True, or a `Recording` in memory, for `motion`.
        """
        self.world, self.dt = checked_world(world), checked_dt(dt)
        forces = tuple(forces) if isinstance(forces, Iterable) else forces  # refused below
        self._given = (controller, forces, integrator, method, record)
        self._integrator = checked_integrator(integrator)
        compiled, in_python = divided(controller)
        self._compiled = controllers = bound_controllers(world, compiled)
        self._python = InPython(in_python, self.dt, world)
        begin = world.check_state(state)
        self._start, self._state = begin.time, StepState(begin.q, begin.v)
        model, told = chosen_model(world, contact)
        surface, self.point_names, notes = make_surface(world, model)
        self.notes = [*(world.moved_aside() if state is None else []), *told, *notes]
        self.notes += warn_of_long_step(world, model, surface, self.dt, begin)
        self.notes += warn_of_outlook(world, model, surface, self.dt, begin)
        self.notes += warn_of_servos(world, self._integrator, controllers, begin, self.dt)
        self.notes += warn_of_huge_step(self.dt)
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
        self._report = allocate_report()
        self.random = np.random.default_rng()  # for controllers of yours; see `reset`
        self._held = np.zeros(world.nv)  # forces that act until others are set
        self._recording = recording_of(record)
        self._set_points: SetPoints | None = None
        self._begin_stepping()
        self._first = restoring.saved_state_of(self, {})
        self._begin_anew()

    @property
    def contacts(self) -> list[ContactPoint]:
        """The points that touched in the last step."""
        return contacts_of(self._work, self.world, self.point_names, self.dt)

    @property
    def sensors(self) -> dict[str, np.ndarray]:
        """What the sensors read, by name: the state at the start of the last step, and its forces.

        Before the first step, accelerations and forces are NaN.
        """
        if self._recording is not None and self._recording.every > 1:
            raise InputError(
                f"sensors: this simulation records every {self._recording.every} steps, and "
                "sensors read the last one; make it with record=True or without a record"
            )
        seed = count("sensor_seed", self.sensor_seed, LAST_SEED, 0)
        return self._sensing.readings(self.state, self._steps, seed)

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
    def q(self) -> np.ndarray:
        """Current positions (nq), a view that cannot be written to."""
        return _read_only(self._state.q)

    @property
    def v(self) -> np.ndarray:
        """Current velocities (nv), a view that cannot be written to."""
        return _read_only(self._state.v)

    @property
    def state(self) -> State:
        """A copy of the current state; set it to start over from another one.

        Warm starts, the memories of controllers and contact models, and the record are cleared.
        Set-points and forces that are held stay.
        """
        return State(self._state.q.copy(), self._state.v.copy(), self.time)

    @state.setter
    def state(self, state: State) -> None:
        checked = self.world.check_state(state)
        restoring.write(self, self._first)
        self._start = checked.time
        self._state.q[:], self._state.v[:] = checked.q, checked.v
        self._begin_anew()

    def reset(self, state: State | None = None, seed: int | None = None) -> None:
        """Start over, by default from the first state; the record and what is held are cleared.

        seed: of the noise of sensors, and of `random`, a `numpy.random.Generator` for controllers
        of yours.
        """
        seed = None if seed is None else count("reset(): seed", seed, LAST_SEED, 0)
        first = self._first
        self.state = State(first.q, first.v, first.start) if state is None else state
        self._held[:], self._applied_once = 0.0, True
        if self._set_points is not None:
            self._set_points.reset()
            self._use_controllers(self._compiled)
        if seed is not None:
            self.random, self.sensor_seed = np.random.default_rng(seed), seed

    @property
    def torque(self) -> np.ndarray:
        """Forces of controllers and of prescribed motion in the last step, (nv).

        Set it to forces along the coordinates, (nv), that act from the next step on, in addition to
        those of controllers, until you set others.
        """
        return self._work.total_torque.copy()

    @torque.setter
    def torque(self, torque: ArrayLike) -> None:
        self._held[:] = self._checked_torque(torque)
        self._applied_once = True

    @property
    def control(self) -> SetPoints:
        """The set-points of the actuators, by name; set it to set them all.

        Unless the simulation was made with `Actuators`, no actuator acts before the first set-point
        is set. Then position servos hold the home configuration, and motors are at zero, until
        theirs are set.
        """
        if self._set_points is None:
            table = actuators_among(self.world, self._compiled)
            if table is None:
                table = driven_home(self.world)
                driven = (*self._compiled, table)
                begin = partial(self._use_controllers, driven)
                self._set_points = SetPoints(self.world, table.control[0], begin)
            else:
                self._set_points = SetPoints(self.world, table.control[0])
        return self._set_points

    @control.setter
    def control(self, values: ArrayLike) -> None:
        self.control[:] = values

    def _use_controllers(self, controllers: tuple) -> None:
        """Step with these compiled controllers from now on."""
        self._system = self._system._replace(controllers=controllers)
        self._plain_until = -1.0

    @property
    def controllers(self) -> tuple:
        """The compiled controllers; their arrays may be written to between steps."""
        return self._system.controllers

    @property
    def solver(self) -> SolverStatus:
        """Iterations, residual and stage of the contact solver in the last step."""
        iterations, residual, stage = self._work.total_solver.tolist()
        return SolverStatus(int(iterations), residual, int(stage))

    @property
    def motion(self) -> Motion:
        """What was recorded since the simulation was made, reset or set to another state."""
        if self._recorder is None:
            raise InputError("motion: this simulation records nothing; make it with record=True")
        self._plain_until = -1.0  # the next row begins a block
        return self._recorder.motion()

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

    def save_state(self) -> SavedState:
        """Return everything that the continuation depends on.

        Answers of controllers in Python too, but neither what these remember nor what you set:
        `control`, `torque`, `random`.
        """
        return restoring.saved_state_of(self, self._identity)

    def restore_state(self, saved: SavedState) -> None:
        """Go back to a saved state; the continuation is bitwise the same.

        Raises InputError unless it was saved in a simulation of an equal world with the same
        contact model, controllers and dt. The record starts over.
        """
        restoring.restore(self, saved)
        self._begin_anew()
        self._python.recall(saved.control_memory[len(self._system.control_memory) :], self)

    def parameters(self) -> dict[str, Any]:
        """How the world is simulated, as plain values for the motion file."""
        return parameters_of(self)

    def digest(self) -> str:
        """Hash of all that the motion depends on besides the state, 16 hexadecimal digits."""
        return digest_of(self)

    @cached_property
    def _identity(self) -> dict[str, Any]:
        """What must be equal for a saved state to be continued, by its name in messages."""
        return {
            "world": self.world.digest(),
            "contact model": repr(self._system.model),
            "dt": self.dt,
        }


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
