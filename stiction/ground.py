"""What robots stand on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plane:
    """Level ground."""

    height: float = 0.0  # [m]


LEVEL = Plane()
