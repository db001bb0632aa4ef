"""Surfaces of shapes as triangles, for drawing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from stiction.description.faces import faces_to_keep

CORNERS = 24  # around an axis
FARTHEST = 1e6  # [m] hulls beyond are not drawn
RINGS = 6  # between the equator of a sphere and a pole
CORNERS_OF_BOX = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
SIDES_OF_BOX = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))

Surface = tuple[np.ndarray, np.ndarray]  # vertices (n, 3) and triangles (m, 3) of them


def surface_of(kind: str, size: np.ndarray, vertices: np.ndarray) -> Surface | None:
    """Surface of a shape in its frame, `size` and `vertices` as in `Shape`; None if it has none.

    Triangles are counterclockwise from outside. Planes and sets of points have no surface.
    """
    if kind == "box":
        return CORNERS_OF_BOX * size[:3], fans(SIDES_OF_BOX)
    if kind in ("sphere", "ellipsoid"):
        round_surface, triangles = ball(1.0, 0.0)
        return round_surface * (size[0] if kind == "sphere" else size[:3]), triangles
    if kind == "capsule":
        return ball(float(size[0]), float(size[1]))
    if kind == "cylinder":
        radius, half = float(size[0]), float(size[1])
        return revolved(np.array([0, radius, radius, 0]), np.array([-half, -half, half, half]))
    return hull(vertices) if kind == "hull" and len(vertices) >= 4 else None


def ball(radius: float, half: float) -> Surface:
    """A sphere, or a capsule of that half length along z."""
    angle = np.linspace(0.0, np.pi / 2, RINGS + 1)
    across, along = radius * np.cos(angle), radius * np.sin(angle)
    across[-1] = 0.0
    upper = across, along + half
    lower = across[::-1], -along[::-1] - half
    start = 1 if half == 0.0 else 0  # a sphere has one equator
    profile = [np.concatenate([low, high[start:]]) for low, high in zip(lower, upper, strict=True)]
    return revolved(*profile)


def revolved(radius: np.ndarray, height: np.ndarray) -> Surface:
    """A profile turned about z, from its lowest point to its highest, both on the axis."""
    angle = 2 * np.pi * np.arange(CORNERS) / CORNERS
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    rings = [
        np.column_stack([r * circle, np.full(CORNERS, z)])
        for r, z in zip(radius[1:-1], height[1:-1], strict=True)
    ]
    vertices = np.vstack([*rings, [[0, 0, height[0]]], [[0, 0, height[-1]]]])
    here = np.arange(CORNERS)
    there = np.roll(here, -1)
    bottom, top = len(vertices) - 2, len(vertices) - 1
    last = (len(rings) - 1) * CORNERS
    triangles = [np.column_stack([np.full(CORNERS, bottom), there, here])]
    for k in range(len(rings) - 1):
        low, high = k * CORNERS, (k + 1) * CORNERS
        triangles.append(np.column_stack([low + here, low + there, high + there]))
        triangles.append(np.column_stack([low + here, high + there, high + here]))
    triangles.append(np.column_stack([np.full(CORNERS, top), last + here, last + there]))
    return vertices, np.vstack(triangles)


def hull(vertices: np.ndarray) -> Surface | None:
    """The convex hull of points; None if they are flat, or too far apart for numbers."""
    if not np.abs(vertices).max(initial=0.0) < FARTHEST:
        return None
    faces = faces_to_keep("hull", np.asarray(vertices, float), np.zeros((0, 3), int))
    polygons = [faces.corner[a:b] for a, b in zip(faces.first[:-1], faces.first[1:], strict=True)]
    return (np.asarray(vertices, float), fans(polygons)) if polygons else None


def fans(polygons: Iterable[Any]) -> np.ndarray:
    """Polygons, as sequences of vertices, divided into triangles, (n, 3)."""
    rows = [
        (polygon[0], polygon[k], polygon[k + 1])
        for polygon in polygons
        for k in range(1, len(polygon) - 1)
    ]
    return np.array(rows, int).reshape(-1, 3)
