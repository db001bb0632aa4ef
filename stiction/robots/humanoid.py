"""Two-legged robots from a table of segments: joints, solids, height and mass.

All joint frames are parallel in the upright pose: x forward, y to the left, z up; roll turns about
x, pitch about y, yaw about z. The base is the first segment. The table lists the left one of paired
segments; the right one is its mirror image with the same axes of rotation, so that yaw and roll of
the two sides have opposite signs in a symmetric pose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from stiction.description.arguments import number, shown
from stiction.description.base import base_of
from stiction.description.description import Description, Frame, Joint, Keyframe, Link, Shape
from stiction.description.plain import vector
from stiction.description.rotation import Pose, about, joined, six
from stiction.errors import InputError
from stiction.robots.segments import DIRECTIONS, Segment, Turn, both_sides, checked, sagittal, sized
from stiction.robots.solids import Solid, body_of, shape_of


def humanoid(
    name: str,
    segments: Sequence[Segment],
    *,
    height: float,
    mass: float,
    home: Mapping[str, float] | None = None,
    planar: bool = False,
) -> Description:
    """A humanoid of this height [m] and mass [kg] from a table of segments.

    The lengths of the table are scaled so that its solids, upright, have this height, and its
    masses so that their sum is this mass. `home` gives the angles [rad] of the keyframe "home";
    those of a pair go by their name without the side and are mirrored for the right one. A planar
    humanoid has a base that moves along x and z and turns about y, and pitch joints only.
    """
    for what, value, unit in (("height", height, "m"), ("mass", mass, "kg")):
        number(f"{name}: {what}", value, unit, positive=True)
    if not isinstance(planar, bool | np.bool_):
        raise InputError(f"{name}: planar is {shown(planar)}; give True or False")
    checked(name, segments)
    table = sagittal(segments) if planar else segments
    sides = both_sides(sized(table, height, mass))
    links, joints = base_of(sides[0].name, "planar" if planar else "floating", set())
    links.append(_link(sides[0].name, sides[0].solids))
    for segment in sides[1:]:
        links += _links(segment)
        joints += _joints(segment)
    description = Description(
        name=name,
        source=f"stiction.robots.{name}",
        links=tuple(links),
        joints=tuple(joints),
        shapes=tuple(shape for segment in sides for shape in _shapes(segment)),
        frames=tuple(
            Frame(f"{segment.name.removesuffix('foot')}sole", segment.name, segment.sole)
            for segment in sides
            if segment.sole is not None
        ),
    )
    return replace(description, keyframes=(_home(description, home or {}),))


def bent_legs(thigh: float, shank: float, knee: float) -> dict[str, float]:
    """Angles of a leg with this knee angle [rad], the ankle below the hip and the sole level."""
    hip = math.atan2(shank * math.sin(knee), thigh + shank * math.cos(knee))
    return {"hip_pitch": -hip, "knee_pitch": knee, "ankle_pitch": hip - knee}


# ---------------------------------------------------------------------------- links, joints, shapes


def _link(name: str, solids: Sequence[Solid]) -> Link:
    mass, centre, inertia = joined([body_of(solid) for solid in solids])
    xx, xy, xz, yy, yz, zz = (float(number) for number in six(inertia))
    return Link(name, mass, vector(centre), (xx, xy, xz, yy, yz, zz))


def _links(segment: Segment) -> list[Link]:
    """The balls between the joints of a segment, and the segment itself."""
    balls = [
        _link(_ball_name(turn), [Solid("sphere", (turn.radius,), turn.mass)])
        for turn in segment.turns[:-1]
    ]
    return [*balls, _link(segment.name, segment.solids)]


def _joints(segment: Segment) -> list[Joint]:
    """The joints from the parent of a segment to it, through its balls."""
    if not segment.turns:
        joint = Joint(
            f"{segment.name}_fixed", "fixed", segment.parent, segment.name, segment.position
        )
        return [joint]
    inner = [_ball_name(turn) for turn in segment.turns[:-1]]
    ends = zip([segment.parent, *inner], [*inner, segment.name], strict=True)
    drive = segment.drive
    return [
        Joint(
            turn.name,
            "revolute",
            parent,
            child,
            position=segment.position if parent == segment.parent else (0.0, 0.0, 0.0),
            axis=DIRECTIONS[turn.way],
            lower=math.radians(turn.lower),
            upper=math.radians(turn.upper),
            armature=drive.armature,
            damping=drive.damping,
            friction=drive.friction,
            effort_lower=-drive.effort,
            effort_upper=drive.effort,
        )
        for turn, (parent, child) in zip(segment.turns, ends, strict=True)
    ]


def _ball_name(turn: Turn) -> str:
    return f"{turn.name}_ball"


def _shapes(segment: Segment) -> list[Shape]:
    """Shapes of the solids, of the points under a sole, and, for display only, of the balls."""
    shapes = [
        Shape(_ball_name(turn), _ball_name(turn), "sphere", (turn.radius,), collides=False)
        for turn in segment.turns[:-1]
        if turn.mass
    ]
    for k, solid in enumerate(segment.solids):
        kind, size, vertices = shape_of(solid)
        shapes.append(
            Shape(
                f"{segment.name}_{solid.kind}" + (f"_{k + 1}" if k else ""),
                segment.name,
                kind,
                size,
                solid.position,
                solid.quaternion,
                collides=solid.touches,
                vertices=vertices,
            )
        )
    if segment.sole_points:
        name = f"{segment.name}_points"
        shapes.append(Shape(name, segment.name, "points", (), vertices=segment.sole_points))
    return shapes


# -------------------------------------------------------------------------------------------- home


def _home(description: Description, angles: Mapping[str, float]) -> Keyframe:
    """The keyframe "home": these angles, the lowest sole on z = 0."""
    turned = [joint for joint in description.joints if joint.type == "revolute"]
    unknown = set(angles) - {_without_side(joint.name) for joint in turned}
    if unknown:
        raise InputError(
            f"{description.name}: home has angles of {', '.join(sorted(unknown))}, which are no "
            f"joints; there are {', '.join(joint.name for joint in turned)}"
        )
    values = {joint.name: _angle(joint, angles) for joint in turned}
    lift = -min(_sole_heights(description, values), default=0.0)
    q: list[float] = []
    for joint in description.joints:
        if joint.type == "free":
            q += [0.0, 0.0, lift, 1.0, 0.0, 0.0, 0.0]
        elif joint.type == "prismatic":
            q.append(lift * joint.axis[2])
        elif joint.type == "revolute":
            q.append(values[joint.name])
    free = sum(joint.type == "free" for joint in description.joints)
    return Keyframe("home", tuple(q), (0.0,) * (len(q) - free))


def _without_side(name: str) -> str:
    return name.removeprefix("left_").removeprefix("right_")


def _angle(joint: Joint, angles: Mapping[str, float]) -> float:
    angle = float(angles.get(_without_side(joint.name), 0.0))
    mirrored = joint.name.startswith("right_") and joint.axis != DIRECTIONS["pitch"]
    return -angle if mirrored and angle else angle


def _sole_heights(description: Description, angles: Mapping[str, float]) -> list[float]:
    """Heights of the soles above the base [m]."""
    poses = {"world": Pose.identity()}
    for joint in description.joints:
        pose = poses[joint.parent].then(Pose.of(joint.position, joint.quaternion))
        turn = about(joint.axis, angles.get(joint.name, 0.0))
        poses[joint.child] = pose.then(Pose.of(np.zeros(3), turn))
    return [
        float(poses[frame.link].then(Pose.of(frame.position, frame.quaternion)).position[2])
        for frame in description.frames
    ]
