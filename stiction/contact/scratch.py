"""Scratch of a contact model: arrays with names and shapes, declared next to the model.

    class Sliding(NamedTuple):
        slides: PerPoint  # 1 for the points that slide
        push: VectorPerPoint

    @contact_model(Mine, scratch=Sliding)

gives the kernel of the model `work.scratch.slides[i]` and rows of `work.scratch.push`. Fields may
themselves be such tuples: a model lists what its methods need.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from stiction.errors import InputError

PerPoint = Annotated[np.ndarray, ("points",)]
VectorPerPoint = Annotated[np.ndarray, ("points", 3)]
SymmetricPerPoint = Annotated[np.ndarray, ("points", 6)]  # 3x3 matrices, rows of the upper half
TwistPerLink = Annotated[np.ndarray, ("6 links",)]  # six numbers per link, link by link
RowPerLink = Annotated[np.ndarray, ("links", 6)]  # a twist or wrench for each link
BlockPerLink = Annotated[np.ndarray, ("links", 6, 6)]
LinkMatrix = Annotated[np.ndarray, ("6 links", "6 links")]
PerUnknown = Annotated[np.ndarray, ("unknowns",)]  # of a complementarity problem, see lemke.py
PerColumn = Annotated[np.ndarray, ("columns",)]  # of its tableau
UnknownMatrix = Annotated[np.ndarray, ("unknowns", "unknowns")]
Tableau = Annotated[np.ndarray, ("unknowns", "columns")]


class NoScratch(NamedTuple):
    """Scratch of a model that needs none."""


def allocate_scratch(kind: Any, points: int, links: int, unknowns: int = 0) -> Any:
    """Return a tuple of this type with zeros, for these numbers of points and touching pairs.

    In the names of the types a touching pair is a link: on the ground there is one for each.

    unknowns: of the complementarity problem of a model that solves one.
    """
    sizes = {"points": points, "links": links, "6 links": 6 * links}
    sizes |= {"unknowns": unknowns, "columns": unknowns + 2 if unknowns else 0}
    arrays = []
    for hint in annotations_of(kind).values():
        if get_origin(hint) is Annotated:
            shape = [sizes.get(n, n) for n in get_args(hint)[1]]
            arrays.append(np.zeros(shape))
        else:
            arrays.append(allocate_scratch(hint, points, links, unknowns))
    return kind(*arrays)


def check_scratch(model: str, kind: Any) -> None:
    """Raise an error if a type does not declare scratch."""
    if not (isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")):
        raise InputError(
            f"contact model '{model}': scratch is {kind!r}; give a NamedTuple with fields "
            "of types PerPoint, VectorPerPoint"
        )
    for name, hint in annotations_of(kind).items():
        declared = get_origin(hint) is Annotated and isinstance(get_args(hint)[1], tuple)
        if not declared:
            check_scratch(f"{model}': '{kind.__name__}.{name}", hint)


@cache
def annotations_of(kind: Any) -> dict[str, Any]:
    """Annotations of the fields of a tuple, by name."""
    return get_type_hints(kind, include_extras=True)
