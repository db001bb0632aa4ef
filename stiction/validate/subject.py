"""A recorded walk for `hanavan(planar=True)`: its legs and its motion fitted to a subject.

The data are OpenSim's subject01 on a treadmill: coordinates of a planar model at 60 Hz and the
forces of both feet at 600 Hz. The body gets the subject's mass, thigh, shank, ankle height and
foot; its pelvis, which carries the trunk, leans such that the centre of mass is where the subject's
was. `walk_fit` then makes the feet meet the belt. The plates say when a foot touches, not how large
its force is.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import stiction as st
from stiction.control.reference import smooth_slopes
from stiction.description.arguments import numbers
from stiction.errors import MotionFileError
from stiction.patterns.recorded import arrays_of, cubic, equal_steps, text_of, text_table
from stiction.patterns.smoothing import low_pass
from stiction.robots.hanavan import Measurements
from stiction.validate import walk_fit as fit
from stiction.validate.walk_fit import LEGS, SIDES, TURN, Wanted, X, Z

MASS = 72.6  # of the subject [kg]
GRAVITY = 9.80665
FLOOR = -0.0075  # height of the belt in the axes of the data [m]
BELT = 1.135  # [m/s]; medians of the markers on standing feet: 1.126 to 1.143
CUTOFF = 6.0  # [Hz]
THIGH, SHANK, ANKLE_HEIGHT, FOOT = 0.4625, 0.425, 0.101, 0.30  # of the subject [m]
TOUCHES = 20.0  # a foot with more force stands on its plate [N]
FINER = 3  # samples of the fit for each of the data: a landing takes 10 ms
LEVER = 0.2  # way of the centre of mass per pitch of the trunk, about [m/rad]
CLEAR, RISE = 0.010, 0.25  # clearance of a swinging foot [m], and speed at which it is gained [m/s]


class Plates(NamedTuple):
    """What the plates measured, at their own times: right foot, then left."""

    time: np.ndarray  # (n) [s]
    force: np.ndarray  # (n, 2, 3) on the foot, x forward, y left, z up [N]
    centre: np.ndarray  # (n, 2) pressure centre along x [m]


class Fitted(NamedTuple):
    """A walk that fits the markers and the belt."""

    robot: st.Robot
    time: np.ndarray  # (n)
    motion: np.ndarray  # (n, 9), see `walk_fit`
    recorded: np.ndarray  # the same before the fit
    plates: Plates

    @property
    def q(self) -> np.ndarray:
        """Coordinates of the robot, (n, nq); arms at home."""
        return fit.coordinates(self.robot, self.motion)


def subject() -> Measurements:
    """Hanavan's man with the legs of the subject."""
    man = Measurements()
    hips = ANKLE_HEIGHT + SHANK + THIGH
    up = hips - man.trochanteric_height
    return replace(
        man,
        sphyrion_height=ANKLE_HEIGHT,
        tibiale_height=ANKLE_HEIGHT + SHANK,
        trochanteric_height=hips,
        substernale_height=man.substernale_height + up,
        shoulder_height=man.shoulder_height + up,
        stature=man.stature + up,
        foot_length=FOOT,
    )


def read_plates(path: Path) -> Plates:
    """The forces of the treadmill, x forward and z up."""
    lines = text_of(path).splitlines()
    names = [name.strip() for name in lines[0].split(",")] if lines else []
    columns = [[f"{side}_force_{axis}_N" for axis in "xzy"] for side in SIDES]
    centres = [f"{side}_cop_x_m" for side in SIDES]
    for name in ("t_s", *sum(columns, []), *centres):
        if name not in names:
            raise MotionFileError(f"{path}, line 1: has no column '{name}'")
    values = text_table(path, lines[1:], 2)
    if values.shape[1] != len(names):
        raise MotionFileError(
            f"{path}: has {len(names)} column names but {values.shape[1]} columns"
        )
    table = dict(zip(names, values.T, strict=True))
    equal_steps(path, table["t_s"])
    force = [np.stack([table[name] for name in three], axis=1) * [1, -1, 1] for three in columns]
    centre = [table[name] for name in centres]
    return Plates(table["t_s"], np.stack(force, axis=1), np.stack(centre, axis=1))


def read_recorded(path: Path, robot: st.Robot) -> tuple[np.ndarray, np.ndarray]:
    """Time, and the motion of the subject as columns of the planar body.

    The joints follow from where hips, ankles and feet were, by two-link inverse kinematics: the
    knee of the data moves along the thigh, the hinge of the body does not.
    """
    arrays = _arrays_of_bodies(path)
    time, names = arrays["t"], [str(name) for name in arrays["body_names"]]
    place, turned = arrays["body_origin_position"], arrays["body_quaternion_wxyz"]
    centre = arrays["whole_body_com"][:, :1]
    angle = -2 * np.arctan2(turned[:, :, 3], turned[:, :, 0])  # pitch: nose down
    columns = np.hstack([place[:, :, 0], place[:, :, 1] - FLOOR, angle, centre])
    smooth = low_pass(columns, time[1] - time[0], CUTOFF)
    x, z, pitch = np.split(smooth[:, :-1], 3, axis=1)
    at = {name: (x[:, k], z[:, k], pitch[:, k]) for k, name in enumerate(names)}
    hips = [np.mean([at["femur_r"][k], at["femur_l"][k]], axis=0) for k in (X, Z)]
    found = [*hips, np.zeros(len(time))]
    for side in "rl":
        ankle = np.stack(at[f"talus_{side}"][:2]) - np.stack(hips)
        hip, knee = fit.two_links(ankle, fit.legs_of(robot))
        foot = at[f"calcn_{side}"][2]
        found += [hip, knee, foot - hip - knee]
    return time, leaned(robot, np.stack(found, axis=1), smooth[:, -1])


def _arrays_of_bodies(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an archive, after checking that they fit."""
    columns = {"body_origin_position": 3, "body_quaternion_wxyz": 4}
    wanted = ("t", "body_names", "whole_body_com", *columns)
    arrays = arrays_of(path, wanted)
    missing = [name for name in wanted if name not in arrays]
    if missing:
        raise MotionFileError(f"{path}: has no {', '.join(missing)}")
    n, bodies = np.size(arrays["t"]), np.size(arrays["body_names"])
    shapes = {name: (n, bodies, size) for name, size in columns.items()}
    for name, shape in {"t": (n,), "whole_body_com": (n, 3), **shapes}.items():
        if arrays[name].shape != shape or not np.isfinite(numbers(arrays[name])).all():
            raise MotionFileError(
                f"{path}: {name} has shape {arrays[name].shape}; expected finite numbers of shape "
                f"{shape}"
            )
    equal_steps(path, arrays["t"])
    known = [str(name) for name in np.ravel(arrays["body_names"])]
    for name in ("femur_r", "femur_l", "talus_r", "talus_l", "calcn_r", "calcn_l"):
        if name not in known:
            raise MotionFileError(f"{path}: has no body '{name}'; it has {', '.join(known)}")
    return arrays


def leaned(robot: st.Robot, motion: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """The motion with its pelvis pitched such that the centre of mass has this x (n) [m].

    Thighs keep their directions. The body's masses are not the subject's, but its accelerations
    then are.
    """
    motion = motion.copy()
    for _ in range(6):  # converges by a factor of 10 or more each time
        found = fit.centre_of_mass(robot, fit.coordinates(robot, motion))[:, 0]
        turn = (centre - found) / LEVER
        motion[:, TURN] += turn
        motion[:, [first for first in LEGS]] -= turn[:, None]
    return motion


def finer(time: np.ndarray, motion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The motion at more samples, on the cubics through those that it has."""
    moments = np.linspace(time[0], time[-1], FINER * (len(time) - 1) + 1)
    return moments, cubic(time, motion, smooth_slopes(time, motion), moments)[0]


def wanted_of(plates: Plates, time: np.ndarray) -> Wanted:
    """Shares of the normal force, which pass linearly while both feet touch, and clearances."""
    on = plates.force[:, :, 2] > TOUCHES
    share = on.astype(float)
    both = np.concatenate([[0], on.all(axis=1).astype(int), [0]])
    edges = np.flatnonzero(np.diff(both))
    for a, b in zip(edges[::2], edges[1::2], strict=True):
        # the foot that swings afterwards leaves; if the record ends, the one with less force
        swings = on[b] if b < len(on) else plates.force[b - 1, :, 2] > plates.force[a, :, 2]
        old = int(np.argmin(swings))
        passed = np.linspace(0.0, 1.0, b - a)
        share[a:b, old], share[a:b, 1 - old] = 1 - passed, passed
    sampled = np.stack([np.interp(time, plates.time, one) for one in share.T], axis=1)
    away = [np.abs(time[:, None] - plates.time[one]).min(axis=1) for one in on.T]
    clear = np.minimum(CLEAR, RISE * np.stack(away, axis=1))
    return Wanted(sampled, clear, BELT)


def fitted(motion: Path, forces: Path, law: st.Distributed, rows: int = 6) -> Fitted:
    """The walk of the subject on this sole, with so many rows of points."""
    robot = st.robots.hanavan(planar=True, mass=MASS, measurements=subject())
    if rows != 6:
        for side in SIDES:
            robot = robot.with_sole_points(f"{side}_foot", rows, fit.ABREAST)
    time, start = read_recorded(motion, robot)
    time, start = finer(time, start)
    plates = read_plates(forces)
    dt = float(time[1] - time[0])
    walk = fit.fitted(robot, start, dt, wanted_of(plates, time), law, GRAVITY)
    return Fitted(robot, time, walk, start, plates)
