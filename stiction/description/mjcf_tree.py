"""Links and joints of a compiled MuJoCo model.

In MuJoCo a body has any number of joints, each at its own anchor; here a link has one joint and its
frame is at that joint. A body with several joints becomes a chain of massless links that ends in
the body.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.description.description import NOWHERE, UNTURNED, Joint, Link
from stiction.description.mjcf_inertia import PLACEHOLDER
from stiction.description.mjcf_model import BALL, FREE, HINGE, JOINT_NAMES, SLIDE, Names
from stiction.description.plain import quaternion_of, unique, vector
from stiction.description.rotation import matrix, six

if TYPE_CHECKING:
    from mujoco import MjModel


def offsets_of(model: MjModel) -> np.ndarray:
    """Origin of each body's link frame, in the body frame of the file [m]."""
    offsets = np.zeros((model.nbody, 3))
    for body in range(model.nbody):
        if model.body_jntnum[body]:
            offsets[body] = _anchor(model, model.body_jntadr[body] + model.body_jntnum[body] - 1)
    return offsets


def _anchor(model: MjModel, j: int) -> np.ndarray:
    """Anchor of a rotational joint in the frame of its body; that of a slide has no meaning."""
    return model.jnt_pos[j] if model.jnt_type[j] in (HINGE, BALL) else np.zeros(3)


def tree_of(
    model: MjModel, names: Names, offsets: np.ndarray
) -> tuple[tuple[Link, ...], tuple[Joint, ...]]:
    """The links and the joints, from the root outwards; `offsets` from `offsets_of`."""
    links: list[Link] = []
    joints: list[Joint] = []
    link_names, joint_names = set(names.body), set(names.joint)
    for body in range(1, model.nbody):
        parent_body = model.body_parentid[body]
        parent, name = names.body[parent_body], names.body[body]
        position, quaternion = model.body_pos[body] - offsets[parent_body], model.body_quat[body]
        first, count = model.body_jntadr[body], model.body_jntnum[body]
        if count == 0:
            joint, placed = unique(f"{name}_fixed", joint_names), vector(position)
            joints.append(Joint(joint, "fixed", parent, name, placed, quaternion_of(quaternion)))
        for j in range(first, first + count):
            last = j == first + count - 1
            child = name if last else unique(f"{name}/{names.joint[j]}", link_names)
            joints.append(_joint(model, names, j, parent, child, position, quaternion))
            if not last:
                links.append(Link(child, 0.0, NOWHERE, (0.0,) * 6))
            parent, position, quaternion = child, -_anchor(model, j), np.array(UNTURNED)
        links.append(_link(model, name, body, offsets[body]))
    return tuple(links), tuple(joints)


def _link(model: MjModel, name: str, body: int, offset: np.ndarray) -> Link:
    if model.body_mass[body] == PLACEHOLDER:
        return Link(name, 0.0, NOWHERE, (0.0,) * 6)
    turn = matrix(model.body_iquat[body])
    inertia = turn @ np.diag(model.body_inertia[body]) @ turn.T
    centre = model.body_ipos[body] - offset
    return Link(name, float(model.body_mass[body]), vector(centre), tuple(six(inertia).tolist()))


def _joint(
    model: MjModel,
    names: Names,
    j: int,
    parent: str,
    child: str,
    position: np.ndarray,
    quaternion: np.ndarray,
) -> Joint:
    """Joint `j` of a body whose pose in the parent, without it, is `position`, `quaternion`."""
    kind, name = int(model.jnt_type[j]), names.joint[j]
    if kind == FREE:
        return Joint(name, "free", parent, child)  # its coordinates are absolute
    position = position + matrix(quaternion) @ _anchor(model, j)
    axis, reference = model.jnt_axis[j], float(model.qpos0[model.jnt_qposadr[j]])
    if kind == SLIDE:
        position = position - matrix(quaternion) @ axis * reference
    elif kind == HINGE and reference != 0.0:
        back = np.r_[np.cos(reference / 2), -np.sin(reference / 2) * axis]
        quaternion = _product(quaternion, back)
    placed = (vector(position), quaternion_of(quaternion))
    return Joint(name, JOINT_NAMES[kind], parent, child, *placed, **_properties(model, j))


def _properties(model: MjModel, j: int) -> dict[str, Any]:
    """Properties of a joint that is not free, by field of `Joint`."""
    q, dof = model.jnt_qposadr[j], model.jnt_dofadr[j]
    added_armature, added_damping = _added_by_actuators(model, j)
    inert = {
        "armature": float(model.dof_armature[dof]) + added_armature,
        "damping": float(model.dof_damping[dof]) + added_damping,
    }
    if model.jnt_type[j] == BALL:
        return inert
    lower, upper = range_of(model.jnt_limited[j], model.jnt_range[j])
    weakest, strongest = range_of(model.jnt_actfrclimited[j], model.jnt_actfrcrange[j])
    return inert | {
        "axis": vector(model.jnt_axis[j]),
        "lower": lower,
        "upper": upper,
        "friction": float(model.dof_frictionloss[dof]),
        "stiffness": float(model.jnt_stiffness[j]),
        "spring_reference": float(model.qpos_spring[q]),
        "effort_lower": weakest,
        "effort_upper": strongest,
    }


def _added_by_actuators(model: MjModel, j: int) -> tuple[float, float]:
    """Armature and damping of the joint's actuators, reflected to the joint."""
    driving = np.flatnonzero(model.actuator_trnid[:, 0] == j)
    gear2 = model.actuator_gear[model.actuator_outadr[driving], 0] ** 2
    armature = gear2 @ model.actuator_armature[driving]
    return float(armature), float(gear2 @ model.actuator_damping[driving])


def range_of(limited: bool, values: np.ndarray) -> tuple[float, float]:
    """Lower and upper limit, infinite if not limited."""
    return (float(values[0]), float(values[1])) if limited else (-inf, inf)


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The rotation b followed by the rotation a, as a quaternion."""
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return np.r_[scalar, a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]
