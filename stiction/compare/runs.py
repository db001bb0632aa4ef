"""One case under contact models of ours and in other engines: what ran, what did not, and why."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stiction.contact.contact_model import FORCE_LAW, MODELS
from stiction.engines import Engine, Ran, Task
from stiction.engines.controls import controls_of
from stiction.engines.engine import Contacts
from stiction.errors import InputError, SimulationError, StictionError
from stiction.motion.motion import Motion, versions
from stiction.scenes.scene import Scene
from stiction.simulation.recording import Recording
from stiction.simulation.simulate import simulate
from stiction.world.contact_points import contact_points_of
from stiction.world.external import Push, TabulatedForce
from stiction.world.world import State, World

KEPT = 2e-3  # between two samples of a motion that is kept [s]
MOST_STEPS = 250_000  # of a run that is recorded step by step; longer ones have no energy balance
ENGINE_DT = 1e-3  # the longest step of an engine [s]


@dataclass(frozen=True)
class Case:
    """What is the same in all runs of a comparison."""

    name: str
    shows: str
    world: World
    state: State
    controller: Any
    duration: float  # [s]
    dt: float  # [s]
    dt_force_law: float  # [s]
    mu: float  # of engines, which have one coefficient of friction
    restitution: float = 0.0
    forces: tuple[Push | TabulatedForce, ...] = ()
    integrator: Any = None
    expect: str | None = None

    def step_for(self, contact: Any) -> float:
        """The time step for a contact model [s]."""
        is_law = MODELS[type(contact)].family == FORCE_LAW
        return min(self.dt, self.dt_force_law) if is_law else self.dt


def case_of(scene: Scene, duration: float | None = None, dt: float | None = None) -> Case:
    """The case of a scene; duration and dt [s] replace the scene's."""
    world = scene.world()
    values = {} if scene.contact is None else scene.contact._asdict()
    mu = values.get("mu_kinetic", values.get("mu", values.get("mu_static")))
    if mu is None:
        raise InputError(
            f"scene '{scene.name}': its contact model has no coefficient of friction for others"
        )
    return Case(
        name=scene.name,
        shows=scene.shows,
        world=world,
        state=scene.start(),
        controller=scene.controller(world),
        duration=scene.lasts() if duration is None else duration,
        dt=scene.dt if dt is None else dt,
        dt_force_law=scene.dt_force_law if dt is None else dt,
        mu=float(mu),
        restitution=float(values.get("restitution", 0.0)),
        forces=tuple(scene.forces),
        integrator=scene.integrator,
        expect=scene.expect,
    )


@dataclass(frozen=True, eq=False)
class Run:
    """A run of a case: its motion, and what the ground did in every sample.

    `motion` has samples KEPT apart; `steps` is every step of one of our own runs.
    """

    name: str
    motion: Motion
    force: np.ndarray  # (n, 3) of the ground on everything at every step [N]
    depth: np.ndarray  # (n) of the deepest contact [m]
    dt: float  # [s]
    seconds: float  # that it took to compute, without the setup of a run [s]
    simulated: float  # how long it lasted [s]
    told: dict[str, Any]  # parameters
    steps: Motion | None = None
    pressure: np.ndarray | None = None  # (n, 3) centre of pressure at every step [m]
    contacts: Contacts | None = None  # single points, if an engine reports them
    engine: bool = False
    stopped: str = ""  # why it ended early
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Refused:
    """A model or an engine that cannot run the case, and why."""

    name: str
    why: str


def thinned(motion: Motion, every: int) -> Motion:
    """Every `every`-th sample, as if only these had been recorded."""
    told = motion.parameters | {"record every": every * motion.parameters["record every"]}
    return motion.rows(np.arange(len(motion))[::every]).with_parameters(told)


# ------------------------------------------------------------------------------------------- models


def run_model(
    case: Case, name: str, contact: Any, progress: Callable[[float], None] | None = None
) -> Run | Refused:
    """Simulate a case under a contact model; compiling is not part of the time."""
    dt = case.step_for(contact)
    steps = round(case.duration / dt)
    every = 1 if steps <= MOST_STEPS else max(1, round(KEPT / dt))
    options: dict[str, Any] = {
        "dt": dt, "state": case.state, "controller": case.controller, "forces": case.forces,
    }  # fmt: skip
    if case.integrator is not None:
        options["integrator"] = case.integrator
    stopped = ""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            simulate(case.world, contact, duration=dt, **options)  # compiles
            began = time.perf_counter()
            simulate(case.world, contact, duration=dt, **options)
            begin = time.perf_counter()
            setup = begin - began
            options |= {"record": Recording(every), "progress": progress}
            motion = simulate(case.world, contact, duration=case.duration, **options)
        except SimulationError as error:
            if error.motion is None or len(error.motion) < 3:
                return Refused(name, _line(error))
            motion, stopped = error.motion, _line(error)
        except StictionError as error:
            return Refused(name, _line(error))
        took = time.perf_counter() - begin
    between = max(1, round(KEPT / (every * dt)))
    return Run(
        name=name,
        motion=thinned(motion, between),
        force=motion.total_force(),
        depth=motion.deepest(),
        dt=dt,
        seconds=max(took - setup, 0.5 * took),
        simulated=float(motion.time[-1] - motion.time[0]),
        told={"model": type(contact).__name__, **contact._asdict()},
        steps=motion,
        stopped=stopped,
        notes=list(dict.fromkeys(_line(one.message) for one in heard)),
    )


def _line(error: object) -> str:
    return " ".join(str(error).split())


# ------------------------------------------------------------------------------------------ engines


def name_in(engine: Engine, setting: str) -> str:
    """How a run in another engine is called."""
    return engine.name if setting == "default" else f"{engine.name} {setting}"


def run_engine(case: Case, engine: Engine, setting: str, dt: float | None = None) -> Run | Refused:
    """Simulate a case in another engine."""
    name = name_in(engine, setting)
    step = min(case.dt, ENGINE_DT) if dt is None else dt
    steps = round(case.duration / step)
    times = case.state.time + step * np.arange(steps)
    try:
        servos, torques = controls_of(case.world, case.controller, times, step)
        task = Task(
            world=case.world,
            state=case.state,
            dt=step,
            steps=steps,
            mu=case.mu,
            restitution=case.restitution,
            servos=servos,
            pushes=case.forces,
            torques=torques,
        )
        ran = engine.run(task, setting)
    except StictionError as error:
        return Refused(name, _line(error))
    told = {"engine": engine.name, "version": engine.version(), "mu": case.mu}
    told |= {"setting": setting, **{k: as_text(v) for k, v in engine.settings[setting].items()}}
    whole = motion_of(case, ran, step, told)
    last = np.full((1, 3), np.nan)
    return Run(
        name=name,
        motion=thinned(whole, max(1, round(KEPT / step))),
        force=np.vstack([-ran.force[:, 0], last]),
        depth=np.append(ran.depth, np.nan),
        dt=step,
        seconds=ran.seconds,
        simulated=steps * step,
        told=told,
        steps=whole,
        pressure=pressure_of(case.world, ran),
        contacts=ran.contacts,
        engine=True,
    )


def as_text(value: object) -> object:
    """A setting as plain values."""
    return list(value) if isinstance(value, tuple) else value


def motion_of(case: Case, ran: Ran, dt: float, told: dict[str, Any]) -> Motion:
    """The states of an engine as a motion; its contact is unknown point by point, hence NaN."""
    n, points = len(ran.q), len(contact_points_of(case.world)[0].link)
    unknown, blank = np.full((n, points, 3), np.nan), np.full((n, case.world.nv), np.nan)
    return Motion(
        world=case.world,
        time=case.state.time + dt * np.arange(n),
        q=ran.q,
        v=ran.v,
        torque=blank,
        passive=blank,
        force=unknown,
        depth=unknown[..., 0],
        slip=unknown,
        contact_velocity=unknown,
        contact_state=unknown[..., 0],
        solver=np.full((n, 3), np.nan),
        parameters={"dt": dt, "record every": 1, "contact": None, "engine": told},
        versions=versions() | {str(told["engine"]): str(told["version"])},
    )


def pressure_of(world: World, ran: Ran) -> np.ndarray | None:
    """Centre of pressure of everything on level ground [m], (n, 3); None if it is not reported."""
    from stiction.world.ground import Plane

    if ran.moment is None or not isinstance(world.ground, Plane):
        return None
    force, moment = -ran.force[:, 0], -ran.moment[:, 0]
    origin = np.array([0.0, 0.0, world.ground.height])
    about = moment - np.cross(origin, force)
    pressing = np.where(force[:, 2] > 0, force[:, 2], np.nan)
    point = origin + np.cross([0.0, 0.0, 1.0], about) / pressing[:, None]
    return np.vstack([point, np.full((1, 3), np.nan)])
