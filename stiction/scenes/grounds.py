"""Grounds of scene files."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from stiction.description.arguments import count, number, vector
from stiction.errors import InputError
from stiction.scenes.table import Table
from stiction.world.ground import MOST_HEIGHTS, Ground, HeightField, Plane, Slope, Steps

KEYS = {
    "plane": ("height", "velocity", "time", "material"),
    "slope": ("angle", "heading", "velocity", "time", "height", "material"),
    "steps": ("rise", "run", "count", "start", "heading", "height", "material"),
    "heights": ("heights", "spacing", "origin", "material"),
    "rough": ("amplitude", "spacing", "size", "level", "seed", "material"),
    "none": (),
}


def read_ground(table: Table) -> Ground | None:
    """The ground that a table describes."""
    kind = table.choice("kind", KEYS, "plane")
    table.only(["kind", *KEYS[kind]])
    material = table.text("material", "ground")
    if kind == "none":
        return None
    if kind == "plane":
        velocity, time = _belt(table)
        return _made(table, Plane, table.number("height", "m", 0.0), velocity, material, time)
    if kind == "slope":
        angle = table.number("angle", "rad")
        if not abs(angle) < math.pi / 2:
            table.refuse(f"is {angle:g}; give an angle with a magnitude below pi/2 rad", "angle")
        heading = table.number("heading", "rad", 0.0)
        (velocity, time), height = _belt(table), table.number("height", "m", 0.0)
        return _made(table, Slope, angle, heading, velocity, material, height, time)
    return _made(table, _uneven, kind, table, material)


def _belt(table: Table) -> tuple[tuple, tuple]:
    """Velocity of the ground, or velocities and their times."""
    if "time" in table:
        return table.rows("velocity", 3, "m/s"), table.argument("time", tuple)
    return table.numbers("velocity", 3, "m/s", (0.0, 0.0, 0.0)), ()


def _made(table: Table, make: Callable[..., Ground], *given: Any) -> Ground:
    """The ground that a function makes; what it refuses is told with the place in the file."""
    try:
        return make(*given)
    except (InputError, ValueError) as error:  # ValueError: rows of unequal length, a seed below 0
        table.refuse(str(error))


def _uneven(kind: str, table: Table, material: str) -> Ground:
    """Steps, given heights, or rough ground."""
    if kind == "steps":
        given = {
            key: table.argument(key, int if key == "count" else float | tuple)
            for key in ("rise", "run", "count", "start", "heading", "height")
            if key in table
        }
        return Steps(**given, material=material)
    if kind == "heights":
        heights = table.argument("heights", tuple)
        spacing = table.number("spacing", "m", above=0)
        return HeightField(heights, spacing, table.numbers("origin", 2, "m", None), material)
    return rough(
        amplitude=table.number("amplitude", "m", low=0),
        spacing=table.number("spacing", "m", above=0),
        size=table.numbers("size", 2, "m"),
        level=table.number("level", "m", 0.0, low=0),
        seed=table.argument("seed", int) if "seed" in table else 0,
        material=material,
    )


def rough(
    amplitude: float,
    spacing: float,
    size: tuple[float, ...],
    level: float = 0.0,
    seed: int = 0,
    material: str = "ground",
) -> HeightField:
    """Ground with grid heights uniformly distributed between -amplitude and amplitude [m].

    spacing: of the grid [m]; size: along x and y [m], centred at the origin; level: within this
    distance of the origin the height is 0 [m].
    """
    number("rough: amplitude", amplitude, "m", low=0)
    number("rough: spacing", spacing, "m", positive=True)
    number("rough: level", level, "m", low=0)
    count("rough: seed", seed, 2**63, least=0)
    lengths = vector("rough: size", size, 2, "m")
    cells = np.maximum(lengths, 0.0) / spacing + 2.0
    if cells.prod() > MOST_HEIGHTS:
        raise InputError(
            f"rough: {cells.prod():.3g} heights; the maximum is {MOST_HEIGHTS}, so give a larger "
            "spacing"
        )
    columns, rows = (max(2, round(length / spacing) + 1) for length in lengths)
    heights = np.random.default_rng(seed).uniform(-amplitude, amplitude, (rows, columns))
    x = (np.arange(columns) - (columns - 1) / 2) * spacing
    y = (np.arange(rows) - (rows - 1) / 2) * spacing
    heights[np.hypot(*np.meshgrid(x, y)) <= level] = 0.0
    return HeightField(heights, spacing, material=material)
