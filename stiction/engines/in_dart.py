"""DART: robots as URDF, contact as a linear or exact complementarity problem.

Servos act as torques; their damping is damping of the joints, which DART takes implicitly. DART
takes the smaller of two coefficients of friction and the product of two of restitution, so each
shape has the coefficient, or the square root. Joints have no armature.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from stiction.description.rotation import Pose
from stiction.engines.engine import Ran, Task
from stiction.engines.level import Level
from stiction.engines.session import Touch, Wrench, free_joint, refuse, simulated
from stiction.engines.shapes import Solid, solids_of
from stiction.engines.urdf import urdf_of
from stiction.errors import InputError
from stiction.kernels.tree import FREE
from stiction.robot.robot import Robot
from stiction.visual.poses import matrices, quaternions

SETTINGS: dict[str, dict[str, object]] = {
    "default": {},
    "tuned": {
        "collision detector": "ode",
        "sleeping": "off",
        "friction solver": "NSGS, exact cone",
        "tolerance": 1e-8,
        "sweeps": 200,
    },
    "dantzig": {"collision detector": "ode", "sleeping": "off"},
}
GROUND = 100.0  # edge of the box that is the ground of the default detector [m]


class Dart:
    """The adapter of DART."""

    name = "DART"
    settings: Mapping[str, Mapping[str, object]] = SETTINGS

    def version(self) -> str:
        """The installed version."""
        return version("dartpy")

    def run(self, task: Task, setting: str = "default") -> Ran:
        """Simulate a task; an InputError names what DART cannot represent."""
        if setting not in SETTINGS:
            raise InputError(
                f"engine 'dart': no setting '{setting}'; choose among {', '.join(SETTINGS)}"
            )
        refuse(task, "dart", lacks=("armature",))
        return simulated(task, "dart", setting, _Session, implicit=True)


ENGINE = Dart()


class _Session:
    """A task as a world of DART."""

    def __init__(self, task: Task, level: Level, setting: str) -> None:
        import dartpy

        self.dart, self.task, self.world, self.level = dartpy, task, task.world, level
        self.setting = setting
        self.made = dartpy.simulation.World()
        self.made.setTimeStep(task.dt)
        self.made.setGravity(level.rotation @ task.world.gravity)
        self._choose(setting)
        self.bodies: dict[int, Any] = {}  # by our link
        self.joints: dict[int, Any] = {}
        self.links: dict[str, int] = {}  # by name of the shape
        first = 1
        for number, robot in enumerate(task.world.robots):
            if len(robot.link_name):
                self._add_robot(robot, first, number)
            first += len(robot.link_name)
        self._add_shapes(solids_of(task.world, "dart"))
        self._set_state()

    def close(self) -> None:
        """Nothing is held."""

    # ------------------------------------------------------------------------------------ building

    def _choose(self, setting: str) -> None:
        if setting == "default":
            return
        self.made.setCollisionDetector(self.dart.collision.OdeCollisionDetector())
        sleeping = self.made.getDeactivationOptions()
        sleeping.mEnabled = False
        self.made.setDeactivationOptions(sleeping)
        if setting == "tuned":
            options = self.dart.constraint.NsgsFrictionSolver.Options()
            options.tolerance = SETTINGS["tuned"]["tolerance"]
            options.maxSweeps = SETTINGS["tuned"]["sweeps"]
            solver = self.dart.constraint.NsgsFrictionSolver(options)
            self.made.getConstraintSolver().setBoxedLcpSolver(solver)

    def _add_robot(self, robot: Robot, first: int, number: int) -> None:
        base = Pose(-self.level.rotation @ self.level.origin, self.level.rotation)
        loader = self.dart.utils.DartLoader()
        skeleton = loader.parseSkeletonString(urdf_of(robot, base), self.dart.common.Uri())
        if skeleton is None:
            raise InputError(f"engine 'dart': its reader refuses robot '{robot.name}'")
        skeleton.setName(f"robot {number}")
        self.made.addSkeleton(skeleton)
        servos, tree = self.task.servos, self.world.tree
        gains = {} if servos is None else dict(zip(servos.joints, servos.damping, strict=True))
        damped = {self.world.joint(name): float(gain) for name, gain in gains.items()}
        for k, name in enumerate(robot.link_name):
            link = first + k
            self.bodies[link] = skeleton.getBodyNode(str(name))
            if robot.joint_type[k] == FREE:
                self.joints[link] = skeleton.getRootJoint()
                continue
            joint = self.joints[link] = skeleton.getJoint(str(robot.joint_name[k]))
            d = int(tree.v_index[link])
            joint.setLimitEnforcement(True)
            joint.setDampingCoefficient(0, float(tree.damping[d]) + damped.get(link, 0.0))
            joint.setCoulombFriction(0, float(tree.friction[d]))

    def _add_shapes(self, solids: list[Solid]) -> None:
        fixed = self.dart.dynamics.Skeleton("fixed")
        _, still = fixed.createWeldJointAndBodyNodePair()
        if self.world.ground is not None:
            shape, pose = self._ground()
            self._add_shape(still, shape, pose, 0)
        base = Pose(-self.level.rotation @ self.level.origin, self.level.rotation)
        for solid in solids:
            pose = Pose(solid.position, solid.rotation)
            shape = self._shape(solid)
            if solid.link == 0:
                self._add_shape(still, shape, base.then(pose), 0)
            else:
                self._add_shape(self.bodies[solid.link], shape, pose, solid.link)
        self.made.addSkeleton(fixed)

    def _ground(self) -> tuple[Any, Pose]:
        """A plane; a large box for the default detector, which finds one point on a plane."""
        if self.setting != "default":
            return self.dart.dynamics.PlaneShape([0.0, 0.0, 1.0], 0.0), Pose.identity()
        box = self.dart.dynamics.BoxShape([GROUND, GROUND, 1.0])
        return box, Pose(np.array([0.0, 0.0, -0.5]), np.eye(3))

    def _shape(self, solid: Solid) -> Any:
        a, b, c = (float(x) for x in solid.size)
        shapes = self.dart.dynamics
        if solid.kind == "capsule" and self.setting == "default":
            raise InputError(
                f"engine 'dart': shape '{solid.name}' is a capsule; DART's default collision "
                "detector would take a sphere of 0.1 m for it; choose the setting dantzig or tuned"
            )
        if solid.kind == "sphere":
            return shapes.SphereShape(a)
        if solid.kind == "box":
            return shapes.BoxShape([2 * a, 2 * b, 2 * c])
        kind = shapes.CapsuleShape if solid.kind == "capsule" else shapes.CylinderShape
        return kind(a, 2 * b)

    def _add_shape(self, body: Any, shape: Any, pose: Pose, link: int) -> None:
        name = f"shape {len(self.links)}"
        node = body.createShapeNode(shape, name)
        self.links[node.getName()] = link
        node.createCollisionAspect()
        surface = node.createDynamicsAspect()
        surface.setFrictionCoeff(self.task.mu)
        surface.setRestitutionCoeff(math.sqrt(self.task.restitution))
        node.setRelativeTransform(self._isometry(pose))

    def _isometry(self, pose: Pose) -> Any:
        made = self.dart.math.Isometry3()
        made.set_rotation(pose.rotation)
        made.set_translation(pose.position)
        return made

    def _set_state(self) -> None:
        q, v, tree = self.task.state.q, self.task.state.v, self.world.tree
        for link, joint in self.joints.items():
            if tree.joint_type[link] != FREE:
                joint.setPosition(0, float(q[tree.q_index[link]]))
                joint.setVelocity(0, float(v[tree.v_index[link]]))
                continue
            at, moves = free_joint(self.world, link)
            pose = Pose(q[at][:3], matrices(q[at][3:7][None])[0])
            joint.setTransform(self._isometry(pose))
            joint.setAngularVelocity(pose.rotation @ v[moves][3:])
            joint.setLinearVelocity(v[moves][:3])

    # ------------------------------------------------------------------------------------ stepping

    def read(self, q: np.ndarray, v: np.ndarray) -> None:
        """Write positions and velocities, ordered as ours."""
        tree = self.world.tree
        for link, joint in self.joints.items():
            if tree.joint_type[link] != FREE:
                q[tree.q_index[link]] = joint.getPosition(0)
                v[tree.v_index[link]] = joint.getVelocity(0)
                continue
            at, moves = free_joint(self.world, link)
            body = self.bodies[link]
            pose = body.getWorldTransform()
            rotation = pose.rotation()
            q[at] = [*np.ravel(pose.translation()), *quaternions(rotation)]
            omega = np.ravel(body.getAngularVelocity())
            v[moves] = [*np.ravel(body.getLinearVelocity()), *(rotation.T @ omega)]

    def load(self, torque: np.ndarray, wrenches: list[Wrench]) -> None:
        """Apply torques and wrenches in the next step."""
        tree = self.world.tree
        for d in np.flatnonzero(torque):
            self.joints[int(tree.dof_link[d])].setForce(0, float(torque[d]))
        for wrench in wrenches:
            body = self.bodies[wrench.link]
            body.addExtForce(wrench.force, wrench.point, False, True)
            body.addExtTorque(wrench.moment, False)

    def step(self) -> None:
        """Take one step."""
        self.made.step()

    def touches(self) -> list[Touch]:
        """Contact points of the last step."""
        found = []
        for contact in self.made.getLastCollisionResult().getContacts():
            links = tuple(
                self.links[one.getShapeFrame().getName()]
                for one in (contact.collisionObject1, contact.collisionObject2)
            )
            found.append(
                Touch(
                    (links[0], links[1]),
                    np.ravel(contact.point),
                    np.ravel(contact.normal),
                    np.ravel(contact.force),
                    float(contact.penetrationDepth),
                )
            )
        return found
