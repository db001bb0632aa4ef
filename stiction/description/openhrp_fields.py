"""The fields of OpenHRP's nodes: which ones exist, and their values, checked."""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

import numpy as np

from stiction.description.rotation import Pose
from stiction.description.vrml_nodes import Node, node_table

OPENHRP = node_table(
    """
Humanoid: bboxCenter bboxSize center humanoidBody info joints name rotation scale scaleOrientation
  segments sites translation version viewpoints
Joint: center children llimit ulimit lvlimit uvlimit climit limitOrientation name rotation scale
  scaleOrientation stiffness translation jointType jointId jointAxis jointValue gearRatio
  rotorInertia rotorResistor torqueConst encoderPulse equivalentInertia
Segment: bboxCenter bboxSize centerOfMass children coord displacers mass momentsOfInertia name
ExtraJoint: link1Name link2Name link1LocalPos link2LocalPos jointType jointAxis
ForceSensor: maxForce maxTorque translation rotation sensorId children
Gyro: maxAngularVelocity translation rotation sensorId children
AccelerationSensor: maxAcceleration translation rotation sensorId children
PressureSensor: maxPressure translation rotation sensorId children
RangeSensor: translation rotation children sensorId scanAngle scanStep scanRate minDistance
  maxDistance
VisionSensor: translation rotation children fieldOfView name frontClipDistance backClipDistance
  type sensorId width height frameRate
Plane: size
Surface: visual collision
"""
)
SENSORS = frozenset(name for name in OPENHRP if name.endswith(("Sensor", "Gyro")))


def numbers(node: Node, name: str, count: int, missing: tuple[float, ...]) -> np.ndarray:
    """The `count` numbers of a field, or `missing` if neither the node nor its PROTO has it."""
    field = node.field(name)
    if field is None:
        return np.array(missing, float)
    values = np.array(field.values) if field.kind == "numbers" else None
    if values is None or len(values) != count:
        found = f"{len(field.values)} {field.kind}" if field.values else "nothing"
        node.refuse(f"has {found} in {name}; expected {count} numbers", name)
    return values


def number(node: Node, name: str, missing: float) -> float:
    """The single number of a field."""
    return float(numbers(node, name, 1, (missing,))[0])


def whole(node: Node, name: str, missing: int) -> int:
    """The single whole number of a field."""
    value = number(node, name, missing)
    if value != round(value):
        node.refuse(f"has {name} {value:g}; expected a whole number", name)
    return int(value)


def optional(node: Node, name: str) -> float | None:
    """The number of a field that may also be absent or an empty list."""
    field = node.field(name)
    return number(node, name, 0.0) if field is not None and field.values else None


def many(node: Node, name: str, width: int, missing: tuple[float, ...] = ()) -> np.ndarray:
    """The numbers of a list in rows of `width`."""
    field = node.field(name)
    if field is None:
        return np.array(missing, float).reshape(-1, width)
    if field.kind not in ("numbers", "nothing"):
        node.refuse(f"has {field.kind} in {name}; expected numbers", name)
    if len(field.values) % width:
        found = f"has {len(field.values)} numbers in {name}"
        node.refuse(f"{found}; expected a multiple of {width}", name)
    return np.array(field.values, float).reshape(-1, width)


def positive(node: Node, name: str, count: int, missing: tuple[float, ...]) -> np.ndarray:
    """The numbers of a field, all of them larger than zero."""
    values = numbers(node, name, count, missing)
    if (values <= 0.0).any():
        node.refuse(f"has {name} {_shown(values)}; expected positive numbers", name)
    return values


def not_negative(node: Node, name: str, missing: float) -> float:
    """The single number of a field, zero or larger."""
    value = number(node, name, missing)
    if value < 0.0:
        node.refuse(f"has {name} {value:g}; it must not be negative", name)
    return value


def string(node: Node, name: str) -> str:
    """The string of a field, or "" if it is absent."""
    field = node.field(name)
    if field is None or not field.values:
        return ""
    if field.kind != "strings" or len(field.values) != 1:
        found = f"has {len(field.values)} {field.kind} in {name}"
        node.refuse(f"{found}; expected one string", name)
    return field.values[0]


def truth(node: Node, name: str, missing: bool) -> bool:
    """The truth value of a field."""
    field = node.field(name)
    if field is None:
        return missing
    if field.kind != "TRUE or FALSE" or len(field.values) != 1:
        node.refuse(f"has {field.kind} in {name}; expected TRUE or FALSE", name)
    return field.values[0]


def nodes(node: Node, name: str) -> list[Node]:
    """The nodes of a field, none if it is absent."""
    field = node.field(name)
    if field is None or not field.values:
        return []
    if field.kind != "nodes":
        node.refuse(f"has {field.kind} in {name}; expected nodes", name)
    return list(field.values)


def axis_angle(node: Node, name: str, values: np.ndarray) -> np.ndarray:
    """Rotation matrix of an axis of any length and an angle [rad]."""
    axis, angle = values[:3], values[3]
    length = float(np.abs(axis).max())
    if length == 0.0:
        if angle != 0.0:
            node.refuse(f"has {name} by {angle:g} about 0 0 0; give an axis", name)
        return np.eye(3)
    x, y, z = unit(axis)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])  # noqa: N806
    return np.eye(3) + sin(angle) * K + (1.0 - cos(angle)) * K @ K


def unit(vector: np.ndarray) -> np.ndarray:
    """The vector with length one; scaled first, so that no length over- or underflows."""
    scaled = vector / np.abs(vector).max()
    return scaled / np.linalg.norm(scaled)


def rotation(node: Node, name: str = "rotation") -> np.ndarray:
    """Rotation matrix of an SFRotation field."""
    return axis_angle(node, name, numbers(node, name, 4, (0.0, 0.0, 1.0, 0.0)))


def pose_of(node: Node) -> Pose:
    """Pose of a Humanoid, Joint or sensor in its parent: OpenHRP has no scale and no centre."""
    scale = numbers(node, "scale", 3, (1.0, 1.0, 1.0))
    if (scale != 1.0).any():
        node.refuse(f"has scale {_shown(scale)}; only shapes can be scaled", "scale")
    turn = rotation(node)
    centre = numbers(node, "center", 3, (0.0, 0.0, 0.0))
    if centre.any() and (turn != np.eye(3)).any():
        complaint = f"has center {_shown(centre)} and a rotation"
        node.refuse(f"{complaint}; it must rotate about its origin: remove center", "center")
    return Pose(numbers(node, "translation", 3, (0.0, 0.0, 0.0)), turn)


class Affine(NamedTuple):
    """Affine map from a frame with scaled axes to another one: x_other = position + axes x."""

    position: np.ndarray
    axes: np.ndarray

    @classmethod
    def identity(cls) -> Affine:
        """The identity map."""
        return cls(np.zeros(3), np.eye(3))

    def then(self, inner: Affine | Pose) -> Affine:
        """`inner`, given in this frame, in the outer frame."""
        position, axes = inner
        return Affine(self.position + self.axes @ position, self.axes @ axes)

    def rigid(self, node: Node) -> Pose:
        """The same as a pose; refused, at the node, if an enclosing Transform has a scale."""
        if np.abs(self.axes.T @ self.axes - np.eye(3)).max() > 1e-9:
            node.refuse("is inside a Transform with a scale; only shapes can be scaled")
        return Pose(self.position, self.axes)


def transform(node: Node) -> Affine:
    """Affine map of a Transform: translation, centre, rotation, scale in this order."""
    centre = numbers(node, "center", 3, (0.0, 0.0, 0.0))
    scale = numbers(node, "scale", 3, (1.0, 1.0, 1.0))
    if (scale == 0.0).any():
        node.refuse(f"has scale {_shown(scale)}; none may be zero", "scale")
    leaning = rotation(node, "scaleOrientation")
    axes = rotation(node) @ leaning @ np.diag(scale) @ leaning.T
    if (scale == 1.0).all():
        axes = rotation(node)
    position = numbers(node, "translation", 3, (0.0, 0.0, 0.0))
    return Affine(position + centre - axes @ centre, axes)


def _shown(values: np.ndarray) -> str:
    return " ".join(f"{value:g}" for value in values)
