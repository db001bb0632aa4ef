"""Strips of snapshots: the robots at chosen times, the scenery, the ground, and its forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.arguments import numbers
from stiction.description.description import WORLD
from stiction.errors import InputError
from stiction.plot.figures import new_figure
from stiction.plot.quantities import base_positions, touched_links
from stiction.plot.silhouettes import Camera, ground_heights, silhouettes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stiction.motion.motion import Motion

VIEWS = {"side": Camera(-90.0, 0.0), "front": Camera(0.0, 0.0), "oblique": Camera(-55.0, 18.0)}
SIDES = {"left": "#7FB2D9", "right": "#E8A27C"}  # links of the two sides, fully lit
THROUGH = 0.3  # opacity of scenery, which may stand before a robot
MIDDLE, EDGE, FORCE = "#C9C9C9", "#333333", "#B2182B"
ARROW = 0.4  # length of an arrow of one weight, over the robots' size
MARGIN = 0.12  # around the robots, over their size
SAMPLES = {True: 401, False: 41}  # points of the ground line, and of each line of a grid
MOST = 40  # snapshots in a strip
TALL = 2.4  # height of the tallest row of pictures [inches]


def snapshots(
    motion: Motion,
    times: ArrayLike | int = 6,
    views: Sequence[str] = ("side", "oblique"),
    follow: bool = True,
) -> Figure:
    """A row for each view, a column for each time, which shows the nearest recorded sample.

    times: [s], or their number, evenly spaced over the motion. Left links are blue, right ones
    orange, scenery is translucent. Arrows show the force of the ground on each link at its centre
    of pressure; the weight of all robots is an arrow of 0.4 of their size. follow: pictures move
    along the ground with the first base.
    """
    rows = moments(motion, times)
    for view in views:
        if view not in VIEWS:
            raise InputError(f"snapshots: unknown view '{view}'; give {', '.join(VIEWS)}")
    strips = [_Strip([_Picture(motion, k, VIEWS[view]) for k in rows], follow) for view in views]
    widths, heights = np.array([2 * strip.half for strip in strips]).T
    inches = TALL / heights.max()
    figure = new_figure(inches * widths.max() * len(rows), inches * heights.sum() + 0.3)
    panels = figure.subplots(len(views), len(rows), squeeze=False, height_ratios=heights)
    for row, strip in zip(panels, strips, strict=True):
        strip.draw(row)
    _tell_times(panels[0], motion, rows)
    return figure


def draw_snapshots(
    figure: Any, motion: Motion, times: ArrayLike | int = 6, view: str = "side"
) -> None:
    """Draw a row of snapshots, as `snapshots` does, into a figure or a part of one."""
    rows = moments(motion, times)
    panels = figure.subplots(1, len(rows), squeeze=False)[0]
    _Strip([_Picture(motion, k, VIEWS[view]) for k in rows], follow=True).draw(panels)
    _tell_times(panels, motion, rows)


def _tell_times(panels: Any, motion: Motion, rows: list[int]) -> None:
    for panel, k in zip(panels, rows, strict=True):
        panel.set_title(f"{motion.time[k]:.2f} s", fontsize="medium")


def moments(motion: Motion, times: ArrayLike | int) -> list[int]:
    """Indices of the samples nearest to these times, or of a number of evenly spaced ones."""
    if isinstance(times, int | np.integer):
        if not 1 <= times <= MOST:
            raise InputError(f"snapshots: found {times} times; give 1 to {MOST}, or a list")
        times = np.linspace(motion.time[0], motion.time[-1], int(times))
    wanted = np.atleast_1d(numbers(times))
    first, last = motion.time[0], motion.time[-1]
    slack = 1e-9 * max(abs(first), abs(last), 1.0)
    if wanted.ndim != 1 or not 1 <= len(wanted) <= MOST:
        raise InputError(f"snapshots: found {wanted.size} times; give 1 to {MOST}")
    if not ((wanted >= first - slack) & (wanted <= last + slack)).all():
        raise InputError(
            f"snapshots: times {wanted.tolist()} are not all in the motion, which is "
            f"from {first:g} to {last:g} s"
        )
    return [int(np.argmin(np.abs(motion.time - time))) for time in wanted]


class _Picture:
    """A motion at one sample as seen by a camera, in the picture's axes [m]."""

    def __init__(self, motion: Motion, k: int, camera: Camera) -> None:
        self.axes = camera.axes()
        self.shapes = silhouettes(motion.world, motion.q[k], camera)
        moving = [shape.corners for shape in self.shapes if shape.link != WORLD]
        if not moving:
            raise InputError("snapshots: the robots of this motion have no shapes to draw")
        self.base = base_positions(motion)[k]
        self.below = self.base.copy()  # the point of the ground under the base, if there is ground
        if motion.world.ground is not None:
            self.below[2:] = ground_heights(motion.world, self.base[None, :2], self.base[2])
        self.level = camera.elevation == 0.0
        corners = np.concatenate(moving)
        self.low, self.high = corners.min(axis=0), corners.max(axis=0)
        self.arrows = _arrows(motion, k)
        self.world = motion.world

    def seen(self, points: np.ndarray) -> np.ndarray:
        """Points of the world (n, 3) in the picture, (n, 2)."""
        return points @ self.axes[:2].T

    def ground_lines(self, reach: float) -> list[np.ndarray]:
        """Ground lines within `reach` of the base: one below it, or a grid seen from above."""
        samples = SAMPLES[self.level]
        steps = np.linspace(-reach, reach, samples)
        right = self.axes[0, :2]
        if self.level:
            lines = [self.base[:2] + np.outer(steps, right)]
        else:
            spacing = reach / 4
            corner = np.floor(self.base[:2] / spacing)
            whole = [(corner + n) * spacing for n in range(-4, 6)]
            middle = corner * spacing
            lines = [np.column_stack([middle[0] + steps, np.full(samples, y)]) for _, y in whole]
            lines += [np.column_stack([np.full(samples, x), middle[1] + steps]) for x, _ in whole]
        heights = [ground_heights(self.world, line, self.base[2]) for line in lines]
        return [
            self.seen(np.column_stack([line, height]))
            for line, height in zip(lines, heights, strict=True)
        ]


class _Strip:
    """Pictures of one view at the same scale; the windows follow the base or stay in place."""

    def __init__(self, pictures: list[_Picture], follow: bool) -> None:
        self.pictures = pictures
        self.size = float(max((picture.high - picture.low).max() for picture in pictures))
        self.anchors = [picture.seen(picture.below[None])[0] * follow for picture in pictures]
        around = list(zip(pictures, self.anchors, strict=True))
        low = np.min([picture.low - anchor for picture, anchor in around], axis=0)
        high = np.max([picture.high - anchor for picture, anchor in around], axis=0)
        self.middle = (low + high) / 2
        self.half = (high - low) / 2 + MARGIN * self.size  # of a window

    def draw(self, panels: Any) -> None:
        """Draw a picture into each panel."""
        for panel, picture, anchor in zip(panels, self.pictures, self.anchors, strict=True):
            self._draw(panel, picture)
            (x, y), (width, height) = anchor + self.middle, self.half
            panel.set(xlim=(x - width, x + width), ylim=(y - height, y + height), aspect="equal")
            panel.set_axis_off()

    def _draw(self, panel: Any, picture: _Picture) -> None:
        line = {"color": "0.35", "lw": 1.2} if picture.level else {"color": "0.8", "lw": 0.6}
        for ground in picture.ground_lines(3 * float(self.half.max())):
            panel.plot(*ground.T, **line, zorder=0)
        for shape in picture.shapes:
            side = next((side for side in SIDES if shape.link.lower().startswith(side)), "")
            colour = SIDES.get(side, MIDDLE)
            alpha = THROUGH if shape.link == WORLD else 1.0
            drawn = {"facecolor": colour, "edgecolor": EDGE, "lw": 0.5, "alpha": alpha}
            panel.fill(*shape.corners.T, **drawn, zorder=1)
        for point, force in picture.arrows:
            tail = picture.seen(point[None])[0]
            tip = tail + ARROW * self.size * picture.seen(force[None])[0]
            style = {"arrowstyle": "-|>", "color": FORCE, "lw": 1.3, "shrinkA": 0, "shrinkB": 0}
            panel.annotate("", xy=tip, xytext=tail, arrowprops=style, zorder=2)


def _arrows(motion: Motion, k: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Centre of pressure [m] and force, in weights, of every touching link.

    The last sample has no force; that of the step before is drawn.
    """
    if motion.point_count == 0:
        return []
    weight = motion.world.total_mass * float(np.linalg.norm(motion.world.gravity))
    if k > 0 and np.isnan(motion.force[k]).any():
        k -= 1
    found = []
    for link in touched_links(motion):
        point, force = motion.centre_of_pressure(link)[k], motion.foot_force(link)[k]
        if weight > 0 and np.isfinite([*point, *force]).all():
            found.append((point, force / weight))
    return found
