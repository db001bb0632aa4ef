"""One motion over time: energies, heights, forces, joints, phases of contact."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError
from stiction.plot.figures import new_figure
from stiction.plot.phases import draw_phases
from stiction.plot.quantities import base_positions, deepest, touched_links

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stiction.motion.motion import Motion

TOUCHED = ("base height", "contact force", "contact phases")  # if nothing else is asked for
IN_FLIGHT = ("energy", "momentum", "centre of mass")  # if nothing touched the ground


def plot(motion: Motion, *what: str) -> Figure:
    """One panel per item: a name of `ITEMS`, or the name of a joint; a useful choice if none."""
    items = what or (TOUCHED if _touched(motion) else IN_FLIGHT)
    figure = new_figure(8.0, 2.4 * len(items))
    panels = figure.subplots(len(items), 1, sharex=True, squeeze=False)[:, 0]
    for panel, item in zip(panels, items, strict=True):
        draw = ITEMS.get(item)
        if draw is not None:
            draw(panel, motion)
        else:
            panel.plot(motion.time, _joint(motion, item), label=item)
            panel.set_ylabel("position [rad or m]")
        panel.grid(alpha=0.3)
        panel.margins(x=0)
        if panel.get_legend_handles_labels()[1]:
            panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    panels[-1].set_xlabel("time [s]")
    return figure


def _touched(motion: Motion) -> bool:
    """Whether the ground pushed a link."""
    return motion.world.ground is not None and len(touched_links(motion)) > 0


# -------------------------------------------------------------------------------------------- items


def _energy(panel: Any, motion: Motion) -> None:
    energy = motion.energy()
    names = ("kinetic", "potential", "total")
    for values, label in zip((*energy, energy.total), names, strict=True):
        panel.plot(motion.time, values, label=label)
    panel.set_ylabel("energy [J]")


def _momentum(panel: Any, motion: Motion) -> None:
    momentum = motion.momentum()
    panel.plot(motion.time, np.linalg.norm(momentum.linear, axis=1), label="linear [N s]")
    about_centre = np.linalg.norm(momentum.angular, axis=1)
    panel.plot(motion.time, about_centre, label="angular [N m s]")
    panel.set_ylabel("momentum")


def _centre_of_mass(panel: Any, motion: Motion) -> None:
    for axis, values in zip("xyz", motion.centre_of_mass().T, strict=True):
        panel.plot(motion.time, values, label=axis)
    panel.set_ylabel("centre of mass [m]")


def _base_height(panel: Any, motion: Motion) -> None:
    for k, robot in enumerate(motion.world.moving):
        panel.plot(motion.time, base_positions(motion, k)[:, 2], label=robot.name)
    panel.set_ylabel("base height [m]")


def _contact_force(panel: Any, motion: Motion) -> None:
    for foot in touched_links(motion):
        panel.plot(motion.time, motion.foot_force(foot)[:, 2], label=foot)
    panel.set_ylabel("upward force [N]")


def _depth(panel: Any, motion: Motion) -> None:
    panel.plot(motion.time, 1000 * deepest(motion))
    panel.set_ylabel("largest depth [mm]")


ITEMS: dict[str, Callable[[Any, Motion], None]] = {
    "energy": _energy,
    "momentum": _momentum,
    "centre of mass": _centre_of_mass,
    "base height": _base_height,
    "contact force": _contact_force,
    "depth": _depth,
    "contact phases": draw_phases,
}


def _joint(motion: Motion, item: str) -> np.ndarray:
    """Position of a joint; raises an error that lists the items for any other name."""
    try:
        return motion.joint(item)
    except InputError as error:
        names = ", ".join(f"'{name}'" for name in ITEMS)
        raise InputError(
            f"plot() draws {names} or a revolute or prismatic joint; found '{item}': {error}"
        ) from None
