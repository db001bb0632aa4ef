"""Our controllers as engines take them: servos where they are some, else torques at every step.

`PDTracking` and position servos of `Actuators` become `Servos`, one to a joint, whose damping an
engine takes implicitly. Every other controller is evaluated by its own kernel at the start of each
step. A motion that is prescribed is refused: other engines cannot have coordinates follow a
function of time.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from stiction.compiler.announced import Announcement
from stiction.compiler.compiled import routine_with
from stiction.control.actuators import ActuatorTable
from stiction.control.controller import CONTROLLERS, PRESCRIBERS, allocate_memories, control
from stiction.control.memory import commit_trials, keep_trials
from stiction.control.reference import Spline
from stiction.control.tracking import TrackingTable
from stiction.engines.engine import Servos, Torques
from stiction.errors import InputError
from stiction.kernels.articulated import move_links
from stiction.kernels.servos import clear_control, present_forces
from stiction.kernels.tree import allocate
from stiction.simulation.arguments import bound_controllers
from stiction.step.system import Instant
from stiction.world.world import World


class _Servo(NamedTuple):
    """One joint's servo; arrays over the steps."""

    q: np.ndarray
    v: np.ndarray
    torque: np.ndarray
    stiffness: float
    damping: float
    lower: float
    upper: float


def controls_of(
    world: World, controller: Any, time: np.ndarray, dt: float
) -> tuple[Servos | None, Torques | None]:
    """Servos and torques of a controller as `simulate` takes it, at the times of the steps [s]."""
    servos: dict[int, _Servo] = {}
    evaluated: list[Any] = []
    for table in bound_controllers(world, controller):
        if type(table) in PRESCRIBERS:
            name = type(table).__name__.removesuffix("Table")
            raise InputError(
                f"{name}: other engines do not prescribe coordinates as functions of time; "
                "follow the motion by servos"
            )
        found = _servos_of(world, table, time, dt)
        if found and not servos.keys() & found.keys():
            servos |= found
        else:
            evaluated.append(table)
    together = _together(world, servos) if servos else None
    return together, _torques(world, tuple(evaluated), dt) if evaluated else None


def _together(world: World, servos: dict[int, _Servo]) -> Servos:
    every, tree = list(servos.values()), world.tree
    lower, upper = (np.array([getattr(one, name) for one in every]) for name in ("lower", "upper"))
    dofs = list(servos)
    usual = (lower == tree.effort_lower[dofs]).all() and (upper == tree.effort_upper[dofs]).all()
    return Servos(
        joints=tuple(_joint_name(world, int(tree.dof_link[d])) for d in servos),
        q=np.column_stack([one.q for one in every]),
        v=np.column_stack([one.v for one in every]),
        torque=np.column_stack([one.torque for one in every]),
        stiffness=np.array([one.stiffness for one in every]),
        damping=np.array([one.damping for one in every]),
        lower=None if usual else lower,
        upper=None if usual else upper,
    )


def _joint_name(world: World, link: int) -> str:
    """A name that `World.joint` finds, in whatever robot the joint is."""
    first = 1
    for robot in world.robots:
        if link < first + len(robot.link_name):
            return f"{robot.name}/{robot.joint_name[link - first]}"
        first += len(robot.link_name)
    raise IndexError(link)


def _servos_of(world: World, table: Any, time: np.ndarray, dt: float) -> dict[int, _Servo]:
    """Servos of a bound controller by the coordinate that they drive; none if it is no servo."""
    if isinstance(table, TrackingTable):
        return _tracking(table, time)
    if isinstance(table, ActuatorTable) and _is_servo(table):
        return _actuators(world, table, time + dt / 2)  # held, as in our steps
    return {}


def _tracking(table: TrackingTable, time: np.ndarray) -> dict[int, _Servo]:
    q, v = sampled(table.reference, time)
    torque, _ = sampled(table.feedforward, time)
    return {
        int(d): _Servo(
            q[:, i],
            v[:, i],
            torque[:, i],
            *(float(column[i]) for column in (table.stiffness, table.damping)),
            *(float(column[i]) for column in (table.lower, table.upper)),
        )
        for i, d in enumerate(table.dof)
    }


def sampled(spline: Spline, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values and rates of a spline, at rest outside its samples, as `spline_at` has them."""
    inside = np.clip(time, spline.time[0], spline.time[-1])
    k = np.clip(np.searchsorted(spline.time, inside, side="right") - 1, 0, len(spline.time) - 2)
    h = np.diff(spline.time)[k][:, None]
    x = (inside - spline.time[k])[:, None] / h
    a, b, end = spline.value[k], spline.slope[k] * h, spline.slope[k + 1] * h
    rise = spline.value[k + 1] - a
    c, d = 3 * rise - 2 * b - end, b + end - 2 * rise
    rate = (b + x * (2 * c + 3 * x * d)) / h
    moves = (time >= spline.time[0]) & (time <= spline.time[-1])
    return a + x * (b + x * (c + x * d)), rate * moves[:, None]


def _is_servo(table: ActuatorTable) -> bool:
    """Whether every actuator has a joint to itself, and a force linear in position and speed."""
    alone = len(np.unique(table.dof)) == len(table.dof)
    linear = not table.gain[:, 1:].any() and (table.bias[:, 1:] <= 0).all()
    return bool(alone and linear and table.gear.all())


def _actuators(world: World, table: ActuatorTable, time: np.ndarray) -> dict[int, _Servo]:
    """Servos about zero with the force gear (gain control + bias), within both ranges."""
    rows = np.clip(np.searchsorted(table.time, time, side="right") - 1, 0, len(table.time) - 1)
    found = {}
    for i, d in enumerate(table.dof):
        gear = table.gear[i]
        signal = np.clip(table.control[rows, table.column[i]], *table.control_range[i])
        ends = gear * table.force_range[i]
        found[int(d)] = _Servo(
            np.zeros(len(time)),
            np.zeros(len(time)),
            gear * (table.gain[i, 0] * signal + table.bias[i, 0]),
            float(-(gear**2) * table.bias[i, 1]),
            float(-(gear**2) * table.bias[i, 2]),
            float(max(world.tree.effort_lower[d], ends.min())),
            float(min(world.tree.effort_upper[d], ends.max())),
        )
    return found


# ------------------------------------------------------------------------------------------ torques


def evaluate(controllers, memories, dynamics, instant, q, v, force):  # type: ignore[no-untyped-def]
    """Write the forces of controllers on all coordinates at a state, (nv)."""
    move_links(dynamics, q, v)
    clear_control(dynamics)
    control(controllers, memories, dynamics, instant, q, v)
    keep_trials(memories)
    commit_trials(memories)
    present_forces(dynamics, force)


@cache
def _evaluation(*kinds: type) -> Any:
    """The compiled form of `evaluate` for controllers of these types."""
    kernels = [CONTROLLERS[kind] for kind in kinds]
    names = " and ".join(kind.__name__.removesuffix("Table") for kind in kinds)
    return routine_with(evaluate, [*kinds, *kernels], Announcement(names))


def _torques(world: World, controllers: tuple, dt: float) -> Torques:
    compute = _evaluation(*map(type, controllers))
    dynamics, memories = allocate(world.tree), allocate_memories(controllers, world.nv)

    def torques(time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        force = np.zeros(world.nv)
        instant = Instant(float(time), float(time), float(dt), 0.0)
        now_q, now_v = np.ascontiguousarray(q), np.ascontiguousarray(v)
        compute(controllers, memories, dynamics, instant, now_q, now_v, force)
        return force

    return torques
