"""Arrays in packed memory for the compiler of CUDA kernels: shape and place are in the type.

Kernels use them like any array: items and rows by integer indices, `len` and `shape`. The value is
one pointer; that of a row is the same pointer with an offset. Arrays that all worlds share do not
change while a kernel runs, and the compiler is told so.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.cuda import types
from numba.cuda.cudadecl import registry as typing_registry
from numba.cuda.cudaimpl import registry as lowering_registry
from numba.cuda.extending import core_models, intrinsic, register_model
from numba.cuda.np.numpy_support import from_dtype
from numba.cuda.typing.templates import AbstractTemplate, AttributeTemplate, signature

from stiction.batch.packed import LANES, Layout, Place

BYTE, LONG = ir.IntType(8), ir.IntType(64)
GLOBAL = BYTE.as_pointer(addrspace=1)  # a pointer into the memory of the device


class PackedArray(types.Type):
    """Type of an array with a known place."""

    def __init__(self, layout: Layout, place: Place, shared: bool) -> None:
        """Describe an array of the layout."""
        self.shape, self.whole, self.offset = place
        self.shared = shared
        self.size = layout.real.itemsize  # of an item [bytes]
        self.number = types.intp if self.whole else from_dtype(layout.real)
        self.layout = layout
        super().__init__(name=f"PackedArray({layout.real}, {place}, {layout.items}, {shared})")

    def steps(self) -> list[int]:
        """Strides of the axes [bytes]."""
        steps = [self.size * (1 if self.shared else LANES)]
        for n in self.shape[:0:-1]:
            steps.insert(0, steps[0] * n)
        return steps

    def row(self, axes: int) -> PackedArray:
        """Type of the row that is left after indexing so many axes."""
        place = Place(self.shape[axes:], self.whole, self.offset)
        return PackedArray(self.layout, place, self.shared)

    def stored(self) -> Any:
        """Type of an item in memory."""
        if self.whole:
            return ir.IntType(8 * self.size)
        return ir.FloatType() if self.size == 4 else ir.DoubleType()


@register_model(PackedArray)
class _Model(core_models.PrimitiveModel):
    def __init__(self, manager: Any, kind: PackedArray) -> None:
        super().__init__(manager, kind, GLOBAL)


def packed_array(layout: Layout, place: Place, shared: bool) -> Callable[..., Any]:
    """Return the function (memory, i) that gives a kernel the array of world i."""
    kind = PackedArray(layout, place, shared)

    @intrinsic
    def view(_context: Any, memory: Any, i: Any) -> Any:
        return signature(kind, memory, types.intp), point_at_world

    def point_at_world(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        memory = context.make_array(sig.args[0])(context, builder, args[0])
        pointer = builder.addrspacecast(builder.bitcast(memory.data, BYTE.as_pointer()), GLOBAL)
        if shared:
            return pointer
        block = builder.sdiv(args[1], LONG(LANES))
        lane = builder.srem(args[1], LONG(LANES))
        first = builder.mul(block, LONG(layout.items * LANES))
        at = builder.mul(builder.add(first, lane), LONG(kind.size))
        return builder.gep(pointer, [at], inbounds=True, source_etype=BYTE)

    return view


# ------------------------------------------------------------------------------------------- typing


def _indices(kind: Any) -> list[Any]:
    """Types of the integers of an index."""
    return list(kind.types) if isinstance(kind, types.BaseTuple) else [kind]


def _is_index(array: Any, index: Any) -> bool:
    """Tell whether an index is valid for the items or rows of an array."""
    numbers = _indices(index)
    return len(numbers) <= len(array.shape) and all(isinstance(n, types.Integer) for n in numbers)


@typing_registry.register_global(operator.getitem)
class _Get(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        array, index = args
        if not isinstance(array, PackedArray) or not _is_index(array, index):
            return None
        axes = len(_indices(index))
        found = array.number if axes == len(array.shape) else array.row(axes)
        return signature(found, array, index)


@typing_registry.register_global(operator.setitem)
class _Set(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        array, index, _ = args
        if not isinstance(array, PackedArray) or not _is_index(array, index):
            return None
        whole_item = len(_indices(index)) == len(array.shape) and not array.shared
        return signature(types.none, array, index, array.number) if whole_item else None


@typing_registry.register_global(len)
class _Len(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.intp, args[0]) if isinstance(args[0], PackedArray) else None


@typing_registry.register_attr
class _Attributes(AttributeTemplate):
    key = PackedArray

    def resolve_shape(self, array: PackedArray) -> Any:
        return types.UniTuple(types.intp, len(array.shape))


# ----------------------------------------------------------------------------------------- lowering


def _moved(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Return the pointer moved by the index, without the offset of the array."""
    array, index = sig.args[:2]
    numbers = _indices(index)
    parts = (
        [builder.extract_value(args[1], k) for k in range(len(numbers))]
        if isinstance(index, types.BaseTuple)
        else [args[1]]
    )
    pointer = args[0]
    for kind, part, step in zip(numbers, parts, array.steps(), strict=False):
        number = context.cast(builder, part, kind, types.intp)
        way = builder.mul(number, LONG(step), flags=["nsw"])
        pointer = builder.gep(pointer, [way], inbounds=True, source_etype=BYTE)
    return pointer


def _item(builder: Any, array: PackedArray, pointer: Any) -> Any:
    """Return the pointer to an item."""
    offset = LONG(array.offset * array.size * (1 if array.shared else LANES))
    pointer = builder.gep(pointer, [offset], inbounds=True, source_etype=BYTE)
    return builder.bitcast(pointer, array.stored().as_pointer(addrspace=1))


@lowering_registry.lower(operator.getitem, PackedArray, types.Any)
def _get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    array, pointer = sig.args[0], _moved(context, builder, sig, args)
    if isinstance(sig.return_type, PackedArray):
        return pointer
    value = builder.load(_item(builder, array, pointer), align=array.size)
    if array.shared:
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return builder.sext(value, LONG) if array.whole and array.size < 8 else value


@lowering_registry.lower(operator.setitem, PackedArray, types.Any, types.Any)
def _set(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    array, pointer, value = sig.args[0], _moved(context, builder, sig, args), args[2]
    if array.whole and array.size < 8:
        value = builder.trunc(value, array.stored())
    builder.store(value, _item(builder, array, pointer), align=array.size)
    return context.get_dummy_value()


@lowering_registry.lower(len, PackedArray)
def _len(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.get_constant(types.intp, sig.args[0].shape[0])


@lowering_registry.lower_getattr(PackedArray, "shape")
def _shape(context: Any, builder: Any, array: PackedArray, value: Any) -> Any:
    kind = types.UniTuple(types.intp, len(array.shape))
    return context.get_constant_generic(builder, kind, array.shape)
