"""Arrays in packed memory for the compiler of CUDA kernels: shape and place are in the type.

Kernels use them like any array: items and rows by integer indices, `len` and `shape`. An array has
no value, so that a function takes none for it, however many arrays there are in its bundles; only
the row of an array is a pointer. Each thread keeps two pointers, to its world and to what all
worlds share, in shared memory, where every function finds them.

Arrays that all worlds share do not change while a kernel runs, and the compiler is told so.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from llvmlite import ir
from numba.cuda import types
from numba.cuda.cudadecl import registry as typing_registry
from numba.cuda.cudaimpl import registry as lowering_registry
from numba.cuda.extending import core_models, intrinsic, register_model
from numba.cuda.nvvmutils import SRegBuilder
from numba.cuda.typing.templates import AbstractTemplate, AttributeTemplate, signature

from stiction.batch.packed import LANES, Layout, Place

BYTE, LONG = ir.IntType(8), ir.IntType(64)
GLOBAL = BYTE.as_pointer(addrspace=1)  # a pointer into the memory of the device
POINTERS = "stiction_pointers"  # name of the array of pointers in shared memory
SHARED_SPACE = 3
SHARED_SLOT = 0  # in that array: what all worlds share; those of the threads follow


class PackedArray(types.Type):
    """Type of an array with a known place."""

    def __init__(self, place: Place) -> None:
        """Describe the array at a place."""
        self.place = place
        self.shape, self.whole, self.shared = place.shape, place.whole, place.shared
        self.size = place.size  # of an item [bytes]
        self.number: Any = types.intp
        if not self.whole:
            self.number = types.float32 if self.size == 4 else types.float64
        kind = ("i" if self.whole else "f") + ("s" if self.shared else "")
        shape = "x".join(map(str, self.shape))
        super().__init__(name=f"{type(self).__name__}{kind}{8 * self.size}_{place.offset}_{shape}")

    def steps(self) -> list[int]:
        """Strides of the axes [bytes]."""
        steps = [self.size * (1 if self.shared else LANES)]
        for n in self.shape[:0:-1]:
            steps.insert(0, steps[0] * n)
        return steps

    def row(self, axes: int) -> PackedRow:
        """Type of the row that is left after indexing so many axes."""
        return PackedRow(replace(self.place, shape=self.shape[axes:]))

    def stored(self) -> Any:
        """Type of an item in memory."""
        if self.whole:
            return ir.IntType(8 * self.size)
        return ir.FloatType() if self.size == 4 else ir.DoubleType()


class PackedRow(PackedArray):
    """Type of a row of an array: a pointer that lacks the offset of the array."""


@register_model(PackedArray)
class _Nothing(core_models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [])


@register_model(PackedRow)
class _Pointer(core_models.PrimitiveModel):
    def __init__(self, manager: Any, kind: PackedRow) -> None:
        super().__init__(manager, kind, GLOBAL)


# ----------------------------------------------------------------------------------------- pointers


def enterer(layout: Layout) -> Callable[..., Any]:
    """Return the function (shared, worlds, i) with which a thread says that its world is i."""

    @intrinsic
    def enter_world(_context: Any, shared: Any, worlds: Any, i: Any) -> Any:
        return signature(types.none, shared, worlds, types.intp), keep_pointers

    def keep_pointers(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        shared, worlds = (
            builder.ptrtoint(context.make_array(kind)(context, builder, memory).data, LONG)
            for kind, memory in zip(sig.args[:2], args[:2], strict=True)
        )
        block = builder.sdiv(args[2], LONG(LANES))
        lane = builder.srem(args[2], LONG(LANES))
        first = builder.mul(block, LONG(layout.items * LANES))
        mine = builder.mul(builder.add(first, lane), LONG(layout.item.itemsize))
        slots = _slots(builder)
        slots.initializer = ir.Constant(slots.value_type, ir.Undefined)
        builder.store(shared, _slot(builder, True))
        builder.store(builder.add(worlds, mine), _slot(builder, False))
        return context.get_dummy_value()

    return enter_world


def _slots(builder: Any) -> Any:
    """Return the array of pointers in shared memory; the kernel's module defines it."""
    found = builder.module.globals.get(POINTERS)
    if found is None:
        kind = ir.ArrayType(LONG, 1 + LANES)
        found = ir.GlobalVariable(builder.module, kind, POINTERS, addrspace=SHARED_SPACE)
        found.align = 8
    return found


def _slot(builder: Any, shared: bool) -> Any:
    """Return the address of the pointer of this thread, or of what all worlds share."""
    slot = LONG(SHARED_SLOT)
    if not shared:
        thread = builder.zext(SRegBuilder(builder).tid("x"), LONG)
        slot = builder.add(thread, LONG(SHARED_SLOT + 1))
    return builder.gep(_slots(builder), [LONG(0), slot], inbounds=True)


def _pointer(builder: Any, array: PackedArray, value: Any) -> Any:
    """Return the pointer of a row, or that of the memory in which an array is."""
    if isinstance(array, PackedRow):
        return value
    return builder.inttoptr(builder.load(_slot(builder, array.shared)), GLOBAL)


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
    pointer = _pointer(builder, array, args[0])
    for kind, part, step in zip(numbers, parts, array.steps(), strict=False):
        number = context.cast(builder, part, kind, types.intp)
        way = builder.mul(number, LONG(step), flags=["nsw"])
        pointer = builder.gep(pointer, [way], inbounds=True, source_etype=BYTE)
    return pointer


def _item(builder: Any, array: PackedArray, pointer: Any) -> Any:
    """Return the pointer to an item."""
    offset = LONG(array.place.offset * array.size * (1 if array.shared else LANES))
    pointer = builder.gep(pointer, [offset], inbounds=True, source_etype=BYTE)
    return builder.bitcast(pointer, array.stored().as_pointer(addrspace=1))


@lowering_registry.lower(operator.getitem, PackedArray, types.Any)
def _get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    array, pointer = sig.args[0], _moved(context, builder, sig, args)
    if isinstance(sig.return_type, PackedRow):
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
