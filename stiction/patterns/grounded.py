"""A recorded joint motion as a `Pattern`: the base follows from the sole that stands.

A file of joint angles does not contain the motion of the base. But the supporting sole lies flat
and does not move, so the joint angles determine the base: at every sample it is placed on the lower
sole, which stays where it was put down.
"""

from __future__ import annotations

import numpy as np

from stiction.description.rotation import about, matrix
from stiction.errors import InputError
from stiction.patterns.body import Body, Placement
from stiction.patterns.pattern import Pattern, derivatives, ground_wrench
from stiction.patterns.recorded import Recorded, single_joints
from stiction.patterns.smoothing import low_pass
from stiction.robot.robot import Robot

SAMPLE = 0.004  # between the samples [s]
CUTOFF = 6.0  # [Hz]
TOUCHES = 2e-3  # a sole no higher than this is on the ground [m]
LOWER = 1e-4  # the other sole becomes the support when it is lower by this [m]


def grounded(
    motion: Recorded, robot: Robot, cutoff: float = CUTOFF, feet: tuple[str, str] | None = None
) -> Pattern:
    """The motion of all joints of a robot, with the base placed on the lower sole.

    cutoff: low-pass for the accelerations, and thus for the zero-moment point and the torques [Hz].
    feet: as in `walk`. `zmp_reference` is the planned zero-moment point of the file, or that of the
    motion if the file has none.
    """
    body, single = Body(robot, feet), single_joints(robot)
    if set(single) != set(motion.joints):
        raise InputError(f"{motion.source}: first map the motion to all joints with on(robot)")
    sampled = motion.resampled(SAMPLE)
    time = sampled.time - sampled.time[0]
    q = np.tile(robot.home, (len(time), 1))
    q[:, [single[name][0] for name in sampled.joints]] = sampled.q
    q[:, :7] = _bases(body, q)
    smooth = low_pass(q, SAMPLE, cutoff)
    smooth[:, 3:7] /= np.linalg.norm(smooth[:, 3:7], axis=1, keepdims=True)
    v, a = derivatives(body, time, smooth)
    placed = [body.at(one) for one in smooth]
    zmp = _zmp(body, smooth, v, a)
    return Pattern(
        robot=robot,
        name=motion.source,
        time=time,
        q=smooth,
        v=v,
        acceleration=a,
        zmp=zmp,
        zmp_reference=zmp if sampled.zmp is None else in_world(sampled.zmp, q)[:, :2],
        centre_of_mass=np.array([one.centre for one in placed]),
        soles=np.array([_sole_rows(one) for one in placed]),
        support=_support(np.array([one.soles[:, 2] for one in placed])),
        footsteps=(),
        body=body,
    )


def torques_at(pattern: Pattern, motion: Recorded) -> np.ndarray:
    """Torques that a grounded motion requires, at its samples, in its joint order, (n, joints)."""
    names = [str(pattern.robot.joint_name[link - 1]) for link in _links(pattern)]
    columns = [names.index(name) for name in motion.joints]
    time = motion.time - motion.time[0]
    return np.stack([np.interp(time, pattern.time, pattern.torque[:, k]) for k in columns], axis=1)


def _links(pattern: Pattern) -> list[int]:
    """Links of the world's forest whose joints are the columns of the torques."""
    return [int(pattern.body.world.tree.dof_link[d]) for _, d in pattern.body.single]


def in_world(points: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Points given in the axes of a free base, (n, 3), in world axes."""
    pairs = zip(points, q, strict=True)
    return np.array([one[:3] + matrix(one[3:7]) @ point for point, one in pairs])


def _bases(body: Body, q: np.ndarray) -> np.ndarray:
    """Position and quaternion of the base at every configuration of the joints, (n, 7).

    It starts with the midpoint of the soles at the origin, facing along x.
    """
    bases = np.zeros((len(q), 7))
    side, anchor, heading = -1, np.zeros(3), 0.0
    for k in range(len(q)):
        one = q[k].copy()
        one[:7] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        placed = body.at(one)  # in the axes of the base
        if side < 0:
            side = int(np.argmin(placed.soles[:, 2]))
            anchor = placed.soles[side] - placed.soles.mean(axis=0)
        elif _height(placed, 1 - side, side) < -LOWER:
            side = 1 - side
            before = q[k - 1].copy()
            before[:7] = bases[k - 1]
            stood = body.at(before)
            anchor, heading = stood.soles[side], _yaw(stood.axes[side])
        rotation = matrix(about((0.0, 0.0, 1.0), heading)) @ placed.axes[side].T
        bases[k, :3] = [*anchor[:2], 0.0] - rotation @ placed.soles[side]
        bases[k, 3:] = _quaternion(rotation)
    return bases


def _height(placed: Placement, of: int, over: int) -> float:
    """Height of one sole above the plane of the other [m]."""
    return float((placed.soles[of] - placed.soles[over]) @ placed.axes[over][:, 2])


def _yaw(rotation: np.ndarray) -> float:
    return float(np.arctan2(rotation[1, 0], rotation[0, 0]))


def _quaternion(R: np.ndarray) -> np.ndarray:
    """Quaternion of a rotation by less than half a turn, as of any walking base; w > 0."""
    w = np.sqrt(max(1.0 + np.trace(R), 1e-12)) / 2
    vector = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return np.array([w, *(vector / (4 * w))])


def _sole_rows(placed: Placement) -> list[list[float]]:
    """Both soles: x, y, z and yaw."""
    return [[*p, _yaw(R)] for p, R in zip(placed.soles, placed.axes, strict=True)]


def _support(heights: np.ndarray) -> np.ndarray:
    """Which soles are on the ground; the lower one always is."""
    return (heights < TOUCHES) | (heights <= heights.min(axis=1, keepdims=True))


def _zmp(body: Body, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Zero-moment point of the motion of all links [m], (n, 2)."""
    zmp = np.zeros((len(q), 2))
    for k in range(len(q)):
        force, moment, _ = ground_wrench(body, q[k], v[k], a[k])
        zmp[k] = np.array([-moment[1], moment[0]]) / force[2]
    return zmp
