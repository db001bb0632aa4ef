"""Points of the geometry nodes of VRML97 that are not primitives."""

from __future__ import annotations

import numpy as np

from stiction.description.openhrp_fields import (
    axis_angle,
    many,
    nodes,
    positive,
    unit,
    whole,
)
from stiction.description.vrml_nodes import Node

MOST_POINTS = 4_000_000
SQUARE = (1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0)
UPWARDS = (0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def face_set(node: Node) -> np.ndarray:
    """The points of an IndexedFaceSet that its faces use."""
    coordinates = nodes(node, "coord")
    if not coordinates:
        return np.zeros((0, 3))
    if len(coordinates) != 1 or coordinates[0].type != "Coordinate":
        node.refuse(f"has {coordinates[0].title} as coord; expected a Coordinate", "coord")
    points = many(coordinates[0], "point", 3)
    index = many(node, "coordIndex", 1).ravel()
    wrong = index[(index != np.round(index)) | (index < -1) | (index >= len(points))]
    if len(wrong):
        complaint = f"has {wrong[0]:g} in coordIndex for {len(points)} points"
        node.refuse(
            f"{complaint}; expected whole numbers from -1 to {len(points) - 1}", "coordIndex"
        )
    return points[np.unique(index[index >= 0].astype(int))]


def elevation_grid(node: Node) -> np.ndarray:
    """The points of an ElevationGrid."""
    counts = [whole(node, f"{axis}Dimension", 0) for axis in "xz"]
    heights = many(node, "height", 1).ravel()
    if min(counts) < 0 or counts[0] * counts[1] != len(heights):
        found = f"has {len(heights)} heights and dimensions {counts[0]} x {counts[1]}"
        node.refuse(f"{found}; give one height for each", "height")
    x, z = (
        float(positive(node, f"{axis}Spacing", 1, (1.0,))[0]) * np.arange(count)
        for axis, count in zip("xz", counts, strict=True)
    )
    return np.stack([np.tile(x, counts[1]), heights, np.repeat(z, counts[0])], axis=1)


def extrusion(node: Node) -> np.ndarray:
    """The points of an Extrusion: its cross-section, scaled and turned, at each spine point."""
    section = many(node, "crossSection", 2, SQUARE)
    spine = many(node, "spine", 3, UPWARDS)
    if len(section) * len(spine) > MOST_POINTS:
        found = f"has {len(section)} points in crossSection and {len(spine)} in spine"
        node.refuse(f"{found}; their product may be at most {MOST_POINTS}", "spine")
    scales = _each(node, "scale", many(node, "scale", 2, (1.0, 1.0)), len(spine))
    turns = _each(
        node, "orientation", many(node, "orientation", 4, (0.0, 0.0, 1.0, 0.0)), len(spine)
    )
    if len(spine) == 0 or len(section) == 0:
        return np.zeros((0, 3))
    points = []
    frames = spine_frames(spine)
    for centre, frame, scale, turn in zip(spine, frames, scales, turns, strict=True):
        flat = section * scale
        placed = np.stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1]], axis=1)
        points.append(centre + placed @ (frame @ axis_angle(node, "orientation", turn)).T)
    return np.vstack(points)


def _each(node: Node, name: str, values: np.ndarray, count: int) -> np.ndarray:
    """One row for each spine point; a single row applies to all."""
    if len(values) not in (1, count):
        found = f"has {len(values)} values in {name} and {count} spine points"
        node.refuse(f"{found}; give one, or one for each", name)
    return np.broadcast_to(values[:1], (count, values.shape[1])) if len(values) == 1 else values


def spine_frames(spine: np.ndarray) -> list[np.ndarray]:
    """Axes of the cross-section's plane at each spine point (ISO/IEC 14772-1, 6.18.3)."""
    closed = len(spine) > 2 and bool((spine[0] == spine[-1]).all())
    before, after = np.roll(spine, 1, axis=0), np.roll(spine, -1, axis=0)
    before[0] = spine[-2] if closed else spine[0]
    after[-1] = spine[1] if closed else spine[-1]
    tangents = _filled(after - before)
    normals = np.cross(after - spine, before - spine)
    if not closed:
        normals[[0, -1]] = 0.0  # an end has the normal of its neighbour
    size = np.ptp(spine, axis=0).max()
    normals[np.abs(normals).max(axis=1) <= 1e-12 * size**2] = 0.0
    if not normals.any():
        return [_from_y(tangent) for tangent in tangents]
    normals = _filled(normals)
    frames, last = [], normals[0]
    for y, normal in zip(tangents, normals, strict=True):
        z = -normal if normal @ last < 0.0 else normal
        z = z - (z @ y) * y  # from a bent neighbour, not orthogonal to this tangent
        last = unit(z) if np.abs(z).max() > 1e-9 else last
        frames.append(np.stack([np.cross(y, last), y, last], axis=1))
    return frames


def _filled(vectors: np.ndarray) -> np.ndarray:
    """Unit vectors; a zero vector takes the one before it, leading zeros the first non-zero one."""
    given = np.flatnonzero(np.abs(vectors).max(axis=1) > 0.0)
    if len(given) == 0:
        return np.tile([0.0, 1.0, 0.0], (len(vectors), 1))
    units = np.array([unit(vectors[i]) for i in given])
    nearest = np.searchsorted(given, np.arange(len(vectors)), side="right") - 1
    return units[np.maximum(nearest, 0)]


def _from_y(direction: np.ndarray) -> np.ndarray:
    """The smallest rotation that turns the y axis into a unit vector."""
    axis = np.cross([0.0, 1.0, 0.0], direction)
    c = direction[1]
    if c < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])  # noqa: N806
    return np.eye(3) + K + K @ K / (1.0 + c)
