"""Numba's error messages in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import NamedTuple

FEW_FIELDS, MOST_FIELDS = 8, 24  # listed with and without a suggestion; more would hide the cause
LONGEST = 160  # characters quoted from a message of Numba

TYPES = (  # as Numba writes them
    (r"(?:Literal\[(?:int|bool)\]|u?int\d|float\d|boolean|bool).*", "a number"),
    (r"complex.*", "a complex number"),
    (r"unicode_type|Literal\[str\].*|unicode.*", "a string"),
    (r"none", "None"),
    (r"(?:OptionalType|Optional)\((?:int|float).*|\?(?:int|float).*", "a number or None"),
    (r"(?:OptionalType|Optional)\(.*", "a value or None"),
    (r"\w*[Aa]rray\([^,]*, (\d)d.*", r"a \1-dimensional array"),
    (r"UniTuple\((?:u?int|float|Literal\[int\])[^,]* x (\d+)\)", r"a vector of \1 numbers"),
    (r"(?:Uni)?Tuple.*", "a tuple"),
    (r"(?:reflected )?list.*", "a list"),
    (r"DictType.*", "a dict"),
    (r"class\(.*", "a class"),
    (r"Module\(<module '([\w.]+)'.*", r"the module \1"),
    (r".*<(?:built-in )?function (\w+).*", r"the function \1"),
)
OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "neg": "-", "pos": "+", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "and_": "&", "or_": "|", "contains": "in",
}  # fmt: skip
OPERATORS |= {f"i{name}": f"{sign}=" for name, sign in list(OPERATORS.items())[:7]}
VECTORS = "; add vectors with add(a, b) and multiply them with scale(k, a)"


class Source(NamedTuple):
    """What is known about the place of an error."""

    line: str  # of source; '' if there is none
    names: tuple[str, ...]  # known in the function
    fields: dict[str, tuple[str, ...]]  # of named tuples, by the name of their type


def plain_type(text: str) -> str:
    """Plain words for a type as Numba writes it; the name of a named tuple."""
    text = text.strip()
    for pattern, words in TYPES:
        found = re.fullmatch(pattern, text, re.DOTALL)
        if found:
            return found.expand(words)
    name = re.match(r"\w+", text)
    return name[0] if name else text


def types_of(text: str) -> list[str]:
    """Plain words for each type in a list of arguments as Numba writes it."""
    parts, depth, begin = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(text[begin:k])
            begin = k + 1
    return [plain_type(part) for part in (*parts, text[begin:]) if part.strip()]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?", or '' if no known word is similar."""
    close = get_close_matches(word, sorted(set(known)), n=1, cutoff=0.7)
    return f"; did you mean '{close[0]}'?" if close else ""


def reason(text: str, source: Source) -> str:
    """What is wrong, from the text of a Numba error."""
    for pattern, words in REASONS:
        found = re.search(pattern, text)
        if found:
            return words(found, source)
    lines = [line.strip() for line in text.splitlines()]
    told = [line for line in lines if line and not line.startswith("Failed in nopython mode")]
    return _shortened(told[0] if told else "Numba cannot compile it")


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _attribute(found: re.Match[str], source: Source) -> str:
    word, kind = found[1], found[2]
    owner = re.search(rf"([\w.]+)\.{word}\b", source.line)
    name = owner[1] if owner else plain_type(kind)
    fields = source.fields.get(plain_type(kind), ())
    if not fields:
        of = f"'{name}' is {plain_type(kind)} and" if owner else name
        return f"{of} has no attribute '{word}'"
    guess = did_you_mean(word, fields)
    some = len(fields) <= (FEW_FIELDS if guess else MOST_FIELDS)
    listed = f" (fields: {', '.join(fields)})" if some else ""
    return f"'{name}' has no field '{word}'{guess}{listed}"


def _operator(found: re.Match[str], source: Source) -> str:
    name, types = found[1], types_of(found[2])
    if name in ("getitem", "static_getitem"):
        return f"{types[0]} cannot be indexed by {types[1]}"
    if name in ("setitem", "static_setitem"):
        return f"{types[-1]} cannot be stored in an item of {types[0]}"
    if name not in OPERATORS:
        return _call(found, source)
    hint = VECTORS if any(kind.startswith("a vector") for kind in types) else ""
    return f"'{OPERATORS[name]}' does not take {' and '.join(types)}{hint}"


def _call(found: re.Match[str], source: Source) -> str:
    return f"{found[1]}() does not take {', '.join(types_of(found[2])) or 'no arguments'}"


def _two_types(found: re.Match[str], source: Source) -> str:
    name = re.sub(r"\.\d+$", "", found[3])
    both = f"{plain_type(found[1])} and {plain_type(found[2])}"
    if name.startswith("$"):
        return f"a value is both {both}; it must have a single type"
    return f"'{name}' is both {both}; a variable must have a single type"


def _two_returns(found: re.Match[str], source: Source) -> str:
    types = " and ".join(dict.fromkeys(types_of(found[1])))
    return f"it returns both {types}; all paths must return the same type"


def _undefined(found: re.Match[str], source: Source) -> str:
    return f"name '{found[1]}' is not defined{did_you_mean(found[1], source.names)}"


def _global(found: re.Match[str], source: Source) -> str:
    return f"'{found[1]}' is of type {found[2]}, which cannot be compiled"


def _allocates(found: re.Match[str], source: Source) -> str:
    if source.line.startswith("raise"):
        return "compiled code cannot raise exceptions; return a status"
    return (
        "this allocates memory, which compiled code must not; use tuples for vectors "
        "and work.scratch for arrays"
    )


def _array_returned(found: re.Match[str], source: Source) -> str:
    return "it returns an array, which compiled code must not; return numbers or a tuple"


def _arguments(found: re.Match[str], source: Source) -> str:
    return f"a call has wrong arguments: {found[0]}"


def _not_iterable(found: re.Match[str], source: Source) -> str:
    return f"{plain_type(found[1])} cannot be looped over; use range()"


def _opcode(found: re.Match[str], source: Source) -> str:
    return f"this statement cannot be compiled (Python's {found[1]})"


def _field_set(found: re.Match[str], source: Source) -> str:
    return f"fields cannot be assigned; write into their arrays: {found[1]}[i] = ..."


def _imprecise(found: re.Match[str], source: Source) -> str:
    return f"'{found[1]}' is {plain_type(found[2])} of unknown types, which cannot be compiled"


# Patterns in Numba's messages, the most specific ones first.
REASONS: tuple[tuple[str, Callable[[re.Match[str], Source], str]], ...] = (
    (r"NRT required but not enabled|found for signature[^~]*Only accept returning of", _allocates),
    (r"Only accept returning of array", _array_returned),
    (r"Unknown attribute '(\w+)' of type (.+)", _attribute),
    (r"NameError: (?:global )?name '(\w+)' is not defined", _undefined),
    (r"Variable '(\w+)' is not defined", _undefined),
    (r"Untyped global name '(\w+)':.*?<class '([\w.]+)'>", _global),
    (r"Function\(<built-in function (\w+)>\) found for signature:\s*>>> \w+\((.*)\)", _operator),
    (r"found for signature:\s*>>> (\w+)\((.*)\)", _call),
    (r"Can't unify return type from the following types: (.+)", _two_returns),
    (r"Cannot unify (.+?) and (.+?) for '([^']+)'", _two_types),
    (r"Cannot infer the type of variable '(\w+).*have imprecise type: (\w+)", _imprecise),
    (r"missing a required argument: '\w+'|too many positional arguments", _arguments),
    (r"got an unexpected keyword argument '\w+'", _arguments),
    (r"Invalid use of getiter with parameters \((.+)\)", _not_iterable),
    (r"unsupported opcode \((\w+)\)", _opcode),
    (r"No definition for lowering .+\.(\w+) = ", _field_set),
)
