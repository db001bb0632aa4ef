"""Scenery: plate, stairs, room. They do not move; `World(scenery=...)` takes them."""

from __future__ import annotations

from collections.abc import Mapping

from stiction.description.arguments import count as checked_count
from stiction.description.description import WORLD, Description, Shape, Vector
from stiction.robot.robot import Robot
from stiction.robots.simple import check_positive, edges

MOST_STEPS = 1000

Box = tuple[Vector, Vector]  # lower and upper corner [m]


def plate(size: tuple[float, float, float] = (1.0, 1.0, 0.01)) -> Robot:
    """Fixed plate, edge lengths [m], centred at its frame."""
    x, y, z = edges("plate", size)
    return _fixed("plate", {"plate": ((-x / 2, -y / 2, -z / 2), (x / 2, y / 2, z / 2))})


def stairs(
    rise: float = 0.15, run: float = 0.3, count: int = 5, width: float = 1.0, landing: float = 1.0
) -> Robot:
    """Fixed stairs that lead up along x to a landing.

    The first riser is at x = 0, the middle of the stairs at y = 0. Each step is a slab on those
    below it, so that no seam crosses a tread.

    rise, run: of a step [m]; count: of risers; width, and length of the landing [m].
    """
    check_positive("stairs", rise=rise, run=run, width=width, landing=landing)
    checked_count("stairs: count", count, MOST_STEPS)
    end, half = (count - 1) * run + landing, width / 2
    slabs = {
        f"step_{k + 1}": ((k * run, -half, k * rise), (end, half, (k + 1) * rise))
        for k in range(count)
    }
    return _fixed("stairs", slabs)


def room(size: tuple[float, float, float] = (4.0, 4.0, 2.5), thickness: float = 0.1) -> Robot:
    """Four fixed walls on the floor z = 0 around the origin.

    size: inner length along x, inner width along y and height [m]; thickness of the walls [m].
    """
    x, y, z = edges("room", size)
    check_positive("room", thickness=thickness)
    x, y, outer = x / 2, y / 2, y / 2 + thickness
    walls = {
        "front": ((x, -outer, 0.0), (x + thickness, outer, z)),
        "rear": ((-x - thickness, -outer, 0.0), (-x, outer, z)),
        "left": ((-x, y, 0.0), (x, outer, z)),
        "right": ((-x, -outer, 0.0), (x, -y, z)),
    }
    return _fixed("room", {f"wall_{name}": wall for name, wall in walls.items()})


def _fixed(name: str, boxes: Mapping[str, Box]) -> Robot:
    """Boxes that are fixed in the world."""
    shapes = []
    for part, (low, high) in boxes.items():
        (x, y, z), (a, b, c) = low, high
        size = ((a - x) / 2, (b - y) / 2, (c - z) / 2)
        shapes.append(Shape(part, WORLD, "box", size, ((a + x) / 2, (b + y) / 2, (c + z) / 2)))
    source = f"stiction.robots.{name}"
    return Robot.from_description(Description(name, source, (), (), tuple(shapes)))
