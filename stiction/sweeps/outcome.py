"""Running one point, and its outcome; this is the code that workers run."""

from __future__ import annotations

import math
import os
import pickle
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from stiction.errors import InputError, StictionError

ONE = "value"  # column of a function that returns one number
OWN = ("status", "error", "seconds", "worker", "attempts")  # columns of every table

Job = tuple[int, Mapping[str, Any]]  # number of a point, and the point
Run = Callable[..., Any]


class Outcome(NamedTuple):
    """The outcome of a point."""

    values: dict[str, Any]  # results by name: numbers, texts, true or false
    error: str = ""  # why there are none
    seconds: float = 0.0  # wall time
    worker: str = ""  # machine and process


Answer = tuple[int, Outcome]


def packed(run: Run) -> bytes:
    """A function as workers get it; those of scripts and notebooks travel with their code."""
    import cloudpickle

    try:
        data: bytes = cloudpickle.dumps(run)
    except Exception as error:  # whatever its objects raise
        raise InputError(
            f"sweep: the function cannot be sent to other processes ({_first_line(error)}); give "
            "one that does not hold open files, locks or compiled simulations"
        ) from None
    return data


@lru_cache(maxsize=1)
def unpacked(payload: bytes) -> Run:
    """The function in a worker; kept for the next points."""
    run: Run = pickle.loads(payload)
    return run


def run_points(payload: bytes, jobs: Sequence[Job]) -> list[Answer]:
    """Run some points, one after the other; raises what prevents all of them."""
    run = unpacked(payload)
    return [(number, run_point(run, point)) for number, point in jobs]


def run_point(run: Run, point: Mapping[str, Any]) -> Outcome:
    """Run a point. Whatever it raises is its outcome."""
    begun = time.perf_counter()
    values: dict[str, Any] = {}
    error = ""
    try:
        values = checked_values(run(**point))
    except StictionError as failure:
        error = f"{type(failure).__name__}: {_first_line(failure)}"
    except (Exception, SystemExit) as failure:
        last = traceback.extract_tb(failure.__traceback__)[-1]
        place = f"{os.path.basename(last.filename)}, line {last.lineno}"
        error = f"{type(failure).__name__}: {_first_line(failure)} ({place})"
    return Outcome(values, error, time.perf_counter() - begun, worker_name())


def checked_values(found: Any) -> dict[str, Any]:
    """Results by name as plain numbers, strings, true or false; raises InputError for others."""
    if found is None:
        raise InputError(
            "the function returned nothing; return a number, or numbers, strings and truth values "
            "by name"
        )
    if not isinstance(found, Mapping):
        found = {ONE: found}
    values = {}
    for name, value in found.items():
        if hasattr(value, "item") and np.size(value) == 1:
            value = value.item()
        if value is None:
            value = math.nan
        if not isinstance(name, str) or not isinstance(value, bool | int | float | str):
            raise InputError(
                f"the function returned {type(value).__name__} for {name!r}; return a number, or "
                "numbers, strings and truth values by name"
            )
        if not name or "/" in name:
            raise InputError(f"the function returned {name!r}; give a name without '/'")
        if name in OWN:
            raise InputError(
                f"the function returned '{name}', the name of a column of every table "
                f"({', '.join(OWN)}); rename it"
            )
        values[name] = value
    return values


@lru_cache(maxsize=1)
def worker_name() -> str:
    """This machine and process."""
    return f"{os.uname().nodename}/{os.getpid()}"


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:500]
