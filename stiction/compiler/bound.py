"""Bundles that compiled code finds in memory, so that Python passes one address per call.

Numba unpacks every array of a bundle in every call: a step has some five hundred, which took longer
than the step. Here a bundle is stored once, as numbers: for an array its address and lengths,
as subroutines pass them, for a number its value.

    Python      `Handle(bundle)` writes the numbers, and keeps the arrays alive
    compiled    a handle is an address; `bundle_of(handle)` loads the bundle from there
"""

from __future__ import annotations

import ctypes
from functools import cached_property
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof
from numba.core import types
from numba.core.datamodel import models, register_default
from numba.extending import NativeValue, intrinsic, typeof_impl, unbox

from stiction.compiler.compiled import chooses
from stiction.compiler.subroutines import array_of, is_contiguous

SLOT = 8  # bytes of a number
OWNED = 4  # NumPy's flag of arrays that own their memory


class Handle:
    """A bundle, and its numbers in memory; arrays may be written to, but not replaced."""

    def __init__(self, bundle: Any) -> None:
        """Store the numbers of a bundle."""
        self.bundle = bundle
        self.numbers = np.array(numbers_of(bundle), np.int64)
        self.address = self.numbers.ctypes.data

    @cached_property
    def kind(self) -> Bound:
        """Its type in compiled code."""
        known = _layout_of(self.bundle)
        if known not in _KINDS:
            _KINDS[known] = Bound(typeof(self.bundle))
        return _KINDS[known]


_KINDS: dict[Any, Bound] = {}  # Numba takes longer to find a type than for a hundred steps


def _layout_of(bundle: Any) -> Any:
    """What the type of a bundle depends on."""
    if isinstance(bundle, tuple):
        return (type(bundle), *map(_layout_of, bundle))
    if isinstance(bundle, np.ndarray):
        return bundle.dtype, bundle.ndim, bundle.flags.num & ~OWNED
    return np.asarray(bundle).dtype


def numbers_of(bundle: Any) -> list[int]:
    """The numbers of a bundle, as compiled code loads them."""
    if isinstance(bundle, tuple):
        return [number for part in bundle for number in numbers_of(part)]
    if isinstance(bundle, np.ndarray):
        strides = () if bundle.flags.c_contiguous else bundle.strides
        return [_address_of(bundle), *bundle.shape, *strides]
    value = np.asarray(bundle).tobytes()
    return [int.from_bytes(value.ljust(SLOT, b"\0"), "little", signed=True)]


def _address_of(array: np.ndarray) -> int:
    """Where the numbers of an array begin."""
    if array.size and array.flags.c_contiguous and array.flags.writeable:
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))  # four times as fast
    return int(array.__array_interface__["data"][0])


class Bound(types.Type):
    """The type of a handle of a bundle of the type `whole`."""

    def __init__(self, whole: Any) -> None:
        """Handles of bundles of this type."""
        self.whole = whole
        super().__init__(name=f"bound({whole.name})")

    @property
    def key(self) -> Any:
        """What distinguishes it from other handles."""
        return self.whole


@typeof_impl.register(Handle)
def _type_of(value: Handle, context: Any) -> Bound:
    return value.kind


register_default(Bound)(models.OpaqueModel)


@unbox(Bound)
def _address(kind: Any, value: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(address)


class _Reader:
    """Loads the numbers of a bundle, one after the other."""

    def __init__(self, context: Any, builder: Any, address: Any) -> None:
        self.builder, self.manager = builder, context.data_model_manager
        self.address, self.slot = address, 0

    def _next(self, kind: Any) -> Any:
        """Load the next number, of a type of LLVM."""
        builder = self.builder
        place = builder.gep(self.address, [ir.Constant(ir.IntType(64), SLOT * self.slot)])
        self.slot += 1
        return builder.load(builder.bitcast(place, kind.as_pointer()))

    def load(self, kind: Any) -> Any:
        """Load a value of a type of Numba."""
        if isinstance(kind, types.BaseTuple):
            value = ir.Constant(self.manager.lookup(kind).get_value_type(), ir.Undefined)
            parts: Any = kind
            for k, part in enumerate(parts.types):
                value = self.builder.insert_value(value, self.load(part), k)
            return value
        if isinstance(kind, types.Array):
            length = ir.IntType(64)
            address = self._next(self.manager.lookup(types.CPointer(kind.dtype)).get_value_type())
            lengths = [self._next(length) for _ in range(kind.ndim)]
            strides = None
            if not is_contiguous(kind):
                strides = [self._next(length) for _ in range(kind.ndim)]
            return array_of(self.manager, self.builder, kind, address, lengths, strides)
        model = self.manager.lookup(kind)
        return model.from_data(self.builder, self._next(model.get_data_type()))


@intrinsic
def _loaded(typingctx: Any, handle: Any) -> Any:
    """The bundle at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _Reader(context, builder, arguments[0]).load(handle.whole)

    return handle.whole(handle), generate


def bundle_of(handle: Any) -> Any:
    """Return the bundle of a handle."""
    return handle.bundle


@chooses(bundle_of)
def _bundle_of(handle):  # type: ignore[no-untyped-def]  # Numba compares signatures
    return lambda handle: _loaded(handle)
