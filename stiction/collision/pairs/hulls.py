"""Shapes, faces of hulls and meshes as plain arrays; zero sizes and flat hulls are refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from stiction.collision.meshes.meshes import SIDES, Triangles, make_meshes
from stiction.collision.pairs.shapes import HULL, MESH, Hulls, Shapes
from stiction.description.description import SHAPE_KINDS
from stiction.description.faces import NO_FACES, Faces, faces_of_hull
from stiction.description.hull import FLAT, is_flat
from stiction.errors import InputError

SMALLEST = 1e-6  # extent of a hull [m]
MOST_VERTICES = 1023  # features of manifolds number them


SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "hull": 0, "mesh": 0}  # in `size`


def make_shapes(
    kinds: Sequence[str],
    sizes: Sequence[Sequence[float]],
    clouds: Iterable[np.ndarray] = (),
    faces: Sequence[Faces] = (),
    meshes: Sequence[Triangles] = (),
) -> Shapes:
    """Shapes by kind and size; `clouds` are the vertices of those that are hulls, in order.

    faces: of the hulls, where they are known. meshes: each stands for SIDES consecutive shapes of
    this kind. Raises InputError for other kinds, sizes that are not positive, and hulls without
    volume.
    """
    hulls = make_hulls(clouds, faces)
    for i, name in enumerate(kinds):
        if name not in SIZES:
            raise InputError(f"shape {i} is a '{name}'; known are {', '.join(SIZES)}")
    kind = np.array([SHAPE_KINDS.index(name) for name in kinds], int)
    size, hull = np.zeros((len(kinds), 3)), np.cumsum(kind == HULL) - 1
    of_meshes = np.cumsum(kind == MESH) - 1
    if hull.max(initial=-1) + 2 != len(hulls.first_vertex):
        count = int((kind == HULL).sum())
        given = len(hulls.first_vertex) - 1
        raise InputError(f"{count} shapes are hulls, but vertices of {given} are given")
    for i, name in enumerate(kinds):
        own = np.asarray(sizes[i], float)[: SIZES[name]]
        if len(own) < SIZES[name] or not (np.isfinite(own) & (own > 0.0)).all():
            message = f"needs {SIZES[name]} positive numbers"
            raise InputError(f"shape {i}, a {name}, has size {tuple(sizes[i])}; it {message}")
        size[i, : len(own)] = own
        if name == "hull":
            of_it = hulls.vertex[hulls.first_vertex[hull[i]] : hulls.first_vertex[hull[i] + 1]]
            size[i] = abs(of_it).max()
    made, hulls = make_meshes(meshes, hulls)
    return Shapes(kind, size, hull, hulls, of_meshes // SIDES, of_meshes % SIDES, made)


def check_hull(vertices: np.ndarray, where: str = "the hull") -> None:
    """Raise InputError unless the points span a volume."""
    points = np.asarray(vertices, float)
    if points.ndim != 2 or points.shape[1] != 3:
        raise InputError(f"{where} has vertices of shape {points.shape}; give (n, 3)")
    if len(points) < 4:
        raise InputError(f"{where} has {len(points)} vertices; a volume needs at least 4")
    if not np.isfinite(points).all():
        bad = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise InputError(f"{where} has vertex {bad} at {points[bad]}; give finite coordinates")
    extent = float(np.ptp(points, axis=0).max())
    if extent < SMALLEST:
        raise InputError(f"{where} is {extent:g} m large; at least {SMALLEST:g} m are needed")
    if is_flat(points):
        raise InputError(
            f"{where} is flat: its vertices lie in a plane, to {FLAT:g} of its size; give it a "
            "thickness"
        )


def make_hulls(clouds: Iterable[np.ndarray], faces: Sequence[Faces] = ()) -> Hulls:
    """The convex hulls of sets of points (n, 3); raises InputError for one without volume.

    faces: those of the hulls, as far as they are known; SciPy finds the others.
    """
    parts = []
    for k, cloud in enumerate(clouds):
        points = np.asarray(cloud, float)
        check_hull(points, f"hull {k}")
        known = faces[k] if k < len(faces) else NO_FACES
        parts.append(_only_corners(points, known if len(known.normal) else _found(points)))
        if len(parts[k][0]) > MOST_VERTICES:
            message = f"hull {k} has {len(parts[k][0])} vertices"
            raise InputError(f"{message}; at most {MOST_VERTICES} can be")
    return _stacked([points for points, _ in parts], [each for _, each in parts])


def _found(points: np.ndarray) -> Faces:
    try:
        return faces_of_hull(points)
    except ImportError:
        raise InputError(
            "a robot was saved without the faces of its hulls, and SciPy, which finds them, is not "
            "installed; load the robot where SciPy is, and save it again"
        ) from None


def _only_corners(points: np.ndarray, faces: Faces) -> tuple[np.ndarray, Faces]:
    """The points that are corners, and the faces with the numbers of these."""
    used, corner = np.unique(faces.corner, return_inverse=True)
    return points[used], faces._replace(corner=corner)


def _stacked(vertices: list[np.ndarray], faces: list[Faces]) -> Hulls:
    """Hulls of these vertices, all of them corners of faces."""
    first_vertex = np.cumsum([0, *map(len, vertices)])
    sizes = np.concatenate([np.zeros(0, int), *(np.diff(each.first) for each in faces)])
    corner = np.concatenate([np.zeros(0, int), *(each.corner for each in faces)])
    of_hull = np.repeat(first_vertex[:-1], [len(each.corner) for each in faces])
    at_vertex = corner + of_hull
    return Hulls(
        vertex=np.concatenate([np.zeros((0, 3)), *vertices]),
        first_vertex=first_vertex,
        normal=np.concatenate([np.zeros((0, 3)), *(each.normal for each in faces)]),
        corner=corner,
        first_corner=np.concatenate([[0], np.cumsum(sizes)]).astype(int),
        face=np.repeat(np.arange(len(sizes)), sizes)[np.argsort(at_vertex, kind="stable")],
        first_face=np.concatenate(
            [[0], np.cumsum(np.bincount(at_vertex, minlength=first_vertex[-1]))]
        ),
    )
