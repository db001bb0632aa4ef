"""Helpers that all readers share: plain tuples, unique names, words for messages."""

from __future__ import annotations

import numpy as np

from stiction.description.description import Quaternion, Vector

MOST_LISTED = 100  # complaints in one message


def unique(name: str, taken: set[str]) -> str:
    """The name, extended until it is not in `taken`, and added to it."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def counted(count: int, noun: str) -> str:
    """A number with its noun: "1 link", "2 links"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_few(names: list[str]) -> str:
    """At most five of the names, for a note."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def listed(source: str, complaints: list[str]) -> str:
    """One message with all complaints about a file; some name the file themselves."""
    if len(complaints) == 1:
        [only] = complaints
        return only if only.startswith(source) else f"{source}: {only}"
    lines = [f"\n  {complaint.removeprefix(f'{source}: ')}" for complaint in complaints]
    more = f"\n  and {len(lines) - MOST_LISTED} more" if len(lines) > MOST_LISTED else ""
    return f"{source}: {len(lines)} problems:{''.join(lines[:MOST_LISTED])}{more}"


def with_article(noun: str) -> str:
    """A noun with its indefinite article."""
    return f"an {noun}" if noun[0] in "AEIOaeio" else f"a {noun}"


def vector(values: np.ndarray) -> Vector:
    """Three numbers as a plain tuple."""
    x, y, z = (float(value) + 0.0 for value in values)  # + 0.0 turns -0.0 into 0.0
    return x, y, z


def quaternion_of(values: np.ndarray) -> Quaternion:
    """Four numbers as a plain tuple, normalised."""
    w, x, y, z = (float(value) for value in values / np.linalg.norm(values))
    return w, x, y, z
