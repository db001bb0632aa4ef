"""What the figures share: scenes with other soles, laws and controllers, and force curves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import stiction as st
from stiction.patterns.smoothing import low_pass

FEET = ("left_foot", "right_foot")
SMOOTH = 20.0  # above this, gait laboratories remove what is in force curves [Hz]
CARRIES = 0.01  # of the weight: a foot with less is in the air
LONG = 0.3  # shorter contacts are no stances [s]


def weight(motion: st.Motion) -> float:
    """Weight of all that moves [N]."""
    return float(motion.world.total_mass * np.linalg.norm(motion.world.gravity))


def forces(motion: st.Motion) -> dict[str, np.ndarray]:
    """Force on each foot (n, 3) [N]; the last sample, which has none, repeats the one before."""
    found = {}
    for foot in FEET:
        force = motion.foot_force(foot).copy()
        force[-1] = force[-2]
        found[foot] = force
    return found


def smoothed(time: np.ndarray, force: np.ndarray, cutoff: float = SMOOTH) -> np.ndarray:
    """Force curves (n, columns) without what is above the cut-off [Hz]."""
    return low_pass(force, float(time[1] - time[0]), cutoff)


def stances(
    time: np.ndarray, normal: np.ndarray, least: float, after: float = 0.0
) -> list[tuple[int, int]]:
    """First and last sample of each complete contact of a foot that is long enough.

    least: normal force of a foot on the ground [N]; after: contacts that begin earlier do not
    count [s].
    """
    on = np.concatenate([[0], (normal > least).astype(int), [0]])
    edges = np.flatnonzero(np.diff(on))
    pairs = zip(edges[::2], edges[1::2] - 1, strict=True)
    return [
        (int(a), int(b))
        for a, b in pairs
        if a > 0 and b < len(time) - 1 and time[b] - time[a] > LONG and time[a] >= after
    ]


def humps(curve: np.ndarray) -> tuple[float, float, float]:
    """First maximum, minimum between, second maximum of the force of a stance; NaN without two.

    The maxima are the two highest that have a minimum between them, a tenth of the stance apart at
    least.
    """
    inside = np.arange(1, len(curve) - 1)
    tops = inside[(curve[inside] >= curve[inside - 1]) & (curve[inside] > curve[inside + 1])]
    best, found = -np.inf, (np.nan, np.nan, np.nan)
    for i, a in enumerate(tops):
        for b in tops[i + 1 :]:
            between = float(curve[a:b].min())
            deep = min(curve[a], curve[b]) - between
            if b - a > 0.1 * len(curve) and deep > 0 and curve[a] + curve[b] - between > best:
                best = curve[a] + curve[b] - between
                found = (float(curve[a]), between, float(curve[b]))
    return found


def extrema(curve: np.ndarray, least: float) -> int:
    """Number of local extrema that stand out from their neighbours by more than `least`."""
    count, up, last = 0, 0, curve[0]
    for value in curve:
        if up >= 0 and value > last or up <= 0 and value < last:
            last = value
        elif abs(value - last) > least:
            count += up != 0
            up = 1 if value > last else -1
            last = value
        if up == 0 and abs(value - curve[0]) > least:
            up = 1 if value > curve[0] else -1
    return count


def with_points(robot: st.Robot, along: int, across: int = 3) -> st.Robot:
    """The robot with another grid of points under both feet."""
    for foot in FEET:
        robot = robot.with_sole_points(foot, along, across)
    return robot


def shared(law: st.Distributed, points: int, printed: int = 18) -> st.Distributed:
    """The law for another number of points a foot, with the same stiffness of the whole foot."""
    scaled = ("stiffness", "damping", "tangential_stiffness", "tangential_damping")
    share = printed / points
    values: dict[str, float] = {name: share * getattr(law, name) for name in scaled}
    return law._replace(**values, sliding_damping=share * law.sliding_damping)


def run(
    name: str | st.Scene,
    every: int = 1,
    law: Any = None,
    rows: int | None = None,
    control: Any = None,
    **options: Any,
) -> st.Motion:
    """A scene with another law, number of rows of points under the feet, or controller.

    every: one of so many steps is recorded; options: `duration` and `dt` as in `Scene.simulate`.
    """
    scene = st.scenes.scene(name) if isinstance(name, str) else name
    if control is not None:
        scene = replace(scene, controls=(), controllers=(control,))
    record = st.Recording(every=every)
    if rows is None:
        return scene.simulate(law, record=record, **options)
    world = scene.world()
    robot = with_points(world.robots[0], rows)
    model = scene.contact if law is None else law
    return st.simulate(
        st.World(robot, ground=scene.ground, gravity=scene.gravity),
        model,
        duration=options.get("duration", scene.lasts()),
        dt=options.get("dt", scene.step_for(model)),
        state=scene.start(),
        controller=scene.controller(world),
        forces=scene.forces,
        record=record,
    )


def held(name: str | st.Scene, stiffness: float, damping: float) -> st.PDTracking:
    """Springs and dampers that hold a scene's robot in its first posture."""
    scene = st.scenes.scene(name) if isinstance(name, str) else name
    posture = scene.start().q
    return st.PDTracking(st.Reference([0.0, 1.0], [posture] * 2), stiffness, damping)
