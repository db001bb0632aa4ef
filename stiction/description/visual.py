"""What a model file draws: coloured triangles on links, thinned so that a robot stays light."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stiction.description.rotation import Pose
from stiction.description.tessellation import Surface, surface_of

MOST_TRIANGLES = 3000  # of one mesh
CARE = 3  # of the simplification, from 0 to 10: less is slower and truer to the form
ROUNDING = 1e-5  # vertices closer than this are one, over the size of the mesh
GREY = (0.7, 0.7, 0.7, 1.0)

Colour = tuple[float, float, float, float]  # red, green, blue, opacity from 0 to 1


@dataclass(frozen=True, eq=False)
class Visual:
    """Coloured triangles that are drawn and never touch anything."""

    link: str
    colour: Colour
    vertices: np.ndarray  # (n, 3) float32, in the link's frame [m]
    triangles: np.ndarray  # (m, 3) int32, counterclockwise from outside


def visual_of(link: str, colour: Colour, surface: Surface | None, pose: Pose) -> list[Visual]:
    """A surface, given in a frame at `pose` in the link, as a list of one visual, or of none."""
    if surface is None or not len(surface[1]):
        return []
    placed = pose.position + np.asarray(surface[0], float) @ pose.rotation.T
    if not np.isfinite(placed).all():
        return []
    vertices, triangles = thinned_surface(placed, np.asarray(surface[1]))
    made = Visual(link, colour, vertices.astype(np.float32), triangles.astype(np.int32))
    return [made] if len(triangles) else []


def visual_of_shape(
    link: str, colour: Colour, kind: str, made_of: tuple[tuple, tuple], pose: Pose
) -> list[Visual]:
    """A shape, made of its size and its vertices, as a list of one visual, or of none."""
    size, vertices = (np.array(values, float) for values in made_of)
    return visual_of(link, colour, surface_of(kind, size, vertices.reshape(-1, 3)), pose)


def thinned_surface(vertices: np.ndarray, triangles: np.ndarray) -> Surface:
    """The surface without double vertices and with at most `MOST_TRIANGLES` triangles."""
    vertices, triangles = merged(vertices, triangles)
    if len(triangles) <= MOST_TRIANGLES:
        return vertices, triangles
    from fast_simplification import simplify

    share = 1.0 - MOST_TRIANGLES / len(triangles)
    thin, kept = simplify(vertices.astype(np.float32), triangles.astype(np.int32), share, agg=CARE)
    return np.asarray(thin), np.asarray(kept)


def merged(vertices: np.ndarray, triangles: np.ndarray) -> Surface:
    """The surface with one vertex where several coincide, and without degenerate triangles."""
    size = float(np.ptp(vertices, axis=0).max())
    if size == 0.0:
        return vertices, triangles[:0]
    cells = np.round((vertices - vertices.min(axis=0)) / (ROUNDING * size)).astype(np.int64)
    steps = int(1 / ROUNDING) + 2
    keys = (cells[:, 0] * steps + cells[:, 1]) * steps + cells[:, 2]
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    corners = number[triangles]
    a, b, c = corners.T
    return vertices[first], corners[(a != b) & (b != c) & (c != a)]
