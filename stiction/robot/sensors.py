"""Sensors as arrays of a `Robot`, from a description or added by code."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.arguments import numbers, shown, vector
from stiction.description.description import LOOP_KINDS, NOWHERE, UNTURNED, Description
from stiction.description.description import Sensor as Described
from stiction.description.plain import first_few, unique
from stiction.description.rotation import Pose, joined, six
from stiction.description.sensor_checks import sensors as complaints
from stiction.description.sensor_kinds import (
    AT_A_CUT,
    JOINT,
    ON_LINK,
    ON_SUBTREE,
    SENSOR_KINDS,
    WIDEST,
    known_kind,
    size_of,
)
from stiction.errors import InputError

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

FIELDS = tuple(
    f"sensor_{name}"
    for name in "name kind target target_type noise bias delay cutoff part body".split()
)
PART = 10  # numbers of an inertia: mass, centre, six of the inertia about it


@dataclass(frozen=True)
class Sensor:
    """A sensor for `Robot.with_sensors`.

    kind: one of `stiction.SENSOR_KINDS`. link: the link or frame that it is at, with its position
    [m] and rotation (quaternion w x y z) there; or joint, for kinds that measure joints. noise:
    standard deviation, and bias: offset, one number for all that it reads or one for each. delay
    [s]: how old readings are. cutoff: largest absolute value that it can read; 0 for no limit.
    """

    name: str
    kind: str
    link: str | None = None
    joint: str | None = None
    position: ArrayLike = NOWHERE
    rotation: ArrayLike = UNTURNED
    noise: ArrayLike = 0.0
    bias: ArrayLike = 0.0
    delay: float = 0.0
    cutoff: float = 0.0


# ---------------------------------------------------------------------------- from a description


def sensor_arrays(description: Description, place: dict) -> dict[str, np.ndarray]:
    """The sensors of a description, except those of joints that do not move."""
    dropped = {*_of_fixed_joints(description), *_beside_loops(description)}
    kept = [one for one in description.sensors if one.name not in dropped]
    made, bodies, moving = arrays_of(kept), [], _moving(description)
    for i, one in enumerate(kept):
        link, kind = _link_of(description, one), known_kind(one.kind)
        if kind in AT_A_CUT and link not in moving:
            beyond = _beyond(description, link, moving)
            merged = [name for name in beyond if name not in moving]
            made["sensor_part"][i] = _part(description, place, merged)
            bodies += [(one.name, name) for name in beyond]
        elif kind in ON_LINK:
            bodies.append((one.name, link))
    return made | {"sensor_body": np.array(bodies, dtype=np.str_).reshape(-1, 2)}


def arrays_of(sensors: Iterable[Described]) -> dict[str, np.ndarray]:
    """The fields of these sensors."""
    sensors = list(sensors)
    texts = {
        f"sensor_{field}": np.array([getattr(one, field) for one in sensors], dtype=np.str_)
        for field in ("name", "kind", "target", "target_type")
    }
    made = texts | undisturbed(len(sensors))
    for i, one in enumerate(sensors):
        size = size_of(one.kind)
        made["sensor_noise"][i, :size] = one.noise or 0.0
        made["sensor_bias"][i, :size] = one.bias or 0.0
        made["sensor_delay"][i], made["sensor_cutoff"][i] = one.delay, one.cutoff
    return made


def undisturbed(count: int) -> dict[str, np.ndarray]:
    """The fields that older files do not have: no noise, bias, delay, cutoff, and no parts."""
    made: dict[str, np.ndarray] = {
        f"sensor_{name}": np.zeros((count, WIDEST)) for name in ("noise", "bias")
    }
    made |= {f"sensor_{name}": np.zeros(count) for name in ("delay", "cutoff")}
    bodies = np.zeros((0, 2), np.str_)
    return made | {"sensor_part": np.zeros((count, PART)), "sensor_body": bodies}


def notes_on_sensors(description: Description) -> list[str]:
    """Notes on the sensors that are not simulated."""
    dropped = _of_fixed_joints(description)
    unknown = [
        f"{one.name} ({one.kind})" for one in description.sensors if not known_kind(one.kind)
    ]
    notes, beside = [], _beside_loops(description)
    if beside:
        told = "sensors ignored, because closed loops carry forces past them"
        notes.append(f"{told}: {first_few(beside)}")
    if dropped:
        told = "sensors ignored, because they measure joints that do not move, or what is fixed"
        notes.append(f"{told}: {first_few(dropped)}")
    if unknown:
        notes.append(f"sensors of kinds that are not simulated: {first_few(unknown)}")
    return notes


def _moving(description: Description) -> set[str]:
    return {joint.child for joint in description.joints if joint.type != "fixed"}


def _link_of(description: Description, sensor: Described) -> str:
    """The link of the file that a sensor is on, or that its joint moves."""
    if sensor.target_type == JOINT:
        return next(one.child for one in description.joints if one.name == sensor.target)
    if sensor.target_type == "frame":
        return next(one.link for one in description.frames if one.name == sensor.target)
    return sensor.target


def _of_fixed_joints(description: Description) -> list[str]:
    """Sensors of fixed joints, of what merged links carry, and forces on what cannot move."""
    moving, found = _moving(description), []
    for one in description.sensors:
        link, kind = _link_of(description, one), known_kind(one.kind)
        still = link not in moving
        if still and (one.target_type == JOINT or kind in ON_SUBTREE):
            found.append(one.name)
        elif still and kind in AT_A_CUT and not _is_carried(description, link, moving):
            found.append(one.name)
    return found


def _beside_loops(description: Description) -> list[str]:
    """Sensors of forces in joints of a robot whose closed loops also carry forces."""
    if all(loop.kind == "joint" for loop in description.loops):
        return []
    return [one.name for one in description.sensors if known_kind(one.kind) in AT_A_CUT]


def _is_carried(description: Description, link: str, moving: set[str]) -> bool:
    """Whether a link is on a moving one."""
    parent = {joint.child: joint.parent for joint in description.joints}
    while link in parent and link not in moving:
        link = parent[link]
    return link in moving


def _beyond(description: Description, link: str, moving: set[str]) -> list[str]:
    """A link on a fixed joint, the links merged with it beyond, and the first ones that move."""
    found = [link]
    for joint in description.joints:  # parents come first
        if joint.parent in found and joint.parent not in moving:
            found.append(joint.child)
    return found


def _part(description: Description, place: dict, names: list[str]) -> np.ndarray:
    """Mass, centre and inertia of some links that were merged, in the link that carries them."""
    bodies = [
        place[link.name][1].inertia(link.mass, link.centre, link.inertia)
        for link in description.links
        if link.name in names
    ]
    mass, centre, inertia = joined(bodies)
    return np.array([mass, *centre, *six(inertia)])


# ----------------------------------------------------------------------------------------- by code


def with_sensors(robot: Robot, sensors: Sensor | Iterable[Sensor]) -> Robot:
    """Return the robot with more sensors; see `Robot.with_sensors`."""
    told = f"robot '{robot.name}': with_sensors:"
    given = [sensors] if isinstance(sensors, Sensor) else sensors
    if not (isinstance(given, Iterable) and all(isinstance(one, Sensor) for one in given)):
        raise InputError(f"{told} found {shown(sensors)}; give a list of st.Sensor")
    for one in given:
        robot = _with_sensor(robot, one, f"{told} sensor '{one.name}'")
    return robot


def _with_sensor(robot: Robot, sensor: Sensor, told: str) -> Robot:
    if not (isinstance(sensor.name, str) and sensor.name) or sensor.name in robot.sensor_name:
        raise InputError(f"{told}: give a name that no other sensor of this robot has")
    if not isinstance(sensor.kind, str) or sensor.kind not in SENSOR_KINDS:
        known = ", ".join(SENSOR_KINDS)
        raise InputError(f"{told} is of kind {shown(sensor.kind)}; known are {known}")
    at = "joint" if SENSOR_KINDS[sensor.kind].at == JOINT else "link"
    if (sensor.link is None) == (sensor.joint is None) or getattr(sensor, at) is None:
        raise InputError(f"{told} is a {sensor.kind}; give {at}=..., and no other location")
    if at == "joint":
        return _added(robot, sensor, sensor.joint, "joint", told)
    name, link, pose = _frame(robot, sensor, told)
    if name in (*robot.link_name, *robot.frame_name):
        return _added(robot, sensor, name, "link" if name in robot.link_name else "frame", told)
    framed = dataclasses.replace(
        robot,
        frame_name=np.append(robot.frame_name, name),
        frame_link=np.append(robot.frame_link, link),
        frame_position=np.concatenate([robot.frame_position, pose.position[None]]),
        frame_rotation=np.concatenate([robot.frame_rotation, pose.rotation[None]]),
    )
    return _added(framed, sensor, name, "frame", told)


def _frame(robot: Robot, sensor: Sensor, told: str) -> tuple[str, int, Pose]:
    """Name, link and pose of the frame of a sensor: a new one unless it is just at the given."""
    position = vector(f"{told}: position", sensor.position, 3, "m")
    rotation = vector(f"{told}: rotation", sensor.rotation, 4)
    if not np.linalg.norm(rotation) > 0.0:
        raise InputError(f"{told}: rotation is zero; give a quaternion w x y z")
    inner = Pose.of(position, rotation / np.linalg.norm(rotation))
    links, frames = robot.link_name.tolist(), robot.frame_name.tolist()
    if sensor.link in links:
        link, outer = links.index(sensor.link), Pose.identity()
    elif sensor.link in frames:
        k = frames.index(sensor.link)
        link = int(robot.frame_link[k])
        outer = Pose(robot.frame_position[k], robot.frame_rotation[k])
    else:
        known = first_few([*links, *frames])
        raise InputError(f"{told} is at {shown(sensor.link)}; this robot has {known}")
    if sensor.kind in AT_A_CUT and (robot.loop_kind != LOOP_KINDS.index("joint")).any():
        raise InputError(f"{told} is a {sensor.kind}, but closed loops carry forces past it")
    if link < 0 and sensor.kind in (*AT_A_CUT, *ON_SUBTREE):
        raise InputError(f"{told} is a {sensor.kind} at a frame that is fixed in the world")
    if sensor.kind in ON_SUBTREE or (not position.any() and np.allclose(inner.rotation, np.eye(3))):
        return str(robot.link_name[link] if sensor.kind in ON_SUBTREE else sensor.link), link, outer
    return unique(sensor.name, {*links, *frames}), link, outer.then(inner)


def _added(robot: Robot, sensor: Sensor, target: str | None, of: str, told: str) -> Robot:
    """The robot with one more row in the fields of sensors, after checking it."""
    noise, bias = (tuple(np.atleast_1d(numbers(x)).tolist()) for x in (sensor.noise, sensor.bias))
    delay, cutoff = (float(numbers(x)) if np.ndim(x) == 0 else np.nan for x in _limits(sensor))
    made = Described(
        sensor.name, sensor.kind, str(target), of, noise, bias, float(delay), float(cutoff)
    )
    from stiction.robot.described import description_of

    bare = dataclasses.replace(description_of(robot), sensors=(made,))
    if of == "joint" and target not in robot.joint_name:
        known = first_few(robot.joint_name.tolist())
        raise InputError(f"{told} is at joint {shown(target)}; this robot has {known}")
    found = list(complaints(bare))
    if found:
        raise InputError(f"robot '{robot.name}': with_sensors: {'; '.join(found)}")
    row = arrays_of([made])  # it feels contact on all that is merged with its link
    changed: dict[str, Any] = {
        name: np.concatenate([getattr(robot, name), row[name]]) for name in FIELDS
    }
    return dataclasses.replace(robot, **changed)


def _limits(sensor: Sensor) -> tuple[Any, Any]:
    return sensor.delay, sensor.cutoff
