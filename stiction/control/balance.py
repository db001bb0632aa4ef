"""Balance feedback on top of a planned motion: the legs counter drift from the plan.

The horizontal motion of the centre of mass c above a ground point p is that of an inverted
pendulum, c_dotdot = omega^2 (c - p), omega^2 = g / height. Its unstable part is
xi = c + c_dot / omega (the capture point, or divergent component of motion), xi_dot = omega
(xi - p). Shifting p from its plan by (1 + gain) times the error of xi makes that error decay as
exp(-gain omega t): T. Takenaka, T. Matsumoto, T. Yoshiike, "Real Time Motion Generation and Control
for Biped Robot", IROS 2009; J. Englsberger, C. Ott, A. Albu-Schaeffer, "Three-Dimensional Bipedal
Walking Control Based on Divergent Component of Motion", IEEE Trans. Robotics 31 (2015). The force
-m omega^2 (p - p_planned) at c, and a moment against the tilt of the base, are produced by torques
of the leg joints, tau = -a . ((c - o) x force + moment) for a joint at o with axis a: those of the
stance legs, each leg with its planned share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.control.controller import controller
from stiction.control.reference import Spline, smooth_slopes, spline_at
from stiction.description.arguments import number, numbers, shown
from stiction.errors import InputError
from stiction.kernels.kinematics import world_point
from stiction.kernels.spatial import load_twist, point_velocity
from stiction.kernels.tree import FREE, SPHERICAL
from stiction.kernels.vectors import add, cross, dot, like, load_vector, scale, sub, zero_vector

if TYPE_CHECKING:
    from stiction.world.world import World


class BalanceTable(NamedTuple):
    """The compiled form of `BalanceFeedback`."""

    plan: Spline  # columns: centre of mass x, y; shares of the left and the right leg; up x, y
    base: np.ndarray  # (1) link
    dof: np.ndarray  # (joints)
    link: np.ndarray  # (joints) that the joint moves
    leg: np.ndarray  # (joints) 0 left, 1 right
    omega: np.ndarray  # (1) [1/s]
    gain: np.ndarray  # (1)
    reach: np.ndarray  # (1) [m]
    stiffness: np.ndarray  # (1) against tilt [N m/rad]
    damping: np.ndarray  # (1) [N m s/rad]


@controller(BalanceTable)
def keep_balance(params, dynamics, time, q, v):
    """Add the leg torques that return the centre of mass and the base to the plan."""
    tree, omega = dynamics.tree, params.omega[0]
    base = params.base[0]
    mass, weighted, momentum = like(time, 0), zero_vector(time), zero_vector(time)
    for i in range(base, len(tree.parent)):
        if tree.root[i] == base:
            p = world_point(dynamics, i, load_vector(tree.centre, i))
            arm = sub(p, load_vector(dynamics.origin, base))
            speed = point_velocity(load_twist(dynamics.velocity, i), arm)
            mass += tree.mass[i]
            weighted = add(weighted, scale(tree.mass[i], p))
            momentum = add(momentum, scale(tree.mass[i], speed))
    c = scale(like(time, 1) / mass, weighted)
    x, x_dot, _ = spline_at(params.plan, 0, time)
    y, y_dot, _ = spline_at(params.plan, 1, time)
    trust = like(time, 1) + params.gain[0]
    shift_x = trust * (c[0] - x + (momentum[0] / mass - x_dot) / omega)
    shift_y = trust * (c[1] - y + (momentum[1] / mass - y_dot) / omega)
    shift_x = min(max(shift_x, -params.reach[0]), params.reach[0])
    shift_y = min(max(shift_y, -params.reach[0]), params.reach[0])
    force = scale(-mass * omega * omega, (shift_x, shift_y, like(time, 0)))
    up = (
        dynamics.rotation[base, 0, 2],
        dynamics.rotation[base, 1, 2],
        dynamics.rotation[base, 2, 2],
    )
    planned = (spline_at(params.plan, 4, time)[0], spline_at(params.plan, 5, time)[0], up[2])
    turning = load_twist(dynamics.velocity, base).angular
    level = (turning[0], turning[1], like(time, 0))
    moment = scale(params.stiffness[0], cross(up, planned))
    moment = sub(moment, scale(params.damping[0], level))
    for i in range(len(params.dof)):
        d, link = params.dof[i], params.link[i]
        share = spline_at(params.plan, 2 + params.leg[i], time)[0]
        joint = world_point(dynamics, link, zero_vector(mass))
        axis = load_twist(dynamics.S, d).angular
        torque = -share * dot(axis, add(cross(sub(c, joint), force), moment))
        torque = max(torque, tree.effort_lower[d])
        dynamics.control[d] += min(torque, tree.effort_upper[d])


@dataclass(frozen=True)
class BalanceFeedback:
    """Leg torques that bring a robot back to its plan; added to those of another controller.

    It reads the exact position, tilt and velocities of the robot. Each torque stays within the
    effort limits of its joint.
    """

    time: ArrayLike  # (n) [s]
    centre: ArrayLike  # (n, 2) planned centre of mass, x and y [m]
    share: ArrayLike  # (n, 2) fractions of the weight on the left and the right leg
    up: ArrayLike  # (n, 2) x and y of the planned z axis of the base
    legs: tuple[tuple[str, ...], tuple[str, ...]]  # revolute joints of the left and the right leg
    height: float  # of the centre of mass [m]
    gain: float = 1.0  # the error decays as exp(-gain omega t)
    reach: float = 0.03  # largest shift of the zero-moment point from its plan [m]
    stiffness: float = 0.0  # against tilt of the base [N m/rad]
    damping: float = 0.0  # against its rotation [N m s/rad]

    def bind(self, world: World) -> BalanceTable:
        """Return the compiled form for a world."""
        time = numbers(self.time)
        columns = [numbers(getattr(self, name)) for name in ("centre", "share", "up")]
        for name, column in zip(("centre", "share", "up"), columns, strict=True):
            if column.shape != (time.size, 2) or not np.isfinite(column).all():
                raise InputError(
                    f"BalanceFeedback: {name} has shape {column.shape}; give ({time.size}, 2) "
                    "finite numbers, one row for each time"
                )
        if time.ndim != 1 or len(time) < 2 or not (np.diff(time) > 0).all():
            raise InputError("BalanceFeedback: time must be at least 2 increasing numbers in s")
        self._check_numbers()
        links = [[world.joint(name) for name in leg] for leg in self._checked_legs()]
        for link in [*links[0], *links[1]]:
            if world.tree.joint_type[link] in (FREE, SPHERICAL):
                raise InputError(
                    f"BalanceFeedback: joint '{world.joint_names[link]}' is free or spherical; "
                    "name revolute joints"
                )
        every = np.array([*links[0], *links[1]], np.int64)
        plan = np.ascontiguousarray(np.hstack(columns))
        return BalanceTable(
            plan=Spline(time, plan, np.ascontiguousarray(smooth_slopes(time, plan))),
            base=world.tree.root[every[:1]],
            dof=np.ascontiguousarray(world.tree.v_index[every]),
            link=every,
            leg=np.array([0] * len(links[0]) + [1] * len(links[1]), np.int64),
            omega=np.array([np.sqrt(np.linalg.norm(world.gravity) / self.height)]),
            gain=np.array([float(self.gain)]),
            reach=np.array([float(self.reach)]),
            stiffness=np.array([float(self.stiffness)]),
            damping=np.array([float(self.damping)]),
        )

    def _check_numbers(self) -> None:
        for name in ("height", "gain", "reach", "stiffness", "damping"):
            number(
                f"BalanceFeedback: {name}", getattr(self, name), low=0, positive=name == "height"
            )

    def _checked_legs(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The joints of the legs; compiled code reads the root of the first one."""
        two = isinstance(self.legs, tuple | list) and len(self.legs) == 2
        if not (two and all(isinstance(leg, tuple | list) and leg for leg in self.legs)):
            raise InputError(
                f"BalanceFeedback: legs is {shown(self.legs)}; give the names of the joints of the "
                "left and of the right leg, at least one each"
            )
        left, right = self.legs
        return tuple(left), tuple(right)
