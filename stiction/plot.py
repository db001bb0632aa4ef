"""Motion -> axes over time; several motions -> one figure that compares their contact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stiction.motion import Motion

DEFAULT = ("energy", "momentum", "centre of mass")
COLUMNS, MOST_IN_THREE = (3, 5), 6  # of the panels of a comparison: few and many motions
MOST_FORCE = 2.2  # in weights: what is above leaves a panel of a comparison, and its peak is told
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")  # Okabe-Ito


def plot(motion: Motion, *what: str) -> Figure:
    """One panel per item: a name of `ITEMS`, or that of a joint."""
    from matplotlib.figure import Figure

    items = what or DEFAULT
    figure = Figure(figsize=(8.0, 2.4 * len(items)), layout="constrained")
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
    panel.plot(motion.time, about_centre, label="about the centre [N m s]")
    panel.set_ylabel("momentum")


def _centre_of_mass(panel: Any, motion: Motion) -> None:
    for axis, values in zip("xyz", motion.centre_of_mass().T, strict=True):
        panel.plot(motion.time, values, label=axis)
    panel.set_ylabel("centre of mass [m]")


def _base_height(panel: Any, motion: Motion) -> None:
    for k, robot in enumerate(motion.world.robots):
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
}


def _joint(motion: Motion, item: str) -> np.ndarray:
    """Position of a joint, or an error that says what else could be drawn."""
    try:
        return motion.joint(item)
    except InputError as error:
        names = ", ".join(f"'{name}'" for name in ITEMS)
        raise InputError(
            f"plot() draws {names} or a revolute or prismatic joint; found '{item}': {error}"
        ) from None


# --------------------------------------------------------------------------------------- comparison


def compare(motions: Mapping[str, Motion], pushed: tuple[float, float] | None = None) -> Figure:
    """Upward force of the touching links in a panel for each motion; depth, height and lean of all.

    All motions are of the same robots. pushed: from when to when somebody pushes [s], shaded.
    """
    from matplotlib.figure import Figure

    rows, columns = _panels(len(motions))
    figure = Figure(figsize=(3.0 * columns + 3.0, 2.3 * rows + 3.0), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=(2.3 * rows, 3.0), hspace=0.03)
    colours = dict(zip(motions, COLOURS * len(motions), strict=False))
    panels = _compare_forces(parts[0], motions, colours)
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


def _panels(motions: int) -> tuple[int, int]:
    """Rows and columns of panels for so many motions."""
    columns = COLUMNS[motions > MOST_IN_THREE]
    return -(-motions // columns), columns


def _compare_forces(figure: Any, motions: Mapping[str, Motion], colours: dict[str, str]) -> list:
    """A panel for each motion; returns the panels."""
    grid = figure.subplots(*_panels(len(motions)), sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for panel, (name, motion) in zip(panels, motions.items(), strict=False):
        _draw_forces(panel, motion)
        step = 1000 * motion.parameters["dt"]
        panel.set_title(f"{name}, dt {step:g} ms", fontsize="medium", color=colours[name])
    panels[0].legend(loc="upper right", fontsize="small", frameon=False)
    for panel in panels[len(motions) :]:
        panel.set_visible(False)
    for row in grid:
        row[0].set_ylabel("upward force / weight")
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


def _compare_curves(figure: Any, motions: Mapping[str, Motion], colours: dict[str, str]) -> list:
    """A panel for each entry of `COMPARED`; returns the panels."""
    panels = list(figure.subplots(1, len(COMPARED)))
    for panel, (label, values) in zip(panels, COMPARED.items(), strict=True):
        for k, (name, motion) in enumerate(motions.items()):
            # every second one is dashed and on top, so that two equal ones are both seen
            line = {"ls": "-", "zorder": 2} if k % 2 == 0 else {"ls": (0, (4, 3)), "zorder": 3}
            panel.plot(motion.time, values(motion), label=name, color=colours[name], **line)
        panel.set_ylabel(label)
        panel.set_xlabel("time [s]")
    handles = panels[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=6, frameon=False)
    return panels


def deepest(motion: Motion) -> np.ndarray:
    """Depth of the deepest place [m], (n)."""
    return motion.depth.max(axis=1, initial=0.0)


def base_positions(motion: Motion, robot: int = 0) -> np.ndarray:
    """Position of the first link of a robot in the world [m], (n, 3)."""
    from stiction.metrics import link_positions

    one = motion.world.robots[robot]
    prefix = "" if len(motion.world.robots) == 1 else f"{one.name}/"
    return link_positions(motion, prefix + str(one.link_name[0]))


def lean(motion: Motion) -> np.ndarray:
    """Angle between the z axis of the first free link and the world's [degrees], (n)."""
    _, x, y, _ = motion.q[:, 3:7].T
    return np.degrees(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)))


def touched_links(motion: Motion) -> list[str]:
    """Names of the links that the ground pushed or pulled."""
    from stiction.places import places_of

    places, _, _ = places_of(motion.world)
    felt = (np.nan_to_num(motion.force) != 0).any(axis=(0, 2))
    links = sorted(set(places.link[: len(felt)][felt].tolist()))
    return [motion.world.link_names[link] for link in links]


COMPARED: dict[str, Callable[[Motion], np.ndarray]] = {
    "largest depth [mm]": lambda motion: 1000 * deepest(motion),
    "base height [m]": lambda motion: base_positions(motion)[:, 2],
    "lean of the base [degrees]": lean,
}
