"""Contact in the browser: points, forces, cones, centres of pressure, support polygon, path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.metrics.contact_state import ContactState
from stiction.visual.colours import (
    CONE,
    FORCE,
    OF_STATE,
    POLYGON,
    PRESSURE,
    TRAIL,
    ZMP,
)
from stiction.visual.frames import Contacts, Film
from stiction.visual.poses import turn_to

if TYPE_CHECKING:
    from viser import SceneApi

MARKS = ("forces", "points", "cones", "pressure", "zmp", "polygon", "trail")
SHOWN = ("forces", "points", "zmp", "polygon", "trail")  # unless others are chosen
POINT, BALL = 0.03, 0.018  # diameter of points, radius of balls, over the size of the robot
SHAFT, HEAD, TIP = 0.006, 0.015, 0.035  # of arrows: radii, length of the head
SIDES, SPOKES = 16, 4  # lines of a cone
LINE = 0.006  # thickness of lines
NOWHERE = np.zeros((1, 2, 3), np.float32)


class Marks:
    """The marks of one film, each a node that can be hidden."""

    def __init__(self, scene: SceneApi, film: Film, parent: str, shown: tuple[str, ...]) -> None:
        """Add the nodes; those that are not `shown` are added when they are first needed."""
        self.scene, self.film, self.parent = scene, film, parent
        self.nodes: dict[str, Any] = {}
        self.shown = set(shown)
        if "trail" in shown and len(film) > 1:
            path = np.stack([film.base[:-1], film.base[1:]], axis=1)
            self.nodes["trail"] = self._lines("path of the base", path, TRAIL)

    def show(self, k: int) -> None:
        """Move the marks to picture k."""
        wanted = self.shown - {"trail"}
        if "trail" in self.nodes:
            self.nodes["trail"].visible = "trail" in self.shown
        for name in set(self.nodes) - wanted - {"trail"}:
            self._hide(name)
        if not wanted:
            return
        contacts = self.film.contacts(k)
        for name in sorted(wanted):
            getattr(self, f"_show_{name}")(contacts)

    def _hide(self, name: str) -> None:
        if name in self.nodes and self.nodes[name].visible:
            self.nodes[name].visible = False

    def _reveal(self, name: str) -> None:
        if not self.nodes[name].visible:
            self.nodes[name].visible = True

    def _show_points(self, contacts: Contacts) -> None:
        if not len(contacts.points):
            self._hide("points")
            return
        colours = np.array([OF_STATE[ContactState(int(state))] for state in contacts.states])
        painted = (255 * colours).astype(np.uint8)
        points = contacts.points.astype(np.float32)
        if "points" not in self.nodes:
            self.nodes["points"] = self.scene.add_point_cloud(
                f"{self.parent}/contact points",
                points,
                painted,
                point_size=POINT * self.film.size,
                point_shape="circle",
                precision="float32",
            )
        node = self.nodes["points"]
        if not np.array_equal(node.points, points):
            node.points = points
        if not np.array_equal(node.colors, painted):
            node.colors = painted
        self._reveal("points")

    def _show_forces(self, contacts: Contacts) -> None:
        arrows = contacts.arrows.astype(np.float32)
        if not len(arrows):
            self._hide("forces")
            return
        size = self.film.size
        if "forces" not in self.nodes:
            self.nodes["forces"] = self.scene.add_arrows(
                f"{self.parent}/contact forces",
                arrows,
                FORCE,
                shaft_radius=SHAFT * size,
                head_radius=HEAD * size,
                head_length=TIP * size,
            )
        elif not np.array_equal(self.nodes["forces"].points, arrows):
            self.nodes["forces"].points = arrows
        self._reveal("forces")

    def _show_cones(self, contacts: Contacts) -> None:
        angle = np.linspace(0.0, 2 * np.pi, SIDES + 1)
        circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(SIDES + 1)])
        lines = []
        for cone in contacts.cones:
            apex, axis = cone[:3], cone[3:6]
            rim = apex + axis + cone[6] * circle @ turn_to(axis / np.linalg.norm(axis)).T
            lines.append(np.stack([rim[:-1], rim[1:]], axis=1))
            spokes = rim[: -1 : SIDES // SPOKES]
            lines.append(np.stack([np.broadcast_to(apex, spokes.shape), spokes], axis=1))
        self._show_lines("cones", "friction cones", np.concatenate([NOWHERE[:0], *lines]), CONE)

    def _show_polygon(self, contacts: Contacts) -> None:
        corners = contacts.polygon
        edges = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
        self._show_lines("polygon", "support polygon", edges, POLYGON)

    def _show_lines(self, mark: str, words: str, lines: np.ndarray, colour: tuple) -> None:
        lines = lines.astype(np.float32)
        if not len(lines):
            self._hide(mark)
            return
        if mark not in self.nodes:
            self.nodes[mark] = self._lines(words, lines, colour)
        elif not np.array_equal(self.nodes[mark].points, lines):
            self.nodes[mark].points = lines
        self._reveal(mark)

    def _lines(self, words: str, lines: np.ndarray, colour: tuple) -> Any:
        return self.scene.add_line_segments(
            f"{self.parent}/{words}",
            lines.astype(np.float32),
            colour,
            thickness=LINE * self.film.size,
        )

    def _show_zmp(self, contacts: Contacts) -> None:
        self._show_balls("zmp", "zero-moment point", contacts.zmp, ZMP)

    def _show_pressure(self, contacts: Contacts) -> None:
        self._show_balls("pressure", "centres of pressure", contacts.pressure, PRESSURE)

    def _show_balls(self, mark: str, words: str, points: np.ndarray, colour: tuple) -> None:
        if not len(points):
            self._hide(mark)
            return
        points = points.astype(np.float32)
        if mark not in self.nodes:
            self.nodes[mark] = self.scene.add_point_cloud(
                f"{self.parent}/{words}",
                points,
                colour,
                point_size=2 * BALL * self.film.size,
                point_shape="circle",
                precision="float32",
            )
        elif not np.array_equal(self.nodes[mark].points, points):
            self.nodes[mark].points = points
        self._reveal(mark)
