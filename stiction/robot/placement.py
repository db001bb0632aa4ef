"""Where a robot is: its links at home, placing it in the world, fixing it there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.arguments import LARGEST, SMALLEST, numbers, shown
from stiction.description.rotation import Pose, about, matrix
from stiction.errors import InputError
from stiction.kernels.tree import FREE, PRISMATIC, REVOLUTE
from stiction.robot.arrays import JOINT_PROPERTIES
from stiction.robot.loops import FIELDS, carried_loops
from stiction.robot.sensors import FIELDS as SENSORS

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

MOVING = (  # fields with a row for each link, velocity, actuator, sensor or loop
    *"link_name parent mass centre inertia joint_name joint_type joint_axis".split(),
    *"joint_position joint_rotation home".split(),
    *JOINT_PROPERTIES,
    *(f"actuator_{field}" for field in "name link gear gain bias control force".split()),
    *SENSORS,
    *FIELDS,
)


def home_poses(robot: Robot) -> list[Pose]:
    """Pose in the world of every link at home, then that of the world, which is link -1."""
    poses: list[Pose] = []
    for link, kind in enumerate(robot.joint_type):
        q = robot.home[robot.q_index[link] :]
        if kind == FREE:
            poses.append(Pose.of(q[:3], q[3:7]))
            continue
        if kind == PRISMATIC:
            moved = Pose(q[0] * robot.joint_axis[link], np.eye(3))
        else:
            turn = about(robot.joint_axis[link], q[0]) if kind == REVOLUTE else q[:4]
            moved = Pose(np.zeros(3), matrix(turn))
        parent = poses[robot.parent[link]] if robot.parent[link] >= 0 else Pose.identity()
        joint = Pose(robot.joint_position[link], robot.joint_rotation[link])
        poses.append(parent.then(joint).then(moved))
    return [*poses, Pose.identity()]


def placed(robot: Robot, position: ArrayLike, turn: ArrayLike) -> Robot:
    """The robot with its base, or everything fixed in its file, at a pose; see `Robot.at`."""
    where, quaternion = _checked(robot, position, turn)
    roots = np.flatnonzero(robot.parent < 0)
    if len(roots) > 1:
        raise InputError(
            f"robot '{robot.name}' has {len(roots)} roots; at() places robots with one, and scenery"
        )
    changed: dict[str, Any] = {"placed": np.array(True)}
    if len(roots) and robot.joint_type[roots[0]] == FREE:
        home, start = robot.home.copy(), robot.q_index[roots[0]]
        home[start : start + 7] = [*where, *quaternion]
        return replace(robot, **changed, home=home)
    poses = [Pose.identity()] * len(robot.link_name) + [Pose.of(where, quaternion)]
    for what, links in (
        ("joint", robot.parent),
        ("frame", robot.frame_link),
        ("shape", robot.shape_link),
        ("visual", robot.visual_link),
    ):
        changed |= _carried(robot, what, links, poses)
    changed |= carried_loops(robot, poses[-1])
    return replace(robot, **changed)


def fixed(robot: Robot) -> Robot:
    """The robot without links: its shapes and frames are fixed in the world where they are at home.

    Its links remain as frames.
    """
    if not len(robot.link_name):
        return robot
    poses = home_poses(robot)
    changed = _carried(robot, "frame", robot.frame_link, poses)
    changed |= _carried(robot, "shape", robot.shape_link, poses)
    changed |= _carried(robot, "visual", robot.visual_link, poses)
    changed["shape_link"] = np.full(len(robot.shape_link), -1)
    changed["visual_link"] = np.full(len(robot.visual_link), -1)
    changed["frame_name"] = np.append(robot.frame_name, robot.link_name)
    changed["frame_link"] = np.full(len(changed["frame_name"]), -1)
    for field, k in (("position", 0), ("rotation", 1)):
        of_links = np.array([pose[k] for pose in poses[:-1]])
        changed[f"frame_{field}"] = np.concatenate([changed[f"frame_{field}"], of_links])
    changed |= {name: getattr(robot, name)[:0] for name in (*MOVING, "keyframe_name")}
    changed |= {f"keyframe_{name}": np.zeros((0, 0)) for name in ("q", "v", "control")}
    return replace(robot, **changed)


def _carried(robot: Robot, what: str, links: np.ndarray, poses: list[Pose]) -> dict[str, Any]:
    """Positions and rotations of joints, frames or shapes after their links moved by poses."""
    positions = getattr(robot, f"{what}_position").copy()
    rotations = getattr(robot, f"{what}_rotation").copy()
    for i, link in enumerate(links):
        positions[i], rotations[i] = poses[link].then(Pose(positions[i], rotations[i]))
    return {f"{what}_position": positions, f"{what}_rotation": rotations}


def _checked(robot: Robot, position: ArrayLike, turn: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Position and unit quaternion of a pose, after checking the arguments of `Robot.at`."""
    where, turned = numbers(position), numbers(turn)
    told = f"robot '{robot.name}': at({shown(position)}, turn={shown(turn)})"
    if where.shape != (3,) or not (np.abs(where) < LARGEST).all():
        raise InputError(f"{told}: give a position of 3 finite numbers in m")
    if turned.shape not in ((), (4,)) or not (np.abs(turned) < LARGEST).all():
        raise InputError(
            f"{told}: give turn as one finite number in rad, about z, or as a quaternion w x y z"
        )
    if turned.shape == ():
        turned = about((0.0, 0.0, 1.0), float(turned))
    if not np.linalg.norm(turned) > SMALLEST:
        raise InputError(f"{told}: give turn as a quaternion that is not zero")
    return where, turned / np.linalg.norm(turned)
