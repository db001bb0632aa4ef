"""The places of a world that may touch the ground, from the colliding shapes of its robots."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.description.description import SHAPE_KINDS
from stiction.kernels.contact import BALL, RIM, Contact, Places
from stiction.robot import Robot

if TYPE_CHECKING:
    from stiction.world import World

RIM_TURNS = (0.0, 2 * math.pi / 3, -2 * math.pi / 3)  # points of a rim, from its lowest one [rad]


def places_of(world: World) -> tuple[Places, list[str], list[tuple[str, str]]]:
    """Return the places, the name of each one's shape, and the pairs of materials.

    A material of a robot has a pair with every material of the ground, one after the other.
    """
    rows: list[dict[str, Any]] = []
    grounds = [""] if world.ground is None else world.ground.material_names()
    materials: dict[str, int] = {}
    first = 1
    for robot in world.robots:
        for shape in np.flatnonzero(robot.shape_collides & (robot.shape_link >= 0)):
            link = first + int(robot.shape_link[shape])
            own = materials.setdefault(str(robot.shape_material[shape]), len(materials))
            name = f"{robot.name}/{robot.shape_name[shape]}"
            for place in shape_places(robot, shape):
                rows.append({**place, "link": link, "pair": own * len(grounds), "name": name})
        first += len(robot.link_name)
    rows.sort(key=lambda row: row["link"])  # places of one link are neighbours
    pairs = [(own, ground) for own in materials for ground in grounds]
    return _stacked(rows), [row["name"] for row in rows], pairs


def shape_places(robot: Robot, shape: int | np.integer) -> list[dict[str, Any]]:
    """Return the places of one shape: kind, centre, axis, radius, turn, in the link."""
    kind, (a, b, c) = SHAPE_KINDS[robot.shape_kind[shape]], robot.shape_size[shape]
    origin, turned = robot.shape_position[shape], robot.shape_rotation[shape]

    def ball(local: Any, radius: float = 0.0) -> dict[str, Any]:
        centre = origin + turned @ np.asarray(local, float)
        return {"kind": BALL, "centre": centre, "axis": turned[:, 2], "radius": radius, "turn": 0.0}

    if kind == "sphere":
        return [ball((0, 0, 0), a)]
    if kind == "capsule":
        return [ball((0, 0, b), a), ball((0, 0, -b), a)]
    if kind == "box":
        return [ball(corner) for corner in itertools.product((-a, a), (-b, b), (-c, c))]
    if kind in ("hull", "points"):
        rows = slice(robot.shape_vertex[shape], robot.shape_vertex[shape + 1])
        return [ball(vertex) for vertex in robot.vertices[rows]]
    if kind == "cylinder":
        return [
            {**ball((0, 0, end)), "kind": RIM, "radius": a, "turn": turn}
            for end in (b, -b)
            for turn in RIM_TURNS
        ]
    return []  # a plane or an ellipsoid of a robot does not touch the ground: see `untouchable`


def untouchable(world: World) -> list[str]:
    """Return the colliding shapes of moving links that have no places: ellipsoids and planes."""
    return [
        f"{robot.name}/{robot.shape_name[shape]}"
        for robot in world.robots
        for shape in np.flatnonzero(robot.shape_collides & (robot.shape_link >= 0))
        if not shape_places(robot, shape)
    ]


def allocate_contact(count: int, groups: int, table: np.ndarray) -> Contact:
    """Return arrays for as many touching points as there are places, on so many links."""

    def whole(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.int64)

    return Contact(
        count=whole(1),
        slots=whole(1),
        slot_link=whole(groups),
        slot=whole(count),
        point=whole(count),
        group=whole(count),
        pair=whole(count),
        body_a=whole(count),
        body_b=whole(count),
        depth=np.zeros(count),
        arm=np.zeros((count, 3)),
        normal=np.zeros((count, 3)),
        velocity=np.zeros((count, 3)),
        floor=np.zeros(count),
        force=np.zeros((count, 3)),
        impulse=np.zeros((count, 3)),
        table=table,
    )


def _stacked(rows: list[dict[str, Any]]) -> Places:
    """One array per field."""

    def column(name: str, kind: Any, *shape: int) -> np.ndarray:
        return np.array([row[name] for row in rows], kind).reshape(len(rows), *shape)

    links, centres = column("link", np.int64), column("centre", float, 3)
    radii = column("radius", float)
    group_links, firsts, groups = np.unique(links, return_index=True, return_inverse=True)
    members = [slice(*ends) for ends in itertools.pairwise([*firsts, len(rows)])]
    spheres = [_sphere(centres[group], radii[group]) for group in members]
    return Places(
        kind=column("kind", np.int64),
        link=links,
        centre=centres,
        axis=column("axis", float, 3),
        radius=radii,
        turn=column("turn", float),
        group=groups.astype(np.int64),
        pair=column("pair", np.int64),
        group_link=group_links,
        group_first=np.append(firsts, len(rows)).astype(np.int64),
        group_centre=np.array([centre for centre, _ in spheres]).reshape(-1, 3),
        group_radius=np.array([radius for _, radius in spheres]),
    )


def _sphere(centres: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, float]:
    """Centre and radius of a sphere around balls, rounded up."""
    low, high = (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)
    middle = (low + high) / 2
    reach = np.linalg.norm(centres - middle, axis=1) + radii
    return middle, float(reach.max()) * (1 + 1e-6)
