"""Two-line explanations of why a user's function does not compile, in place of Numba's.

A step is compiled from many functions, and Numba reports a failure from the outside in. So a watch
listens to the compilation of each function. The innermost failed function of the user is the cause;
if there is none, a plug-in may return something other than a status. Otherwise Numba's error is
raised unchanged.
"""

from __future__ import annotations

import builtins
import linecache
import re
import sysconfig
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import numba
from numba.core import errors, event, types

from stiction.compiler.cache import PACKAGE
from stiction.compiler.plug_ins import PLUG_INS, last_return, place
from stiction.compiler.wording import Source, plain_type, reason
from stiction.errors import CompileError

INSTALLED = tuple(
    Path(path).resolve()
    for path in (*map(sysconfig.get_path, ("stdlib", "purelib", "platlib")), *numba.__path__)
)
RETURNED: dict[Callable[..., Any], types.Type] = {}  # by plug-ins; Numba compiles each only once
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Failure(NamedTuple):
    """A function that did not compile."""

    function: Callable[..., Any]
    arguments: tuple[types.Type, ...]
    error: Any  # Numba's
    text: str  # of the error at that time; Numba keeps appending to it
    line: int  # in its file
    depth: int  # number of enclosing functions being compiled


class Watch(event.Listener):
    """Listens to this thread's compiler: failures, innermost first, and what plug-ins return."""

    def __init__(self, plug_ins: Iterable[Callable[..., Any]]) -> None:
        """Listen to the compilation of a whole that contains these plug-ins."""
        self._plug_ins = plug_ins
        self.failures: list[Failure] = []
        self._before: list[int] = []  # number of failures at the start of each function
        self._thread = threading.get_ident()

    def on_start(self, one: event.Event) -> None:
        """Note the start of a function's compilation."""
        if threading.get_ident() == self._thread:
            self._before.append(len(self.failures))

    def on_end(self, one: event.Event) -> None:
        """Note how it ended. Failures inside a function that compiled were only attempts."""
        if threading.get_ident() != self._thread:
            return
        before, depth = self._before.pop(), len(self._before)
        dispatcher, arguments = one.data["dispatcher"], tuple(one.data["args"])
        function, details = dispatcher.py_func, getattr(one, "_exc_details", None)
        if details is not None:
            if not isinstance(details[1], errors.ForceLiteralArg):  # a request, not a failure
                text = COLOURS.sub("", str(details[1]))
                line = line_of(function, details[1])
                self.failures.append(Failure(function, arguments, details[1], text, line, depth))
            return
        del self.failures[before:]
        compiled = dispatcher.overloads.get(arguments)
        if function in PLUG_INS and compiled is not None:
            RETURNED[function] = compiled.signature.return_type

    def explanation(self) -> str | None:
        """The user's mistake and its place; None if none of the user's functions failed."""
        users = [k for k, one in enumerate(self.failures) if is_users(one.function)]
        told = self._wrong_status() or self._told_before()
        if told or not users:
            return told
        failure = self.failures[users[0]]
        inside = [one for one in self.failures[: users[0]] if is_inside(one, failure)]
        told = describe(failure, inside[-1] if inside else None)
        callers = [self.failures[k] for k in users if self.failures[k].depth < failure.depth]
        if callers and failure.function not in PLUG_INS:
            told += f"\n    called from {place(callers[0].function, callers[0].line)}"
        for one in self.failures:
            if one.depth < failure.depth:
                one.error.told = told
        return told

    def _told_before(self) -> str | None:
        """The earlier explanation of the same failure: Numba does not retry a compilation."""
        return next((one.error.told for one in self.failures if hasattr(one.error, "told")), None)

    def _wrong_status(self) -> str | None:
        for function in self._plug_ins:
            kind = RETURNED.get(function)
            if kind is None or not PLUG_INS[function].status or not is_users(function):
                continue
            if not isinstance(kind, types.Number | types.Boolean):
                where = place(function, last_return(function.__code__))
                found = plain_type(str(kind))
                return f"{where} returns {found}; every path must return OK or another status"
        return None


def compiled_or_explained(
    compile_it: Callable[[], Any], plug_ins: Iterable[Callable[..., Any]]
) -> Any:
    """Return the result of a compilation; raises CompileError for a mistake of the user."""
    watch = Watch(plug_ins)
    try:
        with event.install_listener("numba:compile", watch):
            return compile_it()
    except Exception as error:
        told = None if isinstance(error, CompileError) else watch.explanation()
        if told is None:
            raise
        raise CompileError(told, error) from None


def is_ours(function: Callable[..., Any]) -> bool:
    """Whether a function is in this package."""
    return Path(function.__code__.co_filename).resolve().is_relative_to(PACKAGE)


def is_users(function: Callable[..., Any]) -> bool:
    """Whether a function is the user's: not from this package, Numba or another package."""
    if is_ours(function):
        return False
    if function in PLUG_INS:
        return True
    return bool(function.__module__) and is_users_code(function.__code__)


def is_users_code(code: CodeType) -> bool:
    """Whether code is in a file of the user, not in this package, Numba or another one."""
    file = Path(code.co_filename).resolve()
    if file.is_relative_to(PACKAGE) or not linecache.getlines(code.co_filename):
        return False
    return not any(file.is_relative_to(root) for root in INSTALLED)


def line_of(function: Callable[..., Any], error: BaseException) -> int:
    """Line of a function that an error refers to; its last return if Numba names none."""
    code: Any = function.__code__
    own = {line for _, _, line in code.co_lines() if line}
    here = getattr(error, "loc", None)
    if here is None and not isinstance(error, errors.NumbaError):
        here = getattr(errors, "loc_info", {}).get("loc")  # where Numba was
    lines = [here.line] if here and here.filename == code.co_filename else []
    named = re.findall(rf"{re.escape(code.co_filename)} \((\d+)\)", str(error))
    return next((line for line in (*lines, *map(int, named)) if line in own), last_return(code))


def describe(failure: Failure, inside: Failure | None) -> str:
    """Place and cause of a failure, and the source line; `inside`: failure of a called function."""
    function: Any = failure.function
    code = function.__code__
    line = linecache.getline(code.co_filename, failure.line).strip()
    if inside is not None and is_ours(inside.function):
        given = zip(inside.function.__code__.co_varnames, inside.arguments, strict=False)
        found = ", ".join(f"{name} = {plain_type(str(kind))}" for name, kind in given)
        why = f"{name_in(function, inside.function)}() cannot take {found}"
    else:
        why = reason(failure.text, Source(line, names_in(function), fields_in(failure)))
    source = f"\n    {line}" if line else ""
    return f"{place(function, failure.line)}: {why}{source}"


def is_inside(one: Failure, failure: Failure) -> bool:
    """Whether the failure `one` of a called function caused `failure`."""
    inner, outer = (" ".join(text.split()) for text in (one.text, failure.text))
    return one.depth == failure.depth + 1 and inner in outer


def name_in(function: Any, called: Callable[..., Any]) -> str:
    """Name under which a function calls another one."""
    known = function.__globals__.items()
    names = [name for name, value in known if getattr(value, "py_func", value) is called]
    return names[0] if names else called.__name__


def names_in(function: Any) -> tuple[str, ...]:
    """All names that a function may use."""
    return (*function.__code__.co_varnames, *function.__globals__, *dir(builtins))


def fields_in(failure: Failure) -> dict[str, tuple[str, ...]]:
    """Fields of the named tuples that a function receives or can name, by tuple name."""
    known: dict[str, Any] = dict(failure.function.__globals__)
    known |= {kind.__name__: kind for kind in named_tuples(failure.arguments)}
    return {name: kind._fields for name, kind in known.items() if hasattr(kind, "_fields")}


def named_tuples(kinds: Iterable[Any]) -> Iterator[Any]:
    """All named tuple classes in some types, at any depth."""
    for kind in kinds:
        if isinstance(kind, types.BaseNamedTuple):
            yield kind.instance_class  # type: ignore[attr-defined]
        if isinstance(kind, types.BaseTuple):
            yield from named_tuples(iter(kind))  # type: ignore[call-overload]
