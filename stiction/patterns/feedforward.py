"""Torques that a pattern requires, and gains from the inertia that each joint moves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from stiction.description.rotation import matrix
from stiction.errors import InputError
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import allocate
from stiction.world import mechanics
from stiction.world.outlines import link_origin
from stiction.world.world import World

if TYPE_CHECKING:
    from stiction.patterns.body import Body
    from stiction.patterns.pattern import Pattern


def ground_wrench(
    body: Body, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Required ground force and moment about the world's origin; forces along the coordinates."""
    force = mechanics.inverse_dynamics(body.world, q, v, a)
    moment = np.cross(q[:3], force[:3]) + body.base_rotation(q) @ force[3:6]
    return force[:3], moment, force


def holding_torques(pattern: Pattern) -> np.ndarray:
    """Torques of the single joints [N m or N], (n, joints): inverse dynamics with ground forces.

    The six equations of the base determine the total wrench of the ground. In single support it
    acts on one foot. In double support each foot gets a fraction of the force, at the centre of its
    sole, according to the position of the zero-moment point between the feet, and the same fraction
    of the remaining moment.
    """
    body, n = pattern.body, len(pattern.time)
    torque = np.zeros((n, body.world.nv))
    for k in range(n):
        q = pattern.q[k]
        pressing, moment, force = ground_wrench(body, q, pattern.v[k], pattern.acceleration[k])
        J = body.at(q).sole_jacobians
        wrenches = _wrenches(pattern, k, pressing, moment)
        force -= J[0].T @ wrenches[0] + J[1].T @ wrenches[1]
        torque[k] = force
    return torque[:, [d for _, d in body.single]]


def leg_shares(pattern: Pattern) -> np.ndarray:
    """Fractions of the weight on the left and the right foot, (n, 2); zero in flight.

    In double support they follow from the position of the zero-moment point between the soles,
    along the line through their centres; they are equal if there is no such point.
    """
    shares = pattern.support.astype(float)
    for k in np.flatnonzero(pattern.support.all(axis=1)):
        left, right = pattern.soles[k, :, :2]
        part = (pattern.zmp[k] - left) @ (right - left) / ((right - left) @ (right - left))
        part = 0.5 if np.isnan(part) else float(np.clip(part, 0, 1))
        shares[k] = [1 - part, part]
    return shares


def _wrenches(pattern: Pattern, k: int, force: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """Force and moment of the ground at the centre of each sole, (2, 6)."""
    shares, middles = pattern.shares[k], pattern.soles[k, :, :3]
    left = moment - np.cross(shares @ middles, force)
    return np.array([np.concatenate([share * force, share * left]) for share in shares])


def joint_gains(pattern: Pattern) -> np.ndarray:
    """Inertias that the single joints move [kg m2 or kg], (joints), in the first pose.

    A leg joint carries the whole robot: the inertia is that of the robot as one rigid body about
    the axis, from the inertia of the free base. Any other joint carries its subtree.
    """
    body = pattern.body
    legs = {*body.legs[0].links, *body.legs[1].links}
    return carried_inertia(body.world, pattern.q[0], legs)[[d for _, d in body.single]]


def carried_inertia(world: World, q: np.ndarray, legs: Iterable[int]) -> np.ndarray:
    """Inertia about every coordinate [kg m2 or kg], (nv), of a robot alone in a world.

    For the joints of links in `legs` it is that of the whole robot as one rigid body, for any other
    joint that of its subtree.
    """
    robot = world.robots[0]
    H = mechanics.inertia(world, q)
    inertia = np.diag(H).copy()
    R = matrix(q[3:7])
    dynamics = allocate(world.tree)
    forward_kinematics(dynamics, q)
    for link in legs:
        name = str(robot.link_name[link])
        J = mechanics.jacobian(world, q, name)
        arm = q[:3] - link_origin(dynamics, link + 1)
        for d in range(world.tree.v_index[link + 1], world.tree.v_index[link + 2]):
            axis = J[3:, d]
            whole = np.concatenate([np.cross(axis, arm), R.T @ axis])
            inertia[d] = max(inertia[d], float(whole @ H[:6, :6] @ whole))
    return inertia


def servo_signals(pattern: Pattern) -> np.ndarray:
    """Control signals, (n, nu), for which the robot's actuators produce the pattern's torques.

    This holds on the planned motion: the target of a position servo leads the planned angle by the
    torque over its stiffness, and compensates its damping.
    """
    robot, single = pattern.robot, pattern.body.single
    column = {d: i for i, (_, d) in enumerate(single)}
    signals = np.zeros((len(pattern.time), len(robot.actuator_name)))
    if not len(robot.actuator_name):
        raise InputError(f"robot '{robot.name}' has no actuators of its own; use tracking()")
    for i, link in enumerate(robot.actuator_link):
        k, d = int(robot.q_index[link]), int(robot.v_index[link])
        gear, gain, bias = (
            getattr(robot, f"actuator_{what}")[i] for what in ("gear", "gain", "bias")
        )
        length, rate = gear * pattern.q[:, k], gear * pattern.v[:, d]
        strength = gain[0] + gain[1] * length + gain[2] * rate
        own = bias[0] + bias[1] * length + bias[2] * rate
        signals[:, i] = (pattern.torque[:, column[d]] / gear - own) / strength
    return signals
