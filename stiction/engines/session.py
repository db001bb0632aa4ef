"""What the adapters of engines without our coordinates share: one loop over all steps.

An adapter builds a `Session` of a task whose ground is level and at rest. `simulated` hands it
torques and forces, lets it step, and translates what it reports into axes of the world.
"""

from __future__ import annotations

import time
from typing import NamedTuple, Protocol

import numpy as np

from stiction.engines.belt import on_ground_at_rest
from stiction.engines.engine import Contacts, Ran, Servos, Task
from stiction.engines.level import Level, level_of
from stiction.engines.pushes import pushes_of
from stiction.errors import DivergenceError, InputError
from stiction.kernels.tree import FREE, PRISMATIC, REVOLUTE
from stiction.world.world import World

FASTEST = 1e8  # a run that is faster has diverged [rad/s or m/s]


class Wrench(NamedTuple):
    """A force and a moment in a step, at a point of a link."""

    link: int  # of the forest
    point: np.ndarray  # (3) in link axes [m]
    force: np.ndarray  # (3) [N]
    moment: np.ndarray  # (3) [N m]


class Touch(NamedTuple):
    """A contact point; fields as in `Contacts`."""

    link: tuple[int, int]
    position: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    depth: float


class Session(Protocol):
    """A task inside an engine; z = 0 is the ground."""

    def read(self, q: np.ndarray, v: np.ndarray) -> None:
        """Write positions (nq) and velocities (nv), ordered as ours."""
        ...

    def load(self, torque: np.ndarray, wrenches: list[Wrench]) -> None:
        """Apply torques (nv) and external wrenches in the next step."""
        ...

    def step(self) -> None:
        """Take one step."""
        ...

    def touches(self) -> list[Touch]:
        """Contact points of the step that was taken last."""
        ...

    def close(self) -> None:
        """Give back what the engine holds."""
        ...


class Opened(Protocol):
    """Makes a session of a level task."""

    def __call__(self, task: Task, level: Level, setting: str) -> Session:
        """Build the task."""
        ...


def refuse(task: Task, engine: str, lacks: tuple[str, ...] = ()) -> None:
    """Raise InputError for what is never translated, and for properties that the engine lacks.

    lacks: properties of joints that the engine does not have: armature, friction.
    """
    world, tree = task.world, task.world.tree
    loops = [f"{robot.name}/{name}" for robot in world.robots for name in robot.loop_name]
    if loops:
        raise InputError(f"engine '{engine}': closed loops are not translated: {', '.join(loops)}")
    for link in range(1, len(tree.parent)):
        name, joint = world.link_names[link], world.joint_names[link]
        if tree.mass[link] <= 0 or np.linalg.eigvalsh(_inertia(tree.inertia[link]))[0] <= 0:
            raise InputError(f"engine '{engine}': link '{name}' has no mass or no inertia")
        if tree.joint_type[link] not in (FREE, REVOLUTE, PRISMATIC):
            raise InputError(f"engine '{engine}': joint '{joint}' is spherical; not translated")
        if tree.joint_type[link] == FREE and tree.parent[link] != 0:
            raise InputError(f"engine '{engine}': free joint '{joint}' is not at a root")
        for what in lacks:
            d = int(tree.v_index[link])
            if getattr(tree, what)[d] > 0:
                raise InputError(
                    f"engine '{engine}': joint '{joint}' has {what}, which it does not have; "
                    f"without: robot.with_joints({what}=0)"
                )


def _inertia(six: np.ndarray) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


# ------------------------------------------------------------------------------------------- servos


class Drive(NamedTuple):
    """Servos and springs of joints as torques."""

    dof: np.ndarray  # (n) velocities that are driven
    q: np.ndarray  # (n) their positions
    wanted: np.ndarray  # (steps, n): torque + stiffness q_reference + damping v_reference
    stiffness: np.ndarray
    damping: np.ndarray
    lower: np.ndarray  # limits of effort
    upper: np.ndarray
    world: World
    implicit: bool  # whether joints of the engine have the damping of the servos

    def torque(self, k: int, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Torques (nv) in step k; damping that the joint has is taken out of the limits."""
        tree = self.world.tree
        found = np.zeros(len(v))
        springs = np.flatnonzero(tree.stiffness)
        found[springs] = tree.stiffness[springs] * (
            tree.spring_reference[springs] - q[tree.dof_q[springs]]
        )
        passive = self.damping * v[self.dof]
        servo = self.wanted[k] - self.stiffness * q[self.q] - passive
        servo = np.clip(servo, self.lower, self.upper)
        found[self.dof] += servo + (passive if self.implicit else 0.0)
        return found


def drive_of(task: Task, implicit: bool) -> Drive:
    """Return the servos of a task; an InputError says what is wrong with them."""
    world, servos = task.world, task.servos
    if servos is None:
        none = np.zeros(0)
        servos = Servos((), *(np.zeros((task.steps, 0)),) * 3, none, none)
    dofs = []
    for name in servos.joints:
        link = world.joint(name)
        if world.tree.joint_type[link] not in (REVOLUTE, PRISMATIC):
            raise InputError(f"servos: joint '{name}' is neither a hinge nor a slide")
        dofs.append(int(world.tree.v_index[link]))
    for name in ("q", "v", "torque"):
        if len(getattr(servos, name)) < task.steps:
            raise InputError(
                f"servos: {name} has {len(getattr(servos, name))} rows for {task.steps} steps"
            )
    dof = np.array(dofs, int)
    return Drive(
        dof,
        world.tree.dof_q[dof],
        servos.torque + servos.stiffness * servos.q + servos.damping * servos.v,
        np.asarray(servos.stiffness, float),
        np.asarray(servos.damping, float),
        world.tree.effort_lower[dof] if servos.lower is None else servos.lower,
        world.tree.effort_upper[dof] if servos.upper is None else servos.upper,
        world,
        implicit,
    )


# ----------------------------------------------------------------------------------------- stepping


def simulated(task: Task, engine: str, setting: str, opened: Opened, implicit: bool) -> Ran:
    """Simulate a task; implicit: whether the session gives joints the damping of the servos."""
    resting, belt_told = on_ground_at_rest(task)
    level = level_of(resting, engine)
    state = level.state(resting.world, resting.world.check_state(resting.state))
    turned = resting._replace(state=state)
    session = opened(turned, level, setting)
    try:
        ran = _all_steps(turned, level, session, engine, implicit)
    finally:
        session.close()
    return belt_told(level.told(resting.world, ran))


def _all_steps(task: Task, level: Level, session: Session, engine: str, implicit: bool) -> Ran:
    world, n = task.world, task.steps
    drive, pushes = drive_of(task, implicit), pushes_of(task)
    q, v = np.empty((n + 1, world.nq)), np.empty((n + 1, world.nv))
    rows: list[tuple[int, Touch]] = []
    seconds = 0.0
    for k in range(n):
        session.read(q[k], v[k])
        _test(q[k], v[k], engine, task.state.time + k * task.dt)
        wrenches = [
            Wrench(
                int(link),
                pushes.place[i],
                level.rotation @ pushes.force[k, i],
                level.rotation @ pushes.moment[k, i],
            )
            for i, link in enumerate(pushes.link)
            if pushes.force[k, i].any() or pushes.moment[k, i].any()
        ]
        torque = drive.torque(k, q[k], v[k])
        if task.torques is not None:
            seen = level.told_state(world, q[k], v[k])
            torque += task.torques(task.state.time + k * task.dt, *seen)
        begin = time.perf_counter()
        session.load(torque, wrenches)
        try:
            session.step()
        except RuntimeError as error:
            told = " ".join(str(error).split())
            raise DivergenceError(f"engine '{engine}': {told}") from error
        seconds += time.perf_counter() - begin
        rows += [(k, touch) for touch in session.touches()]
    session.read(q[n], v[n])
    _test(q[n], v[n], engine, task.state.time + n * task.dt)
    return ran_of(q, v, seconds, rows, len(world.tree.parent))


def ran_of(
    q: np.ndarray, v: np.ndarray, seconds: float, rows: list[tuple[int, Touch]], links: int
) -> Ran:
    """Return the record of all steps, given the contact points of each."""
    force = np.zeros((len(q) - 1, links, 3))
    moment, depth = np.zeros_like(force), np.zeros(len(q) - 1)
    for k, touch in rows:
        turning = np.cross(touch.position, touch.force)
        for link, sign in zip(touch.link, (1.0, -1.0), strict=True):
            force[k, link] += sign * touch.force
            moment[k, link] += sign * turning
        depth[k] = max(depth[k], touch.depth)
    return Ran(q, v, force, depth, seconds, moment, _contacts_of(rows))


def _contacts_of(rows: list[tuple[int, Touch]]) -> Contacts:
    """Contact points of all steps as arrays."""
    return Contacts(
        step=np.array([k for k, _ in rows], int),
        link=np.array([touch.link for _, touch in rows], int).reshape(-1, 2),
        position=np.array([touch.position for _, touch in rows], float).reshape(-1, 3),
        normal=np.array([touch.normal for _, touch in rows], float).reshape(-1, 3),
        force=np.array([touch.force for _, touch in rows], float).reshape(-1, 3),
        depth=np.array([touch.depth for _, touch in rows], float),
    )


def _test(q: np.ndarray, v: np.ndarray, engine: str, t: float) -> None:
    if not np.isfinite(q).all() or not (np.abs(v) < FASTEST).all():
        raise DivergenceError(f"engine '{engine}' diverged before t = {t:g} s")


# ------------------------------------------------------------------------------------------ turning


def origin_state(
    pose: tuple[np.ndarray, np.ndarray], twist: tuple[np.ndarray, np.ndarray], centre: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of a link's origin from those of its centre of mass.

    pose: position of the centre and rotation of the link; twist: velocity of the centre and
    angular velocity in world axes; centre: in the link.
    """
    position, rotation = pose
    velocity, omega = twist
    arm = rotation @ centre
    return position - arm, velocity - np.cross(omega, arm)


def free_joint(world: World, link: int) -> tuple[slice, slice]:
    """Where a free joint has its positions and velocities."""
    k, d = int(world.tree.q_index[link]), int(world.tree.v_index[link])
    return slice(k, k + 7), slice(d, d + 6)
