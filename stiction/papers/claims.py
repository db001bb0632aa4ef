"""What a paper claims: `claims.toml`, read and checked."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

from stiction.errors import ClaimsFileError, InputError, SceneFileError, did_you_mean
from stiction.scenes.table import REQUIRED, Table
from stiction.scenes.toml_lines import Lines
from stiction.scenes.toml_text import text_of, values_of

FOLDER = Path(__file__).parent  # of the papers that come with the package
FILE = "claims.toml"
NAME = "letters, digits and '-'"


class Claim(NamedTuple):
    """One claim of a paper, and what we measure of it."""

    id: str
    figure: str  # module that measures it
    where: str  # in the paper
    quote: str
    reports: str  # what the paper reports
    quantity: str  # what we measure, in words
    measure: str  # its name in the figure's `measures`
    unit: str
    low: float  # band, both ends included
    high: float
    reason: str  # of the band
    explained: str | None = None  # why it fails

    def holds(self, value: float) -> bool:
        """Whether a measured value lies in the band; NaN does not."""
        return self.low <= value <= self.high

    @property
    def band(self) -> str:
        """The band as text."""
        if self.low == -math.inf:
            return f"at most {self.high:g}"
        if self.high == math.inf:
            return f"at least {self.low:g}"
        return f"{self.low:g} to {self.high:g}" if self.low < self.high else f"{self.low:g}"


class Paper(NamedTuple):
    """A paper: its folder, and what it claims."""

    key: str
    folder: Path
    title: str
    authors: str
    published: str
    claims: tuple[Claim, ...]

    def claims_of(self, figure: str) -> tuple[Claim, ...]:
        """The claims that one figure measures."""
        return tuple(claim for claim in self.claims if claim.figure == figure)


def paper_keys(root: Path = FOLDER) -> list[str]:
    """The papers of a folder: its subfolders with a claims.toml."""
    if not root.is_dir():
        raise InputError(f"{root}: no such folder")
    return sorted(path.parent.name for path in root.glob(f"*/{FILE}"))


def read_claims(key: str, root: Path = FOLDER) -> tuple[Claim, ...]:
    """The claims of a paper."""
    return read_paper(key, root).claims


def read_paper(key: str, root: Path = FOLDER) -> Paper:
    """A paper with its claims; raises ClaimsFileError with the line of what is wrong."""
    keys = paper_keys(root)
    if key not in keys:
        hint = did_you_mean(key, keys)
        raise InputError(f"no paper '{key}'; known are {', '.join(keys)}{hint}")
    path = root / key / FILE
    try:
        text = text_of(path)
        table = Table(str(path), Lines.of(text), (), values_of(text, path))
        table.only(["paper", "claim"])
        told = table.table("paper")
        told.only(["title", "authors", "published"])
        title, authors, published = (told.text(name) for name in ("title", "authors", "published"))
        claims = tuple(_claim(entry) for entry in table.tables("claim"))
        _check_ids(table, claims)
    except SceneFileError as error:
        raise ClaimsFileError(str(error)) from None
    return Paper(key, root / key, title, authors, published, claims)


def _claim(table: Table) -> Claim:
    """One claim, every field checked."""
    table.only(Claim._fields)
    texts = ("where", "quote", "reports", "quantity", "measure", "reason")
    values: dict[str, Any] = {name: table.text(name) for name in texts}
    values["id"] = table.take("id", _joined_words, f"a name of {NAME}", REQUIRED)
    values["figure"] = table.take("figure", _module, "the name of a module", REQUIRED)
    values["unit"] = table.take("unit", _text, 'a unit, or "" for a pure number', REQUIRED)
    values["explained"] = table.text("explained", None)
    if "low" not in table and "high" not in table:
        table.refuse("has neither 'low' nor 'high'; give a band")
    low, high = table.number("low", default=-math.inf), table.number("high", default=math.inf)
    if low > high:
        table.refuse(f"is {low:g}, above 'high' {high:g}", "low")
    return Claim(low=low, high=high, **values)


def _check_ids(table: Table, claims: tuple[Claim, ...]) -> None:
    if not claims:
        table.refuse("there is none; give at least one [[claim]]", "claim")
    seen: set[str] = set()
    for k, claim in enumerate(claims):
        if claim.id in seen:
            table.refuse(f"'{claim.id}' is the id of another claim too", "claim", k, "id")
        seen.add(claim.id)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _joined_words(value: Any) -> str:
    if not _text(value) or not all(part.isalnum() for part in value.split("-")):
        raise ValueError
    return value


def _module(value: Any) -> str:
    if not _text(value).isidentifier():
        raise ValueError
    return value
