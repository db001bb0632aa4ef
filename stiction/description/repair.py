"""Impossible inertias, repaired: the option inertia="repair" of `load`.

* Principal moments that no body can have are replaced by the nearest ones that a body can have: the
  inertia matrix that differs least (in the Frobenius norm) among those with moments of which none
  exceeds the sum of the other two. The principal axes stay.
* The inertia of a link without mass is dropped.
* A link that its joint could move without moving any inertia gets LEAST_MASS of the robot's mass
  and LEAST_MOMENT of its moment of inertia (the sum of m r^2 about the centre of mass, at zero
  coordinates), so little that the robot hardly notices. Dummy links on fixed joints need nothing:
  they merge into their parents.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from stiction.description.checks import impossible_moments, is_tree
from stiction.description.composite import Least, unmoved, whole
from stiction.description.description import Description, Link
from stiction.description.rotation import six, symmetric

LEAST_MASS = 1e-4
LEAST_MOMENT = 1e-6
SPREAD = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])  # sums of m x^2 -> moments


def repaired(description: Description) -> Description:
    """The description with possible inertias, and a note on each link that was changed."""
    if not is_tree(description):  # nothing to work on; the check says what is wrong
        return description
    links, notes = zip(*map(possible, description.links), strict=True)
    description = replace(description, links=links)
    links, more = _with_least(description)
    told = (*description.notes, *(note for note in (*notes, *more) if note))
    return replace(description, links=links, notes=told)


def possible(link: Link) -> tuple[Link, str]:
    """The link with a possible inertia, and what was changed."""
    if link.mass == 0.0 and any(link.inertia):
        dropped = replace(link, inertia=(0.0,) * 6)
        return dropped, f"inertia of link '{link.name}', which has no mass, dropped"
    if not impossible_moments((link,)):
        return link, ""
    inertia = nearest_inertia(symmetric(link.inertia))
    mended = replace(link, inertia=tuple(six(inertia).tolist()))
    return mended, f"inertia of link '{link.name}' repaired: {_change(link, mended)}"


def _change(before: Link, after: Link) -> str:
    was, now = (_shown(np.linalg.eigvalsh(symmetric(link.inertia))) for link in (before, after))
    return f"principal moments {was} kg m2 are impossible, now {now}"


def _shown(moments: np.ndarray) -> str:
    rounding = 1e-12 * np.abs(moments).max()
    return " ".join(f"{moment:.4g}" if abs(moment) > rounding else "0" for moment in moments)


def nearest_inertia(inertia: np.ndarray) -> np.ndarray:
    """The inertia matrix of some body that differs least from a symmetric one, (3, 3)."""
    moments, axes = np.linalg.eigh(inertia)
    return axes @ np.diag(_nearest_moments(moments)) @ axes.T


def _nearest_moments(moments: np.ndarray) -> np.ndarray:
    """Nearest principal moments of a body: those from sums of m x^2, y, z that are not negative.

    Least squares with each choice of the sums that are not zero; three of them make eight choices.
    """
    best = np.zeros(3)
    for count in (1, 2, 3):
        for chosen in combinations(range(3), count):
            columns = SPREAD[:, chosen]
            sums = np.linalg.lstsq(columns, moments, rcond=None)[0]
            found = columns @ sums
            if (sums >= 0.0).all() and _apart(found, moments) < _apart(best, moments):
                best = found
    return best


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b))


def _with_least(description: Description) -> tuple[tuple[Link, ...], list[str]]:
    """The links, with a little inertia where a joint would move none, and notes."""
    mass, _, inertia = whole(description)
    least = Least(LEAST_MASS * mass, LEAST_MOMENT * float(np.trace(inertia)) / 2.0)
    links = {link.name: link for link in description.links}
    notes = []
    if least.mass > 0.0 and least.moment > 0.0:
        for joint, _ in unmoved(description, least):
            link = links[joint.child]
            more = least.moment * np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0])
            moments = tuple((np.array(link.inertia) + more).tolist())
            links[link.name] = replace(link, mass=link.mass + least.mass, inertia=moments)
            given = f"{least.mass:.3g} kg and {least.moment:.3g} kg m2"
            notes.append(
                f"inertia of link '{link.name}' increased by {given}, because joint "
                f"'{joint.name}' would move none"
            )
    return tuple(links.values()), notes
