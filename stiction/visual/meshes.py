"""Meshes of a world: what its files draw, else its shapes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.description.description import SHAPE_KINDS, WORLD
from stiction.description.tessellation import Surface, fans, surface_of
from stiction.robot.robot import Robot
from stiction.robot.visuals import visual_meshes
from stiction.visual.colours import LEFT, MIDDLE, OBJECTS, RIGHT, SCENERY, Rgb
from stiction.world.world import World

CREASE = np.radians(40.0)  # edges sharper than this stay sharp
SAME_SIDE = 0.4  # at a sharp edge, triangles whose unit normals round alike share their vertices
SIDES = 8  # more than the different values of a rounded component


class Mesh(NamedTuple):
    """Triangles of one colour that move with a link."""

    name: str  # "robot/link"
    link: int  # of the forest, 0: the world
    colour: tuple[float, float, float, float]
    vertices: np.ndarray  # (n, 3) in the link's frame [m]
    triangles: np.ndarray  # (m, 3)


def meshes_of(world: World) -> list[Mesh]:
    """Meshes of all robots, objects and scenery, one for each link and colour.

    A link without visual meshes shows its colliding shapes, or all its shapes if none collides or
    if the robot has no visual meshes at all.
    """
    parts: dict[tuple[str, int, tuple], list[Surface]] = {}
    first = 1
    for number, robot in enumerate(world.robots):
        drawn = set()
        for visual in visual_meshes(robot):
            drawn.add(visual.link)
            key = _key(robot, first, visual.link, tuple(visual.colour.tolist()))
            parts.setdefault(key, []).append((visual.vertices, visual.triangles))
        for shape in _shapes_drawn(robot, drawn):
            surface = _surface(robot, shape)
            if surface is not None:
                link = int(robot.shape_link[shape])
                key = _key(robot, first, link, (*_tint(robot, link, number), 1.0))
                parts.setdefault(key, []).append(surface)
        first += len(robot.link_name)
    return [Mesh(*key, *joined(surfaces)) for key, surfaces in parts.items()]


def _key(robot: Robot, first: int, link: int, colour: tuple) -> tuple[str, int, tuple]:
    name = str(robot.link_name[link]) if link >= 0 else WORLD
    return f"{robot.name}/{name}", first + link if link >= 0 else 0, colour


def _shapes_drawn(robot: Robot, drawn: set[int]) -> list[int]:
    """Shapes of the links that have no visuals."""
    chosen = []
    for link in sorted(set(robot.shape_link.tolist()) - drawn):
        of_link = robot.shape_link == link
        colliding = of_link & robot.shape_collides & (robot.shape_kind != _PLANE)
        solid = colliding & (robot.shape_kind != _POINTS)
        chosen += np.flatnonzero(solid if drawn and solid.any() else of_link).tolist()
    return chosen


_PLANE, _POINTS = SHAPE_KINDS.index("plane"), SHAPE_KINDS.index("points")


def _tint(robot: Robot, link: int, number: int) -> Rgb:
    """Left links are blue, right ones orange, others grey, scenery and other bodies pale."""
    if link < 0:
        return SCENERY
    name = str(robot.link_name[link]).lower()
    if name.startswith(("left", "l_", "lleg", "larm")):
        return LEFT
    if name.startswith(("right", "r_", "rleg", "rarm")):
        return RIGHT
    return OBJECTS[(number - 1) % len(OBJECTS)] if number else MIDDLE


def _surface(robot: Robot, shape: int) -> Surface | None:
    """Surface of a shape in the frame of its link; None if it has none."""
    kind = SHAPE_KINDS[robot.shape_kind[shape]]
    if kind in ("hull", "mesh"):
        faces = robot.faces_of(shape)
        pairs = zip(faces.first[:-1], faces.first[1:], strict=True)
        surface = robot.vertices_of(shape), fans([faces.corner[a:b] for a, b in pairs])
    else:
        found = surface_of(kind, robot.shape_size[shape], np.zeros((0, 3)))
        if found is None:
            return None
        surface = found
    vertices = robot.shape_position[shape] + surface[0] @ robot.shape_rotation[shape].T
    return vertices, surface[1]


def joined(surfaces: list[Surface]) -> Surface:
    """Several surfaces as one."""
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in surfaces)])
    triangles = [faces + start for (_, faces), start in zip(surfaces, starts, strict=False)]
    return np.concatenate([vertices for vertices, _ in surfaces]), np.concatenate(triangles)


def creased(vertices: np.ndarray, triangles: np.ndarray) -> Surface:
    """The surface with vertices of their own on the sides of sharp edges.

    Renderers that average the normals of a vertex's triangles then show these edges.
    """
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1)
    triangles, normals = triangles[length > 0.0], normals[length > 0.0]
    at = triangles.ravel()
    total = np.column_stack(
        [np.bincount(at, np.repeat(normals[:, k], 3), len(vertices)) for k in range(3)]
    )
    total = total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
    own = np.repeat(normals / length[length > 0.0, None], 3, axis=0)
    bent = (own * total[at]).sum(axis=1) < np.cos(CREASE / 2)
    sharp = np.zeros(len(vertices), bool)
    sharp[at[bent]] = True
    side = np.where(sharp[at, None], np.round(own / SAME_SIDE).astype(np.int64) + SIDES // 2, 0)
    keys = ((at * SIDES + side[:, 0]) * SIDES + side[:, 1]) * SIDES + side[:, 2]
    _, first, copies = np.unique(keys, return_index=True, return_inverse=True)
    return vertices[at[first]], copies.reshape(-1, 3)
