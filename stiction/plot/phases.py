"""Charts of contact phases: a row for each foot, a bar for each period of contact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError
from stiction.metrics import ContactPhase
from stiction.metrics.points import require_contact
from stiction.plot.figures import new_figure
from stiction.plot.quantities import touched_links
from stiction.world.contact_points import contact_points_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stiction.motion.motion import Motion

COLOURS = {
    ContactPhase.HEEL: "#E69F00",
    ContactPhase.FLAT: "#0072B2",
    ContactPhase.TOE: "#009E73",
    ContactPhase.FLIGHT: "#F2F2F2",
}


def contact_phases(motion: Motion, feet: Sequence[str] | None = None) -> Figure:
    """Chart of the contact phases over time; feet: links, by default those named foot."""
    count = len(_feet(motion, feet))
    figure = new_figure(8.0, 0.9 + 0.45 * count)
    panel = figure.subplots()
    draw_phases(panel, motion, feet)
    panel.set_xlabel("time [s]")
    panel.margins(x=0)
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure


def draw_phases(panel: Any, motion: Motion, feet: Sequence[str] | None = None) -> None:
    """Draw the chart into a panel."""
    rows = _feet(motion, feet)
    for row, foot in enumerate(rows):
        for start, end, phase in runs(motion.time, motion.contact_phases(foot)):
            bar = [(start, end - start)]
            panel.broken_barh(bar, (row - 0.4, 0.8), facecolor=COLOURS[phase], lw=0)
    for phase, colour in COLOURS.items():
        panel.bar(motion.time[0], 0.0, width=0.0, color=colour, label=phase.name.lower())
    panel.set_yticks(range(len(rows)), [foot.replace("_", " ") for foot in rows])
    panel.set_ylim(len(rows) - 0.5, -0.5)


def runs(time: np.ndarray, phases: np.ndarray) -> list[tuple[float, float, ContactPhase]]:
    """Start, end [s] and phase of every interval of constant phase, up to the start of the next."""
    starts = np.flatnonzero(np.diff(phases, prepend=-1))
    ends = [*starts[1:], len(time) - 1]
    return [
        (float(time[start]), float(time[end]), ContactPhase(int(phases[start])))
        for start, end in zip(starts, ends, strict=True)
    ]


def _feet(motion: Motion, feet: Sequence[str] | None) -> list[str]:
    """The given feet; else links named foot that can touch, else all links that touched."""
    require_contact(motion)
    if feet is not None:
        return list(feet)
    contact_points, _, _ = contact_points_of(motion.world)
    names = [motion.world.link_names[link] for link in sorted(set(contact_points.link.tolist()))]
    found = [name for name in names if "foot" in name.lower()] or touched_links(motion)
    if not found:
        raise InputError(
            "contact_phases: no link has foot in its name, and none touched the ground; "
            f"pass feet= with some of {', '.join(names)}"
        )
    return found
