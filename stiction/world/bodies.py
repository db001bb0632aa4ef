"""What can touch each other in a world: moving links, and scenery."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from stiction.collision.bodies import NO_FEATURE, POINTS, Bodies, NoBodies
from stiction.collision.broad_phase import allocate_broad_phase
from stiction.collision.meshes.meshes import NoMeshes
from stiction.collision.pair_filter import PairFilter, may_collide
from stiction.collision.pairs.clip import make_manifold
from stiction.collision.pairs.manifold import make_scratch
from stiction.compiler.compiled import as_python
from stiction.world.colliding_pairs import bounds_of, colliding_shapes, solids_of
from stiction.world.materials import BodyPair

if TYPE_CHECKING:
    from stiction.world.world import World

COUNTED = 200  # up to so many shapes, the pairs that may collide are counted
NEAR = 12  # most slots per shape
MOST_WHOLE = 256  # pairs of links that may touch under a model whose memory grows with their square


def make_bodies(world: World, points: int, groups: int, row: int) -> Bodies | NoBodies:
    """Return the shapes of a world that may touch each other.

    points, groups: of the ground, whose numbers come first; row: first of `Contact.table` for pairs
    of their materials.
    """
    slots, filters = world.near_pairs, world.pair_filter
    if slots == 0:
        return NoBodies()
    found = colliding_shapes(world.robots)
    robots, shapes = [world.robots[one.robot] for one in found], [one.shape for one in found]
    names = body_materials(world)
    materials = [
        names.index(str(robot.shape_material[k])) for robot, k in zip(robots, shapes, strict=True)
    ]

    def column(field: str) -> np.ndarray:
        return np.array([getattr(robot, field)[k] for robot, k in zip(robots, shapes, strict=True)])

    solids = solids_of(world.robots)
    features = [np.full((slots, POINTS), NO_FEATURE, np.int64) for _ in range(2)]
    return Bodies(
        shapes=solids,
        link=filters.link,
        position=column("shape_position"),
        rotation=column("shape_rotation"),
        material=np.array(materials, np.int64),
        pair=_rows(len(names), row),
        broad=allocate_broad_phase(bounds_of(world.robots), filters, slots),
        order=np.zeros(slots, np.int64),
        narrow=make_scratch(solids.hulls, meshes=not isinstance(solids.meshes, NoMeshes)),
        manifold=make_manifold(),
        feature=features[0],
        feature_trial=features[1],
        number=np.zeros(POINTS, np.int64),
        first_point=np.array([points]),
        first_group=np.array([groups]),
        searched=np.zeros(1, np.int64),
        apart=np.zeros(slots),
        swerve=np.zeros(len(found)),
        way=np.zeros(slots),
        missing=np.zeros(2, np.int64),
        doubtful=np.zeros(1, np.int64),
    )


def slots_for(filters: PairFilter) -> int:
    """Return how many pairs may be near at once; 0 if no two shapes can ever meet."""
    n = len(filters.link)
    if n > COUNTED:
        return NEAR * n
    meets = as_python(may_collide)
    pairs = sum(bool(meets(filters, a, b)) for a, b in itertools.combinations(range(n), 2))
    return min(pairs, NEAR * n)


def capacity_of(bodies: Bodies | NoBodies) -> int:
    """Return the number of slots for near pairs."""
    return 0 if isinstance(bodies, NoBodies) else len(bodies.order)


def points_between(bodies: Bodies | NoBodies) -> int:
    """Return how many points bodies may have between each other."""
    return POINTS * capacity_of(bodies)


def most_touching(bodies: Bodies | NoBodies, whole: bool) -> int:
    """Return how many pairs of links may touch at once.

    whole: for a model that needs the response of all of them as one matrix.
    """
    slots = capacity_of(bodies)
    return min(slots, MOST_WHOLE) if whole else slots


def body_shape_names(world: World) -> list[str]:
    """Return the names of all shapes that can touch each other, in the order of their numbers."""
    return [
        f"{world.robots[one.robot].name}/{world.robots[one.robot].shape_name[one.shape]}"
        for one in colliding_shapes(world.robots)
    ]


def body_materials(world: World) -> list[str]:
    """Return the materials of all shapes that can touch each other, in order of appearance."""
    found = colliding_shapes(world.robots)
    names = (str(world.robots[one.robot].shape_material[one.shape]) for one in found)
    return list(dict.fromkeys(names))


def body_material_pairs(world: World) -> list[BodyPair]:
    """Return the pairs of materials of bodies, in the order of their rows in `Contact.table`."""
    if world.near_pairs == 0:
        return []
    pairs = itertools.combinations_with_replacement(body_materials(world), 2)
    return [BodyPair(*pair) for pair in pairs]


def _rows(materials: int, first: int) -> np.ndarray:
    """Row of the table for each pair of materials, in either order."""
    rows = np.zeros((materials, materials), np.int64)
    pairs = itertools.combinations_with_replacement(range(materials), 2)
    for row, (a, b) in enumerate(pairs):
        rows[a, b] = rows[b, a] = first + row
    return rows
