"""The decorators for compiled functions, and one set of compiler options.

A `formula` maps values to values and accesses arrays only to load or store one item; a `kernel`
loops over links, points or coordinates. Both are always inlined: a call would copy every array
descriptor of the bundles passed to it. A `subroutine` is called instead, which keeps the loop
small (`subroutines.py`). A `routine` is called from Python.

    error_model="numpy"    division without a test for zero that raises
    fastmath="contract"    fused multiply-add, rounded once: 5 % faster
    _nrt=False             no reference counts on arrays, and the compiler rejects any allocation
    no_cfunc_wrapper       these functions are never called from C, and
    no_cpython_wrapper     kernels are called by compiled code only: code that unpacks a bundle of
                           fifty arrays took more than half of the compile time (25 s became 10 s
                           for a first step)

Inlined functions are compiled to intermediate code only (`parts.py`), and there is no test for
negative indices (`indices.py`).

Other fastmath options would optimise the divergence check away, and gain nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from types import FunctionType
from typing import Any, TypeVar

from numba import config, njit
from numba.core.registry import CPUDispatcher
from numba.extending import overload

from stiction.compiler import bundles, indices, parts  # noqa: F401  two act when imported
from stiction.compiler.announced import Announcement, announced
from stiction.compiler.cache import Cache, sources_of
from stiction.compiler.checked import is_interpreted
from stiction.compiler.subroutines import Entry, Subroutine, entry_of
from stiction.compiler.user_errors import compiled_or_explained
from stiction.errors import InputError

Function = TypeVar("Function", bound=Callable[..., Any])


def _accepted(**private: Any) -> dict[str, Any]:
    """The options if this version of Numba accepts them, else none."""
    try:
        njit(**private)(lambda: None)
    except Exception:  # noqa: BLE001  whatever Numba says to an unknown option
        return {}
    return private


OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "fastmath": {"contract"},
    **_accepted(_nrt=False),
    **_accepted(no_cfunc_wrapper=True),
}
INLINED: Any = {**OPTIONS, **_accepted(forceinline=True), **_accepted(no_cpython_wrapper=True)}
PART: Any = {"pipeline_class": parts.PartCompiler} if parts.AVAILABLE else {}
APART: Any = {"pipeline_class": parts.ApartCompiler} if parts.AVAILABLE else {}
WHOLE: Any = {"pipeline_class": parts.WholeCompiler} if parts.AVAILABLE else {}
SUBROUTINES: list[Any] = []  # all that are declared; CUDA kernels call them too


class _Routine(CPUDispatcher):
    """A function that Python calls; errors in a user's part of it are explained briefly."""

    plug_ins: tuple[Callable[..., Any], ...] = ()
    announcement = Announcement("")

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        inherited = super()._compile_for_args  # type: ignore[misc]
        with announced(self.announcement):
            return compiled_or_explained(lambda: inherited(*args, **kws), self.plug_ins)


class _Inlined(CPUDispatcher):
    """A compiled function without a Python entry point; calling it recompiles it with one."""

    def __call__(self, *args: Any) -> Any:
        if is_interpreted():
            return self.py_func(*args)
        return self._for_python(*args)

    @cached_property
    def _for_python(self) -> Any:
        inner = self.py_func
        copy = FunctionType(
            inner.__code__, inner.__globals__, inner.__name__, None, inner.__closure__
        )
        copy.__qualname__ = f"{inner.__qualname__} for Python"  # part of its file name in the cache
        copy.__module__ = inner.__module__
        return routine(copy)


class _Subroutine(_Inlined, Subroutine):
    """A subroutine; calling it from Python compiles it with an entry point."""


def _declare(
    function: Callable[..., Any], options: dict[str, Any], modules: Iterable[str] = ()
) -> Any:
    compiled = njit(**options)(function)
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        compiled._cache = Cache(function, sources_of({function.__module__, *modules}))
    return compiled


def formula(function: Function) -> Function:
    """Compile a function of values, always inlined."""
    compiled = _declare(function, {**INLINED, **PART})
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        compiled.__class__ = _Inlined
    return compiled


kernel = formula  # a second name, for functions that loop over arrays


def subroutine(function: Function) -> Function:
    """Compile a kernel that is called, not inlined, once for all loops; see `subroutines.py`.

    For large kernels, and for code that few steps need.
    """
    compiled = _declare(function, {**INLINED, **PART, **_accepted(forceinline=False)})
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        compiled.__class__ = _Inlined
        if parts.AVAILABLE:
            compiled.__class__ = _Subroutine
            entry = entry_of(kernel(function), function)
            compiled.entry = _declare(entry, {**INLINED, **APART, **_accepted(forceinline=False)})
            compiled.entry.__class__ = Entry
        SUBROUTINES.append(compiled)
    return compiled


def chooses(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare how argument types select the Python function that `function` is compiled as."""

    def register(choose: Callable[..., Any]) -> Callable[..., Any]:
        overload(function, jit_options=INLINED)(choose)
        if PART:
            overload(function, jit_options={**INLINED, **PART}, target="cpu")(choose)
        return choose

    return register


def as_python(kernel: Function) -> Function:
    """Return the Python function of a kernel, for overloads: compiled without a wrapper."""
    return getattr(kernel, "py_func", kernel)


def routine(function: Function) -> Function:
    """Compile a function that Python calls."""
    return _routine(function, {**OPTIONS, **WHOLE})


def routine_with(
    function: Function, plug_ins: Iterable[Any], announcement: Announcement
) -> Function:
    """Compile a routine that contains plug-ins; their sources are part of the cache key.

    announcement: the message while it is compiled.
    """
    options = {**OPTIONS, **WHOLE, "nogil": True}  # batches run it in several threads
    return _routine(function, options, tuple(plug_ins), announcement)


def _routine(
    function: Callable[..., Any],
    options: dict[str, Any],
    plug_ins: tuple[Any, ...] = (),
    announcement: Announcement | None = None,
) -> Any:
    compiled = _declare(function, options, [plug_in.__module__ for plug_in in plug_ins])
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        compiled.__class__ = _Routine
        kernels = [one for one in plug_ins if not isinstance(one, type)]
        compiled.plug_ins = tuple(map(as_python, kernels))
        named = function.__name__.strip("_").replace("_", " ")
        compiled.announcement = announcement or Announcement(f"'{named}'")
    return compiled


def refuse_second(kind: type, existing: Any, function: Callable[..., Any]) -> None:
    """Raise InputError if a parameter type already has a different kernel."""
    before = getattr(existing, "py_func", existing)
    if before is not None and (before.__module__, before.__qualname__) != (
        function.__module__,
        function.__qualname__,
    ):
        raise InputError(
            f"{kind.__name__} already has a kernel, {before.__module__}.{before.__qualname__}; "
            f"define another parameter type for {function.__qualname__}"
        )
