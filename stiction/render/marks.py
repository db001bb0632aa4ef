"""Contact in a picture: points, forces, cones, centres of pressure, support polygon, path."""

from __future__ import annotations

import numpy as np

from stiction.metrics.contact_state import ContactState
from stiction.render.canvas import Canvas
from stiction.visual.colours import (
    CONE,
    FORCE,
    OF_STATE,
    POLYGON,
    PRESSURE,
    TRAIL,
    ZMP,
)
from stiction.visual.frames import Film
from stiction.visual.poses import turn_to

POINT, MARK = 0.013, 0.018  # radii of balls, over the size of the robot
ARROW, EDGE, PATH = 0.007, 0.003, 0.004  # radii of arrows and lines, over the size of the robot
SIDES = 20  # of the base of a cone
MOST_OF_PATH = 400  # pieces
MARKS = ("forces", "points", "cones", "pressure", "zmp", "polygon", "trail")
SHOWN = ("forces", "points", "zmp", "polygon")  # unless others are chosen


def draw_marks(canvas: Canvas, film: Film, k: int, marks: tuple[str, ...]) -> None:
    """Add the chosen marks of picture k of a film."""
    k, size = min(k, len(film) - 1), film.size
    if "trail" in marks:
        path = film.base[: k + 1]
        path = path[:: max(1, len(path) // MOST_OF_PATH)]
        for ends in zip(path[:-1], path[1:], strict=True):
            canvas.connect("capsule", np.array(ends), PATH * size, TRAIL)
    if set(marks) <= {"trail"}:
        return
    contacts = film.contacts(k)
    if "points" in marks:
        for point, state in zip(contacts.points, contacts.states, strict=True):
            canvas.ball(point, POINT * size, OF_STATE[ContactState(int(state))])
    if "forces" in marks:
        for arrow in contacts.arrows:
            canvas.connect("arrow", arrow, ARROW * size, FORCE)
    if "cones" in marks:
        for cone in contacts.cones:
            _draw_cone(canvas, cone, 0.5 * EDGE * size)
    if "polygon" in marks:
        corners = contacts.polygon
        for ends in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            canvas.connect("capsule", np.array(ends), EDGE * size, POLYGON)
    for name, points, colour in (
        ("pressure", contacts.pressure, PRESSURE),
        ("zmp", contacts.zmp, ZMP),
    ):
        if name in marks:
            for point in points:
                canvas.ball(point, MARK * size, colour)


def _draw_cone(canvas: Canvas, cone: np.ndarray, thick: float) -> None:
    """Draw the base of a friction cone and lines from its apex."""
    apex, axis, radius = cone[:3], cone[3:6], float(cone[6])
    turned = turn_to(axis / np.linalg.norm(axis))
    angle = np.linspace(0.0, 2 * np.pi, SIDES + 1)
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(SIDES + 1)])
    rim = apex + axis + radius * circle @ turned.T
    for ends in zip(rim[:-1], rim[1:], strict=True):
        canvas.connect("capsule", np.array(ends), thick, CONE)
    for corner in rim[:-1:4]:
        canvas.connect("capsule", np.array([apex, corner]), thick, CONE)
