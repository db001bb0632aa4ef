"""Joints of a URDF file, and the rotor inertias from its transmissions."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from stiction.description.description import WORLD, Joint, Loop, Vector
from stiction.description.plain import first_few, vector
from stiction.description.urdf_shapes import placed
from stiction.description.urdf_text import Element
from stiction.errors import ModelFileError

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating")
MIMICS = ("followed", "free", "fixed")
NEARLY_ONE = 1e-3  # an axis whose length deviates more from one gets a note
RATIOS = ("mechanicalReduction", "drake:gear_ratio")
ROTORS = ("rotorInertia", "drake:rotor_inertia")


class Choices(NamedTuple):
    """The user's choices for joints."""

    base: str  # one of BASES
    mimic: str  # one of MIMICS


class Joints:
    """Makes joints, and collects notes on how they were read."""

    def __init__(self, source: str, root: str, choices: Choices, robot: Element) -> None:
        """Start with the transmissions of the robot."""
        self.source, self.root, self.choices = source, root, choices
        self.mimics: list[str] = []
        self.held: list[str] = []  # mimic joints of type fixed
        self.stretched: list[str] = []
        self.halved: list[str] = []
        self.boundless: list[str] = []
        self.powerless: list[str] = []
        self.unplaced: list[str] = []
        self.refused: list[str] = []  # complaints
        self.loops: list[Loop] = []
        self.armatures = self._armatures(robot)

    def joint(self, own: Element) -> Joint:
        """The joint of an element; a refused one is fixed."""
        links = own.needed("parent").attributes["link"], own.needed("child").attributes["link"]
        position, quaternion = placed(own)
        fixed = Joint(own.attributes["name"], "fixed", *links, position, quaternion)
        try:
            return self._joint(own, fixed)
        except ModelFileError as error:
            self.refused.append(str(error))
            return fixed

    def _joint(self, own: Element, fixed: Joint) -> Joint:
        """The joint of an element, at the place of `fixed`."""
        name, kind, mimic = fixed.name, own.attributes["type"], own.one("mimic")
        where = f"{self.source}, line {own.line}: joint '{name}'"
        self._refuse(kind, fixed.parent, where)
        if kind == "fixed":
            if mimic is not None:
                self.held.append(name)
            return fixed
        if mimic is not None and self.choices.mimic == "followed":
            factors = (sum(mimic.numbers("offset")), *(mimic.numbers("multiplier") or [1.0]))
            names = (name, mimic.attributes["joint"])
            self.loops.append(Loop(f"{name}_mimic", "joint", *names, coefficients=factors))
        elif mimic is not None:
            self.mimics.append(name)
        if mimic is not None and self.choices.mimic == "fixed":
            return fixed
        if kind == "floating":
            return replace(fixed, type="free", parent=WORLD)
        lower, upper = self._limits(own, where)
        effort, speed = self._bounds(own, name)
        dynamics = own.one("dynamics")
        damping, friction, armature = (
            sum(dynamics.numbers(word)) if dynamics else 0.0
            for word in ("damping", "friction", "armature")
        )
        return Joint(
            name,
            "prismatic" if kind == "prismatic" else "revolute",
            fixed.parent,
            fixed.child,
            fixed.position,
            fixed.quaternion,
            self._axis(own, where),
            lower,
            upper,
            armature=armature or self.armatures.get(name, 0.0),
            damping=damping,
            friction=friction,
            effort_lower=-effort,
            effort_upper=effort,
            speed_limit=speed,
        )

    def notes(self) -> list[str]:
        """Notes for the user."""
        few = first_few
        noted = {
            f"mimic joints are {self.choices.mimic}:": self.mimics,
            "mimic ignored, because the joint is fixed: joints": self.held,
            "axes scaled to unit length: joints": self.stretched,
            "missing lower or upper limit taken as 0: joints": self.halved,
            "no limits, because <limit> has neither lower nor upper: joints": self.boundless,
            "effort limit 0, so nothing can drive them: joints": self.powerless,
            "rotor inertia ignored, because it needs exactly one joint and one actuator:"
            " transmissions": self.unplaced,
        }
        return [f"{what} {few(names)}" for what, names in noted.items() if names]

    def _refuse(self, kind: str, parent: str, where: str) -> None:
        if kind == "planar":
            remedy = "use two prismatic and one revolute joint"
            raise ModelFileError(f"{where} is planar, which is not simulated; {remedy}")
        if kind not in TYPES:
            known = ", ".join(TYPES)
            raise ModelFileError(f"{where} has type '{kind}'; this reader knows {known}")
        if kind == "floating" and parent != self.root:
            found = f"is floating and attached to '{parent}'"
            raise ModelFileError(
                f"{where} {found}; it can only be attached to the root, '{self.root}'"
            )
        if kind == "floating" and self.choices.base != "fixed":
            found = f"is floating, and so is the root '{self.root}' with base='{self.choices.base}'"
            raise ModelFileError(f"{where} {found}; read the file with base='fixed'")

    def _axis(self, own: Element, where: str) -> Vector:
        given = own.one("axis")
        axis = np.array(given.numbers("xyz") if given else [1.0, 0.0, 0.0])
        largest = np.abs(axis).max()
        if largest == 0.0:
            raise ModelFileError(f"{where} has axis 0 0 0; give it a direction")
        direction = axis / largest
        if abs(np.linalg.norm(axis) - 1.0) > NEARLY_ONE:
            self.stretched.append(own.attributes["name"])
        return vector(direction / np.linalg.norm(direction))

    def _limits(self, own: Element, where: str) -> tuple[float, float]:
        kind, limit = own.attributes["type"], own.one("limit")
        if kind == "continuous":
            return -inf, inf
        if limit is None:
            remedy = "give it one, or make it continuous if it turns without limits"
            raise ModelFileError(f"{where} is {kind} and has no <limit>; {remedy}")
        lower, upper = limit.numbers("lower"), limit.numbers("upper")
        if not lower and not upper:
            self.boundless.append(own.attributes["name"])
            return -inf, inf
        if not lower or not upper:
            self.halved.append(own.attributes["name"])
        return sum(lower), sum(upper)

    def _bounds(self, own: Element, name: str) -> tuple[float, float]:
        """Bounds on effort and speed."""
        limit = own.one("limit")
        if limit is None:
            return inf, inf
        (effort,), (speed,) = limit.numbers("effort"), limit.numbers("velocity")
        if effort == 0.0:
            self.powerless.append(name)
        return effort, speed

    def _armatures(self, robot: Element) -> dict[str, float]:
        """Rotor inertias reflected to the joints: inertia times the square of the gear ratio."""
        armatures: dict[str, float] = {}
        for transmission in robot.all("transmission"):
            joints, actuators = transmission.all("joint"), transmission.all("actuator")
            rotors = [_number(actuator, ROTORS, 0.0) for actuator in actuators]
            if not any(rotors):
                continue
            if len(joints) != 1 or len(actuators) != 1:
                self.unplaced.append(transmission.attributes.get("name", "without a name"))
                continue
            name, ratio = joints[0].attributes["name"], _number(actuators[0], RATIOS, 1.0)
            if name not in {joint.attributes["name"] for joint in robot.all("joint")}:
                where = f"{self.source}, line {joints[0].line}: {transmission.owner}"
                raise ModelFileError(f"{where} drives '{name}', which is not a joint; name one")
            armatures[name] = armatures.get(name, 0.0) + rotors[0] * ratio * ratio
        return armatures


def _number(actuator: Element, tags: tuple[str, ...], otherwise: float) -> float:
    """The number in the first child with one of these tags, as text or as a value."""
    for child in actuator.children:
        if child.tag in tags:
            return float(child.attributes.get("value", child.text))
    return otherwise
