"""Proportional-derivative tracking of a recorded motion, with feed-forward and torque limits."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stiction.control.controller import controller
from stiction.control.reference import (
    Reference,
    Spline,
    joint_columns,
    joint_spline,
    smooth_slopes,
    spline_at,
)
from stiction.description.arguments import numbers
from stiction.errors import InputError
from stiction.kernels.servos import add_servo
from stiction.kernels.tree import REVOLUTE

if TYPE_CHECKING:
    from stiction.motion.motion import Motion
    from stiction.world.world import World


class TrackingTable(NamedTuple):
    """The compiled form of `PDTracking`: one row per tracked coordinate."""

    reference: Spline
    feedforward: Spline
    q_index: np.ndarray
    dof: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    lower: np.ndarray  # torque limits
    upper: np.ndarray


@controller(TrackingTable)
def track(params, dynamics, time, q, v):
    """Add feed-forward + stiffness (q_wanted - q) + damping (v_wanted - v), within the limits."""
    for i in range(len(params.dof)):
        d = params.dof[i]
        q_wanted, v_wanted, _ = spline_at(params.reference, i, time)
        feedforward, _, _ = spline_at(params.feedforward, i, time)
        torque = feedforward + params.stiffness[i] * (q_wanted - q[params.q_index[i]])
        torque += params.damping[i] * (v_wanted - v[d])
        add_servo(dynamics, d, torque, params.damping[i], params.lower[i], params.upper[i])


@dataclass(frozen=True)
class PDTracking:
    """Joints follow a reference by feed-forward + stiffness (q_ref - q) + damping (v_ref - v).

    A gain is one number or one per joint. `limits` bounds the torque: None takes the effort limits
    of the robot's joints, a number or one per joint bounds its magnitude. Default joints: all
    revolute and prismatic ones of the reference except those of a planar base.
    """

    reference: Reference | Motion
    stiffness: ArrayLike  # [N m/rad or N/m]
    damping: ArrayLike  # [N m s/rad or N s/m]
    joints: tuple[str, ...] | None = None
    feedforward: ArrayLike | None = None  # (n, joints) at the times of the reference [N m or N]
    limits: ArrayLike | None = None  # [N m or N]

    def bind(self, world: World) -> TrackingTable:
        """Return the compiled form for a world."""
        reference = as_reference(self.reference)
        columns, q_index, dofs, names = joint_columns(world, reference, self.joints)
        spline = joint_spline(world, reference, columns, dofs)
        warn_of_degrees(world, spline, dofs, names)
        upper = self._each("limits", self.limits, names, world.tree.effort_upper[dofs])
        lower = -upper if self.limits is not None else world.tree.effort_lower[dofs]
        return TrackingTable(
            reference=spline,
            feedforward=self._feedforward(spline),
            q_index=np.ascontiguousarray(q_index),
            dof=np.ascontiguousarray(dofs),
            stiffness=self._each("stiffness", self.stiffness, names, None),
            damping=self._each("damping", self.damping, names, None),
            lower=np.ascontiguousarray(lower),
            upper=np.ascontiguousarray(upper),
        )

    def _each(
        self, what: str, value: ArrayLike | None, names: list, default: np.ndarray | None
    ) -> np.ndarray:
        """One non-negative number per joint."""
        if value is None and default is not None:
            return np.array(default, float)
        given = numbers(value)
        if given.shape not in ((), (len(names),)):
            raise InputError(
                f"PDTracking: {what} has shape {given.shape}; "
                f"give one number, or one for each of the {len(names)} joints"
            )
        given = np.broadcast_to(given, len(names)).copy()
        if np.isnan(given).any() or (given < 0).any():
            raise InputError(f"PDTracking: {what} must not be negative or NaN, found {given.min()}")
        return given

    def _feedforward(self, spline: Spline) -> Spline:
        """Feed-forward as a spline over the times of the reference, 0 where none is given."""
        if self.feedforward is None:
            return Spline(spline.time, np.zeros_like(spline.value), np.zeros_like(spline.value))
        value = numbers(self.feedforward)
        if value.shape != spline.value.shape or not np.isfinite(value).all():
            raise InputError(
                f"PDTracking: feedforward must be finite, of shape {spline.value.shape}; "
                f"found {value.shape}"
            )
        return Spline(spline.time, value, smooth_slopes(spline.time, value))


def warn_of_degrees(world: World, spline: Spline, dofs: np.ndarray, names: list) -> None:
    """Warn if a reference leaves the range of a revolute joint by more than a quarter turn."""
    tree = world.tree
    beyond = np.maximum(spline.value - tree.upper[dofs], tree.lower[dofs] - spline.value)
    beyond[:, tree.joint_type[tree.dof_link[dofs]] != REVOLUTE] = 0.0
    if not beyond.size or beyond.max() <= np.pi / 2:
        return
    row, joint = np.unravel_index(np.argmax(beyond), beyond.shape)
    lower, upper = tree.lower[dofs[joint]], tree.upper[dofs[joint]]
    warnings.warn(
        f"PDTracking: the reference of '{names[joint]}' is {spline.value[row, joint]:.4g} rad at "
        f"t = {spline.time[row]:.4g} s; the limits of the joint are {lower:.4g} and {upper:.4g} "
        "rad. Give angles in rad",
        stacklevel=5,
    )


def as_reference(motion: Reference | Motion) -> Reference:
    """Return a reference unchanged, a recorded motion as a reference."""
    if isinstance(motion, Reference):
        return motion
    return Reference(motion.time, motion.q, motion.v)
