"""Functions that apply to every leaf of nested tuples of arrays and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def map_leaves(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Return nested tuples of the same types with function(leaf, ...) in place of each leaf.

    others: tuples of the same shape as the first; the function gets the leaves of all of them.
    """
    if not isinstance(first, tuple):
        return function(first, *others)
    parts = [map_leaves(function, *same) for same in zip(first, *others, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)


def map_arrays(function: Callable[[np.ndarray], Any], values: Any) -> Any:
    """Return nested tuples with function(array) in place of each array; numbers stay."""
    return map_leaves(lambda leaf: function(leaf) if isinstance(leaf, np.ndarray) else leaf, values)


def arrays_of(values: Any) -> list[np.ndarray]:
    """Return all arrays in nested tuples."""
    found: list[np.ndarray] = []
    map_arrays(found.append, values)
    return found
