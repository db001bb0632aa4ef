"""Self-collision: which robots touch themselves, and shapes that overlap from the start.

As in MuJoCo and Drake, links that a joint connects do not touch each other. In many files shapes of
other links overlap as well, such as those of a hip with three joints; contact would push them apart
with great force, whatever the pose. Shapes of one robot that overlap in its home configuration
therefore do not touch each other, unless a <pair> of the file demands it, and a run warns of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from stiction.collision.pair_filter import PairFilter, is_listed, may_collide
from stiction.collision.pairs.clip import make_manifold
from stiction.collision.pairs.manifold import make_scratch
from stiction.collision.pairs.meet import meet_shapes
from stiction.collision.pairs.shapes import Pose
from stiction.errors import InputError
from stiction.kernels.kinematics import forward_kinematics
from stiction.kernels.tree import Dynamics
from stiction.robot.robot import Robot
from stiction.world.colliding_pairs import CollidingShape, bounds_of, colliding_shapes, solids_of
from stiction.world.outlines import link_origin

TOUCHING = 1e-6  # shapes that overlap by less than this touch each other [m]


class HomeOverlap(NamedTuple):
    """Two shapes of one robot that overlap at home."""

    one: int  # number among the colliding shapes
    other: int
    names: tuple[str, str]
    depth: float  # [m]


def robots_that_touch_themselves(
    given: bool | str | Iterable[str], robots: Sequence[Robot]
) -> tuple[str, ...]:
    """Return the names of the robots that `World(self_collision=...)` chooses."""
    names = [robot.name for robot in robots if robot.nv > 0]
    if isinstance(given, bool | np.bool_):
        return tuple(names) if given else ()
    if not isinstance(given, str | Iterable):
        raise InputError(
            f"World(self_collision=...) takes True, False or names of robots, found {given!r}"
        )
    chosen = [given] if isinstance(given, str) else list(given)
    for name in chosen:
        if not isinstance(name, str) or name not in names:
            raise InputError(
                f"World(self_collision=...): no robot {name!r} moves in this world; found "
                f"{', '.join(map(repr, names))}"
            )
    return tuple(name for name in names if name in chosen)


def overlaps_at_home(
    robots: Sequence[Robot], filters: PairFilter, dynamics: Dynamics, q: np.ndarray
) -> list[HomeOverlap]:
    """Shapes of one tree of links that may collide and overlap in the configuration q.

    Pairs that a file demands are left out.
    """
    forward_kinematics(dynamics, q)
    shapes, bounds, solids = colliding_shapes(robots), bounds_of(robots), solids_of(robots)
    scratch, manifold = make_scratch(solids.hulls), make_manifold()
    middle = np.array(
        [
            link_origin(dynamics, link) + dynamics.rotation[link] @ centre
            for link, centre in zip(bounds.link, bounds.centre, strict=True)
        ]
    )
    found = []
    for a, b in itertools.combinations(range(len(shapes)), 2):
        if filters.tree[a] != filters.tree[b] or not may_collide(filters, a, b):
            continue
        apart = np.linalg.norm(middle[a] - middle[b]) > bounds.radius[a] + bounds.radius[b]
        if apart or is_listed(filters.demanded_first, filters.demanded_partner, a, b):
            continue
        poses = [_pose(robots[shapes[k].robot], shapes[k], dynamics) for k in (a, b)]
        meet_shapes(solids, a, poses[0], b, poses[1], 0.0, scratch, manifold)
        depth = manifold.depth[: manifold.count[0]].max(initial=0.0)
        if depth > TOUCHING:
            robot = robots[shapes[a].robot]
            one, other = (f"{robot.name}/{robot.shape_name[shapes[k].shape]}" for k in (a, b))
            found.append(HomeOverlap(a, b, (one, other), float(depth)))
    return found


def told(overlaps: Sequence[HomeOverlap]) -> str:
    """One sentence on the shapes that overlap; '' without any."""
    if not overlaps:
        return ""
    deepest = sorted(overlaps, key=lambda one: -one.depth)
    listed = ", ".join(
        f"{' and '.join(one.names)} by {1e3 * one.depth:.3g} mm" for one in deepest[:10]
    )
    more = f" and {len(deepest) - 10} more pairs" if len(deepest) > 10 else ""
    return (
        f"self-collision: shapes that overlap at home do not touch each other: {listed}{more}; "
        "separate them in the file, or demand their contact with a <pair>"
    )


def _pose(robot: Robot, shape: CollidingShape, dynamics: Dynamics) -> Pose:
    """Where a shape is."""
    turned = dynamics.rotation[shape.link]
    position = link_origin(dynamics, shape.link) + turned @ robot.shape_position[shape.shape]
    rotation = turned @ robot.shape_rotation[shape.shape]
    return Pose(tuple(position.tolist()), tuple(map(tuple, rotation.tolist())))
