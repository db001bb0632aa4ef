"""Bodies, joints and coordinates of an OpenSim model, of formats 3 and 4.

Format 4 (Version 40000) lists bodies and joints apart and connects them by paths to frames; in
format 3 (Version 30000, and 2xxxx) each body holds the joint to its parent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import numpy as np

from stiction.description.osim_functions import Function, function_of
from stiction.description.osim_text import Element
from stiction.description.rotation import Pose, about, matrix, symmetric
from stiction.errors import ModelFileError

GROUND = "ground"
OLDEST, FRAMES_SINCE = 20000, 40000  # versions
X, Y, Z = np.eye(3)
DEEPEST_FRAME = 50  # offset frames on offset frames
MOST_BODIES = 2000
JOINTS = {  # axes in order: translations along the parent's axes first, then turns
    "WeldJoint": (),
    "PinJoint": (("turn", Z, 0),),
    "SliderJoint": (("slide", X, 0),),
    "UniversalJoint": (("turn", X, 0), ("turn", Y, 1)),
    "GimbalJoint": (("turn", X, 0), ("turn", Y, 1), ("turn", Z, 2)),
    "PlanarJoint": (("slide", X, 1), ("slide", Y, 2), ("turn", Z, 0)),
    "BallJoint": (("turn", X, 0), ("turn", Y, 1), ("turn", Z, 2)),
    "FreeJoint": (
        *(("slide", X, 3), ("slide", Y, 4), ("slide", Z, 5)),
        *(("turn", X, 0), ("turn", Y, 1), ("turn", Z, 2)),
    ),
}
COORDINATE_COUNT = {kind: len(axes) for kind, axes in JOINTS.items()}
IDENTITY = Function((0.0, 1.0))


class Body(NamedTuple):
    """A body in its own axes."""

    name: str
    mass: float  # [kg]
    centre: np.ndarray  # of mass [m]
    inertia: np.ndarray  # (3, 3) about the centre [kg m2]


class Coordinate(NamedTuple):
    """A generalised coordinate."""

    name: str
    default: float  # [rad or m]
    low: float
    high: float
    clamped: bool
    locked: bool
    element: Element


class Axis(NamedTuple):
    """An axis of a joint, along or about which a function of a coordinate moves the child."""

    name: str  # rotation1, translation2, ...
    turns: bool
    direction: np.ndarray  # unit vector
    function: Function
    coordinate: str  # "" if the function is constant


@dataclass(frozen=True, eq=False)
class OsimJoint:
    """A joint between a frame on its parent and one on its child."""

    name: str
    kind: str  # its tag
    element: Element
    parent: str  # body, or GROUND
    child: str
    parent_pose: Pose  # of the joint's frame on the parent, in the parent
    child_pose: Pose
    coordinates: dict[str, Coordinate]
    axes: tuple[Axis, ...]


@dataclass(eq=False)
class OsimModel:
    """What was read; `frames` are poses of named frames in bodies, by path."""

    element: Element
    name: str
    source: str
    bodies: dict[str, Body]
    joints: list[OsimJoint]
    frames: Frames = field(repr=False)

    @property
    def coordinates(self) -> dict[str, Coordinate]:
        """All coordinates by name."""
        return {name: one for joint in self.joints for name, one in joint.coordinates.items()}


def turned(angles: list[float]) -> np.ndarray:
    """Rotation by angles [rad] about x, then the new y, then the new z."""
    x, y, z = (matrix(about(axis, angle)) for axis, angle in zip((X, Y, Z), angles, strict=True))
    return x @ y @ z


def placed(element: Element, position: str, orientation: str) -> Pose:
    """The pose that two children of an element give, both optional."""
    at = element.optional(position, (0.0, 0.0, 0.0))
    return Pose(np.array(at), turned(element.optional(orientation, (0.0, 0.0, 0.0))))


class Frames:
    """Frames of a model by path: bodies, the ground, and offset frames on them."""

    def __init__(self, model: Element, bodies: dict[str, Body]) -> None:
        """Collect the offset frames of bodies and joints."""
        self.bodies = bodies
        self.offsets: dict[str, tuple[Element, str]] = {}
        for group in ("bodyset", "jointset"):
            tag = {"bodyset": "BodySet", "jointset": "JointSet"}[group]
            for owner in model.objects(tag):
                self._add(owner, f"/{group}/{owner.name}")
        ground = model.one("Ground")
        if ground is not None:
            self._add(ground, f"/{GROUND}")

    def _add(self, owner: Element, path: str) -> None:
        for holder in (owner.one("frames"), owner.one("components")):
            for frame in holder.children if holder else ():
                if frame.tag == "PhysicalOffsetFrame":
                    self.offsets[f"{path}/{frame.name}"] = (frame, path)

    def find(self, path: str, owner: str, asked: Element, depth: int = 0) -> tuple[str, Pose]:
        """The body that carries a frame, and the frame's pose in it.

        path: absolute, or relative to `owner`; older files give the plain name of a body.
        """
        for full in (path, _joined(owner, path)):
            parts = full.strip("/").split("/")
            if full in self.offsets and depth < DEEPEST_FRAME:
                frame, above = self.offsets[full]
                body, pose = self.find(frame.word("socket_parent"), f"{above}/x", frame, depth + 1)
                return body, pose.then(placed(frame, "translation", "orientation"))
            is_body = len(parts) == 2 and parts[0] == "bodyset"
            name = parts[-1] if is_body or len(parts) == 1 else ""
            if name == GROUND or name in self.bodies:
                return name, Pose.identity()
        raise ModelFileError(
            f"{asked.where} names the frame '{path[:80]}', which does not exist; "
            f"name a body, '{GROUND}', or a frame on one of them"
        )


def _joined(owner: str, path: str) -> str:
    """A relative path from its owner."""
    if path.startswith("/"):
        return path
    parts = owner.strip("/").split("/")
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


# ---------------------------------------------------------------------------------------- the model


def model_of(element: Element, version: int) -> OsimModel:
    """Bodies and joints of a <Model>; raises ModelFileError for what has no meaning."""
    if version < OLDEST:
        found = f"has Version {version}"
        raise ModelFileError(f"{element.where} {found}; save it with OpenSim 3 or newer")
    _check_units(element)
    members = element.objects("BodySet")
    if len(members) > MOST_BODIES:
        raise ModelFileError(f"{element.where} has {len(members)} bodies; at most {MOST_BODIES}")
    bodies: dict[str, Body] = {}
    for member in members:
        if member.tag != "Body":
            raise ModelFileError(f"{member.where} is in <BodySet>; this reader knows <Body>")
        if member.name in bodies or not member.name:
            raise ModelFileError(f"{member.where}: give every body a name of its own")
        if member.name != GROUND:
            bodies[member.name] = _body(member)
    frames = Frames(element, bodies)
    if version >= FRAMES_SINCE:
        joints = [_joint(one, frames) for one in element.objects("JointSet")]
    else:
        joints = [one for member in members for one in _joints_inside(member, frames)]
    return OsimModel(element, element.name or "model", element.source, bodies, joints, frames)


def _check_units(element: Element) -> None:
    for tag, known in (("length_units", ("meters", "m", "meter")), ("force_units", ("N",))):
        unit = element.word(tag)
        if unit and unit not in known:
            raise ModelFileError(f"{element.where} has {tag} '{unit[:40]}'; expected {known[0]}")


def _body(element: Element) -> Body:
    mass = element.numbers("mass", 1)[0]
    centre = np.array(element.optional("mass_center", (0.0, 0.0, 0.0)))
    if element.one("inertia") is not None:  # format 4: xx yy zz xy xz yz
        xx, yy, zz, xy, xz, yz = element.numbers("inertia", 6)
    else:
        words = ("xx", "yy", "zz", "xy", "xz", "yz")
        xx, yy, zz, xy, xz, yz = (element.optional(f"inertia_{ij}", (0.0,))[0] for ij in words)
    return Body(element.name, mass, centre, symmetric([xx, xy, xz, yy, yz, zz]))


def _joint(element: Element, frames: Frames) -> OsimJoint:
    """A joint of format 4."""
    owner = f"/jointset/{element.name}"
    ends = []
    for which in ("parent", "child"):
        path = element.word(f"socket_{which}_frame", f"socket_{which}_frame_connectee_name")
        if not path:
            raise ModelFileError(f"{element.where} has no <socket_{which}_frame>; give it one")
        ends.append(frames.find(path, owner, element))
    listed = element.one("coordinates")
    return _made(element, ends, listed.children if listed else [])


def _joints_inside(member: Element, frames: Frames) -> list[OsimJoint]:
    """The joint that a body of format 3 holds, if any."""
    holder = member.one("Joint")
    if holder is None or not holder.children:
        return []
    if len(holder.children) > 1:
        raise ModelFileError(f"{holder.where} of '{member.name}' holds several joints; keep one")
    [element] = holder.children
    if element.flag("reverse"):
        raise ModelFileError(f"{element.where} is reversed; exchange its parent and child instead")
    parent, pose = frames.find(element.word("parent_body"), "", element)
    at = pose.then(placed(element, "location_in_parent", "orientation_in_parent"))
    ends = [(parent, at), (member.name, placed(element, "location", "orientation"))]
    return [_made(element, ends, element.objects("CoordinateSet"))]


def _made(element: Element, ends: list[tuple[str, Pose]], coordinates: list[Element]) -> OsimJoint:
    (parent, parent_pose), (child, child_pose) = ends
    if child == GROUND:
        raise ModelFileError(f"{element.where} moves the ground; exchange its parent and child")
    known = [_coordinate(one) for one in coordinates]
    named = {one.name: one for one in known}
    if len(named) != len(known):
        raise ModelFileError(f"{element.where} has two coordinates of one name; rename one")
    if element.tag == "CustomJoint":
        axes = _custom_axes(element, named)
    elif element.tag in JOINTS:
        axes = _usual_axes(element, [one.name for one in known])
    else:
        axes = ()  # refused by name later, together with all others
    return OsimJoint(
        element.name, element.tag, element, parent, child, parent_pose, child_pose, named, axes
    )


def _coordinate(element: Element) -> Coordinate:
    if not element.name:
        raise ModelFileError(f"{element.where} has no name; give it one")
    low, high = element.optional("range", (-inf, inf))
    if low > high:
        raise ModelFileError(f"{element.where} has range {low:g} to {high:g}; the lower one first")
    if element.flag("prescribed"):
        raise ModelFileError(
            f"{element.where} is prescribed by a function; "
            "set prescribed to false, and prescribe its motion with Prescribed"
        )
    flags = element.flag("clamped"), element.flag("locked")
    default = element.optional("default_value", (0.0,))[0]
    return Coordinate(element.name, default, low, high, *flags, element)


def _usual_axes(element: Element, names: list[str]) -> tuple[Axis, ...]:
    wanted = COORDINATE_COUNT[element.tag]
    if len(names) != wanted:
        raise ModelFileError(f"{element.where} has {len(names)} coordinates; expected {wanted}")
    counts = {"turn": 0, "slide": 0}
    axes = []
    for how, direction, which in JOINTS[element.tag]:
        counts[how] += 1
        kind = "rotation" if how == "turn" else "translation"
        name = f"{kind}{counts[how]}"
        axes.append(Axis(name, how == "turn", direction, IDENTITY, names[which]))
    return tuple(axes)


def _custom_axes(element: Element, named: dict[str, Coordinate]) -> tuple[Axis, ...]:
    """Axes of a <SpatialTransform>: the translations, then the rotations in their order."""
    found = {one.name: one for one in element.required("SpatialTransform").children}
    wanted = [f"{kind}{k}" for kind in ("translation", "rotation") for k in (1, 2, 3)]
    if set(found) - set(wanted):
        extra = sorted(set(found) - set(wanted))[0]
        raise ModelFileError(f"{element.where} has the axis '{extra[:40]}'; known are {wanted}")
    axes = []
    for name in wanted:
        if name not in found:
            continue
        one = found[name]
        names = one.word("coordinates").split()
        function = function_of(one, IDENTITY if names else Function((0.0,)))
        direction = np.array(one.numbers("axis", 3))
        length = np.linalg.norm(direction)
        if length == 0:
            raise ModelFileError(
                f"{one.where} of '{element.name}' has axis 0 0 0; give a direction"
            )
        if function.is_constant:
            names = []
        elif len(names) != 1 or names[0] not in named:
            raise ModelFileError(
                f"{one.where} of '{element.name}' moves with '{' '.join(names)[:80]}'; "
                f"expected one of its coordinates, {', '.join(named) or 'of which it has none'}"
            )
        turns = name.startswith("rotation")
        axes.append(Axis(name, turns, direction / length, function, "".join(names)))
    return tuple(axes)
