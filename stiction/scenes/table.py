"""`Table`: a table of a scene file; its values are read one by one and checked."""

from __future__ import annotations

import difflib
import math
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from stiction.errors import SceneFileError, did_you_mean
from stiction.scenes.toml_lines import Lines, Path

REQUIRED: Any = object()
LARGEST = 1e15  # of any number, as in model files
MOST_TABLES = 10_000  # of one key


@dataclass(frozen=True)
class Table:
    """Values of one table, its place in the file, and its name in errors."""

    file: str
    lines: Lines
    path: Path
    values: dict[str, Any]

    def where(self, *keys: str | int) -> str:
        """File, line and name of a key, or of the table itself."""
        path = (*self.path, *keys)
        name = ""
        for part in path:
            name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else str(part)
        place = f"{self.file}, line {self.lines.line(path)}"
        return f"{place}: {name}" if name else place

    def refuse(self, message: str, *keys: str | int) -> NoReturn:
        """Raise an error that names a key and its line."""
        raise SceneFileError(f"{self.where(*keys)}: {message}")

    def only(self, known: Iterable[str]) -> None:
        """Refuse unknown keys, and suggest the nearest known one."""
        known = list(known)
        for key in self.values:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                hint = f"did you mean '{near[0]}'? Known" if near else "known"
                self.refuse(f"unknown key; {hint} are {', '.join(known)}", key)

    def __contains__(self, key: str) -> bool:
        """Whether the file gives a key."""
        return key in self.values

    def take(self, key: str, check: Callable[[Any], Any], wanted: str, default: Any) -> Any:
        """The value of a key as returned by `check`, which raises ValueError for an invalid one."""
        if key not in self.values:
            if default is REQUIRED:
                self.refuse(f"is missing; give {wanted}", key)
            return default
        value = self.values[key]
        try:
            return check(value)
        except (TypeError, ValueError):
            self.refuse(f"is {_shown(value)}; give {wanted}", key)

    # ------------------------------------------------------------------------------------- values

    def number(
        self,
        key: str,
        unit: str = "",
        default: Any = REQUIRED,
        low: float = -math.inf,
        above: float = -math.inf,
    ) -> Any:
        """A finite number, at least `low` and more than `above`."""
        wanted = f"a number in {unit}" if unit else "a number"
        wanted += f", smaller than {LARGEST:g}" if self._is_huge(key) else ""
        if low > -math.inf:
            wanted += f", at least {low:g}"
        if above > -math.inf:
            wanted += f", more than {above:g}"

        def check(value: Any) -> float:
            number = _number(value)
            if not (number >= low and number > above):
                raise ValueError
            return number

        return self.take(key, check, wanted, default)

    def _is_huge(self, key: str) -> bool:
        """Whether the value of a key is a number, but too large."""
        value = self.values.get(key)
        return isinstance(value, int | float) and not abs(value) < LARGEST

    def text(self, key: str, default: Any = REQUIRED, wanted: str = "a quoted string") -> Any:
        """A string."""
        return self.take(key, _text, wanted, default)

    def choice(self, key: str, among: Iterable[str], default: Any = REQUIRED) -> Any:
        """One of several words."""
        among = list(among)

        def check(value: Any) -> str:
            if value not in among:
                hint = did_you_mean(str(value), among)
                self.refuse(f"is {_shown(value)}; it can be {', '.join(among)}{hint}", key)
            return str(value)

        return self.take(key, check, f"one of {', '.join(among)}", default)

    def numbers(
        self, key: str, sizes: int | tuple[int, ...], unit: str = "", default: Any = REQUIRED
    ) -> Any:
        """A tuple of a given number of finite numbers."""
        sizes = (sizes,) if isinstance(sizes, int) else sizes
        wanted = f"{' or '.join(map(str, sizes))} numbers" + (f" in {unit}" if unit else "")

        def check(value: Any) -> tuple[float, ...]:
            found = tuple(_number(x) for x in _list(value))
            if len(found) not in sizes:
                raise ValueError
            return found

        return self.take(key, check, wanted, default)

    def rows(self, key: str, columns: int, unit: str = "", default: Any = REQUIRED) -> Any:
        """A list of rows of `columns` finite numbers."""

        def check(value: Any) -> tuple[tuple[float, ...], ...]:
            found = tuple(tuple(_number(x) for x in _list(row)) for row in _list(value))
            if not found or any(len(row) != columns for row in found):
                raise ValueError
            return found

        wanted = f"a list of rows of {columns} numbers" + (f" in {unit}" if unit else "")
        return self.take(key, check, wanted, default)

    def texts(self, key: str, default: Any = ()) -> Any:
        """A tuple of strings."""

        def check(value: Any) -> tuple[str, ...]:
            return tuple(_text(x) for x in _list(value))

        return self.take(key, check, "a list of strings", default)

    # ------------------------------------------------------------------------------------- tables

    def table(self, key: str) -> Table:
        """The table of a key, empty if there is none."""
        found = self.take(key, _dict, f"a table [{key}]", {})
        return Table(self.file, self.lines, (*self.path, key), found)

    def tables(self, key: str) -> list[Table]:
        """All tables of a key that may occur once, [key], or several times, [[key]]."""
        if isinstance(self.values.get(key), dict):
            return [self.table(key)]

        def check(value: Any) -> list[dict]:
            return [_dict(entry) for entry in _list(value)]

        found = self.take(key, check, f"a table [{key}], or several, [[{key}]]", [])
        if len(found) > MOST_TABLES:
            self.refuse(f"there are {len(found)}; the maximum is {MOST_TABLES}", key)
        return [
            Table(self.file, self.lines, (*self.path, key, k), entry)
            for k, entry in enumerate(found)
        ]

    def argument(self, key: str, hint: Any) -> Any:
        """A value for a function argument with this annotation."""
        kinds = typing.get_args(hint) if _is_union(hint) else (hint,)
        kinds = tuple(kind for kind in kinds if kind is not type(None))
        if set(kinds) == {bool}:
            return self.take(key, _bool, "true or false", REQUIRED)
        if set(kinds) == {int}:
            return self.take(key, _whole, "a whole number", REQUIRED)
        if set(kinds) == {float}:
            return self.number(key)
        if set(kinds) == {str}:
            return self.text(key)
        return self.take(key, _plain, "numbers, strings or lists of them", REQUIRED)


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


def _shown(value: Any) -> str:
    if isinstance(value, int) and abs(value) >= LARGEST:
        return "an integer of many digits"  # which Python may refuse to print
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:
        raise ValueError
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not abs(value) < LARGEST:
        raise ValueError
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value


def _list(value: Any) -> list:
    if not isinstance(value, list):
        raise ValueError
    return value


def _dict(value: Any) -> dict:
    if not isinstance(value, dict):
        raise ValueError
    return value


def _plain(value: Any) -> Any:
    """The value with lists turned into tuples, which caches can hash."""
    if isinstance(value, list):
        return tuple(_plain(entry) for entry in value)
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value) if isinstance(value, float) else _whole(value)
    if not isinstance(value, str | bool):
        raise ValueError
    return value
