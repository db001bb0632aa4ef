"""Content of a model file as plain dataclasses in SI units; every reader returns one.

Frames: a link's frame is at its joint. A joint's `position` and `quaternion` place the joint frame,
and so the child's link frame at zero coordinate, in the frame of the parent link.
Quaternions are w x y z and of unit length, lengths in m, angles in rad, z is up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stiction.description.visual import Visual

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
NOWHERE: Vector = (0.0, 0.0, 0.0)
UNTURNED: Quaternion = (1.0, 0.0, 0.0, 0.0)
WORLD = "world"  # link name of a joint, shape or frame that is fixed in space
ANY = (1, 1)  # mask of a shape that may touch every other one of this mask

JOINT_TYPES = ("free", "revolute", "prismatic", "spherical", "fixed")
LOOP_KINDS = ("connect", "line", "plane", "weld", "joint")
SHAPE_KINDS = (
    *("sphere", "capsule", "box", "cylinder", "ellipsoid", "hull", "plane", "points"),
    "mesh",  # saved robots have numbers of kinds: new ones come last
)


@dataclass(frozen=True)
class Link:
    """A rigid body."""

    name: str
    mass: float  # [kg]
    centre: Vector  # centre of mass in the link frame [m]
    inertia: tuple[
        float, float, float, float, float, float
    ]  # xx xy xz yy yz zz about the centre [kg m2]


@dataclass(frozen=True)
class Joint:
    """Connects a link to its parent. Units: rad for revolute and spherical, m for prismatic."""

    name: str
    type: str  # one of JOINT_TYPES
    parent: str  # link, or WORLD
    child: str  # link
    position: Vector = NOWHERE
    quaternion: Quaternion = UNTURNED
    axis: Vector = (0.0, 0.0, 1.0)  # unit vector in the joint frame; revolute and prismatic only
    lower: float = -inf  # [rad or m]
    upper: float = inf
    armature: float = 0.0  # rotor inertia reflected to the joint [kg m2 or kg]
    damping: float = 0.0  # [N m s/rad or N s/m]
    friction: float = 0.0  # Coulomb friction [N m or N]
    stiffness: float = 0.0  # spring towards spring_reference [N m/rad or N/m]
    spring_reference: float = 0.0  # [rad or m]
    effort_lower: float = -inf  # bounds on the sum of actuator forces [N m or N]
    effort_upper: float = inf
    speed_limit: float = inf  # [rad/s or m/s]; reported, not enforced


@dataclass(frozen=True)
class Shape:
    """Geometry fixed to a link.

    `size` by kind: sphere (radius,), capsule and cylinder (radius, half length along z), box and
    ellipsoid (three half extents), hull () and points () with `vertices`, plane () with its normal
    along z. A shape of kind points touches only with these points. A mesh () has `vertices` and
    `triangles`, and is fixed in the world.

    `mask` is contype and conaffinity of MJCF, 32 bits each: two shapes touch each other only if the
    contype of one and the conaffinity of the other have a bit in common. Those of
    `Description.contact_pairs` do anyway.
    """

    name: str
    link: str
    kind: str  # one of SHAPE_KINDS
    size: tuple[float, ...]
    position: Vector = NOWHERE
    quaternion: Quaternion = UNTURNED
    material: str = "default"
    collides: bool = True
    vertices: tuple[Vector, ...] = ()
    mask: tuple[int, int] = ANY
    error: float = 0.0  # largest distance between a hull and that of the file's mesh [m]
    triangles: tuple[tuple[int, int, int], ...] = ()  # vertices, counterclockwise from outside


@dataclass(frozen=True)
class Frame:
    """A named frame on a link: a sole, a sensor, a link that was merged into its parent."""

    name: str
    link: str
    position: Vector = NOWHERE
    quaternion: Quaternion = UNTURNED


@dataclass(frozen=True)
class Actuator:
    """Drives one joint with gear * clamp(gain * control + bias).

    Gain and bias are affine in `length` and `rate`, which are gear times the joint's coordinate and
    velocity; control and force are clamped to their ranges.
    """

    name: str
    joint: str
    gear: float = 1.0
    gain: Vector = (1.0, 0.0, 0.0)  # constant, per length, per rate
    bias: Vector = NOWHERE  # constant, per length, per rate
    control_lower: float = -inf
    control_upper: float = inf
    force_lower: float = -inf
    force_upper: float = inf


@dataclass(frozen=True)
class Sensor:
    """A named measurement at a frame or a joint; `kind` as in the file, see `sensor_kinds.py`."""

    name: str
    kind: str
    target: str  # frame, link or joint
    target_type: str  # "frame", "link" or "joint"
    noise: tuple[float, ...] = ()  # standard deviation of each number, or one for all
    bias: tuple[float, ...] = ()  # added to each number, or one for all
    delay: float = 0.0  # [s]
    cutoff: float = 0.0  # largest absolute value that it can read; 0: no limit


@dataclass(frozen=True)
class Material:
    """Friction of a surface as given in the file.

    Between two bodies that of the higher priority applies, else the larger one.
    """

    name: str
    mu_static: float  # on the ground
    mu_kinetic: float
    mu_bodies: float | None = None  # with other bodies; None: as on the ground
    priority: int = 0


@dataclass(frozen=True)
class Keyframe:
    """A named configuration, in the order of the joints."""

    name: str
    q: tuple[float, ...]
    v: tuple[float, ...]
    control: tuple[float, ...] = ()


@dataclass(frozen=True)
class Loop:
    """A constraint beyond the tree, that closes a loop of links or couples two joints.

    By kind: the points of both links coincide (connect), have no distance across `axis` (line) or
    along it (plane), or the frames of both coincide (weld). A joint follows another one (joint):
    q1 - reference1 = sum of coefficients[k] (q2 - reference2)^k, or is held if `second` is "".
    """

    name: str
    kind: str  # one of LOOP_KINDS
    first: str  # link or WORLD; joint
    second: str
    positions: tuple[Vector, Vector] = (NOWHERE, NOWHERE)  # of the points in both links [m]
    quaternions: tuple[Quaternion, Quaternion] = (UNTURNED, UNTURNED)  # of the frames welded
    axis: Vector = (1.0, 0.0, 0.0)  # unit vector in the first link
    coefficients: tuple[float, ...] = ()
    references: tuple[float, float] = (0.0, 0.0)  # [rad or m]


@dataclass(frozen=True)
class Description:
    """A robot as its file describes it: links in a tree under WORLD, or only shapes on WORLD.

    Loops may close beyond the tree.
    """

    name: str
    source: str  # file it was read from, or the code that made it
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]  # the order of the coordinates in q and v
    shapes: tuple[Shape, ...] = ()
    frames: tuple[Frame, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    materials: tuple[Material, ...] = ()
    keyframes: tuple[Keyframe, ...] = ()
    contact_pairs: tuple[tuple[str, str], ...] = ()  # shapes that collide, masks or excludes or not
    friction_pairs: tuple[tuple[str, str, float], ...] = ()  # of bodies of two materials, if given
    contact_excludes: tuple[tuple[str, str], ...] = ()  # links that do not collide with each other
    loops: tuple[Loop, ...] = ()
    visuals: tuple[Visual, ...] = field(default=(), compare=False)  # drawn, never touched
    notes: tuple[str, ...] = field(default=())  # remarks for the user on how the file was read
