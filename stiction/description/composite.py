"""Inertia that each joint moves, at zero coordinates; every moving joint needs some.

A joint moves the composite inertia of all links behind it if these are stiff, and less if they give
way: their articulated inertia. A massless link on a free joint, with one hinge to the rest of the
robot, moves a composite inertia, but can turn about the hinge by itself without any.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from stiction.description.description import WORLD, Description, Joint
from stiction.description.rotation import Pose, joined, symmetric

REPAIR = ", or load with inertia='repair'"  # in complaints about inertias
NOTHING = 1e-12  # an inertia smaller than this fraction of its neighbours is rounding
TINY = 1e-200  # [kg, kg m2] cannot be divided by

Body = tuple[float, np.ndarray, np.ndarray]  # mass, centre, inertia about it


class Least(NamedTuple):
    """The inertia that a link gets if its joint would move none."""

    mass: float  # [kg]
    moment: float  # about every axis through its centre [kg m2]


def moved(description: Description) -> Iterator[str]:
    """Complain about joints that move no inertia, whose accelerations would be infinite."""
    for _, complaint in unmoved(description):
        yield complaint


def unmoved(description: Description, least: Least | None = None) -> Iterator[tuple[Joint, str]]:
    """Joints that move no inertia, with complaints, from the leaves of the tree to the root.

    least: what the link of such a joint gets before the joints nearer to the root are examined.
    """
    bodies = {
        link.name: (float(link.mass), np.array(link.centre, float), symmetric(link.inertia))
        for link in description.links
    }
    composites = dict(bodies)
    articulated = {name: _spatial(body) for name, body in bodies.items()}
    for joint in leaves_first(description):
        complaint = _lacking(joint, composites[joint.child], articulated[joint.child])
        if complaint and least is not None:
            added = (least.mass, bodies[joint.child][1], least.moment * np.eye(3))
            composites[joint.child] = joined([composites[joint.child], added])
            articulated[joint.child] = articulated[joint.child] + _spatial(added)
        if complaint:
            moving = f"{joint.type} joint '{joint.name}' moves link '{joint.child}'"
            yield joint, f"{moving}, {complaint}{REPAIR}"
        if joint.parent != WORLD:
            pose = Pose.of(joint.position, joint.quaternion)
            hanging = _turned(composites[joint.child], pose)
            composites[joint.parent] = joined([composites[joint.parent], hanging])
            rest = _projected(articulated[joint.child], joint)
            X = _motion(pose)  # noqa: N806
            articulated[joint.parent] = articulated[joint.parent] + X.T @ rest @ X


def _lacking(joint: Joint, composite: Body, articulated: np.ndarray) -> str:
    """What is missing of the inertia that a joint moves; "" if nothing is."""
    if joint.type == "fixed":
        return ""
    mass, centre, inertia = composite
    if mass <= 0.0:
        return "but neither the link nor its descendants have mass; give it one"
    turning = inertia + _parallel(mass, centre)
    size = np.trace(turning)
    if joint.type != "prismatic":
        about = inertia if joint.type == "free" else turning
        felt = np.linalg.eigvalsh(about)[0]
        if joint.type == "revolute":
            felt = joint.axis @ turning @ joint.axis
        if felt + joint.armature <= NOTHING * size:
            return "which has no rotational inertia; give it an inertia or armature"
    S = _axes(joint)  # noqa: N806
    units = np.repeat([1.0, np.sqrt(mass / size) if size > 0.0 else 1.0], 3)
    felt = units[:, None] * articulated * units
    D = S.T @ felt @ S + (units @ abs(S)) ** 2 * joint.armature * np.eye(S.shape[1])  # noqa: N806
    if np.linalg.eigvalsh(D)[0] <= NOTHING * mass:
        return (
            "which has no inertia of its own and can move without the links behind it; hold it "
            "(base='fixed', a fixed joint), give it an inertia"
        )
    return ""


def leaves_first(description: Description) -> list[Joint]:
    """The joints, those farthest from the world first."""
    depths = depths_of({joint.child: joint.parent for joint in description.joints})
    return sorted(description.joints, key=lambda joint: -depths[joint.child])


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


def whole(description: Description) -> Body:
    """Mass, centre and inertia about it of all links together, at zero coordinates."""
    bodies: dict[str, list[Body]] = {WORLD: []}
    for link in description.links:
        bodies[link.name] = [(float(link.mass), np.array(link.centre), symmetric(link.inertia))]
    for joint in leaves_first(description):
        pose = Pose.of(joint.position, joint.quaternion)
        bodies[joint.parent].append(_turned(joined(bodies[joint.child]), pose))
    return joined(bodies[WORLD])


def _turned(body: Body, pose: Pose) -> Body:
    """A body, given in a frame with this pose, in the outer frame."""
    mass, centre, inertia = body
    turned = pose.rotation @ inertia @ pose.rotation.T
    return mass, pose.position + pose.rotation @ centre, turned


def _parallel(mass: float, offset: np.ndarray) -> np.ndarray:
    """Term that the parallel-axis theorem adds to the inertia matrix of a mass at `offset`."""
    return mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))


# ----------------------------------------------------- spatial algebra: twists linear, then angular


def _spatial(body: Body) -> np.ndarray:
    """Spatial inertia of a body about the origin of its frame, (6, 6)."""
    mass, centre, inertia = body
    c = _cross(centre)
    return np.block([[mass * np.eye(3), -mass * c], [mass * c, inertia + _parallel(mass, centre)]])


def _axes(joint: Joint) -> np.ndarray:
    """Twists of the child with which a joint moves, as columns."""
    if joint.type == "revolute":
        return np.concatenate([np.zeros(3), joint.axis])[:, None]
    if joint.type == "prismatic":
        return np.concatenate([joint.axis, np.zeros(3)])[:, None]
    return np.eye(6) if joint.type == "free" else np.eye(6)[:, 3:]


def _projected(articulated: np.ndarray, joint: Joint) -> np.ndarray:
    """The part of an articulated inertia that the parent feels through a joint."""
    if joint.type == "fixed":
        return articulated
    S = _axes(joint)  # noqa: N806
    D = S.T @ articulated @ S + joint.armature * np.eye(S.shape[1])  # noqa: N806
    if np.trace(D) < TINY:
        return articulated
    return articulated - articulated @ S @ np.linalg.pinv(D, hermitian=True) @ S.T @ articulated


def _motion(pose: Pose) -> np.ndarray:
    """Matrix that turns a twist of the parent into that of a frame fixed to it at this pose."""
    R = pose.rotation.T  # noqa: N806
    return np.block([[R, -R @ _cross(pose.position)], [np.zeros((3, 3)), R]])


def _cross(a: np.ndarray) -> np.ndarray:
    """The matrix of the vector product a x."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
