"""Forces of bodies on each other in a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stiction.description.arguments import shown
from stiction.errors import InputError
from stiction.step.record import FORCE, SHAPES
from stiction.world.colliding_pairs import colliding_shapes

if TYPE_CHECKING:
    from stiction.motion.motion import Motion
    from stiction.world.world import World


def force_between(motion: Motion, first: str, second: str) -> np.ndarray:
    """Force of the second body on the first [N], (n, 3).

    A body is a robot, with all its links, or a link. NaN where forces were not recorded.
    """
    a, b = (shapes_of_body(motion.world, name) for name in (first, second))
    touching, touched = (motion.between[..., SHAPES + k] for k in range(2))
    on_first = np.isin(touching, a) & np.isin(touched, b)
    on_second = np.isin(touching, b) & np.isin(touched, a)
    sign = on_first.astype(float) - on_second
    total = np.einsum("np,npk->nk", sign, np.nan_to_num(motion.between[..., FORCE : FORCE + 3]))
    unknown = np.isnan(motion.force).all(axis=(1, 2)) & (motion.point_count > 0)
    total[unknown | motion.touched_between.unknown] = np.nan
    return total


def shapes_of_body(world: World, name: str) -> list[int]:
    """Numbers, from 1, of the colliding shapes of a robot or a link."""
    if not isinstance(name, str):
        raise InputError(f"{shown(name)} is not a robot or link; give its name")
    shapes = colliding_shapes(world.robots)
    robots = [robot.name for robot in world.robots]
    if name in robots:
        found = [k + 1 for k, one in enumerate(shapes) if one.robot == robots.index(name)]
    else:
        link = world.place(name).link
        found = [k + 1 for k, one in enumerate(shapes) if one.link == link]
    if not found:
        raise InputError(f"'{name}' has no shape that collides with other bodies")
    return found
