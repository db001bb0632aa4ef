"""Tables of segments of a two-legged robot: their parts, scaling, and mirroring."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stiction.description.description import NOWHERE, Vector
from stiction.description.rotation import Pose
from stiction.errors import InputError
from stiction.robots.solids import Solid, shape_of

DIRECTIONS: dict[str, Vector] = {
    "roll": (1.0, 0.0, 0.0),
    "pitch": (0.0, 1.0, 0.0),
    "yaw": (0.0, 0.0, 1.0),
}
SIDES = (("left_", 1.0), ("right_", -1.0))


@dataclass(frozen=True)
class Drive:
    """Properties of a joint's drive."""

    armature: float  # rotor inertia reflected to the joint [kg m2]
    damping: float  # [N m s/rad]
    effort: float  # largest moment in either direction [N m]
    friction: float = 0.0  # Coulomb friction [N m]


@dataclass(frozen=True)
class Turn:
    """A revolute joint; its name ends in roll, pitch or yaw, which gives the axis.

    If several joints intersect in one point, a ball may connect this one and the next.
    """

    name: str
    lower: float  # [degrees]
    upper: float  # [degrees]
    mass: float = 0.0  # of the ball [kg]
    radius: float = 0.0  # of the ball [m]

    @property
    def way(self) -> str:
        """The one of DIRECTIONS that it turns about."""
        return self.name.rpartition("_")[2]


@dataclass(frozen=True)
class Segment:
    """A rigid part, and the joints, all through one point, that connect it to its parent.

    Its frame is at these joints. Without joints it is fixed to its parent.
    """

    name: str
    parent: str = ""  # "" for the base
    position: Vector = NOWHERE  # of the joints, in the parent [m]
    turns: tuple[Turn, ...] = ()  # from the parent outwards
    drive: Drive = Drive(0.0, 0.0, math.inf)
    solids: tuple[Solid, ...] = ()
    paired: bool = False  # one on each side; the table lists the left one
    sole: Vector | None = None  # of a foot: the middle of its underside
    sole_points: tuple[Vector, ...] = ()  # that touch the ground, in addition to the solids

    @property
    def mass(self) -> float:
        """Mass of the solids and of the balls between its joints [kg]."""
        return sum(turn.mass for turn in self.turns) + sum(solid.mass for solid in self.solids)


def sagittal(segments: Sequence[Segment]) -> list[Segment]:
    """Return the table with pitch joints only; each ball joins the segment it then moves with."""
    kept: dict[str, Segment] = {}
    for segment in segments:
        inner: list[Solid] = []
        outer: list[Solid] = []
        bent = False  # whether there is a pitch joint between the parent and here
        for turn in segment.turns:
            bent = bent or turn.way == "pitch"
            if turn.mass:
                place = NOWHERE if bent else segment.position
                ball = Solid("sphere", (turn.radius,), turn.mass, place, touches=False)
                (outer if bent else inner).append(ball)
        if inner:
            parent = kept[segment.parent]
            if segment.paired and not parent.paired:
                inner += [ball.mirrored() for ball in inner]
            kept[parent.name] = replace(parent, solids=(*parent.solids, *inner))
        turns = tuple(
            replace(turn, mass=0.0, radius=0.0) for turn in segment.turns if turn.way == "pitch"
        )
        kept[segment.name] = replace(segment, turns=turns, solids=(*segment.solids, *outer))
    return list(kept.values())


def checked(name: str, segments: Sequence[Segment]) -> None:
    """Raise InputError if a table is not a tree, or a joint has no direction."""
    names: dict[str, bool] = {}
    for segment in segments:
        known = segment.parent in names if names else segment.parent == ""
        if not known or segment.name in names:
            raise InputError(
                f"{name}: segment '{segment.name}' hangs on '{segment.parent}'; list the base "
                "first, parents before their children, and each name once"
            )
        if names.get(segment.parent) and not segment.paired:
            raise InputError(
                f"{name}: segment '{segment.name}' hangs on the pair '{segment.parent}'; "
                "it must be paired as well"
            )
        for turn in segment.turns:
            if turn.way not in DIRECTIONS:
                raise InputError(
                    f"{name}: joint '{turn.name}' of segment '{segment.name}' must end in "
                    f"{', '.join(DIRECTIONS)}"
                )
        names[segment.name] = segment.paired


# ------------------------------------------------------------------------------------------- sizes


def sized(segments: Sequence[Segment], height: float, mass: float) -> list[Segment]:
    """Return the table with its lengths and masses scaled to a height and total mass."""
    total = sum((2 if segment.paired else 1) * segment.mass for segment in segments)
    long, heavy = height / height_of(segments), mass / total

    def at(position: Vector) -> Vector:
        x, y, z = position
        return (long * x, long * y, long * z)

    return [
        replace(
            segment,
            position=at(segment.position),
            turns=tuple(
                replace(turn, mass=heavy * turn.mass, radius=long * turn.radius)
                for turn in segment.turns
            ),
            solids=tuple(solid.scaled(long, heavy) for solid in segment.solids),
            sole=None if segment.sole is None else at(segment.sole),
            sole_points=tuple(at(point) for point in segment.sole_points),
        )
        for segment in segments
    ]


def height_of(segments: Sequence[Segment]) -> float:
    """Extent along z of all solids in the upright pose [m]."""
    origin = {"": np.zeros(3)}
    low, high = math.inf, -math.inf
    for segment in segments:
        origin[segment.name] = origin[segment.parent] + segment.position
        for solid in segment.solids:
            pose = Pose.of(solid.position, solid.quaternion)
            z, up = origin[segment.name][2] + pose.position[2], pose.rotation[2]
            low, high = min(low, z - _reach(solid, -up)), max(high, z + _reach(solid, up))
    return float(high - low)


def _reach(solid: Solid, direction: np.ndarray) -> float:
    """Extent of a solid from its frame along a unit direction in its own axes [m]."""
    kind, size, vertices = shape_of(solid)
    x, y, z = direction
    if kind == "hull":
        return float((np.array(vertices) @ direction).max())
    if kind in ("box", "ellipsoid"):
        stretched = np.abs(np.array(size) * direction)
        return float(stretched.sum() if kind == "box" else np.linalg.norm(stretched))
    if kind == "sphere":
        return size[0]
    around = 1.0 if kind == "capsule" else np.hypot(x, y)
    return float(size[1] * abs(z) + size[0] * around)


# ------------------------------------------------------------------------------------------- sides


def both_sides(segments: Sequence[Segment]) -> list[Segment]:
    """Return the table with a left and a right segment, and their joints, for every pair.

    The order is limb by limb: the children of a segment follow it.
    """
    pairs = {segment.name for segment in segments if segment.paired}
    sides = []
    for segment in segments:
        if segment.paired:
            sides += [_side(segment, prefix, sign, pairs) for prefix, sign in SIDES]
        else:
            sides.append(segment)

    def from_here(segment: Segment) -> list[Segment]:
        hanging = [from_here(child) for child in sides if child.parent == segment.name]
        return [segment, *(part for limb in hanging for part in limb)]

    return from_here(sides[0])


def _side(segment: Segment, prefix: str, sign: float, pairs: set[str]) -> Segment:
    def at(position: Vector) -> Vector:
        x, y, z = position
        return (x, sign * y, z)

    def turned(turn: Turn) -> Turn:
        swapped = sign < 0 and turn.way != "pitch"
        lower, upper = (-turn.upper, -turn.lower) if swapped else (turn.lower, turn.upper)
        return replace(turn, name=prefix + turn.name, lower=lower, upper=upper)

    solids = segment.solids if sign > 0 else tuple(solid.mirrored() for solid in segment.solids)
    return replace(
        segment,
        name=prefix + segment.name,
        parent=prefix * (segment.parent in pairs) + segment.parent,
        position=at(segment.position),
        turns=tuple(turned(turn) for turn in segment.turns),
        solids=solids,
        sole=None if segment.sole is None else at(segment.sole),
        sole_points=tuple(at(point) for point in segment.sole_points),
    )
