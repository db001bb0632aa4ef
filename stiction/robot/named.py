"""Shapes of a robot by their own names, or by those of their links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from stiction.description.arguments import shown
from stiction.errors import InputError

if TYPE_CHECKING:
    from stiction.robot.robot import Robot


def named_shapes(robot: Robot, method: str, names: Iterable[object]) -> np.ndarray:
    """Which shapes have one of these names, or are on a link that has, (shapes) bool.

    A link may be one of the file that was merged into its parent.
    """
    chosen = np.zeros(len(robot.shape_name), bool)
    for name in names:
        if not isinstance(name, str):
            raise InputError(
                f"robot '{robot.name}': {method}: found {shown(name)}; name shapes or links"
            )
        links = np.flatnonzero(robot.link_name == name)
        found = (robot.shape_name == name) | (robot.shape_body == name)
        found |= np.isin(robot.shape_link, links)
        if not found.any():
            known = ", ".join(robot.shape_name) or "none"
            raise InputError(
                f"robot '{robot.name}': {method}: no shape '{name}', and no link of that name has "
                f"one; its shapes are {known}"
            )
        chosen |= found
    return chosen
