"""What sensors measure: the kinds that are simulated, and their names in model files.

Names, frames and signs are those of MuJoCo where it has the sensor. A `wrench` has the sign of
OpenHRP and Gazebo: what the link exerts on its parent, opposite to `force` and `torque`.
"""

from __future__ import annotations

from typing import NamedTuple

FRAME, JOINT, LINK = "frame", "joint", "link"  # what a sensor is at
REAL, POSITIVE, UNIT = "real", "positive", "unit"  # numbers; not below zero; of unit length
WIDEST = 10  # numbers of the widest kind


class SensorKind(NamedTuple):
    """A kind of sensor."""

    at: str  # FRAME, JOINT or LINK; a sensor at a frame may also be at the frame of a link
    size: int  # how many numbers it reads
    unit: str
    measures: str
    values: str = REAL  # REAL, POSITIVE or UNIT: how a cutoff applies


SENSOR_KINDS = {
    "jointpos": SensorKind(JOINT, 1, "rad or m", "position of a revolute or prismatic joint"),
    "jointvel": SensorKind(JOINT, 1, "rad/s or m/s", "its velocity"),
    "jointactuatorfrc": SensorKind(JOINT, 1, "N m or N", "force of controllers on it"),
    "ballquat": SensorKind(JOINT, 4, "", "quaternion of a spherical joint", UNIT),
    "ballangvel": SensorKind(JOINT, 3, "rad/s", "its angular velocity, axes of the child"),
    "gyro": SensorKind(FRAME, 3, "rad/s", "angular velocity, own axes"),
    "accelerometer": SensorKind(FRAME, 3, "m/s2", "acceleration minus gravity, own axes"),
    "velocimeter": SensorKind(FRAME, 3, "m/s", "velocity, own axes"),
    "imu": SensorKind(FRAME, 10, "", "quaternion, then gyro, then accelerometer"),
    "framepos": SensorKind(FRAME, 3, "m", "position, world axes"),
    "framequat": SensorKind(FRAME, 4, "", "orientation as a quaternion w x y z, w >= 0", UNIT),
    "framexaxis": SensorKind(FRAME, 3, "", "its x axis, world axes", UNIT),
    "frameyaxis": SensorKind(FRAME, 3, "", "its y axis, world axes", UNIT),
    "framezaxis": SensorKind(FRAME, 3, "", "its z axis, world axes", UNIT),
    "framelinvel": SensorKind(FRAME, 3, "m/s", "velocity, world axes"),
    "frameangvel": SensorKind(FRAME, 3, "rad/s", "angular velocity, world axes"),
    "framelinacc": SensorKind(FRAME, 3, "m/s2", "acceleration minus gravity, world axes"),
    "frameangacc": SensorKind(FRAME, 3, "rad/s2", "angular acceleration, world axes"),
    "force": SensorKind(FRAME, 3, "N", "force of the parent on the link, own axes"),
    "torque": SensorKind(FRAME, 3, "N m", "its moment about the frame's origin, own axes"),
    "wrench": SensorKind(FRAME, 6, "N, N m", "force and moment of the link on its parent"),
    "touch": SensorKind(FRAME, 1, "N", "sum of the normal contact forces on the link", POSITIVE),
    "contact": SensorKind(FRAME, 1, "", "1 if a contact force acts on the link, 0 if not"),
    "contactforce": SensorKind(FRAME, 3, "N", "sum of the contact forces on the link, own axes"),
    "rangefinder": SensorKind(FRAME, 1, "m", "distance to the ground along z, or -1", POSITIVE),
    "subtreecom": SensorKind(LINK, 3, "m", "centre of mass of the link and all that it carries"),
    "subtreelinvel": SensorKind(LINK, 3, "m/s", "velocity of this centre of mass"),
    "subtreeangmom": SensorKind(LINK, 3, "N m s", "angular momentum about it, world axes"),
}
# names in OpenHRP and URDF files
FILE_NAMES = {
    "Gyro": "gyro",
    "AccelerationSensor": "accelerometer",
    "ForceSensor": "wrench",
    "force_torque": "wrench",
}
OF_ACCELERATION = (  # they also depend on the forces or accelerations of a step
    *("jointactuatorfrc", "accelerometer", "imu", "framelinacc", "frameangacc", "force", "torque"),
    *("wrench", "touch", "contact", "contactforce"),
)
AT_A_CUT = ("force", "torque", "wrench")  # between a link and its parent
ON_LINK = ("touch", "contact", "contactforce")  # of contact
ON_SUBTREE = ("subtreecom", "subtreelinvel", "subtreeangmom")


def known_kind(kind: str) -> str:
    """The name of a kind in `SENSOR_KINDS`; '' if it is not simulated."""
    kind = FILE_NAMES.get(kind, kind)
    return kind if kind in SENSOR_KINDS else ""


def size_of(kind: str) -> int:
    """How many numbers a sensor of a kind reads; 0 if it is not simulated."""
    kind = known_kind(kind)
    return SENSOR_KINDS[kind].size if kind else 0
