"""Faces of convex hulls and of triangle meshes, found once when a robot is made.

SciPy finds those of hulls. They are kept with the robot, so that simulating it needs no SciPy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.description.hull import is_flat

COPLANAR = 1e-7  # angle between the normals of triangles that are one face [rad]


class Faces(NamedTuple):
    """The faces of one shape. Corners run counterclockwise, seen from outside."""

    normal: np.ndarray  # (faces, 3) unit vectors, outwards
    first: np.ndarray  # (faces + 1) first corner of each face
    corner: np.ndarray  # (corners) vertex of the shape


NO_FACES = Faces(np.zeros((0, 3)), np.zeros(1, int), np.zeros(0, int))


def faces_of_hull(points: np.ndarray) -> Faces:
    """Faces of the convex hull of points, (n, 3), with SciPy; they must span a volume."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points - points.mean(axis=0))
    normals = hull.equations[:, :3]
    taken, found, polygons = np.zeros(len(normals), bool), [], []
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
        polygon = np.unique(hull.simplices[members])
        found.append(normal)
        polygons.append(_counterclockwise(points, polygon, normal))
    return Faces(
        np.array(found), np.cumsum([0, *map(len, polygons)]), np.concatenate(polygons).astype(int)
    )


def _counterclockwise(vertices: np.ndarray, polygon: np.ndarray, normal: np.ndarray) -> np.ndarray:
    corners = vertices[polygon] - vertices[polygon].mean(axis=0)
    x = corners[0] - normal * (corners[0] @ normal)
    y = np.cross(normal, x)
    return polygon[np.argsort(np.arctan2(corners @ y, corners @ x))]


def faces_of_triangles(vertices: np.ndarray, triangles: np.ndarray) -> Faces:
    """One face for each triangle, (n, 3) vertices; none may be without area."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return Faces(normals, 3 * np.arange(len(triangles) + 1), triangles.ravel().astype(int))


def faces_to_keep(kind: str, vertices: np.ndarray, triangles: np.ndarray) -> Faces:
    """What a robot keeps of a shape; nothing of a flat hull, nor of any hull without SciPy."""
    if kind == "mesh":
        return faces_of_triangles(vertices, triangles)
    if kind != "hull" or is_flat(vertices):
        return NO_FACES
    try:
        return faces_of_hull(vertices)
    except (ImportError, ValueError):  # ValueError: too small for Qhull
        return NO_FACES
