"""Rules for the sensors of a description."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stiction.description.description import Description, Sensor
from stiction.description.sensor_kinds import JOINT, SENSOR_KINDS, known_kind

LARGEST = 1e15  # largest number allowed, as in all descriptions
LONGEST_DELAY = 10.0  # [s]
JOINTS_OF = {  # kinds that measure some types of joints only
    "jointpos": ("revolute", "prismatic"),
    "jointvel": ("revolute", "prismatic"),
    "jointactuatorfrc": ("revolute", "prismatic"),
    "ballquat": ("spherical",),
    "ballangvel": ("spherical",),
}


def sensors(description: Description) -> Iterator[str]:
    """Complaints about what sensors are at, and about their noise, bias, delay and cutoff."""
    types = {joint.name: joint.type for joint in description.joints}
    for sensor in description.sensors:
        where, kind = f"sensor '{sensor.name}'", known_kind(sensor.kind)
        if kind and (SENSOR_KINDS[kind].at == JOINT) != (sensor.target_type == JOINT):
            wanted = "joint" if SENSOR_KINDS[kind].at == JOINT else "frame or link"
            yield f"{where} is a {kind} at {sensor.target_type} '{sensor.target}'; name a {wanted}"
        elif kind in JOINTS_OF and types[sensor.target] not in (*JOINTS_OF[kind], "fixed"):
            found = f"is a {kind} at the {types[sensor.target]} joint '{sensor.target}'"
            yield f"{where} {found}; name one that is {' or '.join(JOINTS_OF[kind])}"
        yield from _numbers(sensor, where, kind)


def _numbers(sensor: Sensor, where: str, kind: str) -> Iterator[str]:
    for name in ("noise", "bias"):
        given = np.array(getattr(sensor, name), float)
        if kind and len(given) not in (0, 1, SENSOR_KINDS[kind].size):
            size = SENSOR_KINDS[kind].size
            yield f"{where} has {len(given)} numbers as {name}; give one, or {size}"
        if not (np.abs(given) < LARGEST).all() or (name == "noise" and (given < 0).any()):
            told = "finite numbers, not negative" if name == "noise" else "finite numbers"
            yield f"{where} has {name} {given.tolist()}; give {told}"
    if not 0.0 <= sensor.delay <= LONGEST_DELAY:
        yield f"{where} has delay {sensor.delay}; give 0 to {LONGEST_DELAY:g} s"
    if not 0.0 <= sensor.cutoff < LARGEST:
        yield f"{where} has cutoff {sensor.cutoff}; give a positive number, or 0 for no limit"
