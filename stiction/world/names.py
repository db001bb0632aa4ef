"""Lookup by name of the links, joints and frames of several robots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.description.arguments import shown
from stiction.errors import InputError
from stiction.robot.robot import Robot


@dataclass(frozen=True)
class Place:
    """A named frame of a link: link of the forest, position and rotation in the link."""

    link: int
    position: np.ndarray
    rotation: np.ndarray


class Names:
    """Finds links, joints and frames of several robots by name."""

    def __init__(self, robots: tuple[Robot, ...]) -> None:
        """Number the links of all robots in order, the world first."""
        self._places: dict[str, list[Place]] = {}
        self._joints: dict[str, list[int]] = {}
        self.links, self.joints = ["world"], [""]
        alone = sum(robot.nv > 0 for robot in robots) == 1
        first = 1
        for robot in robots:
            for i, name in enumerate(robot.link_name):
                self._add(self._places, robot, str(name), Place(first + i, np.zeros(3), np.eye(3)))
                self._add(self._joints, robot, str(robot.joint_name[i]), first + i)
                prefix = "" if alone else f"{robot.name}/"
                self.links.append(prefix + str(name))
                self.joints.append(prefix + str(robot.joint_name[i]))
            for i, name in enumerate(robot.frame_name):
                link = int(robot.frame_link[i])
                link = 0 if link < 0 else first + link
                place = Place(link, robot.frame_position[i], robot.frame_rotation[i])
                self._add(self._places, robot, str(name), place)
            first += len(robot.link_name)

    def _add(self, table: dict[str, list], robot: Robot, name: str, value: Any) -> None:
        table.setdefault(name, []).append(value)
        table.setdefault(f"{robot.name}/{name}", []).append(value)

    def place(self, name: str) -> Place:
        """Return the link or frame of that name."""
        return self._find(self._places, name, "link or frame")

    def joint(self, name: str) -> int:
        """Return the link that the joint of that name moves."""
        return self._find(self._joints, name, "joint")

    def _find(self, table: dict[str, list], name: str, kind: str) -> Any:
        if not isinstance(name, str):
            raise InputError(f"{shown(name)} is no {kind}; give its name")
        found = table.get(name, [])
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(
                f"{kind} '{name}' is in {len(found)} robots; name one as 'robot/{name}'"
            )
        known = ", ".join(sorted(key for key in table if "/" not in key)[:40])
        raise InputError(f"no {kind} '{name}' in this world; it has: {known}")
