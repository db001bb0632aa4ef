"""Indices of our own compiled functions are taken as they are; importing this module arranges it.

Python counts negative indices from the end, so Numba tests every index that may be negative. No
kernel of ours uses one (`tests/step/test_indices.py`), and the tests cost 3 to 5 % of a step.
Functions of users, whose mangled names begin with another module, keep them.
"""

from __future__ import annotations

from typing import Any

from llvmlite.ir import Constant
from numba.core import types
from numba.np import arrayobj

OURS = "_ZN8stiction"  # how the mangled names of our functions begin


def _without_test(original: Any) -> Any:
    """Return Numba's `fix_integer_index`, less the test in our own functions."""

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        ours = builder.function.name.startswith(OURS)
        if not ours or isinstance(index, Constant) or not kind.signed:
            return original(context, builder, kind, index, size)
        return context.cast(builder, index, kind, types.intp)

    return fix_integer_index


# What is built upon here is not a promise of Numba's; a version without it keeps its tests.
if hasattr(arrayobj, "fix_integer_index"):
    arrayobj.fix_integer_index = _without_test(arrayobj.fix_integer_index)
