"""Colours of what is drawn, and the legend that explains them."""

from __future__ import annotations

from typing import NamedTuple

from stiction.metrics.contact_state import ContactState

Rgb = tuple[float, float, float]  # from 0 to 1


OF_STATE: dict[ContactState, Rgb] = {
    ContactState.OPEN: (0.72, 0.72, 0.72),
    ContactState.STICK: (0.00, 0.45, 0.70),
    ContactState.SLIP: (0.84, 0.37, 0.00),
    ContactState.TO_SLIP: (0.90, 0.62, 0.00),
    ContactState.TO_STICK: (0.34, 0.71, 0.91),
}
FORCE: Rgb = (0.70, 0.09, 0.17)
CONE: Rgb = (0.90, 0.62, 0.00)
PRESSURE: Rgb = (0.80, 0.47, 0.65)
ZMP: Rgb = (0.00, 0.00, 0.00)
POLYGON: Rgb = (0.00, 0.62, 0.45)
TRAIL: Rgb = (0.34, 0.71, 0.91)
LEFT, RIGHT, MIDDLE = (0.50, 0.70, 0.85), (0.91, 0.64, 0.49), (0.79, 0.79, 0.79)
OBJECTS: tuple[Rgb, ...] = (  # bodies after the first robot
    *((0.87, 0.78, 0.62), (0.66, 0.80, 0.70), (0.84, 0.72, 0.80), (0.70, 0.76, 0.86)),
)
SCENERY: Rgb = (0.75, 0.71, 0.64)
GROUND, GROUND_LINE = (0.93, 0.93, 0.92), (0.70, 0.70, 0.70)
MATERIALS = (GROUND, (0.80, 0.87, 0.93), (0.90, 0.83, 0.74), (0.82, 0.89, 0.80), (0.90, 0.80, 0.84))
MOTIONS: tuple[Rgb, ...] = (  # of several motions, Okabe and Ito
    *((0.00, 0.45, 0.70), (0.84, 0.37, 0.00), (0.00, 0.62, 0.45), (0.80, 0.47, 0.65)),
    *((0.90, 0.62, 0.00), (0.34, 0.71, 0.91), (0.35, 0.35, 0.35)),
)


class Entry(NamedTuple):
    """A line of the legend."""

    colour: Rgb
    words: str


LEGEND = {
    "force": Entry(FORCE, "contact force"),
    "stick": Entry(OF_STATE[ContactState.STICK], "contact point that sticks"),
    "slip": Entry(OF_STATE[ContactState.SLIP], "contact point that slips"),
    "to slip": Entry(OF_STATE[ContactState.TO_SLIP], "contact point that begins to slip"),
    "to stick": Entry(OF_STATE[ContactState.TO_STICK], "contact point that comes to rest"),
    "pressure": Entry(PRESSURE, "centre of pressure of a foot"),
    "zmp": Entry(ZMP, "zero-moment point"),
    "polygon": Entry(POLYGON, "support polygon"),
    "cone": Entry(CONE, "friction cone"),
    "trail": Entry(TRAIL, "path of the base"),
}
TRANSITIONS = ("to slip", "to stick")  # entries of models that have them


def hexadecimal(colour: Rgb) -> str:
    """The colour as in a style sheet."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)
