"""Traversal of a Humanoid: its joints, bodies, shapes and sensors in the order of the file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stiction.description.description import WORLD, Joint, Shape
from stiction.description.openhrp_fields import (
    OPENHRP,
    SENSORS,
    Affine,
    nodes,
    not_negative,
    number,
    numbers,
    pose_of,
    string,
    transform,
    truth,
    whole,
)
from stiction.description.openhrp_joints import axis_of, effort_of, limits
from stiction.description.openhrp_shapes import quaternion, solid_of
from stiction.description.openhrp_visuals import visual_of_node
from stiction.description.plain import first_few, vector
from stiction.description.rotation import Pose
from stiction.description.visual import Visual
from stiction.description.vrml_nodes import VRML97, Node

TYPES = {"free": "free", "fixed": "fixed", "rotate": "revolute", "slide": "prismatic"}
UNSEEN = frozenset(  # children that neither move nor touch anything
    "Background ColorInterpolator CoordinateInterpolator CylinderSensor DirectionalLight Fog "
    "NavigationInfo NormalInterpolator OrientationInterpolator PlaneSensor PointLight "
    "PositionInterpolator ProximitySensor ScalarInterpolator Script Sound SphereSensor SpotLight "
    "TimeSensor TouchSensor Viewpoint VisibilitySensor WorldInfo".split()
)
MOST_VISITS = 100_000  # nodes, counting each USE
MOST_SHAPES = 10_000
MOST_SENSORS = 1000
Body = tuple[float, np.ndarray, np.ndarray]  # mass, centre, inertia matrix about it


class Place(NamedTuple):
    """Place of a node in the tree."""

    link: str
    frame: Affine  # of the node in the link
    segment: str = ""  # that contains it
    collides: bool = True
    plain: bool = True  # not inside a Surface or Collision, which define whether it collides


class Tree:
    """Results of the traversal so far."""

    def __init__(self, humanoid: Pose, base: str | None, hull_points: int) -> None:
        """Start with the pose of the Humanoid and the root's type, None for the file's own."""
        self.humanoid, self.base, self.hull_points = humanoid, base, hull_points
        self.refused: list[str] = []  # what is not simulated
        self.extra: list[Node] = []  # ExtraJoints
        self.root = Pose.identity()  # of the root link in the world
        self.joints: list[Joint] = []
        self.bodies: dict[str, list[Body]] = {}  # by link
        self.shapes: list[Shape] = []
        self.visuals: list[Visual] = []
        self.sensors: list[tuple[Node, str, Pose]] = []
        self.remarks: dict[str, list[str]] = {}  # and the names they refer to
        self.ids: dict[int, str] = {}
        self.shape_names: dict[str, int] = {}  # and how often each was requested
        self.surfaced: set[str] = set()  # links with a Surface: their other shapes are visual only
        self.plain: set[str] = set()  # shapes

    def walk(self, root: Node) -> None:
        """Visit the root joint and everything in it, depth first; USE may repeat nodes."""
        waiting = [(root, Place(WORLD, Affine.identity()))]
        count = 0
        while waiting:
            node, place = waiting.pop()
            count += 1
            if count > MOST_VISITS:
                node.refuse(
                    f"is one of more than {MOST_VISITS} nodes, counting each USE; use fewer"
                )
            waiting += reversed(self._visit(node, place))
        self.shapes = [
            shape
            if shape.link not in self.surfaced or shape.name not in self.plain
            else Shape(**{**vars(shape), "collides": False})
            for shape in self.shapes
        ]

    def notes(self) -> list[str]:
        """Notes for the user, one line for each kind of remark."""
        return [f"{remark}: {first_few(names)}" for remark, names in self.remarks.items()]

    def _remark(self, remark: str, name: str) -> None:
        self.remarks.setdefault(remark, []).append(name)

    def _visit(self, node: Node, place: Place) -> list[tuple[Node, Place]]:
        """Process one node; returns the nodes to visit next, in order."""
        if node.type == "Joint":
            return self._joint(node, place)
        if node.type == "Segment":
            return self._segment(node, place)
        if node.type in SENSORS:
            return self._sensor(node, place)
        if node.type == "Shape":
            return self._shape(node, place)
        if node.type == "ExtraJoint":
            self.extra.append(node)
            return []
        if node.type == "Humanoid":
            node.refuse("is inside another one; a file holds one robot")
        return self._group(node, place)

    def _group(self, node: Node, place: Place) -> list[tuple[Node, Place]]:
        """Nodes to visit in a grouping node."""
        if node.type == "Transform":
            place = place._replace(frame=place.frame.then(transform(node)))
        if node.type == "Inline":
            return [(child, place) for child in node.inlined]
        if node.type == "Switch":
            choice, chosen = nodes(node, "choice"), whole(node, "whichChoice", -1)
            return [(choice[chosen], place)] if 0 <= chosen < len(choice) else []
        if node.type == "LOD":
            return [(child, place) for child in nodes(node, "level")[:1]]
        if node.type == "Collision":
            return self._collision(node, place)
        if node.type == "Surface":
            self.surfaced.add(place.link)
            seen, touched = (place._replace(collides=c, plain=False) for c in (False, True))
            visual = [(child, seen) for child in nodes(node, "visual")]
            return visual + [(child, touched) for child in nodes(node, "collision")]
        if node.type in UNSEEN and node.proto is None:
            return []
        if node.type not in ("Transform", "Group", "Anchor", "Billboard"):
            if node.type in VRML97 or node.type in OPENHRP:
                node.refuse("cannot be a child; put geometry into a Shape, or remove it")
            self._remark("PROTOs of which only the children are read", node.type)
        return [(child, place) for child in nodes(node, "children")]

    def _collision(self, node: Node, place: Place) -> list[tuple[Node, Place]]:
        """VRML's own collision control: its children do not collide, or a proxy does instead."""
        proxy = nodes(node, "proxy")
        collide = truth(node, "collide", True)
        inside = place if collide and not proxy else place._replace(collides=False)
        found = [(child, inside) for child in nodes(node, "children")]
        return found + [(child, place) for child in proxy if collide]

    def _joint(self, node: Node, place: Place) -> list[tuple[Node, Place]]:
        name = node.name or string(node, "name")
        if not name:
            node.refuse("has no name; write DEF and a name before it")
        if place.segment:
            node.refuse(f"is inside Segment '{place.segment}'; a Joint is a child of a Joint")
        if name in self.bodies:
            node.refuse("is defined twice; give every Joint a unique name")
        if name == WORLD:
            node.refuse("has a name that is reserved for the fixed world; rename it")
        pose = place.frame.rigid(node).then(pose_of(node))
        root = place.link == WORLD
        if root:
            pose = self.root = self.humanoid.then(pose)
        kind = self._type(node, root)
        self._check_id(node, name)
        self.bodies[name] = []
        self.joints.append(self._made(node, name, kind, place.link, pose))
        inside = Place(name, Affine.identity())
        return [(child, inside) for child in nodes(node, "children")]

    def _type(self, node: Node, root: bool) -> str:
        given = string(node, "jointType")
        if given in ("crawler", "pseudoContinuousTrack"):
            complaint = f"has jointType '{given}', a track, which is not simulated; remove it"
            self.refused.append(node.complaint(complaint, "jointType"))
            return "fixed"
        if given not in TYPES:
            known = ", ".join(TYPES)
            node.refuse(f"has jointType '{given}'; this reader knows {known}", "jointType")
        if root and self.base is not None:
            return self.base
        if given == "free" and not root:
            node.refuse("is free; only the root of a robot can be", "jointType")
        return TYPES[given]

    def _check_id(self, node: Node, name: str) -> None:
        identity = whole(node, "jointId", -1)
        if identity >= 0 and identity in self.ids:
            found = f"jointId {identity} belongs to several joints"
            self._remark(found, f"{self.ids[identity]}, {name}")
        self.ids.setdefault(identity, name)

    def _made(self, node: Node, name: str, kind: str, parent: str, pose: Pose) -> Joint:
        if kind == "free":
            return Joint(name, kind, parent, name)  # its coordinates are absolute
        placed = (vector(pose.position), quaternion(pose.rotation))
        if kind == "fixed":
            return Joint(name, kind, parent, name, *placed)
        lower, upper = limits(node, "llimit", "ulimit")
        slowest, fastest = limits(node, "lvlimit", "uvlimit")
        if lower == upper == 0.0:
            self._remark("joints held at zero by llimit 0 and ulimit 0, as OpenHRP does", name)
        effort = effort_of(node)
        return Joint(
            name,
            kind,
            parent,
            name,
            *placed,
            axis=axis_of(node),
            lower=lower,
            upper=upper,
            armature=self._armature(node, name),
            effort_lower=-effort,
            effort_upper=effort,
            speed_limit=max(min(-slowest, fastest), 0.0),
        )

    def _armature(self, node: Node, name: str) -> float:
        """Inertia of the rotor reflected to the joint; OpenHRP's Jm2."""
        rotor = not_negative(node, "rotorInertia", 0.0)
        gear = number(node, "gearRatio", 1.0)
        equivalent = not_negative(node, "equivalentInertia", 0.0)
        if rotor and equivalent:
            remark = "equivalentInertia is not used, because rotorInertia is given"
            self._remark(remark, name)
        armature = rotor * gear * gear if rotor else equivalent
        if not np.isfinite(armature):
            node.refuse(f"has gearRatio {gear:g}; its rotor would be infinitely heavy", "gearRatio")
        return armature

    def _segment(self, node: Node, place: Place) -> list[tuple[Node, Place]]:
        if place.segment:
            node.refuse(f"is inside Segment '{place.segment}'; make it a child of the Joint")
        mass = not_negative(node, "mass", 0.0)
        inertia = numbers(node, "momentsOfInertia", 9, (0.0,) * 9).reshape(3, 3)
        if np.abs(inertia - inertia.T).max() > 1e-6 * np.abs(inertia).max():
            complaint = "has momentsOfInertia that are not symmetric"
            node.refuse(f"{complaint}; give the matrix row by row", "momentsOfInertia")
        if mass == 0.0 and inertia.any():
            complaint = "has mass 0 and momentsOfInertia that are not zero"
            node.refuse(f"{complaint}; give it a mass, or no inertia", "momentsOfInertia")
        centre = numbers(node, "centerOfMass", 3, (0.0, 0.0, 0.0))
        pose = place.frame.rigid(node)
        turned = pose.rotation @ ((inertia + inertia.T) / 2.0) @ pose.rotation.T
        body = (mass, pose.position + pose.rotation @ centre, turned)
        self.bodies[place.link].append(body)
        inside = place._replace(segment=node.name or string(node, "name") or "without DEF")
        return [(child, inside) for child in nodes(node, "children")]

    def _sensor(self, node: Node, place: Place) -> list[tuple[Node, Place]]:
        pose = place.frame.rigid(node).then(pose_of(node))
        if len(self.sensors) >= MOST_SENSORS:
            node.refuse(f"is one of more than {MOST_SENSORS} sensors, counting each USE; use fewer")
        self.sensors.append((node, place.link, pose))
        inside = place._replace(frame=Affine(*pose), collides=False)  # visual only in OpenHRP
        return [(child, inside) for child in nodes(node, "children")]

    def _shape_name(self, node: Node, wanted: str) -> str:
        """The name, with a number if it is taken."""
        if len(self.shapes) >= MOST_SHAPES:
            node.refuse(f"is one of more than {MOST_SHAPES} shapes, counting each USE; use fewer")
        name = wanted
        while name in self.shape_names:
            self.shape_names[wanted] += 1
            name = f"{wanted}_{self.shape_names[wanted]}"
        self.shape_names[name] = 1
        return name

    def _shape(self, node: Node, place: Place) -> list[tuple[Node, Place]]:
        geometry = nodes(node, "geometry")
        if len(geometry) > 1:
            node.refuse(f"has {len(geometry)} geometries; expected one", "geometry")
        for made_of in geometry:
            given = node.name or made_of.name
            name = given or f"{place.link}_{made_of.type}"
            solid = solid_of(made_of, place.frame, self.hull_points)
            if isinstance(solid, str):
                self._remark(f"{made_of.type} ignored, because it {solid}", name)
                continue
            name = self._shape_name(node, name)
            if solid.remark:
                self._remark(f"{made_of.type} {solid.remark}", name)
            if place.plain:
                self.plain.add(name)
            if place.plain or not place.collides:
                self.visuals += visual_of_node(node, made_of, solid, place.link, place.frame)
            self.shapes.append(
                Shape(
                    name,
                    place.link,
                    solid.kind,
                    solid.size,
                    solid.position,
                    solid.quaternion,
                    collides=place.collides,
                    vertices=solid.vertices,
                    error=solid.error,
                )
            )
        return []
