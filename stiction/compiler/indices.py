"""Importing this module disables the wrap-around of negative indices in our compiled functions.

Python counts negative indices from the end, so Numba tests every index that may be negative. None
of our kernels uses one (`tests/step/test_indices.py`), and the tests cost 3 to 5 % of a step.
Functions of users, whose mangled names start with another module, keep them.
"""

from __future__ import annotations

from typing import Any

from llvmlite.ir import Constant
from numba.core import types
from numba.np import arrayobj

OURS = "_ZN8stiction"  # prefix of the mangled names of our functions


def _without_test(original: Any) -> Any:
    """Return Numba's `fix_integer_index` without the test in our own functions."""

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        ours = builder.function.name.startswith(OURS)
        if not ours or isinstance(index, Constant) or not kind.signed:
            return original(context, builder, kind, index, size)
        return context.cast(builder, index, kind, types.intp)

    return fix_integer_index


# This relies on Numba's internals, not its public API; a version without them keeps its tests.
if hasattr(arrayobj, "fix_integer_index"):
    arrayobj.fix_integer_index = _without_test(arrayobj.fix_integer_index)
