"""Motion -> ground reactions: where places are, forces under a foot, centre of pressure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction.compiled import routine
from stiction.errors import InputError
from stiction.kernels.contact import touching_arm
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.spatial import add, load_vector
from stiction.kernels.tree import allocate
from stiction.places import places_of

if TYPE_CHECKING:
    from stiction.motion import Motion


@routine
def _positions(dynamics, places, ground, q, positions):
    """Write where the places are in the world at n configurations."""
    n = (ground.normal[0], ground.normal[1], ground.normal[2])
    for k in range(len(q)):
        forward_kinematics(dynamics, q[k])
        for i in range(len(places.link)):
            origin = load_vector(dynamics.origin, dynamics.tree.root[places.link[i]])
            p = add(origin, touching_arm(places, dynamics, n, i))
            positions[k, i, 0], positions[k, i, 1], positions[k, i, 2] = p


def place_positions(motion: Motion) -> np.ndarray:
    """Positions of all places in world axes [m], (n, places, 3)."""
    count = motion.depth.shape[1]
    if count == 0 or motion.world.ground is None:
        return np.zeros((len(motion), 0, 3))
    places, _, _ = places_of(motion.world)
    positions = np.zeros((len(motion), count, 3))
    ground = motion.world.ground.bind()
    _positions(allocate(motion.world.tree), places, ground, motion.q, positions)
    return positions


def places_under(motion: Motion, foot: str) -> np.ndarray:
    """Numbers of the places of a link."""
    places, _, _ = places_of(motion.world)
    link = motion.world.place(foot).link
    found = np.flatnonzero(places.link == link)
    if motion.depth.shape[1] == 0:
        raise InputError(
            "this motion was simulated without contact; give simulate() a contact model"
        )
    if not len(found):
        known = sorted({motion.world.link_names[i] for i in places.link})
        raise InputError(f"'{foot}' has no colliding shape; these links have: {', '.join(known)}")
    return found


def foot_force(motion: Motion, foot: str) -> np.ndarray:
    """Contact force on a link in world axes [N], (n, 3)."""
    return motion.force[:, places_under(motion, foot)].sum(axis=1)


def centre_of_pressure(motion: Motion, foot: str) -> np.ndarray:
    """Centre of pressure under a link in world axes [m], (n, 3); NaN in flight."""
    under = places_under(motion, foot)
    normal = motion.world.ground.normal()  # type: ignore[union-attr]
    pressure = motion.force[:, under] @ normal
    total = pressure.sum(axis=1)
    weighted = (pressure[:, :, None] * place_positions(motion)[:, under]).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = weighted / total[:, None]
    centre[~(total > 0)] = np.nan
    return centre
