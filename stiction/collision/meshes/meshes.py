"""Triangle meshes as arrays for kernels: a tree of boxes, and how triangles meet at their edges.

The tree is balanced: every node halves the triangles along the axis on which their centres are
spread most, down to leaves of at most LEAF. Nodes are in depth-first order, and each knows the node
after its last descendant, so a search needs no stack (escape indices; Smits 1998).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stiction.collision.pairs.shapes import Hulls

LEAF = 4  # most triangles of a leaf
FLAT = 1e-9  # sine of the angle between triangles in one plane
SIDES = 3  # shapes that stand for a mesh: one for each axis that normals are close to


class NoMeshes(NamedTuple):
    """No shape is a mesh."""


class Meshes(NamedTuple):
    """Meshes in the axes of their shapes; triangles and vertices of all are numbered together.

    Triangle t is also hull `first_hull[0]` + t of `Shapes.hulls`, with two faces. Its edge k leads
    from corner k to the next one.
    """

    first_node: np.ndarray  # (meshes + 1)
    low: np.ndarray  # (nodes, 3) of the box [m]
    high: np.ndarray  # (nodes, 3)
    escape: np.ndarray  # (nodes) the node after its last descendant
    begin: np.ndarray  # (nodes) first triangle of a leaf
    end: np.ndarray  # (nodes) and the one after its last, the same for other nodes
    first_hull: np.ndarray  # (1)
    normal: np.ndarray  # (triangles, 3) unit vectors, outwards
    extent: np.ndarray  # (triangles) length of the longest edge [m]
    across: np.ndarray  # (3 triangles, 3) at each edge: unit vector in the plane of the neighbour,
    # away from it; the triangle's own normal at an open edge
    edge_normal: np.ndarray  # (3 triangles, 3) sum of the normals of both triangles
    bends: np.ndarray  # (3 triangles) 1 unless the surface is flat or hollow around that edge
    centre: np.ndarray  # (triangles, 3) [m]; the vertices of its hull are relative to it
    vertex: np.ndarray  # (triangles, 3) numbers of its corners
    vertex_normal: np.ndarray  # (vertices, 3) sum of normals, weighted with angles at the vertex
    first_spoke: np.ndarray  # (vertices + 1)
    spoke: np.ndarray  # (spokes, 3) unit vectors from a vertex along the edges that begin there


class Triangles(NamedTuple):
    """One mesh."""

    vertices: np.ndarray  # (n, 3) [m]
    triangles: np.ndarray  # (m, 3) vertices, counterclockwise from outside


def make_meshes(meshes: Sequence[Triangles], hulls: Hulls) -> tuple[Meshes | NoMeshes, Hulls]:
    """The meshes, and hulls that include their triangles."""
    if not meshes:
        return NoMeshes(), hulls
    parts, nodes, triangles, vertices = [], 0, 0, 0
    for mesh in meshes:
        tree, order = _tree(mesh.vertices[mesh.triangles])
        part = tree | _edges(Triangles(mesh.vertices, mesh.triangles[order]))
        for field in ("begin", "end"):
            part[field] = part[field] + triangles
        part["escape"], part["vertex"] = part["escape"] + nodes, part["vertex"] + vertices
        nodes, triangles = nodes + len(part["low"]), triangles + len(order)
        vertices += len(mesh.vertices)
        parts.append(part)
    names = "low high escape begin end normal extent across edge_normal bends centre vertex"
    joined = {
        name: np.concatenate([part[name] for part in parts])
        for name in (*names.split(), "vertex_normal", "spoke")
    }
    spokes = np.concatenate([np.diff(part["first_spoke"]) for part in parts])
    corners = np.concatenate([part["corners"] for part in parts])
    made = Meshes(
        **joined,
        first_node=np.cumsum([0, *(len(part["low"]) for part in parts)]),
        first_hull=np.array([len(hulls.first_vertex) - 1]),
        first_spoke=np.concatenate([[0], np.cumsum(spokes)]).astype(int),
    )
    return made, _with_triangles(hulls, corners, made.normal)


def _tree(corners: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The nodes over triangles with these corners, (n, 3, 3), and the triangles in their order."""
    n, centre = len(corners), corners.mean(axis=1)
    depth = max(int(np.ceil(np.log2(n / LEAF))), 0)
    order, levels = np.arange(n), []
    for level in range(depth + 1):
        starts = n * np.arange(2**level) // 2**level
        levels.append(starts)
        if level < depth:
            spread = np.maximum.reduceat(centre[order], starts)
            spread = spread - np.minimum.reduceat(centre[order], starts)
            sizes = np.diff([*starts, n])
            key = centre[order, np.repeat(spread.argmax(axis=1), sizes)]
            order = order[np.lexsort((key, np.repeat(np.arange(2**level), sizes)))]
    nodes = 2 ** (depth + 1) - 1
    low, high = np.zeros((nodes, 3)), np.zeros((nodes, 3))
    escape, begin, end = (np.zeros(nodes, int) for _ in range(3))
    place = np.zeros(1, int)
    for level, starts in enumerate(levels):
        below = 2 ** (depth - level + 1) - 1  # nodes of the tree that begins here
        low[place] = np.minimum.reduceat(corners.min(axis=1)[order], starts)
        high[place] = np.maximum.reduceat(corners.max(axis=1)[order], starts)
        escape[place] = place + below
        if level == depth:
            begin[place], end[place] = starts, [*starts[1:], n]
        place = np.stack([place + 1, place + 1 + (below - 1) // 2], axis=1).ravel()
    return {"low": low, "high": high, "escape": escape, "begin": begin, "end": end}, order


def _edges(mesh: Triangles) -> dict[str, np.ndarray]:
    """Normals, neighbours across edges, and what surrounds each vertex."""
    corner, vertex = mesh.vertices[mesh.triangles], mesh.triangles
    along = np.roll(corner, -1, axis=1) - corner
    length = np.linalg.norm(along, axis=2)
    normal = np.cross(along[:, 0], along[:, 1])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    outwards = np.cross(along, normal[:, None]) / length[..., None]
    neighbour = _neighbours(vertex)
    across = np.repeat(normal[:, None], 3, axis=1)
    edge_normal = across.copy()
    here, edge = np.nonzero(neighbour >= 0)
    there, other = np.divmod(neighbour[here, edge], 3)
    across[here, edge] = outwards[there, other]
    edge_normal[here, edge] += normal[there]
    bent = np.einsum("nki,ni->nk", across, normal) > FLAT
    at_bend = np.zeros(len(mesh.vertices), bool)
    at_bend[vertex[bent]] = at_bend[np.roll(vertex, -1, axis=1)[bent]] = True
    bends = at_bend[vertex] | at_bend[np.roll(vertex, -1, axis=1)]
    angle = _angles(along, length)
    vertex_normal = np.zeros_like(mesh.vertices)
    np.add.at(vertex_normal, vertex.ravel(), np.repeat(normal, 3, axis=0) * angle.reshape(-1, 1))
    size = np.linalg.norm(vertex_normal, axis=1)
    vertex_normal /= np.where(size > 0.0, size, 1.0)[:, None]
    first_spoke, spoke = _spokes(mesh)
    return {
        "corners": corner - corner.mean(axis=1)[:, None],
        "centre": corner.mean(axis=1),
        "bends": bends.ravel().astype(int),
        "normal": normal,
        "extent": length.max(axis=1),
        "across": across.reshape(-1, 3),
        "edge_normal": edge_normal.reshape(-1, 3),
        "vertex": vertex,
        "vertex_normal": vertex_normal,
        "first_spoke": first_spoke,
        "spoke": spoke,
    }


def _neighbours(triangles: np.ndarray) -> np.ndarray:
    """For each edge the edge it is shared with, as 3 triangle + edge; -1 if it is open.

    An edge is open unless it belongs to two triangles that run along it in opposite directions.
    """
    begin, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    n = int(triangles.max()) + 1
    there, back = begin * n + end, end * n + begin
    known, first, count = np.unique(there, return_index=True, return_counts=True)
    place = np.searchsorted(known, back) % len(known)
    own = np.searchsorted(known, there)
    shared = (known[place] == back) & (count[place] == 1) & (count[own] == 1)
    return np.where(shared, first[place], -1).reshape(-1, 3)


def _angles(along: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Angle at each corner of triangles [rad], (n, 3)."""
    unit = along / length[..., None]
    cosine = -np.einsum("nki,nki->nk", unit, np.roll(unit, 1, axis=1))
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def _spokes(mesh: Triangles) -> tuple[np.ndarray, np.ndarray]:
    """Directions of the edges at each vertex: first of each, and unit vectors."""
    begin, end = mesh.triangles.ravel(), np.roll(mesh.triangles, -1, axis=1).ravel()
    both = np.unique(np.concatenate([np.stack([begin, end], 1), np.stack([end, begin], 1)]), axis=0)
    way = mesh.vertices[both[:, 1]] - mesh.vertices[both[:, 0]]
    count = np.bincount(both[:, 0], minlength=len(mesh.vertices))
    first = np.concatenate([[0], np.cumsum(count)]).astype(int)
    return first, way / np.linalg.norm(way, axis=1)[:, None]


def _with_triangles(hulls: Hulls, corners: np.ndarray, normal: np.ndarray) -> Hulls:
    """The hulls, and triangles (n, 3, 3) as hulls without volume: a front and a back."""
    n = len(corners)
    vertices, faces = len(hulls.vertex), len(hulls.normal)
    face = np.repeat(faces + 2 * np.arange(n), 3)
    return Hulls(
        vertex=np.concatenate([hulls.vertex, corners.reshape(-1, 3)]),
        first_vertex=np.concatenate([hulls.first_vertex, vertices + 3 * np.arange(1, n + 1)]),
        normal=np.concatenate([hulls.normal, np.stack([normal, -normal], 1).reshape(-1, 3)]),
        corner=np.concatenate([hulls.corner, np.tile([0, 1, 2, 0, 2, 1], n)]),
        first_corner=np.concatenate(
            [hulls.first_corner, len(hulls.corner) + 3 * np.arange(1, 2 * n + 1)]
        ),
        face=np.concatenate([hulls.face, np.stack([face, face + 1], 1).ravel()]),
        first_face=np.concatenate(
            [hulls.first_face, len(hulls.face) + 2 * np.arange(1, 3 * n + 1)]
        ),
    )
