"""What contact points do; derived from forces and velocities where it was not recorded."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from stiction.contact.contact_state import ON_CONE, OPEN, SLIP, SLOW, STICK, TO_SLIP, TO_STICK
from stiction.errors import InputError
from stiction.metrics.contact_criteria import friction_coefficients, has_friction_cone, split

if TYPE_CHECKING:
    from stiction.motion.motion import Motion


class ContactState(IntEnum):
    """What a contact point does."""

    OPEN = int(OPEN)  # no force acts on it
    STICK = int(STICK)
    SLIP = int(SLIP)
    TO_SLIP = int(TO_SLIP)  # `Distributed` only: begins to slip
    TO_STICK = int(TO_STICK)  # `Distributed` only: comes to rest


def derived_states(motion: Motion) -> np.ndarray:
    """`ContactState` of every contact point at every sample, (n, points); NaN without forces.

    For motions of files in which it is not recorded. A point without a force is open. It slips if
    it is faster than its model's `stick_speed` (or `eps`) and its force is on the friction cone of
    kinetic friction; else it sticks. Without a cone, or if the model is not declared here, speed
    alone decides.
    """
    unknown = np.isnan(motion.force).any(axis=2)
    if motion.point_count == 0:
        return np.zeros(motion.force.shape[:2])
    force = np.nan_to_num(motion.force)
    normal = motion.contact_points.normal
    pressing, across = split(force, normal)
    _, moving = split(np.nan_to_num(motion.contact_velocity), normal)
    speed, tangential = np.linalg.norm(moving, axis=2), np.linalg.norm(across, axis=2)
    if _has_cone(motion):
        friction = friction_coefficients(motion)
        before = np.linalg.norm(np.nan_to_num(motion.slip), axis=2)
        speed = np.where(friction.asked_first, before, speed)
        least = np.minimum(friction.kinetic, friction.static)
        slips = (speed > friction.stick_speed) & (tangential >= ON_CONE * least * pressing)
    else:
        slips = speed > SLOW
    found = np.where(slips, SLIP, STICK)
    return np.where(unknown, np.nan, np.where((force != 0.0).any(axis=2), found, OPEN))


def _has_cone(motion: Motion) -> bool:
    try:
        return bool(motion.parameters.get("contact")) and has_friction_cone(motion)
    except InputError:  # the law of a user, which is not imported
        return False


def derived_between(force: np.ndarray, slip: np.ndarray) -> np.ndarray:
    """The same for points between bodies, with forces and slips (..., 3): by speed alone."""
    slips = np.linalg.norm(slip, axis=-1) > SLOW
    return np.where((force != 0.0).any(axis=-1), np.where(slips, SLIP, STICK), OPEN)
