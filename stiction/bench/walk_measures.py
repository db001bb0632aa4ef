"""How well a walk followed its plan: steps, slip, depth, chatter, energy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from stiction.metrics import link_positions
from stiction.metrics.points import followed_points, points_under
from stiction.motion.motion import Motion
from stiction.patterns.pattern import Footstep, Pattern
from stiction.plot import lean

OFF = 0.025  # largest error of a correctly placed foot; a quarter of a sole of hoap1 [m]
UPRIGHT = 5.0  # [degrees]
SETTLED = 0.02  # after a foot leaves the ground, and before it lands [s]
INTERVAL = 1e-3  # over which forces are averaged before they are compared [s]
ROWS = 4000  # whose energy is balanced at a time: the arrays of one part take some 50 MB


def walk_measures(motion: Motion, pattern: Pattern, feet: tuple[str, str]) -> dict[str, Any]:
    """Measures of a motion against its plan: plain numbers, NaN if it ended too early.

    motion: with every step recorded; feet: the links of the left and the right foot.
    """
    off = _distance(motion, pattern)
    angle = float(lean(_rows(motion, slice(-1, None)))[0])
    whole = bool(motion.time[-1] >= pattern.duration - motion.parameters["dt"])
    stances = list(_stances(motion, pattern, feet))
    return {
        "survived": bool(whole and angle < UPRIGHT and off < OFF),
        "steps": _steps(motion, pattern, feet),
        "lean [deg]": angle,
        "off [mm]": 1000 * off,
        "slip [mm]": 1000 * _mean([_slipped(motion, *stance) for stance in stances]),
        "depth [mm]": 1000 * float(np.nanmax(motion.deepest())),
        "chatter [%]": 100 * _mean([_change(motion, *stance) for stance in stances]) ** 0.5,
        **_balanced(motion),
    }


def _rows(motion: Motion, chosen: slice) -> Motion:
    return motion.rows(np.arange(len(motion))[chosen])


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _distance(motion: Motion, pattern: Pattern) -> float:
    """Distance of the base from its planned position at the end of the motion [m]."""
    k = int(np.argmin(np.abs(pattern.time - motion.time[-1])))
    return float(np.linalg.norm(motion.q[-1, :3] - pattern.q[k, :3]))


def _steps(motion: Motion, pattern: Pattern, feet: tuple[str, str]) -> int:
    """Number of steps, counted from the first, that placed the foot as planned."""
    for done, step in enumerate(pattern.footsteps):
        moment = step.stop + SETTLED
        if moment > motion.time[-1]:
            return done
        k = int(np.searchsorted(motion.time, moment))
        wanted = pattern.q[int(np.argmin(np.abs(pattern.time - moment)))]
        both = replace(_rows(motion, slice(0, 2)), q=np.stack([motion.q[k], wanted]))
        foot, planned = link_positions(both, feet[step.side])
        if np.linalg.norm(foot - planned) > OFF:
            return done
    return len(pattern.footsteps)


def _stances(
    motion: Motion, pattern: Pattern, feet: tuple[str, str]
) -> Iterator[tuple[str, slice]]:
    """The supporting foot of each single-support phase, and its rows."""
    for step in pattern.footsteps:
        first, last = np.searchsorted(motion.time, _alone(step))
        if last < len(motion):
            yield feet[1 - step.side], slice(int(first), int(last))


def _alone(step: Footstep) -> tuple[float, float]:
    return step.start + SETTLED, step.stop - SETTLED


def _slipped(motion: Motion, foot: str, when: slice) -> float:
    """Displacement along the ground of the mean of a foot's loaded contact points [m]."""
    under = points_under(motion, foot)
    loaded = under[(motion.force[when][:, under, 2] > 0).any(axis=0)]
    if not len(loaded):
        return float("nan")
    ends = [when.start, when.stop]
    there = followed_points(motion, motion.q[ends], motion.v[ends]).position[:, loaded, :2]
    return float(np.linalg.norm((there[1] - there[0]).mean(axis=0)))


def _change(motion: Motion, foot: str, when: slice) -> float:
    """Mean square of the change of upward force / weight from one millisecond to the next."""
    weight = motion.world.total_mass * float(np.linalg.norm(motion.world.gravity))
    force = motion.force[when][:, points_under(motion, foot), 2].sum(axis=1) / weight
    each = max(1, round(INTERVAL / motion.parameters["dt"]))
    means = force[: len(force) // each * each].reshape(-1, each).mean(axis=1)
    return float((np.diff(means) ** 2).mean())


def _balanced(motion: Motion) -> dict[str, float]:
    """Work of the ground, and the largest cumulative remainder of the energy balance [J]."""
    ground, sums = 0.0, [np.zeros(1)]
    for first in range(0, len(motion) - 1, ROWS):
        part = _rows(motion, slice(first, first + ROWS + 1)).energy_balance()
        ground += float(part.contact[:-1].sum())
        sums.append(sums[-1][-1] + np.cumsum(part.remainder[:-1]))
    return {
        "ground [J]": ground,
        "error [J]": float(np.abs(np.concatenate(sums)).max()),
    }
