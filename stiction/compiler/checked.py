"""Runs compiled code as plain Python, with a check of every index.

Compiled code does not check indices, so a plug-in that writes outside its arrays silently corrupts
memory. Here the same functions run without the compiler, in the same process, on arrays that refuse
wrong and negative indices. A fault in a plug-in of the user is reported with its line.
"""

from __future__ import annotations

import contextlib
import linecache
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from stiction.compiler.plug_ins import PLUG_INS
from stiction.compiler.user_errors import is_users_code
from stiction.errors import BoundsError

_THIS_THREAD = threading.local()


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Within it, compiled functions that Python calls in this thread run as plain Python."""
    before, _THIS_THREAD.interpreted = is_interpreted(), True
    try:
        yield
    finally:
        _THIS_THREAD.interpreted = before


def is_interpreted() -> bool:
    """Whether compiled functions run as plain Python in this thread."""
    return getattr(_THIS_THREAD, "interpreted", False)


class Checked(np.ndarray):
    """An array that refuses negative indices, and names itself where an index is wrong."""

    name = "an array"

    def __array_finalize__(self, source: Any) -> None:
        """Keep the name in views."""
        self.name = getattr(source, "name", "an array")

    def __getitem__(self, index: Any) -> Any:
        """Return an item, or raise IndexError."""
        self._check(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Set an item, or raise IndexError."""
        self._check(index)
        super().__setitem__(index, value)

    def _check(self, index: Any) -> None:
        for k, size in zip(
            index if isinstance(index, tuple) else (index,), self.shape, strict=False
        ):
            if not isinstance(k, int | np.integer):
                continue
            if k < 0:
                raise IndexError(
                    f"{self.name} gets the index {k}; give an index from 0, because compiled "
                    "functions of stiction do not count from the end"
                )
            if k >= size:
                raise IndexError(
                    f"index {k} is outside {self.name}, which has {size} "
                    f"{'entries' if self.ndim == 1 else 'rows' if size == len(self) else 'columns'}"
                )


def checked(bundle: Any, name: str = "") -> Any:
    """Return nested tuples of arrays with all arrays checked; they share their memory."""
    if isinstance(bundle, np.ndarray):
        view = bundle.view(Checked)
        view.name = name or "an array"
        return view
    if not isinstance(bundle, tuple):
        return bundle
    if not hasattr(bundle, "_fields"):
        return tuple(checked(part, name) for part in bundle)
    own = f"{name.rsplit('.', 1)[-1]}." if name else ""
    parts = zip(bundle._fields, bundle, strict=True)
    return type(bundle)(*(checked(part, own + field) for field, part in parts))


def first_rows(bundle: Any, fields: tuple[str, ...], count: int) -> Any:
    """Return a tuple of arrays in which some have only their first rows, if they are checked."""
    if not isinstance(getattr(bundle, fields[0]), Checked):
        return bundle
    return bundle._replace(**{field: getattr(bundle, field)[:count] for field in fields})


def run_checked(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a compiled function as plain Python, on checked arrays.

    Raises BoundsError, with the line, where a plug-in of the user fails.
    """
    given = checked(arguments)
    try:
        with interpreted(), np.errstate(all="ignore"):
            return getattr(function, "py_func", function)(*given)
    except Exception as error:
        told = explanation(error)
        if told is None:
            raise
        raise BoundsError(told) from None


def explanation(error: Exception) -> str | None:
    """The user's line that an error comes from, and what it says; None if there is none."""
    users = [
        (frame.f_code, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if is_users_code(frame.f_code)
    ]
    if not users:
        return None
    code, line = users[-1]
    source = linecache.getline(code.co_filename, line).strip()
    return f"{_place(code, line)}: {error}" + (f"\n    {source}" if source else "")


def _place(code: CodeType, line: int) -> str:
    """File and line, role and name, as in the explanations of the compiler's errors."""
    roles = (one.role for function, one in PLUG_INS.items() if function.__code__ is code)
    file = Path(code.co_filename)
    if file.is_relative_to(Path.cwd()):
        file = file.relative_to(Path.cwd())
    return f"{file}:{line}, {next(roles, 'function')} '{code.co_name}'"
