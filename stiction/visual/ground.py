"""Grounds as meshes within a rectangle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.collision.belt import travel_at
from stiction.collision.terrain import FlatGround, Heights, Stairs
from stiction.description.tessellation import fans
from stiction.visual.colours import GROUND, MATERIALS, SCENERY, Rgb
from stiction.world.world import World

MARGIN = 2.0  # of ground around everything that moves, over its size
LINES = 0.3  # spacing of the lines on flat ground, about, over the size of the robot
SIDES = ((0, 2, 3, 1),)


class Patch(NamedTuple):
    """Triangles of ground of one colour."""

    colour: Rgb
    vertices: np.ndarray  # (n, 3) in the world [m]
    triangles: np.ndarray  # (m, 3)


class Area(NamedTuple):
    """A rectangle along x and y [m]."""

    low: np.ndarray  # (2)
    high: np.ndarray  # (2)
    spacing: float  # of the lines on flat ground

    @property
    def middle(self) -> np.ndarray:
        """Its centre, (2)."""
        return (self.low + self.high) / 2


def area_around(points: np.ndarray, size: float) -> Area:
    """The rectangle around points (..., 3), with a margin, that ends on lines of the ground.

    size: of what moves [m]; the lines have the roundest spacing, 1, 2 or 5 times a power of ten.
    """
    flat = points.reshape(-1, points.shape[-1])[:, :2]
    power = 10.0 ** np.floor(np.log10(LINES * size))
    spacing = float(power * max(step for step in (1, 2, 5) if step * power <= LINES * size * 1.001))
    low = np.floor((flat.min(axis=0) - MARGIN * size) / spacing) * spacing
    high = np.ceil((flat.max(axis=0) + MARGIN * size) / spacing) * spacing
    return Area(low, high, spacing)


def flat_ground(world: World) -> FlatGround | None:
    """The ground if it is one plane, else None."""
    bound = None if world.ground is None else world.ground.bind()
    return bound if isinstance(bound, FlatGround) else None


def ground_patches(world: World, area: Area) -> list[Patch]:
    """The ground within a rectangle; nothing if the world has none."""
    if world.ground is None:
        return []
    bound = world.ground.bind()
    if isinstance(bound, Stairs):
        return _stairs(bound, area)
    if isinstance(bound, Heights):
        return _heights(bound, area)
    corners = np.array([[x, y] for y in (area.low[1], area.high[1]) for x in _ends(area)])
    vertices = np.column_stack([corners, flat_heights(bound, corners)])
    return [Patch(GROUND, vertices, fans(SIDES)[:, ::-1])]


def flat_heights(ground: FlatGround, points: np.ndarray) -> np.ndarray:
    """Heights of a plane at points (n, 2) [m]."""
    x, y, z = ground.normal
    return ground.point[2] - (points - ground.point[:2]) @ np.array([x, y]) / z


def flat_lines(ground: FlatGround, area: Area, time: float = 0.0) -> np.ndarray:
    """Lines on a plane, (n, 2, 3); those of a belt move with it."""
    shift = np.mod(travel_at(ground.belt, time)[:2], area.spacing)
    lines = []
    for axis in (0, 1):
        low, high = area.low[axis], area.high[axis]
        for value in np.arange(low + shift[axis], high + 1e-9, area.spacing):
            ends = np.array([area.low, area.high])
            ends[:, axis] = value
            lines.append(ends)
    points = np.array(lines).reshape(-1, 2)
    return np.column_stack([points, flat_heights(ground, points)]).reshape(-1, 2, 3)


def _ends(area: Area) -> tuple[float, float]:
    return float(area.low[0]), float(area.high[0])


def _stairs(stairs: Stairs, area: Area) -> list[Patch]:
    """Treads in two colours by turns, risers in a third."""
    along = np.array([stairs.heading[0], stairs.heading[1]])
    across = np.array([-along[1], along[0]])
    corners = np.array([[x, y] for x in _ends(area) for y in (area.low[1], area.high[1])])
    reach, width = corners @ along, corners @ across
    begin = np.append(min(reach.min(), stairs.riser[0] - 1.0), stairs.riser)
    end = np.append(stairs.riser, max(reach.max(), stairs.riser[-1] + 1.0))
    patches = []

    def patch(colour: Rgb, rows: list[tuple[float, float]]) -> None:
        vertices = np.array(
            [[*(s * along + w * across), z] for s, z in rows for w in (width.min(), width.max())]
        )
        patches.append(Patch(colour, vertices, fans(SIDES)))

    for k, level in enumerate(stairs.level):
        patch(MATERIALS[k % 2], [(begin[k], level), (end[k], level)])
        if k:
            patch(SCENERY, [(begin[k], stairs.level[k - 1]), (begin[k], level)])
    return patches


def _heights(field: Heights, area: Area) -> list[Patch]:
    """Two triangles for each cell, a colour for each material, and the level border around."""
    rows, columns = field.height.shape
    x = field.corner[0] + field.spacing[0] * np.arange(columns)
    y = field.corner[1] + field.spacing[1] * np.arange(rows)
    x = np.concatenate([[min(area.low[0], x[0])], x, [max(area.high[0], x[-1])]])
    y = np.concatenate([[min(area.low[1], y[0])], y, [max(area.high[1], y[-1])]])
    height = np.pad(field.height, 1, mode="edge")
    material = np.pad(field.material, 1, mode="edge")
    grid = np.stack([*np.meshgrid(x, y), height], axis=-1).reshape(-1, 3)
    number = np.arange(len(grid)).reshape(height.shape)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    patches = []
    for kind in np.unique(material):
        chosen = material == kind
        halves = [np.stack([p[chosen] for p in half], axis=-1) for half in ((a, b, c), (a, c, d))]
        colour = MATERIALS[int(kind) % len(MATERIALS)]
        patches.append(Patch(colour, grid, np.concatenate(halves)))
    return patches
