"""Motion -> axes over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stiction.motion import Motion


def plot(motion: Motion, *what: str) -> Figure:
    """One panel per item: "energy", "momentum", "centre of mass", or the name of a joint."""
    from matplotlib.figure import Figure

    items = what or ("energy", "momentum", "centre of mass")
    figure = Figure(figsize=(8.0, 2.4 * len(items)), layout="constrained")
    panels = figure.subplots(len(items), 1, sharex=True, squeeze=False)[:, 0]
    for panel, item in zip(panels, items, strict=True):
        _draw(panel, motion, item)
        panel.grid(alpha=0.3)
        panel.margins(x=0)
    panels[-1].set_xlabel("time [s]")
    return figure


def _draw(panel: Any, motion: Motion, item: str) -> None:
    """One panel."""
    time = motion.time
    if item == "energy":
        energy = motion.energy()
        for values, label in zip(
            (*energy, energy.total), ("kinetic", "potential", "total"), strict=True
        ):
            panel.plot(time, values, label=label)
        panel.set_ylabel("energy [J]")
    elif item == "momentum":
        momentum = motion.momentum()
        panel.plot(time, np.linalg.norm(momentum.linear, axis=1), label="linear [N s]")
        panel.plot(time, np.linalg.norm(momentum.angular, axis=1), label="about the centre [N m s]")
        panel.set_ylabel("momentum")
    elif item == "centre of mass":
        for axis, values in zip("xyz", motion.centre_of_mass().T, strict=True):
            panel.plot(time, values, label=axis)
        panel.set_ylabel("centre of mass [m]")
    else:
        panel.plot(time, _joint(motion, item), label=item)
        panel.set_ylabel("position [rad or m]")
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def _joint(motion: Motion, item: str) -> np.ndarray:
    """Position of a joint, or an error that says what else could be drawn."""
    try:
        return motion.joint(item)
    except InputError as error:
        raise InputError(
            "plot() draws 'energy', 'momentum', 'centre of mass' or a revolute or prismatic joint; "
            f"found '{item}': {error}"
        ) from None
