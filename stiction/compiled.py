"""The words for compiled functions, and one set of options for the compiler.

A `formula` maps values to values and touches no array except to load or store one item; a `kernel`
loops over links, points or coordinates. Both are always inlined: a call would copy every array
descriptor of the bundles that it is given. `plugged` is a kernel into which controllers,
integrators or contact models are compiled; it is not cached by itself, for its own file does not
tell when one of these is edited. A `routine` is what Python calls.

    error_model="numpy"    a division is one instruction, not a test for zero that raises
    _nrt=False             no reference counts on arrays, and the compiler rejects any allocation
    no_cfunc_wrapper       nobody calls these functions from C, and
    no_cpython_wrapper     kernels are called by compiled code alone: code that unpacks a bundle of
                           fifty arrays took more than half of the compile time (25 s became 10 s
                           for a first step)

No fastmath: it would compile the divergence check away, and gains nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from functools import cached_property
from types import FunctionType
from typing import Any, TypeVar

from numba import config, njit
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher

from stiction._cache import cached_in

Function = TypeVar("Function", bound=Callable[..., Any])


def _accepted(**private: Any) -> dict[str, Any]:
    """Those options that this version of Numba knows, or none."""
    try:
        njit(**private)(lambda: None)
    except Exception:  # noqa: BLE001  whatever Numba says to an unknown option
        return {}
    return private


OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "cache": True,
    **_accepted(_nrt=False),
    **_accepted(no_cfunc_wrapper=True),
}
INLINED = {**OPTIONS, **_accepted(forceinline=True), **_accepted(no_cpython_wrapper=True)}
# For code compiled into its callers and cached with them alone; `overload` takes these too.
PLUG_IN: Any = {key: value for key, value in INLINED.items() if key != "cache"}


class _Inlined(CPUDispatcher):
    """A compiled function without an entry for Python; such a call compiles it again, with one."""

    def __call__(self, *args: Any) -> Any:
        return self._for_python(*args)

    @cached_property
    def _for_python(self) -> Any:
        inner = self.py_func
        copy = FunctionType(
            inner.__code__, inner.__globals__, inner.__name__, None, inner.__closure__
        )
        copy.__qualname__ = f"{inner.__qualname__} for Python"  # names its file in the cache
        copy.__module__ = inner.__module__
        return routine(copy)


class _Cache(FunctionCache):
    """Numba's cache, which would fail where an index names a module that is not here.

    A kernel of ours that a user's code called with a type of the user's leaves such an index.
    """

    def load_overload(self, *args: Any) -> Any:
        try:
            return super().load_overload(*args)
        except (ImportError, AttributeError):
            return None

    def save_overload(self, *args: Any) -> None:
        with contextlib.suppress(ImportError, AttributeError):
            super().save_overload(*args)


def _declare(
    function: Callable[..., Any], options: dict[str, Any], modules: Iterable[str] = ()
) -> Any:
    with cached_in({function.__module__, *modules}):
        compiled = njit(**options)(function)
        if options.get("cache") and not config.DISABLE_JIT:  # type: ignore[attr-defined]
            compiled._cache = _Cache(function)
    return compiled


def formula(function: Function) -> Function:
    """Compile a function of values; always inlined."""
    return _inlined(function, INLINED)


kernel = formula  # the second word: a function that loops over arrays


def plugged(function: Function) -> Function:
    """Compile a kernel that calls plugged-in code; always inlined, cached with its caller only."""
    return _inlined(function, PLUG_IN)


def _inlined(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    compiled = _declare(function, options)
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        compiled.__class__ = _Inlined
    return compiled


def routine(function: Function) -> Function:
    """Compile a function that Python calls."""
    return _declare(function, OPTIONS)


def routine_with(function: Function, plug_ins: Iterable[Any]) -> Function:
    """Compile a routine that plug-ins are compiled into, cached by the sources of these too."""
    return _declare(function, OPTIONS, [plug_in.__module__ for plug_in in plug_ins])
