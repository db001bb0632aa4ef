"""Sizes of the problems: 57 and 201 rows for the exact cone, and those of 8 facets.

The paper gives 378 and 1254 for the formulation of Miller and Christensen, in maximal coordinates:
18 m + 36 and 18 m + 48 for m contacts. In the reduced coordinates that the paper itself uses, a
complementarity problem with n facets has m (n + 2) rows: `FacetedLCP`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import stiction as st
from stiction.bench.lcp.methods import DT, LCP, PER_POINT, humanoid, landing, method_models
from stiction.bench.lcp.per_point import allocate_matrix, respond_to_unit_forces
from stiction.metrics.points import advanced
from stiction.world import mechanics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONTACTS, FACETS = (19, 67), 8
PAPER = {"exact": {19: 57, 67: 201}, "faceted": {19: 378, 67: 1254}}


def data() -> dict[str, Any]:
    """Sizes of the problems of both numbers of contacts, and the errors of Eq. (17)."""
    exact, faceted, error = {}, {}, {}
    for count in CONTACTS:
        exact[count], error[count] = from_unit_forces(count)
        faceted[count] = faceted_size(count)
    return {"exact": exact, "faceted": faceted, "error": error}


def from_unit_forces(count: int) -> tuple[int, float]:
    """Rows of the matrix of Eq. (17), by unit forces, and its error against J A^-1 J'.

    A step looks at the configuration half a step ahead. Damping of joints, which would add to their
    inertia, is left out.
    """
    world = st.World(humanoid(count).robots[0].with_joints(damping=0.0))
    state = landing(world, 0)
    model = method_models(FACETS)[PER_POINT]
    simulation = st.Simulation(world, model, DT, state)
    simulation.step()
    system = simulation._system
    matrix = allocate_matrix(int(system.surface.contact.count[0]), world.nv)
    respond_to_unit_forces(system, matrix)
    motion = st.simulate(world, model, duration=DT, dt=DT, state=state)
    (ahead,) = advanced(motion, motion.q[:1], motion.v[:1], DT / 2)
    expected = from_jacobians(world, ahead, system)
    error = np.abs(matrix.inverse - expected).max() / np.abs(expected).max()
    return len(matrix.inverse), float(error)


def from_jacobians(world: st.World, q: np.ndarray, system: Any) -> np.ndarray:
    """J A^-1 J' of all contact points of a step, from the joint-space inertia A."""
    contact, rows = system.surface.contact, []
    for i in range(int(contact.count[0])):
        link = int(contact.body_a[i])
        J = mechanics.jacobian(world, q, world.link_names[link])
        x, y, z = contact.arm[i] - system.dynamics.position[link]
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        rows.append(J[:3] - cross @ J[3:])
    J = np.vstack(rows)
    return J @ np.linalg.solve(mechanics.inertia(world, q), J.T)


def faceted_size(count: int) -> int:
    """Rows of the complementarity problem that is solved."""
    world = humanoid(count)
    simulation = st.Simulation(world, method_models(FACETS)[LCP], DT, landing(world, 0))
    simulation.step()
    return int(simulation._system.surface.work.scratch.size[0])


def measures(data: dict[str, Any]) -> dict[str, float]:
    """What claims.toml names."""
    exact, faceted = data["exact"], data["faceted"]
    return {
        "exact_19": float(exact[19]),
        "exact_67": float(exact[67]),
        "faceted_19": float(faceted[19]),
        "faceted_67": float(faceted[67]),
        "faceted_over_exact": min(faceted[count] / exact[count] for count in CONTACTS),
        "unit_force_error": max(data["error"].values()),
    }


def draw(data: dict[str, Any]) -> Figure:
    """Rows of the matrices, ours and those of the paper."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4), layout="constrained")
    ax = figure.subplots()
    places = np.arange(len(CONTACTS))
    bars = (
        ("exact cone, here", data["exact"], "tab:blue"),
        ("exact cone, paper", PAPER["exact"], "lightblue"),
        (f"{FACETS} facets, reduced coordinates, here", data["faceted"], "tab:orange"),
        (f"{FACETS} facets, maximal coordinates, paper", PAPER["faceted"], "moccasin"),
    )
    for k, (label, values, colour) in enumerate(bars):
        heights = [values[count] for count in CONTACTS]
        bar = ax.bar(places + 0.2 * (k - 1.5), heights, 0.19, label=label, color=colour)
        ax.bar_label(bar, fontsize="small")
    ax.set_xticks(places, [f"{count} contacts" for count in CONTACTS])
    ax.set_ylabel("rows")
    ax.legend(fontsize="small")
    return figure
