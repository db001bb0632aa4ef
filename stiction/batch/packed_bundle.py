"""Bundles of packed arrays for the compiler of CUDA kernels: a type without a value.

A bundle of the step holds hundreds of arrays, and nearly every function takes one. Here it costs
neither arguments nor instructions. Its numbers are constants.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from llvmlite import ir
from numba.cuda import types
from numba.cuda.cudaimpl import registry as lowering_registry
from numba.cuda.extending import intrinsic, register_model
from numba.cuda.typing.templates import signature
from numba.cuda.typing.typeof import typeof

from stiction.batch.packed import Place
from stiction.batch.packed_array import PackedArray, _Nothing


class PackedBundle(types.BaseNamedTuple):
    """Type of a bundle whose arrays have known places."""

    def __init__(self, places: Any) -> None:
        """Describe a named tuple with a `Place` for each array."""
        self.values = tuple(places)
        self.instance_class, self.fields = type(places), tuple(places._fields)
        self.types = tuple(map(type_of, places))
        self.count = len(self.types)
        numbers = [value for value in self.values if not isinstance(value, tuple | Place)]
        identity = repr((self.instance_class, [kind.name for kind in self.types], numbers))
        digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
        super().__init__(name=f"{self.instance_class.__name__}_{digest}")

    def __getitem__(self, k: int) -> Any:
        """Type of a field."""
        return self.types[k]

    def __len__(self) -> int:
        """Return the number of fields."""
        return self.count

    def __iter__(self) -> Iterator[Any]:
        """Types of the fields."""
        return iter(self.types)


register_model(PackedBundle)(_Nothing)


def type_of(part: Any) -> Any:
    """Return the type of a part of a world: a bundle, a tuple, an array or a number."""
    if isinstance(part, Place):
        return PackedArray(part)
    if hasattr(part, "_fields"):
        return PackedBundle(part)
    if isinstance(part, tuple):
        return types.BaseTuple.from_types(tuple(map(type_of, part)))
    return typeof(part)


def constant(context: Any, builder: Any, kind: Any, part: Any) -> Any:
    """Return the value of a part of a world."""
    if isinstance(kind, PackedArray | PackedBundle):
        return ir.Constant(context.get_value_type(kind), ir.Undefined)
    if isinstance(part, tuple):
        parts = [constant(context, builder, *one) for one in zip(kind, part, strict=True)]
        return context.make_tuple(builder, kind, parts)
    return context.get_constant_generic(builder, kind, part)


def packed_bundle(places: Any) -> Callable[..., Any]:
    """Return the function (shared, worlds, i) that gives a kernel a part of its world."""
    kind = type_of(places)

    @intrinsic
    def view(_context: Any, shared: Any, worlds: Any, i: Any) -> Any:
        return signature(kind, shared, worlds, i), give

    def give(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return constant(context, builder, kind, places)

    return view


@lowering_registry.lower_getattr_generic(PackedBundle)
def _get_field(context: Any, builder: Any, bundle: PackedBundle, value: Any, name: str) -> Any:
    k = bundle.fields.index(name)
    return constant(context, builder, bundle.types[k], bundle.values[k])


@lowering_registry.lower("static_getitem", PackedBundle, types.IntegerLiteral)
def _get_item(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    bundle, k = sig.args[0], args[1]
    return constant(context, builder, bundle.types[k], bundle.values[k])
