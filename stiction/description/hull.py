"""Convex hulls with few vertices, and their distance from the full ones.

`thinned` keeps vertices of the full hull, so the thinned hull lies inside it. It starts with the
extreme points along the axes, which keeps the bounding box, and then repeatedly adds the vertex
that is farthest outside. A vertex of a large flat face counts by its distance from what is kept of
this face: a sole stays flat, and its outline is as accurate as the rest.

The error is exact. It is the largest distance of a vertex from the thinned hull, or, on a large
flat face, from the kept part of this face. The distance from a convex set is a convex function, so
no point of the full hull is farther away than its farthest vertex.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

DEFAULT_POINTS = 64  # vertices of a hull; docs/loading.md has the errors that this number causes
FEWEST_POINTS = 8
MANY_POINTS = 20_000  # Qhull takes 20 s for 100 000 points if all are corners
OUTERMOST = 4000  # of more points than that, those that a hull is chosen from
FLAT = 1e-6  # thickness of a flat hull, relative to its size; meshes have single precision
FLATNESS = 1e-4  # distance of vertices from the plane of their face, relative to the hull's size
LARGE_FACE = 0.02  # area of a face whose outline is kept, relative to the surface of the hull
MOST_FACES = 32  # that are looked for
MOST_UNIQUE = 500_000  # points that are searched for equal ones
ROUNDING = 1e-9  # relative
AT_ONCE, APART = 8, 4.0  # vertices added at a time, this many times the current error apart
PRODUCTS = 2_000_000  # of points and directions at a time, to limit memory
MOST_PRODUCTS = 4_000_000_000  # in all, to limit time


class Thinned(NamedTuple):
    """Some vertices of a hull, and what leaving out the others does."""

    vertices: np.ndarray  # (n, 3) in the order given [m]
    error: float = 0.0  # largest distance between the full hull and this one [m]


class Face(NamedTuple):
    """A large flat face; its vertices go around it."""

    vertex: np.ndarray  # (n) indices
    points: np.ndarray  # (n, 3)


def is_flat(points: np.ndarray) -> bool:
    """Whether points, (n, 3), lie in a plane."""
    spread = points - points.mean(axis=0)
    size = np.abs(spread).max()
    normal = np.linalg.eigh(spread.T @ spread)[1][:, 0] if size > 0.0 else np.zeros(3)
    return bool(np.abs(spread @ normal).max() <= FLAT * size)


def corners_of(points: np.ndarray) -> tuple[np.ndarray, bool]:
    """Vertices of the convex hull of points, and whether it is flat.

    If more than MANY_POINTS may be vertices, all of these.
    """
    from scipy.spatial import ConvexHull, QhullError

    if is_flat(points):
        return _outline(points), True
    if len(points) > MANY_POINTS:
        before, points = len(points), _without_inner(points, 26)
        if MANY_POINTS < len(points) < 0.8 * before:  # so it is not a ball
            points = _without_inner(points, 128)
    if len(points) > MANY_POINTS:
        return points, False
    try:
        return points[np.sort(ConvexHull(points).vertices)], False
    except (QhullError, ValueError):  # fewer than four points, or too small for Qhull
        return _outline(points), True


def thinned(points: np.ndarray, most: int = DEFAULT_POINTS) -> Thinned:
    """At most `most` vertices of the convex hull of points, (n, 3)."""
    from scipy.spatial import ConvexHull

    corners, flat = corners_of(points)
    if flat:
        return _thinned_flat(corners, most)
    if len(corners) <= most:
        return Thinned(corners)
    if len(corners) <= MANY_POINTS:
        return _chosen(corners, _large_faces(ConvexHull(corners)), most)
    count = min(OUTERMOST, MOST_PRODUCTS // len(corners))
    vertices = thinned(outermost(corners, count), most).vertices
    surface = Surface.of(vertices, ConvexHull(vertices).simplices)
    return Thinned(vertices, surface.farthest(corners))


def _thinned_flat(corners: np.ndarray, most: int) -> Thinned:
    """Some of the corners of a flat hull, which go around it."""
    face, kept = Face(np.arange(len(corners)), corners), [0]
    while len(kept) < min(most, len(corners)):
        kept.append(int(np.argmax(_outside_face(face, kept))))
    return Thinned(corners[np.sort(kept)], float(_outside_face(face, kept).max()))


def _outline(points: np.ndarray) -> np.ndarray:
    """Corners of points in a plane, around it; of points on a line, all of them."""
    from scipy.spatial import ConvexHull, QhullError

    points = np.unique(points, axis=0)
    axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2][:2]
    try:
        return points[ConvexHull(points @ axes.T).vertices]
    except (QhullError, ValueError):
        return points if len(points) <= 128 else outermost(points, 128)


def _chosen(corners: np.ndarray, faces: list[Face], most: int) -> Thinned:
    """Add the farthest corners to those kept, until there are `most`."""
    from scipy.spatial import ConvexHull

    kept = _start(corners)
    while len(kept) < most:
        surface = Surface.of(corners[kept], ConvexHull(corners[kept]).simplices)
        distance = surface.bounds(corners)
        for face in faces:
            away = _outside_face(face, kept)
            distance[face.vertex] = np.maximum(distance[face.vertex], away)
        distance[kept] = 0.0
        if not distance.any():
            break
        kept += _far_and_apart(corners, distance, most - len(kept))
    surface = Surface.of(corners[kept], ConvexHull(corners[kept]).simplices)
    on_faces = max((float(_outside_face(face, kept).max()) for face in faces), default=0.0)
    return Thinned(corners[np.sort(kept)], max(on_faces, surface.farthest(corners)))


def _far_and_apart(corners: np.ndarray, distance: np.ndarray, room: int) -> list[int]:
    """The farthest corner, and others nearly as far but not near it, to be added at once."""
    order = np.argsort(-distance, kind="stable")[: 4 * AT_ONCE]
    far = distance[order[0]]
    chosen = [int(order[0])]
    for i in order[1:]:
        if len(chosen) >= min(AT_ONCE, -(-room // 4)) or distance[i] < far / 2.0:
            break
        if (np.linalg.norm(corners[chosen] - corners[i], axis=1) > APART * far).all():
            chosen.append(int(i))
    return chosen


def _start(corners: np.ndarray) -> list[int]:
    """The extreme corners along the axes, and more until they span a volume."""
    kept = list(dict.fromkeys([*corners.argmax(axis=0).tolist(), *corners.argmin(axis=0).tolist()]))
    size = np.ptp(corners, axis=0).max()
    for _ in range(3):
        spread = corners - corners[kept[0]]
        _, values, axes = np.linalg.svd(spread[kept])
        spanned = axes[: int((values > ROUNDING * size).sum())]
        if len(spanned) == 3:
            break
        beyond = spread - (spread @ spanned.T) @ spanned
        kept.append(int(np.argmax(np.einsum("ij,ij->i", beyond, beyond))))
    return kept


# --------------------------------------------------------------------------------------- flat faces


def _large_faces(hull: ConvexHull) -> list[Face]:
    """Flat faces with a good part of the surface of a hull, all of whose points are vertices."""
    points = hull.points
    a, b, c = (points[hull.simplices[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2.0
    near = FLATNESS * np.ptp(points, axis=0).max()
    free, faces = areas.copy(), []
    for _ in range(MOST_FACES):
        plane = hull.equations[int(np.argmax(free))]
        flat = np.abs(points @ plane[:3] + plane[3]) <= near
        inside = flat[hull.simplices].all(axis=1) & (free > 0.0)
        if areas[inside].sum() >= LARGE_FACE * areas.sum():
            faces.append(_face(np.flatnonzero(flat), points, plane[:3]))
        free[inside] = 0.0
        if not free.any():
            break
    return faces


def _face(vertex: np.ndarray, corners: np.ndarray, normal: np.ndarray) -> Face:
    """The face with these corners; those inside its outline are left out."""
    from scipy.spatial import ConvexHull

    x = np.linalg.svd(normal[None])[2][1]
    axes = np.stack([x, np.cross(normal, x)], axis=1)
    outline = vertex[ConvexHull(corners[vertex] @ axes).vertices]  # goes around the face
    return Face(outline, corners[outline])


def _outside_face(face: Face, kept: list[int]) -> np.ndarray:
    """Distance of each vertex of a face from the polygon of those kept; they go around it."""
    places = np.flatnonzero(np.isin(face.vertex, kept))
    if len(places) == 0:
        return np.full(len(face.vertex), np.ptp(face.points, axis=0).max())
    before = np.searchsorted(places, np.arange(len(face.vertex)), side="right") - 1
    first, last = places[before], places[(before + 1) % len(places)]  # -1: the last one kept
    distance = _from_segments(face.points, face.points[first], face.points[last])
    distance[places] = 0.0
    return distance


# ----------------------------------------------------------------------------------- exact distance


class Surface(NamedTuple):
    """The triangles of a convex hull, and their planes, outwards."""

    triangles: tuple[np.ndarray, np.ndarray, np.ndarray]  # their corners, each (n, 3)
    normals: np.ndarray  # (n, 3)
    offsets: np.ndarray  # (n)

    @classmethod
    def of(cls, vertices: np.ndarray, simplices: np.ndarray) -> Surface:
        """The surface of a hull from its vertices and those of each triangle, (n, 3)."""
        a, b, c = (vertices[simplices[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        lengths = np.linalg.norm(normals, axis=1)
        good = lengths > 0.0
        a, b, c, normals = a[good], b[good], c[good], normals[good] / lengths[good, None]
        outwards = np.einsum("ij,ij->i", normals, a - vertices.mean(axis=0))
        normals *= np.where(outwards < 0.0, -1.0, 1.0)[:, None]
        return cls((a, b, c), normals, np.einsum("ij,ij->i", normals, a))

    def bounds(self, points: np.ndarray) -> np.ndarray:
        """Upper bounds on the distances of points, (n); 0 inside.

        Each is the distance from the triangle whose plane the point is highest above.
        """
        bounds = np.zeros(len(points))
        parts = -(-len(points) * len(self.offsets) // PRODUCTS)
        for part in np.array_split(np.arange(len(points)), parts):
            heights = _products(points[part], self.normals) - self.offsets
            triangle = heights.argmax(axis=1)
            outside = heights[np.arange(len(part)), triangle] > 0.0
            corners = (each[triangle[outside]] for each in self.triangles)
            bounds[part[outside]] = _from_triangles(points[part[outside]], *corners)
        return bounds

    def farthest(self, points: np.ndarray) -> float:
        """Largest distance of a point [m], exact.

        Points are taken in the order of their bounds, until these fall below what was found.
        """
        bounds, found = self.bounds(points), 0.0
        for i in np.argsort(-bounds):
            if bounds[i] <= found:
                break
            point = np.broadcast_to(points[i], self.normals.shape)
            found = max(found, float(_from_triangles(point, *self.triangles).min()))
        return found


def _from_triangles(points: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Distance of each point from its triangle, (n)."""
    ab, ac, ap = b - a, c - a, points - a
    d00, d01, d11 = (np.einsum("ij,ij->i", u, v) for u, v in ((ab, ab), (ab, ac), (ac, ac)))
    d20, d21 = np.einsum("ij,ij->i", ap, ab), np.einsum("ij,ij->i", ap, ac)
    area = d00 * d11 - d01 * d01
    with np.errstate(divide="ignore", invalid="ignore"):
        v, w = (d11 * d20 - d01 * d21) / area, (d00 * d21 - d01 * d20) / area
    above = (v >= 0.0) & (w >= 0.0) & (v + w <= 1.0)
    normal = np.cross(ab, ac)
    height = np.abs(np.einsum("ij,ij->i", ap, normal)) / np.sqrt(np.maximum(area, 1e-300))
    edges = [_from_segments(points, p, q) for p, q in ((a, b), (b, c), (c, a))]
    return np.where(above, height, np.minimum.reduce(edges))


def _from_segments(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Distance of each point from its segment, (n)."""
    along, to = end - start, points - start
    squared = np.einsum("ij,ij->i", along, along)
    share = np.einsum("ij,ij->i", to, along) / np.where(squared > 0.0, squared, 1.0)
    return np.linalg.norm(to - np.clip(share, 0.0, 1.0)[:, None] * along, axis=1)


# --------------------------------------------------------------------------------- outermost points


def outermost(points: np.ndarray, count: int) -> np.ndarray:
    """The points that are farthest in one of `count` directions."""
    extent = np.ptp(points, axis=0)
    scaled = (points - points.mean(axis=0)) / np.where(extent > 0.0, extent, 1.0)
    at_once = max(1, PRODUCTS // len(points))
    parts = np.array_split(_directions(count), -(-count // at_once))
    furthest = [np.argmax(_products(part, scaled), axis=1) for part in parts]
    return points[np.unique(np.concatenate(furthest))]


def _without_inner(points: np.ndarray, count: int) -> np.ndarray:
    """The points that are not inside the hull of `count` of them."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        planes = ConvexHull(outermost(points, count)).equations  # normal and offset, outwards
    except (QhullError, ValueError):  # flat
        return outermost(points, 128)
    parts = np.array_split(points, -(-len(points) * len(planes) // PRODUCTS))
    normals, offsets = planes[:, :3], planes[:, 3]
    outside = [(_products(part, normals) + offsets > -1e-9).any(axis=1) for part in parts]
    points = points[np.concatenate(outside)]
    return np.unique(points, axis=0) if len(points) < MOST_UNIQUE else points


def _products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Scalar products of the rows of a and b; with @, BLAS threads would wait for a free CPU."""
    return np.einsum("ik,jk->ij", a, b)


def _directions(count: int) -> np.ndarray:
    """Unit vectors along the axes, and others evenly spaced on a spiral over the sphere."""
    k = np.arange(count - 6) + 0.5
    z, angle = 1.0 - 2.0 * k / len(k), np.pi * (1.0 + 5.0**0.5) * k
    r = np.sqrt(1.0 - z * z)
    return np.vstack(
        [np.eye(3), -np.eye(3), np.column_stack([r * np.cos(angle), r * np.sin(angle), z])]
    )
