"""A `Robot` as URDF text: links, inertias, joints and simple shapes under their own names.

The root is the link with the free joint, or a link named "world" that carries everything else.
Frames are ours: that of a link is at its joint. Inertias are written about principal axes, so that
no reader has to find them again. URDF has no armature and no springs; readers of the text add them.
"""

from __future__ import annotations

import math
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from stiction.description.description import SHAPE_KINDS, WORLD
from stiction.description.rotation import Pose, symmetric
from stiction.errors import InputError
from stiction.kernels.tree import FREE, PRISMATIC, REVOLUTE
from stiction.robot.robot import Robot

UNLIMITED = 1e6  # limit of a joint that has none on that side [rad or m], effort and speed


class Principal(NamedTuple):
    """Inertia of a link about its principal axes."""

    rotation: np.ndarray  # (3, 3) of the axes in the link
    moments: np.ndarray  # (3) [kg m2]


def principal(inertia: np.ndarray) -> Principal:
    """Principal axes and moments of an inertia xx xy xz yy yz zz; its own axes if it has them."""
    xx, xy, xz, yy, yz, zz = inertia
    if xy == xz == yz == 0.0:
        return Principal(np.eye(3), np.array([xx, yy, zz]))
    moments, axes = np.linalg.eigh(symmetric(inertia))
    return Principal(axes * np.sign(np.linalg.det(axes)), moments)


def urdf_of(robot: Robot, base: Pose | None = None, shapes: np.ndarray | None = None) -> str:
    """Return a robot as URDF text.

    base: where the origin of a robot without a free joint is; shapes: which of its shapes to write
    as collision geometry, (shapes) bool, by default none. An InputError names what URDF lacks.
    """
    root = ElementTree.Element("robot", name=robot.name)
    free = np.flatnonzero(robot.joint_type == FREE)
    if len(free) and len(np.flatnonzero(robot.parent < 0)) > 1:
        raise InputError(f"robot '{robot.name}': URDF has one root, and this robot several")
    if not len(free):
        ElementTree.SubElement(root, "link", name=WORLD)
    for link in range(len(robot.link_name)):
        element = ElementTree.SubElement(root, "link", name=str(robot.link_name[link]))
        _add_inertia(element, robot, link)
        for shape in np.flatnonzero((robot.shape_link == link) & _chosen(robot, shapes)):
            _add_shape(element, robot, int(shape))
    for link in range(len(robot.link_name)):
        if robot.joint_type[link] != FREE:
            _add_joint(root, robot, link, base or Pose.identity())
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def _chosen(robot: Robot, shapes: np.ndarray | None) -> np.ndarray:
    return np.zeros(len(robot.shape_name), bool) if shapes is None else np.asarray(shapes, bool)


def _add_inertia(element: ElementTree.Element, robot: Robot, link: int) -> None:
    rotation, (x, y, z) = principal(robot.inertia[link])
    inertial = ElementTree.SubElement(element, "inertial")
    _add_origin(inertial, Pose(robot.centre[link], rotation))
    ElementTree.SubElement(inertial, "mass", value=_told(robot.mass[link]))
    moments = {"ixx": x, "iyy": y, "izz": z, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
    ElementTree.SubElement(
        inertial, "inertia", {name: _told(value) for name, value in moments.items()}
    )


def _add_shape(element: ElementTree.Element, robot: Robot, shape: int) -> None:
    kind, (a, b, c) = SHAPE_KINDS[robot.shape_kind[shape]], robot.shape_size[shape]
    name = str(robot.shape_name[shape])
    sizes = {
        "sphere": {"radius": _told(a)},
        "capsule": {"radius": _told(a), "length": _told(2 * b)},
        "cylinder": {"radius": _told(a), "length": _told(2 * b)},
        "box": {"size": f"{_told(2 * a)} {_told(2 * b)} {_told(2 * c)}"},
    }
    if kind not in sizes:
        raise InputError(
            f"robot '{robot.name}': shape '{name}' is of kind {kind}; "
            f"translated are {', '.join(sizes)}"
        )
    collision = ElementTree.SubElement(element, "collision", name=name)
    _add_origin(collision, Pose(robot.shape_position[shape], robot.shape_rotation[shape]))
    geometry = ElementTree.SubElement(collision, "geometry")
    ElementTree.SubElement(geometry, kind, sizes[kind])


def _add_joint(root: ElementTree.Element, robot: Robot, link: int, base: Pose) -> None:
    d, kind = int(robot.v_index[link]), int(robot.joint_type[link])
    name, parent = str(robot.joint_name[link]), int(robot.parent[link])
    if kind not in (REVOLUTE, PRISMATIC):
        raise InputError(f"robot '{robot.name}': URDF has no spherical joint like '{name}'")
    limits = np.clip([robot.lower[d], robot.upper[d]], -UNLIMITED, UNLIMITED)
    limited = bool(np.isfinite([robot.lower[d], robot.upper[d]]).any())
    word = "prismatic" if kind == PRISMATIC else ("revolute" if limited else "continuous")
    joint = ElementTree.SubElement(root, "joint", name=name, type=word)
    above = WORLD if parent < 0 else str(robot.link_name[parent])
    ElementTree.SubElement(joint, "parent", link=above)
    ElementTree.SubElement(joint, "child", link=str(robot.link_name[link]))
    pose = Pose(robot.joint_position[link], robot.joint_rotation[link])
    _add_origin(joint, base.then(pose) if parent < 0 else pose)
    ElementTree.SubElement(joint, "axis", xyz=_vector(robot.joint_axis[link]))
    bounds = {} if word == "continuous" else dict(zip(("lower", "upper"), limits, strict=True))
    bounds |= {"effort": UNLIMITED, "velocity": UNLIMITED}
    ElementTree.SubElement(joint, "limit", {name: _told(x) for name, x in bounds.items()})
    ElementTree.SubElement(
        joint,
        "dynamics",
        damping=_told(robot.damping[d]),
        friction=_told(robot.friction[d]),
    )


def _add_origin(element: ElementTree.Element, pose: Pose) -> None:
    ElementTree.SubElement(
        element, "origin", xyz=_vector(pose.position), rpy=_vector(roll_pitch_yaw(pose.rotation))
    )


def roll_pitch_yaw(rotation: np.ndarray) -> np.ndarray:
    """URDF's angles of a rotation: about x, then y, then z of fixed axes [rad]."""
    pitch = math.atan2(-rotation[2, 0], math.hypot(rotation[0, 0], rotation[1, 0]))
    if math.hypot(rotation[0, 0], rotation[1, 0]) < 1e-9:  # only the sum of roll and yaw counts
        return np.array([math.atan2(-rotation[1, 2], rotation[1, 1]), pitch, 0.0])
    roll = math.atan2(rotation[2, 1], rotation[2, 2])
    return np.array([roll, pitch, math.atan2(rotation[1, 0], rotation[0, 0])])


def _vector(values: np.ndarray) -> str:
    return " ".join(_told(x) for x in values)


def _told(x: float) -> str:
    return repr(float(x))
