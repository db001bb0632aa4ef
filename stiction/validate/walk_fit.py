"""Walks whose feet meet the ground as a sole of `Distributed` wants, by least squares.

Prescribed joints do not yield. On the printed sole, 18 points of 450 N s/m and 950 N s/m, a foot
that comes down 0.1 m/s too fast adds the weight, one that creeps 10 mm/s too much a quarter of it.
So a planned or recorded walk of the planar body is first fitted, sample by sample, to what its own
dynamics needs:

    what is fitted                                                    standard deviation
    joints and pitch stay as they were                                3 degrees
    hips stay where they were                                         10 mm
    corrections change slowly                                         3.6 m/s2, 360 degrees/s2
    a standing foot presses with its share of the normal force        15 N
    and creeps as its share of the tangential force needs             15 N
    both together as the motion before the fit needed                 15 N
    a swinging foot is clear of the ground                            2 mm

The forces of both feet together are those of the centre of mass: mass times acceleration minus
gravity, from the motion alone. A foot's share of the normal force is 1 in single support and passes
linearly in double support; its tangential force points to a pivot above the centre of mass, as in
human walking (Maus et al. 2010), and what is missing from the sum is shared like the normal force.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.kernels.tree import PRISMATIC

X, Z, TURN, LEGS = 0, 1, 2, (3, 6)  # columns of a motion; then hip, knee, ankle, right and left
COLUMNS = 9
SIDES = ("right", "left")
ABREAST = 3  # points in a row
SOFT = 1e-3  # depth over which a row begins to touch, for the fit alone [m]
LEVEL = 0.02  # a sole whose ends differ by less in height is flat [m]
PIVOT = 1.2  # height of the point that tangential forces point to, over that of the centre of mass
STRAIGHT = 0.02  # least knee angle [rad]
SIGMA = {
    "place": 0.010,
    "joint": np.radians(3.0),
    "bend of place": 3.6,
    "bend of joint": np.radians(360.0),
    "force": 15.0,
    "clear": 0.002,
}


ITERATIONS, ENOUGH, GIVE_UP = 40, 1e-4, 1e6
STEP, APART = 1e-6, 4  # of the differences [m or rad]; samples that no residual sees together


class Legs(NamedTuple):
    """Lengths of a leg [m]."""

    thigh: float
    shank: float
    ankle: float  # height above the sole
    rows: np.ndarray  # of points, from the ankle along the sole


class Wanted(NamedTuple):
    """What both feet must do at each sample, right and left."""

    share: np.ndarray  # (n, 2) of the normal force; 0: swings
    clear: np.ndarray  # (n, 2) height that a swinging foot keeps [m]
    belt: float  # backward speed of the ground [m/s]


def coordinates(robot: st.Robot, motion: np.ndarray) -> np.ndarray:
    """Rows of q for a motion, (n, nq); other joints at home."""
    q = np.tile(robot.home, (len(motion), 1))
    names = [str(name) for name in robot.joint_name]
    columns = {"pelvis_x": X, "pelvis_z": Z, "pelvis_turn": TURN}
    for side, first in zip(SIDES, LEGS, strict=True):
        for k, joint in enumerate(("hip", "knee", "ankle")):
            columns[f"{side}_{joint}_pitch"] = first + k
    for name, column in columns.items():
        q[:, robot.q_index[names.index(name)]] = motion[:, column]
    return q


# --------------------------------------------------------------------------------------- kinematics


def two_links(ankle: np.ndarray, legs: Legs) -> tuple[np.ndarray, np.ndarray]:
    """Pitch of the thigh and knee angle for ankles (2, n) seen from the hips [rad]."""
    length = np.minimum(np.hypot(*ankle), 0.9999 * (legs.thigh + legs.shank))
    cosine = (legs.thigh**2 + legs.shank**2 - length**2) / (2 * legs.thigh * legs.shank)
    knee = np.pi - np.arccos(cosine)
    inner = np.arcsin(legs.shank * np.sin(knee) / length)
    return np.arctan2(-ankle[0], -ankle[1]) - inner, knee


def ankles(motion: np.ndarray, legs: Legs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X and z of both ankles, and pitch of both feet, (n, 2) each."""
    found = []
    for first in LEGS:
        thigh = motion[:, TURN] + motion[:, first]
        shank = thigh + motion[:, first + 1]
        x = motion[:, X] - legs.thigh * np.sin(thigh) - legs.shank * np.sin(shank)
        z = motion[:, Z] - legs.thigh * np.cos(thigh) - legs.shank * np.cos(shank)
        found.append((x, z, shank + motion[:, first + 2]))
    x, z, pitch = (np.stack(one, axis=1) for one in zip(*found, strict=True))
    return x, z, pitch


def feet(motion: np.ndarray, legs: Legs) -> tuple[np.ndarray, np.ndarray]:
    """X and z of the rows of points under both feet, (n, 2, rows) each [m]."""
    x, z, pitch = (one[:, :, None] for one in ankles(motion, legs))
    c, s = np.cos(pitch), np.sin(pitch)
    return x + legs.rows * c - legs.ankle * s, z - legs.rows * s - legs.ankle * c


def centre_of_mass(robot: st.Robot, q: np.ndarray) -> np.ndarray:
    """Centre of mass of a planar robot, x and z, (n, 2) [m]."""
    n = len(q)
    place: list[np.ndarray] = []
    pitch: list[np.ndarray] = []
    total = np.zeros((n, 2))
    for link in range(len(robot.link_name)):
        above = int(robot.parent[link])
        origin, turned = (
            (place[above], pitch[above]) if above >= 0 else (np.zeros((n, 2)), np.zeros(n))
        )
        origin = origin + _turned(robot.joint_position[link][[0, 2]], turned)
        value = q[:, robot.q_index[link]]
        if robot.joint_type[link] == PRISMATIC:
            origin = origin + value[:, None] * robot.joint_axis[link][[0, 2]]
        else:
            turned = turned + value
        place.append(origin)
        pitch.append(turned)
        total += robot.mass[link] * (origin + _turned(robot.centre[link][[0, 2]], turned))
    return total / robot.mass.sum()


def _turned(point: np.ndarray, pitch: np.ndarray) -> np.ndarray:
    """A point of a link, x and z, pitched, (n, 2)."""
    c, s = np.cos(pitch), np.sin(pitch)
    return np.stack([point[0] * c + point[1] * s, point[1] * c - point[0] * s], axis=1)


# ------------------------------------------------------------------------------------------- forces


def total_force(robot: st.Robot, motion: np.ndarray, dt: float, gravity: float) -> np.ndarray:
    """Tangential and normal force that a motion needs, between samples, (n - 1, 2) [N]."""
    centre = centre_of_mass(robot, coordinates(robot, motion))
    bend = np.diff(centre, 2, axis=0) / dt**2
    bend = between(np.concatenate([bend[:1], bend, bend[-1:]]))
    return float(robot.mass.sum()) * (bend + [0.0, gravity])


def against_each_other(
    robot: st.Robot, motion: np.ndarray, wanted: Wanted, gravity: float
) -> np.ndarray:
    """Tangential forces of both feet that cancel, between samples, (n - 1, 2) [N].

    Those of forces towards a pivot above the centre of mass, less their sum, which is shared.
    """
    centre = centre_of_mass(robot, coordinates(robot, motion))
    x, z = feet(motion, legs_of(robot))
    lowest = np.take_along_axis(x, z.argmin(axis=2)[:, :, None], axis=2)[:, :, 0]
    under = np.where(np.ptp(z, axis=2) < LEVEL, x.mean(axis=2), lowest)
    weight = wanted.share * float(robot.mass.sum()) * gravity
    along = weight * (centre[:, :1] - under) / (PIVOT * centre[:, 1:])
    return between(along - wanted.share * along.sum(axis=1, keepdims=True))


def legs_of(robot: st.Robot) -> Legs:
    """Legs of a robot, from its own joints and points."""
    names = [str(name) for name in robot.joint_name]
    knee, ankle = (names.index(f"right_{one}_pitch") for one in ("knee", "ankle"))
    foot = robot.shape_collides & (robot.shape_link == ankle)
    shape = int(np.flatnonzero(foot)[0])
    points = robot.vertices_of(shape) + robot.shape_position[shape]
    rows = np.unique(points[:, 0].round(9))
    return Legs(
        -float(robot.joint_position[knee][2]),
        -float(robot.joint_position[ankle][2]),
        -float(points[0, 2]),
        rows,
    )


def sole_forces(
    x: np.ndarray, z: np.ndarray, dt: float, belt: float, law: st.Distributed
) -> tuple[np.ndarray, np.ndarray]:
    """Normal and tangential force of the sole under both feet between samples, (n - 1, 2) each [N].

    Eq. (16), and Eq. (17) without its spring, whose 90 N/m add nothing; rows begin to touch softly.
    """
    depth = np.maximum(-between(z), 0.0)
    touching = np.clip(depth / SOFT, 0.0, 1.0)
    sinking, slip = -np.diff(z, axis=0) / dt, np.diff(x, axis=0) / dt + belt
    normal = law.stiffness * depth**law.alpha + law.damping * touching * sinking
    along = -law.tangential_damping * touching * slip
    return ABREAST * np.maximum(normal, 0.0).sum(axis=2), ABREAST * along.sum(axis=2)


def between(values: np.ndarray) -> np.ndarray:
    """Means of neighbouring samples."""
    return 0.5 * (values[1:] + values[:-1])


# ---------------------------------------------------------------------------------------------- fit


class Problem(NamedTuple):
    """What the residuals need."""

    start: np.ndarray  # (n, COLUMNS)
    dt: float
    legs: Legs
    wanted: Wanted
    force: np.ndarray  # (n - 1, 2) tangential and normal, of both feet together [N]
    opposed: np.ndarray  # (n - 1, 2) tangential forces that cancel [N]
    law: st.Distributed
    robot: st.Robot
    gravity: float


def residuals(change: np.ndarray, one: Problem) -> np.ndarray:
    """Everything that the fit makes small, over its standard deviation."""
    change = change.reshape(one.start.shape)
    motion = one.start + change
    x, z = feet(motion, one.legs)
    normal, along = sole_forces(x, z, one.dt, one.wanted.belt, one.law)
    swings, share = one.wanted.share == 0, between(one.wanted.share)
    force = total_force(one.robot, motion, one.dt, one.gravity)
    low = np.maximum(one.wanted.clear - z.min(axis=2), 0.0) * swings
    places, joints = change[:, [X, Z]], change[:, TURN:]
    knees = motion[:, [LEGS[0] + 1, LEGS[1] + 1]]
    parts = [
        places / SIGMA["place"],
        joints / SIGMA["joint"],
        np.diff(places, 2, axis=0) / (SIGMA["bend of place"] * one.dt**2),
        np.diff(joints, 2, axis=0) / (SIGMA["bend of joint"] * one.dt**2),
        (normal - share * force[:, 1:]) * (share > 0) / SIGMA["force"],
        (along - share * force[:, :1] - one.opposed) * (share > 0) / SIGMA["force"],
        (force - one.force) / SIGMA["force"],
        low / SIGMA["clear"],
        np.maximum(STRAIGHT - knees, 0.0) / SIGMA["joint"],
    ]
    return np.concatenate([part.ravel() for part in parts])


def fitted(
    robot: st.Robot,
    start: np.ndarray,
    dt: float,
    wanted: Wanted,
    law: st.Distributed,
    gravity: float = 9.81,
) -> np.ndarray:
    """The motion nearest to `start` (n, COLUMNS) whose feet do what its dynamics needs."""
    opposed = against_each_other(robot, start, wanted, gravity)
    force = total_force(robot, start, dt, gravity)
    problem = Problem(start, dt, legs_of(robot), wanted, force, opposed, law, robot, gravity)
    return start + least_squares(problem).reshape(start.shape)


def least_squares(problem: Problem) -> np.ndarray:
    """Changes of all samples that minimise the residuals, by Levenberg and Marquardt's method."""
    from scipy.sparse import diags
    from scipy.sparse.linalg import spsolve

    scale = np.tile([SIGMA["place"]] * 2 + [SIGMA["joint"]] * 7, len(problem.start))
    pattern = sparsity(len(problem.start))
    change, damping = np.zeros(problem.start.size), 1e-3
    left = residuals(change, problem)
    for _ in range(ITERATIONS):
        jacobian = slopes(change, left, problem, pattern) @ diags(scale)
        normal, gradient = (jacobian.T @ jacobian).tocsc(), jacobian.T @ left
        while damping < GIVE_UP:
            weighted = normal + diags(damping * (normal.diagonal() + 1.0))
            step = -scale * spsolve(weighted.tocsc(), gradient)
            tried = residuals(change + step, problem)
            if tried @ tried < left @ left:
                break
            damping *= 4.0
        else:
            break
        gained = 1.0 - (tried @ tried) / (left @ left)
        change, left, damping = change + step, tried, damping / 4.0
        if gained < ENOUGH:
            break
    return change


def slopes(change: np.ndarray, left: np.ndarray, problem: Problem, pattern: Any) -> Any:
    """Derivatives of the residuals by differences, several unknowns at a time."""
    from scipy.sparse import csr_matrix

    rows, columns = pattern
    values = np.zeros(len(rows))
    for group in range(APART * COLUMNS):
        mine = (columns // COLUMNS % APART) * COLUMNS + columns % COLUMNS == group
        moved = change.copy()
        moved[group :: APART * COLUMNS] += STEP
        values[mine] = ((residuals(moved, problem) - left) / STEP)[rows[mine]]
    return csr_matrix((values, (rows, columns)), shape=(len(left), len(change)))


def sparsity(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Residuals and the unknowns that they depend on: of the same sample and its neighbours."""
    every, inner = np.arange(n), np.arange(1, n - 1)
    widths: tuple[Any, ...] = ((every, 2), (every, COLUMNS - 2), (inner, 2), (inner, COLUMNS - 2))
    widths += ((every[:-1], 2),) * 3 + ((every, 2),) * 2  # normal, along, force; low, knees
    owner = np.concatenate([np.repeat(samples, width) for samples, width in widths])
    rows, columns = [], []
    for away in (-1, 0, 1, 2):
        inside = np.flatnonzero((owner + away >= 0) & (owner + away < n))
        for column in range(COLUMNS):
            rows.append(inside)
            columns.append((owner[inside] + away) * COLUMNS + column)
    return np.concatenate(rows), np.concatenate(columns)
