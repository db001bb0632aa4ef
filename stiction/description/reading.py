"""What all readers do with a description in the end, and the user's options for it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from stiction.description.arguments import shown
from stiction.description.checks import check
from stiction.description.description import Description
from stiction.description.hull import DEFAULT_POINTS, FEWEST_POINTS
from stiction.description.plain import first_few
from stiction.description.repair import repaired
from stiction.errors import InputError

INERTIAS = ("strict", "repair")
UNSIMULATED = ("refused", "ignored")
NOTED = 1e-3  # [m] error of a hull that is worth a note


class Reading(NamedTuple):
    """The user's options for reading a file."""

    inertia: str = "strict"  # one of INERTIAS
    hull_points: int = DEFAULT_POINTS  # largest number of vertices of a mesh's hull

    unsimulated: str = "refused"  # one of UNSIMULATED

    @property
    def repairs(self) -> bool:
        """Whether impossible inertias are repaired."""
        return self.inertia == "repair"

    @property
    def ignores(self) -> bool:
        """Whether parts of an MJCF file without which a robot still moves are ignored."""
        return self.unsimulated == "ignored"

    def check(self) -> None:
        """Raise InputError for values that are not options."""
        for name, known in (("inertia", INERTIAS), ("unsimulated", UNSIMULATED)):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise InputError(f"{name} is {shown(value)}; known are {', '.join(known)}")
        points = self.hull_points
        if not isinstance(points, int) or isinstance(points, bool) or points < FEWEST_POINTS:
            raise InputError(
                f"hull_points is {shown(points)}; give a whole number, at least {FEWEST_POINTS}"
            )


STRICT = Reading()


def finished(description: Description, reading: Reading) -> Description:
    """The description, repaired if asked for, checked, with notes on its hulls and meshes."""
    if reading.repairs:
        description = repaired(description)
    check(description)
    notes = (*description.notes, *_on_hulls(description), *_on_meshes(description))
    return replace(description, notes=notes)


def _on_meshes(description: Description) -> list[str]:
    """A note on shapes that collide with their triangles."""
    meshes = [shape for shape in description.shapes if shape.kind == "mesh"]
    listed = [f"{shape.name} with {len(shape.triangles)}" for shape in meshes]
    told = "meshes that are fixed and not convex collide with their triangles"
    return [f"{told}: {first_few(listed)}"] if listed else []


def _on_hulls(description: Description) -> list[str]:
    """A note on hulls that lie noticeably inside those of their meshes."""
    touching = [shape for shape in description.shapes if shape.collides and shape.error > NOTED]
    worst = sorted(touching, key=lambda shape: -shape.error)
    listed = [f"{shape.name} by {1e3 * shape.error:.1f} mm" for shape in worst]
    if not listed:
        return []
    most = max(len(shape.vertices) for shape in touching)
    return [
        f"hulls thinned to {most} vertices lie inside those of the meshes, at most "
        f"{first_few(listed)}; hull_points=... keeps more"
    ]
