"""Criteria of Le Lidec et al. for contact points that another engine reports.

`metrics/contact_criteria.py` defines them. An engine reports forces, places and normals of its
points, but no velocities: that of a point is its mean over the step, with the link that it is on,
which for engines that step semi-implicitly is the velocity at the end of the step.
"""

from __future__ import annotations

import numpy as np

from stiction.engines.engine import Contacts
from stiction.metrics.contact_criteria import cone_distance, largest, split
from stiction.visual.poses import link_poses
from stiction.world.world import World


def worst_criteria(
    world: World, q: np.ndarray, contacts: Contacts, mu: float, dt: float
) -> dict[str, float]:
    """Largest distance to the cone, and errors of Signorini's condition and of dissipation.

    q: (steps + 1, nq). Contacts of two bodies are left out, as for motions of ours.
    """
    on_ground = (contacts.link == 0).any(axis=1)
    step, place = contacts.step[on_ground], contacts.position[on_ground]
    second = contacts.link[on_ground, 0] == 0  # the body is the second of the two
    link = np.where(second, contacts.link[on_ground, 1], contacts.link[on_ground, 0])
    sign = np.where(second, -1.0, 1.0)[:, None]
    poses = link_poses(world, q)
    before, after = ((poses.position[k, link], poses.rotation[k, link]) for k in (step, step + 1))
    local = np.einsum("nji,nj->ni", before[1], place - before[0])
    velocity = (after[0] + np.einsum("nij,nj->ni", after[1], local) - place) / dt
    c_n, c_t = split(velocity, sign * contacts.normal[on_ground])
    lam_n, lam_t = split(dt * sign * contacts.force[on_ground], sign * contacts.normal[on_ground])
    slid, held = np.linalg.norm(c_t, axis=1), np.linalg.norm(lam_t, axis=1)
    return {
        "primal": largest(cone_distance(lam_n, held, mu, 1.0)),
        "signorini": largest(np.abs(lam_n * c_n)),
        "dissipation": largest(np.abs(mu * lam_n - held) * slid),
    }
