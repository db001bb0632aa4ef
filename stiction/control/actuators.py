"""The actuators of a model file, driven by control signals as the file defines them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.compiler.compiled import kernel, routine
from stiction.control.controller import controller
from stiction.control.torque import held_table
from stiction.errors import InputError
from stiction.kernels.forces import table_row
from stiction.kernels.servos import add_servo
from stiction.kernels.vectors import like

if TYPE_CHECKING:
    from stiction.world.world import World


class ActuatorTable(NamedTuple):
    """The compiled form of `Actuators`: nu actuators, sorted by the coordinate that they drive."""

    time: np.ndarray  # (n) [s]
    control: np.ndarray  # (n, nu)
    column: np.ndarray  # (nu) of `control`
    dof: np.ndarray  # (nu)
    gear: np.ndarray  # (nu)
    gain: np.ndarray  # (nu, 3) constant, per length, per rate
    bias: np.ndarray  # (nu, 3)
    control_range: np.ndarray  # (nu, 2)
    force_range: np.ndarray  # (nu, 2)


@controller(ActuatorTable, held=True)
def drive(params, dynamics, time, q, v):
    """Add gear * force of every actuator; the sum on a joint stays within its effort limits."""
    tree, dof = dynamics.tree, params.dof
    last = len(params.time) - 1
    row = last if time >= params.time[last] else table_row(params.time, 0, last, time)
    zero = like(v[0], 0)
    total, damping = zero, zero
    for i in range(len(dof)):
        d, gear = dof[i], params.gear[i]
        force, slope = actuator_force(params, row, i, gear * q[tree.dof_q[d]], gear * v[d])
        lower, upper = tree.effort_lower[d], tree.effort_upper[d]
        least, most = params.force_range[i, 0], params.force_range[i, 1]
        goes_on = i + 1 < len(dof) and dof[i + 1] == d  # more actuators on this coordinate
        if goes_on or (i > 0 and dof[i - 1] == d) or gear == 0:
            bounded = min(max(force, least), most)
            force, slope = bounded, slope if bounded == force else zero
        else:
            lower = max(lower, min(gear * least, gear * most))
            upper = min(upper, max(gear * least, gear * most))
        total += gear * force
        damping -= gear * gear * slope
        if not goes_on:
            add_servo(dynamics, d, total, damping, lower, upper)
            total, damping = zero, zero


@kernel
def actuator_force(params, row, i, length, rate):
    """Force of actuator i before its limits, and its derivative over the rate of its length."""
    signal = params.control[row, params.column[i]]
    signal = min(max(signal, params.control_range[i, 0]), params.control_range[i, 1])
    gain = params.gain[i, 0] + params.gain[i, 1] * length + params.gain[i, 2] * rate
    force = params.bias[i, 0] + params.bias[i, 1] * length + params.bias[i, 2] * rate
    return force + gain * signal, params.bias[i, 2] + params.gain[i, 2] * signal


@routine
def write_checked(values, lower, upper, target):
    """Copy values within their limits; returns the first that is not, before anything is copied."""
    for k in range(len(target)):
        if not (lower[k] <= values[k] <= upper[k]):
            return k
    for k in range(len(target)):
        target[k] = values[k]
    return -1


@dataclass(frozen=True)
class Actuators:
    """Drive the robots' actuators: one control vector (nu), or a table (n, nu) held between times.

    The order is that of the robots and their files; position servos take positions, motors forces.
    """

    control: ArrayLike
    time: ArrayLike | None = None  # [s]

    def bind(self, world: World) -> ActuatorTable:
        """Return the compiled form for a world."""
        count = sum(len(robot.actuator_name) for robot in world.robots)
        if count == 0:
            raise InputError(
                "Actuators: no robot in this world has actuators; use PDTracking or Torques"
            )
        time, control = held_table("control", self.control, self.time, count)
        first = np.cumsum([1, *[len(robot.link_name) for robot in world.robots]])
        links = np.concatenate(
            [first[i] + robot.actuator_link for i, robot in enumerate(world.robots)]
        )
        dof = world.tree.v_index[links]
        order = np.argsort(dof, kind="stable")

        def sorted_rows(name: str) -> np.ndarray:
            return np.concatenate([getattr(robot, name) for robot in world.robots])[order]

        return ActuatorTable(
            time=time,
            control=control,
            column=order.astype(np.int64),
            dof=dof[order],
            gear=sorted_rows("actuator_gear"),
            gain=sorted_rows("actuator_gain"),
            bias=sorted_rows("actuator_bias"),
            control_range=sorted_rows("actuator_control"),
            force_range=sorted_rows("actuator_force"),
        )
