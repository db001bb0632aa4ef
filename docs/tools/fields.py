"""Fields of classes in the reference, from the comments beside them in the source.

An extension of Griffe, which reads the sources for mkdocstrings. A class gets a table of its public
fields: the comment at the end of the line of a field, or the lines of comments above it, and its
default. The same comments describe constants of modules.
"""

import ast
import re
from typing import Any

import griffe

PLAIN = (ast.Constant, ast.UnaryOp, ast.Tuple, ast.Name, ast.Attribute)  # defaults worth showing
COMMENT = re.compile(r"#\s+(?!noqa|type:)(.*)$")


class Fields(griffe.Extension):
    """Describes fields and constants by their comments."""

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Add the table of the fields to the docstring of a class."""
        rows = [
            f"    {field.name}: {described(field)}"
            for field in cls.members.values()
            if is_field(field) and not field.docstring
        ]
        if rows and cls.docstring:
            cls.docstring.value += "\n\nAttributes:\n" + "\n".join(rows)

    def on_attribute(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Give a constant of a module its comment as docstring."""
        if attr.parent and attr.parent.is_module and not attr.docstring and comment(attr):
            attr.docstring = griffe.Docstring(comment(attr), parent=attr)


def is_field(member: griffe.Object | griffe.Alias) -> bool:
    """Whether a member of a class is a public field with a type."""
    if member.is_alias or not member.is_attribute or member.name.startswith("_"):
        return False
    return "property" not in member.labels and member.annotation is not None


def described(field: griffe.Attribute) -> str:
    """The comment of a field, and its default."""
    default = "" if field.value is None else str(field.value)
    simple = default and isinstance(ast.parse(default, mode="eval").body, PLAIN)
    shown = f"default `{default}`" if simple else ""
    return "; ".join(part for part in (comment(field), shown) if part) or "no default"


def comment(attribute: griffe.Attribute) -> str:
    """What the comment beside a definition says, or the one right above it."""
    lines, last = attribute.lines_collection[attribute.filepath], attribute.endlineno
    beside = COMMENT.search(lines[last - 1])
    if beside:
        return beside[1]
    above = []
    for line in reversed(lines[: attribute.lineno - 1]):
        if not line.strip().startswith("# "):
            break
        above.append(line.strip()[2:])
    return " ".join(reversed(above))
