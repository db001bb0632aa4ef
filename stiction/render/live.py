"""Pictures of a simulation that runs, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.render.camera import Shot, shot_of
from stiction.render.canvas import Canvas
from stiction.render.look import look_of
from stiction.render.marks import draw_marks
from stiction.render.model import Stage
from stiction.visual.live import LiveFilm

if TYPE_CHECKING:
    from stiction.simulation.simulation import Simulation


class LiveCamera:
    """Takes pictures of a simulation; its model is compiled once for each piece of ground.

    The camera follows the first robot. Options: those of `stiction.render.look.Look`.
    """

    def __init__(self, simulation: Simulation, **options: Any) -> None:
        """Nothing is opened before the first picture."""
        look = look_of(options)
        marks = tuple(mark for mark in look.marks if mark != "trail")
        self.simulation, self.look = simulation, look._replace(marks=marks)
        self.canvas: Canvas | None = None
        self.film: LiveFilm
        self.shot: Shot

    def picture(self) -> np.ndarray:
        """The current state: red, green and blue of each pixel, (height, width, 3)."""
        canvas = self._canvas()
        base = self.film.base[0] - self.start
        moved = np.array([base[0], base[1], 0.0])
        canvas.begin(0, self.shot._replace(target=self.shot.target + moved))
        draw_marks(canvas, self.film, 0, tuple(self.look.marks))
        return canvas.pixels()

    def close(self) -> None:
        """Free the context."""
        if self.canvas is not None:
            self.canvas.close()
            self.canvas = None

    def _canvas(self) -> Canvas:
        """The canvas for the ground on which the robot is now."""
        if self.canvas is not None:
            self.film.update(self.simulation)
            here, area = self.film.base[0, :2], self.canvas.stage.area
            if ((here >= area.low) & (here <= area.high)).all():
                return self.canvas
            self.close()
        width, height = self.look.size
        self.film = LiveFilm(self.simulation)
        self.start = self.film.base[0]
        self.shot = shot_of(self.film, self.look.view, True, width / height)
        self.canvas = Canvas(Stage([self.film], [1.0], height), width, height)
        return self.canvas
