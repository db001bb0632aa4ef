"""Sensors of a URDF file: those of Gazebo, <gazebo reference="..."><sensor name="..." type="...">.

Read are imu and contact, at a link, and force_torque, at a joint. Other types are kept by name
and not simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, isfinite, sin

import numpy as np

from stiction.description.description import NOWHERE, UNTURNED, Frame, Joint, Link, Sensor
from stiction.description.plain import first_few, quaternion_of, unique, vector
from stiction.description.rotation import quaternion
from stiction.description.urdf_text import Element

AT_JOINTS = ("force_torque",)
FRAMES = ("", "child", "sensor")  # in which a force_torque is read
DIRECTIONS = ("", "child_to_parent")


class Sensors:
    """The sensors of a URDF file, with a frame for each that is not at a joint."""

    def __init__(self, robot: Element, links: Sequence[Link], joints: Sequence[Joint]) -> None:
        """Read all of them; `ignored` are those that could not be placed."""
        self.frames: list[Frame] = []
        self.sensors: list[Sensor] = []
        self.ignored: list[str] = []
        self._links = {link.name for link in links}
        self._child = {joint.name: joint.child for joint in joints}
        for outer in robot.all("gazebo"):
            for sensor in outer.all("sensor"):
                self._add(sensor, outer.attributes.get("reference", ""))

    def notes(self) -> list[str]:
        """A note on the sensors that could not be placed."""
        told = "sensors ignored, because their name, reference, pose or frame cannot be used"
        return [f"{told}: {first_few(self.ignored)}"] if self.ignored else []

    def _add(self, sensor: Element, reference: str) -> None:
        name, kind = (sensor.attributes.get(word, "") for word in ("name", "type"))
        pose = _pose(sensor)
        taken = name in {one.name for one in self.sensors}
        known = self._child if kind in AT_JOINTS else self._links
        if not (name and kind) or taken or reference not in known or pose is None:
            self.ignored.append(name or "one without a name")
        elif kind in AT_JOINTS:
            self._add_wrench(sensor, name, kind, self._child[reference])
        else:
            frame = unique(name, self._links | {one.name for one in self.frames})
            self.frames.append(Frame(frame, reference, *pose))
            self.sensors.append(Sensor(name, kind, frame, "frame"))

    def _add_wrench(self, sensor: Element, name: str, kind: str, link: str) -> None:
        """A force_torque at the origin of the child, which is that of the joint."""
        settings = sensor.one("force_torque")
        frame, direction = (_word(settings, tag) for tag in ("frame", "measure_direction"))
        turned = frame == "sensor" and sensor.one("pose") is not None
        if frame not in FRAMES or direction not in DIRECTIONS or turned:
            self.ignored.append(name)
        else:
            self.sensors.append(Sensor(name, kind, link, "link"))


def _word(element: Element | None, tag: str) -> str:
    """Text of a child, '' if it is not there."""
    child = None if element is None else element.one(tag)
    return "" if child is None else child.text.strip()


def _pose(sensor: Element) -> tuple | None:
    """Position and quaternion of the <pose> of a sensor, x y z roll pitch yaw; None if broken."""
    text = _word(sensor, "pose")
    if not text:
        return NOWHERE, UNTURNED
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        return None
    if len(numbers) != 6 or not all(map(isfinite, numbers)) or max(map(abs, numbers)) > 1e6:
        return None
    roll, pitch, yaw = numbers[3:]
    x = np.array([[1, 0, 0], [0, cos(roll), -sin(roll)], [0, sin(roll), cos(roll)]])
    y = np.array([[cos(pitch), 0, sin(pitch)], [0, 1, 0], [-sin(pitch), 0, cos(pitch)]])
    z = np.array([[cos(yaw), -sin(yaw), 0], [sin(yaw), cos(yaw), 0], [0, 0, 1]])
    return vector(np.array(numbers[:3])), quaternion_of(quaternion(z @ y @ x))
