"""Fig. 5: time to solve for the contact forces against the number of contacts, up to 67.

The paper has the average over its tests. Here HRP-2 stands on m points under its soles, which sink,
slide and turn at random (`stiction.bench.lcp`): each method solves the same problems, starting from
no forces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stiction.bench.lcp.methods import COULOMB, LCP, LINKS, PER_POINT
from stiction.bench.lcp.race import exponents, race, row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONTACTS, FACETS, PROBLEMS = (4, 8, 12, 19, 34, 67), 8, 3
MANY, FEW = 10, 4  # the method is said to be faster above; a number of contacts below
FITTED = 8  # exponents are fitted from here on
LABELS = {
    PER_POINT: "Gauss-Seidel per point, as in the paper",
    LINKS: "GaussSeidel: the same on links",
    COULOMB: "Coulomb",
    LCP: "FacetedLCP, 8 facets, Lemke",
}


def data() -> dict[str, Any]:
    """Times, sizes and success of all methods, `row` of the benchmark each."""
    rows = []
    for count in CONTACTS:
        found = race(count, FACETS, PROBLEMS)
        rows += [row(count, name, solutions) for name, solutions in found.items()]
    return {"rows": rows, "problems": PROBLEMS}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """What claims.toml names."""
    rows = data["rows"]
    slope = exponents([one for one in rows if one["contacts"] >= FITTED])
    ratio = {count: times(rows, LCP)[count] / times(rows, PER_POINT)[count] for count in CONTACTS}
    return {
        "exponent_per_point": slope[PER_POINT],
        "exponent_links": slope[LINKS],
        "exponent_coulomb": slope[COULOMB],
        "exponent_lcp": slope[LCP],
        "lcp_over_gauss_seidel": min(ratio[count] for count in CONTACTS if count > MANY),
        "lcp_over_gauss_seidel_4": ratio[FEW],
        "lcp_over_gauss_seidel_8": ratio[8],
        "lcp_over_gauss_seidel_67": ratio[67],
        "solved_by_sweeps": solved(data, PER_POINT),
        "solved_by_lemke": solved(data, LCP),
        "solved_by_coulomb": solved(data, COULOMB),
    }


def times(rows: list[dict[str, Any]], method: str) -> dict[int, float]:
    """Microseconds of a method by the number of contacts."""
    return {one["contacts"]: one["microseconds"] for one in rows if one["method"] == method}


def solved(data: dict[str, Any], method: str) -> float:
    """Share of all problems that a method solves [%]."""
    own = [one["solved"] for one in data["rows"] if one["method"] == method]
    return 100.0 * sum(own) / (data["problems"] * len(own))


def draw(data: dict[str, Any]) -> Figure:
    """Time over contacts, with linear axes as in the paper, and with logarithmic ones."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    linear, logarithmic = figure.subplots(1, 2)
    for name, label in LABELS.items():
        found = times(data["rows"], name)
        counts, values = np.array(list(found)), 1e-3 * np.array(list(found.values()))
        if name != LCP:
            linear.plot(counts, values, "o-", label=label)
        logarithmic.loglog(counts, values, "o-", label=label)
    m = np.array([8.0, 67.0])
    at = 1e-3 * times(data["rows"], PER_POINT)[67]
    logarithmic.loglog(m, at * (m / 67) ** 2, "k:", label="m$^2$")
    logarithmic.axvline(MANY, color="0.7", lw=0.8)
    for ax in (linear, logarithmic):
        ax.set(xlabel="number of contacts", ylabel="CPU time [ms]")
        ax.legend(fontsize="small")
    linear.set_title("as in the paper", fontsize="medium")
    logarithmic.set_title("all methods", fontsize="medium")
    return figure
