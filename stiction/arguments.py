"""Arguments of public functions as arrays, before they are checked."""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(value: Any) -> np.ndarray:
    """Copy of a value as an array of floats; a single NaN where it does not consist of numbers."""
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return np.array(np.nan)
