"""Several motions of the same robots in one figure: forces, depth, height and lean."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.plot.figures import new_figure
from stiction.plot.quantities import base_positions, deepest, lean, touched_links

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stiction.motion.motion import Motion

COLUMNS, MOST_IN_THREE = (3, 5), 6  # of the panels of a comparison: few and many motions
MOST_FORCE = 2.2  # in weights: larger forces are cut off in a panel, and their peak is printed
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")  # Okabe-Ito


def compare(motions: Mapping[str, Motion], pushed: tuple[float, float] | None = None) -> Figure:
    """Upward force of the touching links in a panel for each motion; depth, height and lean of all.

    All motions are of the same robots. pushed: start and end of a push [s], shaded.
    """
    rows, columns = panels_for(len(motions))
    figure = new_figure(3.0 * columns + 3.0, 2.3 * rows + 3.0)
    parts: Any = figure.subfigures(2, 1, height_ratios=(2.3 * rows, 3.0), hspace=0.03)
    colours = colours_of(motions)
    panels = compare_forces(parts[0], motions, colours)
    panels += _compare_curves(parts[1], motions, colours)
    for panel in panels:
        panel.grid(alpha=0.3)
        panel.set_xlim(
            min(motion.time[0] for motion in motions.values()),
            max(motion.time[-1] for motion in motions.values()),
        )
        if pushed is not None:
            panel.axvspan(*pushed, color="0.87", lw=0)
    if pushed is not None:
        panels[0].text(pushed[1], MOST_FORCE, " push", va="top", color="0.4")
    return figure


def colours_of(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name; they repeat after seven."""
    return dict(zip(names, itertools.cycle(COLOURS), strict=False))


def panels_for(motions: int) -> tuple[int, int]:
    """Rows and columns of panels for a number of motions."""
    columns = COLUMNS[motions > MOST_IN_THREE]
    return -(-motions // columns), columns


def compare_forces(figure: Any, motions: Mapping[str, Motion], colours: dict[str, str]) -> list:
    """A panel for each motion; returns the panels."""
    grid = figure.subplots(*panels_for(len(motions)), sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for panel, (name, motion) in zip(panels, motions.items(), strict=False):
        _draw_forces(panel, motion)
        step = 1000 * motion.parameters["dt"]
        panel.set_title(f"{name}, dt {step:g} ms", fontsize="medium", color=colours[name])
    panels[0].legend(loc="upper right", fontsize="small", frameon=False)
    for panel in panels[len(motions) :]:
        panel.set_visible(False)
    for row in grid:
        row[0].set_ylabel("upward force\n/ weight")
    return panels[: len(motions)]


def _draw_forces(panel: Any, motion: Motion) -> None:
    """Upward force of every touching link, in weights of all robots."""
    weight = motion.world.total_mass * float(np.linalg.norm(motion.world.gravity))
    peak = 0.0
    for k, foot in enumerate(touched_links(motion)):
        force = motion.foot_force(foot)[:, 2] / weight
        peak = max(peak, float(np.nanmax(force)))
        label, colour = foot.replace("_", " "), COLOURS[k % len(COLOURS)]
        panel.plot(motion.time, force, label=label, lw=1.0, color=colour)
    panel.text(0.1, 0.95, f"peak {peak:.3g}", transform=panel.transAxes, va="top", color="0.3")
    panel.set_ylim(-0.25, MOST_FORCE)


def line_styles(names: Iterable[str]) -> dict[str, Any]:
    """Every second line is dashed and drawn on top, so that two equal ones are both visible."""
    whole, dashed = {"ls": "-", "zorder": 2}, {"ls": (0, (4, 3)), "zorder": 3}
    return {name: dashed if k % 2 else whole for k, name in enumerate(names)}


def _compare_curves(figure: Any, motions: Mapping[str, Motion], colours: dict[str, str]) -> list:
    """A panel for each entry of `COMPARED`; returns the panels."""
    panels = list(figure.subplots(1, len(COMPARED)))
    styles = line_styles(motions)
    for panel, (label, values) in zip(panels, COMPARED.items(), strict=True):
        for name, motion in motions.items():
            line = styles[name]
            panel.plot(motion.time, values(motion), label=name, color=colours[name], **line)
        panel.set_ylabel(label)
        panel.set_xlabel("time [s]")
    handles = panels[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=6, frameon=False)
    return panels


COMPARED: dict[str, Callable[[Motion], np.ndarray]] = {
    "largest depth [mm]": lambda motion: 1000 * deepest(motion),
    "base height [m]": lambda motion: base_positions(motion)[:, 2],
    "base lean [degrees]": lean,
}
