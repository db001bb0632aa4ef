"""Descriptions made in code: every value of the type that its field declares.

Lists and arrays become tuples, NumPy's numbers plain ones. Whether the values make sense is for
`checks.py`.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from stiction.description.arguments import shown
from stiction.description.description import Description
from stiction.description.plain import listed
from stiction.description.visual import Visual
from stiction.errors import DescriptionError

WHOLE = "iu"  # kinds of arrays
MANY = 20  # rows, from which on they are looked at in one go
LARGEST = 1e300  # whole number that is one of floating point
KINDS = {str: "a text", float: "a number", int: "a whole number", bool: "True or False"}


def typed(description: Description) -> Description:
    """The description with plain values; raises DescriptionError for those of another type."""
    if not isinstance(description, Description):
        raise DescriptionError(
            f"found {shown(description)}; give a Description, as of stiction.description"
        )
    complaints: list[str] = []
    made = _element("", description, complaints)
    if complaints:
        source = description.source if isinstance(description.source, str) else "a description"
        raise DescriptionError(listed(source, complaints))
    return made


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Types of the fields of a dataclass."""
    return get_type_hints(kind, localns={"Visual": Visual})


def _element(where: str, element: Any, complaints: list[str]) -> Any:
    """A part of a description with plain values."""
    changed = {}
    kind: Any = type(element)
    for field, hint in _hints(kind).items():
        value = getattr(element, field)
        found = _value(f"{where}{field}", value, hint, complaints)
        if found is not value:
            changed[field] = found
    return dataclasses.replace(element, **changed) if changed else element


def _value(where: str, value: Any, hint: Any, complaints: list[str]) -> Any:
    """A value as its type wants it; adds a complaint if it is of another one."""
    if get_origin(hint) in (Union, UnionType):
        if value is None:
            return None
        (hint,) = (kind for kind in get_args(hint) if kind is not type(None))
    if get_origin(hint) is tuple:
        return _tuple(where, value, get_args(hint), complaints)
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, hint):  # type: ignore[arg-type]
            complaints.append(f"{where} is {shown(value)}; give a {hint.__name__}")  # type: ignore[union-attr]
        elif hint is not Visual:
            named = f"{hint.__name__} {shown(getattr(value, 'name', ''))}: "  # type: ignore[union-attr]
            return _element(named, value, complaints)
        return value
    if _is(value, hint):
        return value if type(value) is hint else hint(value)
    complaints.append(f"{where} is {shown(value)}; give {KINDS[hint]}")
    return value


def _is(value: Any, kind: type) -> bool:
    """Whether a value is of a plain type, or of NumPy's version of it."""
    if kind is str:
        return isinstance(value, str)
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if kind is int:
        return whole
    return abs(value) <= LARGEST if whole else isinstance(value, float | np.floating)


def _tuple(where: str, value: Any, parts: tuple, complaints: list[str]) -> Any:
    """A tuple of values of these types; an ellipsis stands for any number of the first."""
    if isinstance(value, np.ndarray) and value.ndim == 2:
        value = tuple(map(tuple, value.tolist()))
    elif isinstance(value, np.ndarray) and value.ndim == 1:
        value = tuple(value.tolist())
    if not isinstance(value, tuple | list):
        complaints.append(f"{where} is {shown(value)}; give a tuple")
        return value
    repeated = parts[-1] is Ellipsis
    if not repeated and len(value) != len(parts):
        complaints.append(f"{where} is {shown(value)}; give {len(parts)} values")
        return value
    if repeated and len(value) > MANY and _are_rows(value, parts[0]):
        return value
    kinds = [parts[0]] * len(value) if repeated else parts
    found = tuple(
        _value(f"{where}[{k}]", one, kind, complaints)
        for k, (one, kind) in enumerate(zip(value, kinds, strict=True))
    )
    same = isinstance(value, tuple) and all(a is b for a, b in zip(found, value, strict=True))
    return value if same else found


def _are_rows(value: Any, row: Any) -> bool:
    """Whether a value is a tuple of tuples of numbers as `row` declares, seen in one go."""
    if get_origin(row) is not tuple or not isinstance(value, tuple):
        return False
    if not all(type(one) is tuple for one in value):
        return False
    try:
        array = np.array(value)
    except ValueError:  # of unequal length
        return False
    kinds = WHOLE if get_args(row)[0] is int else WHOLE + "f"
    return array.shape[1:] == (len(get_args(row)),) and array.dtype.kind in kinds
