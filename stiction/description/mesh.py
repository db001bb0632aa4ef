"""Mesh files (.stl, .obj, .dae) through trimesh: triangles, and vertices of convex hulls.

A file that could make a reader allocate or loop without bound is refused before trimesh sees it.
The libraries behind .dae files run in a child process.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stiction.description.hull import corners_of
from stiction.description.mesh_dae import judged_dae
from stiction.description.triangles import CLOSED
from stiction.description.visual import Colour
from stiction.description.xml_text import bytes_of
from stiction.errors import ModelFileError
from stiction.files.child import Task, call

LARGEST_MESH = 40_000_000  # [bytes]
MOST_POINTS = 1_000_000  # of a mesh; three for every triangle of an STL file
SUFFIXES = (".stl", ".obj", ".dae")
STL_HEADER, STL_FACE = 84, 50  # [bytes]


class Hull(NamedTuple):
    """The convex hull of a mesh file."""

    vertices: np.ndarray  # (n, 3), in the file's axes [m]; if very many, also inner ones
    flat: bool = False
    inverted: bool = False  # a closed surface whose triangles face inwards
    up: str = ""  # up axis of a .dae file, which is not applied
    points: np.ndarray = np.zeros((0, 3))  # all vertices of the file [m]
    triangles: np.ndarray = np.zeros((0, 3), int)  # (n, 3) of them


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
        return hull_of(*vertices_of(data, suffix, path), path)
    dae = judged_dae(data, str(path))
    task = Task("stiction.description.mesh:vertices_of", str(path), "pycollada")
    vertices, triangles, inverted = call(task, dae.text, suffix, path)
    return hull_of(vertices * dae.unit, triangles, inverted, path)._replace(up=dae.up)


def coloured_parts(path: Path) -> list[tuple[Colour, np.ndarray, np.ndarray]]:
    """Colour, vertices [m] and triangles of each part of a .dae file, in the file's axes."""
    dae = judged_dae(bytes_of(path, "a mesh file", LARGEST_MESH), str(path), colours=True)
    task = Task("stiction.description.mesh:colours_of", str(path), "pycollada")
    parts = call(task, dae.text, path)
    return [(colour, dae.unit * vertices, triangles) for colour, vertices, triangles in parts]


def colours_of(data: bytes, path: Path) -> list[tuple[Colour, np.ndarray, np.ndarray]]:
    """Colour, vertices and triangles of each part of the text of a .dae file."""
    import trimesh

    try:
        scene = trimesh.load_scene(BytesIO(data), file_type="dae", process=False)
        parts = []
        for node in scene.graph.nodes_geometry:
            pose, name = scene.graph.get(node)
            mesh = scene.geometry[name]
            points = trimesh.transform_points(mesh.vertices, pose)
            red, green, blue, opacity = (np.asarray(_colour_of(mesh), float) / 255.0).tolist()
            parts.append(((red, green, blue, opacity), points, _turned(mesh.faces, pose)))
    except MemoryError:
        raise
    except Exception as error:  # whatever trimesh, pycollada, lxml and numpy raise
        raise ModelFileError(f"{path}: its colours cannot be read: {error}") from error
    return parts


def _colour_of(mesh: Any) -> np.ndarray:
    material = getattr(mesh.visual, "material", None)
    return mesh.visual.main_color if material is None else material.main_color


def vertices_of(data: bytes, suffix: str, path: Path) -> tuple[np.ndarray, np.ndarray, bool]:
    """The vertices of a file, (n, 3), its triangles, and whether these face inwards."""
    import trimesh

    try:
        options: dict[str, Any] = {"ignore_broken": False} if suffix == ".dae" else {}
        file = BytesIO(data)
        scene = trimesh.load_scene(file, file_type=suffix[1:], process=False, **options)
        nodes = [scene.graph.get(node) for node in scene.graph.nodes_geometry]
        parts = [
            trimesh.transform_points(scene.geometry[name].vertices, pose) for pose, name in nodes
        ]
        vertices = np.vstack([np.zeros((0, 3)), *parts])
        first = np.cumsum([0, *map(len, parts)])
        triangles = [
            _turned(scene.geometry[name].faces, pose) + start
            for (pose, name), start in zip(nodes, first[:-1], strict=True)
        ]
        geometries = scene.geometry.values()
        inverted = bool(geometries) and all(_is_inverted(each.triangles) for each in geometries)
    except MemoryError:
        raise
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
    return vertices, np.vstack([np.zeros((0, 3), int), *triangles]), inverted


def _turned(triangles: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """The triangles, the other way round if the pose mirrors them."""
    triangles = np.asarray(triangles, int).reshape(-1, 3)  # a mesh without any has no columns
    return triangles[:, ::-1] if np.linalg.det(pose[:3, :3]) < 0.0 else triangles


def _is_inverted(triangles: np.ndarray) -> bool:
    """Whether triangles, (n, 3, 3), are a closed surface that faces inwards.

    The area vectors of a closed surface add up to zero, and its volume is negative if they point
    inwards.
    """
    if len(triangles) == 0 or not np.isfinite(triangles).all():
        return False
    a, b, c = (triangles - triangles.mean(axis=(0, 1))).transpose(1, 0, 2)
    areas = np.cross(b - a, c - a)
    closed = np.linalg.norm(areas.sum(axis=0)) <= CLOSED * np.linalg.norm(areas, axis=1).sum()
    return bool(closed and np.einsum("ij,ij->", a, np.cross(b, c)) < 0.0)


def hull_of(points: np.ndarray, triangles: np.ndarray, inverted: bool, path: Path) -> Hull:
    """Convex hull of points."""
    corners, flat = corners_of(points)
    if len(corners) < 4:
        message = f"has {len(corners)} corners; a hull needs at least four"
        raise ModelFileError(f"{path}: {message}")
    return Hull(corners, flat, inverted, points=points, triangles=triangles)


def _check_stl(data: bytes, path: Path) -> None:
    """Raise ModelFileError unless an STL file is text, or as long as its header says."""
    faces = int.from_bytes(data[80:STL_HEADER], "little")
    length = STL_HEADER + STL_FACE * faces
    if len(data) < STL_HEADER or len(data) != length:
        if data.lstrip()[:5].lower() == b"solid" and b"facet" in data[:2000]:
            return
        message = f"has {len(data)} bytes, but its header declares {faces} triangles, which need"
        raise ModelFileError(f"{path}: {message} {length}; export it again")
