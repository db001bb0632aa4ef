"""OpenHRP's ExtraJoints as loop closures."""

from __future__ import annotations

import numpy as np

from stiction.description.description import Loop, Vector
from stiction.description.openhrp_fields import numbers, string
from stiction.description.openhrp_joints import axis_of
from stiction.description.plain import unique, vector
from stiction.description.vrml_nodes import Node

KINDS = {"xyz": "connect", "xy": "line", "z": "plane"}  # directions that are constrained


def loop_of(node: Node, taken: set[str]) -> Loop:
    """The loop closure of an ExtraJoint."""
    given = string(node, "jointType") or "xyz"
    if given not in KINDS:
        node.refuse(f"has jointType '{given}'; known are {', '.join(KINDS)}", "jointType")
    name = unique(node.name or "ExtraJoint", taken)
    axis: Vector = axis_of(node) if node.field("jointAxis") else (1.0, 0.0, 0.0)
    first, second = (string(node, f"link{i}Name") for i in (1, 2))
    points = (_point(node, "link1LocalPos"), _point(node, "link2LocalPos"))
    return Loop(name, KINDS[given], first, second, points, axis=axis)


def _point(node: Node, field: str) -> Vector:
    return vector(np.asarray(numbers(node, field, 3, (0.0, 0.0, 0.0))))
