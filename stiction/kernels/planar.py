"""Planar bases: two massless links that slide, and a link that turns on them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.kernels.tree import PRISMATIC, REVOLUTE, Tree

PARALLEL = 1e-6  # sine of the angle below which directions count as parallel


class PlanarBase(NamedTuple):
    """The links of a planar base, from the world outwards; the last one is the robot's base."""

    slides: tuple[int, int]
    turns: int

    @property
    def links(self) -> tuple[int, int, int]:
        """All three."""
        return (*self.slides, self.turns)


def planar_bases(tree: Tree) -> list[PlanarBase]:
    """Planar bases of a forest: two sliding directions, and a hinge perpendicular to both."""
    children: dict[int, list[int]] = {}
    for link in range(1, len(tree.parent)):
        children.setdefault(int(tree.parent[link]), []).append(link)
    found = []
    for first in children.get(0, []):
        second = _only(children, first)
        third = _only(children, second)
        if third and _is_planar(tree, first, second, third):
            found.append(PlanarBase((first, second), third))
    return found


def _only(children: dict[int, list[int]], link: int) -> int:
    """The child of a link that has one child, else 0."""
    below = children.get(link, []) if link else []
    return below[0] if len(below) == 1 else 0


def _is_planar(tree: Tree, first: int, second: int, third: int) -> bool:
    links = [first, second, third]
    if tree.joint_type[links].tolist() != [PRISMATIC, PRISMATIC, REVOLUTE]:
        return False
    if tree.mass[first] != 0.0 or tree.mass[second] != 0.0:
        return False
    rotation, axes = np.eye(3), []
    for link in links:
        rotation = rotation @ tree.joint_rotation[link]
        axes.append(rotation @ tree.joint_axis[link])
    across = np.cross(axes[0], axes[1])
    return bool(
        np.linalg.norm(across) > PARALLEL and np.linalg.norm(np.cross(across, axes[2])) < PARALLEL
    )
