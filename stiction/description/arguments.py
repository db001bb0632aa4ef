"""Numbers, counts and names that users give, checked; each function raises InputError."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stiction.errors import InputError

LARGEST = 1e15  # largest number allowed, as in model files: products of larger ones overflow
SMALLEST = 1e-12  # smallest positive length, mass or time: quotients of smaller ones overflow
TOLERANCE = 1e-6  # of a number of steps: rates and times are decimal fractions


def shown(value: Any) -> str:
    """A value as messages show it."""
    if isinstance(value, int) and abs(value) >= 10**20:
        return f"an integer of {value.bit_length()} bits"  # Python may refuse to print it
    text = " ".join(repr(value).split())
    return text if len(text) <= 100 else f"{text[:97]}..."


def is_number(value: Any) -> bool:
    """Whether a value is a finite real number of a size that can be computed with."""
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return bool(real and abs(value) < LARGEST)


def number(
    what: str, value: Any, unit: str = "", low: float = -LARGEST, positive: bool = False
) -> float:
    """The value as a float: finite, at least `low`, and at least SMALLEST if it is `positive`."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    least = SMALLEST if positive else low
    if not (is_number(value) and value >= least):
        sign = "positive" if positive else "non-negative" if low == 0 else "finite"
        wanted = f"a {sign} number{f' in {unit}' if unit else ''}"
        if is_finite(value) and abs(value) >= LARGEST:
            wanted += f", smaller than {LARGEST:g}"
        elif is_finite(value) and value > 0:
            wanted += f", at least {least:g}"
        raise InputError(f"{what} is {shown(value)}; give {wanted}")
    return float(value)


def numbers(value: Any) -> np.ndarray:
    """Copy of a value as a C-contiguous array of floats; a single NaN if it is not numeric."""
    try:
        with np.errstate(all="ignore"):
            return np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        return np.array(np.nan)


def vector(what: str, value: Any, size: int, unit: str = "") -> np.ndarray:
    """The value as an array of `size` finite floats."""
    found = numbers(value)
    if found.shape != (size,) or not (np.abs(found) < LARGEST).all():
        wanted = f"{size} finite numbers{f' in {unit}' if unit else ''}"
        if np.isfinite(found).all() and (np.abs(found) >= LARGEST).any():
            wanted += f", smaller than {LARGEST:g}"
        raise InputError(f"{what} is {shown(value)}; give {wanted}")
    return found


def count(what: str, value: Any, most: int, least: int = 1) -> int:
    """The value as an integer between `least` and `most`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (whole and least <= value <= most):
        wanted = "a positive integer" if least == 1 else f"an integer from {least}"
        wanted += f" to {most}" if least != 1 else f", at most {most}" if whole else ""
        raise InputError(f"{what} is {shown(value)}; give {wanted}")
    return int(value)


def steps_of_time(what: str, time: Any, dt: float) -> int:
    """A time [s] as a whole number of steps of dt."""
    given = number(what, time, "s", low=0)
    steps = given / dt
    if not _is_whole(steps):
        raise InputError(
            f"{what} {given:g} s is {steps:.6g} steps of {dt:g} s; give a whole number of steps, "
            f"for example {max(round(steps), 1) * dt:.9g} s"
        )
    return round(steps)


def steps_of_rate(what: str, rate: Any, dt: float) -> int:
    """The whole number of steps of dt, at least 1, in a period of a rate [Hz]."""
    given = number(what, rate, "Hz", positive=True)
    steps = 1 / given / dt
    near = max(round(steps), 1)
    if round(steps) != near or not _is_whole(steps):
        raise InputError(
            f"{what} {given:g} Hz is {steps:.6g} steps of {dt:g} s; give a whole number of steps, "
            f"for example {1 / (near * dt):.9g} Hz, or dt {1 / (near * given):.9g} s"
        )
    return near


def _is_whole(steps: float) -> bool:
    return abs(steps - round(steps)) <= TOLERANCE * max(1.0, steps)


def name(what: str, value: Any) -> str:
    """The value as a string that is not empty."""
    if not (isinstance(value, str) and value):
        raise InputError(f"{what} is {shown(value)}; give a name")
    return str(value)


def is_finite(value: Any) -> bool:
    """Whether a value is a finite real number, of whatever size."""
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        return bool(real and math.isfinite(value))
    except OverflowError:
        return False
