"""What the figures measure of a humanoid that touches the ground, a table and objects."""

from __future__ import annotations

import numpy as np

from stiction.metrics.between import shapes_of_body
from stiction.metrics.points import momentum_of, points_under
from stiction.motion.motion import Motion
from stiction.step.record import FORCE, NORMAL, SHAPES

FEET = ("hrp2/left_foot", "hrp2/right_foot")
LEGS = tuple(f"hrp2/{side}_{part}" for side in ("left", "right") for part in ("thigh", "shank"))
PRESSES = 1e-9  # a smaller force is rounding [N]


def contact_counts(motion: Motion) -> np.ndarray:
    """How many points have a force in every step, (steps)."""
    on_ground = np.linalg.norm(motion.force[:-1], axis=2) > PRESSES
    between = np.linalg.norm(motion.between[:-1, :, FORCE : FORCE + 3], axis=2) > PRESSES
    return on_ground.sum(axis=1) + between.sum(axis=1)


def pressed(motion: Motion, firsts: tuple[str, ...], second: str) -> np.ndarray:
    """Sum of the sizes of the forces between some bodies and another one [N], (steps).

    A body is a robot or a link.
    """
    other = shapes_of_body(motion.world, second)
    own = [shape for first in firsts for shape in shapes_of_body(motion.world, first)]
    pair = motion.between[:-1, :, SHAPES : SHAPES + 2]
    here = np.isin(pair[..., 0], own) & np.isin(pair[..., 1], other)
    there = np.isin(pair[..., 0], other) & np.isin(pair[..., 1], own)
    size = np.linalg.norm(motion.between[:-1, :, FORCE : FORCE + 3], axis=2)
    return np.where(here | there, size, 0.0).sum(axis=1)


def first_touch(force: np.ndarray, dt: float) -> float:
    """When a force first acts [s]; infinity if it never does."""
    acting = np.flatnonzero(force > PRESSES)
    return float(acting[0] * dt) if len(acting) else np.inf


class Sole:
    """The four corners of the underside of a foot in a motion."""

    def __init__(self, motion: Motion, foot: str) -> None:
        """Find them: the lower half of the eight corners of its box, front and rear."""
        points = points_under(motion, foot)
        start = motion.contact_points.position[0, points]
        lower = points[np.argsort(start[:, 2], kind="stable")[:4]]
        along = np.argsort(motion.contact_points.position[0, lower, 0], kind="stable")
        self.heel, self.toe = lower[along[:2]], lower[along[2:]]
        self.motion = motion

    def heel_rise(self) -> np.ndarray:
        """Height of the lower rear corner above the ground [m], (n)."""
        return self.motion.contact_points.position[:, self.heel, 2].min(axis=1)

    def toe_rise(self) -> np.ndarray:
        """Height of the lower front corner above the ground [m], (n)."""
        return self.motion.contact_points.position[:, self.toe, 2].min(axis=1)

    def toe_path(self) -> np.ndarray:
        """How far the front corner that slides most has slid along the ground so far [m], (n)."""
        position = self.motion.contact_points.position[:, self.toe, :2]
        steps = np.linalg.norm(np.diff(position, axis=0), axis=2)
        return np.vstack([np.zeros(2), np.cumsum(steps, axis=0)]).max(axis=1)

    def front(self) -> np.ndarray:
        """Position along x of the front edge [m], (n)."""
        return self.motion.contact_points.position[:, self.toe, 0].max(axis=1)


def soles(motion: Motion) -> tuple[Sole, Sole]:
    """Left and right sole of the robot."""
    return Sole(motion, FEET[0]), Sole(motion, FEET[1])


def robot_centre(motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of the robot's centre of mass, without objects, (n, 3) each."""
    mass, weighted, momentum = momentum_of(motion, "hrp2")
    return weighted / mass, momentum[:, :3] / mass


def up_of_base(motion: Motion) -> np.ndarray:
    """The z axis of the robot's base in the world, (n, 3)."""
    w, x, y, z = motion.q[:, 3:7].T
    return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)


def side_tilt(motion: Motion) -> np.ndarray:
    """Tilt of the base to the side, to the left positive [rad], (n)."""
    return -np.arcsin(np.clip(up_of_base(motion)[:, 1], -1.0, 1.0))


def beyond_cones(motion: Motion, mu: float) -> float:
    """Largest distance of a force from its friction cone, on the ground and between bodies [N]."""
    rows = motion.between[:-1]
    force, normal = rows[..., FORCE : FORCE + 3], rows[..., NORMAL : NORMAL + 3]
    along = np.einsum("npk,npk->np", force, normal)
    across = np.linalg.norm(force - along[..., None] * normal, axis=2)
    between = np.maximum(across - mu * along, -along).max(initial=0.0)
    return float(max(between, np.nanmax(motion.cone_violation(mu)[:-1], initial=0.0)))


def label_panels(panels: np.ndarray, units: tuple[str, ...]) -> None:
    """Give panels over time their units and legends."""
    for panel, unit in zip(panels.flat, units, strict=True):
        panel.set_ylabel(unit)
        panel.legend(fontsize="small")
    for panel in panels[-1]:
        panel.set_xlabel("time [s]")
