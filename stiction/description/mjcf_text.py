"""The XML text of an MJCF file, looked through before MuJoCo sees it.

MuJoCo's parser follows entities, recurses as deep as the file nests, and takes a number that is not
finite for one that was not given; all of these are refused here, with the line.
"""

from __future__ import annotations

import re
from math import isfinite
from pathlib import Path

from stiction.description.xml_text import LARGEST_FILE, Scan, bytes_of
from stiction.errors import ModelFileError

KIND = "an MJCF file"
TEXT_ATTRIBUTES = frozenset(
    "name class childclass model file prefix joint joint1 joint2 jointinparent body body1 body2 "
    "bodyname site site1 site2 geom geom1 geom2 mesh material texture hfield target parent refname "
    "objname tendon tendon1 tendon2 actuator cranksite slidersite refsite sidesite plugin instance "
    "key value meshdir texturedir assetdir".split()
)
SUSPICIOUS = re.compile("nan|inf|e[+]?[0-9]{3}", re.IGNORECASE)
TEXT_ELEMENTS = frozenset({"text", "tuple", "numeric", "config"})  # of the user, not read


def scan_files(top: Path) -> None:
    """Refuse the file, or a file that it includes, before MuJoCo sees it."""
    waiting, seen = [top], set()
    while waiting:
        path = waiting.pop()
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        included = scan(bytes_of(path, KIND), str(path), top=path is top)
        for name in included:  # one that is nowhere is MuJoCo's to report
            candidates = (path.parent / name, top.parent / name)
            waiting += [candidate for candidate in candidates if candidate.is_file()][:1]


def scan(data: bytes, source: str, top: bool) -> list[str]:
    """Names of the files that this one includes, after refusing XML that must not reach MuJoCo."""
    if len(data) > LARGEST_FILE:
        message = f"has {len(data)} bytes; {KIND} may have {LARGEST_FILE}"
        raise ModelFileError(f"{source}: {message}")
    mjcf = _MjcfScan(source, top)
    mjcf.run(data)
    return mjcf.included


class _MjcfScan(Scan):
    """One pass over the elements of one file."""

    def __init__(self, source: str, top: bool) -> None:
        super().__init__(source, "an MJCF file has a <mujoco> element")
        self.top = top
        self.included: list[str] = []

    def element(self, tag: str, attributes: dict[str, str]) -> None:
        if self.depth == 1 and self.top and tag != "mujoco":
            message = f"the root element is <{tag}>; an MJCF file has <mujoco>"
            raise ModelFileError(f"{self.where}: {message}")
        if tag in ("include", "model") and "file" in attributes:
            self.included.append(attributes["file"])
        _refuse_numbers(tag, attributes, self.where)


def _refuse_numbers(tag: str, attributes: dict[str, str], where: str) -> None:
    """MuJoCo takes mass="nan" and range="1 -1" for values that were not given, so look here."""
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
            raise ModelFileError(f"{found}; write the lower end first")


def _empty_range(tokens: list[str]) -> bool:
    """Whether two numbers are a range with nothing in it; 0 0 is MJCF for no range."""
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
