"""Meshes of a compiled MuJoCo model: hulls, and triangles where they are fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.description.description import Vector
from stiction.description.hull import Thinned, outermost, thinned
from stiction.description.mjcf_model import MESH, Names, colliding_geoms, fixed_geoms
from stiction.description.triangles import filled_part, kept_triangles, note_on_hollow

if TYPE_CHECKING:
    from mujoco import MjModel


class Body(NamedTuple):
    """What the shape of a geom is made of."""

    kind: str
    vertices: tuple[Vector, ...] = ()
    error: float = 0.0  # of a thinned hull [m]
    triangles: tuple[tuple[int, int, int], ...] = ()


def bodies_of_meshes(
    model: MjModel, names: Names, source: str, hull_points: int
) -> dict[int, Body]:
    """The hull or the triangles of each geom that is a mesh."""
    hulls, made = _hulls(model, hull_points), {}
    keep = fixed_geoms(model) & colliding_geoms(model)
    for i in np.flatnonzero(model.geom_type == MESH).tolist():
        mesh = int(model.geom_dataid[i])
        where = f"{source}: mesh of geom '{names.geom[i]}'"
        kept = kept_triangles(*mesh_of(model, mesh), where) if keep[i] else None
        if kept is None:
            made[i] = Body("hull", _rows(hulls[mesh].vertices), hulls[mesh].error)
        else:
            made[i] = Body("mesh", _rows(kept[0]), triangles=_rows(kept[1]))
    return made


def notes_on_meshes(model: MjModel, names: Names) -> list[str]:
    """A note on meshes that move and collide as hulls that are much larger."""
    moving = colliding_geoms(model) & ~fixed_geoms(model) & (model.geom_type == MESH)
    filled, parts = {}, {}
    for i in np.flatnonzero(moving).tolist():
        mesh = int(model.geom_dataid[i])
        if mesh not in parts:
            parts[mesh] = filled_part(*mesh_of(model, mesh), _vertices(model, mesh))
        filled[names.geom[i]] = parts[mesh]
    return note_on_hollow(filled)


def _rows(array: np.ndarray) -> Any:
    return tuple(map(tuple, array.tolist()))


def _hulls(model: MjModel, hull_points: int) -> dict[int, Thinned]:
    """The hull of each mesh that a geom has; rough if none that collides has it."""
    meshes, hulls = model.geom_type == MESH, {}
    touching = set(model.geom_dataid[meshes & colliding_geoms(model)].tolist())
    for mesh in set(model.geom_dataid[meshes].tolist()):
        vertices = _vertices(model, mesh)
        if mesh in touching:
            hulls[mesh] = thinned(vertices, hull_points)
        elif len(vertices) > hull_points:
            hulls[mesh] = Thinned(outermost(vertices, hull_points))
        else:
            hulls[mesh] = Thinned(vertices)
    return hulls


def mesh_of(model: MjModel, mesh: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a mesh."""
    start, first = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
    vertices = model.mesh_vert[start : start + model.mesh_vertnum[mesh]].astype(float)
    return vertices, model.mesh_face[first : first + model.mesh_facenum[mesh]].astype(int)


def _vertices(model: MjModel, mesh: int) -> np.ndarray:
    """Vertices of the convex hull of a mesh; for a visual mesh its outermost ones."""
    vertices, graph = mesh_of(model, mesh)[0], model.mesh_graphadr[mesh]
    if graph >= 0:  # layout of mesh_graph: two counts, edge addresses, then hull vertices
        count = model.mesh_graph[graph]
        hull = model.mesh_graph[graph + 2 + count : graph + 2 + 2 * count]
    else:
        steps = np.linspace(-1.0, 1.0, 5)
        directions = np.stack(np.meshgrid(steps, steps, steps), -1).reshape(-1, 3)
        hull = np.unique(np.argmax(vertices @ directions.T, axis=0))
    return vertices[np.sort(hull)]
