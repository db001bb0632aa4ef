"""The same robot, plan and servos in MuJoCo: built from our arrays, its states in our order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import stiction as st
from stiction.description.description import SHAPE_KINDS
from stiction.kernels.tree import FREE

if TYPE_CHECKING:
    from mujoco import MjData, MjModel

FLOOR = 1  # bit: links touch the floor, not each other


class Servos(NamedTuple):
    """What drives the joints: a reference and torques at every step, and gains, by joint."""

    joints: tuple[str, ...]
    q: np.ndarray  # (steps, joints)
    v: np.ndarray
    torque: np.ndarray  # feed-forward [N m]
    stiffness: np.ndarray  # (joints) [N m/rad]
    damping: np.ndarray  # [N m s/rad]


class Ran(NamedTuple):
    """States in our order, and the force of the floor."""

    q: np.ndarray  # (steps + 1, nq)
    v: np.ndarray  # (steps + 1, nv)
    force: np.ndarray  # (steps, 3) on the robot [N]


def model_of(robot: st.Robot, damping: dict[str, float], mu: float, dt: float) -> MjModel:
    """MuJoCo's model of a robot on a floor; damping: of servos, by joint, taken implicitly."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = dt
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    touching = {"condim": 3, "friction": [mu, 0.005, 0.0001]}
    plane = {"type": mujoco.mjtGeom.mjGEOM_PLANE, "size": [0, 0, 1]}
    spec.worldbody.add_geom(name="floor", contype=FLOOR, conaffinity=0, **plane, **touching)
    bodies: list[Any] = []
    for link in range(len(robot.link_name)):
        parent = int(robot.parent[link])
        body = (bodies[parent] if parent >= 0 else spec.worldbody).add_body(
            name=str(robot.link_name[link]),
            pos=robot.joint_position[link],
            quat=quaternion(robot.joint_rotation[link]),
        )
        bodies.append(body)
        _add_inertia(body, robot, link)
        _add_joint(body, robot, link, damping)
    for shape in np.flatnonzero(robot.shape_touches):
        _add_shape(bodies[int(robot.shape_link[shape])], robot, int(shape), touching)
    return spec.compile()


def _add_inertia(body: Any, robot: st.Robot, link: int) -> None:
    xx, xy, xz, yy, yz, zz = robot.inertia[link]
    body.explicitinertial = True
    body.mass, body.ipos = float(robot.mass[link]), robot.centre[link]
    body.fullinertia = [xx, yy, zz, xy, xz, yz]


def _add_joint(body: Any, robot: st.Robot, link: int, damping: dict[str, float]) -> None:
    import mujoco

    name = str(robot.joint_name[link])
    if robot.joint_type[link] == FREE:
        body.add_freejoint(name=name)
        return
    d = int(robot.v_index[link])
    limited = bool(np.isfinite(robot.lower[d]) and np.isfinite(robot.upper[d]))
    body.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=robot.joint_axis[link],
        armature=float(robot.armature[d]),
        damping=[float(robot.damping[d]) + damping.get(name, 0.0), 0.0, 0.0],
        frictionloss=float(robot.friction[d]),
        limited=mujoco.mjtLimited.mjLIMITED_TRUE if limited else mujoco.mjtLimited.mjLIMITED_FALSE,
        range=[float(robot.lower[d]), float(robot.upper[d])] if limited else [0.0, 0.0],
    )


def _add_shape(body: Any, robot: st.Robot, shape: int, touching: dict[str, Any]) -> None:
    import mujoco

    kinds = {
        "box": mujoco.mjtGeom.mjGEOM_BOX,
        "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
        "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    }
    body.add_geom(
        type=kinds[SHAPE_KINDS[robot.shape_kind[shape]]],
        size=robot.shape_size[shape],
        pos=robot.shape_position[shape],
        quat=quaternion(robot.shape_rotation[shape]),
        contype=0,
        conaffinity=FLOOR,
        **touching,
    )


def quaternion(rotation: np.ndarray) -> np.ndarray:
    """Quaternion w x y z of a matrix."""
    import mujoco

    found = np.zeros(4)
    mujoco.mju_mat2Quat(found, np.ascontiguousarray(rotation, float).ravel())
    return found


def run(robot: st.Robot, state: st.State, servos: Servos, mu: float, dt: float) -> Ran:
    """Simulate from a state, for as many steps as the servos have."""
    import mujoco

    model = model_of(robot, dict(zip(servos.joints, servos.damping, strict=True)), mu, dt)
    data = mujoco.MjData(model)
    q_at, v_at = joint_orders(robot, model)
    data.qpos[q_at], data.qvel[v_at] = state.q, state.v
    joints = [model.joint(name) for name in servos.joints]
    own_q = np.array([joint.qposadr[0] for joint in joints])
    own_v = np.array([joint.dofadr[0] for joint in joints])
    steps = len(servos.q)
    ran = Ran(
        np.empty((steps + 1, robot.nq)), np.empty((steps + 1, robot.nv)), np.zeros((steps, 3))
    )
    drive = servos.torque + servos.stiffness * servos.q + servos.damping * servos.v
    for k in range(steps):
        ran.q[k], ran.v[k] = data.qpos[q_at], data.qvel[v_at]
        data.qfrc_applied[own_v] = drive[k] - servos.stiffness * data.qpos[own_q]
        mujoco.mj_step(model, data)
        ran.force[k] = _floor_force(model, data)
    ran.q[steps], ran.v[steps] = data.qpos[q_at], data.qvel[v_at]
    return ran


def joint_orders(robot: st.Robot, model: MjModel) -> tuple[np.ndarray, np.ndarray]:
    """Where MuJoCo keeps our positions and velocities."""
    q: list[int] = []
    v: list[int] = []
    for link in range(len(robot.link_name)):
        joint = model.joint(str(robot.joint_name[link]))
        free = robot.joint_type[link] == FREE
        q += range(joint.qposadr[0], joint.qposadr[0] + (7 if free else 1))
        v += range(joint.dofadr[0], joint.dofadr[0] + (6 if free else 1))
    return np.array(q), np.array(v)


def _floor_force(model: MjModel, data: MjData) -> np.ndarray:
    """Sum of the contact forces on the robot in the last step [N]; the floor is geom 0."""
    import mujoco

    total, force = np.zeros(3), np.zeros(6)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        contact = data.contact[k]
        sign = 1.0 if contact.geom1 == 0 else -1.0
        total += sign * contact.frame.reshape(3, 3).T @ force[:3]
    return total
