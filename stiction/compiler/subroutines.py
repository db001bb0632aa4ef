"""Subroutines: functions that are compiled once and called by name from every loop.

A whole step as one function takes LLVM minutes; in pieces it takes seconds, and loops for other
contact models, controllers or worlds share the pieces. A call must be cheap, though. Numba passes
an array as seven numbers or more, of which a function that is compiled for contiguous arrays needs
the address and the shape. Only these are passed, and the array is put together again inside:

    caller      cast of a bundle to `Passed(bundle)`, no code; its arguments are these numbers
    entry       a generated function, compiled apart for `Passed` types, that gives the `received`
                bundles to
    inner       the function itself, inlined into the entry

Code in the cache refers to subroutines by name. A `Loader` is stored with it, which makes sure that
the subroutine is there before its caller is.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models, register_default
from numba.core.imputils import lower_cast
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic
from numba.np.numpy_support import as_dtype

from stiction.compiler.cache import is_ours
from stiction.compiler.parts import LOADERS


class Passed(types.Type):
    """The type of a bundle or an array while it is passed to a subroutine."""

    def __init__(self, whole: Any) -> None:
        """Pass values of the type `whole`."""
        self.whole = whole
        super().__init__(name=f"passed({whole.name})")

    @property
    def key(self) -> Any:
        """What distinguishes it from other passed types."""
        return self.whole


def passed(kind: Any) -> Any:
    """Return the type as which a value is passed; constants are passed as any other value."""
    if isinstance(kind, types.BaseTuple | types.Array):
        return Passed(kind)
    return types.unliteral(kind)


def is_contiguous(kind: Any) -> bool:
    """Whether a type is that of contiguous arrays."""
    return isinstance(kind, types.Array) and kind.layout == "C"


def _types(kind: Any) -> tuple[Any, ...]:
    """Types of the parts of a tuple."""
    return tuple(kind.types)


def _numbers(manager: Any, kind: Any) -> Any:
    """Types of the numbers that are passed for a type, nested as it is."""
    if is_contiguous(kind):
        address = manager.lookup(types.CPointer(kind.dtype)).get_value_type()
        length = manager.lookup(types.intp).get_value_type()
        return (address, *[length] * kind.ndim)
    if isinstance(kind, types.BaseTuple):
        return tuple(_numbers(manager, part) for part in _types(kind))
    return manager.lookup(kind).get_value_type()


def _take_apart(manager: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return the numbers to pass for a value."""
    if is_contiguous(kind):
        model = manager.lookup(kind)
        shape = model.get(builder, value, "shape")
        lengths = [builder.extract_value(shape, k) for k in range(kind.ndim)]
        return (model.get(builder, value, "data"), *lengths)
    if isinstance(kind, types.BaseTuple):
        parts = (builder.extract_value(value, k) for k in range(len(_types(kind))))
        return tuple(
            _take_apart(manager, builder, part, one)
            for part, one in zip(_types(kind), parts, strict=True)
        )
    return value


def _put_together(manager: Any, builder: Any, kind: Any, numbers: Any) -> Any:
    """Return the value for the numbers that were passed."""
    if is_contiguous(kind):
        return array_of(manager, builder, kind, numbers[0], numbers[1:])
    if isinstance(kind, types.BaseTuple):
        value = ir.Constant(manager.lookup(kind).get_value_type(), ir.Undefined)
        for k, (part, one) in enumerate(zip(_types(kind), numbers, strict=True)):
            value = builder.insert_value(value, _put_together(manager, builder, part, one), k)
        return value
    return numbers


def array_of(
    manager: Any, builder: Any, kind: Any, address: Any, lengths: Any, steps: Any = None
) -> Any:
    """Return the array at an address; what is not used of it costs nothing.

    steps: strides, of an array that is not contiguous.
    """
    model, length = manager.lookup(kind), manager.lookup(types.intp).get_value_type()
    itemsize = ir.Constant(length, as_dtype(kind.dtype).itemsize)
    row = ir.Constant(ir.ArrayType(length, kind.ndim), ir.Undefined)
    shape = strides = row
    stride, items = itemsize, ir.Constant(length, 1)
    for k in reversed(range(kind.ndim)):
        shape = builder.insert_value(shape, lengths[k], k)
        strides = builder.insert_value(strides, steps[k] if steps else stride, k)
        stride, items = builder.mul(stride, lengths[k]), builder.mul(items, lengths[k])
    value = ir.Constant(model.get_value_type(), None)  # no owner: nothing counts references
    for name, field in (
        ("nitems", items),
        ("itemsize", itemsize),
        ("data", address),
        ("shape", shape),
        ("strides", strides),
    ):
        value = model.set(builder, value, field, name)
    return value


@register_default(Passed)
class _PassedModel(models.ProxyModel):
    """A value as it is, except as an argument."""

    def __init__(self, manager: Any, kind: Passed) -> None:
        super().__init__(manager, kind)
        self._proxied_model = manager.lookup(kind.whole)

    def get_argument_type(self) -> Any:
        """Types of the numbers that are passed."""
        return _numbers(self._dmm, self._fe_type.whole)

    def as_argument(self, builder: Any, value: Any) -> Any:
        """Return the numbers to pass."""
        return _take_apart(self._dmm, builder, self._fe_type.whole, value)

    def from_argument(self, builder: Any, value: Any) -> Any:
        """Return the value for the numbers that were passed."""
        return _put_together(self._dmm, builder, self._fe_type.whole, value)


@lower_cast(types.Type, Passed)
def _pass(context: Any, builder: Any, fromty: Any, toty: Any, value: Any) -> Any:
    return value


@intrinsic
def received(typingctx: Any, value: Any) -> Any:
    """Return what was passed, as it was before."""
    whole = value.whole if isinstance(value, Passed) else value
    return whole(value), lambda context, builder, signature, arguments: arguments[0]


def entry_of(inner: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that is compiled apart: it calls `inner` with what it received."""
    names = list(inspect.signature(function).parameters)
    given = ", ".join(f"received({name})" for name in names)
    source = f"def entry({', '.join(names)}):\n    return inner({given})\n"
    code = function.__code__
    scope: dict[str, Any] = {"inner": inner, "received": received, "__name__": function.__module__}
    exec(compile("\n" * (code.co_firstlineno - 1) + source, code.co_filename, "exec"), scope)
    entry = scope["entry"]
    entry.__qualname__ = entry.__name__ = f"{function.__name__}_entry"
    entry.__module__ = function.__module__
    return entry


class Subroutine(CPUDispatcher):
    """A subroutine. Where a type is the user's, its code is part of every caller instead."""

    entry: Any

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return how it is called with arguments of these types."""
        inherited = super().get_call_template
        if not all(map(is_ours, map(types.unliteral, args))) or kws:
            return inherited(args, kws)
        return self.entry.get_call_template(tuple(map(passed, args)), kws)

    def get_overload(self, sig: Any) -> Any:
        """Return the code for a signature."""
        if tuple(sig) in self.entry.overloads:
            return self.entry.get_overload(sig)
        return super().get_overload(sig)


class Entry(CPUDispatcher):
    """What is compiled apart."""

    def add_overload(self, result: Any) -> None:
        """Register code that was compiled or loaded, and how its cached callers load it."""
        super().add_overload(result)
        name = self.py_func.__qualname__.removesuffix("_entry")
        loader: Any = Loader(self.py_func.__module__, name, result.signature.args)
        LOADERS[result.fndesc.mangled_name] = loader


class Loader(NamedTuple):
    """Loads a subroutine, from the cache or by compiling it."""

    module: str
    function: str
    arguments: tuple[Any, ...]

    def __call__(self) -> None:
        """Load it, unless it is loaded."""
        subroutine = getattr(importlib.import_module(self.module), self.function)
        subroutine.entry.compile(self.arguments)
