"""Triangle meshes of fixed shapes: which are kept, without what has no area; bad ones are reported.

Triangles are one-sided: their outside is where their corners run counterclockwise. A mesh may be
open, like terrain, or closed, like stairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from stiction.description.description import WORLD, Joint, Shape
from stiction.description.plain import first_few
from stiction.errors import ModelFileError

MOST_TRIANGLES = 500_000
SLIVER = 1e-12  # area of a triangle, over its longest edge squared, that counts as none
CLOSED = 1e-6  # sum of the area vectors of a closed surface, relative to its area
HOLLOW = 0.5  # part of its hull that a mesh fills, below which a note says so
CONVEX = 1e-6  # volume that a closed mesh may lack of its hull, relative
INSIDE_OUT = "is inside out, its triangles face inwards; flip them"


def fixed_links(joints: Iterable[Joint]) -> set[str]:
    """Links that fixed joints hold in the world, from joints that begin at the root; and WORLD."""
    held = {WORLD}
    for joint in joints:
        if joint.type == "fixed" and joint.parent in held:
            held.add(joint.child)
    return held


def kept_triangles(
    vertices: np.ndarray, triangles: np.ndarray, where: str
) -> tuple[np.ndarray, np.ndarray] | None:
    """Vertices and triangles of a mesh that is fixed; None if it is convex and stays a hull.

    Equal vertices become one; triangles without area, and vertices without triangles, are left out.
    Raises ModelFileError for a mesh without triangles, with too many, or inside out.
    """
    vertices, place = np.unique(np.asarray(vertices, float), axis=0, return_inverse=True)
    triangles = place.ravel()[np.asarray(triangles, int)].reshape(-1, 3)
    triangles = triangles[~_without_area(vertices, triangles)]
    if len(triangles) == 0:
        raise ModelFileError(f"{where}: has no triangle with an area; a mesh needs at least one")
    if len(triangles) > MOST_TRIANGLES:
        found = f"has {len(triangles)} triangles; at most {MOST_TRIANGLES} are allowed"
        raise ModelFileError(f"{where}: {found}, so simplify it")
    used, corners = np.unique(triangles, return_inverse=True)
    vertices, triangles = vertices[used], corners.reshape(-1, 3)
    if is_closed(triangles):
        volume = _volume(vertices, triangles)
        if volume < 0.0:
            raise ModelFileError(f"{where}: {INSIDE_OUT}")
        if volume >= (1.0 - CONVEX) * _volume_of_hull(vertices):
            return None
    return vertices, triangles


def is_closed(triangles: np.ndarray) -> bool:
    """Whether every edge belongs to two triangles that run along it in opposite directions."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    n = int(triangles.max()) + 1
    there, back = np.sort(edges[:, 0] * n + edges[:, 1]), np.sort(edges[:, 1] * n + edges[:, 0])
    return bool(np.array_equal(there, back) and (np.diff(there) > 0).all())


def _without_area(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Which triangles have corners on a line, (n)."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    longest = np.max([np.einsum("ij,ij->i", e, e) for e in (b - a, c - b, a - c)], axis=0)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) <= SLIVER * longest


def _volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = (vertices[triangles[:, k]] - vertices.mean(axis=0) for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def filled_part(vertices: np.ndarray, triangles: np.ndarray, corners: np.ndarray) -> float:
    """Part of the volume of a hull with these corners that its mesh fills; 1 if that is open."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)
    if np.linalg.norm(areas.sum(axis=0)) > CLOSED * np.linalg.norm(areas, axis=1).sum():
        return 1.0
    return abs(_volume(vertices, triangles)) / _volume_of_hull(corners)


def note_on_hollow(filled: dict[str, float]) -> list[str]:
    """A note on meshes, by name, of whose hulls they fill only a small part."""
    listed = [f"{name} {100 * part:.0f} %" for name, part in filled.items() if 0 < part < HOLLOW]
    told = "meshes that move collide as their convex hulls, of which they fill"
    return [f"{told}: {first_few(listed)}; several convex parts fit better"] if listed else []


def _volume_of_hull(vertices: np.ndarray) -> float:
    from scipy.spatial import ConvexHull, QhullError

    try:
        return float(ConvexHull(vertices).volume)
    except (QhullError, ValueError):  # flat
        return np.inf


def complaints_on_mesh(where: str, shape: Shape, held: set[str]) -> Iterator[str]:
    """What is wrong with the triangles of a shape, whose vertices are in order."""
    if shape.kind != "mesh":
        if shape.triangles:
            yield f"{where} is a {shape.kind} with triangles; only a mesh has them"
        return
    if shape.link not in held:
        yield f"{where} is a mesh on a link that moves; give it a hull, or several convex parts"
    triangles = np.array(shape.triangles, float)
    if triangles.ndim != 2 or triangles.shape[1] != 3:
        yield f"{where} is a mesh without triangles; give three vertices for each"
        return
    wrong = (triangles != triangles.round()) | (triangles < 0)
    if (wrong | (triangles >= len(shape.vertices))).any():
        yield f"{where} is a mesh whose triangles name vertices that do not exist"
        return
    flat = _without_area(np.array(shape.vertices, float), triangles.astype(int))
    if flat.any():
        yield f"{where} is a mesh whose triangle {int(np.argmax(flat))} has no area; remove it"
    closed = not flat.any() and is_closed(triangles.astype(int))
    if closed and _volume(np.array(shape.vertices, float), triangles.astype(int)) < 0.0:
        yield f"{where} {INSIDE_OUT}"
