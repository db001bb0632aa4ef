"""Torques that a pattern takes, and gains from the inertias that joints carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction import mechanics

if TYPE_CHECKING:
    from stiction.patterns.pattern import Pattern


def holding_torques(pattern: Pattern) -> np.ndarray:
    """Torques of the single joints [N m or N], (n, joints): inverse dynamics less the ground's part.

    What the ground does is known as a whole, from the base. A foot alone on the ground takes it
    all; of two, each takes a share of the force at the middle of its sole, as the zero-moment point
    lies between them, and the same share of the moment that is left.
    """
    body, n = pattern.body, len(pattern.time)
    torque = np.zeros((n, body.world.nv))
    for k in range(n):
        q = pattern.q[k]
        force = mechanics.inverse_dynamics(body.world, q, pattern.v[k], pattern.acceleration[k])
        moment = np.cross(q[:3], force[:3]) + body.base_rotation(q) @ force[3:6]
        J = body.at(q).sole_jacobians
        for side, wrench in _shared(pattern, k, force[:3], moment):
            force -= J[side].T @ wrench
        torque[k] = force
    return torque[:, [d for _, d in body.single]]


def _shared(pattern: Pattern, k: int, force: np.ndarray, moment: np.ndarray) -> list:
    """Wrench at the middle of every sole on the ground: side, force and moment."""
    sides = np.flatnonzero(pattern.support[k])
    if not len(sides):
        return []
    middles = np.array([[*pattern.soles[k, side, :3]] for side in sides])
    shares = np.ones(1)
    if len(sides) == 2:
        between = middles[1] - middles[0]
        point = np.nan_to_num(pattern.zmp[k], nan=0.0)
        if np.isnan(pattern.zmp[k, 0]):
            point = middles.mean(axis=0)[:2]
        part = (point - middles[0, :2]) @ between[:2] / (between @ between)
        shares = np.array([1 - np.clip(part, 0, 1), np.clip(part, 0, 1)])
    left = moment - sum(
        np.cross(middle, share * force) for middle, share in zip(middles, shares, strict=True)
    )
    return [
        (int(side), np.concatenate([share * force, share * left]))
        for side, share in zip(sides, shares, strict=True)
    ]


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
