"""A planar robot of single joints in MuJoCo, with its sole points as small balls."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.description.description import SHAPE_KINDS
from stiction.kernels.tree import PRISMATIC

RADIUS = 1e-3  # of the balls in place of points [m]
MASSLESS = 1e-6  # mass of links that have none [kg]


class Run(NamedTuple):
    """What a run in MuJoCo recorded."""

    time: np.ndarray  # (n)
    q: np.ndarray  # (n, nq)
    force: np.ndarray  # (n, feet, 3) on each foot, left and right [N]
    speed: np.ndarray  # (n, feet) of the ankle along x [m/s]
    deepest: np.ndarray  # (n) [m]


def model_of(robot: st.Robot, gains: tuple[float, float], mu: float, dt: float) -> Any:
    """The robot on a plane; joints other than those of the base have servos."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = dt, [0.0, 0.0, -9.81]
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.compiler.degree, spec.compiler.autolimits = False, True
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], friction=[mu, 0, 0], condim=3
    )
    bodies: list[Any] = []
    for link in range(len(robot.link_name)):
        above = spec.worldbody if robot.parent[link] < 0 else bodies[robot.parent[link]]
        bodies.append(_body(mujoco, above, robot, link))
        d = int(robot.v_index[link])
        if link > 2:
            limits = [robot.effort_lower[d], robot.effort_upper[d]]
            servo = spec.add_actuator(
                name=str(robot.joint_name[link]),
                target=str(robot.joint_name[link]),
                trntype=mujoco.mjtTrn.mjTRN_JOINT,
                forcerange=limits,
            )
            servo.set_to_position(kp=gains[0], kv=gains[1])
    _add_points(mujoco, bodies, robot, mu)
    return spec.compile()


def _body(mujoco: Any, above: Any, robot: st.Robot, link: int) -> Any:
    """A link with its joint and its inertia."""
    body = above.add_body(name=str(robot.link_name[link]), pos=robot.joint_position[link])
    d = int(robot.v_index[link])
    slides = robot.joint_type[link] == PRISMATIC
    body.add_joint(
        name=str(robot.joint_name[link]),
        type=mujoco.mjtJoint.mjJNT_SLIDE if slides else mujoco.mjtJoint.mjJNT_HINGE,
        axis=robot.joint_axis[link],
        damping=[float(robot.damping[d]), 0.0, 0.0],
        armature=float(robot.armature[d]),
    )
    xx, xy, xz, yy, yz, zz = robot.inertia[link]
    body.explicitinertial = True
    body.mass = max(float(robot.mass[link]), MASSLESS)
    body.ipos = robot.centre[link]
    if robot.mass[link] > 0:
        body.fullinertia = [xx, yy, zz, xy, xz, yz]
    else:
        body.inertia = [MASSLESS] * 3
    return body


def _add_points(mujoco: Any, bodies: list[Any], robot: st.Robot, mu: float) -> None:
    """Balls whose lowest points are the points of the soles."""
    for shape in np.flatnonzero(robot.shape_collides):
        if SHAPE_KINDS[robot.shape_kind[shape]] != "points":
            continue
        rotation, origin = robot.shape_rotation[shape], robot.shape_position[shape]
        for point in robot.vertices_of(shape):
            bodies[robot.shape_link[shape]].add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE,
                size=[RADIUS, 0, 0],
                pos=origin + rotation @ point + [0.0, 0.0, RADIUS],
                friction=[mu, 0, 0],
                condim=3,
                mass=0.0,
            )


def simulated(model: Any, q: np.ndarray, duration: float, pulls: tuple[Any, ...] = ()) -> Run:
    """The robot from rest at q, held in its first posture, with forces on its feet."""
    import mujoco

    state = mujoco.MjData(model)
    state.qpos[:] = q
    state.ctrl[:] = q[3:]
    feet = [model.body(f"{side}_foot").id for side in ("left", "right")]
    rows: list[tuple[Any, ...]] = []
    for _ in range(round(duration / model.opt.timestep)):
        for pull in pulls:
            foot = model.body(pull.body).id
            table = np.asarray(pull.force, float)
            state.xfrc_applied[foot, 0] = np.interp(
                state.time, np.asarray(pull.time, float), table[:, 0]
            )
        before, time = state.qpos.copy(), state.time
        mujoco.mj_step(model, state)
        rows.append((time, before, *_contacts(mujoco, model, state, feet)))
    time, q_, force, speed, deepest = (np.array(one) for one in zip(*rows, strict=True))
    return Run(time, q_, force, speed, deepest)


def _contacts(mujoco: Any, model: Any, state: Any, feet: list[int]) -> tuple[Any, ...]:
    """Force on each foot, speed of the ankles and largest depth."""
    force, deepest, local = np.zeros((2, 3)), 0.0, np.zeros(6)
    for k in range(state.ncon):
        one = state.contact[k]
        mujoco.mj_contactForce(model, state, k, local)
        link = model.geom_bodyid[max(one.geom1, one.geom2)]
        deepest = max(deepest, -float(one.dist))
        if link in feet:
            force[feet.index(link)] += one.frame.reshape(3, 3).T @ local[:3]
    velocity, speeds = np.zeros(6), []
    for foot in feet:
        kind = mujoco.mjtObj.mjOBJ_BODY
        mujoco.mj_objectVelocity(model, state, kind, foot, velocity, 0)
        speeds.append(velocity[3])
    return force, np.array(speeds), deepest
