"""The points of a sweep: a grid, a sample, or a list; and how a point is stored and recognised."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from stiction.description.arguments import count, is_number, shown
from stiction.errors import InputError
from stiction.sweeps.outcome import OWN

METHODS = ("latin", "sobol", "random")
MOST = 100_000_000  # points of one sweep; docs/sweeps.md says what to do with more
Point = dict[str, Any]
GIVE = "give numbers, strings, true or false, None, lists of them, or contact models"


class Range(NamedTuple):
    """An interval to sample from; on a logarithmic scale if `log`."""

    low: float
    high: float
    log: bool = False


@dataclass(frozen=True)
class Sample:
    """A seeded sample of parameters.

    A pair (low, high) or a `Range` is an interval, a list holds values to choose from. method:
    "latin" (Latin hypercube), "sobol" (scrambled) or "random".
    """

    over: Mapping[str, Any]
    size: int
    seed: int = 0
    method: str = "latin"

    def __post_init__(self) -> None:
        """Check everything."""
        check_names(self.over)
        count("sweep: size of the sample", self.size, MOST)
        count("sweep: seed of the sample", self.seed, 2**32 - 1, least=0)
        if self.method not in METHODS:
            raise InputError(
                f"sweep: method of the sample is {shown(self.method)}; give {', '.join(METHODS)}"
            )
        for name, domain in self.over.items():
            _check_domain(name, domain)

    def points(self) -> list[Point]:
        """The points, the same for the same seed."""
        unit = _unit_sample(len(self.over), self.size, self.seed, self.method)
        columns = [_scaled(domain, unit[:, k]) for k, (_, domain) in enumerate(self.over.items())]
        return [dict(zip(self.over, row, strict=True)) for row in zip(*columns, strict=True)]


def points_of(over: Mapping[str, Any] | Sample | Iterable[Mapping[str, Any]]) -> list[Point]:
    """The points of a grid (lists of values by name), a sample, or a list of points; each once."""
    if isinstance(over, Sample):
        points = over.points()
    elif isinstance(over, Mapping):
        points = _grid(over)
    else:
        points = _listed(over)
    return list({key_of(point): point for point in points}.values())


def _grid(over: Mapping[str, Any]) -> list[Point]:
    check_names(over)
    columns = []
    for name, values in over.items():
        if isinstance(values, Range) or not isinstance(values, list | tuple | np.ndarray):
            raise InputError(
                f"sweep: values of '{name}' are {shown(values)}; give a list of values, or a "
                "Sample to draw from intervals"
            )
        if not len(values):
            raise InputError(f"sweep: '{name}' has no values; give a list of values")
        columns.append([_checked(name, value) for value in values])
    size = math.prod(map(len, columns))
    if size > MOST:
        raise InputError(f"sweep: the grid has {size} points; the most is {MOST}")
    return [dict(zip(over, row, strict=True)) for row in product(*columns)]


def _listed(over: Any) -> list[Point]:
    fault = f"sweep: over is {shown(over)}; give lists of values by name, a Sample, or points"
    if not isinstance(over, Sequence) or isinstance(over, str) or not over:
        raise InputError(fault)
    points = []
    for number, point in enumerate(over):
        if not isinstance(point, Mapping):
            raise InputError(fault)
        check_names(point)
        if set(point) != set(over[0]):
            raise InputError(
                f"sweep: point {number} has {', '.join(point)}, the first has {', '.join(over[0])};"
                " give all points the same parameters"
            )
        points.append({name: _checked(name, point[name]) for name in over[0]})
    return points


def check_names(over: Any) -> None:
    """Raise InputError unless these are values by name."""
    if not isinstance(over, Mapping) or not over:
        raise InputError(f"sweep: over is {shown(over)}; give lists of values by name")
    for name in over:
        if not isinstance(name, str) or not name or "/" in name:
            raise InputError(f"sweep: {shown(name)} is not the name of a parameter")
        if name in OWN:
            raise InputError(
                f"sweep: the parameter '{name}' has the name of a column of every table "
                f"({', '.join(OWN)}); rename it"
            )


# ------------------------------------------------------------------------------------------- sample


def _check_domain(name: str, domain: Any) -> None:
    if isinstance(domain, list | np.ndarray) and len(domain):
        for value in domain:
            _checked(name, value)
        return
    interval = Range(*domain) if isinstance(domain, tuple) and 2 <= len(domain) <= 3 else None
    numbers = interval is not None and is_number(interval.low) and is_number(interval.high)
    if interval is None or not numbers or not interval.low < interval.high:
        raise InputError(
            f"sweep: '{name}' is {shown(domain)}; give (low, high) with low < high, Range(low, "
            "high, log=True), or a list of values to choose from"
        )
    if interval.log and not interval.low > 0:
        raise InputError(
            f"sweep: '{name}' is {shown(domain)}; a logarithmic interval must be positive"
        )


def _unit_sample(dimension: int, size: int, seed: int, method: str) -> np.ndarray:
    """Points in the unit cube, shape (size, dimension)."""
    generator = np.random.default_rng(seed)
    if method == "random":
        return generator.random((size, dimension))
    from scipy.stats import qmc

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Sobol points are balanced for powers of 2 only
        kind = qmc.LatinHypercube if method == "latin" else qmc.Sobol
        found: np.ndarray = kind(dimension, seed=generator).random(size)
    return found


def _scaled(domain: Any, unit: np.ndarray) -> list[Any]:
    """Values of a domain at positions between 0 and 1."""
    if isinstance(domain, tuple):
        low, high, log = Range(*domain)
        if log:
            return [float(x) for x in low * (high / low) ** unit]
        return [float(x) for x in low + (high - low) * unit]
    return [domain[min(int(x * len(domain)), len(domain) - 1)] for x in unit]


# --------------------------------------------------------------------------------- values of points


def _checked(name: str, value: Any) -> Any:
    """A value as a point has it: no NumPy scalars."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        told(value)
    except InputError as error:
        raise InputError(f"sweep: '{name}': {error}") from None
    return value


def told(value: Any) -> Any:
    """A value as a table has it: a number, a string, or true or false."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return "none"
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float) and math.isfinite(value):
        return value
    if isinstance(value, tuple) and hasattr(value, "_asdict"):  # a contact model
        fields = (f"{key}={_number(entry)}" for key, entry in value._asdict().items())
        return f"{type(value).__name__}({', '.join(fields)})"
    if isinstance(value, list | tuple | np.ndarray):
        return f"[{', '.join(str(_number(told(entry))) for entry in value)}]"
    raise InputError(f"found {shown(value)}; {GIVE}")


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def key_of(point: Mapping[str, Any]) -> str:
    """A string that only points with the same values have."""
    return json.dumps({name: _number(told(point[name])) for name in sorted(point)})
