"""What is drawn of a robot, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stiction.description.description import Description

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

FIELDS = tuple(
    f"visual_{name}"
    for name in "link colour position rotation vertex triangle vertices triangles".split()
)


class VisualMesh(NamedTuple):
    """One coloured mesh of a link."""

    link: int  # -1: the world
    colour: np.ndarray  # (4) red, green, blue, opacity from 0 to 1
    vertices: np.ndarray  # (n, 3) in the link's frame [m]
    triangles: np.ndarray  # (m, 3)


def visual_arrays(description: Description, place: dict, index: dict[str, int]) -> dict:
    """Arrays of the visuals; their positions and rotations are those of links that were merged."""
    visuals = description.visuals
    poses = [place[visual.link][1] for visual in visuals]
    vertices = [np.zeros((0, 3), np.float32), *(visual.vertices for visual in visuals)]
    triangles = [np.zeros((0, 3), np.int32), *(visual.triangles for visual in visuals)]
    return {
        "visual_link": np.array([index.get(place[v.link][0], -1) for v in visuals], int),
        "visual_colour": np.array([v.colour for v in visuals], float).reshape(-1, 4),
        "visual_position": np.array([pose.position for pose in poses]).reshape(-1, 3),
        "visual_rotation": np.array([pose.rotation for pose in poses]).reshape(-1, 3, 3),
        "visual_vertex": np.cumsum([0, *map(len, vertices[1:])]).astype(int),
        "visual_triangle": np.cumsum([0, *map(len, triangles[1:])]).astype(int),
        "visual_vertices": np.concatenate(vertices),
        "visual_triangles": np.concatenate(triangles),
    }


def no_visuals() -> dict[str, np.ndarray]:
    """The arrays of a robot of which only the shapes are drawn."""
    return visual_arrays(Description("", "", (), ()), {}, {})


def visual_meshes(robot: Robot) -> list[VisualMesh]:
    """The meshes that are drawn of a robot, in the frames of its links."""
    made = []
    for i, link in enumerate(robot.visual_link):
        rows = slice(robot.visual_vertex[i], robot.visual_vertex[i + 1])
        faces = slice(robot.visual_triangle[i], robot.visual_triangle[i + 1])
        own = robot.visual_vertices[rows].astype(float)
        vertices = robot.visual_position[i] + own @ robot.visual_rotation[i].T
        made.append(
            VisualMesh(int(link), robot.visual_colour[i], vertices, robot.visual_triangles[faces])
        )
    return made


def visuals_fit(robot: Robot) -> bool:
    """Whether the arrays belong together and every triangle has vertices of its own mesh."""
    count = len(robot.visual_link)
    numbers = [robot.visual_colour, robot.visual_position, robot.visual_rotation]
    if not all(np.isfinite(array).all() for array in [*numbers, robot.visual_vertices]):
        return False
    shapes = {"link": (), "colour": (4,), "position": (3,), "rotation": (3, 3)}
    if any(getattr(robot, f"visual_{name}").shape != (count, *s) for name, s in shapes.items()):
        return False
    for first, rows in (
        (robot.visual_vertex, robot.visual_vertices),
        (robot.visual_triangle, robot.visual_triangles),
    ):
        if first.shape != (count + 1,) or rows.ndim != 2 or rows.shape[1] != 3:
            return False
        if first[0] != 0 or first[-1] != len(rows) or (np.diff(first) < 0).any():
            return False
    most = np.repeat(np.diff(robot.visual_vertex), np.diff(robot.visual_triangle))
    inside = (robot.visual_triangles >= 0) & (robot.visual_triangles < most[:, None])
    return bool(inside.all())
