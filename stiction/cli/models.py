"""`stiction models`: the contact models, and how the command line finds one."""

from __future__ import annotations

import argparse
import importlib
import inspect
import math
import re
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from stiction.cli.command import Command, UsageError
from stiction.cli.output import Result, as_text, table
from stiction.errors import InputError


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        nargs="?",
        metavar="NAME",
        help="describe this model, or your own MODULE:NAME; if omitted, list all",
    )


def _run(args: argparse.Namespace) -> Result:
    if args.model is None:
        return {"models": [_describe(kind) for kind in known_models().values()]}
    kind = find_kind(args.model, "models")
    module = inspect.getdoc(sys.modules[kind.__module__]) or ""
    own = inspect.getdoc(kind) or ""
    return {**_describe(kind), "documentation": f"{module}\n\n{own}".strip()}


def _describe(kind: type) -> Result:
    """What is declared of a contact model."""
    from stiction.contact.contact_model import MODELS

    model = MODELS[kind]
    defaults = kind._field_defaults  # type: ignore[attr-defined]
    return {
        "name": kind.__name__,
        "what": (inspect.getdoc(kind) or "").partition("\n")[0],
        "family": model.family,
        "from": _origin(kind),
        "promises": list(model.promises),
        "parameters": [
            {
                "name": name,
                "default": defaults.get(name),
                "unit": bounds.unit or None,
                "lowest": bounds.low if math.isfinite(bounds.low) else None,
                "highest": bounds.high if math.isfinite(bounds.high) else None,
            }
            for name, bounds in model.fields.items()
        ],
    }


def _origin(kind: type) -> str | None:
    """Where a model comes from: the first paragraph about its module, with the section."""
    text = inspect.getdoc(sys.modules[kind.__module__]) or ""
    first = " ".join(text.partition("\n\n")[0].split())
    first = re.sub(rf"^`{kind.__name__}`: ", "", first).removesuffix(".")
    section = re.search(r"section [\w.-]*\w", text, re.IGNORECASE)
    if section and section[0].lower() not in first.lower():
        first += f", {section[0].lower()}"
    return first or None


def _text(result: Result) -> str:
    """An overview and a paragraph for each model; for one model its documentation too."""
    if "models" not in result:
        return f"{_paragraph(result)}\n\n{result['documentation']}"
    overview = [
        {"model": row["name"], "family": row["family"], "from": row["from"]}
        for row in result["models"]
    ]
    return "\n\n".join(["\n".join(table(overview)), *map(_paragraph, result["models"])])


def _paragraph(row: Result) -> str:
    """Everything that is declared of one model."""
    told = {name: row[name] for name in ("family", "from", "promises", "parameters")}
    lines = as_text(told).splitlines()
    return "\n".join([f"{row['name']}: {row['what']}", *(f"  {line}" for line in lines)])


COMMAND = Command("models", "list the contact models, or describe one", _arguments, _run, _text)


# ----------------------------------------------------------------------------------- by their names


def known_models() -> dict[str, type]:
    """All contact models of ours by name, force laws first."""
    import stiction  # noqa: F401  registers the models
    from stiction.contact.contact_model import MODELS, our_models

    ours = sorted(our_models(), key=lambda kind: (MODELS[kind].family, kind.__name__))
    return {kind.__name__: kind for kind in ours}


def find_kind(name: str, option: str) -> type:
    """Return the type of a contact model by its name or as module:Name."""
    if ":" in name:
        return _kind_of_module(name, option)
    known = known_models()
    if name not in known:
        raise UsageError(
            f"{option} {name}: no such contact model; known are {', '.join(known)}, "
            "or give your own MODULE:NAME"
        )
    return known[name]


def _kind_of_module(name: str, option: str) -> type:
    """Return what a module of the user's calls by that name."""
    from stiction.contact.contact_model import MODELS

    module, _, attribute = name.partition(":")
    sys.path.insert(0, "")  # a module beside the user, as `python -m` finds it
    try:
        imported = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise UsageError(f"{option} {name}: {error}; give MODULE:NAME") from None
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise UsageError(
            f"{option} {name}: the module cannot be imported: {type(error).__name__}: {error} "
            f"({place.filename}, line {place.lineno})"
        ) from error
    finally:
        sys.path.remove("")
    found = getattr(imported, attribute, None)
    if found is None:
        raise UsageError(f"{option} {name}: module '{module}' has no '{attribute}'")
    if not isinstance(found, type) or found not in MODELS:
        raise UsageError(
            f"{option} {name}: is not a contact model; give the NamedTuple that a kernel "
            "is declared for with @contact_model"
        )
    return found


def find_model(name: str, given: Sequence[str]) -> Any:
    """Return a contact model by its name, with parameters as "name=value"; None for "none"."""
    from stiction.contact.contact_model import MODELS, checked_model

    if name == "none":
        if given:
            raise UsageError(f"--parameter {given[0]}: applies to a contact model; give --contact")
        return None
    kind = find_kind(name, "--contact")
    fields = MODELS[kind].fields
    values: dict[str, float] = {}
    for text in given:
        field, value = _parameter(text)
        if field not in fields:
            raise UsageError(
                f"--parameter {text}: {kind.__name__} has no '{field}'; it has {', '.join(fields)}"
            )
        if field in values:
            raise UsageError(f"--parameter {text}: '{field}' is given twice")
        values[field] = value
    missing = fields.keys() - values.keys() - kind._field_defaults.keys()  # type: ignore[attr-defined]
    if missing:
        names = ", ".join(field for field in fields if field in missing)
        raise UsageError(
            f"--contact {name}: has no default for {names}; give --parameter NAME=VALUE"
        )
    try:
        return checked_model(kind(**values))
    except InputError as error:
        raise UsageError(str(error)) from None


def _parameter(text: str) -> tuple[str, float]:
    """Name and value from "name=value"."""
    name, equals, value = text.partition("=")
    try:
        if equals and name:
            return name, float(value)
    except ValueError:
        pass
    raise UsageError(f"--parameter {text}: give NAME=VALUE with a number, such as mu_static=0.8")
