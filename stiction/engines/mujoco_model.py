"""A world as a model of MuJoCo: links become bodies, shapes that may touch become geoms.

The shapes that may touch are listed pair by pair, as our filters have it. Links without mass that
only carry another joint, as those of a planar base, become further joints of the next body: MuJoCo
demands mass of every body. Ground touches the same shapes as ours does; points are tiny spheres.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stiction.collision.pair_filter import may_collide
from stiction.compiler.compiled import as_python
from stiction.description.description import SHAPE_KINDS
from stiction.errors import InputError
from stiction.kernels.tree import FREE, PRISMATIC, Q_SIZE, REVOLUTE, SPHERICAL, V_SIZE
from stiction.robot.robot import Robot
from stiction.visual.poses import quaternions, turn_to
from stiction.world.colliding_pairs import colliding_shapes
from stiction.world.ground import HeightField, Plane, Slope, Steps
from stiction.world.world import World

if TYPE_CHECKING:
    from mujoco import MjModel, MjSpec

RADIUS = 1e-6  # of the spheres that stand for points [m]
MASSLESS = 1e-6  # mass [kg] and moments of inertia [kg m2] of a last link that has none
FAR = 100.0  # stairs extend so far [m]
SAME = 1e-12  # rotations closer than this are none
UNLIMITED = 1e6  # limit of a joint that has one on the other side only [rad or m]


class Touching(NamedTuple):
    """What every pair of shapes that may touch is given."""

    mu: float
    solref: tuple[float, float]
    solimp: tuple[float, float, float, float, float]


class Built(NamedTuple):
    """A compiled model, and where it keeps our coordinates and links."""

    model: MjModel
    q: np.ndarray  # (nq) place in qpos of each of our positions
    v: np.ndarray  # (nv) place in qvel of each of our velocities
    body: np.ndarray  # (links) MuJoCo's body of each link; -1 for links without one
    link: np.ndarray  # (bodies) our link of each body of MuJoCo; 0 for the world


def build(spec: MjSpec, world: World, touching: Touching) -> Built:
    """Add a world to a specification that has its options set, and compile it."""
    _refuse_loops(world)
    spec.compiler.degree = False
    spec.option.gravity = world.gravity
    bodies = _add_links(spec, world)
    _Shapes(spec, world, bodies, touching).add()
    model = spec.compile()
    built = _ordered(world, model, bodies)
    _set_joints(world, built)
    return built


def _refuse_loops(world: World) -> None:
    names = [f"{robot.name}/{name}" for robot in world.robots for name in robot.loop_name]
    if names:
        raise InputError(
            f"engine 'mujoco': closed loops are not translated; this world has {', '.join(names)}"
        )


# -------------------------------------------------------------------------------------------- links


class _Chain(NamedTuple):
    """Joints of massless links, to be given to the next body; frames in the carrying body."""

    carrier: int  # link whose body carries them
    joints: tuple[tuple[int, np.ndarray, np.ndarray], ...]  # link, rotation, position
    rotation: np.ndarray
    position: np.ndarray


def _add_links(spec: MjSpec, world: World) -> dict[int, Any]:
    """Bodies by link; links without mass that only carry a joint have none."""
    tree, connects = world.tree, connecting_links(world)
    bodies: dict[int, Any] = {0: spec.worldbody}
    chains: dict[int, _Chain] = {}
    for link in range(1, len(tree.parent)):
        parent = int(tree.parent[link])
        chain = chains.get(parent, _Chain(parent, (), np.eye(3), np.zeros(3)))
        rotation = chain.rotation @ tree.joint_rotation[link]
        position = chain.position + chain.rotation @ tree.joint_position[link]
        joints = (*chain.joints, (link, rotation, position))
        if link in connects:
            chains[link] = _Chain(chain.carrier, joints, rotation, position)
            continue
        body = bodies[chain.carrier].add_body(
            name=f"link{link}", pos=position, quat=quaternions(rotation)
        )
        bodies[link] = body
        _add_inertia(body, world, link)
        for one, turned, at in joints:
            axis = rotation.T @ turned @ tree.joint_axis[one]
            _add_joint(body, world, one, axis, rotation.T @ (at - position))
    return bodies


def connecting_links(world: World) -> set[int]:
    """Links without mass and shapes whose only child is a single joint, as they are."""
    tree = world.tree
    single = np.isin(tree.joint_type, (REVOLUTE, PRISMATIC))
    shapes, first = set(), 1
    for robot in world.robots:
        shapes |= {first + int(link) for link in robot.shape_link[robot.shape_collides]}
        first += len(robot.link_name)
    found = set()
    for link in range(1, len(tree.parent)):
        children = np.flatnonzero(tree.parent == link)
        if tree.mass[link] == 0 and single[link] and link not in shapes and len(children) == 1:
            if single[children[0]]:
                found.add(link)
    return found


def _add_inertia(body: Any, world: World, link: int) -> None:
    xx, xy, xz, yy, yz, zz = world.tree.inertia[link]
    body.explicitinertial = True
    body.mass, body.ipos = float(world.tree.mass[link]), world.tree.centre[link]
    if body.mass == 0:
        body.mass, body.inertia = MASSLESS, [MASSLESS] * 3
        return
    values, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if values[0] > 0:
        body.fullinertia = [xx, yy, zz, xy, xz, yz]
        return
    # a thin rod or a point: MuJoCo demands positive moments
    body.inertia = np.maximum(values, max(1e-9 * values[2], MASSLESS * body.mass))
    body.iquat = quaternions(axes * np.sign(np.linalg.det(axes)))


def _add_joint(body: Any, world: World, link: int, axis: np.ndarray, at: np.ndarray) -> None:
    import mujoco

    tree, kinds = world.tree, mujoco.mjtJoint
    kind = int(tree.joint_type[link])
    d = int(tree.v_index[link])
    values: dict[str, Any] = {"name": f"joint{link}", "armature": float(tree.armature[d])}
    if kind == FREE:
        body.add_joint(type=kinds.mjJNT_FREE, **values)
        return
    if kind == SPHERICAL:
        body.add_joint(type=kinds.mjJNT_BALL, **values)
        return
    limits = np.array([tree.lower[d], tree.upper[d]])
    limited = bool(np.isfinite(limits).any())
    body.add_joint(
        type=kinds.mjJNT_SLIDE if kind == PRISMATIC else kinds.mjJNT_HINGE,
        axis=axis,
        pos=at,
        limited=mujoco.mjtLimited.mjLIMITED_TRUE if limited else mujoco.mjtLimited.mjLIMITED_FALSE,
        range=np.clip(limits, -UNLIMITED, UNLIMITED) if limited else [0.0, 0.0],
        **values,
    )


def _ordered(world: World, model: MjModel, bodies: dict[int, Any]) -> Built:
    """Where MuJoCo, which goes down every branch first, keeps our coordinates and links."""
    q: list[int] = []
    v: list[int] = []
    body, link_of = np.full(len(world.tree.parent), -1), np.zeros(model.nbody, int)
    body[0] = 0
    for link in range(1, len(world.tree.parent)):
        joint, kind = model.joint(f"joint{link}"), int(world.tree.joint_type[link])
        q += range(joint.qposadr[0], joint.qposadr[0] + Q_SIZE[kind])
        v += range(joint.dofadr[0], joint.dofadr[0] + V_SIZE[kind])
        if link in bodies:
            body[link] = model.body(f"link{link}").id
            link_of[body[link]] = link
    return Built(model, np.array(q, int), np.array(v, int), body, link_of)


def _set_joints(world: World, built: Built) -> None:
    """Damping, friction and springs, the same in all versions of MuJoCo once compiled."""
    tree, model = world.tree, built.model
    model.dof_damping[built.v] = tree.damping
    model.dof_frictionloss[built.v] = tree.friction
    for d in np.flatnonzero(tree.stiffness):
        link = int(tree.dof_link[d])
        if tree.joint_type[link] not in (REVOLUTE, PRISMATIC):
            raise InputError(
                f"engine 'mujoco': the spring of joint '{world.joint_names[link]}' is not "
                "translated; only hinges and slides have springs"
            )
        joint = model.joint(f"joint{link}")
        model.jnt_stiffness[joint.id] = tree.stiffness[d]
        model.qpos_spring[joint.qposadr[0]] = tree.spring_reference[d]


# ------------------------------------------------------------------------------------------- shapes


class _Shapes:
    """Adds ground and shapes as geoms, and lists which pairs of them touch."""

    def __init__(
        self, spec: MjSpec, world: World, bodies: dict[int, Any], touching: Touching
    ) -> None:
        self.spec, self.world, self.bodies, self.touching = spec, world, bodies, touching
        self.geoms: dict[tuple[int, int], list[str]] = {}  # by robot and shape
        self.count = 0

    def add(self) -> None:
        """Add everything that may touch something."""
        ground = self._ground()
        for number, robot in enumerate(self.world.robots):
            for shape in np.flatnonzero(robot.shape_touches) if ground else ():
                for one, other in itertools.product(self._shape(number, int(shape)), ground):
                    self._pair(one, other)
        if self.world.near_pairs == 0:
            return
        shapes, filters = colliding_shapes(self.world.robots), self.world.pair_filter
        collide = as_python(may_collide)
        for a, b in itertools.combinations(range(len(shapes)), 2):
            if not collide(filters, a, b):
                continue
            both = [self._shape(shapes[k].robot, shapes[k].shape) for k in (a, b)]
            for one, other in itertools.product(*both):
                self._pair(one, other)

    def _pair(self, one: str, other: str) -> None:
        mu, solref, solimp = self.touching
        self.spec.add_pair(
            geomname1=one,
            geomname2=other,
            condim=3 if mu > 0 else 1,
            friction=[mu, mu, 0.0, 0.0, 0.0],
            solref=solref,
            solimp=solimp,
        )

    def _geom(self, body: Any, kind: str, **values: Any) -> str:
        import mujoco

        name = f"geom{self.count}"
        self.count += 1
        body.add_geom(
            name=name,
            type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind}"),
            contype=0,
            conaffinity=0,
            **values,
        )
        return name

    def _shape(self, number: int, shape: int) -> list[str]:
        """Names of the geoms of a shape, added when first asked for."""
        if (number, shape) not in self.geoms:
            robot = self.world.robots[number]
            first = 1 + sum(len(one.link_name) for one in self.world.robots[:number])
            link = int(robot.shape_link[shape])
            body = self.bodies[0 if link < 0 else first + link]
            self.geoms[number, shape] = self._added(body, robot, shape)
        return self.geoms[number, shape]

    def _added(self, body: Any, robot: Robot, shape: int) -> list[str]:
        kind = SHAPE_KINDS[robot.shape_kind[shape]]
        rotation, position = robot.shape_rotation[shape], robot.shape_position[shape]
        placed = {"pos": position, "quat": quaternions(rotation)}
        if kind in ("plane", "ellipsoid"):
            return []  # they do not touch anything in our worlds, which say so
        if kind == "points":
            return [
                self._geom(body, "SPHERE", size=[RADIUS, 0, 0], pos=position + rotation @ point)
                for point in robot.vertices_of(shape)
            ]
        if kind == "hull":
            mesh = self._hull(robot.vertices_of(shape))
            return [self._geom(body, "MESH", meshname=mesh, **placed)]
        if kind == "mesh":
            raise InputError(
                f"engine 'mujoco': shape '{robot.name}/{robot.shape_name[shape]}' is a mesh that "
                "need not be convex, and MuJoCo would take its convex hull; give convex parts"
            )
        return [self._geom(body, kind.upper(), size=robot.shape_size[shape], **placed)]

    def _hull(self, vertices: np.ndarray) -> str:
        import mujoco

        mesh = self.spec.add_mesh(name=f"hull{self.count}")
        mesh.uservert = np.asarray(vertices, float).ravel().tolist()
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        return mesh.name

    # ground -------------------------------------------------------------------------------------

    def _ground(self) -> list[str]:
        """Names of the geoms of the ground."""
        ground, world = self.world.ground, self.spec.worldbody
        if ground is None:
            return []
        if isinstance(ground, Plane | Slope):
            turned = quaternions(turn_to(ground.normal()))
            values = {"size": [0, 0, 1], "pos": [0, 0, ground.height], "quat": turned}
            return [self._geom(world, "PLANE", **values)]
        if isinstance(ground, Steps):
            return self._stairs(ground)
        return [self._height_field(ground)]

    def _stairs(self, ground: Steps) -> list[str]:
        """A box under every tread."""
        stairs = ground.bind()
        turned = np.array([np.cos(ground.heading / 2), 0.0, 0.0, np.sin(ground.heading / 2)])
        ends = [stairs.riser[0] - FAR, *stairs.riser, stairs.riser[-1] + FAR]
        bottom = stairs.level.min() - FAR
        names = []
        for (begin, end), top in zip(itertools.pairwise(ends), stairs.level, strict=True):
            along = (begin + end) / 2 * stairs.heading
            values = {
                "size": [(end - begin) / 2, FAR, (top - bottom) / 2],
                "pos": [*along, (top + bottom) / 2],
                "quat": turned,
            }
            names.append(self._geom(self.spec.worldbody, "BOX", **values))
        return names

    def _height_field(self, ground: HeightField) -> str:
        """Triangles between the heights, which are bilinear in ours; it ends at its border."""
        rows, columns = ground.heights.shape
        low, span = ground.heights.min(), np.ptp(ground.heights)
        half = np.array([(columns - 1) * ground.spacing[0], (rows - 1) * ground.spacing[1]]) / 2
        field = self.spec.add_hfield(name="heights", nrow=rows, ncol=columns)
        field.size = [*half, max(float(span), RADIUS), 1.0]
        field.userdata = ((ground.heights - low) / (span or 1.0)).ravel().tolist()
        middle = [*(np.array(ground.origin) + half), low]
        return self._geom(self.spec.worldbody, "HFIELD", hfieldname="heights", pos=middle)
