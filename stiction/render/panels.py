"""Panels of one picture: a motion each, or all in one as ghosts, with titles and a legend."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from stiction.render.camera import Shot, shot_of
from stiction.render.canvas import Canvas
from stiction.render.look import Look
from stiction.render.marks import draw_marks
from stiction.render.model import Stage
from stiction.visual.colours import LEGEND, MOTIONS, TRANSITIONS, Rgb
from stiction.visual.frames import Film

GHOST = 0.35  # opacity of all motions but the first
TINT = 0.55  # of a ghost's own colour in its meshes
BAR = 26  # height of the legend and of a title [pixels]
SWATCH = 16  # width of a sample of colour and the gap after it [pixels]
TEXT = (40, 40, 40)
SHOWN_TOGETHER = {"forces": ("force",), "points": ("stick", "slip"), "cones": ("cone",)}


class Panels:
    """Draws pictures of several films; `close` it, or use it in a `with` statement."""

    def __init__(self, films: Sequence[Film], look: Look) -> None:
        """Open a canvas for each panel."""
        self.look = look
        self.cells: list[tuple[list[Film], Canvas, Shot]] = []
        width, height = look.size
        ghosts = look.layout == "ghosts" and len(films) > 1
        groups = [[film] for film in films]
        if ghosts:
            coloured = zip(films, itertools.cycle(MOTIONS), strict=False)
            groups = [[tinted(film, colour) for film, colour in coloured]]  # one panel
        for group in groups:
            stage = Stage(group, [1.0] + [GHOST] * (len(group) - 1), height)
            shot = shot_of(group[0], look.view, look.follow, width / height)
            self.cells.append((group, Canvas(stage, width, height), shot))
        wanted = math.ceil(math.sqrt(len(groups) * 1.5 * height / width))
        self.columns = min(look.columns or max(wanted, min(len(groups), 3)), len(groups))

    def __enter__(self) -> Panels:
        """Nothing more to open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close all canvases."""
        for cell in self.cells:
            cell[1].close()

    @property
    def length(self) -> int:
        """The number of pictures of the longest film."""
        return max(len(film) for group, _, _ in self.cells for film in group)

    def picture(self, k: int, bare: bool = False) -> np.ndarray:
        """Picture k, (height, width, 3); bare: without titles and legend."""
        cells = [self._cell(group, canvas, shot, k, bare) for group, canvas, shot in self.cells]
        blank = np.full_like(cells[0], 255)
        rows = [cells[i : i + self.columns] for i in range(0, len(cells), self.columns)]
        rows[-1] += [blank] * (self.columns - len(rows[-1]))
        whole = np.vstack([np.hstack(row) for row in rows])
        return whole if bare or not self.look.legend else np.vstack([whole, self.legend(whole)])

    def _cell(self, group: list[Film], canvas: Canvas, shot: Shot, k: int, bare: bool) -> Any:
        canvas.begin(k, shot)
        for film in group:
            draw_marks(canvas, film, k, tuple(self.look.marks))
        pixels = canvas.pixels()
        if not bare:
            time = group[0].motion.time[min(k, len(group[0]) - 1)]
            _write(pixels, _titles(group, f"{time:.2f} s"))
        return pixels

    def legend(self, picture: np.ndarray) -> np.ndarray:
        """A bar that explains the marks, as wide as a picture."""
        touching = any(film.motion.point_count for group, _, _ in self.cells for film in group)
        marks = (
            self.look.marks if touching else [each for each in self.look.marks if each == "trail"]
        )
        names = [name for mark in marks for name in SHOWN_TOGETHER.get(mark, (mark,))]
        films = [film for group, _, _ in self.cells for film in group]
        if "points" in marks and any(film.has_transitions for film in films):
            names[names.index("slip") + 1 : names.index("slip") + 1] = TRANSITIONS
        entries = [(LEGEND[name].colour, LEGEND[name].words) for name in names]
        bars: list[np.ndarray] = []
        while entries:
            bars.append(np.full((BAR, picture.shape[1], 3), 255, np.uint8))
            entries = entries[_write(bars[-1], entries) :]
        return np.vstack(bars) if bars else picture[:0]


def _titles(group: list[Film], time: str) -> list[tuple[Rgb | None, str]]:
    """What a panel is of: the name of its motion, or the names of all in their colours."""
    if len(group) == 1:
        return [(None, f"{group[0].name}  {time}")]
    names = [(MOTIONS[i % len(MOTIONS)], film.name) for i, film in enumerate(group)]
    return [*names, (None, time)]


def tinted(film: Film, colour: Rgb) -> Film:
    """The film with its meshes in a mixture of their colours and one of its own."""
    mixed = []
    for mesh in film.meshes:
        red, green, blue = (
            TINT * a + (1 - TINT) * b for a, b in zip(colour, mesh.colour[:3], strict=True)
        )
        mixed.append(mesh._replace(colour=(red, green, blue, mesh.colour[3])))
    film.meshes = [mesh for mesh in mixed if mesh.link] or mixed
    return film


def _write(pixels: np.ndarray, entries: Sequence[tuple[Rgb | None, str]]) -> int:
    """Write words, each after a swatch of its colour if it has one, at the top of a picture.

    Returns how many fit; the first always does.
    """
    from PIL import Image, ImageDraw, ImageFont

    strip = pixels[:BAR]
    picture = Image.fromarray(strip)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(size=14)
    x, count = 8.0, 0
    for colour, words in entries:
        length = draw.textlength(words, font=font)
        if count and x + SWATCH + length > strip.shape[1]:
            break
        if colour is not None:
            draw.rectangle([x, 8, x + 10, 18], fill=tuple(round(255 * part) for part in colour))
            x += SWATCH
        draw.text((x, 5), words, fill=TEXT, font=font)
        x, count = x + length + 18, count + 1
    strip[:] = np.asarray(picture)
    return count
