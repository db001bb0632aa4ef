"""`stiction models`: list the contact models, or describe one."""

from __future__ import annotations

import argparse
import inspect
import math
import re
import sys

from stiction.cli.command import Command
from stiction.cli.output import Result, as_text, table
from stiction.cli.plug_ins import find_kind


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        nargs="?",
        metavar="NAME",
        help="describe this model, or your own MODULE:NAME; if omitted, list all",
    )


def _run(args: argparse.Namespace) -> Result:
    if args.model is None:
        return {"models": [_describe(kind) for kind in _ours()]}
    kind = find_kind("models", args.model)
    module = inspect.getdoc(sys.modules[kind.__module__]) or ""
    own = inspect.getdoc(kind) or ""
    return {**_describe(kind), "documentation": f"{module}\n\n{own}".strip()}


def _ours() -> list[type]:
    """All built-in contact models, sorted by family and name."""
    from stiction.contact.contact_model import MODELS
    from stiction.scenes.plug_ins import CONTACT_MODELS

    ours = CONTACT_MODELS.ours().values()
    return sorted(ours, key=lambda kind: (MODELS[kind].family, kind.__name__))


def _describe(kind: type) -> Result:
    """The declaration of a contact model, as plain values."""
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
    """Source of a model: the first paragraph of its module's docstring.

    If the next paragraph begins with a section of the paper, it belongs to the source.
    """
    text = inspect.getdoc(sys.modules[kind.__module__]) or ""
    first, _, rest = text.partition("\n\n")
    first = " ".join(first.split())
    first = re.sub(rf"^`{kind.__name__}`: ", "", first).removesuffix(".")
    section = re.match(r"Section ([\w.-]*\w)", rest)
    return f"{first}, section {section[1]}" if section else first or None


def _text(result: Result) -> str:
    """An overview and a paragraph for each model; a single model also with its documentation."""
    if "models" not in result:
        return f"{_paragraph(result)}\n\n{result['documentation']}"
    overview = [
        {"model": row["name"], "family": row["family"], "from": row["from"]}
        for row in result["models"]
    ]
    return "\n\n".join(["\n".join(table(overview)), *map(_paragraph, result["models"])])


def _paragraph(row: Result) -> str:
    """The declaration of one model, as text."""
    told = {name: row[name] for name in ("family", "from", "promises", "parameters")}
    lines = as_text(told).splitlines()
    return "\n".join([f"{row['name']}: {row['what']}", *(f"  {line}" for line in lines)])


COMMAND = Command("models", "list the contact models, or describe one", _arguments, _run, _text)
