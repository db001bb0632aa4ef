"""Parameters to find, each within its bounds, and the numbers from 0 to 1 that stand for them.

The search works with places: 0 is the lower bound of a parameter, 1 the upper one. In between, a
parameter whose bounds differ by a factor of ten or more is scaled by its logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.contact.contact_model import MODELS, Parameter
from stiction.errors import InputError, did_you_mean

WIDE = 10.0  # bounds with a larger ratio: logarithmic
FACTOR = 10.0  # without bounds: from the default over this to the default times this


@dataclass(frozen=True)
class Range:
    """One number to find: the value of a parameter, or of several that are equal."""

    names: tuple[str, ...]
    low: float
    high: float

    @property
    def label(self) -> str:
        """The names, as they are given."""
        return ",".join(self.names)

    @property
    def logarithmic(self) -> bool:
        """Whether places are those of the logarithm."""
        return self.low > 0 and self.high >= WIDE * self.low

    def value(self, place: float) -> float:
        """Value of the parameter at a place from 0 to 1."""
        inside = min(max(float(place), 0.0), 1.0)
        if self.logarithmic:
            found = self.low * (self.high / self.low) ** inside
        else:
            found = self.low + inside * (self.high - self.low)
        return min(max(found, self.low), self.high)

    def place(self, value: float) -> float:
        """Place of a value, from 0 to 1 within the bounds."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def checked_ranges(
    contact: Any, given: Mapping[str, tuple[float, float] | None] | Sequence[str]
) -> list[Range]:
    """Return the parameters to find, with bounds that the contact model allows.

    given: names, or names with bounds. Names joined by commas stand for parameters that are equal.
    Without bounds a parameter is searched within those of its declaration; where it has none, from
    a tenth of its present value to ten times that.
    """
    bounds = given if isinstance(given, Mapping) else dict.fromkeys(given)
    if not bounds:
        raise InputError("fit: no parameter is given; name those to find")
    ranges, seen = [], set()
    fields = MODELS[type(contact)].fields
    for label, limits in bounds.items():
        names = tuple(name.strip() for name in label.split(","))
        for name in names:
            if name not in fields:
                raise InputError(
                    f"fit: {type(contact).__name__} has no parameter '{name}'; it has "
                    f"{', '.join(fields)}{did_you_mean(name, fields)}"
                )
            if name in seen:
                raise InputError(f"fit: parameter '{name}' is given twice")
            seen.add(name)
        ranges.append(_checked_range(names, [fields[name] for name in names], contact, limits))
    return ranges


def _checked_range(
    names: tuple[str, ...],
    fields: Sequence[Parameter],
    contact: Any,
    limits: tuple[float, float] | None,
) -> Range:
    lowest, highest = max(one.low for one in fields), min(one.high for one in fields)
    if limits is None:
        now = float(getattr(contact, names[0]))
        low = lowest if math.isfinite(lowest) and lowest > 0 else now / FACTOR
        high = highest if math.isfinite(highest) else now * FACTOR
        if math.isfinite(lowest) and math.isfinite(highest):
            low = lowest
        if not low < high:
            raise InputError(f"fit: {','.join(names)} is {now:g} and has no bounds; give LOW:HIGH")
        return Range(names, low, high)
    low, high = (float(one) for one in limits)
    if not (math.isfinite(low) and math.isfinite(high) and lowest <= low < high <= highest):
        allowed = f"{lowest:g} to {highest:g}"
        raise InputError(
            f"fit: bounds of {','.join(names)} are {low:g} and {high:g}; give two numbers, the "
            f"smaller first, within {allowed}"
        )
    return Range(names, low, high)


def contact_at(contact: Any, ranges: Sequence[Range], place: np.ndarray) -> Any:
    """Return the contact model with the parameters at a place.

    Static friction is at least kinetic friction: a smaller value is raised, unless it is zero.
    """
    values = {
        name: one.value(x) for one, x in zip(ranges, place, strict=True) for name in one.names
    }
    made = contact._replace(**values)
    if "mu_static" in made._fields and 0 < made.mu_static < made.mu_kinetic:
        made = made._replace(mu_static=made.mu_kinetic)
    return made
