"""The XML text of an MJCF file, scanned before MuJoCo reads it.

MuJoCo gets the elements that were scanned, written out again, and never the text of the file: a
parser that read the text differently would see elements that were never checked.

MuJoCo's parser expands entities, recurses as deep as the file nests, and treats a number that is
not finite as missing; its compiler makes as many copies and as large fields as the file demands
(65536 x 65536 heights crash it), takes minutes for 100 000 bodies, reads files from anywhere, and
blocks forever on a named pipe. All of these are refused here, with the line.
"""

from __future__ import annotations

import re
from math import isfinite, prod
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from stiction.description.xml_text import Scan
from stiction.errors import ModelFileError

KIND = "an MJCF file"
LARGEST_MJCF = 16_000_000  # [bytes]; 63 MB of small elements take MuJoCo 9 s and 1.6 GB
MOST_ELEMENTS = 20_000  # counting copies; 30 000 geoms take 2 s, 100 000 half a minute
COPYING = {"replicate": "count", "composite": "count", "flexcomp": "count"}
LARGEST_SIZES = {  # of what MuJoCo allocates, by attribute
    **dict.fromkeys(("nrow", "ncol", "width", "height"), 4096),
    **dict.fromkeys(("nkey", "dim", "actdim", "num", "nsample"), 10_000),
    **dict.fromkeys(("nuserdata", "njmax", "nconmax", "nstack"), 10_000_000),
}
MOST_USER_NUMBERS = 1000  # nuser_body and the like
TEXT_ATTRIBUTES = frozenset(
    "name class childclass model file prefix joint joint1 joint2 jointinparent body body1 body2 "
    "bodyname site site1 site2 geom geom1 geom2 mesh material texture hfield target parent refname "
    "objname tendon tendon1 tendon2 actuator cranksite slidersite refsite sidesite plugin instance "
    "key value meshdir texturedir assetdir".split()
)
SUSPICIOUS = re.compile("nan|inf|e[+]?[0-9]{3}", re.IGNORECASE)
TEXT_ELEMENTS = frozenset({"text", "tuple", "numeric", "config"})  # user data, not read


class Named(NamedTuple):
    """A file named in another one."""

    where: str  # file and line
    tag: str
    attribute: str
    attributes: dict[str, str]  # of the element

    @property
    def name(self) -> str:
        """The name, as the file gives it."""
        return self.attributes[self.attribute]


class Event(NamedTuple):
    """The start of an element, or its end if it has no attributes at all, not even none."""

    line: int
    tag: str
    attributes: dict[str, str] | None


def scan(data: bytes, source: str, top: bool, count: int = 0) -> MjcfScan:
    """Scan a file for the files and elements in it; refuses XML that must not reach MuJoCo.

    `count`: number of elements in the files before this one.
    """
    if len(data) > LARGEST_MJCF:
        message = f"has {len(data)} bytes; {KIND} may have at most {LARGEST_MJCF}"
        raise ModelFileError(f"{source}: {message}")
    mjcf = MjcfScan(source, top, count)
    mjcf.run(data)
    return mjcf


class MjcfScan(Scan):
    """One pass over the elements of one file."""

    def __init__(self, source: str, top: bool, count: int) -> None:
        """Start a scan; `count`: number of elements in other files."""
        super().__init__(source, "an MJCF file has a <mujoco> element")
        self.top, self.count = top, count
        self.copies = [1]  # made of an element, by depth
        self.named: list[Named] = []
        self.events: list[Event] = []

    def element(self, tag: str, attributes: dict[str, str]) -> None:
        """Check an element and its attributes."""
        if self.depth == 1 and self.top and tag != "mujoco":
            message = f"the root element is <{tag}>; an MJCF file has <mujoco>"
            raise ModelFileError(f"{self.where}: {message}")
        if tag == "model" and "file" not in attributes:  # breaks later compiles in MuJoCo 4.0
            raise ModelFileError(f"{self.where}: <model> has no file; give it one")
        for attribute in attributes:
            if attribute.startswith("file"):
                self.named.append(Named(self.where, tag, attribute, attributes))
        self.events.append(Event(self.parser.CurrentLineNumber, tag, attributes))
        _refuse_numbers(tag, attributes, self.where)
        _refuse_sizes(tag, attributes, self.where)
        times = _product(attributes.get(COPYING.get(tag, ""), ""))
        self.copies.append(self.copies[-1] * times)
        self.count += self.copies[-1]
        if self.count > MOST_ELEMENTS:
            message = (
                f"<{tag}> brings the model to more than {MOST_ELEMENTS} elements, including copies"
            )
            raise ModelFileError(f"{self.where}: {message}; use fewer")

    def ended(self, tag: str) -> None:
        """Leave the element."""
        self.copies.pop()
        self.events.append(Event(self.parser.CurrentLineNumber, tag, None))

    def text(self) -> str:
        """The elements as XML, each on the line that it has in the file."""
        written, line = [], 1
        for event in self.events:
            written.append("\n" * (event.line - line))
            line = event.line
            if event.attributes is None:
                written.append(f"</{event.tag}>")
            else:
                given = "".join(f" {key}={quoteattr(v)}" for key, v in event.attributes.items())
                written.append(f"<{event.tag}{given}>")
        return "".join(written)


def _product(counts: str) -> int:
    """Number of copies of a grid with these counts; 1 if MuJoCo will reject the counts."""
    try:
        return max(1, int(prod(float(count) for count in counts.split())))
    except (ValueError, OverflowError):
        return 1


def _refuse_sizes(tag: str, attributes: dict[str, str], where: str) -> None:
    for attribute, value in attributes.items():
        largest = LARGEST_SIZES.get(attribute)
        if attribute.startswith("nuser_"):
            largest = MOST_USER_NUMBERS
        if largest is None:
            continue
        try:
            size = float(value)
        except ValueError:
            continue  # MuJoCo reports it
        if size > largest:
            found = f'{where}: <{tag}> has {attribute}="{value[:80]}"'
            raise ModelFileError(f"{found}; the maximum is {largest}")


def _refuse_numbers(tag: str, attributes: dict[str, str], where: str) -> None:
    """Refuse mass="nan" and range="1 -1", which MuJoCo treats as missing."""
    if tag in TEXT_ELEMENTS:
        return
    name = f" '{attributes['name']}'" if "name" in attributes else ""
    for attribute, value in attributes.items():
        found = f'{where}: <{tag}>{name} has {attribute}="{value[:80]}"'
        if attribute in TEXT_ATTRIBUTES:
            continue
        if SUSPICIOUS.search(value) and not all(map(_finite_or_text, value.split())):
            raise ModelFileError(f"{found}; write finite numbers")
        if attribute.endswith("range") and _empty_range(value.split()):
            raise ModelFileError(f"{found}; give the lower limit first")


def _empty_range(tokens: list[str]) -> bool:
    """Whether two numbers are an empty range; 0 0 is MJCF for no range."""
    try:
        lower, upper = map(float, tokens)
    except ValueError:
        return False
    return lower >= upper and (lower, upper) != (0.0, 0.0)


def _finite_or_text(token: str) -> bool:
    try:
        return isfinite(float(token))
    except ValueError:
        return not re.match(r"[+-]?nan\(", token, re.IGNORECASE)  # C reads nan(7) as a number
