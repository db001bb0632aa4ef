"""Fig. 5 of Chardonnet et al.: time against the number of contacts, and sizes of the problems.

HRP-2 stands on 8 to 130 points under its soles, which sink, slide and turn at random. Each method
solves the same contact problems, from no impulses, with friction 0.4 and its default accuracy:

    per point     as in the paper: unit forces through Featherstone's recursions for every point,
                  Eq. (16), (17), then sweeps over m points, Algorithm 1
    GaussSeidel   the same sweeps, over the twists of the links; `newton` = 0
    Coulomb       our solver
    FacetedLCP    the complementarity problem that the paper compares itself with, by Lemke's method

Sweeps end after 200, solved or not: legs on two feet close a chain along which they may cycle. The
exponents are least-squares slopes of log(time) over log(contacts).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stiction.bench.lcp.facets import facet_errors, within_bounds
from stiction.bench.lcp.methods import (
    COULOMB,
    DT,
    FRICTION,
    LCP,
    LINKS,
    PER_POINT,
    Solved,
    humanoid,
    landing,
    method_models,
    solve,
)

CONTACTS = (8, 12, 19, 34, 67, 130)
PROBLEMS = 3  # at each number of contacts
MOST_CONTACTS = {LCP: 67}  # with 130 its 1300 unknowns take seconds
FACETS, ERRORS_OF = 8, (4, 6, 8, 12, 16)
HEADINGS = tuple(np.linspace(0, np.pi / 3, 13))
SPEED, TIME = 1.0, 0.4  # of the bricks that slide to rest [m/s, s]
PAPER = {19: 378, 67: 1254}  # sizes of Miller's problem with 8 facets: 18 m + 36 and 18 m + 48
SAME = 1e-9  # relative difference of impulses that are the same


def bench(
    contacts: Sequence[int] = CONTACTS,
    facets: int = FACETS,
    problems: int = PROBLEMS,
    progress: Callable[[float], None] | None = None,
    errors: Sequence[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Times, sizes and exponents of all methods, and the errors of faceted cones.

    errors: rows of `facet_errors`, measured here if they are not given.
    """
    rows: list[dict[str, Any]] = []
    same = True
    for k, count in enumerate(contacts):
        found = race(count, facets, problems)
        rows += [row(count, name, solutions) for name, solutions in found.items()]
        same = same and equal(found[PER_POINT], found[LINKS])
        if progress is not None:
            progress((k + 1) ** 2 / (len(contacts) + 1) ** 2)
    if errors is None:
        errors = [facet_errors(n, HEADINGS, SPEED, TIME) for n in ERRORS_OF]
    sized = sizes(rows, facets)
    return {
        "robot": "hrp2",
        "friction": FRICTION,
        "dt": DT,
        "problems at each number of contacts": problems,
        "runs": rows,
        "exponents": exponents(rows),
        "sizes": sized,
        "per point and on links: the same impulses": same,
        "errors of facets": list(errors),
        "holds": same
        and all(one["solved"] == problems for one in rows if one["method"] in (COULOMB, LCP))
        and all(one["as expected"] for one in sized)
        and all(within_bounds(one) for one in errors),
    }


def race(contacts: int, facets: int, problems: int) -> dict[str, list[Solved]]:
    """Solutions of all methods, for each of the problems."""
    world = humanoid(contacts)
    return {
        name: [solve(name, model, world, landing(world, seed)) for seed in range(problems)]
        for name, model in method_models(facets).items()
        if contacts <= MOST_CONTACTS.get(name, contacts)
    }


def row(contacts: int, name: str, solutions: list[Solved]) -> dict[str, Any]:
    """What is reported of a method at a number of contacts: means over the problems."""
    return {
        "contacts": contacts,
        "method": name,
        "microseconds": round(float(np.mean([one.microseconds for one in solutions])), 1),
        "size": solutions[0].size,
        "iterations": round(float(np.mean([one.iterations for one in solutions])), 1),
        "solved": sum(one.solved for one in solutions),
    }


def equal(first: list[Solved], second: list[Solved]) -> bool:
    """Whether two methods found the same impulses."""
    pairs = zip(first, second, strict=True)
    off = [np.abs(a.impulses - b.impulses).max() / np.abs(a.impulses).max() for a, b in pairs]
    return max(off) <= SAME


def exponents(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Exponent of the time over the number of contacts, of each method, by least squares."""
    found = {}
    for name in dict.fromkeys(one["method"] for one in rows):
        own = [one for one in rows if one["method"] == name]
        if len(own) > 1:
            logs = np.log([[one["contacts"], one["microseconds"]] for one in own])
            found[name] = round(float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0]), 2)
    return found


def sizes(rows: list[dict[str, Any]], facets: int) -> list[dict[str, Any]]:
    """Sizes of the problems that were solved, and those that the paper quotes."""
    told = []
    for count in dict.fromkeys(one["contacts"] for one in rows):
        size = {one["method"]: one["size"] for one in rows if one["contacts"] == count}
        lcp = size.get(LCP)
        told.append(
            {
                "contacts": count,
                "exact cone, 3 m": size[PER_POINT],
                f"{facets} facets, {facets + 2} m": lcp,
                "quoted by the paper": PAPER.get(count),
                "as expected": size[PER_POINT] == 3 * count and lcp in (None, (facets + 2) * count),
            }
        )
    return told
