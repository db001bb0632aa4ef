"""Axis, limits and motor of OpenHRP's Joint."""

from __future__ import annotations

from math import inf

from stiction.description.openhrp_fields import number, numbers, optional, string, unit
from stiction.description.plain import vector
from stiction.description.vrml_nodes import Node

AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def axis_of(node: Node) -> tuple[float, float, float]:
    """The unit axis of a joint; OpenHRP also accepts a letter."""
    field = node.field("jointAxis")
    if field is not None and field.kind == "strings":
        name = string(node, "jointAxis")
        if name not in AXES:
            node.refuse(f"has jointAxis '{name}'; it is X, Y, Z or three numbers", "jointAxis")
        return AXES[name]
    axis = numbers(node, "jointAxis", 3, (0.0, 0.0, 1.0))
    if not axis.any():
        node.refuse("has jointAxis 0 0 0; give a direction", "jointAxis")
    return vector(unit(axis))


def effort_of(node: Node) -> float:
    """The largest torque or force: climit is the largest current of the motor [A]."""
    current = optional(node, "climit")
    if current is None:
        return inf
    effort = current * number(node, "gearRatio", 1.0) * number(node, "torqueConst", 1.0)
    return abs(effort)


def limits(node: Node, low: str, high: str) -> tuple[float, float]:
    """Two limits, infinite where the file has none."""
    lower, upper = optional(node, low), optional(node, high)
    lowest = -inf if lower is None else lower
    highest = inf if upper is None else upper
    if lowest > highest:
        complaint = f"has {low} {lowest:g} and {high} {highest:g}"
        node.refuse(f"{complaint}; the lower limit must not exceed the upper", low)
    return lowest, highest
