"""Torques that a pattern takes, and gains from the inertias that joints carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction.errors import InputError
from stiction.world import mechanics

if TYPE_CHECKING:
    from stiction.patterns.body import Body
    from stiction.patterns.pattern import Pattern


def ground_wrench(
    body: Body, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Force and moment about the world's origin that the motion takes; forces along coordinates."""
    force = mechanics.inverse_dynamics(body.world, q, v, a)
    moment = np.cross(q[:3], force[:3]) + body.base_rotation(q) @ force[3:6]
    return force[:3], moment, force


def holding_torques(pattern: Pattern) -> np.ndarray:
    """Torques of the single joints [N m or N], (n, joints): inverse dynamics less the ground's.

    What the ground does is known as a whole, from the base. A foot alone on the ground takes it
    all; of two, each takes a share of the force at the middle of its sole, as the zero-moment point
    lies between them, and the same share of the moment that is left.
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
    """Parts of the weight on the left and the right foot, (n, 2); zero in flight.

    With both feet on the ground they are as the zero-moment point lies between the soles, along
    the line through their middles; equal where there is no such point.
    """
    shares = pattern.support.astype(float)
    for k in np.flatnonzero(pattern.support.all(axis=1)):
        left, right = pattern.soles[k, :, :2]
        part = (pattern.zmp[k] - left) @ (right - left) / ((right - left) @ (right - left))
        part = 0.5 if np.isnan(part) else float(np.clip(part, 0, 1))
        shares[k] = [1 - part, part]
    return shares


def _wrenches(pattern: Pattern, k: int, force: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """Force and moment of the ground at the middle of each sole, (2, 6)."""
    shares, middles = pattern.shares[k], pattern.soles[k, :, :3]
    left = moment - np.cross(shares @ middles, force)
    return np.array([np.concatenate([share * force, share * left]) for share in shares])


def joint_gains(pattern: Pattern) -> np.ndarray:
    """Inertias that the single joints are to move [kg m2 or kg], (joints), in the first pose.

    A joint of the legs carries the whole robot: its inertia as one rigid body about the axis, which
    the inertia of the free base tells. Any other joint carries what hangs on it.
    """
    body, q = pattern.body, pattern.q[0]
    H = mechanics.inertia(body.world, q)
    inertia = np.diag(H).copy()
    R = body.base_rotation(q)
    for link in {*body.legs[0].links, *body.legs[1].links}:
        name = str(body.robot.link_name[link])
        J = mechanics.jacobian(body.world, q, name)
        arm = q[:3] - body.point(q, name)
        for d in body.dofs((link,)):
            axis = J[3:, d]
            whole = np.concatenate([np.cross(axis, arm), R.T @ axis])
            inertia[d] = max(inertia[d], float(whole @ H[:6, :6] @ whole))
    return inertia[[d for _, d in body.single]]


def servo_signals(pattern: Pattern) -> np.ndarray:
    """Control signals, (n, nu), with which the robot's own actuators give the pattern's torques.

    That is, where the robot is as planned: a position servo is told to go beyond the planned angle
    by what its stiffness needs for the torque, and by what its damping takes off.
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
