"""`Robot`: the flat arrays that every later stage reads; saved as one .npz file."""

from __future__ import annotations

import dataclasses
import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike

from stiction.description.arguments import LARGEST, numbers, shown
from stiction.description.checks import check
from stiction.description.description import SHAPE_KINDS, WORLD, Description
from stiction.description.faces import Faces
from stiction.description.plain import counted
from stiction.description.typed import typed
from stiction.errors import InputError, ModelFileError
from stiction.files.written import write_whole
from stiction.kernels.tree import Q_SIZE, V_SIZE
from stiction.robot.arrays import JOINT_PROPERTIES, LIMITS, NOT_NEGATIVE, robot_arrays
from stiction.robot.file import check_arrays, is_default, read_arrays, write_arrays
from stiction.robot.home import with_home
from stiction.robot.named import named_shapes
from stiction.robot.placement import placed
from stiction.robot.sensors import FIELDS as SENSORS
from stiction.robot.sensors import Sensor, with_sensors
from stiction.robot.soles import with_sole_points
from stiction.robot.visuals import FIELDS as VISUALS

FACES_UP = 1e-6  # least upward component of the normal of a plane that is ground
EVERY_BIT = -1  # a mask that matches every other one


@dataclass(frozen=True, eq=False, repr=False)
class Robot:
    """A robot or an object as flat arrays: nl links, nq positions, nv velocities; SI units.

    Link -1 is the world. Shapes on it are fixed; a robot without links is scenery.
    """

    name: str
    source: str  # file it was read from, or the code that made it
    notes: np.ndarray  # remarks for the user on how it was read
    placed: np.ndarray  # () bool: whether `at` placed it; a world then leaves it there

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
    shape_body: np.ndarray  # (shapes) name of its link in the file, which may have been merged
    shape_collides: np.ndarray  # (shapes) bool
    shape_mask: np.ndarray  # (shapes, 2) contype and conaffinity, as in `Shape`
    shape_error: np.ndarray  # (shapes) distance between a mesh's hull and the one kept of it [m]
    shape_vertex: np.ndarray  # (shapes + 1) first row of `vertices`
    vertices: np.ndarray  # (rows, 3) of hulls, points and meshes, in the shape's frame
    shape_face: np.ndarray  # (shapes + 1) first row of `face_normal`
    face_normal: np.ndarray  # (faces, 3) of hulls and meshes, in the shape's frame
    face_corner: np.ndarray  # (faces + 1) first entry of `corner_vertex`
    corner_vertex: np.ndarray  # (corners) vertices of a face, counted from the first of its shape

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
    sensor_noise: np.ndarray  # (sensors, 10) standard deviations; what it does not read: 0
    sensor_bias: np.ndarray  # (sensors, 10) added to readings
    sensor_delay: np.ndarray  # (sensors) [s]
    sensor_cutoff: np.ndarray  # (sensors) largest absolute reading, 0 for no limit
    # (sensors, 10) mass, centre and inertia, in its link, of what is beyond a fixed joint that it
    # measures the force in; 0 at other joints
    sensor_part: np.ndarray
    sensor_body: np.ndarray  # (n, 2) sensor, and a link of the file whose contact it feels
    material_name: np.ndarray
    material_mu: np.ndarray  # (materials, 2) static, kinetic, on the ground
    material_bodies: np.ndarray  # (materials, 3) static, kinetic, with other bodies; priority
    friction_pairs: np.ndarray  # (n, 2) names of materials with a friction of their own
    friction_pairs_mu: np.ndarray  # (n)
    keyframe_name: np.ndarray
    keyframe_q: np.ndarray  # (keyframes, nq)
    keyframe_v: np.ndarray  # (keyframes, nv)
    keyframe_control: np.ndarray  # (keyframes, nu) NaN where the file gives none
    contact_pairs: np.ndarray  # (n, 2) names of shapes
    contact_excludes: np.ndarray  # (n, 2) names of links of the file
    home: np.ndarray  # (nq) configuration to start from

    loop_name: np.ndarray  # (loops)
    loop_kind: np.ndarray  # (loops) index into LOOP_KINDS
    loop_link: np.ndarray  # (loops, 2) links of the points, or of the joints that are coupled
    loop_position: np.ndarray  # (loops, 2, 3) of the points
    loop_rotation: np.ndarray  # (loops, 2, 3, 3) of the frames
    loop_axis: np.ndarray  # (loops, 3) in the first link
    loop_coefficients: np.ndarray  # (loops, terms) of polynomials
    loop_reference: np.ndarray  # (loops, 2) as in `Loop`

    visual_link: np.ndarray  # (visuals) drawn instead of the shapes of their links
    visual_colour: np.ndarray  # (visuals, 4) red, green, blue, opacity from 0 to 1
    visual_position: np.ndarray  # (visuals, 3)
    visual_rotation: np.ndarray  # (visuals, 3, 3)
    visual_vertex: np.ndarray  # (visuals + 1) first row of `visual_vertices`
    visual_triangle: np.ndarray  # (visuals + 1) first row of `visual_triangles`
    visual_vertices: np.ndarray  # (rows, 3) float32, in the visual's frame [m]
    visual_triangles: np.ndarray  # (rows, 3) vertices, counted from the first of the visual

    @property
    def nq(self) -> int:
        """Number of positions."""
        return len(self.home)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self.armature)

    @property
    def total_mass(self) -> float:
        """Mass of all links [kg]."""
        return float(self.mass.sum())

    def __repr__(self) -> str:
        """Name, size and source, in two lines."""
        links, shapes = len(self.link_name), len(self.shape_name)
        size = f"{counted(links, 'link')}, nq {self.nq}, nv {self.nv}, {self.total_mass:.4g} kg"
        return f"Robot '{self.name}': {size}, {counted(shapes, 'shape')}\n  from {self.source}"

    def _repr_html_(self) -> str:
        from stiction.viewer.notebook import robot_table

        return robot_table(self)

    def named(self, name: str) -> Robot:
        """Return the same robot under another name."""
        if not (isinstance(name, str) and name):
            raise InputError(f"robot '{self.name}': named({shown(name)}): give a name")
        return dataclasses.replace(self, name=name)

    def at(self, position: ArrayLike, turn: ArrayLike = 0.0) -> Robot:
        """Return the same robot placed in the world, where every world leaves it.

        position [m]; turn about z [rad], or a quaternion w x y z. For a free base this is its pose
        at home. Any other robot, and scenery, moves by this pose together with everything that is
        fixed in its file: the origin of the file is then at `position`, and a planar base moves in
        the plane through it that turns with it. Placed again, it moves on from there.
        """
        return placed(self, position, turn)

    @property
    def shape_is_ground(self) -> np.ndarray:
        """Which shapes are ground: colliding planes, fixed in the world, that face up; (shapes)."""
        planes = self.shape_kind == SHAPE_KINDS.index("plane")
        faces_up = self.shape_rotation[:, 2, 2] > FACES_UP
        return planes & faces_up & self.shape_collides & (self.shape_link < 0)

    @property
    def shape_touches(self) -> np.ndarray:
        """Which shapes may touch the ground, (shapes) bool.

        These are the colliding shapes of moving links that may touch a ground plane of the file by
        their masks and the excludes, plus those that a <pair> joins with such a plane. Without
        planes, the ground is not in the file: it touches every shape that has a mask.
        """
        moving = self.shape_collides & (self.shape_link >= 0)
        ground = np.flatnonzero(self.shape_is_ground)
        planes = set(self.shape_name[ground].tolist())
        paired = {
            other
            for pair in self.contact_pairs.tolist()
            for one, other in (pair, pair[::-1])
            if one in planes
        }
        touches = np.isin(self.shape_name, list(paired))
        for plane in ground:
            match = (self.shape_mask & self.shape_mask[plane, ::-1]).any(axis=1)
            touches |= match & ~self._excluded_from(str(self.shape_body[plane]))
        if not len(ground):
            touches |= self.shape_mask.any(axis=1) & ~self._excluded_from(WORLD)
        return moving & touches

    def _excluded_from(self, body: str) -> np.ndarray:
        """Which shapes are on a link that the file excludes from contact with a link, (shapes)."""
        pairs = [pair for pair in self.contact_excludes.tolist() if body in pair]
        others = {name for pair in pairs for name in pair} - {body}
        return np.isin(self.shape_body, list(others))

    def vertices_of(self, shape: int | np.integer) -> np.ndarray:
        """Vertices of a hull, a mesh or a set of points, in the shape's frame [m], (n, 3)."""
        return self.vertices[self.shape_vertex[shape] : self.shape_vertex[shape + 1]]

    def faces_of(self, shape: int | np.integer) -> Faces:
        """Faces of a hull or a mesh; none of a hull from a file that has no faces."""
        begin, end = self.shape_face[shape], self.shape_face[shape + 1]
        first = self.face_corner[begin : end + 1]
        corner = self.corner_vertex[first[0] : first[-1]]
        return Faces(self.face_normal[begin:end], first - first[0], corner)

    def with_joints(self, **values: ArrayLike) -> Robot:
        """Return the same robot with other joint properties: each one number for all, or (nv).

        For example `with_joints(friction=0, damping=0, lower=-inf, upper=inf)`.
        """
        changed: dict[str, Any] = {}
        for name, value in values.items():
            if name not in JOINT_PROPERTIES:
                raise InputError(
                    f"with_joints: no property '{name}'; known are {', '.join(JOINT_PROPERTIES)}"
                )
            given = numbers(value)
            if given.shape not in ((), (self.nv,)) or np.isnan(given).any():
                raise InputError(
                    f"with_joints: {name} must be a number or {self.nv} of them, not NaN; "
                    f"found {shown(value)}"
                )
            if name not in LIMITS and not (np.abs(given) < LARGEST).all():
                raise InputError(f"with_joints: {name} must be smaller than {LARGEST:g}")
            if name in NOT_NEGATIVE and (given < 0).any():
                raise InputError(f"with_joints: {name} must not be negative, found {given.min()}")
            changed[name] = np.broadcast_to(given, self.nv).copy()
        robot = dataclasses.replace(self, **changed)
        if (robot.speed_limit < 0).any():
            raise InputError("with_joints: speed_limit must not be negative")
        if (robot.lower > robot.upper).any() or (robot.effort_lower > robot.effort_upper).any():
            raise InputError("with_joints: a lower limit lies above its upper limit")
        return robot

    def with_colliding(self, *names: str) -> Robot:
        """Return the same robot where only these shapes, or all shapes of these links, collide.

        They also touch the ground, regardless of the masks, pairs and excludes of the file.
        """
        collides = named_shapes(self, "with_colliding", names)
        ground = {WORLD, *self.shape_body[self.shape_is_ground].tolist()}
        kept = [ground.isdisjoint(pair) for pair in self.contact_excludes.tolist()]
        excludes = self.contact_excludes[np.array(kept, bool)]
        return dataclasses.replace(
            self,
            shape_collides=collides,
            shape_mask=np.where(collides[:, None], EVERY_BIT, self.shape_mask),
            contact_excludes=excludes,
        )

    def with_home(
        self,
        joints: Mapping[str, ArrayLike] | str = MappingProxyType({}),
        height: float | None = None,
        turn: ArrayLike | None = None,
    ) -> Robot:
        """Return the same robot with another configuration to start from.

        joints: positions by the names of joints [rad or m], for spherical ones a quaternion, within
        their limits; the others stay; or the name of a keyframe. height: of the origin of a free
        base [m]; turn: its quaternion w x y z.
        """
        return with_home(self, joints, height, turn)

    def with_material(self, name: str, *parts: str) -> Robot:
        """Return the same robot with one material, for `World(materials=...)`, on some shapes.

        parts: names of shapes, or of links for all shapes of these; by default the whole robot.
        """
        if not (isinstance(name, str) and name):
            raise InputError(f"robot '{self.name}': with_material({shown(name)}): give a name")
        chosen = named_shapes(self, "with_material", parts) if parts else True
        materials = np.where(chosen, name, self.shape_material).astype(np.str_)
        return dataclasses.replace(self, shape_material=materials)

    def with_sole_points(self, name: str, along: int, across: int) -> Robot:
        """Return the same robot with a shape replaced by a grid of contact points on its underside.

        name: a box, a hull or points of a plane, or a link with one that collides. The grid covers
        the face that points down in the home configuration (for a hull, the bounding rectangle of
        that face; for points, that around them) up to its edges, with `along` points along the
        longer edge and `across` along the shorter one.
        """
        return with_sole_points(self, name, along, across)

    def with_sensors(self, sensors: Sensor | Iterable[Sensor]) -> Robot:
        """Return the same robot with more sensors; docs/sensors.md lists their kinds."""
        return with_sensors(self, sensors)

    @property
    def q_index(self) -> np.ndarray:
        """Index in q of the first position of each link's joint, (nl)."""
        return np.concatenate([[0], np.cumsum([Q_SIZE[k] for k in self.joint_type])])[:-1].astype(
            int
        )

    @property
    def v_index(self) -> np.ndarray:
        """Index in v of the first velocity of each link's joint, (nl)."""
        return np.concatenate([[0], np.cumsum([V_SIZE[k] for k in self.joint_type])])[:-1].astype(
            int
        )

    def keyframe(self, name: str) -> np.ndarray:
        """Return the positions q of a keyframe of the file."""
        if not isinstance(name, str):
            raise InputError(f"robot '{self.name}': keyframe({shown(name)}): give a name")
        found = np.flatnonzero(self.keyframe_name == name)
        if not len(found):
            known = ", ".join(self.keyframe_name) or "none"
            raise InputError(f"robot '{self.name}' has no keyframe '{name}'; it has: {known}")
        return self.keyframe_q[found[0]].copy()

    def digest(self) -> str:
        """Hash of everything that affects the motion of the robot, 16 hexadecimal digits."""
        digest = hashlib.sha256()
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            left_out = field.name in ("name", "source", "notes", "shape_error", *VISUALS)
            left_out |= field.name in SENSORS[4:]  # noise and the like, which move nothing
            if not left_out and not is_default(self, field.name):
                digest.update(field.name.encode() + str(value.shape).encode() + value.tobytes())
        return digest.hexdigest()[:16]

    def save(self, path: str | Path) -> None:
        """Write one .npz file that NumPy can read without this package.

        If that fails, the file that was there stays.
        """
        buffer = io.BytesIO()
        self.write(buffer)
        write_whole(path, buffer.getbuffer(), "the robot", ModelFileError)

    def write(self, file: IO[bytes]) -> None:
        """Write the .npz file to an open file."""
        write_arrays(file, {name: getattr(self, name) for name in self._names()})

    @classmethod
    def load(cls, path: str | Path | IO[bytes]) -> Robot:
        """Read a robot that `save` wrote."""
        robot = cls(**read_arrays(path, cls._names()))
        check_arrays(path, robot)
        return robot

    @classmethod
    def _names(cls) -> list[str]:
        return [field.name for field in dataclasses.fields(cls)]

    @classmethod
    def from_description(cls, description: Description) -> Robot:
        """Check a description, as that of a file is, and turn it into arrays."""
        description = typed(description)
        check(description, of_file=False)
        return cls(**robot_arrays(description))
