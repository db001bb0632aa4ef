"""Mesh files (.stl, .obj, .dae) through trimesh, as the vertices of their convex hulls.

A file that could make a reader allocate or loop without bound is refused before trimesh sees it.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stiction.description.description import Vector
from stiction.description.xml_text import Scan, bytes_of
from stiction.errors import ModelFileError

LARGEST_MESH = 40_000_000  # [bytes]
MOST_VERTICES = 256  # of a hull
MANY_POINTS = 20_000  # Qhull takes 20 s for 100 000 points if all are corners
MOST_POINTS = 1_000_000  # of a mesh; three for every triangle of an STL file
PRODUCTS = 2_000_000  # of points and directions at a time, to limit memory
MOST_INSTANCES = 30  # of nodes in a .dae; nested in pairs they make 2^15 copies
SUFFIXES = (".stl", ".obj", ".dae")
STL_HEADER, STL_FACE = 84, 50  # [bytes]
# pycollada drops geometry whose colours it cannot find, and colours are not needed
COLOURS = re.compile(
    rb"<(bind_material|library_materials|library_effects|library_images)\b[^>]*(?<!/)>.*?</\1\s*>",
    re.DOTALL,
)


class Hull(NamedTuple):
    """The convex hull of a mesh file."""

    vertices: np.ndarray  # (n, 3), in the file's axes [m]
    corners: int  # number of vertices before reduction
    flat: bool = False
    up: str = ""  # up axis of a .dae file, which is not applied


def read_hull(path: Path) -> Hull:
    """The convex hull of a mesh file; raises ModelFileError that names the file."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        known = ", ".join(SUFFIXES)
        raise ModelFileError(f"{path}: '{suffix}' meshes are not supported; known are {known}")
    data = bytes_of(path, "a mesh file", LARGEST_MESH)
    if suffix == ".stl":
        _check_stl(data, path)
    if suffix != ".dae":
        return hull_of(_vertices(data, suffix, path), path)
    scan = _DaeScan(str(path))
    scan.run(data)
    data = COLOURS.sub(b"", data)
    return hull_of(_vertices(data, suffix, path) * scan.unit, path)._replace(up=scan.up)


def _vertices(data: bytes, suffix: str, path: Path) -> np.ndarray:
    import trimesh

    try:
        options: dict[str, Any] = {"ignore_broken": False} if suffix == ".dae" else {}
        file = BytesIO(data)
        scene = trimesh.load_scene(file, file_type=suffix[1:], process=False, **options)
        parts = [
            trimesh.transform_points(scene.geometry[name].vertices, pose)
            for pose, name in map(scene.graph.get, scene.graph.nodes_geometry)
        ]
        vertices = np.vstack([np.zeros((0, 3)), *parts])
    except Exception as error:  # whatever trimesh, pycollada, lxml and numpy raise
        message = " ".join(str(error).split())[:200] or type(error).__name__
        raise ModelFileError(f"{path}: trimesh cannot read it: {message}") from error
    if len(vertices) == 0:
        raise ModelFileError(f"{path}: holds no triangles; a shape needs at least one")
    if len(vertices) > MOST_POINTS:
        message = f"has {len(vertices)} vertices; at most {MOST_POINTS} are allowed, so simplify it"
        raise ModelFileError(f"{path}: {message}")
    if not np.isfinite(vertices).all():
        raise ModelFileError(f"{path}: has vertices that are not finite; export it again")
    return vertices


def hull_of(points: np.ndarray, path: Path) -> Hull:
    """Convex hull of points, with at most MOST_VERTICES of its vertices."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) > MANY_POINTS:
        before, points = len(points), _without_inner(points, 26)
        if MANY_POINTS < len(points) < 0.8 * before:  # so it is not a ball
            points = _without_inner(points, 128)
    count, flat = len(points), False
    if count > MANY_POINTS:
        corners = _outermost(points, MOST_VERTICES)
    else:
        try:
            corners = points[np.sort(ConvexHull(points).vertices)]
            count = len(corners)
        except (QhullError, ValueError):  # flat, or fewer than four points
            corners, flat = _outermost(points, 128), True
            count = len(corners)
    if len(corners) < 4:
        message = f"has {len(corners)} corners; a hull needs at least four"
        raise ModelFileError(f"{path}: {message}")
    if len(corners) > MOST_VERTICES:
        corners = _fewer(corners)
    return Hull(corners, count, flat)


def _without_inner(points: np.ndarray, count: int) -> np.ndarray:
    """The points that are not inside the hull of `count` of them."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        planes = ConvexHull(_outermost(points, count)).equations  # normal and offset, outwards
    except (QhullError, ValueError):  # flat
        return _outermost(points, 128)
    parts = np.array_split(points, -(-len(points) * len(planes) // PRODUCTS))
    normals, offsets = planes[:, :3], planes[:, 3]
    outside = [(_products(part, normals) + offsets > -1e-9).any(axis=1) for part in parts]
    points = points[np.concatenate(outside)]
    return np.unique(points, axis=0) if len(points) < MOST_POINTS // 2 else points


def _outermost(points: np.ndarray, count: int) -> np.ndarray:
    """The points that are farthest in one of `count` directions."""
    extent = np.ptp(points, axis=0)
    scaled = (points - points.mean(axis=0)) / np.where(extent > 0.0, extent, 1.0)
    at_once = max(1, PRODUCTS // len(points))
    parts = np.array_split(_directions(count), -(-count // at_once))
    furthest = [np.argmax(_products(part, scaled), axis=1) for part in parts]
    return points[np.unique(np.concatenate(furthest))]


def _products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Scalar products of the rows of a and b; with @, BLAS threads would wait for a free CPU."""
    return np.einsum("ik,jk->ij", a, b)


def _fewer(corners: np.ndarray) -> np.ndarray:
    """MOST_VERTICES of the corners: repeatedly the one farthest outside the hull of those taken."""
    if len(corners) > 4000:
        corners = _outermost(corners, 4000)
    reach = corners @ _directions(2048).T  # of each corner in each direction
    taken = [int(np.argmax(reach[:, 0]))]
    reached = reach[taken[0]].copy()
    whole = reach.max(axis=0)
    while len(taken) < min(MOST_VERTICES, len(corners)):
        direction = np.argmax(whole - reached)
        taken.append(int(np.argmax(reach[:, direction])))
        reached = np.maximum(reached, reach[taken[-1]])
    return corners[np.unique(taken)]


def _directions(count: int) -> np.ndarray:
    """Unit vectors along the axes, and others evenly spaced on a spiral over the sphere."""
    k = np.arange(count - 6) + 0.5
    z, angle = 1.0 - 2.0 * k / len(k), np.pi * (1.0 + 5.0**0.5) * k
    r = np.sqrt(1.0 - z * z)
    return np.vstack(
        [np.eye(3), -np.eye(3), np.column_stack([r * np.cos(angle), r * np.sin(angle), z])]
    )


def _check_stl(data: bytes, path: Path) -> None:
    """Raise ModelFileError unless an STL file is text, or as long as its header says."""
    faces = int.from_bytes(data[80:STL_HEADER], "little")
    length = STL_HEADER + STL_FACE * faces
    if len(data) < STL_HEADER or len(data) != length:
        if data.lstrip()[:5].lower() == b"solid" and b"facet" in data[:2000]:
            return
        message = f"has {len(data)} bytes, but its header declares {faces} triangles, which need"
        raise ModelFileError(f"{path}: {message} {length}; export it again")


class _DaeScan(Scan):
    """Unit and up axis of a COLLADA file; refuses content that must not reach pycollada."""

    def __init__(self, source: str) -> None:
        super().__init__(source, "a .dae file has a <COLLADA> element")
        self.parser.CharacterDataHandler = self._text
        self.unit, self.up = 1.0, "Y_UP"
        self.instances = 0
        self.tag = ""

    def element(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        if tag == "unit" and "meter" in attributes:
            self.unit = self._metres(attributes["meter"])
        self.instances += tag == "instance_node"
        if self.instances > MOST_INSTANCES:
            message = f"has more than {MOST_INSTANCES} <instance_node>; export it as one mesh"
            raise ModelFileError(f"{self.where}: {message}")

    def _metres(self, text: str) -> float:
        try:
            unit = float(text)
        except ValueError:
            unit = 0.0
        if not 1e-9 < unit < 1e9:
            message = f'<unit> has meter="{text[:80]}"; give its length in metres'
            raise ModelFileError(f"{self.where}: {message}")
        return unit

    def ended(self, tag: str) -> None:
        self.tag = ""

    def _text(self, text: str) -> None:
        if self.tag == "up_axis" and text.strip():
            self.up = text.strip()[:20]


def scaled(vertices: np.ndarray, scale: np.ndarray) -> tuple[Vector, ...]:
    """The vertices, stretched along the axes, as plain tuples."""
    return tuple((x, y, z) for x, y, z in (vertices * scale + 0.0).tolist())
