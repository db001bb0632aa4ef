"""Whether contact points stick or slip, derived from recorded forces and velocities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction.metrics.contact_criteria import friction_coefficients, has_friction_cone, split
from stiction.step.record import FORCE, SHAPES, SLIP
from stiction.visual.colours import ContactState

if TYPE_CHECKING:
    from stiction.motion.motion import Motion

ON_CONE = 0.98  # of the friction cone: less tangential force than this, and the point sticks
SLOW = 1e-3  # a point slower than this sticks, where no model says otherwise [m/s]


def contact_states(motion: Motion) -> np.ndarray:
    """`ContactState` of every contact point at every sample, (n, points).

    A point without a force is open. It slips if it is faster than its model's `stick_speed` (or
    `eps`) and its force is on the friction cone of kinetic friction; else it sticks.
    """
    if motion.force.shape[1] == 0:
        return np.zeros(motion.force.shape[:2], int)
    force = np.nan_to_num(motion.force)
    normal = motion.contact_points.normal
    pressing, across = split(force, normal)
    _, moving = split(np.nan_to_num(motion.contact_velocity), normal)
    speed, tangential = np.linalg.norm(moving, axis=2), np.linalg.norm(across, axis=2)
    if motion.parameters.get("contact") and has_friction_cone(motion):
        friction = friction_coefficients(motion)
        before = np.linalg.norm(np.nan_to_num(motion.slip), axis=2)
        speed = np.where(friction.asked_first, before, speed)
        least = np.minimum(friction.kinetic, friction.static)
        slips = (speed > friction.stick_speed) & (tangential >= ON_CONE * least * pressing)
    else:
        slips = speed > SLOW
    return _coded((force != 0.0).any(axis=2), slips)


def states_between(motion: Motion) -> np.ndarray:
    """`ContactState` of the points between bodies at every sample, (n, points between bodies)."""
    between = np.nan_to_num(motion.between)
    touches = (between[..., SHAPES] > 0) & (between[..., FORCE : FORCE + 3] != 0.0).any(axis=2)
    speed = np.linalg.norm(between[..., SLIP : SLIP + 3], axis=2)
    return _coded(touches, speed > SLOW)


def _coded(touches: np.ndarray, slips: np.ndarray) -> np.ndarray:
    state = np.where(slips, ContactState.SLIP, ContactState.STICK)
    return np.where(touches, state, ContactState.OPEN).astype(int)
