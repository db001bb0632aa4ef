"""Contact models, integrators and controllers on the command line: name and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stiction.cli.command import UsageError
from stiction.errors import InputError, did_you_mean

SORTS = {  # as messages call them
    "contact": "contact model",
    "integrator": "integrator",
    "controller": "controller",
}
GIVE = (
    "NAME=VALUE with a number, such as mu_static=0.8; controller.NAME=VALUE, integrator.NAME=VALUE"
)


def find_kind(option: str, name: str, sort: str = "contact") -> Any:
    """Return the parameter type that an option names, as Name or module:Name."""
    from stiction.scenes import plug_ins

    kinds = {
        "contact": plug_ins.CONTACT_MODELS,
        "integrator": plug_ins.INTEGRATOR_KINDS,
        "controller": plug_ins.CONTROLLER_KINDS,
    }
    try:
        return kinds[sort].find(name)
    except InputError as error:
        raise UsageError(f"{option} {name}: {error}") from None


def find_engines(text: str) -> list[str]:
    """The engines of `--engine A,B`, each with its setting; none for "none"."""
    from stiction.engines import MODULES

    names = [] if text == "none" else [name.strip() for name in text.split(",")]
    for name in names:
        if name.partition(":")[0] not in MODULES:
            hint = did_you_mean(name, MODULES)
            raise UsageError(f"--engine {name}: choose among {', '.join(MODULES)}, or none{hint}")
    return names


def make(sort: str, kind: Any, values: Mapping[str, float], given: Sequence[str]) -> Any:
    """Return a plug-in with some values; given: texts of `--parameter`, for messages."""
    from stiction.scenes.plug_ins import checked_value, parameter_tuple

    for name, value in values.items():
        try:
            checked_value(kind, name, value)
        except InputError as error:
            owners = ("", "contact.", f"{kind.__name__}.") if sort == "contact" else (f"{sort}.",)
            text = _text_of([f"{owner}{name}" for owner in owners], given)
            raise UsageError(f"--parameter {text}: {error}") from None
    try:
        return parameter_tuple(kind, values)
    except InputError as error:
        dotted = "NAME=VALUE" if sort == "contact" else f"{sort}.NAME=VALUE"
        raise UsageError(f"--parameter {dotted}: {error}") from None


def _text_of(keys: Sequence[str], given: Sequence[str]) -> str:
    """The last text "key=value" with one of some keys."""
    texts = [text for text in given if text.partition("=")[0] in keys]
    return texts[-1] if texts else keys[0]


def chosen(sort: str, name: str | None, given: Sequence[str]) -> Any:
    """Return the plug-in of an option with its parameters; None without a name."""
    values = parameters(sort, given)
    if name is None or (sort == "contact" and name == "none"):
        if values:
            told = next(iter(values))
            raise UsageError(
                f"--parameter {told}: there is no {SORTS[sort]}; give --{sort} with a name"
            )
        return None
    return make(sort, find_kind(f"--{sort}", name, sort), values, given)


def parameters(sort: str, given: Sequence[str]) -> dict[str, float]:
    """Return the values for one sort of plug-in among "name=value" and "sort.name=value"."""
    values: dict[str, float] = {}
    for text in given:
        key, equals, value = text.partition("=")
        owner, _, name = key.rpartition(".")
        try:
            number = float(value)
        except ValueError:
            equals = ""
        if not equals or not name or (owner or "contact") not in SORTS:
            raise UsageError(f"--parameter {text}: give {GIVE}")
        if (owner or "contact") != sort:
            continue
        if name in values:
            raise UsageError(f"--parameter {text}: '{name}' is given twice")
        values[name] = number
    return values
