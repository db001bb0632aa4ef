"""Joints of a URDF file, and the rotor inertias from its transmissions."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stiction.description.description import WORLD, Joint, Loop, Quaternion, Vector
from stiction.description.plain import first_few, vector
from stiction.description.urdf_shapes import placed
from stiction.description.urdf_text import Element
from stiction.errors import ModelFileError

if TYPE_CHECKING:
    from yourdfpy.urdf import Joint as Parsed
    from yourdfpy.urdf import Limit

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

    def joint(self, parsed: Parsed, own: Element) -> Joint:
        """The joint, parsed by yourdfpy and by our scan; a refused one is fixed."""
        position, quaternion = placed(parsed.origin)
        try:
            return self._joint(parsed, own, position, quaternion)
        except ModelFileError as error:
            self.refused.append(str(error))
            return Joint(parsed.name, "fixed", parsed.parent, parsed.child, position, quaternion)

    def _joint(
        self, parsed: Parsed, own: Element, position: Vector, quaternion: Quaternion
    ) -> Joint:
        where = f"{self.source}, line {own.line}: joint '{parsed.name}'"
        self._refuse(parsed, where)
        if parsed.type == "fixed":
            if parsed.mimic is not None:
                self.held.append(parsed.name)
            return Joint(parsed.name, "fixed", parsed.parent, parsed.child, position, quaternion)
        if parsed.mimic is not None and self.choices.mimic == "followed":
            factors = (parsed.mimic.offset or 0.0, 1.0)
            if parsed.mimic.multiplier is not None:
                factors = (factors[0], parsed.mimic.multiplier)
            names = (parsed.name, parsed.mimic.joint)
            self.loops.append(Loop(f"{parsed.name}_mimic", "joint", *names, coefficients=factors))
        elif parsed.mimic is not None:
            self.mimics.append(parsed.name)
        if parsed.mimic is not None and self.choices.mimic == "fixed":
            return Joint(parsed.name, "fixed", parsed.parent, parsed.child, position, quaternion)
        if parsed.type == "floating":
            return Joint(parsed.name, "free", WORLD, parsed.child, position, quaternion)
        lower, upper = self._limits(parsed, own, where)
        effort, speed = self._bounds(parsed.limit, parsed.name)
        dynamics = own.one("dynamics")
        damping, friction, armature = (
            sum(dynamics.numbers(word)) if dynamics else 0.0
            for word in ("damping", "friction", "armature")
        )
        return Joint(
            parsed.name,
            "prismatic" if parsed.type == "prismatic" else "revolute",
            parsed.parent,
            parsed.child,
            position,
            quaternion,
            self._axis(parsed, where),
            lower,
            upper,
            armature=armature or self.armatures.get(parsed.name, 0.0),
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

    def _refuse(self, parsed: Parsed, where: str) -> None:
        if parsed.type == "planar":
            remedy = "use two prismatic and one revolute joint"
            raise ModelFileError(f"{where} is planar, which is not simulated; {remedy}")
        if parsed.type not in TYPES:
            known = ", ".join(TYPES)
            raise ModelFileError(f"{where} has type '{parsed.type}'; this reader knows {known}")
        if parsed.type == "floating" and parsed.parent != self.root:
            found = f"is floating and attached to '{parsed.parent}'"
            raise ModelFileError(
                f"{where} {found}; it can only be attached to the root, '{self.root}'"
            )
        if parsed.type == "floating" and self.choices.base != "fixed":
            found = f"is floating, and so is the root '{self.root}' with base='{self.choices.base}'"
            raise ModelFileError(f"{where} {found}; read the file with base='fixed'")

    def _axis(self, parsed: Parsed, where: str) -> Vector:
        largest = np.abs(parsed.axis).max()
        if largest == 0.0:
            raise ModelFileError(f"{where} has axis 0 0 0; give it a direction")
        direction = parsed.axis / largest
        if abs(np.linalg.norm(parsed.axis) - 1.0) > NEARLY_ONE:
            self.stretched.append(parsed.name)
        return vector(direction / np.linalg.norm(direction))

    def _limits(self, parsed: Parsed, own: Element, where: str) -> tuple[float, float]:
        if parsed.type == "continuous":
            return -inf, inf
        if parsed.limit is None:
            remedy = "give it one, or make it continuous if it turns without limits"
            raise ModelFileError(f"{where} is {parsed.type} and has no <limit>; {remedy}")
        given = (parsed.limit.lower, parsed.limit.upper)
        if given == (None, None):
            self.boundless.append(parsed.name)
            return -inf, inf
        if None in given:
            self.halved.append(parsed.name)
        return given[0] or 0.0, given[1] or 0.0

    def _bounds(self, limit: Limit | None, name: str) -> tuple[float, float]:
        """Bounds on effort and speed."""
        if limit is None:
            return inf, inf
        if limit.effort == 0.0:
            self.powerless.append(name)
        return limit.effort, limit.velocity

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
