"""COLLADA files (.dae), checked before pycollada reads them.

pycollada gets the elements that passed, written out again, and never the text of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element, TreeBuilder, tostring

from stiction.description.xml_text import Scan
from stiction.errors import ModelFileError

MOST_ELEMENTS = 500_000
MOST_INDICES = 4_000_000  # of all instances of geometries; each may make three points
DEEPEST_NODES = 100  # nodes in nodes, by nesting and by instances; each takes three Python frames
# pycollada drops geometry whose colours it cannot find, so it gets them only where they are wanted
COLOURS = ("bind_material", "library_materials", "library_effects")
TEXTURES = ("library_images", "newparam", "texture")  # pictures are other files, which are not read


class Dae(NamedTuple):
    """A COLLADA file that may be read."""

    text: bytes
    unit: float  # [m]
    up: str


def judged_dae(data: bytes, source: str, colours: bool = False) -> Dae:
    """The file as pycollada gets it, with or without its colours.

    Raises ModelFileError if it must not be read.
    """
    scan = _DaeScan(source, TEXTURES if colours else TEXTURES + COLOURS)
    scan.run(data)
    root = scan.builder.close()
    _Instances(root, source).check()
    return Dae(tostring(root), scan.unit, scan.up)


class _DaeScan(Scan):
    """Unit, up axis and elements of a COLLADA file, except those that are left out."""

    def __init__(self, source: str, left_out: tuple[str, ...]) -> None:
        super().__init__(source, "a .dae file has a <COLLADA> element")
        self.parser.buffer_text = True
        self.parser.CharacterDataHandler = self._text
        self.builder = TreeBuilder()
        self.left_out = left_out
        self.unit, self.up = 1.0, "Y_UP"
        self.tag = ""
        self.count = 0
        self.skipped_from = 0  # depth of the element left out that is open

    def element(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = _plain(tag)
        self.count += 1
        if self.count > MOST_ELEMENTS:
            message = f"has more than {MOST_ELEMENTS} elements; export it with fewer"
            raise ModelFileError(f"{self.where}: {message}")
        if self.tag == "unit" and "meter" in attributes:
            self.unit = self._metres(attributes["meter"])
        if not self.skipped_from and self.tag in self.left_out:
            self.skipped_from = self.depth
        if not self.skipped_from:
            self.builder.start(tag, attributes)

    def _metres(self, text: str) -> float:
        try:
            unit = float(text)
        except ValueError:
            unit = 0.0
        if not 1e-9 < unit < 1e9:
            message = f'<unit> has meter="{text[:80]}"; give its length in metres'
            raise ModelFileError(f"{self.where}: {message}")
        return unit

    def ended(self, tag: str) -> None:
        self.tag = ""
        if not self.skipped_from:
            self.builder.end(tag)
        if self.skipped_from == self.depth:
            self.skipped_from = 0

    def _text(self, text: str) -> None:
        if self.tag == "up_axis" and text.strip():
            self.up = text.strip()[:20]
        if not self.skipped_from:
            self.builder.data(text)


def _plain(tag: str) -> str:
    """The tag without the prefix of its namespace."""
    return tag.rpartition(":")[2]


class _Instances:
    """How much the nodes of a file make, with everything that they make instances of."""

    def __init__(self, root: Element, source: str) -> None:
        self.source = source
        self.scenes = [each for each in root.iter() if _plain(each.tag) == "visual_scene"]
        kinds = ("node", "geometry")
        self.named = {
            (kind, each.get("id", "")): each
            for each in root.iter()
            for kind in kinds
            if _plain(each.tag) == kind
        }
        self.known: dict[Element, int] = {}

    def check(self) -> None:
        """Raise ModelFileError if the scenes make more than is allowed."""
        for scene in self.scenes:
            if self.size(scene, 0) > MOST_INDICES:
                message = f"its instances have more than {MOST_INDICES} indices of points"
                raise ModelFileError(f"{self.source}: {message}; export it as one mesh")

    def size(self, element: Element, depth: int) -> int:
        """Number of nodes and of indices of points that a scene, a node or a geometry makes."""
        if depth > DEEPEST_NODES:
            message = f"has nodes in more than {DEEPEST_NODES} others, or in themselves"
            raise ModelFileError(f"{self.source}: {message}; export it as one mesh")
        if element not in self.known:
            self.known[element] = self._size(element, depth)
        return self.known[element]

    def _size(self, element: Element, depth: int) -> int:
        if _plain(element.tag) == "geometry":
            lists = [each for each in element.iter() if _plain(each.tag) == "p"]
            return 1 + sum(len((each.text or "").split()) for each in lists)
        return 1 + sum(self.size(part, depth + 1) for part in self._parts(element))

    def _parts(self, element: Element) -> Iterator[Element]:
        """Nodes in a scene or node, and what it makes instances of."""
        for child in element:
            tag = _plain(child.tag)
            if tag == "node":
                yield child
            kind = tag.removeprefix("instance_")
            target = self.named.get((kind, child.get("url", "").rpartition("#")[2]))
            if kind != tag and target is not None:
                yield target
