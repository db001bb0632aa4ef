"""Planned motions of the scenes, and how a run compares with its plan."""

from __future__ import annotations

from typing import Any

import stiction as st
from stiction.scenes import Scene

FEET = ("left_foot", "right_foot")
FOLLOWING = ("follow", "frequency", "damping", "limits", "balance")  # not arguments of a pattern


def pattern_of(one: Scene) -> st.patterns.Pattern:
    """The plan that the first robot of a scene follows."""
    control = one.controls[0]
    given: dict[str, Any] = {
        name: value for name, value in control.parameters.items() if name not in FOLLOWING
    }
    return getattr(st.patterns, control.kind)(one.robots[0].robot(), **given)
