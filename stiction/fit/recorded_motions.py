"""Motions of ours, replayed from their own states with their own torques.

A motion file holds the world, the states and the forces of the controllers. A replay starts from a
recorded state and applies the recorded forces; a residual compares what follows. A motion may be
cut into windows that are replayed by themselves: over a short time errors grow less, and a robot
that would fall without its controller does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stiction.batch.simulate_batch import BatchRecording, simulate_batch
from stiction.control.torque import Torques
from stiction.errors import InputError
from stiction.kernels.tree import FREE, SPHERICAL
from stiction.motion.motion import Motion
from stiction.scenes.plug_ins import INTEGRATOR_KINDS, imported_module
from stiction.world.world import State, World

# of a user: (recorded motion, replayed channels at its samples) -> numbers
Residual = Callable[[Motion, Mapping[str, np.ndarray]], np.ndarray]
CHANNELS = ("q", "v", "force", "depth")
FEWEST = 3  # samples of a window


class Window(NamedTuple):
    """A part of a motion that is replayed by itself."""

    motion: int
    first: int  # sample
    last: int  # the sample after its last


class RecordedMotions:
    """Motions, or windows of them, as `fit_contact` replays them."""

    def __init__(
        self,
        motions: Sequence[Motion | str | Path],
        window: float | None = None,
        residual: Residual | None = None,
        length: float | None = None,
    ) -> None:
        """Read and check the motions.

        Args:
            motions: motions, or names of their files.
            window: duration of the parts that are replayed by themselves [s]; None: whole motions.
            residual: of your own; by default the differences of all coordinates, in units of
                `length`.
            length: unit of displacements [m], and of angles, each taken on this radius; by default
                the distance of the farthest contact point from its link's origin.
        """
        if not motions:
            raise InputError("fit: no motion is given")
        self.motions, self.residual, self.length = [], residual, length
        self._names, self.windows = [], []
        for k, one in enumerate(motions):
            name = f"motion {k}" if isinstance(one, Motion) else str(one)
            motion = one if isinstance(one, Motion) else Motion.load(one)
            self.motions.append(checked_motion(name, motion))
            for first, last in cuts(name, motion, window):
                self.windows.append(Window(k, first, last))
                cut = "" if window is None else f" from {motion.time[first]:g} s"
                self._names.append(name + cut)

    @property
    def names(self) -> list[str]:
        """Name of each window."""
        return self._names

    @cached_property
    def rows(self) -> int:
        """Samples of the longest window."""
        return max(one.last - one.first for one in self.windows)

    def residuals(self, models: Sequence[Any], chosen: np.ndarray) -> np.ndarray:
        """Return replayed minus recorded, (models, chosen windows, values); see `Recordings`."""
        found: dict[tuple[int, int], np.ndarray] = {}
        for k, motion in enumerate(self.motions):
            own = [
                (n, self.windows[i]) for n, i in enumerate(chosen) if self.windows[i].motion == k
            ]
            for kind in sorted({kind_of(motion, window) for _, window in own}):
                alike = [(n, w) for n, w in own if kind_of(motion, w) == kind]
                replayed = replay(motion, [window for _, window in alike], models)
                for place, (n, window) in enumerate(alike):
                    part = motion.rows(np.arange(window.first, window.last))
                    for m in range(len(models)):
                        world = m * len(alike) + place
                        channels = {name: array[world] for name, array in replayed.items()}
                        found[m, n] = self._compared(part, channels)
        return padded(found, len(models), len(chosen))

    def _compared(self, part: Motion, channels: Mapping[str, np.ndarray]) -> np.ndarray:
        """Residual of a window, scaled so that its squares add up to the mean square error."""
        if self.residual is not None:
            values = np.ravel(np.asarray(self.residual(part, channels), float))
            if not len(values):
                raise InputError("fit: the residual returned no numbers; return at least one")
        else:
            unit = self.length or reach(part.world)
            difference = coordinate_difference(part.world, channels["q"], part.q)
            # of as many values as there are samples: those of a sample add up
            values = (difference * scales(part.world, unit)).ravel()
            return values / np.sqrt(len(part))
        return values / np.sqrt(len(values))


def padded(found: Mapping[tuple[int, int], np.ndarray], models: int, motions: int) -> np.ndarray:
    """Vectors of different lengths in one array, filled up with zeros."""
    made = np.zeros((models, motions, max(len(one) for one in found.values())))
    for (m, n), values in found.items():
        made[m, n, : len(values)] = values
    return made


def named_residual(name: str) -> Residual:
    """Return the function that `module:function` names."""
    module, _, attribute = name.rpartition(":")
    if not module or not attribute:
        raise InputError(f"residual '{name}': give module:function, such as my_fit.py:feet")
    function = getattr(imported_module(module, Path()), attribute, None)
    if not callable(function):
        raise InputError(f"residual '{name}': module '{module}' has no function '{attribute}'")
    return function


# ------------------------------------------------------------------------------------------ replays


def checked_motion(name: str, motion: Motion) -> Motion:
    """Return a motion that can be replayed, or raise InputError."""
    settings = motion.parameters
    for needed in ("dt", "integrator"):
        if needed not in settings:
            raise InputError(
                f"fit: {name} does not store its {needed}; give a motion of `simulate` or `run`"
            )
    if settings.get("external forces"):
        raise InputError(
            f"fit: {name} has {settings['external forces']} external forces, which its file does "
            "not store; give a motion without pushes"
        )
    if settings.get("record every", 1) != 1 and np.nan_to_num(motion.torque).any():
        raise InputError(
            f"fit: {name} has controllers but not the torques of every step; record every step"
        )
    spacing = settings["dt"] * settings.get("record every", 1)
    if (np.rint(np.diff(motion.time) / spacing) != 1).any():
        raise InputError(
            f"fit: {name} lacks samples: its settings say one every {spacing:g} s; give the whole "
            "motion, or rows that follow each other"
        )
    if len(motion) < FEWEST:
        raise InputError(f"fit: {name} has {len(motion)} samples; at least {FEWEST} are needed")
    return motion


def cuts(name: str, motion: Motion, window: float | None) -> list[tuple[int, int]]:
    """First sample and the one after the last of each window; the rest of a motion is left out."""
    if window is None:
        return [(0, len(motion))]
    spacing = motion.parameters["dt"] * motion.parameters.get("record every", 1)
    size = int(round(window / spacing)) if np.isfinite(window) and window > 0 else 0
    if not FEWEST <= size + 1 <= len(motion):
        longest = motion.time[-1] - motion.time[0]
        raise InputError(
            f"fit: the window is {window:g} s; give at least {(FEWEST - 1) * spacing:g} s and at "
            f"most the {longest:g} s of {name}"
        )
    return [(first, first + size + 1) for first in range(0, len(motion) - size, size)]


def kind_of(motion: Motion, window: Window) -> tuple[int, float]:
    """Length of a window, and when its replay starts [s]; those alike are replayed together.

    It starts at 0, or at the time of its first sample if it matters: on a belt of varying speed.
    """
    varies = len(getattr(motion.world.ground, "time", ())) > 0
    return window.last - window.first, float(motion.time[window.first]) if varies else 0.0


def replay(
    motion: Motion, windows: Sequence[Window], models: Sequence[Any]
) -> dict[str, np.ndarray]:
    """Channels of all windows, of one kind, under all models, (models x windows, rows, ...)."""
    settings, count = motion.parameters, len(windows)
    every, dt = settings.get("record every", 1), settings["dt"]
    length, begin = kind_of(motion, windows[0])
    steps = (length - 1) * every + 1
    worlds = count * len(models)
    first = [State(motion.q[one.first], motion.v[one.first], begin) for one in windows]
    fields = models[0]._fields
    done = simulate_batch(
        motion.world,
        worlds,
        models[0],
        duration=steps * dt,
        dt=dt,
        states=first * len(models),
        parameters={
            name: np.repeat([getattr(one, name) for one in models], count) for name in fields
        },
        controls=applied(motion, windows) * len(models) or None,
        integrator=INTEGRATOR_KINDS.find(settings["integrator"])(),
        record=BatchRecording(CHANNELS, every),
    )
    return done.record


def applied(motion: Motion, windows: Sequence[Window]) -> list[Torques]:
    """The recorded forces of the controllers in each window; none if there were none."""
    if not np.nan_to_num(motion.torque).any():
        return []
    dt = motion.parameters["dt"]
    made = []
    for one in windows:
        rows = motion.torque[one.first : one.last - 1]
        time = kind_of(motion, one)[1] + np.arange(len(rows)) * dt
        made.append(Torques(np.nan_to_num(rows), time))
    return made


# ---------------------------------------------------------------------------------------- residuals


def reach(world: World) -> float:
    """Distance of the farthest contact point from the origin of its link [m]."""
    farthest = [np.linalg.norm(robot.vertices, axis=1).max(initial=0.0) for robot in world.robots]
    return float(max(farthest, default=0.0)) or 1.0


def scales(world: World, length: float) -> np.ndarray:
    """What makes each difference of a coordinate a displacement in units of a length, (nv)."""
    tree, made = world.tree, np.ones(world.nv)
    for link, kind in enumerate(tree.joint_type):
        if kind == FREE:
            made[tree.v_index[link] : tree.v_index[link] + 3] = 1.0 / length
    prismatic = [d for d in range(world.nv) if tree.dof_q[d] >= 0 and slides(world, d)]
    made[prismatic] = 1.0 / length
    return made


def slides(world: World, d: int) -> bool:
    """Whether a coordinate is that of a prismatic joint."""
    from stiction.kernels.tree import PRISMATIC

    return bool(world.tree.joint_type[world.tree.dof_link[d]] == PRISMATIC)


def coordinate_difference(world: World, q: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Differences of positions [m] and rotation vectors or angles [rad], (rows, nv)."""
    tree, made = world.tree, np.zeros((len(q), world.nv))
    for link, kind in enumerate(tree.joint_type):
        k, d = int(tree.q_index[link]), int(tree.v_index[link])
        if kind == FREE:
            made[:, d : d + 3] = q[:, k : k + 3] - other[:, k : k + 3]
            made[:, d + 3 : d + 6] = turned(q[:, k + 3 : k + 7], other[:, k + 3 : k + 7])
        elif kind == SPHERICAL:
            made[:, d : d + 3] = turned(q[:, k : k + 4], other[:, k : k + 4])
        else:
            made[:, d] = q[:, k] - other[:, k]
    return made


def turned(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Rotation vectors from orientations q to p, quaternions w x y z, in the axes of q [rad]."""
    w = (p * q).sum(axis=-1)
    part = q[..., :1] * p[..., 1:] - p[..., :1] * q[..., 1:] - np.cross(q[..., 1:], p[..., 1:])
    part = np.where(w[..., None] < 0, -part, part)
    sine = np.linalg.norm(part, axis=-1)
    angle = 2.0 * np.arctan2(sine, np.abs(w))
    return part * np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0), 2.0)[..., None]
