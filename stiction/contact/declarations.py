"""What a contact model declares, checked before it is compiled: its memory, bounds and results."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from stiction.compiler.plug_ins import place
from stiction.errors import InputError
from stiction.kernels import response

# What only a kernel may call that is evaluated when the response of the links is known.
RESPONSES = (
    *(response.free_velocity, response.free_acceleration, response.velocity_after),
    *(response.delassus, response.gather_wrenches, response.respond_to_wrenches),
    response.apply_impulse,
)


def check_promised(model: str, promises: Any, known: tuple[str, ...]) -> None:
    """Raise InputError unless `promises` is a tuple of known laws: others would not be checked."""
    wrong = [promises] if isinstance(promises, str) else [p for p in promises if p not in known]
    if wrong:
        raise InputError(
            f"contact model '{model}': promises has {wrong[0]!r}; give a tuple of CONE_PER_POINT, "
            "NO_PULL, NO_ENERGY_GAIN, UNIQUE_FORCES and FULL_FRICTION"
        )


def check_memory(model: str, name: str, size: Any) -> None:
    """Raise InputError unless a size of the memory is a whole number from 0."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise InputError(
            f"contact model '{model}': {name} is {size!r}; give a whole number of at least 0"
        )


def check_bound(
    model: str, name: str, bound: Any, arguments: str, optional: tuple[str, ...] = ()
) -> None:
    """Raise InputError unless `bound` is None or a function of these arguments."""
    if bound is None:
        return
    most = [*arguments.split(", "), *optional]
    least = len(most) - len(optional)
    for count in range(least, len(most) + 1):
        with contextlib.suppress(TypeError):
            inspect.signature(bound).bind(*most[:count])
            return
    also = f" or of ({', '.join(most)})" if optional else ""
    raise InputError(
        f"contact model '{model}': {name} must be a function of ({arguments}){also}; "
        f"found {getattr(bound, '__name__', bound)!r}"
    )


def check_results(function: Callable[..., Any], family: str, forces: bool) -> None:
    """Raise InputError if a kernel uses the array that nobody reads, and not that of its family.

    forces: whether its family writes forces, not impulses.
    """
    names = {name for one in with_called(function) for name in one.__code__.co_names}
    right, wrong = ("force", "impulse") if forces else ("impulse", "force")
    if wrong in names and right not in names:
        line = function.__code__.co_firstlineno
        raise InputError(
            f"{place(function, line)} uses contact.{wrong}, which is not read: its family is "
            f"{family}; write contact.{right}, or declare another family"
        )


def check_force_law(function: Callable[..., Any]) -> None:
    """Raise InputError if a force law uses the response of the links, which is not known yet."""
    for one in with_called(function):
        for name in one.__code__.co_names:
            if any(one.__globals__.get(name) is known for known in RESPONSES):
                line = function.__code__.co_firstlineno
                raise InputError(
                    f"{place(function, line)} is a force law and calls {name}, but forces are "
                    "needed before the response of the links is known; declare "
                    "family=ACCELERATION_LAW, IMPULSE_LAW or IMPULSE_SOLVER"
                )


def with_called(function: Any) -> Iterator[FunctionType]:
    """A kernel, and the kernels outside the package that it and these call by their names."""
    found, left = [], [getattr(function, "py_func", function)]
    while left:
        one = left.pop()
        if one in found or not isinstance(one, FunctionType):
            continue
        found.append(one)
        called = [one.__globals__.get(name) for name in one.__code__.co_names]
        kernels = [getattr(each, "py_func", each) for each in called]
        ours = [str(getattr(each, "__module__", "")).startswith("stiction.") for each in kernels]
        left += [each for each, mine in zip(kernels, ours, strict=True) if not mine]
    yield from found
