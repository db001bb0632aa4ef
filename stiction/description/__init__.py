"""Model files -> one plain, checked `Description`; or descriptions made in code.

`Robot.from_description` checks a `Description` like one of a file and makes a robot of it.
"""

from stiction.description.description import (
    WORLD,
    Actuator,
    Description,
    Frame,
    Joint,
    Keyframe,
    Link,
    Loop,
    Material,
    Sensor,
    Shape,
)

__all__ = [
    "WORLD",
    "Actuator",
    "Description",
    "Frame",
    "Joint",
    "Keyframe",
    "Link",
    "Loop",
    "Material",
    "Sensor",
    "Shape",
]
