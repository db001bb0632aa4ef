"""One walk under several contact models in one figure: snapshots, forces, paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.plot.comparison import colours_of, compare_forces, line_styles, panels_for
from stiction.plot.figures import new_figure
from stiction.plot.quantities import base_positions, deepest
from stiction.plot.snapshots import draw_snapshots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stiction.control.reference import Reference
    from stiction.motion.motion import Motion

PICTURES = 12
STRIP, ROW, CURVES = 2.4, 2.1, 3.0  # heights of the parts [inches]
LEAST = 1e-3  # smallest value of a logarithmic panel [mm]
WINDOW = 0.05  # interval for the maximum depth, so that the curves stay distinguishable [s]


def compare_walks(motions: Mapping[str, Motion], planned: Reference, shown: str) -> Figure:
    """Snapshots of the motion `shown`; forces of the feet in a panel for each motion; base paths.

    All motions follow the reference `planned`, whose first coordinates are those of the base.
    """
    rows, columns = panels_for(len(motions))
    heights = (STRIP, ROW * rows, CURVES)
    figure = new_figure(3.0 * columns + 1.0, sum(heights))
    parts: Any = figure.subfigures(3, 1, height_ratios=heights, hspace=0.03)
    motion = motions[shown]
    parts[0].suptitle(f"{motion.world.robots[0].name} walking, contact model {shown}")
    draw_snapshots(parts[0], motion, PICTURES)
    colours = colours_of(motions)
    panels = compare_forces(parts[1], motions, colours)
    for panel in panels:
        panel.set_xlim(0.0, np.max(planned.time))
    for panel in panels[-columns:]:
        panel.set_xlabel("time [s]")
    panels += _draw_curves(parts[2], motions, planned, colours)
    for panel in panels:
        panel.grid(alpha=0.3)
    return figure


def _draw_curves(
    figure: Any, motions: Mapping[str, Motion], planned: Reference, colours: dict[str, str]
) -> list:
    """Draw paths from above, distances from the plan and depths; returns the panels."""
    path, off, depth = panels = list(figure.subplots(1, 3))
    path.plot(*np.asarray(planned.q)[:, :2].T, color="0.7", lw=5, label="planned", zorder=1)
    styles = line_styles(motions)
    for name, motion in motions.items():
        line = {"label": name, "color": colours[name], **styles[name]}
        path.plot(*base_positions(motion)[:, :2].T, **line)
        off.plot(motion.time, np.maximum(1000 * _distance(motion, planned), LEAST), **line)
        depth.plot(*_deepest(motion), **line)
    path.set(xlabel="base, forward [m]", ylabel="base, left [m]")
    off.set(xlabel="time [s]", ylabel="base error [mm]", yscale="log")
    depth.set(xlabel="time [s]", ylabel="largest depth [mm]", yscale="log")
    for panel in (off, depth):
        panel.set_xlim(0.0, np.max(planned.time))
    handles = path.get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=6, frameon=False)
    return panels


def _distance(motion: Motion, planned: Reference) -> np.ndarray:
    """Distance of the base from its planned position [m], (n)."""
    time, q = np.asarray(planned.time), np.asarray(planned.q)
    wanted = [np.interp(motion.time, time, q[:, k]) for k in range(3)]
    return np.linalg.norm(motion.q[:, :3] - np.transpose(wanted), axis=1)


def _deepest(motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Times [s], and largest depth in the window that starts there [mm]."""
    each = max(1, round(WINDOW / float(motion.time[1] - motion.time[0])))
    depth = np.nan_to_num(deepest(motion))
    firsts = np.arange(0, len(depth), each)
    return motion.time[firsts], np.maximum(1000 * np.maximum.reduceat(depth, firsts), LEAST)
