"""The XML of a URDF file as a small tree of the elements that are read, each checked.

What is missing or there twice is refused, where other readers fill in a value (an inertia of
1 kg m2) or take the first of two elements.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple

from stiction.description.checks import MOST_LINKS
from stiction.description.xml_text import Scan
from stiction.errors import ModelFileError

KIND = "a URDF file"
LARGEST_URDF = 8_000_000  # [bytes]; the largest of 77 robots has 0.4 MB
LARGEST_NUMBER = 1e15  # except for limits; products of four of them are still finite
MOST_ELEMENTS = 100_000  # of those that are read
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
GEOMETRY = ("box", "cylinder", "sphere", "capsule", "mesh")


class Rule(NamedTuple):
    """What an element holds: `name:3` is an attribute of three numbers, `name` one of text."""

    required: str = ""
    optional: str = ""
    children: str = ""  # required exactly once
    many: bool = False  # whether its parent may have several


_ORIGIN = Rule(optional="xyz:3 rpy:3")
_SHAPE = {
    "": Rule(optional="name", children="geometry", many=True),
    "/origin": _ORIGIN,
    "/geometry": Rule(optional="name"),
    "/geometry/box": Rule("size:3"),
    "/geometry/cylinder": Rule("radius:1 length:1"),
    "/geometry/sphere": Rule("radius:1"),
    "/geometry/capsule": Rule("radius:1 length:1"),
    "/geometry/mesh": Rule("filename", "scale:3"),
}
RULES = {
    "robot": Rule("name", "version", many=True),
    "robot/link": Rule("name", "type", many=True),
    "robot/link/inertial": Rule(children="mass inertia"),
    "robot/link/inertial/origin": _ORIGIN,
    "robot/link/inertial/mass": Rule("value:1"),
    "robot/link/inertial/inertia": Rule("ixx:1 ixy:1 ixz:1 iyy:1 iyz:1 izz:1"),
    **{f"robot/link/visual{path}": rule for path, rule in _SHAPE.items()},
    **{f"robot/link/collision{path}": rule for path, rule in _SHAPE.items()},
    "robot/joint": Rule("name type", children="parent child", many=True),
    "robot/joint/origin": _ORIGIN,
    "robot/joint/parent": Rule("link"),
    "robot/joint/child": Rule("link"),
    "robot/joint/axis": Rule("xyz:3"),
    "robot/joint/limit": Rule("effort:1 velocity:1", "lower:1 upper:1"),
    "robot/joint/dynamics": Rule(optional="damping:1 friction:1 armature:1"),
    "robot/joint/mimic": Rule("joint", "multiplier:1 offset:1"),
    "robot/transmission": Rule(optional="name type", many=True),
    "robot/transmission/joint": Rule("name", many=True),
    "robot/transmission/actuator": Rule(optional="name", many=True),
    "robot/transmission/actuator/mechanicalReduction": Rule(),
    "robot/transmission/actuator/rotorInertia": Rule(),
    "robot/transmission/actuator/drake:gear_ratio": Rule("value:1"),
    "robot/transmission/actuator/drake:rotor_inertia": Rule("value:1"),
    "robot/gazebo": Rule(optional="reference", many=True),
    "robot/gazebo/sensor": Rule(optional="name type", many=True),
    "robot/gazebo/sensor/pose": Rule(many=True),
    "robot/gazebo/sensor/force_torque": Rule(many=True),
    "robot/gazebo/sensor/force_torque/frame": Rule(many=True),
    "robot/gazebo/sensor/force_torque/measure_direction": Rule(many=True),
}
WITH_NUMBER = ("mechanicalReduction", "rotorInertia")
WITH_TEXT = (*WITH_NUMBER, "pose", "frame", "measure_direction")
STRICT = ("inertial", "geometry")  # a misspelt child of these would alter the robot
COLOURS = ("robot/material", "robot/link/visual/material", "robot/link/collision/material")


@dataclass(slots=True)
class Element:
    """An element that is read, with its line."""

    tag: str
    line: int
    attributes: dict[str, str]
    owner: str  # the link or joint that it belongs to, for messages
    children: list[Element] = field(default_factory=list)
    text: str = ""
    paint: list[tuple[str, str]] = field(default_factory=list)  # name and rgba of its <material>s

    def all(self, tag: str) -> list[Element]:
        """Children of that tag."""
        return [child for child in self.children if child.tag == tag]

    def one(self, tag: str) -> Element | None:
        """The child of that tag, if there is one."""
        return next((child for child in self.children if child.tag == tag), None)

    def needed(self, tag: str) -> Element:
        """The child of that tag, which the scan has found."""
        child = self.one(tag)
        assert child is not None
        return child

    def numbers(self, attribute: str) -> list[float]:
        """Numbers of an attribute; none if it is not given."""
        return [float(token) for token in self.attributes.get(attribute, "").split()]


class UrdfScan(Scan):
    """Builds the tree under `root`, and counts skipped elements in `unread`."""

    def __init__(self, source: str, encoding: str | None = None) -> None:
        """Start with nothing read."""
        super().__init__(source, "a URDF file has a <robot> element", encoding)
        self.parser.CharacterDataHandler = self._text
        self.path = ""
        self.open: list[Element] = []
        self.root: Element | None = None
        self.skipped_from = 0  # depth of the current skipped element
        self.painting = False  # whether that is a <material>
        self.count: Counter[str] = Counter()
        self.unread: Counter[str] = Counter()

    def element(self, tag: str, attributes: dict[str, str]) -> None:
        """Add the element to the tree, or skip it with everything inside."""
        if self.depth == 1 and tag != "robot":
            message = f"the root element is <{tag}>; a URDF file has <robot>"
            raise ModelFileError(f"{self.where}: {message}")
        if tag.startswith("xacro:"):
            message = f"has <{tag}>; turn xacro into URDF first (xacro FILE > FILE.urdf)"
            raise ModelFileError(f"{self.where}: {message}")
        path = f"{self.path}/{tag}" if self.path else tag
        if self.skipped_from or path not in RULES:
            self._skip(tag, path)
            self._paint(tag, path, attributes)
            return
        self.path = path
        element = self._element(tag, attributes)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def ended(self, tag: str) -> None:
        """Go back to the parent."""
        if self.skipped_from:
            if self.depth == self.skipped_from:
                self.skipped_from, self.painting = 0, False
            return
        self._check_children(self.open.pop())
        self.path = self.path.rpartition("/")[0]

    def _skip(self, tag: str, path: str) -> None:
        if self.skipped_from:
            return
        parent = self.open[-1]
        if parent.tag in STRICT and ":" not in tag:
            known = [each.rpartition("/")[2] for each in RULES if each.startswith(f"{self.path}/")]
            message = f"<{parent.tag}> of {parent.owner} has <{tag}>; known are {', '.join(known)}"
            raise ModelFileError(f"{self.where}: {message}")
        self.skipped_from = self.depth
        if path not in COLOURS and not path.startswith("robot/transmission/"):
            self._leave_out(f"<{tag}>" if parent.tag == "robot" else f"<{tag}> of <{parent.tag}>")

    def _paint(self, tag: str, path: str, attributes: dict[str, str]) -> None:
        """Keep name and colour of a <material>; whatever is wrong with them is not drawn."""
        if self.depth == self.skipped_from and path in COLOURS:
            self.painting = True
            self.open[-1].paint.append((attributes.get("name", ""), ""))
        elif self.painting and tag == "color":
            name, _ = self.open[-1].paint.pop()
            self.open[-1].paint.append((name, attributes.get("rgba", "")))

    def _leave_out(self, what: str) -> None:
        if len(self.unread) < 1000 or what in self.unread:
            self.unread[what] += 1

    def _element(self, tag: str, attributes: dict[str, str]) -> Element:
        line = self.parser.CurrentLineNumber
        named = len(self.open) == 1 and f"{tag} '{attributes.get('name', '')[:80]}'"
        owner = named or (self.open[-1].owner if self.open else "the robot")
        self.count[tag] += 1
        if self.count.total() > MOST_ELEMENTS:
            message = f"has more than {MOST_ELEMENTS} elements, the maximum"
            raise ModelFileError(f"{self.where}: {message}")
        if len(self.open) == 1 and self.count[tag] > MOST_LINKS:
            message = f"has more than {MOST_LINKS} {tag}s, the maximum"
            raise ModelFileError(f"{self.where}: {message}")
        element = Element(tag, line, attributes, owner)
        self._check_attributes(element)
        return element

    def _check_attributes(self, element: Element) -> None:
        rule, given = RULES[self.path], element.attributes
        what = f"{self.where}: {_shown(element)}"
        known = dict(
            word.partition(":")[::2] for word in f"{rule.required} {rule.optional}".split()
        )
        for word in rule.required.split():
            attribute = word.partition(":")[0]
            if not given.get(attribute):
                raise ModelFileError(f"{what} has no {attribute}; give it one")
        for attribute, value in given.items():
            if attribute not in known:
                if not attribute.startswith("xmlns"):
                    self._leave_out(f"{attribute} of <{element.tag}>")
            elif known[attribute]:
                _check_numbers(value, int(known[attribute]), f"{what} has {attribute}")
        element.attributes = {word: value for word, value in given.items() if word in known}

    def _check_children(self, element: Element) -> None:
        tags = [child.tag for child in element.children]
        what = f"{self.source}, line {element.line}: {_shown(element)}"
        for tag in RULES[self.path].children.split():
            if tag not in tags:
                raise ModelFileError(f"{what} has no <{tag}>; give it one")
        for tag, count in Counter(tags).items():
            if count > 1 and not RULES[f"{self.path}/{tag}"].many:
                raise ModelFileError(f"{what} has {count} elements <{tag}>; keep one")
        if element.tag == "geometry" and len(tags) != 1:
            message = f"holds {len(tags)} shapes; expected one of {', '.join(GEOMETRY)}"
            raise ModelFileError(f"{what} {message}")
        if element.tag in WITH_NUMBER:
            _check_numbers(element.text, 1, f"{what} is")

    def _text(self, text: str) -> None:
        if not self.open or self.skipped_from or self.open[-1].tag not in WITH_TEXT:
            return
        if len(self.open[-1].text) < 1000:
            self.open[-1].text += text


def _shown(element: Element) -> str:
    """The element in messages: a robot, link or joint, or a part of one."""
    if element.tag == "robot" or element.owner.startswith(f"{element.tag} '"):
        return element.owner if element.attributes.get("name") else f"a <{element.tag}>"
    return f"<{element.tag}> of {element.owner}"


def _check_numbers(value: str, count: int, what: str) -> None:
    tokens = value.split()
    shown = f'"{value[:80]}"'
    if len(tokens) != count:
        words = "1 number" if count == 1 else f"{count} numbers"
        raise ModelFileError(f"{what} {shown}; expected {words}")
    for token in tokens:
        if not NUMBER.fullmatch(token) or not isfinite(float(token)):
            raise ModelFileError(f"{what} {shown}; write finite numbers")
        if abs(float(token)) > LARGEST_NUMBER and "<limit>" not in what:
            raise ModelFileError(f"{what} {shown}; the maximum is {LARGEST_NUMBER:g}")


def scan_urdf(data: bytes, source: str, encoding: str | None = None) -> tuple[Element, list[str]]:
    """The <robot> element of the text, and notes on the parts that are not read."""
    if len(data) > LARGEST_URDF:
        message = f"has {len(data)} bytes; {KIND} may have at most {LARGEST_URDF}"
        raise ModelFileError(f"{source}: {message}")
    scan = UrdfScan(source, encoding)
    scan.run(data)
    assert scan.root is not None  # expat insists on a root element
    return scan.root, [f"{what} ({count})" for what, count in scan.unread.items()]
