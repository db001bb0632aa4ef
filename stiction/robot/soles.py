"""Grids of contact points on the lowest face of a shape."""

from __future__ import annotations

import numpy as np

from stiction.errors import InputError

FLAT = 0.02  # vertices are in a face if this close to its plane, as a fraction of the hull's size


def sole_grid(corners: np.ndarray, along: int, across: int) -> np.ndarray:
    """Points of a grid that fills the rectangle with these four corners, (along * across, 3).

    Rows run along the longer edge, which leads from the first corner to the second.
    """
    first, second, _, last = corners
    u, w = (np.linspace(0.0, 1.0, n) if n > 1 else np.array([0.5]) for n in (along, across))
    rows = w[:, None, None] * (last - first) + u[None, :, None] * (second - first)
    return (first + rows).reshape(-1, 3)


def lowest_face_of_box(size: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Corners of the face of a box whose normal is nearest to a direction, in box axes; (4, 3)."""
    k = int(np.argmax(np.abs(down)))
    long, short = sorted({0, 1, 2} - {k}, key=lambda axis: -size[axis])
    face = np.zeros((4, 3))
    face[:, k] = np.copysign(size[k], down[k])
    face[:, long] = size[long] * np.array([-1.0, 1.0, 1.0, -1.0])
    face[:, short] = size[short] * np.array([-1.0, -1.0, 1.0, 1.0])
    return face


def lowest_face_of_hull(vertices: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Corners of the bounding rectangle of the hull's face whose normal is nearest to `down`."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        planes = ConvexHull(vertices).equations  # outward normals and minus their distances
    except QhullError:
        raise InputError("with_sole_points: this hull is flat and has no lowest face") from None
    n, distance = np.split(planes[np.argmax(planes[:, :3] @ down)], [3])
    near = vertices @ n + distance > -FLAT * np.ptp(vertices, axis=0).max()
    x = np.linalg.svd(n[None])[2][1]
    axes = np.array([x, np.cross(n, x)])
    low, high, turn = _least_rectangle(vertices[near] @ axes.T)
    (x0, y0), (x1, y1) = low, high
    face = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    if y1 - y0 > x1 - x0:
        face = np.roll(face, -1, axis=0)
    return face @ turn.T @ axes - distance * n


def _least_rectangle(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lower and upper corner of the smallest rectangle around points, and the axes it is in."""
    from scipy.spatial import ConvexHull

    outline = points[ConvexHull(points).vertices]
    best, found = np.inf, (np.zeros(2), np.zeros(2), np.eye(2))
    for edge in np.roll(outline, -1, axis=0) - outline:  # one lies on an edge of the rectangle
        c, s = edge / np.linalg.norm(edge)
        turn = np.array([[c, -s], [s, c]])
        low, high = (points @ turn).min(axis=0), (points @ turn).max(axis=0)
        if np.prod(high - low) < best * (1 - 1e-9):
            best, found = float(np.prod(high - low)), (low, high, turn)
    return found
