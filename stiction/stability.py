"""How long a step an explicit contact law bears: its springs and dampers against a link's inertia.

A law declares the longest step for one point of a given mass. Points of one side of a link act
together; the mass that they feel is at least that of the link alone, so the bound is on the safe
side where a joint passes weight on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.contact.contact_model import MODELS
from stiction.kernels.contact import Places

if TYPE_CHECKING:
    from stiction.world import World

SIDES = np.vstack([np.eye(3), -np.eye(3)])
THICKNESS = 1e-3  # points within this of the outermost one are on the same side [m]


class StabilityWarning(UserWarning):
    """The time step is longer than a contact law bears."""


class Bound(NamedTuple):
    """The longest step that a law bears, and on which link."""

    dt: float  # [s]
    link: str
    points: int  # that act together
    mass: float  # that one of them feels [kg]


def longest_step(world: World, model: Any, places: Places, table: np.ndarray) -> Bound | None:
    """Return the tightest bound over all links; None if the law declares none."""
    declared = MODELS[type(model)].longest_step
    if declared is None:
        return None
    bounds = []
    for link in np.unique(places.link):
        rows = np.flatnonzero(places.link == link)
        values = type(model)(*table[places.pair[rows[0]]])
        count, mass = lightest_side(world, places, int(link), rows)
        bounds.append(Bound(declared(values, mass), world.link_names[link], count, mass))
    return min(bounds, default=None)


def lightest_side(world: World, places: Places, link: int, rows: np.ndarray) -> tuple[int, float]:
    """Return how many points of a side act together, and the least mass that one of them feels."""
    tree = world.tree
    xx, xy, xz, yy, yz, zz = tree.inertia[link]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    arms = places.centre[rows] - tree.centre[link]
    found = []
    for n in SIDES:
        out = arms @ n + places.radius[rows]
        side = arms[out > out.max() - THICKNESS]
        turning = np.cross(side, n)
        yielding = 1.0 / tree.mass[link] + turning @ np.linalg.pinv(inertia) @ turning.T
        found.append((1.0 / float(np.linalg.eigvalsh(yielding)[-1]), len(side)))
    mass, count = min(found)
    return count, mass
