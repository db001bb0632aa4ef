"""`Pattern`: joint trajectories of a two-legged robot, and its planned ground contact."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from stiction.control.actuators import Actuators
from stiction.control.balance import BalanceFeedback
from stiction.control.reference import Reference
from stiction.control.tracking import PDTracking
from stiction.patterns.body import Body
from stiction.patterns.curves import SAMPLE, derivatives
from stiction.patterns.feedforward import (
    ground_wrench,
    holding_torques,
    joint_gains,
    leg_shares,
    servo_signals,
)
from stiction.patterns.postures import Solver, Targets, solve_all
from stiction.patterns.preview import follow_zmp
from stiction.patterns.soles import distance_inside
from stiction.robot.robot import Robot
from stiction.world.loops import closed
from stiction.world.outlines import convex_outline
from stiction.world.world import State

CARRIED = 0.05  # ground force over weight, below which the zero-moment point is not judged


@dataclass(frozen=True)
class Footstep:
    """A step of one foot: when it moves, and where it lands."""

    side: int  # 0 left, 1 right
    start: float  # when it leaves the ground [s]
    stop: float  # when it is on the ground again [s]
    x: float  # centre of the sole [m]
    y: float
    yaw: float  # [rad]


@dataclass(frozen=True, eq=False)
class Plan:
    """Input of a pattern: targets, which feet are on the ground, the zero-moment point."""

    targets: Targets
    support: np.ndarray  # (n, 2) bool
    zmp_reference: np.ndarray  # (n, 2) [m]
    footsteps: tuple[Footstep, ...] = ()


@dataclass(frozen=True, eq=False)
class Pattern:
    """A motion planned for a two-legged robot on level ground at height 0, at rest at both ends.

    The midpoint of the soles starts at the origin, and the robot faces along x.
    """

    robot: Robot
    name: str
    time: np.ndarray  # (n) [s]
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    acceleration: np.ndarray  # (n, nv)
    zmp: np.ndarray  # (n, 2) of the motion of all links [m]; NaN in flight
    zmp_reference: np.ndarray  # (n, 2) [m]; NaN in flight
    centre_of_mass: np.ndarray  # (n, 3) [m]
    soles: np.ndarray  # (n, 2, 4) x, y, z, yaw of the left and the right sole [m, rad]
    support: np.ndarray  # (n, 2) bool: whether the left and the right foot are on the ground
    footsteps: tuple[Footstep, ...]
    body: Body

    @property
    def duration(self) -> float:
        """Time from first to last sample [s]."""
        return float(self.time[-1])

    @property
    def reference(self) -> Reference:
        """Reference for `PDTracking` and `Prescribed`."""
        return Reference(self.time, self.q, self.v)

    @property
    def state(self) -> State:
        """The first pose, at rest, for `simulate(state=)` in a world with only this robot.

        The loops of the robot are closed in it.
        """
        q = closed((self.robot,), self.body.world.tree, self.q[0])
        return State(q.copy(), np.zeros_like(self.v[0]))

    @cached_property
    def zmp_margins(self) -> np.ndarray:
        """Distance of the zero-moment point from the edge of the support polygon [m], (n).

        Positive inside; NaN in flight and where the ground carries less than 5 % of the weight.
        """
        margins = np.full(len(self.time), np.nan)
        key: bytes = b""
        for k in np.flatnonzero(~np.isnan(self.zmp[:, 0])):
            feet = self.soles[k, self.support[k]]
            if feet.tobytes() != key:
                key, outline = feet.tobytes(), self.support_outline(int(k))
            margins[k] = distance_inside(self.zmp[k], outline)
        return margins

    @property
    def zmp_margin(self) -> float:
        """Smallest of `zmp_margins` [m]."""
        return float(np.nanmin(self.zmp_margins))

    def support_outline(self, k: int) -> np.ndarray:
        """Corners of the support polygon at sample k [m], (corners, 2)."""
        corners = [
            self.body.soles[side].corners(*self.soles[k, side, [0, 1, 3]])
            for side in np.flatnonzero(self.support[k])
        ]
        return convex_outline(np.vstack(corners)) if corners else np.zeros((0, 2))

    @cached_property
    def shares(self) -> np.ndarray:
        """Fractions of the weight on the left and the right foot, (n, 2); zero in flight."""
        return leg_shares(self)

    @cached_property
    def torque(self) -> np.ndarray:
        """Torques of the single joints that the pattern requires [N m or N], (n, joints).

        In double support the position of the zero-moment point divides the force between the feet.
        """
        return holding_torques(self)

    def tracking(
        self,
        frequency: float | None = None,
        damping: float = 1.0,
        limits: ArrayLike | None = None,
    ) -> PDTracking:
        """Proportional-derivative tracking of the pattern, with its torques as feed-forward.

        Every joint has stiffness frequency^2 times and damping 2 damping frequency times an inertia
        in the first pose: for a leg joint, which carries the whole robot, that of the robot about
        the joint's axis; for any other joint that of its subtree.

        frequency: [rad/s]; default four times that of the robot as a pendulum, sqrt(g / height).
        damping: ratio. limits: as in `PDTracking`.
        """
        if frequency is None:
            frequency = 4 * float(np.sqrt(self.body.gravity / self.centre_of_mass[0, 2]))
        inertia = joint_gains(self)
        return PDTracking(
            self.reference,
            stiffness=frequency**2 * inertia,
            damping=2 * damping * frequency * inertia,
            feedforward=self.torque,
            limits=limits,
        )

    def servos(self) -> Actuators:
        """The robot's own actuators, with control signals that follow the pattern."""
        return Actuators(servo_signals(self), self.time)

    def balance(
        self, gain: float = 1.0, reach: float | None = None, tilt: float = 1.0, damping: float = 1.0
    ) -> BalanceFeedback:
        """Balance feedback for the pattern, used together with `tracking` or `servos`.

        gain: decay rate of errors, see `BalanceFeedback`.
        reach: largest shift of the zero-moment point from its plan [m]; default half the half width
            of a sole.
        tilt: stiffness against tilt of the base, in weight times height of the centre of mass.
        damping: damping ratio of the whole robot turning about its ankles.
        """
        body, height = self.body, float(self.centre_of_mass[0, 2])
        names = body.robot.joint_name
        legs = [tuple(str(names[link]) for link in leg.links) for leg in body.legs]
        stiffness = tilt * body.mass * body.gravity * height
        return BalanceFeedback(
            time=self.time,
            centre=self.centre_of_mass[:, :2],
            share=self.shares,
            up=np.array([body.base_rotation(q)[:2, 2] for q in self.q]),
            legs=(legs[0], legs[1]),
            height=height,
            gain=gain,
            reach=min(sole.half[1] for sole in body.soles) / 2 if reach is None else reach,
            stiffness=stiffness,
            damping=2 * damping * (stiffness * body.mass) ** 0.5 * height,
        )


# ------------------------------------------------------------------------------------------- making


def make_pattern(
    name: str, body: Body, plan: Plan, passes: int = 0, start: np.ndarray | None = None
) -> Pattern:
    """Pose the robot along a plan.

    passes: number of corrections of the centre of mass that make the zero-moment point of all
    links, not just that of the cart, follow the reference (the dynamics filter of Kajita et al.,
    section 5). They require a centre of mass at constant height.
    start: configurations near the solution, (n, nq); the standing robot by default.
    """
    targets = plan.targets
    q = solve_all(Solver(body, targets), body.standing() if start is None else start)
    pattern = _assembled(name, body, plan, targets, q)
    for _ in range(passes):
        missing = plan.zmp_reference - pattern.zmp
        missing[0] = missing[-1] = 0.0
        centre = targets.centre.copy()
        centre[:, :2] += follow_zmp(missing, float(centre[0, 2]), SAMPLE, body.gravity)
        targets = replace(targets, centre=centre)
        q = solve_all(Solver(body, targets), pattern.q)
        pattern = _assembled(name, body, plan, targets, q)
    return pattern


def _assembled(name: str, body: Body, plan: Plan, targets: Targets, q: np.ndarray) -> Pattern:
    v, a = derivatives(body, targets.time, q)
    return Pattern(
        robot=body.robot,
        name=name,
        time=targets.time,
        q=q,
        v=v,
        acceleration=a,
        zmp=_zmp(body, q, v, a, plan.support),
        zmp_reference=plan.zmp_reference,
        centre_of_mass=targets.centre,
        soles=targets.soles,
        support=plan.support,
        footsteps=plan.footsteps,
        body=body,
    )


def _zmp(
    body: Body, q: np.ndarray, v: np.ndarray, a: np.ndarray, support: np.ndarray
) -> np.ndarray:
    """Zero-moment point of the motion of all links [m], (n, 2); NaN in flight."""
    zmp = np.full((len(q), 2), np.nan)
    for k in np.flatnonzero(support.any(axis=1)):
        force, moment, _ = ground_wrench(body, q[k], v[k], a[k])
        if force[2] > CARRIED * body.mass * body.gravity:
            zmp[k] = np.array([-moment[1], moment[0]]) / force[2]
    return zmp
