"""Joints of an OpenSim model as chains of hinges and slides.

A joint that moves by several coordinates becomes several joints, with massless links between them:
first the slides along the axes of the parent, then the hinges in their order. Each joint has the
name of its coordinate. An axis that follows a coordinate which moves another axis already is a
joint of its own, `coordinate/axis`, held to that coordinate by a loop (docs/loops.md).
"""

from __future__ import annotations

from math import inf

import numpy as np

from stiction.description.description import WORLD, Joint, Link, Loop
from stiction.description.osim_functions import Function
from stiction.description.osim_model import GROUND, JOINTS, Axis, Coordinate, OsimJoint
from stiction.description.plain import first_few, quaternion_of, vector
from stiction.description.rotation import Pose, about, matrix, quaternion

MOVING_AXES = ("refused", "fixed", "coupled")
NO_INERTIA = (0.0,) * 6
ONE = 1e-9  # tolerance on slopes of one, of files with nine digits
WIDE = 2 * np.pi  # range of a coordinate without limits, for splines [rad]
SAME = 1e-12  # of poses that coincide


def is_identity(pose: Pose) -> bool:
    """Whether a frame coincides with the other."""
    return bool(
        np.abs(pose.position).max() < SAME and np.abs(pose.rotation - np.eye(3)).max() < SAME
    )


def moved_by(axis: Axis, value: float) -> Pose:
    """The motion along or about an axis."""
    if axis.turns:
        return Pose(np.zeros(3), matrix(about(axis.direction, value)))
    return Pose(value * axis.direction, np.eye(3))


class Chains:
    """Makes links, joints and loops; collects what is refused and what was approximated."""

    def __init__(self, moving_axes: str, floating: bool, up: Pose) -> None:
        """`up`: the ground of the file in our world."""
        self.moving_axes, self.floating = moving_axes, floating
        self.links: list[Link] = []
        self.joints: list[Joint] = []
        self.loops: list[Loop] = []
        self.home: list[float] = []
        self.on_link: dict[str, Pose] = {GROUND: up}  # body in its link's frame
        self.link_of: dict[str, str] = {GROUND: WORLD}
        self.joint_of: dict[str, str] = {}  # coordinate -> joint
        self.refused: list[str] = []
        self.notes: dict[str, list[str]] = {}

    def note(self, what: str, which: str) -> None:
        """Add to a note for the user."""
        self.notes.setdefault(what, []).append(which)

    def listed(self) -> list[str]:
        """Notes for the user."""
        return [f"{what} {first_few(names)}" for what, names in self.notes.items()]

    def add(self, joint: OsimJoint) -> None:
        """The chain from a joint's parent, which is known, to its child."""
        begin = self.on_link[joint.parent].then(joint.parent_pose)
        if joint.kind not in JOINTS and joint.kind != "CustomJoint":
            known = ", ".join([*JOINTS, "CustomJoint"])
            self.refused.append(f"{joint.element.where} is refused; this reader knows {known}")
        if joint.kind == "FreeJoint" or (self.floating and joint.parent == GROUND):
            self._free(joint, begin)
        elif joint.kind == "BallJoint" and not any(c.locked for c in joint.coordinates.values()):
            self._spherical(joint, begin)
        else:
            self._chain(joint, begin)

    # ------------------------------------------------------------------------------ whole joints

    def _free(self, joint: OsimJoint, begin: Pose) -> None:
        moving = [axis for axis in joint.axes if not axis.function.is_constant]
        single = {axis.coordinate for axis in moving}
        right = len(moving) == len(single) == 6 and all(_is_one(a.function) for a in moving)
        if joint.parent != GROUND or not right:
            what = "is a FreeJoint on a body" if joint.parent != GROUND else "has not six freedoms"
            self.refused.append(f"{joint.element.where} {what}; a free base moves on the ground")
        at = begin
        for axis in joint.axes:
            at = at.then(moved_by(axis, self._default(joint, axis)))
        self.home += [*at.position.tolist(), *quaternion(at.rotation).tolist()]
        self._end(joint, Joint(joint.name, "free", WORLD, joint.child), Pose.identity())

    def _spherical(self, joint: OsimJoint, begin: Pose) -> None:
        turn = Pose.identity()
        for axis in joint.axes:
            turn = turn.then(moved_by(axis, self._default(joint, axis)))
        self.home += quaternion(turn.rotation).tolist()
        made = self._joint(joint.name, "spherical", self.link_of[joint.parent], joint.child, begin)
        self._end(joint, made, Pose.identity())

    def _default(self, joint: OsimJoint, axis: Axis) -> float:
        known = joint.coordinates.get(axis.coordinate)
        return float(axis.function.at(known.default if known else 0.0))

    def _joint(
        self, name: str, kind: str, parent: str, child: str, at: Pose, **more: object
    ) -> Joint:
        placed = vector(at.position), quaternion_of(quaternion(at.rotation))
        return Joint(name, kind, parent, child, *placed, **more)  # type: ignore[arg-type]

    def _end(self, joint: OsimJoint, last: Joint, rest: Pose) -> None:
        """Put the child on the frame of its last joint."""
        self.joints.append(last)
        self.on_link[joint.child] = rest.then(joint.child_pose.inverse())
        self.link_of[joint.child] = joint.child

    # ------------------------------------------------------------------------------------- chains

    def _chain(self, joint: OsimJoint, begin: Pose) -> None:
        at, parent = begin, self.link_of[joint.parent]
        waiting: Joint | None = None  # its child is the body unless another joint follows
        owned: set[str] = set()
        leaders = self._leaders(joint)
        for axis in joint.axes:
            function = self._function(joint, axis)
            coordinate = joint.coordinates.get(axis.coordinate)
            if function.is_constant or coordinate is None:
                at = at.then(moved_by(axis, float(function.at(0.0))))
                continue
            if waiting is not None:
                parent = self._between(waiting)
            if leaders.get(coordinate.name) == axis.name:
                waiting, at = self._leader(axis, function, coordinate, parent, joint.child, at)
                owned.add(coordinate.name)
            else:
                waiting, at = self._follower(axis, function, coordinate, parent, joint.child, at)
        for name in {axis.coordinate for axis in joint.axes if axis.coordinate} - owned:
            if not joint.coordinates[name].locked and self.moves(joint, name):
                self.refused.append(
                    f"{joint.element.where}: no axis moves one to one with coordinate '{name}'; "
                    "give it an axis whose function has the slope 1 or -1"
                )
        if waiting is None:
            fixed = self._joint(joint.name, "fixed", parent, joint.child, at)
            self._end(joint, fixed, Pose.identity())
        else:
            self._end(joint, waiting, at)

    def moves(self, joint: OsimJoint, name: str) -> bool:
        """Whether a coordinate moves an axis after simplification."""
        own = [axis for axis in joint.axes if axis.coordinate == name]
        return any(not self._function(joint, axis, quiet=True).is_constant for axis in own)

    def _leaders(self, joint: OsimJoint) -> dict[str, str]:
        """The axis that carries each coordinate: the first that moves one to one with it.

        A turn is preferred, so that the axis of a knee carries its angle, not its slides.
        """
        found: dict[str, str] = {}
        for axis in sorted(joint.axes, key=lambda one: not one.turns):
            if _is_one(axis.function) and axis.coordinate not in found:
                found[axis.coordinate] = axis.name
        return found

    def _between(self, waiting: Joint) -> str:
        """Give the joint that waits for its child a massless link."""
        name = f"{waiting.child}/{waiting.name}"
        self.links.append(Link(name, 0.0, (0.0, 0.0, 0.0), NO_INERTIA))
        placed = waiting.position, waiting.quaternion, waiting.axis, waiting.lower, waiting.upper
        self.joints.append(Joint(waiting.name, waiting.type, waiting.parent, name, *placed))
        return name

    def _leader(
        self, axis: Axis, function: Function, one: Coordinate, parent: str, child: str, at: Pose
    ) -> tuple[Joint, Pose]:
        """The joint of a coordinate, and the pose after it."""
        intercept, slope = function.coefficients[:2]
        at = at.then(moved_by(axis, intercept))
        limits = (one.low, one.high) if one.clamped else (-inf, inf)
        if not one.clamped and np.isfinite([one.low, one.high]).any():
            self.note("ranges that are not clamped are no limits: coordinates", one.name)
        kind = "revolute" if axis.turns else "prismatic"
        direction = vector(np.sign(slope) * axis.direction)
        more = {"axis": direction, "lower": limits[0], "upper": limits[1]}
        self.joint_of[one.name] = one.name
        self.home.append(one.default)
        return self._joint(one.name, kind, parent, child, at, **more), Pose.identity()

    def _follower(
        self, axis: Axis, function: Function, one: Coordinate, parent: str, child: str, at: Pose
    ) -> tuple[Joint, Pose]:
        """A joint that a loop holds to a coordinate, and the pose after it."""
        name, kind = f"{one.name}/{axis.name}", "revolute" if axis.turns else "prismatic"
        loop = Loop(name, "joint", name, one.name, coefficients=function.coefficients)
        self.loops.append(loop)
        self.home.append(float(function.at(one.default)))
        made = self._joint(name, kind, parent, child, at, axis=vector(axis.direction))
        return made, Pose.identity()

    def _function(self, joint: OsimJoint, axis: Axis, quiet: bool = False) -> Function:
        """The function of an axis as it can be simulated."""
        one = joint.coordinates.get(axis.coordinate)
        if one is None or axis.function.is_constant:
            return axis.function
        if one.locked:
            if not quiet:
                self.note("locked coordinates are fixed:", one.name)
            return Function((float(axis.function.at(one.default)),))
        what = f"{joint.element.where}: {axis.name}"
        return self.simplified(axis.function, one, what, axis.turns, quiet)

    def simplified(
        self, function: Function, one: Coordinate, what: str, turns: bool, quiet: bool = False
    ) -> Function:
        """A function of a coordinate without splines, or a complaint."""
        if not function.kind:
            return function
        low = one.low if np.isfinite(one.low) else -WIDE
        high = one.high if np.isfinite(one.high) else WIDE
        constant = Function((float(function.at(one.default)),))
        if self.moving_axes == "refused":
            if not quiet:
                self.refused.append(
                    f"{what} follows '{one.name}' on a {function.kind}, which is not simulated; "
                    "load with OsimOptions(moving_axes='coupled') or 'fixed'"
                )
            return constant
        if self.moving_axes == "fixed":
            q = np.linspace(low, high, 400)
            simple, error = constant, float(np.abs(function.at(q) - constant.at(q)).max())
        else:
            simple, error = function.polynomial(low, high)
        if not quiet:
            size = f"{np.degrees(error):.2g} degrees" if turns else f"{1e3 * error:.2g} mm"
            which = f"{one.name}/{what.rpartition(' ')[2]} by at most {size}"
            self.note(f"splines are {self.moving_axes}, which errs over the range:", which)
        return simple


def _is_one(function: Function) -> bool:
    """Whether a function has the slope 1 or -1."""
    return function.is_line and abs(abs(function.coefficients[1]) - 1.0) < ONE
