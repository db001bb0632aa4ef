"""Functions that users declare as plug-ins, and the checks before they are compiled."""

from __future__ import annotations

import dis
import inspect
import linecache
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from stiction.errors import InputError


class PlugIn(NamedTuple):
    """The declaration of a plug-in."""

    role: str  # "contact model", ...
    status: bool  # whether it must return a status


PLUG_INS: dict[Callable[..., Any], PlugIn] = {}


def declare_plug_in(
    role: str, function: Callable[..., Any], arguments: tuple[str, ...], status: bool
) -> None:
    """Register a function's role; raises InputError for wrong arguments or a missing status."""
    found = tuple(inspect.signature(function).parameters)
    if found != arguments:
        raise InputError(f"{role} '{function.__name__}' takes {found}; it must take {arguments}")
    if inspect.isgeneratorfunction(function):
        raise InputError(f"{role} '{function.__name__}' is a generator; use return, not yield")
    code = function.__code__
    line = line_without_status(code) if status else None
    if line is not None:
        source = linecache.getline(code.co_filename, line).strip()
        after = f"`{source}`" if source else "this line"
        raise InputError(
            f"{place(function, line, role)} returns nothing after {after}; end every path with "
            "`return OK` or another status"
        )
    PLUG_INS[function] = PlugIn(role, status)


def line_without_status(code: CodeType) -> int | None:
    """Line at which a function returns None, explicitly or by reaching its end; None if never."""
    for before, one in pairwise(dis.get_instructions(code)):
        constant = one if one.opname == "RETURN_CONST" else before
        returns = one.opname in ("RETURN_CONST", "RETURN_VALUE")
        if returns and constant.opname.endswith("_CONST") and constant.argval is None:
            line = one.positions.lineno if one.positions else None
            return line or code.co_firstlineno
    return None


def last_return(code: CodeType) -> int:
    """Line of the last return in a function."""
    returns = [one for one in dis.get_instructions(code) if one.opname.startswith("RETURN_")]
    lines = [one.positions.lineno or 0 for one in returns if one.positions]
    return max([code.co_firstlineno, *lines])


def place(function: Callable[..., Any], line: int, role: str = "") -> str:
    """File and line, role and name of a function: "sponge.py:12, contact model 'sponge'"."""
    role = role or (PLUG_INS[function].role if function in PLUG_INS else "function")
    file = Path(function.__code__.co_filename)
    if file.is_relative_to(Path.cwd()):
        file = file.relative_to(Path.cwd())
    return f"{file}:{line}, {role} '{function.__name__}'"
