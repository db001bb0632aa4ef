"""PyBullet: robots as URDF, in coordinates of their joints; contact by sequential impulses.

Servos act as torques, their damping explicitly, as PyBullet's joint damping does: gains that are
stable with our implicit damping may diverge. Friction of joints is a motor that holds them. Bullet
multiplies coefficients of two bodies, so each body has the square root. Joints have no armature.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from stiction.description.rotation import Pose
from stiction.engines.engine import Ran, Task
from stiction.engines.level import Level
from stiction.engines.session import (
    Touch,
    Wrench,
    free_joint,
    origin_state,
    refuse,
    simulated,
)
from stiction.engines.shapes import Solid, solids_of
from stiction.engines.urdf import UNLIMITED, Principal, principal, urdf_of
from stiction.errors import InputError
from stiction.kernels.tree import FREE
from stiction.robot.robot import Robot
from stiction.visual.poses import matrices, quaternions

SETTINGS: dict[str, dict[str, object]] = {
    "default": {},
    "tuned": {
        "linear and angular damping": 0.0,
        "solver iterations": 1000,
        "residual threshold": 0.0,
        "cone friction": 1,
        "contact slop": 0.0,
        "restitution threshold": 0.01,
        "sleeping": "off",
    },
}
GROUND = 100.0  # edge of the box that is the ground; on a plane a box has one point at first [m]
SAME = 1e-6  # relative difference of inertias that counts as equal


class PyBullet:
    """The adapter of PyBullet."""

    name = "PyBullet"
    settings: Mapping[str, Mapping[str, object]] = SETTINGS

    def version(self) -> str:
        """The installed version."""
        return version("pybullet")

    def run(self, task: Task, setting: str = "default") -> Ran:
        """Simulate a task; an InputError names what PyBullet cannot represent."""
        if setting not in SETTINGS:
            raise InputError(
                f"engine 'pybullet': no setting '{setting}'; choose among {', '.join(SETTINGS)}"
            )
        refuse(task, "pybullet", lacks=("armature",))
        return simulated(task, "pybullet", setting, _Session, implicit=False)


ENGINE = PyBullet()


class _Session:
    """A task in a physics server of its own."""

    def __init__(self, task: Task, level: Level, setting: str) -> None:
        import pybullet
        from pybullet_utils.bullet_client import BulletClient

        self.task, self.world, self.level = task, task.world, level
        self.bullet = pybullet
        with _silent():
            self.client = BulletClient(connection_mode=pybullet.DIRECT)
        self.client.setTimeStep(task.dt)
        self.client.setGravity(*(level.rotation @ task.world.gravity))
        self._choose(setting)
        self.links: dict[tuple[int, int], int] = {}  # body and link of Bullet -> ours
        self.bodies: dict[int, tuple[int, int]] = {}  # our link -> body and link of Bullet
        self.joints: list[tuple[int, list[int], np.ndarray, np.ndarray]] = []  # body, joints, q, v
        self.axes: dict[int, Principal] = {}  # of the inertia of free links
        solids = solids_of(task.world, "pybullet")
        first = 1
        for number, robot in enumerate(task.world.robots):
            if len(robot.link_name):
                self._add_robot(robot, first, number)
            first += len(robot.link_name)
        self._add_fixed(solids)
        self._set_surfaces(setting)
        self._set_state()

    def close(self) -> None:
        """Shut the server down."""
        self.client.disconnect()

    # ------------------------------------------------------------------------------------ building

    def _choose(self, setting: str) -> None:
        if setting == "tuned":
            self.client.setPhysicsEngineParameter(
                numSolverIterations=1000,
                solverResidualThreshold=0.0,
                enableConeFriction=1,
                contactSlop=0.0,
                restitutionVelocityThreshold=0.01,
                deterministicOverlappingPairs=1,
            )

    def _add_robot(self, robot: Robot, first: int, number: int) -> None:
        base = Pose(-self.level.rotation @ self.level.origin, self.level.rotation)
        names = {solid.name for solid in solids_of(self.world, "pybullet") if solid.robot == number}
        touching = np.array([f"{robot.name}/{name}" in names for name in robot.shape_name], bool)
        fixed = not (robot.joint_type == FREE).any()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.urdf"
            path.write_text(urdf_of(robot, base, touching))
            body = self.client.loadURDF(
                str(path),
                useFixedBase=fixed,
                flags=self.bullet.URDF_USE_INERTIA_FROM_FILE,
            )
        by_joint = {str(name): k for k, name in enumerate(robot.joint_name)}
        indices, q_index, v_index = [], [], []
        for joint in range(self.client.getNumJoints(body)):
            k = by_joint[self.client.getJointInfo(body, joint)[1].decode()]
            self.links[body, joint], self.bodies[first + k] = first + k, (body, joint)
            indices.append(joint)
            q_index.append(int(self.world.tree.q_index[first + k]))
            v_index.append(int(self.world.tree.v_index[first + k]))
        if fixed:
            self.links[body, -1] = 0
        else:
            root = int(np.flatnonzero(robot.joint_type == FREE)[0])
            self.links[body, -1], self.bodies[first + root] = first + root, (body, -1)
            self.axes[first + root] = principal(robot.inertia[root])
        self.joints.append((body, indices, np.array(q_index, int), np.array(v_index, int)))
        for k in range(len(robot.link_name)):
            self._check_inertia(robot, k, *self.bodies[first + k])

    def _check_inertia(self, robot: Robot, link: int, body: int, joint: int) -> None:
        """Raise InputError if Bullet read another inertia: it sets bad ones to zero silently."""
        told = self.client.getDynamicsInfo(body, joint)
        wanted = [robot.mass[link], *principal(robot.inertia[link]).moments]
        if not np.allclose([told[0], *told[2]], wanted, rtol=SAME, atol=0.0):
            raise InputError(
                f"engine 'pybullet': link '{robot.link_name[link]}' has mass and moments {wanted}, "
                f"and PyBullet takes {[told[0], *told[2]]}"
            )

    def _add_fixed(self, solids: list[Solid]) -> None:
        client, bullet = self.client, self.bullet
        if self.world.ground is not None:
            half = [GROUND / 2, GROUND / 2, 0.5]
            box = client.createCollisionShape(bullet.GEOM_BOX, halfExtents=half)
            self.links[client.createMultiBody(0.0, box, -1, [0.0, 0.0, -0.5]), -1] = 0
        for solid in solids:
            if solid.link > 0:
                continue
            a, b, c = (float(x) for x in solid.size)
            sizes: dict[str, dict[str, Any]] = {
                "sphere": {"shapeType": bullet.GEOM_SPHERE, "radius": a},
                "capsule": {"shapeType": bullet.GEOM_CAPSULE, "radius": a, "height": 2 * b},
                "cylinder": {"shapeType": bullet.GEOM_CYLINDER, "radius": a, "height": 2 * b},
                "box": {"shapeType": bullet.GEOM_BOX, "halfExtents": [a, b, c]},
            }
            shape = client.createCollisionShape(**sizes[solid.kind])
            rotation = self.level.rotation @ solid.rotation
            position = self.level.rotation @ (solid.position - self.level.origin)
            body = client.createMultiBody(0.0, shape, -1, position, _xyzw(quaternions(rotation)))
            self.links[body, -1] = 0

    def _set_surfaces(self, setting: str) -> None:
        values: dict[str, Any] = {
            "lateralFriction": math.sqrt(self.task.mu),
            "restitution": math.sqrt(self.task.restitution),
            "rollingFriction": 0.0,
            "spinningFriction": 0.0,
        }
        if setting == "tuned":
            values |= {"linearDamping": 0.0, "angularDamping": 0.0}
            values["activationState"] = self.bullet.ACTIVATION_STATE_DISABLE_SLEEPING
        for body, joint in self.links:
            self.client.changeDynamics(body, joint, **values)
        tree = self.world.tree
        for body, indices, _, dofs in self.joints:
            for joint, d in zip(indices, dofs, strict=True):
                self.client.changeDynamics(body, joint, maxJointVelocity=UNLIMITED)
                self.client.setJointMotorControl2(
                    body,
                    joint,
                    self.bullet.VELOCITY_CONTROL,
                    targetVelocity=0.0,
                    force=float(tree.friction[d]),
                )

    def _set_state(self) -> None:
        q, v = self.task.state.q, self.task.state.v
        for link, axes in self.axes.items():
            at, moves = free_joint(self.world, link)
            position, rotation = q[at][:3], matrices(q[at][3:7][None])[0]
            arm, omega = rotation @ self.world.tree.centre[link], rotation @ v[moves][3:]
            body = self.bodies[link][0]
            turn = _xyzw(quaternions(rotation @ axes.rotation))
            self.client.resetBasePositionAndOrientation(body, position + arm, turn)
            velocity = v[moves][:3] + np.cross(omega, arm)
            self.client.resetBaseVelocity(body, velocity.tolist(), omega.tolist())
        for body, indices, q_index, v_index in self.joints:
            for joint, k, d in zip(indices, q_index, v_index, strict=True):
                self.client.resetJointState(body, joint, float(q[k]), float(v[d]))

    # ------------------------------------------------------------------------------------ stepping

    def read(self, q: np.ndarray, v: np.ndarray) -> None:
        """Write positions and velocities, ordered as ours."""
        for link, axes in self.axes.items():
            at, moves = free_joint(self.world, link)
            body = self.bodies[link][0]
            position, turn = self.client.getBasePositionAndOrientation(body)
            velocity, omega = (np.array(x) for x in self.client.getBaseVelocity(body))
            rotation = matrices(np.roll(turn, 1)[None])[0] @ axes.rotation.T
            origin, moved = origin_state(
                (np.array(position), rotation), (velocity, omega), self.world.tree.centre[link]
            )
            q[at] = [*origin, *quaternions(rotation)]
            v[moves] = [*moved, *(rotation.T @ omega)]
        for body, indices, q_index, v_index in self.joints:
            if indices:
                states = self.client.getJointStates(body, indices)
                q[q_index] = [state[0] for state in states]
                v[v_index] = [state[1] for state in states]

    def load(self, torque: np.ndarray, wrenches: list[Wrench]) -> None:
        """Apply torques and wrenches; a moment as a pair of forces."""
        for body, indices, _, dofs in self.joints:
            if indices and torque[dofs].any():
                self.client.setJointMotorControlArray(
                    body, indices, self.bullet.TORQUE_CONTROL, forces=torque[dofs].tolist()
                )
        for wrench in wrenches:
            body, joint = self.bodies[wrench.link]
            point = self._place(wrench)
            pulls = [(point, wrench.force)]
            if wrench.moment.any():
                arm, pull = _pair(wrench.moment)
                pulls += [(point + arm, pull), (point, -pull)]
            for at, force in pulls:
                self.client.applyExternalForce(
                    body, joint, force.tolist(), at.tolist(), self.bullet.WORLD_FRAME
                )

    def _place(self, wrench: Wrench) -> np.ndarray:
        """Where a wrench acts."""
        body, joint = self.bodies[wrench.link]
        if joint >= 0:
            told = self.client.getLinkState(body, joint, computeForwardKinematics=1)
            position, rotation = np.array(told[4]), matrices(np.roll(told[5], 1)[None])[0]
            return position + rotation @ wrench.point
        position, turn = self.client.getBasePositionAndOrientation(body)
        rotation = matrices(np.roll(turn, 1)[None])[0] @ self.axes[wrench.link].rotation.T
        return np.array(position) + rotation @ (wrench.point - self.world.tree.centre[wrench.link])

    def step(self) -> None:
        """Take one step."""
        self.client.stepSimulation()

    def touches(self) -> list[Touch]:
        """Contact points of the last step, of Bullet's manifolds."""
        found = []
        for point in self.client.getContactPoints() or ():
            _, one, other, link, other_link, _, at, normal, distance, push, *sideways = point
            first, second, third, fourth = sideways
            n = np.array(normal)
            force = push * n + first * np.array(second) + third * np.array(fourth)
            links = (self.links[one, link], self.links[other, other_link])
            found.append(Touch(links, np.array(at), n, force, -float(distance)))
        return found


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Keep what Bullet prints when it starts out of the standard output."""
    sys.stdout.flush()
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def _xyzw(quaternion: np.ndarray) -> list[float]:
    return np.roll(quaternion, -1).tolist()


def _pair(moment: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An arm of 1 m, and a force at its end that makes this moment."""
    axis = moment / np.linalg.norm(moment)
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    arm = np.cross(axis, helper)
    arm /= np.linalg.norm(arm)
    return arm, np.cross(moment, arm)
