"""Grids of contact points on the lowest face of a shape."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.description.arguments import count, shown
from stiction.description.description import SHAPE_KINDS
from stiction.errors import InputError
from stiction.robot.placement import home_poses

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

MOST_SOLE_POINTS = 1000  # along or across
FLAT = 0.02  # vertices are in a face if this close to its plane, as a fraction of the hull's size


def with_sole_points(robot: Robot, name: str, along: int, across: int) -> Robot:
    """Return the robot with a shape replaced by points; see `Robot.with_sole_points`."""
    told = f"robot '{robot.name}': with_sole_points:"
    for direction, points in (("along", along), ("across", across)):
        count(f"{told} {direction}", points, MOST_SOLE_POINTS)
    shape = _sole(robot, name)
    kind = SHAPE_KINDS[robot.shape_kind[shape]]
    turned = home_poses(robot)[robot.shape_link[shape]].rotation @ robot.shape_rotation[shape]
    if kind == "box":
        face = lowest_face_of_box(robot.shape_size[shape], -turned[2])
    elif kind == "points":
        face = rectangle_of_points(robot.vertices_of(shape), told)
    else:
        face = lowest_face_of_hull(robot.vertices_of(shape), -turned[2])
    return _with_points(robot, shape, sole_grid(face, int(along), int(across)))


def _sole(robot: Robot, name: str) -> int:
    """Return the box, hull or points with a name, or the only colliding ones of a link."""
    if not isinstance(name, str):
        raise InputError(f"robot '{robot.name}': with_sole_points({shown(name)}): give a name")
    links = np.flatnonzero(robot.link_name == name)
    of_link = np.isin(robot.shape_link, links) & robot.shape_collides
    found = np.flatnonzero((robot.shape_name == name) | of_link)
    kinds = [SHAPE_KINDS[kind] for kind in robot.shape_kind[found]]
    if len(found) == 1 and kinds[0] in ("box", "hull", "points"):
        return int(found[0])
    named = [f"{kind} '{robot.shape_name[i]}'" for kind, i in zip(kinds, found, strict=True)]
    raise InputError(
        f"robot '{robot.name}': with_sole_points: '{name}' is "
        f"{', '.join(named) or 'not a shape'}; give the name of one box, hull or set of points, "
        "or of a link with a single colliding one"
    )


def _with_points(robot: Robot, shape: int, points: np.ndarray) -> Robot:
    """Return the same robot where points, in the frame of a shape, collide instead of it."""
    name = f"{robot.shape_name[shape]}_points"
    collides = np.append(robot.shape_collides, True)
    collides[shape] = False
    added: dict[str, Any] = {
        "shape_name": name,
        "shape_kind": SHAPE_KINDS.index("points"),
        "shape_size": np.zeros(3),
        "shape_error": 0.0,
        "shape_vertex": len(robot.vertices) + len(points),
        "shape_face": len(robot.face_normal),
    }
    copied = ("link", "body", "position", "rotation", "material", "mask")
    for field in copied:
        added[f"shape_{field}"] = getattr(robot, f"shape_{field}")[shape]
    changed: dict[str, Any] = {
        field: np.concatenate([getattr(robot, field), np.array([value])])
        for field, value in added.items()
    }
    old = str(robot.shape_name[shape])
    pairs = [[name if one == old else one for one in pair] for pair in robot.contact_pairs]
    changed["contact_pairs"] = np.array(pairs, dtype=np.str_).reshape(-1, 2)
    vertices = np.concatenate([robot.vertices, points])
    return dataclasses.replace(robot, **changed, shape_collides=collides, vertices=vertices)


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


def rectangle_of_points(points: np.ndarray, told: str) -> np.ndarray:
    """Corners of the smallest rectangle around points of a plane; (4, 3)."""
    middle = points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(points - middle)
    if len(points) < 3 or sizes[1] < FLAT * sizes[0] or sizes[2] > FLAT * sizes[1]:
        raise InputError(f"{told} the points do not lie in a plane; give a box or a hull")
    (x0, y0), (x1, y1), turn = _least_rectangle((points - middle) @ axes[:2].T)
    face = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    if y1 - y0 > x1 - x0:
        face = np.roll(face, -1, axis=0)
    return middle + face @ turn.T @ axes[:2]


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
