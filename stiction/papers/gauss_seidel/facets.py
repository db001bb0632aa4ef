"""Accuracy of facets: what friction cones with n facets get wrong, and the exact cone does not.

The paper quotes Duriez et al.: at least 8 facets are needed for an accuracy of 10 %. A brick slides
to rest in all directions, and rests on slopes that fall in all directions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.bench.lcp.facets import FRICTION, GRAVITY, facet_errors, slide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FACETS = (4, 6, 8, 12, 16)
HEADINGS = tuple(np.linspace(0, np.pi / 3, 13))  # of a polygon with 6 or more corners: all
SPEED, TIME = 1.0, 0.4  # of the bricks that slide to rest [m/s, s]


def data() -> dict[str, Any]:
    """Errors of every number of facets, and of the exact cone at every heading [%]."""
    model = st.GaussSeidel(mu_static=FRICTION, mu_kinetic=FRICTION)
    exact = SPEED**2 / (2 * FRICTION * GRAVITY)
    ways = [np.linalg.norm(slide(model, heading, SPEED, TIME)) for heading in HEADINGS]
    rows = [facet_errors(n, HEADINGS, SPEED, TIME) for n in FACETS]
    return {"rows": rows, "exact": [100 * float(way / exact - 1) for way in ways]}


def measures(data: dict[str, Any]) -> dict[str, float]:
    """What claims.toml names."""
    found = {row["facets"]: row for row in data["rows"]}
    return {
        "stopping_error_8": found[8]["stopping distance [%]"],
        "slope_error_8": -found[8]["slope held [%]"],
        "stopping_error_6": found[6]["stopping distance [%]"],
        "slope_error_6": -found[6]["slope held [%]"],
        "stopping_error_12": found[12]["stopping distance [%]"],
        "stopping_error_exact": max(abs(error) for error in data["exact"]),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Errors over the number of facets, and their closed forms."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4), layout="constrained")
    ax = figure.subplots()
    rows = data["rows"]
    facets = [row["facets"] for row in rows]
    ax.plot(facets, [row["stopping distance [%]"] for row in rows], "o", label="stopping distance")
    ax.plot(facets, [-row["slope held [%]"] for row in rows], "s", label="slope that is held")
    n = np.linspace(4, 16, 100)
    ax.plot(n, [100 / math.cos(math.pi / k) - 100 for k in n], "C0:", label="1 / cos(pi/n) - 1")
    ax.plot(n, [100 - 100 * math.cos(math.pi / k) for k in n], "C1:", label="1 - cos(pi/n)")
    ax.axhline(10, color="tab:red", ls="--", label="10 %, said to need 8 facets")
    ax.plot([16.8], [max(map(abs, data["exact"]))], "k*", ms=10, label="exact cone (GaussSeidel)")
    ax.set(xlabel="facets", ylabel="largest error over all headings [%]", ylim=(-1, 45))
    ax.legend(fontsize="small")
    return figure
