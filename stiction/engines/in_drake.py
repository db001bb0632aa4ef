"""Drake: robots as URDF, discrete multibody plant, contact at points.

A box meets a half space in one point there, so boxes have a small ball in every corner, and
capsules one at each end, which touch the ground and other bodies; edges of two boxes that cross do
not touch. Servos act as generalised forces; their damping is damping of the joints, which Drake
takes implicitly. Joints have no Coulomb friction. Contact has no restitution.
"""

from __future__ import annotations

import itertools
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
from stiction.visual.poses import matrices, quaternions

SETTINGS: dict[str, dict[str, object]] = {
    "default": {},
    "tuned": {"discrete contact approximation": "tamsi"},
    "sap": {"discrete contact approximation": "sap", "relaxation time, in steps": 1.0},
}
CORNER = 1e-3  # radius of the balls in corners of boxes [m]


class Drake:
    """The adapter of Drake."""

    name = "Drake"
    settings: Mapping[str, Mapping[str, object]] = SETTINGS

    def version(self) -> str:
        """The installed version."""
        return version("drake")

    def run(self, task: Task, setting: str = "default") -> Ran:
        """Simulate a task; an InputError names what Drake cannot represent."""
        if setting not in SETTINGS:
            raise InputError(
                f"engine 'drake': no setting '{setting}'; choose among {', '.join(SETTINGS)}"
            )
        if task.restitution > 0:
            raise InputError(
                f"engine 'drake': restitution {task.restitution:g}; a discrete plant has none"
            )
        refuse(task, "drake", lacks=("friction",))
        return simulated(task, "drake", setting, _Session, implicit=True)


ENGINE = Drake()


class _Session:
    """A task as a diagram of a plant and its geometry."""

    def __init__(self, task: Task, level: Level, setting: str) -> None:
        from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
        from pydrake.systems.analysis import Simulator
        from pydrake.systems.framework import DiagramBuilder

        self.task, self.world, self.level = task, task.world, level
        chosen: dict[str, Any] = dict(SETTINGS[setting])
        self.relaxation = chosen.pop("relaxation time, in steps", None)
        values = {name.replace(" ", "_"): value for name, value in chosen.items()}
        builder = DiagramBuilder()
        config = MultibodyPlantConfig(time_step=task.dt, **values)
        self.plant, self.scene = AddMultibodyPlant(config, builder)
        self.bodies: dict[int, Any] = {0: self.plant.world_body()}  # by our link
        self._add_robots()
        self._add_shapes(solids_of(task.world, "drake"))
        self.plant.mutable_gravity_field().set_gravity_vector(level.rotation @ task.world.gravity)
        self.plant.Finalize()
        self.links = {int(body.index()): link for link, body in self.bodies.items()}
        self._filter()
        self.diagram = builder.Build()
        self.simulator = Simulator(self.diagram)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.q_at, self.v_at = self._order()
        self._set_state()
        self.simulator.Initialize()
        self.steps = 0

    def close(self) -> None:
        """Nothing is held."""

    # ------------------------------------------------------------------------------------ building

    def _add_robots(self) -> None:
        from pydrake.multibody.parsing import Parser

        base = Pose(-self.level.rotation @ self.level.origin, self.level.rotation)
        servos, tree, first = self.task.servos, self.world.tree, 1
        gains = {} if servos is None else dict(zip(servos.joints, servos.damping, strict=True))
        damped = {self.world.joint(name): float(gain) for name, gain in gains.items()}
        for robot in self.world.robots:
            if len(robot.link_name):
                [model] = Parser(self.plant).AddModelsFromString(urdf_of(robot, base), "urdf")
            for k, name in enumerate(robot.link_name):
                link = first + k
                self.bodies[link] = self.plant.GetBodyByName(str(name), model)
                if robot.joint_type[k] == FREE:
                    continue
                joint = self.plant.GetJointByName(str(robot.joint_name[k]), model)
                d = int(tree.v_index[link])
                joint.set_default_damping(float(tree.damping[d]) + damped.get(link, 0.0))
                if tree.armature[d] > 0:
                    actuator = self.plant.AddJointActuator(f"rotor {link}", joint)
                    actuator.set_default_rotor_inertia(float(tree.armature[d]))
            first += len(robot.link_name)

    def _add_shapes(self, solids: list[Solid]) -> None:
        from pydrake.geometry import HalfSpace
        from pydrake.math import RigidTransform

        self.balls: list[list[Any]] = [[] for _ in self.world.robots]  # by robot
        self.whole: list[list[Any]] = [[] for _ in self.world.robots]  # boxes and capsules
        self.other: list[list[Any]] = [[] for _ in self.world.robots]  # spheres, cylinders
        self.ground = None
        if self.world.ground is not None:
            self.ground = self._register(0, RigidTransform(), HalfSpace(), "ground")
        for solid in solids:
            pose = Pose(solid.position, solid.rotation)
            if solid.link == 0:
                base = Pose(-self.level.rotation @ self.level.origin, self.level.rotation)
                pose = base.then(pose)
            self._add_solid(solid, pose)

    def _add_solid(self, solid: Solid, pose: Pose) -> None:
        from pydrake.geometry import Box, Capsule, Cylinder, Sphere
        from pydrake.math import RigidTransform, RotationMatrix

        def placed(offset: Any) -> Any:
            at = pose.position + pose.rotation @ np.asarray(offset, float)
            return RigidTransform(RotationMatrix(_orthonormal(pose.rotation)), at)

        a, b, c = (float(x) for x in solid.size)
        own, centre = solid.robot, placed((0.0, 0.0, 0.0))
        if solid.kind == "sphere":
            self.other[own].append(self._register(solid.link, centre, Sphere(a), solid.name))
        elif solid.kind == "cylinder":
            shape = Cylinder(a, 2 * b)
            self.other[own].append(self._register(solid.link, centre, shape, solid.name))
        else:
            box = solid.kind == "box"
            shape = Box(2 * a, 2 * b, 2 * c) if box else Capsule(a, 2 * b)
            self.whole[own].append(self._register(solid.link, centre, shape, solid.name))
            radius = min(CORNER, a, b, c) if box else a
            reach = np.array([a - radius, b - radius, c - radius]) if box else np.array([0, 0, b])
            corners = {tuple(reach * s) for s in itertools.product((-1.0, 1.0), repeat=3)}
            for k, corner in enumerate(sorted(corners)):
                name = f"{solid.name} {k}"
                ball = self._register(solid.link, placed(corner), Sphere(radius), name)
                self.balls[own].append(ball)

    def _register(self, link: int, pose: Any, shape: Any, name: str) -> Any:
        from pydrake.geometry import ProximityProperties
        from pydrake.multibody.plant import CoulombFriction

        values = ProximityProperties()
        values.AddProperty("material", "coulomb_friction", CoulombFriction(*[self.task.mu] * 2))
        if self.relaxation is not None:
            values.AddProperty("material", "relaxation_time", self.relaxation * self.task.dt)
        return self.plant.RegisterCollisionGeometry(self.bodies[link], pose, shape, name, values)

    def _filter(self) -> None:
        """Balls touch whatever is not a ball; whole boxes and capsules touch balls and the rest."""
        from pydrake.geometry import CollisionFilterDeclaration, GeometrySet

        def every(groups: list[list[Any]]) -> Any:
            return GeometrySet([one for group in groups for one in group])

        declared = CollisionFilterDeclaration()
        for own in range(len(self.world.robots)):
            declared.ExcludeWithin(every([self.balls[own], self.whole[own], self.other[own]]))
        declared.ExcludeWithin(every(self.balls)).ExcludeWithin(every(self.whole))
        declared.ExcludeBetween(every(self.balls), every(self.other))  # the whole touches them
        if self.ground is not None:
            declared.ExcludeBetween(GeometrySet(self.ground), every(self.whole))
        self.scene.collision_filter_manager().Apply(declared)

    def _order(self) -> tuple[np.ndarray, np.ndarray]:
        """Where Drake keeps our positions and velocities; it has angular velocities first."""
        q: list[int] = []
        v: list[int] = []
        for link in range(1, len(self.world.tree.parent)):
            body = self.bodies[link]
            if self.world.tree.joint_type[link] == FREE:
                k = body.floating_positions_start()
                d = body.floating_velocities_start_in_v()
                q += [*range(k + 4, k + 7), *range(k, k + 4)]
                v += [*range(d + 3, d + 6), *range(d, d + 3)]
            else:
                joint = next(
                    self.plant.get_joint(index)
                    for index in self.plant.GetJointIndices(body.model_instance())
                    if self.plant.get_joint(index).child_body().index() == body.index()
                )
                q.append(joint.position_start())
                v.append(joint.velocity_start())
        return np.array(q, int), np.array(v, int)

    def _turned(self, q: np.ndarray, v: np.ndarray, back: bool) -> np.ndarray:
        """Velocities with those of rotation in world axes, or back in axes of the links."""
        turned = v.copy()
        for link in self.level.roots:
            at, moves = free_joint(self.world, link)
            rotation = matrices(q[at][3:7][None])[0]
            turned[moves][3:] = (rotation.T if back else rotation) @ v[moves][3:]
        return turned

    def _set_state(self) -> None:
        q, v = np.zeros(self.plant.num_positions()), np.zeros(self.plant.num_velocities())
        q[self.q_at] = self.task.state.q
        v[self.v_at] = self._turned(self.task.state.q, self.task.state.v, back=False)
        self.plant.SetPositions(self.context, q)
        self.plant.SetVelocities(self.context, v)

    # ------------------------------------------------------------------------------------ stepping

    def read(self, q: np.ndarray, v: np.ndarray) -> None:
        """Write positions and velocities, ordered as ours."""
        q[:] = self.plant.GetPositions(self.context)[self.q_at]
        v[:] = self.plant.GetVelocities(self.context)[self.v_at]
        v[:] = self._turned(q, v, back=True)

    def load(self, torque: np.ndarray, wrenches: list[Wrench]) -> None:
        """Apply torques and wrenches in the next step."""
        if torque.any() or self.task.servos is not None:
            found = np.zeros(len(torque))
            found[self.v_at] = torque
            self.plant.get_applied_generalized_force_input_port().FixValue(self.context, found)
        if wrenches or self.task.pushes:
            from pydrake.common.value import Value
            from pydrake.multibody.math import SpatialForce
            from pydrake.multibody.plant import ExternallyAppliedSpatialForce

            applied = []
            for wrench in wrenches:
                one = ExternallyAppliedSpatialForce()
                one.body_index = self.bodies[wrench.link].index()
                one.p_BoBq_B = wrench.point
                one.F_Bq_W = SpatialForce(wrench.moment, wrench.force)
                applied.append(one)
            port = self.plant.get_applied_spatial_force_input_port()
            port.FixValue(self.context, Value[list[ExternallyAppliedSpatialForce]](applied))

    def step(self) -> None:
        """Take one step."""
        self.steps += 1
        self.simulator.AdvanceTo(self.steps * self.task.dt)

    def touches(self) -> list[Touch]:
        """Contact points of the last step."""
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        found = []
        for k in range(results.num_point_pair_contacts()):
            told = results.point_pair_contact_info(k)
            pair = told.point_pair()
            links = (self.links[int(told.bodyB_index())], self.links[int(told.bodyA_index())])
            # Drake reports the force on body B, and the normal out of B
            found.append(
                Touch(
                    links,
                    np.array(told.contact_point()),
                    -np.array(pair.nhat_BA_W),
                    np.array(told.contact_force()),
                    float(pair.depth),
                )
            )
        return found


def _orthonormal(rotation: np.ndarray) -> np.ndarray:
    """The rotation without rounding errors, which Drake refuses."""
    return matrices(quaternions(rotation)[None])[0]
