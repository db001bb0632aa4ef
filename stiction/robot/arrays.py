"""`Description` -> the arrays of a `Robot`.

Links on fixed joints are merged into their parents; their names remain as frames. Link -1 is the
world. A description in which nothing moves gives a robot without links, for scenery.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from stiction.description.description import (
    SHAPE_KINDS,
    WORLD,
    Description,
    Joint,
    Material,
    Shape,
)
from stiction.description.faces import faces_to_keep
from stiction.description.rotation import Pose, joined, six
from stiction.errors import DescriptionError
from stiction.kernels.tree import FREE, PRISMATIC, Q_SIZE, REVOLUTE, SPHERICAL, V_SIZE
from stiction.robot.loops import loop_arrays
from stiction.robot.sensors import notes_on_sensors, sensor_arrays
from stiction.robot.visuals import visual_arrays

JOINT_CODES = {"free": FREE, "revolute": REVOLUTE, "prismatic": PRISMATIC, "spherical": SPHERICAL}
NOT_NEGATIVE = ("armature", "damping", "friction", "stiffness")
LIMITS = ("lower", "upper", "effort_lower", "effort_upper", "speed_limit")
JOINT_PROPERTIES = (*NOT_NEGATIVE, "spring_reference", *LIMITS)


def robot_arrays(description: Description) -> dict[str, Any]:
    """All fields of the Robot that a description defines."""
    moving, place = _merge_fixed(description)
    if not moving and not description.shapes:
        raise DescriptionError(
            f"{description.source}: robot '{description.name}' has no moving joint and no shape; "
            "give it one of them, a free joint for a single rigid object"
        )
    index = {joint.child: i for i, joint in enumerate(moving)}
    return {
        "name": description.name,
        "source": description.source,
        "notes": _names([*description.notes, *notes_on_sensors(description)]),
        "placed": np.array(False),
        **_joint_arrays(moving, place, index),
        **_link_arrays(description, place, index),
        **_dof_arrays(moving),
        **_frame_arrays(description, place, index),
        **_shape_arrays(description, place, index),
        **_actuator_arrays(description, index),
        **_other_arrays(description, moving),
        **loop_arrays(description, place, index),
        **sensor_arrays(description, place),
        **visual_arrays(description, place, index),
    }


def _merge_fixed(description: Description) -> tuple[list[Joint], dict[str, tuple[str, Pose]]]:
    """Return the moving joints, and for each link the moving link that carries it and its pose."""
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


def _joint_arrays(moving: list[Joint], place: dict, index: dict[str, int]) -> dict:
    """Arrays of the moving joints."""
    poses = [_joint_pose(joint, place) for joint in moving]
    axes = [np.array(joint.axis, float) / np.linalg.norm(joint.axis) for joint in moving]
    return {
        "link_name": _names(joint.child for joint in moving),
        "parent": np.array([index.get(place[joint.parent][0], -1) for joint in moving], int),
        "joint_name": _names(joint.name for joint in moving),
        "joint_type": np.array([JOINT_CODES[joint.type] for joint in moving], int),
        "joint_axis": np.array(axes, float).reshape(-1, 3),
        "joint_position": np.array([pose.position for pose in poses]).reshape(-1, 3),
        "joint_rotation": np.array([pose.rotation for pose in poses]).reshape(-1, 3, 3),
    }


def _joint_pose(joint: Joint, place: dict) -> Pose:
    """Pose of a joint's frame in its moving parent; identity for absolute coordinates."""
    if joint.type == "free":
        return Pose.identity()
    return place[joint.parent][1].then(Pose.of(joint.position, joint.quaternion))


def _link_arrays(description: Description, place: dict, index: dict[str, int]) -> dict:
    """Mass, centre and inertia of the moving links, including everything fixed to them."""
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
    """Arrays over the velocities; a joint with several has the same value for each."""
    sizes = np.array([V_SIZE[JOINT_CODES[joint.type]] for joint in moving], int)
    return {
        name: np.repeat(np.array([getattr(joint, name) for joint in moving], float), sizes)
        for name in JOINT_PROPERTIES
    }


def _frame_arrays(description: Description, place: dict, index: dict[str, int]) -> dict:
    """Named frames: those of the file, and the merged links."""
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
        "shape_body": _names(shape.link for shape in shapes),
        "shape_collides": np.array([shape.collides for shape in shapes], bool),
        "shape_mask": np.array([shape.mask for shape in shapes], int).reshape(-1, 2),
        "shape_error": np.array([shape.error for shape in shapes], float),
        "shape_vertex": np.concatenate([[0], np.cumsum(counts)]).astype(int),
        "vertices": np.array([v for s in shapes for v in s.vertices], float).reshape(-1, 3),
        **_face_arrays(shapes),
    }


def _face_arrays(shapes: Sequence[Shape]) -> dict:
    """Faces of hulls and meshes."""
    faces = [
        faces_to_keep(
            shape.kind,
            np.array(shape.vertices, float).reshape(-1, 3),
            np.array(shape.triangles, int).reshape(-1, 3),
        )
        for shape in shapes
    ]
    sizes = np.concatenate([np.zeros(0, int), *(np.diff(each.first) for each in faces)])
    return {
        "shape_face": np.cumsum([0, *(len(each.normal) for each in faces)]).astype(int),
        "face_normal": np.concatenate([np.zeros((0, 3)), *(each.normal for each in faces)]),
        "face_corner": np.concatenate([[0], np.cumsum(sizes)]).astype(int),
        "corner_vertex": np.concatenate([np.zeros(0, int), *(each.corner for each in faces)]),
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
    """Materials, keyframes, contact pairs and the home configuration."""
    materials, keyframes = description.materials, description.keyframes
    nq = sum(Q_SIZE[JOINT_CODES[joint.type]] for joint in moving)
    nv = sum(V_SIZE[JOINT_CODES[joint.type]] for joint in moving)
    nu = len(description.actuators)
    controls = [keyframe.control or (np.nan,) * nu for keyframe in keyframes]
    return {
        "material_name": _names(material.name for material in materials),
        "material_mu": _ranges((m.mu_static, m.mu_kinetic) for m in materials),
        "material_bodies": np.array([_between_bodies(m) for m in materials]).reshape(-1, 3),
        "friction_pairs": np.array(
            [pair[:2] for pair in description.friction_pairs], dtype=np.str_
        ).reshape(-1, 2),
        "friction_pairs_mu": np.array([pair[2] for pair in description.friction_pairs], float),
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


def _between_bodies(material: Material) -> tuple[float, float, float]:
    """Static and kinetic friction of a material with other bodies, and its priority."""
    mu = material.mu_bodies
    friction = (material.mu_static, material.mu_kinetic) if mu is None else (mu, mu)
    return (*friction, float(material.priority))


def _home(description: Description, moving: list[Joint]) -> np.ndarray:
    """Keyframe 'home', else 'qpos0', else all joints at zero."""
    keyframes = {keyframe.name: keyframe.q for keyframe in description.keyframes}
    for name in ("home", "qpos0"):
        if name in keyframes:
            return np.array(keyframes[name], float)
    zero = {"free": [0, 0, 0, 1, 0, 0, 0], "spherical": [1, 0, 0, 0]}
    return np.array([x for joint in moving for x in zero.get(joint.type, [0])], float)


def _names(names: Iterable[str]) -> np.ndarray:
    return np.array(list(names), dtype=np.str_)


def _ranges(pairs: Iterable[tuple[float, float]]) -> np.ndarray:
    return np.array(list(pairs), float).reshape(-1, 2)
