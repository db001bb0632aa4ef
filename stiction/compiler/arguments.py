"""Arguments of public functions as arrays, before they are checked."""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(value: Any) -> np.ndarray:
    """Copy of a value as an array of floats, row by row; a single NaN where it is not numbers.

    Compiled code knows arrays of another layout as another type, and would be compiled again.
    """
    try:
        return np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        return np.array(np.nan)
