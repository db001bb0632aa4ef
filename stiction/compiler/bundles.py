"""Bundles, the named tuples of this package, as single values in intermediate code.

Numba passes a tuple to a function field by field: taken apart before the call, put together after
it. A bundle of the step holds some hundred arrays, each of seven fields, and nearly every function
takes one; four out of five instructions that Numba generated did nothing else. Here a bundle is one
argument, and is stored and loaded whole. Nothing is left of it once everything is inlined.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.datamodel import default_manager, models, register_default

PACKAGE = __name__.partition(".")[0]


class _Whole:
    """Mixed into a data model whose values look the same in memory as in registers."""

    def get_argument_type(self) -> Any:
        """Return the type of the one argument that a bundle is."""
        return self.get_value_type()  # type: ignore[attr-defined]

    def load_from_data_pointer(self, builder: Any, pointer: Any, align: Any = None) -> Any:
        """Load a bundle at once."""
        return builder.load(pointer, align=align)

    def _same(self, builder: Any, value: Any) -> Any:
        return value

    as_argument = from_argument = as_data = from_data = as_return = from_return = _same


class _Bundle(_Whole, models.TupleModel):
    """A bundle of parts of several types."""


class _UniformBundle(_Whole, models.UniTupleModel):
    """A bundle of parts of one type."""


def _is_ours(manager: Any, bundle: Any) -> bool:
    """Whether a bundle is declared in this package, and compiled for the CPU."""
    module = bundle.instance_class.__module__
    return manager is default_manager and module.partition(".")[0] == PACKAGE


def _same_in_memory(model: Any) -> bool:
    """Whether a type has one representation, unlike that of a truth value."""
    return bool(model.get_value_type() == model.get_data_type())


def _model(whole: Any, usual: Any) -> Any:
    def choose(manager: Any, bundle: Any) -> Any:
        model = usual(manager, bundle)
        if _is_ours(manager, bundle) and _same_in_memory(model):
            return whole(manager, bundle)
        return model

    return choose


register_default(types.NamedTuple)(_model(_Bundle, models.TupleModel))
register_default(types.NamedUniTuple)(_model(_UniformBundle, models.UniTupleModel))
