"""Shapes and the faces of hulls as plain arrays; zero sizes and flat hulls are refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from stiction.collision.pairs.shapes import HULL, Hulls, Shapes
from stiction.description.description import SHAPE_KINDS
from stiction.description.hull import FLAT, is_flat
from stiction.errors import InputError

SMALLEST = 1e-6  # extent of a hull [m]
COPLANAR = 1e-7  # angle between the normals of triangles that are one face [rad]
MOST_VERTICES = 1023  # features of manifolds number them


SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "hull": 0}  # numbers in `size`


def make_shapes(
    kinds: Sequence[str], sizes: Sequence[Sequence[float]], clouds: Iterable[np.ndarray] = ()
) -> Shapes:
    """Shapes by kind and size; `clouds` are the vertices of those that are hulls, in order.

    Raises InputError for other kinds, sizes that are not positive, and hulls without volume.
    """
    hulls = make_hulls(clouds)
    kind = np.array([SHAPE_KINDS.index(name) for name in kinds], int)
    size, hull = np.zeros((len(kinds), 3)), np.cumsum(kind == HULL) - 1
    if hull.max(initial=-1) + 2 != len(hulls.first_vertex):
        count = int((kind == HULL).sum())
        given = len(hulls.first_vertex) - 1
        raise InputError(f"{count} shapes are hulls, but vertices of {given} are given")
    for i, name in enumerate(kinds):
        if name not in SIZES:
            raise InputError(f"shape {i} is a '{name}'; known are {', '.join(SIZES)}")
        own = np.asarray(sizes[i], float)[: SIZES[name]]
        if len(own) < SIZES[name] or not (np.isfinite(own) & (own > 0.0)).all():
            message = f"needs {SIZES[name]} positive numbers"
            raise InputError(f"shape {i}, a {name}, has size {tuple(sizes[i])}; it {message}")
        size[i, : len(own)] = own
        if name == "hull":
            of_it = hulls.vertex[hulls.first_vertex[hull[i]] : hulls.first_vertex[hull[i] + 1]]
            size[i] = abs(of_it).max()
    return Shapes(kind, size, hull, hulls)


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


def make_hulls(clouds: Iterable[np.ndarray]) -> Hulls:
    """The convex hulls of sets of points (n, 3); raises InputError for one without volume."""
    vertices, normals, corners, around = [np.zeros((0, 3))], [np.zeros((0, 3))], [], []
    first_vertex, first_corner, first_face = [0], [0], [0]
    for k, points in enumerate(clouds):
        check_hull(points, f"hull {k}")
        hull, faces = _hull_and_faces(np.asarray(points, float))
        if len(hull) > MOST_VERTICES:
            raise InputError(f"hull {k} has {len(hull)} vertices; at most {MOST_VERTICES} can be")
        touching: list[list[int]] = [[] for _ in hull]
        for normal, polygon in faces:
            face = len(first_corner) - 1
            normals.append(normal[None])
            corners.extend(polygon)
            first_corner.append(len(corners))
            for vertex in polygon:
                touching[vertex].append(face)
        for faces_here in touching:
            around.extend(faces_here)
            first_face.append(len(around))
        vertices.append(hull)
        first_vertex.append(first_vertex[-1] + len(hull))
    return Hulls(
        np.vstack(vertices),
        np.array(first_vertex),
        np.vstack(normals),
        np.array(corners, int),
        np.array(first_corner),
        np.array(around, int),
        np.array(first_face),
    )


def _hull_and_faces(points: np.ndarray) -> tuple[np.ndarray, list[tuple[np.ndarray, list[int]]]]:
    """Vertices of the hull of points, and its faces: normal and corners, counterclockwise."""
    from scipy.spatial import ConvexHull

    centre = points.mean(axis=0)
    hull = ConvexHull(points - centre)
    number = {int(vertex): k for k, vertex in enumerate(np.sort(hull.vertices))}
    vertices = points[np.sort(hull.vertices)]
    normals = hull.equations[:, :3]
    faces, taken = [], np.zeros(len(normals), bool)
    for start in range(len(normals)):
        if taken[start]:
            continue
        taken[start] = True
        members, normal = [start], normals[start]
        for one in members:  # grows while it is run through
            for other in hull.neighbors[one]:
                if not taken[other] and np.linalg.norm(normals[other] - normal) < COPLANAR:
                    taken[other] = True
                    members.append(int(other))
        polygon = np.unique([number[int(v)] for v in hull.simplices[members].ravel()])
        faces.append((normal, _counterclockwise(vertices, polygon, normal)))
    return vertices, faces


def _counterclockwise(vertices: np.ndarray, polygon: np.ndarray, normal: np.ndarray) -> list[int]:
    corners = vertices[polygon] - vertices[polygon].mean(axis=0)
    x = corners[0] - normal * (corners[0] @ normal)
    y = np.cross(normal, x)
    return [int(v) for v in polygon[np.argsort(np.arctan2(corners @ y, corners @ x))]]
