"""Parameters of a contact model converted to other units, by the units that it declares."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Mapping
from typing import Any

from stiction.contact.contact_model import fields_of
from stiction.errors import InputError

SYMBOLS = {  # powers of length, mass and time
    "m": (1, 0, 0),
    "kg": (0, 1, 0),
    "s": (0, 0, 1),
    "rad": (0, 0, 0),
    "Hz": (0, 0, -1),
    "N": (1, 1, -2),
    "Pa": (-1, 1, -2),
    "J": (2, 1, -2),
    "W": (2, 1, -3),
}
PURE = ("", "0 or 1", "1")
FACTOR = re.compile(r"([A-Za-z]+)(?:\^?(-?\d+(?:\.\d+)?)|\^([A-Za-z_]\w*|\([^()]*\)))?")
OPERATIONS: Mapping[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def in_other_units(model: Any, length: float, mass: float, time: float) -> Any:
    """The same law with its parameters in units of `length` m, `mass` kg and `time` s."""
    values = model._asdict()
    scaled = {}
    for name, declared in fields_of(type(model)).items():
        try:
            powers = dimension(declared.unit, values)
        except ValueError as error:
            raise InputError(
                f"{type(model).__name__}: the unit of {name} is '{declared.unit}'; {error}"
            ) from None
        scaled[name] = values[name] / (length ** powers[0] * mass ** powers[1] * time ** powers[2])
    return type(model)(**scaled)


def dimension(unit: str, values: Mapping[str, float]) -> tuple[float, float, float]:
    """Powers of length, mass and time in a unit, whose exponents may refer to the values.

    Raises ValueError that says what is valid.
    """
    if unit in PURE:
        return 0.0, 0.0, 0.0
    total = [0.0, 0.0, 0.0]
    over, slash, under = unit.partition("/")
    for text, sign in (over, 1), (under, -1):
        if slash and sign < 0 and not text.strip():
            raise ValueError("give something after '/'")
        for factor in text.split():
            if factor == "1":
                continue
            found = FACTOR.fullmatch(factor)
            if found is None or found[1] not in SYMBOLS:
                raise ValueError(f"'{factor}' is not known; write it with {', '.join(SYMBOLS)}")
            power = sign * _exponent(found[2] or found[3] or "1", values)
            for k, each in enumerate(SYMBOLS[found[1]]):
                total[k] += power * each
    return total[0], total[1], total[2]


def _exponent(text: str, values: Mapping[str, float]) -> float:
    """A number, one of the values, or a formula of them such as "(1+beta)"."""

    def value(node: Any) -> float:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return node.value
        if isinstance(node, ast.Name) and node.id in values:
            return values[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            return OPERATIONS[type(node.op)](value(node.left), value(node.right))
        raise ValueError(f"exponent '{text}': give numbers, parameters, +, - and *")

    try:
        return value(ast.parse(text, mode="eval").body)
    except SyntaxError:
        raise ValueError(f"exponent '{text}': give numbers, parameters, +, - and *") from None
