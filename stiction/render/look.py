"""How pictures look: view, size, what is marked, how several motions are arranged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from stiction.errors import InputError
from stiction.render.marks import MARKS, SHOWN
from stiction.visual.named import checked_layout

SMALLEST, LARGEST = 64, 4096  # sides of a picture [pixels]


class Look(NamedTuple):
    """Options of `image` and `video`."""

    view: str = "oblique"  # a name of `VIEWS`
    size: tuple[int, int] = (640, 480)  # of one panel: width, height [pixels]
    follow: bool = True  # whether the camera moves with the first robot
    marks: Sequence[str] = SHOWN  # of `MARKS`
    layout: str = "side by side"  # or "ghosts": all in one panel, all but the first translucent
    columns: int = 0  # of panels; 0: as many as make the whole about as wide as a screen
    legend: bool = True


def look_of(options: dict[str, Any]) -> Look:
    """The look with these options, checked."""
    strange = sorted(set(options) - set(Look._fields))
    if strange:
        raise InputError(
            f"no option '{strange[0]}' of pictures; there are {', '.join(Look._fields)}"
        )
    look = Look(**options)
    checked_layout(look.layout)
    marks = (look.marks,) if isinstance(look.marks, str) else tuple(look.marks)
    unknown = [mark for mark in marks if mark not in MARKS]
    if unknown:
        raise InputError(f"marks has {unknown[0]!r}; give some of {', '.join(MARKS)}")
    size = tuple(look.size)
    if len(size) != 2 or not all(isinstance(n, int) and SMALLEST <= n <= LARGEST for n in size):
        raise InputError(
            f"size is {look.size!r}; give width and height in pixels, {SMALLEST} to {LARGEST}"
        )
    if not (isinstance(look.columns, int) and look.columns >= 0):
        raise InputError(f"columns is {look.columns!r}; give a number of panels in a row")
    return look._replace(marks=marks, size=(size[0] // 2 * 2, size[1] // 2 * 2))
