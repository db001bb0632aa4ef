"""The XML text of an MJCF file, looked through before MuJoCo sees it.

MuJoCo's parser follows entities, recurses as deep as the file nests, and takes a number that is not
finite for one that was not given; all of these are refused here, with the line.
"""

from __future__ import annotations

import re
from math import isfinite
from pathlib import Path
from typing import Any
from xml.parsers import expat

from stiction.errors import ModelFileError

LARGEST_FILE = 64_000_000  # [bytes]; a 120 MB comment loads in MuJoCo, and nobody meant it
DEEPEST_NESTING = 500  # elements
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
        included = scan(_bytes_of(path), str(path), top=path is top)
        for name in included:  # one that is nowhere is MuJoCo's to report
            candidates = (path.parent / name, top.parent / name)
            waiting += [candidate for candidate in candidates if candidate.is_file()][:1]


def _bytes_of(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise ModelFileError(f"{path}: has {size} bytes; a model file may have {LARGEST_FILE}")
        return path.read_bytes()
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror}); give the path of an MJCF file"
        raise ModelFileError(message) from error


def scan(data: bytes, source: str, top: bool) -> list[str]:
    """Names of the files that this one includes, after refusing XML that must not reach MuJoCo."""
    if not data.strip():
        raise ModelFileError(f"{source}: is empty; an MJCF file has a <mujoco> element")
    if len(data) > LARGEST_FILE:
        message = f"has {len(data)} bytes; a model file may have {LARGEST_FILE}"
        raise ModelFileError(f"{source}: {message}")
    return _Scan(source, top).included_by(data)


class _Scan:
    """One pass over the elements of one file."""

    def __init__(self, source: str, top: bool) -> None:
        self.source, self.top = source, top
        self.depth = 0
        self.included: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.EntityDeclHandler = self.entity

    def included_by(self, data: bytes) -> list[str]:
        try:
            self.parser.Parse(_without_comments(data), True)
        except (expat.ExpatError, ValueError) as error:
            message = f"is not XML: {error}; an MJCF file has a <mujoco> element"
            raise ModelFileError(f"{self.source}: {message}") from error
        return self.included

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        where = f"{self.source}, line {self.parser.CurrentLineNumber}"
        if self.depth == 0 and self.top and tag != "mujoco":
            raise ModelFileError(f"{where}: the root element is <{tag}>; an MJCF file has <mujoco>")
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            message = f"<{tag}> is nested deeper than {DEEPEST_NESTING} elements"
            raise ModelFileError(f"{where}: {message}")
        if tag in ("include", "model") and "file" in attributes:
            self.included.append(attributes["file"])
        _refuse_numbers(tag, attributes, where)

    def end(self, tag: str) -> None:
        self.depth -= 1

    def entity(self, name: str, *_: Any) -> None:
        message = f"declares the XML entity '{name}'; write its text out instead"
        raise ModelFileError(f"{self.source}: {message}")


def _without_comments(data: bytes) -> bytes:
    """The same lines without comments: MuJoCo allows -- inside them, which XML forbids."""
    kept, start = [], 0
    while (opened := data.find(b"<!--", start)) >= 0:
        closed = data.find(b"-->", opened + 4)
        if closed < 0:
            break
        kept += [data[start:opened], b"\n" * data.count(b"\n", opened, closed)]
        start = closed + 3
    return b"".join([*kept, data[start:]])


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
