"""`Description` -> `Robot`, the flat arrays that every later stage reads; saved as one .npz file.

Links held by fixed joints are merged into their parents; their names stay as frames. Link -1 is the world.
"""

from __future__ import annotations

import dataclasses
import hashlib
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.checks import check
from stiction.description.description import SHAPE_KINDS, WORLD, Description, Joint, Shape
from stiction.errors import DescriptionError, InputError, ModelFileError
from stiction.kernels.tree import FREE, PRISMATIC, Q_SIZE, REVOLUTE, SPHERICAL, V_SIZE
from stiction.rotation import Pose, joined, six

FORMAT = 1  # of the .npz file
JOINT_CODES = {"free": FREE, "revolute": REVOLUTE, "prismatic": PRISMATIC, "spherical": SPHERICAL}
_NOT_NEGATIVE = ("armature", "damping", "friction", "stiffness")
_LIMITS = ("lower", "upper", "effort_lower", "effort_upper", "speed_limit")
JOINT_PROPERTIES = (*_NOT_NEGATIVE, "spring_reference", *_LIMITS)
# what numpy, zipfile and zlib raise at a damaged file
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    EOFError,
    KeyError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot or a free object as flat arrays: nl links, nq positions, nv velocities; SI units."""

    name: str
    source: str  # file it was read from, or what made it
    notes: np.ndarray  # what a human should know about how it was read

    link_name: np.ndarray  # (nl)
    parent: np.ndarray  # (nl) link, -1 for the world
    mass: np.ndarray  # (nl)
    centre: np.ndarray  # (nl, 3)
    inertia: np.ndarray  # (nl, 6) xx xy xz yy yz zz about the centre
    joint_name: np.ndarray  # (nl)
    joint_type: np.ndarray  # (nl)
    joint_axis: np.ndarray  # (nl, 3)
    joint_position: np.ndarray  # (nl, 3)
    joint_rotation: np.ndarray  # (nl, 3, 3)

    armature: np.ndarray  # (nv)
    damping: np.ndarray  # (nv)
    friction: np.ndarray  # (nv)
    stiffness: np.ndarray  # (nv)
    spring_reference: np.ndarray  # (nv)
    lower: np.ndarray  # (nv)
    upper: np.ndarray  # (nv)
    effort_lower: np.ndarray  # (nv)
    effort_upper: np.ndarray  # (nv)
    speed_limit: np.ndarray  # (nv)

    frame_name: np.ndarray  # (frames)
    frame_link: np.ndarray  # (frames)
    frame_position: np.ndarray  # (frames, 3)
    frame_rotation: np.ndarray  # (frames, 3, 3)

    shape_name: np.ndarray  # (shapes)
    shape_link: np.ndarray  # (shapes)
    shape_kind: np.ndarray  # (shapes) index into SHAPE_KINDS
    shape_size: np.ndarray  # (shapes, 3) as in `Shape`, unused entries 0
    shape_position: np.ndarray  # (shapes, 3)
    shape_rotation: np.ndarray  # (shapes, 3, 3)
    shape_material: np.ndarray  # (shapes) name
    shape_collides: np.ndarray  # (shapes) bool
    shape_vertex: np.ndarray  # (shapes + 1) first row of `vertices`
    vertices: np.ndarray  # (rows, 3) of hulls, in the shape's frame

    actuator_name: np.ndarray  # (nu)
    actuator_link: np.ndarray  # (nu) link whose joint is driven
    actuator_gear: np.ndarray  # (nu)
    actuator_gain: np.ndarray  # (nu, 3)
    actuator_bias: np.ndarray  # (nu, 3)
    actuator_control: np.ndarray  # (nu, 2) range
    actuator_force: np.ndarray  # (nu, 2) range

    sensor_name: np.ndarray
    sensor_kind: np.ndarray
    sensor_target: np.ndarray
    sensor_target_type: np.ndarray
    material_name: np.ndarray
    material_mu: np.ndarray  # (materials, 2) static, kinetic
    keyframe_name: np.ndarray
    keyframe_q: np.ndarray  # (keyframes, nq)
    keyframe_v: np.ndarray  # (keyframes, nv)
    keyframe_control: np.ndarray  # (keyframes, nu) NaN where the file says nothing
    contact_pairs: np.ndarray  # (n, 2) names of shapes
    contact_excludes: np.ndarray  # (n, 2) names of links
    home: np.ndarray  # (nq) configuration to start from

    @property
    def nq(self) -> int:
        """How many positions."""
        return len(self.home)

    @property
    def nv(self) -> int:
        """How many velocities."""
        return len(self.armature)

    @property
    def total_mass(self) -> float:
        """Mass of all links [kg]."""
        return float(self.mass.sum())

    def named(self, name: str) -> Robot:
        """Return the same robot under another name."""
        return dataclasses.replace(self, name=str(name))

    def at(self, position: ArrayLike, quaternion: ArrayLike = (1.0, 0.0, 0.0, 0.0)) -> Robot:
        """Return the same robot with its base placed there in the home configuration [m, w x y z]."""
        position, quaternion = np.array(position, float), np.array(quaternion, float)
        if position.shape != (3,) or quaternion.shape != (4,):
            raise InputError(
                f"robot '{self.name}': at() takes a position of 3 numbers and a quaternion of 4"
            )
        if not np.isfinite([*position, *quaternion]).all() or not quaternion.any():
            raise InputError(
                f"robot '{self.name}': at({position}, {quaternion}) is not finite or has no rotation"
            )
        roots = np.flatnonzero(self.parent < 0)
        if len(roots) != 1:
            raise InputError(
                f"robot '{self.name}' has {len(roots)} roots; at() places robots with one"
            )
        root = roots[0]
        if self.joint_type[root] == FREE:
            home = self.home.copy()
            start = self.q_index[root]
            home[start : start + 7] = [*position, *(quaternion / np.linalg.norm(quaternion))]
            return dataclasses.replace(self, home=home)
        pose = Pose.of(position, quaternion)
        joint_position, joint_rotation = self.joint_position.copy(), self.joint_rotation.copy()
        joint_position[root], joint_rotation[root] = pose.position, pose.rotation
        return dataclasses.replace(
            self, joint_position=joint_position, joint_rotation=joint_rotation
        )

    def with_joints(self, **values: ArrayLike) -> Robot:
        """Return the same robot with other joint properties, each one number for all velocities or nv of them.

        For example `with_joints(friction=0, damping=0, lower=-inf, upper=inf)`.
        """
        changed = {}
        for name, value in values.items():
            if name not in JOINT_PROPERTIES:
                raise InputError(
                    f"with_joints: no property '{name}'; there are {', '.join(JOINT_PROPERTIES)}"
                )
            numbers = np.array(value, float)
            if numbers.shape not in ((), (self.nv,)) or np.isnan(numbers).any():
                raise InputError(
                    f"with_joints: {name} must be a number or {self.nv} of them, not NaN; found {value!r}"
                )
            if name in _NOT_NEGATIVE and (numbers < 0).any():
                raise InputError(f"with_joints: {name} must not be negative, found {numbers.min()}")
            changed[name] = np.broadcast_to(numbers, self.nv).copy()
        robot = dataclasses.replace(self, **changed)
        if (robot.lower > robot.upper).any() or (robot.effort_lower > robot.effort_upper).any():
            raise InputError("with_joints: a lower limit lies above its upper limit")
        return robot

    @property
    def q_index(self) -> np.ndarray:
        """First position of each link's joint in q, (nl)."""
        return np.concatenate([[0], np.cumsum([Q_SIZE[k] for k in self.joint_type])])[:-1].astype(
            int
        )

    @property
    def v_index(self) -> np.ndarray:
        """First velocity of each link's joint in v, (nl)."""
        return np.concatenate([[0], np.cumsum([V_SIZE[k] for k in self.joint_type])])[:-1].astype(
            int
        )

    def keyframe(self, name: str) -> np.ndarray:
        """Return the positions q of a keyframe of the file."""
        found = np.flatnonzero(self.keyframe_name == name)
        if not len(found):
            known = ", ".join(self.keyframe_name) or "none"
            raise InputError(f"robot '{self.name}' has no keyframe '{name}'; it has: {known}")
        return self.keyframe_q[found[0]].copy()

    def digest(self) -> str:
        """Hash of everything that decides how the robot moves, 16 hexadecimal digits."""
        digest = hashlib.sha256()
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name not in ("name", "source", "notes"):
                digest.update(field.name.encode() + str(value.shape).encode() + value.tobytes())
        return digest.hexdigest()[:16]

    def save(self, path: str | Path) -> None:
        """Write one .npz file that numpy alone can read."""
        with open(path, "wb") as file:
            self.write(file)

    def write(self, file: IO[bytes]) -> None:
        """Write the .npz file to an open file."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        np.savez_compressed(file, format=FORMAT, **values)

    @classmethod
    def load(cls, path: str | Path | IO[bytes]) -> Robot:
        """Read a robot that `save` wrote."""
        try:
            with np.load(path, allow_pickle=False) as file:
                values = {key: file[key] for key in file.files}
        except _UNREADABLE as error:
            raise ModelFileError(f"{path}: not a robot file, or cut short ({error})") from None
        version = values.pop("format", "unknown")
        if not np.array_equal(version, FORMAT):
            raise ModelFileError(
                f"{path}: robot format {version}; this version of stiction reads {FORMAT}"
            )
        missing = {field.name for field in dataclasses.fields(cls)} ^ values.keys()
        if missing:
            raise ModelFileError(
                f"{path}: missing or unknown entries: {', '.join(sorted(missing))}"
            )
        texts = {key: str(values[key]) for key in ("name", "source")}
        return cls(**{**values, **texts})

    @classmethod
    def from_description(cls, description: Description) -> Robot:
        """Check a description and turn it into arrays."""
        check(description)
        return cls(**_arrays(description))


# ------------------------------------------------------------------------------------------------ building


def _arrays(description: Description) -> dict:
    """All fields of the Robot that a description makes."""
    moving, place = _merge_fixed(description)
    index = {joint.child: i for i, joint in enumerate(moving)}
    joints = [_joint_arrays(joint, place, index) for joint in moving]
    return {
        "name": description.name,
        "source": description.source,
        "notes": _names(description.notes),
        **_stacked(joints),
        **_link_arrays(description, place, index),
        **_dof_arrays(moving),
        **_frame_arrays(description, place, index),
        **_shape_arrays(description, place, index),
        **_actuator_arrays(description, index),
        **_other_arrays(description, moving),
    }


def _merge_fixed(description: Description) -> tuple[list[Joint], dict[str, tuple[str, Pose]]]:
    """Return the moving joints, and for each link the moving link that carries it and where."""
    place: dict[str, tuple[str, Pose]] = {WORLD: (WORLD, Pose.identity())}
    moving = []
    for joint in description.joints:
        if joint.parent not in place:
            raise DescriptionError(
                f"{description.source}: joint '{joint.name}' comes before the joint of its parent "
                f"'{joint.parent}'; list joints from the root outwards"
            )
        carrier, pose = place[joint.parent]
        if joint.type == "fixed":
            place[joint.child] = (carrier, pose.then(Pose.of(joint.position, joint.quaternion)))
        else:
            place[joint.child] = (joint.child, Pose.identity())
            moving.append(joint)
    return moving, place


def _joint_arrays(joint: Joint, place: dict, index: dict[str, int]) -> dict:
    """Arrays of one moving joint."""
    carrier, pose = place[joint.parent]
    pose = pose.then(Pose.of(joint.position, joint.quaternion))
    if joint.type == "free":
        pose = Pose.identity()  # its coordinates are absolute
    return {
        "link_name": joint.child,
        "parent": index.get(carrier, -1),
        "joint_name": joint.name,
        "joint_type": JOINT_CODES[joint.type],
        "joint_axis": np.array(joint.axis, float) / np.linalg.norm(joint.axis),
        "joint_position": pose.position,
        "joint_rotation": pose.rotation,
    }


def _stacked(rows: list[dict]) -> dict:
    """One array per key from a list of equal dictionaries."""
    return {key: np.array([row[key] for row in rows]) for key in rows[0]} if rows else {}


def _link_arrays(description: Description, place: dict, index: dict[str, int]) -> dict:
    """Mass, centre and inertia of the moving links with all that is fixed to them."""
    bodies: list[list] = [[] for _ in index]
    for link in description.links:
        carrier, pose = place[link.name]
        if carrier != WORLD:
            bodies[index[carrier]].append(pose.inertia(link.mass, link.centre, link.inertia))
    totals = [joined(parts) for parts in bodies]
    return {
        "mass": np.array([mass for mass, _, _ in totals]),
        "centre": np.array([centre for _, centre, _ in totals]).reshape(-1, 3),
        "inertia": np.array([six(inertia) for _, _, inertia in totals]).reshape(-1, 6),
    }


def _dof_arrays(moving: list[Joint]) -> dict:
    """Arrays over the velocities; a joint of several has the same value for each."""
    sizes = [V_SIZE[JOINT_CODES[joint.type]] for joint in moving]
    return {
        name: np.repeat(np.array([getattr(joint, name) for joint in moving], float), sizes)
        for name in JOINT_PROPERTIES
    }


def _frame_arrays(description: Description, place: dict, index: dict[str, int]) -> dict:
    """Named frames: those of the file, and the links that were merged."""
    rows = [
        (frame.name, *place[frame.link], frame.position, frame.quaternion)
        for frame in description.frames
    ]
    taken = {frame.name for frame in description.frames}
    for link in description.links:
        if place[link.name][0] != link.name and link.name not in taken:
            rows.append((link.name, *place[link.name], (0, 0, 0), (1, 0, 0, 0)))
    poses = [pose.then(Pose.of(position, quaternion)) for _, _, pose, position, quaternion in rows]
    return {
        "frame_name": _names(row[0] for row in rows),
        "frame_link": np.array([index.get(row[1], -1) for row in rows], int),
        "frame_position": np.array([pose.position for pose in poses]).reshape(-1, 3),
        "frame_rotation": np.array([pose.rotation for pose in poses]).reshape(-1, 3, 3),
    }


def _shape_arrays(description: Description, place: dict, index: dict[str, int]) -> dict:
    """Shapes in the frames of the moving links."""
    shapes = description.shapes
    poses = [_shape_pose(shape, place) for shape in shapes]
    sizes = [[*shape.size, 0.0, 0.0, 0.0][:3] for shape in shapes]
    counts = [len(shape.vertices) for shape in shapes]
    return {
        "shape_name": _names(shape.name for shape in shapes),
        "shape_link": np.array([index.get(place[s.link][0], -1) for s in shapes], int),
        "shape_kind": np.array([SHAPE_KINDS.index(shape.kind) for shape in shapes], int),
        "shape_size": np.array(sizes, float).reshape(-1, 3),
        "shape_position": np.array([pose.position for pose in poses]).reshape(-1, 3),
        "shape_rotation": np.array([pose.rotation for pose in poses]).reshape(-1, 3, 3),
        "shape_material": _names(shape.material for shape in shapes),
        "shape_collides": np.array([shape.collides for shape in shapes], bool),
        "shape_vertex": np.concatenate([[0], np.cumsum(counts)]).astype(int),
        "vertices": np.array([v for s in shapes for v in s.vertices], float).reshape(-1, 3),
    }


def _shape_pose(shape: Shape, place: dict) -> Pose:
    return place[shape.link][1].then(Pose.of(shape.position, shape.quaternion))


def _actuator_arrays(description: Description, index: dict[str, int]) -> dict:
    """Actuators; each drives the joint of one link."""
    child = {joint.name: joint.child for joint in description.joints}
    all_of = description.actuators
    return {
        "actuator_name": _names(a.name for a in all_of),
        "actuator_link": np.array([index[child[a.joint]] for a in all_of], int),
        "actuator_gear": np.array([a.gear for a in all_of], float),
        "actuator_gain": np.array([a.gain for a in all_of], float).reshape(-1, 3),
        "actuator_bias": np.array([a.bias for a in all_of], float).reshape(-1, 3),
        "actuator_control": _ranges((a.control_lower, a.control_upper) for a in all_of),
        "actuator_force": _ranges((a.force_lower, a.force_upper) for a in all_of),
    }


def _other_arrays(description: Description, moving: list[Joint]) -> dict:
    """Sensors, materials, keyframes, contact pairs and the home configuration."""
    sensors, materials, keyframes = (
        description.sensors,
        description.materials,
        description.keyframes,
    )
    nq = sum(Q_SIZE[JOINT_CODES[joint.type]] for joint in moving)
    nv = sum(V_SIZE[JOINT_CODES[joint.type]] for joint in moving)
    nu = len(description.actuators)
    controls = [keyframe.control or (np.nan,) * nu for keyframe in keyframes]
    return {
        "sensor_name": _names(sensor.name for sensor in sensors),
        "sensor_kind": _names(sensor.kind for sensor in sensors),
        "sensor_target": _names(sensor.target for sensor in sensors),
        "sensor_target_type": _names(sensor.target_type for sensor in sensors),
        "material_name": _names(material.name for material in materials),
        "material_mu": _ranges((m.mu_static, m.mu_kinetic) for m in materials),
        "keyframe_name": _names(keyframe.name for keyframe in keyframes),
        "keyframe_q": np.array([keyframe.q for keyframe in keyframes], float).reshape(
            len(keyframes), nq
        ),
        "keyframe_v": np.array([keyframe.v for keyframe in keyframes], float).reshape(
            len(keyframes), nv
        ),
        "keyframe_control": np.array(controls, float).reshape(len(keyframes), nu),
        "contact_pairs": np.array(description.contact_pairs, dtype=np.str_).reshape(-1, 2),
        "contact_excludes": np.array(description.contact_excludes, dtype=np.str_).reshape(-1, 2),
        "home": _home(description, moving),
    }


def _home(description: Description, moving: list[Joint]) -> np.ndarray:
    """Keyframe 'home', else 'qpos0', else all joints at zero."""
    keyframes = {keyframe.name: keyframe.q for keyframe in description.keyframes}
    for name in ("home", "qpos0"):
        if name in keyframes:
            return np.array(keyframes[name], float)
    zero = {"free": [0, 0, 0, 1, 0, 0, 0], "spherical": [1, 0, 0, 0]}
    return np.array([x for joint in moving for x in zero.get(joint.type, [0])], float)


def _names(names: object) -> np.ndarray:
    return np.array(list(names), dtype=np.str_)  # type: ignore[call-overload]


def _ranges(pairs: object) -> np.ndarray:
    return np.array(list(pairs), float).reshape(-1, 2)  # type: ignore[call-overload]
