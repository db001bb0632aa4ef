"""The words for compiled functions, and one set of options for the compiler.

A `formula` maps values to values and touches no array except to load or store one item; a `kernel` loops over
links, points or coordinates. Both are always inlined: a call would copy every array descriptor of the bundles it
is given (0.13 us for a large one). A `routine` is a kernel that stays a call of its own: one copy of a long piece of code
that is called from several places.

    error_model="numpy"  a division is one instruction, not a test for zero that raises an exception
    _nrt=False           no reference counts on arrays, and the compiler rejects any allocation

No fastmath: it would compile the divergence check away, and gains nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from numba import njit

from stiction._cache import cached_in

Function = TypeVar("Function", bound=Callable[..., Any])


def _accepted(**private: Any) -> dict[str, Any]:
    """Those private options that this version of Numba knows, or none."""
    try:
        njit(**private)(lambda: None)
    except Exception:  # noqa: BLE001  whatever Numba says to an unknown option
        return {}
    return private


_OPTIONS: dict[str, Any] = {"error_model": "numpy", "cache": True, **_accepted(_nrt=False)}
_INLINED = {**_OPTIONS, **_accepted(forceinline=True)}


def _declare(function: Callable[..., Any], options: dict[str, Any], modules: Iterable[str] = ()) -> Any:
    with cached_in({function.__module__, *modules}):
        return njit(**options)(function)


def formula(function: Function) -> Function:
    """Compile a function of values; always inlined."""
    return _declare(function, _INLINED)


kernel = formula  # the second word: a function that loops over arrays


def routine(function: Function) -> Function:
    """Compile a long kernel that stays a call of its own."""
    return _declare(function, _OPTIONS)


def declare_for(function: Function, types: Iterable[type]) -> Function:
    """Compile a routine for parameter tuples of these types, cached by the sources of their modules too."""
    return _declare(function, _OPTIONS, [kind.__module__ for kind in types])
