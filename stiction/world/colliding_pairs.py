"""Shapes of a world that can collide with each other, and which pairs of them may.

Filters follow MuJoCo: shapes of one link or of neighbouring links never collide, where links welded
to each other are one link, and what is fixed is no link's neighbour; others collide if their
masks match and their bodies are not excluded; a <pair> collides despite all of these. Filters of a
file apply within its robot. Different robots, and different trees of links in one file, collide if
their masks match. Links of one tree collide only on request (`self_collision.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from stiction.collision.bounds import Bounds
from stiction.collision.meshes.meshes import SIDES, Triangles
from stiction.collision.pair_filter import PairFilter
from stiction.collision.pairs.hulls import make_shapes
from stiction.collision.pairs.shapes import MESH, Shapes
from stiction.description.description import SHAPE_KINDS
from stiction.robot.robot import Robot

SOLID = ("sphere", "capsule", "cylinder", "box", "hull", "mesh")  # kinds that collide


class CollidingShape(NamedTuple):
    """A shape that can collide with other shapes; its place in a list is its number in kernels.

    A mesh appears once for each of its SIDES, each with manifolds of its own.
    """

    robot: int  # number of its robot in the world
    shape: int  # number of the shape in its robot
    link: int  # of the forest, 0 if it is fixed


def colliding_shapes(robots: Sequence[Robot]) -> list[CollidingShape]:
    """Return all solid shapes that collide, robot by robot."""
    solid = [SHAPE_KINDS.index(kind) for kind in SOLID]
    found, first = [], 1
    for number, robot in enumerate(robots):
        for shape in np.flatnonzero(robot.shape_collides & np.isin(robot.shape_kind, solid)):
            link = int(robot.shape_link[shape])
            one = CollidingShape(number, int(shape), 0 if link < 0 else first + link)
            found += [one] * (SIDES if robot.shape_kind[shape] == MESH else 1)
        first += len(robot.link_name)
    return found


def pair_filter_of(
    robots: Sequence[Robot],
    self_collision: Collection[str] = (),
    overlapping: Iterable[tuple[int, int]] = (),
) -> PairFilter:
    """Return which pairs of the `colliding_shapes` of these robots may collide.

    self_collision: names of robots that touch themselves; overlapping: their shapes that do not.
    """
    shapes = colliding_shapes(robots)
    touches_itself = np.array([robots[s.robot].name in self_collision for s in shapes], np.int64)
    links = np.array([shape.link for shape in shapes], np.int64)
    masks = np.array([robots[s.robot].shape_mask[s.shape] for s in shapes], np.int64).reshape(-1, 2)
    above, roots = _neighbours(robots)
    tree = roots[links]
    names = [(s.robot, str(robots[s.robot].shape_body[s.shape])) for s in shapes]
    bodies = {name: number for number, name in enumerate(dict.fromkeys(names))}
    excluded_first, excluded_partner = _partners(_excluded(robots, bodies), len(bodies))
    demanded = (
        (a, b) for a, b in _demanded(robots, shapes) if touches_itself[a] or tree[a] != tree[b]
    )
    demanded_first, demanded_partner = _partners(demanded, len(shapes))
    overlapping_first, overlapping_partner = _partners(overlapping, len(shapes))
    return PairFilter(
        link=links,
        neighbour=above[links],
        tree=tree,
        body=np.array([bodies[name] for name in names], np.int64),
        contype=masks[:, 0].copy(),
        conaffinity=masks[:, 1].copy(),
        self_collision=touches_itself,
        overlapping_first=overlapping_first,
        overlapping_partner=overlapping_partner,
        excluded_first=excluded_first,
        excluded_partner=excluded_partner,
        demanded_first=demanded_first,
        demanded_partner=demanded_partner,
    )


def solids_of(robots: Sequence[Robot]) -> Shapes:
    """Return the `colliding_shapes` of these robots for the narrow phase."""
    both = [(robots[one.robot], one.shape) for one in colliding_shapes(robots)]
    kinds = [SHAPE_KINDS[robot.shape_kind[k]] for robot, k in both]
    hulls = [one for one, kind in zip(both, kinds, strict=True) if kind == "hull"]
    meshes = [one for one, kind in zip(both, kinds, strict=True) if kind == "mesh"][::SIDES]
    return make_shapes(
        kinds,
        [robot.shape_size[k].tolist() for robot, k in both],
        [robot.vertices_of(k) for robot, k in hulls],
        [robot.faces_of(k) for robot, k in hulls],
        [
            Triangles(robot.vertices_of(k), robot.faces_of(k).corner.reshape(-1, 3))
            for robot, k in meshes
        ],
    )


def bounds_of(robots: Sequence[Robot]) -> Bounds:
    """Return what encloses each of the `colliding_shapes` of these robots."""
    shapes = colliding_shapes(robots)
    n = len(shapes)
    centre, half, rounds = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 2))
    for i, shape in enumerate(shapes):
        robot = robots[shape.robot]
        middle, half[i], rounds[i] = _enclosure(robot, shape.shape)
        turned = robot.shape_rotation[shape.shape] @ middle
        centre[i] = robot.shape_position[shape.shape] + turned
    disc, ball = rounds.T.copy()
    return Bounds(
        link=np.array([shape.link for shape in shapes], np.int64),
        centre=centre,
        rotation=np.array(
            [robots[shape.robot].shape_rotation[shape.shape] for shape in shapes]
        ).reshape(n, 3, 3),
        half=half,
        disc=disc,
        ball=ball,
        radius=np.hypot(np.hypot(half[:, 0], half[:, 1]) + disc, half[:, 2]) + ball,
    )


def _enclosure(robot: Robot, shape: int) -> tuple[np.ndarray, np.ndarray, tuple[float, float]]:
    """Centre and half extents of the box of a shape in its axes, radii of its disc and its ball."""
    kind, (a, b, c) = SHAPE_KINDS[robot.shape_kind[shape]], robot.shape_size[shape]
    origin = np.zeros(3)
    if kind in ("hull", "mesh"):
        low, high = (f(robot.vertices_of(shape), axis=0) for f in (np.min, np.max))
        return (low + high) / 2, (high - low) / 2, (0.0, 0.0)
    return {
        "sphere": (origin, origin, (0.0, a)),
        "capsule": (origin, np.array([0.0, 0.0, b]), (0.0, a)),
        "cylinder": (origin, np.array([0.0, 0.0, b]), (a, 0.0)),
        "box": (origin, np.array([a, b, c]), (0.0, 0.0)),
    }[kind]


def _neighbours(robots: Sequence[Robot]) -> tuple[np.ndarray, np.ndarray]:
    """For each link of the forest: the next solid one towards the world, and its root.

    Links without mass and shapes only connect the joints of one that has several. The world is -1.
    """
    above, roots = [-1], [0]
    for robot in robots:
        first = len(above)
        colliding = robot.shape_link[robot.shape_collides].tolist()
        empty = (robot.mass == 0.0) & ~np.isin(np.arange(len(robot.mass)), colliding)
        for i, parent in enumerate(robot.parent.tolist()):
            roots.append(first + i if parent < 0 else roots[first + parent])
            while parent >= 0 and empty[parent]:
                parent = int(robot.parent[parent])
            above.append(-1 if parent < 0 else first + parent)
    return np.array(above, np.int64), np.array(roots, np.int64)


def _excluded(
    robots: Sequence[Robot], bodies: dict[tuple[int, str], int]
) -> Iterator[tuple[int, int]]:
    """Pairs of bodies that files exclude, as far as both have colliding shapes."""
    for number, robot in enumerate(robots):
        for one, other in robot.contact_excludes.tolist():
            if (number, one) in bodies and (number, other) in bodies:
                yield bodies[number, one], bodies[number, other]


def _demanded(robots: Sequence[Robot], shapes: list[CollidingShape]) -> Iterator[tuple[int, int]]:
    """Pairs of colliding shapes that files demand."""
    numbers: dict[tuple[int, str], list[int]] = {}
    for number, s in enumerate(shapes):
        name = str(robots[s.robot].shape_name[s.shape])
        numbers.setdefault((s.robot, name), []).append(number)
    for number, robot in enumerate(robots):
        for one, other in robot.contact_pairs.tolist():
            yield from itertools.product(
                numbers.get((number, one), []), numbers.get((number, other), [])
            )


def _partners(pairs: Iterable[tuple[int, int]], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Sorted pairs of numbers below n, as `first` and `partner` of a `PairFilter`."""
    ordered = sorted({(min(pair), max(pair)) for pair in pairs})
    counts = np.bincount(np.array([a for a, _ in ordered], np.int64), minlength=n)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return first, np.array([b for _, b in ordered], np.int64)
