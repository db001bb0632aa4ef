"""Arguments of public functions as arrays, before they are checked."""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(value: Any) -> np.ndarray:
    """Copy of a value as a C-contiguous array of floats; a single NaN if it is not numeric.

    For compiled code an array of another layout is another type and triggers a new compilation.
    """
    try:
        return np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        return np.array(np.nan)
