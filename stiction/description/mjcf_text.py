"""The XML text of an MJCF file, scanned before MuJoCo reads it.

MuJoCo's parser expands entities, recurses as deep as the file nests, and treats a number that is
not finite as missing; its compiler makes as many copies and as large fields as the file demands
(65536 x 65536 heights crash it), takes minutes for 100 000 bodies, reads files from anywhere, and
blocks forever on a named pipe. All of these are refused here, with the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite, prod
from pathlib import Path
from typing import NamedTuple

from stiction.description.urdf_files import Files
from stiction.description.xml_text import Scan, bytes_of
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
    name: str


def scan_files(top: Path, roots: Iterable[Path] = ()) -> None:
    """Refuse the file, or a file that it includes or names, before MuJoCo reads it."""
    waiting, seen, count = [top], set(), 0
    named: list[tuple[Path, Named]] = []
    folders = {""}
    allowed = Files(top.parent, tuple(roots)).allowed
    while waiting:
        path = waiting.pop()
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        found = scan(bytes_of(path, KIND, LARGEST_MJCF), str(path), path is top, count)
        count, folders = found.count, folders | found.folders
        named += [(path, each) for each in found.named]
        for each in found.named:  # MuJoCo reports missing files
            if each.tag not in ("include", "model"):
                continue
            candidates = [folder / each.name for folder in (path.parent, top.parent)]
            for candidate in [one for one in candidates if _exists(one)][:1]:
                _refuse_place(candidate, each, allowed)
                waiting.append(candidate)
    for path, each in named:
        for place in [folder / inner for folder in (path.parent, top.parent) for inner in folders]:
            if _exists(place / each.name):
                _refuse_place(place / each.name, each, allowed)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name too long, a null character: MuJoCo reports it
        return False


def _refuse_place(path: Path, named: Named, allowed: list[Path]) -> None:
    what = f"{named.where}: <{named.tag}> names '{named.name[:80]}'"
    if not any(path.resolve().is_relative_to(folder) for folder in allowed):
        shown = ", ".join(map(str, allowed))
        message = (
            f"which is outside the folders that may be read ({shown}); add its folder to roots"
        )
        raise ModelFileError(f"{what}, {message}")
    if not path.is_file():
        raise ModelFileError(f"{what}, which is not a file; name one")


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
        self.folders: set[str] = set()

    def element(self, tag: str, attributes: dict[str, str]) -> None:
        """Check an element and its attributes."""
        if self.depth == 1 and self.top and tag != "mujoco":
            message = f"the root element is <{tag}>; an MJCF file has <mujoco>"
            raise ModelFileError(f"{self.where}: {message}")
        if tag == "model" and "file" not in attributes:  # breaks later compiles in MuJoCo 4.0
            raise ModelFileError(f"{self.where}: <model> has no file; give it one")
        for attribute, value in attributes.items():
            if attribute.startswith("file"):
                self.named.append(Named(self.where, tag, value))
            elif attribute in ("meshdir", "texturedir", "assetdir"):
                self.folders.add(value)
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
