"""The contact points of a world, from the colliding shapes of its robots.

Stiffness and damping of `SpringDamper`, `ImplicitSpringDamper` and `HuntCrossley` are per contact
point, as in the papers, as long as a side of a link has at most SOLE_POINTS of them. With more
points, each gets the fraction SOLE_POINTS / number of points, so that the stiffness of a foot does
not depend on how fine its hull or its grid of points is.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from stiction.collision.detection import Contact
from stiction.collision.points import BALL, RIM, ContactPoints
from stiction.description.description import SHAPE_KINDS
from stiction.kernels.tree import PRISMATIC
from stiction.robot.robot import Robot

if TYPE_CHECKING:
    from stiction.world.ground import Ground
    from stiction.world.world import World

RIM_TURNS = (0.0, 2 * math.pi / 3, -2 * math.pi / 3)  # points of a rim, from the lowest [rad]
SOLE_POINTS = 8  # most points on a side of a link that each get the full stiffness and damping
SIDES = np.vstack([np.eye(3), -np.eye(3)])  # outward normals of the sides of a link, in its axes
THICKNESS = 1e-3  # points within this of the outermost one are on the same side [m] ...
THIN = 0.01  # ... of a tiny link, within this fraction of its size


Found = tuple[ContactPoints, list[str], list[tuple[str, str]]]
_FOUND: WeakKeyDictionary[World, tuple[Ground | None, Found]] = WeakKeyDictionary()


def contact_points_of(world: World) -> Found:
    """Return the contact points, the name of each one's shape, and the pairs of materials.

    Each material of a robot forms a pair with every material of the ground, in consecutive rows.
    They are found once per world and ground.
    """
    ground, found = _FOUND.get(world, (None, None))
    if found is None or ground is not world.ground:
        found = _find_contact_points(world)
        _FOUND[world] = world.ground, found
    return found


def _find_contact_points(world: World) -> Found:
    rows: list[dict[str, Any]] = []
    grounds = [""] if world.ground is None else world.ground.material_names()
    materials: dict[str, int] = {}
    first = 1
    for robot in world.robots:
        for shape in np.flatnonzero(robot.shape_touches):
            link = first + int(robot.shape_link[shape])
            own = materials.setdefault(str(robot.shape_material[shape]), len(materials))
            name = f"{robot.name}/{robot.shape_name[shape]}"
            for point in shape_contact_points(robot, shape):
                rows.append({**point, "link": link, "pair": own * len(grounds), "name": name})
        first += len(robot.link_name)
    rows.sort(key=lambda row: row["link"])  # contact points of one link are neighbours
    pairs = [(own, ground) for own in materials for ground in grounds]
    return _stacked(world, rows), [row["name"] for row in rows], pairs


def shape_contact_points(robot: Robot, shape: int | np.integer) -> list[dict[str, Any]]:
    """Return the contact points of one shape in link axes: kind, centre, axis, radius, turn."""
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
        return [ball(vertex) for vertex in robot.vertices_of(shape)]
    if kind == "cylinder":
        return [
            {**ball((0, 0, end)), "kind": RIM, "radius": a, "turn": turn}
            for end in (b, -b)
            for turn in RIM_TURNS
        ]
    return []  # a plane or an ellipsoid of a robot does not touch the ground: see `untouchable`


def untouchable(world: World) -> list[str]:
    """Return the colliding shapes of moving links without contact points: ellipsoids and planes."""
    return [
        f"{robot.name}/{robot.shape_name[shape]}"
        for robot in world.robots
        for shape in np.flatnonzero(robot.shape_touches)
        if not shape_contact_points(robot, shape)
    ]


def allocate_contact(
    count: int, groups: int, table: np.ndarray, pairs: int | None = None, slots: int = 0
) -> Contact:
    """Return arrays for up to `count` touching points of up to `pairs` touching pairs.

    groups: number of links with contact points, as many as pairs if there is nothing but ground;
    slots: for near pairs of shapes.
    """
    pairs = groups if pairs is None else pairs

    def whole(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.int64)

    return Contact(
        count=whole(1),
        touching_count=whole(1),
        touching_link=whole(pairs),
        touched_link=whole(pairs),
        touching=whole(count),
        point=whole(count),
        group=whole(count),
        pair=whole(count),
        body_a=whole(count),
        body_b=whole(count),
        shape=whole(count, 2),
        depth=np.zeros(count),
        arm=np.zeros((count, 3)),
        normal=np.zeros((count, 3)),
        velocity=np.zeros((count, 3)),
        carried=np.zeros((count, 3)),
        radius=np.zeros((count, 2)),
        share=np.ones(count),
        least_velocity=np.zeros(count),
        force=np.zeros((count, 3)),
        impulse=np.zeros((count, 3)),
        table=table,
        reach=np.zeros(groups),
        margin=np.zeros(groups),
        belt=np.zeros((3, 3)),
        near=whole(slots),
        near_count=whole(1),
    )


def points_towards(contact_points: ContactPoints, rows: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return where contact points would touch ground in direction n, in link axes, (rows, 3)."""
    axis, radius = contact_points.axis[rows], contact_points.radius[rows, None]
    if not np.any(contact_points.kind[rows] == RIM):
        return contact_points.centre[rows] + radius * n
    out = np.broadcast_to(n, axis.shape)
    across = out - (axis @ n)[:, None] * axis
    length = np.linalg.norm(across, axis=1)
    any_across = np.cross(axis, np.eye(3)[np.abs(axis).argmin(axis=1)])
    across = np.where(length[:, None] > 1e-6, across, any_across)
    across /= np.linalg.norm(across, axis=1)[:, None]
    turn = contact_points.turn[rows, None]
    around = np.cos(turn) * across + np.sin(turn) * np.cross(axis, across)
    towards = np.where((contact_points.kind[rows] == RIM)[:, None], around, out)
    return contact_points.centre[rows] + radius * towards


def on_side(
    contact_points: ContactPoints, rows: np.ndarray, n: np.ndarray, thickness: float
) -> np.ndarray:
    """Return the contact points within a thickness of the outermost one in direction n."""
    points = points_towards(contact_points, rows, n)
    out = points @ n
    _, radius = _sphere(contact_points.centre[rows], contact_points.radius[rows])
    least = min(THICKNESS, THIN * 2 * radius)
    return points[out >= out.max() - max(thickness, least)]


def share_of_stiffness(contact_points: ContactPoints, rows: np.ndarray) -> float:
    """Return the fraction of a force law's stiffness that each point of one link gets."""
    most = max(len(on_side(contact_points, rows, n, 0.0)) for n in SIDES)
    return min(1.0, SOLE_POINTS / most)


def _extent(world: World, rows: list[dict[str, Any]], slides: bool) -> float:
    """Largest distance of a contact point from O of its tree [m].

    With `slides`, prismatic joints count with their range, which may be infinite; otherwise they
    are at zero.
    """
    tree = world.tree
    far = np.zeros(len(tree.parent))
    for link in range(1, len(far)):
        parent, d = tree.parent[link], tree.v_index[link]
        if parent > 0:
            far[link] = far[parent] + np.linalg.norm(tree.joint_position[link])
        if slides and parent > 0 and tree.joint_type[link] == PRISMATIC:
            far[link] += max(abs(tree.lower[d]), abs(tree.upper[d]))
    reach = [far[row["link"]] + np.linalg.norm(row["centre"]) + row["radius"] for row in rows]
    return float(max(reach, default=0.0))


def _stacked(world: World, rows: list[dict[str, Any]]) -> ContactPoints:
    """One array per field."""

    def column(name: str, kind: Any, *shape: int) -> np.ndarray:
        return np.array([row[name] for row in rows], kind).reshape(len(rows), *shape)

    links, centres = column("link", np.int64), column("centre", float, 3)
    radii = column("radius", float)
    group_links, firsts, groups = np.unique(links, return_index=True, return_inverse=True)
    members = [slice(*ends) for ends in itertools.pairwise([*firsts, len(rows)])]
    spheres = [_sphere(centres[group], radii[group]) for group in members]
    contact_points = ContactPoints(
        kind=column("kind", np.int64),
        link=links,
        centre=centres,
        axis=column("axis", float, 3),
        radius=radii,
        turn=column("turn", float),
        group=groups.astype(np.int64),
        pair=column("pair", np.int64),
        share=np.ones(len(rows)),
        extent=np.array([_extent(world, rows, slides=True)]),
        size=np.array([_extent(world, rows, slides=False)]),
        group_link=group_links,
        group_first=np.append(firsts, len(rows)).astype(np.int64),
        group_centre=np.array([centre for centre, _ in spheres]).reshape(-1, 3),
        group_radius=np.array([radius for _, radius in spheres]),
    )
    for group in members:
        contact_points.share[group] = share_of_stiffness(
            contact_points, np.arange(len(rows))[group]
        )
    return contact_points


def _sphere(centres: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, float]:
    """Centre and radius of a bounding sphere of balls; the radius is rounded up."""
    low, high = (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)
    middle = (low + high) / 2
    reach = np.linalg.norm(centres - middle, axis=1) + radii
    return middle, float(reach.max()) * (1 + 1e-6)
