"""The XML of an OpenSim model as a tree of elements, with our own limits.

OpenSim writes almost every value as the text of an element: <mass>9.3</mass>. Elements that draw or
measure are left out while the file is scanned.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite

from stiction.description.xml_text import Scan
from stiction.errors import ModelFileError

KIND = "an OpenSim model"
LARGEST_OSIM = 16_000_000  # [bytes]; the largest of 58 models of opensim-models has 0.9 MB
MOST_ELEMENTS = 200_000  # of those that are read; the largest of these models has 15,000
LONGEST_TEXT = 1_000_000  # characters of one element
LARGEST_NUMBER = 1e15  # products of four of them are still finite
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
FLAGS = {"true": True, "false": False, "1": True, "0": False}
DRAWN = (  # neither moved nor touched by anything
    *("attached_geometry", "FrameGeometry", "VisibleObject", "WrapObjectSet", "Appearance"),
    *("credits", "publications", "ProbeSet", "defaults", "GeometryPath"),
)


@dataclass(slots=True)
class Element:
    """An element with its line and its text."""

    tag: str
    name: str
    line: int
    source: str
    children: list[Element] = field(default_factory=list)
    text: str = ""

    @property
    def where(self) -> str:
        """File, line and element, for messages."""
        named = f" '{self.name[:80]}'" if self.name else ""
        return f"{self.source}, line {self.line}: <{self.tag}>{named}"

    def one(self, *tags: str) -> Element | None:
        """The child with one of these tags; two of them are refused."""
        found = [child for child in self.children if child.tag in tags]
        if len(found) > 1:
            raise ModelFileError(f"{self.where} has {len(found)} elements <{tags[0]}>; keep one")
        return found[0] if found else None

    def required(self, *tags: str) -> Element:
        """The child with one of these tags, which must be there."""
        found = self.one(*tags)
        if found is None:
            raise ModelFileError(f"{self.where} has no <{tags[0]}>; give it one")
        return found

    def objects(self, tag: str) -> list[Element]:
        """Members of a set, such as those of <BodySet>; none if there is no such set."""
        found = self.one(tag)
        inside = found.one("objects") if found else None
        return inside.children if inside else []

    def word(self, *tags: str) -> str:
        """The text of a child; "" if it has none, or is not there."""
        found = self.one(*tags)
        return found.text.strip() if found else ""

    def numbers(self, tag: str, count: int | None = None) -> list[float]:
        """Finite numbers of a child, which must be there: so many, or at least one."""
        return numbers_of(self.required(tag), count)

    def optional(self, tag: str, otherwise: tuple[float, ...]) -> list[float]:
        """Numbers of a child, or others in their place if it is not there."""
        found = self.one(tag)
        return numbers_of(found, len(otherwise)) if found else list(otherwise)

    def flag(self, tag: str, otherwise: bool = False) -> bool:
        """The flag of a child, true or false."""
        found = self.one(tag)
        if found is None or not found.text.strip():
            return otherwise
        value = FLAGS.get(found.text.strip().lower())
        if value is None:
            raise ModelFileError(
                f"{found.where} is '{found.text.strip()[:40]}'; give true or false"
            )
        return value

    def below(self) -> Iterator[Element]:
        """All elements below this one."""
        waiting = list(self.children)
        while waiting:
            element = waiting.pop()
            yield element
            waiting += element.children


def numbers_of(element: Element, count: int | None = None) -> list[float]:
    """Finite numbers in the text of an element: so many, or at least one."""
    tokens = element.text.replace(",", " ").split()
    shown = f'"{element.text.strip()[:80]}"'
    if not tokens or (count is not None and len(tokens) != count):
        wanted = "numbers" if count is None else "1 number" if count == 1 else f"{count} numbers"
        raise ModelFileError(f"{element.where} is {shown}; expected {wanted}")
    for token in tokens:
        if not NUMBER.fullmatch(token) or not isfinite(float(token)):
            raise ModelFileError(f"{element.where} is {shown}; write finite numbers")
        if abs(float(token)) > LARGEST_NUMBER:
            raise ModelFileError(f"{element.where} is {shown}; the maximum is {LARGEST_NUMBER:g}")
    return [float(token) for token in tokens]


class OsimScan(Scan):
    """Builds the tree under `root`, without what is only drawn."""

    def __init__(self, source: str, encoding: str | None = None) -> None:
        """Start with nothing read."""
        super().__init__(source, "an OpenSim model has an <OpenSimDocument> element", encoding)
        self.parser.CharacterDataHandler = self._text
        self.open: list[Element] = []
        self.root: Element | None = None
        self.version = ""
        self.skipped_from = 0  # depth of the current skipped element
        self.count: Counter[str] = Counter()

    def element(self, tag: str, attributes: dict[str, str]) -> None:
        """Add the element to the tree, or skip it with everything inside."""
        if self.depth == 1 and tag != "OpenSimDocument":
            message = f"the root element is <{tag}>; an OpenSim model has <OpenSimDocument>"
            raise ModelFileError(f"{self.where}: {message}")
        if self.skipped_from or tag in DRAWN:
            self.skipped_from = self.skipped_from or self.depth
            return
        self.count[tag] += 1
        if self.count.total() > MOST_ELEMENTS:
            message = f"has more than {MOST_ELEMENTS} elements, the maximum"
            raise ModelFileError(f"{self.where}: {message}")
        line = self.parser.CurrentLineNumber
        made = Element(tag, attributes.get("name", ""), line, self.source)
        if self.open:
            self.open[-1].children.append(made)
        else:
            self.root, self.version = made, attributes.get("Version", "")
        self.open.append(made)

    def ended(self, tag: str) -> None:
        """Go back to the parent."""
        if self.skipped_from:
            if self.depth == self.skipped_from:
                self.skipped_from = 0
            return
        self.open.pop()

    def _text(self, text: str) -> None:
        if not self.open or self.skipped_from:
            return
        element = self.open[-1]
        if len(element.text) + len(text) > LONGEST_TEXT:
            raise ModelFileError(f"{element.where} has more than {LONGEST_TEXT} characters")
        element.text += text


def scan_osim(data: bytes, source: str, encoding: str | None = None) -> tuple[Element, int]:
    """The <Model> of the text, and the version of its format, such as 40000."""
    if len(data) > LARGEST_OSIM:
        message = f"has {len(data)} bytes; {KIND} may have at most {LARGEST_OSIM}"
        raise ModelFileError(f"{source}: {message}")
    scan = OsimScan(source, encoding)
    scan.run(data)
    assert scan.root is not None  # expat insists on a root element
    if not (scan.version.isascii() and scan.version.isdigit() and len(scan.version) < 10):
        found = f"has Version '{scan.version[:40]}'"
        raise ModelFileError(f"{scan.root.where} {found}; give a number such as 40000")
    return scan.root.required("Model"), int(scan.version)
