"""Composite inertia of the subtree of each joint; every moving joint needs some."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stiction.description.description import WORLD, Description
from stiction.description.rotation import Pose, joined, symmetric

NOTHING = 1e-12  # an inertia smaller than this fraction of its neighbours is rounding


def moved(description: Description) -> Iterator[str]:
    """Complain about joints that move no mass, whose accelerations would be infinite."""
    composites = _composites(description)
    for joint in description.joints:
        if joint.type == "fixed":
            continue
        mass, centre, inertia = composites[joint.child]
        where = f"{joint.type} joint '{joint.name}' moves link '{joint.child}'"
        if mass <= 0.0:
            yield f"{where}, but neither the link nor its descendants have mass; give it one"
        if joint.type == "prismatic":
            continue
        turning = inertia if joint.type == "free" else inertia + _parallel(mass, centre)
        if joint.type == "revolute":
            felt = joint.axis @ turning @ joint.axis
        else:
            felt = np.linalg.eigvalsh(turning)[0]
        if felt + joint.armature <= NOTHING * np.trace(turning):
            yield f"{where}, which has no rotational inertia; give it an inertia or armature"


def depths_of(parents: dict[str, str]) -> dict[str, int]:
    """Number of joints from WORLD to each link; links on a loop are left out."""
    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    depths, waiting = {WORLD: 0}, [WORLD]
    while waiting:
        parent = waiting.pop()
        for child in children.get(parent, ()):
            depths[child] = depths[parent] + 1
            waiting.append(child)
    return depths


def _composites(description: Description) -> dict[str, tuple[float, np.ndarray, np.ndarray]]:
    """Mass, centre and inertia about it of each link's subtree, at zero coordinates.

    Centre and inertia are in the frame of the link.
    """
    composites = {
        link.name: (float(link.mass), np.array(link.centre, dtype=float), symmetric(link.inertia))
        for link in description.links
    }
    depths = depths_of({joint.child: joint.parent for joint in description.joints})
    for joint in sorted(description.joints, key=lambda joint: -depths[joint.child]):
        if joint.parent == WORLD:
            continue
        mass, centre, inertia = composites[joint.child]
        pose = Pose.of(joint.position, joint.quaternion)
        turned = pose.rotation @ inertia @ pose.rotation.T
        hanging = (mass, pose.position + pose.rotation @ centre, turned)
        composites[joint.parent] = joined([composites[joint.parent], hanging])
    return composites


def _parallel(mass: float, offset: np.ndarray) -> np.ndarray:
    """Term that the parallel-axis theorem adds to the inertia matrix of a mass at `offset`."""
    return mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
