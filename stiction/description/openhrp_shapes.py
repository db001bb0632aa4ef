"""Geometry of VRML97 as shapes: primitives if their scale allows, hulls for the rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.description.description import NOWHERE, UNTURNED, Quaternion, Vector
from stiction.description.hull import is_flat, thinned
from stiction.description.openhrp_fields import Affine, numbers, positive
from stiction.description.openhrp_meshes import elevation_grid, extrusion, face_set
from stiction.description.plain import quaternion_of, vector
from stiction.description.vrml_nodes import Node

ROUNDING = 1e-9  # tolerance for orthogonal axes and for equal scales
CORNERS = 24  # of the polygon that approximates a circle
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # its z axis is VRML's y
MESHES = {"IndexedFaceSet": face_set, "Extrusion": extrusion, "ElevationGrid": elevation_grid}
UNSOLID = ("IndexedLineSet", "PointSet", "Text")


class Solid(NamedTuple):
    """A shape without its name and link; `remark` says what the conversion lost."""

    kind: str
    size: tuple[float, ...]
    position: Vector = NOWHERE
    quaternion: Quaternion = UNTURNED
    vertices: tuple[Vector, ...] = ()
    error: float = 0.0  # of a thinned hull [m]
    remark: str = ""


def solid_of(node: Node, place: Affine, hull_points: int) -> Solid | str:
    """The shape of a geometry node at `place`, or the reason why there is none."""
    beyond = "overflows when scaled or placed; give smaller numbers"
    if not (np.isfinite(place.position).all() and np.isfinite(place.axes).all()):
        node.refuse(beyond)
    with np.errstate(over="ignore", invalid="ignore"):  # overflow is refused below
        try:
            found = _solid_of(node, place, hull_points)
        except np.linalg.LinAlgError:
            node.refuse(beyond)
    if isinstance(found, str):
        return found
    made_of = [*found.size, *found.position, *found.quaternion, *np.ravel(found.vertices)]
    if not np.isfinite(made_of).all():
        node.refuse(beyond)
    return found


def _solid_of(node: Node, place: Affine, hull_points: int) -> Solid | str:
    if node.type == "Box":
        return _box(node, place)
    if node.type == "Sphere":
        return _sphere(node, place)
    if node.type == "Cylinder":
        return _cylinder(node, place)
    if node.type == "Cone":
        return _cone(node, place)
    if node.type == "Plane":
        numbers(node, "size", 3, (10.0, 10.0, 0.0))  # OpenHRP's planes are endless, normal along z
        return Solid("plane", (), vector(place.position), quaternion(_unscaled(place.axes)[0]))
    if node.type in MESHES:
        return _hull(MESHES[node.type](node), place, hull_points)
    if node.type in UNSOLID:
        return "is not solid"
    node.refuse("is not a geometry; a Shape takes Box, Cylinder, Sphere, Cone or a mesh")


def _box(node: Node, place: Affine) -> Solid:
    half = positive(node, "size", 3, (2.0, 2.0, 2.0)) / 2.0
    R, scale, square = _unscaled(place.axes)  # noqa: N806
    if not square:
        signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
        return _solid_hull(signs * half, place, "skewed by its scale: replaced by a hull")
    return Solid("box", _tuple(half * scale), vector(place.position), quaternion(R))


def _sphere(node: Node, place: Affine) -> Solid:
    radius = positive(node, "radius", 1, (1.0,))[0]
    R, scale, _ = _unscaled(place.axes)  # noqa: N806
    if np.ptp(scale) <= ROUNDING * scale.max():
        return Solid("sphere", (float(radius * scale[0]),), vector(place.position))
    directions, semi_axes, _ = np.linalg.svd(place.axes)
    directions[:, 2] *= np.sign(np.linalg.det(directions))
    size = _tuple(radius * semi_axes)
    return Solid("ellipsoid", size, vector(place.position), quaternion(directions))


def _cylinder(node: Node, place: Affine) -> Solid:
    radius = float(positive(node, "radius", 1, (1.0,))[0])
    height = float(positive(node, "height", 1, (2.0,))[0])
    R, scale, square = _unscaled(place.axes)  # noqa: N806
    if not square or abs(scale[0] - scale[2]) > ROUNDING * scale.max():
        points = np.vstack([_circle(radius, -height / 2.0), _circle(radius, height / 2.0)])
        return _solid_hull(points, place, "not round after scaling: replaced by a hull")
    size = (float(radius * scale[0]), float(height * scale[1] / 2.0))
    return Solid("cylinder", size, vector(place.position), quaternion(R @ Y_UP))


def _cone(node: Node, place: Affine) -> Solid:
    radius = float(positive(node, "bottomRadius", 1, (1.0,))[0])
    height = float(positive(node, "height", 1, (2.0,))[0])
    points = np.vstack([_circle(radius, -height / 2.0), [[0.0, height / 2.0, 0.0]]])
    return _solid_hull(points, place, f"replaced by a pyramid of {CORNERS} sides")


def _circle(radius: float, y: float) -> np.ndarray:
    angle = 2.0 * np.pi * np.arange(CORNERS) / CORNERS
    return np.stack([radius * np.cos(angle), np.full(CORNERS, y), radius * np.sin(angle)], axis=1)


def _solid_hull(points: np.ndarray, place: Affine, remark: str) -> Solid:
    """The hull of points that are known to span a volume."""
    vertices = place.position + points @ place.axes.T
    return Solid("hull", (), vertices=tuple(map(vector, vertices)), remark=remark)


def _hull(points: np.ndarray, place: Affine, hull_points: int) -> Solid | str:
    """The hull of a mesh, in the frame of the link; a flat one touches with its corners only."""
    points = np.unique(points, axis=0)
    if len(points) < 4:
        return f"has {len(points)} points; a hull needs four"
    points = place.position + points @ place.axes.T
    if not np.isfinite(points).all():
        return Solid("hull", (), vertices=((np.inf,) * 3,))  # refused by `solid_of`
    flat = is_flat(points)
    kept = thinned(points, hull_points)
    kind, remark = "hull", "replaced by its convex hull"
    if flat:
        kind, remark = "points", "is flat: it touches with its corners only"
    vertices = tuple(map(vector, kept.vertices))
    return Solid(kind, (), vertices=vertices, error=kept.error, remark=remark)


def _unscaled(axes: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """Rotation, scale along each of its axes, and whether there is no skew.

    Only for bodies that are their own mirror image: a reflection is dropped.
    """
    scale = np.linalg.norm(axes, axis=0)
    R = axes / scale  # noqa: N806
    square = bool(np.abs(R.T @ R - np.eye(3)).max() <= ROUNDING)
    if np.linalg.det(R) < 0.0:
        R = R * np.array([-1.0, 1.0, 1.0])  # noqa: N806
    return R, scale, square


def quaternion(R: np.ndarray) -> Quaternion:  # noqa: N803
    """Quaternion of a rotation matrix, with w >= 0; from the largest of its four squares."""
    squares = 1.0 + np.array(
        [
            R[0, 0] + R[1, 1] + R[2, 2],
            R[0, 0] - R[1, 1] - R[2, 2],
            R[1, 1] - R[0, 0] - R[2, 2],
            R[2, 2] - R[0, 0] - R[1, 1],
        ]
    )
    turn = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    products = np.diag(squares)
    products[0, 1:] = products[1:, 0] = turn
    for i in range(3):
        for j in range(i):
            products[i + 1, j + 1] = products[j + 1, i + 1] = R[i, j] + R[j, i]
    q = products[int(np.argmax(squares))]
    return quaternion_of(q if q[0] >= 0.0 else -q)


def _tuple(values: np.ndarray) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
