"""Text of a scene file, refused if Python's TOML reader would recurse or compute without bound."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from stiction.errors import SceneFileError

LARGEST = 8_000_000  # characters
DEEPEST = 50  # brackets in brackets
MOST_PARTS = 20  # of a dotted key
MOST_KEYS = 200_000
STRING_OR_COMMENT = re.compile(
    r"\"\"\"(?:\\.|[^\\])*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|#[^\n]*", re.DOTALL
)
MANY_PARTS = re.compile(rf"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){{{MOST_PARTS}}}")
BRACKET = re.compile(r"[\[\]{}]")


def text_of(path: Path) -> str:
    """The text of a file; raises SceneFileError."""
    try:
        with path.open("rb") as file:
            data = file.read(4 * LARGEST + 1) if stat.S_ISREG(path.stat().st_mode) else b""
        return data.decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SceneFileError(f"{path}: cannot be read as text ({error})") from None


def values_of(text: str, path: Path) -> dict[str, Any]:
    """The values in a text; raises SceneFileError with the line."""
    if len(text) > LARGEST:
        raise SceneFileError(f"{path}: has {len(text)} characters; the maximum is {LARGEST}")
    bare = STRING_OR_COMMENT.sub(_as_word, text)
    _check_nesting(bare, path)
    if found := MANY_PARTS.search(bare):
        line = bare.count("\n", 0, found.start()) + 1
        raise SceneFileError(f"{path}, line {line}: a key of more than {MOST_PARTS} parts")
    if bare.count("=") > MOST_KEYS:
        raise SceneFileError(f"{path}: has more than {MOST_KEYS} keys; use fewer")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also integers of thousands of digits
        place = re.search(r"line (\d+)", str(error))
        line_of = place[1] if place else str(len(text.splitlines()))
        raise SceneFileError(f"{path}, line {line_of}: not TOML: {error}") from None


def _as_word(found: re.Match[str]) -> str:
    """A string as one letter, a comment as nothing, on the same lines."""
    lines = "\n" * found[0].count("\n")
    return lines if found[0].startswith("#") else f"s{lines}"


def _check_nesting(bare: str, path: Path) -> None:
    depth = 0
    for bracket in BRACKET.finditer(bare):
        depth = max(0, depth + (1 if bracket[0] in "[{" else -1))
        if depth > DEEPEST:
            line = bare.count("\n", 0, bracket.start()) + 1
            raise SceneFileError(f"{path}, line {line}: brackets in more than {DEEPEST} others")
