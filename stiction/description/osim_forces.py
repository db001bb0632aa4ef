"""Forces, constraints, contact geometry and markers of an OpenSim model."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from stiction.description.description import Actuator, Frame, Loop, Shape
from stiction.description.osim_functions import KNOWN, Function, function_of
from stiction.description.osim_joints import Chains
from stiction.description.osim_model import OsimModel, placed
from stiction.description.osim_scale import Factors
from stiction.description.osim_text import Element, numbers_of
from stiction.description.plain import quaternion_of, unique, vector
from stiction.description.rotation import Pose, about, matrix, quaternion
from stiction.errors import ModelFileError

FORCES = ("refused", "ignored")
CONTACT_FORCES = ("HuntCrossleyForce", "ElasticFoundationForce", "SmoothSphereHalfSpaceForce")
HALF_SPACE = matrix(about((0.0, 1.0, 0.0), -np.pi / 2))  # our plane faces z, OpenSim's -x


class Rest:
    """Reads everything that is not a body or a joint, into lists of a description."""

    def __init__(self, model: OsimModel, chains: Chains, factors: Factors, forces: str) -> None:
        """`chains` knows where all bodies are."""
        self.model, self.chains, self.factors, self.forces = model, chains, factors, forces
        self.shapes: list[Shape] = []
        self.frames: list[Frame] = []
        self.actuators: list[Actuator] = []
        self.taken: set[str] = set()

    def read(self) -> None:
        """Read all sets; complaints are collected in the chains."""
        element = self.model.element
        sets = {
            "ForceSet": self._force,
            "ControllerSet": self._controller,
            "ConstraintSet": self._constraint,
            "ContactGeometrySet": self._geometry,
            "MarkerSet": self._marker,
        }
        for tag, read in sets.items():
            for one in element.objects(tag):
                try:
                    read(one)
                except ModelFileError as error:
                    self.chains.refused.append(str(error))
        for one in element.objects("ComponentSet"):
            self.chains.note("left out of <ComponentSet>:", f"<{one.tag}> {one.name}")

    # ------------------------------------------------------------------------------------- forces

    def _force(self, element: Element) -> None:
        if not element.flag("appliesForce", not element.flag("isDisabled")):
            return
        if element.tag == "CoordinateActuator":
            self._actuator(element)
        elif element.tag == "SpringGeneralizedForce":
            self._spring(element)
        elif element.tag in CONTACT_FORCES:
            name = f"<{element.tag}> {element.name}"
            self.chains.note("the contact model replaces", name)
        else:
            self._leave_out(element, "is not simulated")

    def _controller(self, element: Element) -> None:
        if element.flag("enabled", not element.flag("isDisabled")):
            self._leave_out(element, "is a controller, which is not simulated")

    def _leave_out(self, element: Element, why: str) -> None:
        if self.forces == "ignored":
            self.chains.note("ignored, as asked:", f"<{element.tag}> {element.name}")
        else:
            remedy = "remove it, or load with OsimOptions(forces='ignored')"
            self.chains.refused.append(f"{element.where} {why}; {remedy}")

    def _driven(self, element: Element) -> str | None:
        """The joint of the coordinate that a force acts on; None if it does not move."""
        name = element.word("coordinate").rpartition("/")[2]
        known = self.model.coordinates
        if name not in known:
            raise ModelFileError(
                f"{element.where} acts on '{name[:80]}', which is not a coordinate; name one"
            )
        if name not in self.chains.joint_of:
            self.chains.note("forces on coordinates without a joint of their own:", element.name)
        return self.chains.joint_of.get(name)

    def _actuator(self, element: Element) -> None:
        joint = self._driven(element)
        if joint is None:
            return
        force = element.optional("optimal_force", (1.0,))[0]
        low, high = (
            _bound(element, f"{end}_control", e) for end, e in (("min", -inf), ("max", inf))
        )
        name = unique(element.name or joint, self.taken)
        made = Actuator(name, joint, gain=(force, 0.0, 0.0), control_lower=low, control_upper=high)
        self.actuators.append(made)

    def _spring(self, element: Element) -> None:
        joint = self._driven(element)
        if joint is None:
            return
        [k] = element.optional("stiffness", (0.0,))
        [rest] = element.optional("rest_length", (0.0,))
        [damping] = element.optional("viscosity", (0.0,))
        joints = self.chains.joints
        i = [one.name for one in joints].index(joint)
        if joints[i].stiffness or joints[i].damping:
            raise ModelFileError(f"{element.where} is a second spring on '{joint}'; keep one")
        joints[i] = replace(joints[i], stiffness=k, damping=damping, spring_reference=rest)

    # -------------------------------------------------------------------------------- constraints

    def _constraint(self, element: Element) -> None:
        if not element.flag("isEnforced", not element.flag("isDisabled")):
            return
        if element.tag == "CoordinateCouplerConstraint":
            self._coupler(element)
        elif element.tag in ("PointConstraint", "WeldConstraint"):
            kind = "connect" if element.tag == "PointConstraint" else "weld"
            ends = [self._end(element, k) for k in "12"]
            self._loop(element, kind, ends)
        elif element.tag == "PointOnLineConstraint":
            words = ("socket_line_body", "line_body"), ("socket_follower_body", "follower_body")
            points = ("point_on_line", "point_on_follower")
            ends = []
            for sockets, point in zip(words, points, strict=True):
                body, pose = self._find(element, *sockets)
                at = self.factors[body] * np.array(element.optional(point, (0.0, 0.0, 0.0)))
                ends.append(self._on_link(body, pose.then(Pose(at, np.eye(3)))))
            along = np.array(element.numbers("line_direction_vec", 3))
            if not along.any():
                raise ModelFileError(f"{element.where} has the direction 0 0 0; give another one")
            self._loop(element, "line", ends, along / np.linalg.norm(along))
        else:
            known = "CoordinateCoupler, Point, Weld and PointOnLine"
            raise ModelFileError(f"{element.where} is refused; this reader knows {known}Constraint")

    def _coupler(self, element: Element) -> None:
        names = element.word("independent_coordinate_names").split()
        dependent = element.word("dependent_coordinate_name")
        known = self.model.coordinates
        missing = [name for name in (dependent, *names) if name not in known]
        if len(names) != 1 or missing:
            raise ModelFileError(
                f"{element.where} couples '{dependent}' with '{' '.join(names)}'; "
                "expected one coordinate each"
            )
        holder = element.required("coupled_coordinates_function")
        if len(holder.children) != 1 or holder.children[0].tag not in KNOWN:
            found = ", ".join(f"<{one.tag}>" for one in holder.children) or "nothing"
            raise ModelFileError(f"{holder.where} is {found}; this reader knows {', '.join(KNOWN)}")
        function = function_of(holder, Function()).scaled(
            element.optional("scale_factor", (1.0,))[0]
        )
        leader, follower = (self.chains.joint_of.get(name) for name in (names[0], dependent))
        if leader is None or follower is None:
            self.chains.note("couplings of coordinates that do not move:", element.name)
            return
        what = f"{element.where}: {dependent}"
        joint = next(one for one in self.chains.joints if one.name == follower)
        simple = self.chains.simplified(function, known[names[0]], what, joint.type == "revolute")
        loop = Loop(element.name, "joint", follower, leader, coefficients=simple.coefficients)
        self.chains.loops.append(loop)

    def _end(self, element: Element, k: str) -> tuple[str, Pose]:
        """One end of a constraint between two bodies, as a pose on a link."""
        sockets = (f"socket_body_{k}", f"socket_frame{k}", f"body_{k}")
        body, pose = self._find(element, *sockets)
        own = placed(element, f"location_body_{k}", f"orientation_body_{k}")
        return self._on_link(body, pose.then(self.factors.pose(body, own)))

    def _loop(
        self,
        element: Element,
        kind: str,
        ends: list[tuple[str, Pose]],
        axis: np.ndarray | None = None,
    ) -> None:
        (first, a), (second, b) = ends
        along = a.rotation @ axis if axis is not None else np.array([1.0, 0.0, 0.0])
        turns = [quaternion_of(quaternion(pose.rotation)) for pose in (a, b)]
        positions = vector(a.position), vector(b.position)
        loop = Loop(
            element.name, kind, first, second, positions, (turns[0], turns[1]), vector(along)
        )
        self.chains.loops.append(loop)

    # -------------------------------------------------------------------------- geometry, markers

    def _find(self, element: Element, *sockets: str) -> tuple[str, Pose]:
        """Body and scaled pose of the frame that a child of an element names."""
        body, pose = self.model.frames.find(element.word(*sockets), "", element)
        return body, self.factors.pose(body, pose)

    def _on_link(self, body: str, pose: Pose) -> tuple[str, Pose]:
        """A pose on a body as a pose on its link."""
        return self.chains.link_of[body], self.chains.on_link[body].then(pose)

    def _geometry(self, element: Element) -> None:
        if element.tag not in ("ContactSphere", "ContactHalfSpace"):
            self._leave_out(element, "does not collide here")
            return
        body, frame = self._find(element, "socket_frame", "body_name")
        own = self.factors.pose(body, placed(element, "location", "orientation"))
        link, pose = self._on_link(body, frame.then(own))
        name = unique(element.name or element.tag, self.taken)
        if element.tag == "ContactSphere":
            radius = element.numbers("radius", 1)[0] * float(np.prod(self.factors[body])) ** (1 / 3)
            kind, size, turn = "sphere", [radius], np.eye(3)
        else:
            kind, size, turn = "plane", [], pose.rotation @ HALF_SPACE
        where = vector(pose.position), quaternion_of(quaternion(turn))
        self.shapes.append(Shape(name, link, kind, tuple(size), *where))

    def _marker(self, element: Element) -> None:
        body, frame = self._find(element, "socket_parent_frame", "body")
        at = self.factors[body] * np.array(element.numbers("location", 3))
        link, pose = self._on_link(body, frame.then(Pose(at, np.eye(3))))
        turn = quaternion_of(quaternion(pose.rotation))
        name = unique(element.name or f"marker{element.line}", self.taken)
        self.frames.append(Frame(name, link, vector(pose.position), turn))


def _bound(element: Element, tag: str, otherwise: float) -> float:
    """A bound, which may be infinite."""
    text = element.word(tag).lower()
    if text in ("", "inf", "-inf", "infinity", "-infinity"):
        return otherwise if not text else float(text)
    return numbers_of(element.required(tag), 1)[0]
