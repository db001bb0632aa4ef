"""Where pictures are taken from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.errors import InputError, did_you_mean
from stiction.visual.frames import Film

FIELD_OF_VIEW = 35.0  # vertical [degrees]
ROOM = 1.35  # height and width of the picture at the robot, over those of the robot
ABOVE = 0.04  # height of what the camera looks at, over the middle, for the title; over the size
SMOOTH = 0.5  # the camera follows the mean over this time [s]


class View(NamedTuple):
    """Direction in which the camera looks [degrees]: azimuth about z from x, and elevation."""

    azimuth: float
    elevation: float


VIEWS = {
    "side": View(90.0, -5.0),
    "front": View(180.0, -5.0),
    "back": View(0.0, -15.0),
    "top": View(90.0, -89.0),
    "oblique": View(125.0, -15.0),
}


class Shot(NamedTuple):
    """The camera in every picture."""

    view: View
    target: np.ndarray  # (n, 3) the point that it looks at [m]
    distance: float  # from that point [m]


def shot_of(film: Film, view: str, follow: bool, aspect: float) -> Shot:
    """The camera that shows a film from a preset; aspect: width over height of the picture."""
    if view not in VIEWS:
        hint = did_you_mean(str(view), VIEWS)
        raise InputError(f"view is {view!r}; give {', '.join(VIEWS)}{hint}")
    low, high = film.box
    middle = (low + high) / 2 + [0.0, 0.0, ABOVE * film.size]
    moved = film.base - film.base[0]
    half = np.tan(np.radians(FIELD_OF_VIEW / 2))
    across, up = float(np.linalg.norm((high - low)[:2])), film.size
    if follow:
        target = middle + _smooth(moved, film.motion.time)
    else:
        spread = np.ptp(moved, axis=0)
        target = np.tile(middle + (moved.min(axis=0) + moved.max(axis=0)) / 2, (len(film), 1))
        across, up = across + float(np.linalg.norm(spread[:2])), up + float(spread[2])
    distance = ROOM * max(up, across / aspect) / (2 * half) + across / 4
    return Shot(VIEWS[view], target, distance)


def _smooth(moved: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Mean displacement over a window of time; vertically, the camera stays where it is."""
    if len(time) < 2:
        return moved
    half = max(1, round(SMOOTH / 2 / max(float(time[1] - time[0]), 1e-9)))
    padded = np.pad(moved, ((half, half), (0, 0)), mode="edge")
    sums = np.cumsum(np.vstack([np.zeros(3), padded]), axis=0)
    mean = (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)
    mean[:, 2] = 0.0
    return mean
