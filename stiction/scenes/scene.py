"""`Scene`: robots and objects on a ground, their control, and the duration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from stiction.contact.contact_model import FORCE_LAW, MODELS, NoContact
from stiction.contact.gauss_seidel import GaussSeidel
from stiction.description.arguments import shown
from stiction.errors import InputError
from stiction.kernels.tree import FREE
from stiction.motion.motion import Motion
from stiction.robot.robot import Robot
from stiction.scenes.body import Body
from stiction.scenes.control import Control
from stiction.scenes.planned import Planned
from stiction.scenes.plug_ins import CONTACT_MODELS, parameter_tuple
from stiction.scenes.verdict import EXPECTATIONS, LIMITS, Limits, Verdict, verdict
from stiction.simulation.arguments import MIDPOINT
from stiction.simulation.recording import Recording
from stiction.simulation.simulate import EVERY_STEP, simulate
from stiction.simulation.simulation import Simulation
from stiction.world.contact_points import contact_points_of
from stiction.world.external import Push, TabulatedForce
from stiction.world.ground import LEVEL, Ground
from stiction.world.materials import check_named
from stiction.world.world import GRAVITY, State, World, distinct

FRICTION = ("mu_static", "mu_kinetic", "restitution")  # inherited by another contact model


@dataclass(frozen=True)
class Scene:
    """Robots and objects on a ground, their control, and the duration.

    Robots come first in the world, then objects, which nothing drives. Objects are bodies like
    robots: boxes and balls.
    """

    name: str
    shows: str
    robots: tuple[Body, ...]
    objects: tuple[Body, ...] = ()
    ground: Ground | None = LEVEL
    materials: Mapping[tuple[str, str], Mapping[str, float]] = field(default_factory=dict)
    contact: Any = field(default_factory=GaussSeidel)
    controls: tuple[Control, ...] = ()
    controllers: tuple[Any, ...] = ()  # as for `simulate`; they act in addition to the controls
    integrator: Any = MIDPOINT
    forces: tuple[Push | TabulatedForce, ...] = ()
    duration: float | None = None  # [s]; None: as long as the longest planned motion
    dt: float = 0.001  # [s]
    dt_force_law: float = 1e-4  # for contact models that are force laws [s]
    gravity: tuple[float, ...] = GRAVITY  # [m/s2]
    expect: str | None = None  # outcome of the first robot, see `Verdict.meets`
    limits: Limits = LIMITS  # what the ground may do
    source: str = ""  # its file
    forces_where: tuple[str, ...] = ()  # places of the forces in the file, for error messages

    def __post_init__(self) -> None:
        """Check everything that does not need a world."""
        self._check_kinds()
        if not self.robots:
            raise InputError(f"scene '{self.name}' has no robot")
        if not (self.expect is None or self.expect in EXPECTATIONS):
            raise InputError(
                f"scene '{self.name}': expect is {shown(self.expect)}; it can be "
                f"{', '.join(EXPECTATIONS)}"
            )
        taken: set[int] = set()
        for control in self.controls:
            known = range(len(self.robots))
            if not isinstance(control.robot, int) or control.robot not in {*known} - taken:
                raise InputError(
                    f"scene '{self.name}': control '{control.kind}' is for robot {control.robot}; "
                    f"there are {len(self.robots)}, each with one control at most"
                )
            taken.add(control.robot)
        if self.duration is None and all(one.endless for one in self.controls):
            raise InputError(f"scene '{self.name}': has no duration and no motion with one")

    def _check_kinds(self) -> None:
        """Raise InputError for a value that is not of the kind that its name implies."""
        kinds: dict[str, Any] = {"robots": Body, "objects": Body, "controls": Control}
        kinds |= {"controllers": object, "forces": Push | TabulatedForce}
        for name, kind in kinds.items():
            given = getattr(self, name)
            if not (isinstance(given, tuple | list) and all(isinstance(x, kind) for x in given)):
                wanted = getattr(kind, "__name__", "Push or TabulatedForce")
                raise InputError(f"scene '{self.name}': {name} is {shown(given)}; give {wanted}s")
        if not isinstance(self.materials, Mapping):
            found = shown(self.materials)
            raise InputError(f"scene '{self.name}': materials is {found}; give a dictionary")
        if not (self.contact is None or type(self.contact) in MODELS):
            found = shown(self.contact)
            raise InputError(
                f"scene '{self.name}': contact is {found}; give a contact model or None"
            )
        if not (self.expect is None or isinstance(self.expect, str)):
            found = shown(self.expect)
            raise InputError(f"scene '{self.name}': expect is {found}; give a string or None")

    @property
    def needs(self) -> tuple[str, ...]:
        """Files that the STICTION_DATA folder must have, in order of use."""
        named = [body.data for body in (*self.robots, *self.objects)]
        named += [control.parameters.get("data") for control in self.controls]
        return tuple(dict.fromkeys(name for name in named if name is not None))

    # -------------------------------------------------------------------------------------- making

    def world(self) -> World:
        """All bodies, at home, on the ground of the scene."""
        return self._world_of(self._robots)

    @cached_property
    def _robots(self) -> list[Robot]:
        return [robot for _, robot in self._made]

    @cached_property
    def _made(self) -> list[tuple[Body, Robot]]:
        """All bodies and their robots, those that do not move last, as in a world."""
        made = [(body, body.robot()) for body in (*self.robots, *self.objects)]
        for body, robot in made[: len(self.robots)]:
            if not robot.nv:
                raise InputError(
                    f"{body.where or self.name}: '{robot.name}' has no moving joint; give it as "
                    "an object"
                )
        return sorted(made, key=lambda one: one[1].nv == 0)

    @cached_property
    def plans(self) -> dict[int, Planned]:
        """The planned motion of each robot that has one."""
        return {
            control.robot: control.plan(self._robots[control.robot]) for control in self.controls
        }

    def _world_of(self, robots: list[Robot]) -> World:
        touching = [
            robot.name
            for (body, _), robot in zip(self._made, distinct(robots), strict=True)
            if body.self_collision
        ]
        return World(
            *robots,
            ground=self.ground,
            materials=dict(self.materials),
            gravity=self.gravity,
            self_collision=touching,
        )

    def controller(self, world: World) -> tuple[Any, ...] | None:
        """The controllers of the robots in a world of this scene."""
        bound: list[Any] = []
        for k, plan in self.plans.items():
            bound += plan.bound(f"{world.robots[k].name}/" if len(world.moving) > 1 else "")
        return (*bound, *self.controllers) or None

    def start(self) -> State:
        """The initial state: bodies at their places, planned motions at their start."""
        posed = list(self._robots)
        for k, plan in self.plans.items():
            posed[k] = replace(posed[k], home=plan.home)
        world = self._world_of(posed)
        bodies = [body for body, _ in self._made]
        home = np.concatenate([robot.home for robot in world.robots])
        state = State(home.copy(), np.zeros(world.nv))
        if any(body.stands for body in bodies) and self.ground is not None:
            world.put_on_ground(state.q)
        rises, link, first = world.lifted(), 1, 0
        for body, robot in zip(bodies, world.robots, strict=True):
            if robot.nv and link in rises:
                k, share = rises[link]
                if not body.stands:
                    state.q[k] = home[k]
                state.q[k] += body.above / share
            if any(body.velocity) or any(body.turning):
                state.v[first : first + 6] = self._velocity(body, robot)
            link, first = link + len(robot.link_name), first + robot.nv
        self._check_apart(world, state)
        return state

    def _check_apart(self, world: World, state: State) -> None:
        """Raise InputError if two bodies overlap at the start."""
        overlap = world.overlap(state)
        if overlap is not None:
            one, other = (world.robots[k].name for k in (overlap.one, overlap.other))
            where = self._made[overlap.other][0].where or f"scene '{self.name}'"
            raise InputError(
                f"{where}: '{other}' starts inside '{one}': {overlap.told()}; move one of them"
            )

    def _velocity(self, body: Body, robot: Robot) -> list[float]:
        if not robot.nv or robot.joint_type[0] != FREE:
            raise InputError(
                f"{body.where or self.name}: velocity and turning are only for free bases; "
                f"'{robot.name}' has none"
            )
        return [*body.velocity, *body.turning]

    # ------------------------------------------------------------------------------------- running

    def contact_of(self, kind: Any) -> Any:
        """A contact model of another kind with the friction of the scene."""
        return parameter_tuple(kind, self.contact_values(kind))

    def contact_values(self, kind: Any) -> dict[str, float]:
        """The parameters of the scene's contact model that also apply to a model of this kind."""
        if self.contact is None:
            return {}
        own = self.contact._asdict()
        same = kind is type(self.contact)
        return {name: own[name] for name in own if same or name in {*FRICTION} & {*kind._fields}}

    def step_for(self, contact: Any) -> float:
        """The time step for a contact model [s]."""
        touches = contact is not None and type(contact) is not NoContact
        shorter = touches and MODELS[type(contact)].family == FORCE_LAW
        return min(self.dt, self.dt_force_law) if shorter else self.dt

    def lasts(self) -> float:
        """Duration of the scene [s]."""
        if self.duration is not None:
            return self.duration
        return max(plan.duration or 0.0 for plan in self.plans.values())

    def simulate(
        self,
        contact: Any = None,
        progress: Callable[[float], None] | None = None,
        duration: float | None = None,
        dt: float | None = None,
        integrator: Any = None,
        record: Recording = EVERY_STEP,
    ) -> Motion:
        """Simulate the scene.

        contact: a model that replaces the scene's, or the name of one, which inherits the scene's
        friction. duration and dt [s] and integrator replace the scene's; without dt, force laws use
        `dt_force_law`.
        """
        options = self._options(contact, dt, integrator)
        lasts = self.lasts() if duration is None else duration
        return simulate(**options, duration=lasts, record=record, progress=progress)

    def simulation(
        self, contact: Any = None, dt: float | None = None, integrator: Any = None
    ) -> Simulation:
        """The scene at its start, to be stepped; arguments as in `simulate`."""
        return Simulation(**self._options(contact, dt, integrator))

    def _options(self, contact: Any, dt: float | None, integrator: Any) -> dict[str, Any]:
        """The arguments of a simulation of this scene."""
        if isinstance(contact, str):
            try:
                contact = self.contact_of(CONTACT_MODELS.find(contact))
            except InputError as error:
                raise InputError(f"contact: found {contact!r}; {error}") from None
        model = self.contact if contact is None else contact
        world = self.world()
        self._check_forces(world)
        self._check_materials(world)
        return {
            "world": world,
            "contact": model,
            "dt": self.step_for(model) if dt is None else dt,
            "state": self.start(),
            "controller": self.controller(world),
            "forces": self.forces,
            "integrator": self.integrator if integrator is None else integrator,
        }

    def _check_forces(self, world: World) -> None:
        """Raise InputError, with the line in the file, if the body of a force does not exist."""
        for force, where in zip(self.forces, self.forces_where, strict=False):
            try:
                world.place(force.body)
            except InputError as error:
                raise InputError(f"{where}: {error}") from None

    def _check_materials(self, world: World) -> None:
        """Raise InputError, with the file, if a pair names a material that does not exist."""
        _, _, pairs = contact_points_of(world)
        try:
            check_named(world.materials, (own for own, _ in pairs), (under for _, under in pairs))
        except InputError as error:
            raise InputError(f"{self.source or self.name}: {error}") from None

    def verdict(self, motion: Motion) -> Verdict:
        """Outcome of the first robot, and what the ground did; see `stiction.scenes.verdict`."""
        return verdict(motion, plan=self.plans.get(0), limits=self.limits)
