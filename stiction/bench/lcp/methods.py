"""Contact problems of a humanoid on many points, and the methods that solve them, timed."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import stiction as st
from stiction.bench.lcp.per_point import PointMatrix, allocate_matrix, solve_per_point
from stiction.compiler.compiled import routine
from stiction.contact.contact_model import contact_forces
from stiction.contact.solvers.warm_start import DURATION
from stiction.errors import UnsolvedWarning
from stiction.kernels.response import NOT_CONVERGED
from stiction.kernels.touching_links import inverse_inertia, touching_unit_responses
from stiction.kernels.touching_pairs import compliances

DT = 0.001  # [s]
FRICTION = 0.4  # as in the paper
DEPTH = 1e-5  # of the soles at the start [m]
SPEED, SPIN, SINKING = 0.5, 1.0, 0.3  # of the base [m/s, rad/s, m/s]
SHORTEST = 0.02  # time that is measured, for each of REPEATS [s]
REPEATS = 5  # best taken
PER_POINT, LINKS, COULOMB, LCP = "per point", "GaussSeidel", "Coulomb", "FacetedLCP"


def method_models(facets: int) -> dict[str, Any]:
    """Contact model whose arrays each method works on, by its name."""
    friction = {"mu_static": FRICTION, "mu_kinetic": FRICTION}
    sweeps = st.GaussSeidel(newton=0.0, **friction)
    return {
        PER_POINT: sweeps,
        LINKS: sweeps,
        COULOMB: st.Coulomb(**friction),
        LCP: st.FacetedLCP(facets=facets, **friction),
    }


class Solved(NamedTuple):
    """How a method solved a problem."""

    microseconds: float
    size: int  # rows of its matrix
    iterations: int
    solved: bool
    impulses: np.ndarray  # (m, 3) [N s]


def grid(points: int) -> tuple[int, int]:
    """Numbers of points along and across a sole."""
    across = max(n for n in (1, 2, 3, 5) if points % n == 0 and n * n <= points)
    return points // across, across


def humanoid(points: int) -> st.World:
    """HRP-2 on so many points under its soles; nothing else touches."""
    soles = {"left_foot_box": points - points // 2, "right_foot_box": points // 2}
    robot = st.robots.hrp2().with_colliding(*soles)
    for sole, count in soles.items():
        robot = robot.with_sole_points(sole, *grid(count))
    return st.World(robot)


def landing(world: st.World, seed: int) -> st.State:
    """The robot on its soles, which sink, slide and turn; all joints move."""
    rng, state = np.random.default_rng(seed), world.standing(above=-DEPTH)
    state.v[:] = rng.uniform(-SPIN, SPIN, world.nv)
    state.v[:3] = *rng.uniform(-SPEED, SPEED, 2), -SINKING
    return state


def solve(method: str, model: Any, world: st.World, state: st.State) -> Solved:
    """Solve the contact problem of the first step from a state, from no impulses, and time it.

    Times include the response of the links, or of the points, to unit forces.
    """
    simulation = st.Simulation(world, model, DT, state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)  # the report has it
        simulation.step()
    system = simulation._system
    contact, scratch = system.surface.contact, system.surface.work.scratch
    points = int(contact.count[0])
    if method == PER_POINT:
        matrix = allocate_matrix(points, world.nv)
        repeat, size = partial(_repeat_per_point, system, matrix, DT), len(matrix.inverse)
    else:
        repeat = partial(_repeat_model, system, DT)
        size = int(scratch.size[0]) if method == LCP else 3 * points
    iterations, solved = repeat(1)  # compiles
    impulses = contact.impulse[:points].copy()
    return Solved(microseconds(repeat), size, int(iterations), bool(solved), impulses)


def microseconds(repeat: Callable[[int], Any]) -> float:
    """Best time per repetition [us]; repeat: takes their number."""
    best, count = np.inf, 1
    for _ in range(REPEATS):
        begun = time.perf_counter()
        repeat(count)
        best = min(best, (time.perf_counter() - begun) / count)
        count = max(count, int(SHORTEST / best))
    return 1e6 * best


@routine
def _repeat_model(system: Any, dt: float, n: int) -> Any:
    """Solve n times with a contact model, without warm start; returns iterations and success."""
    surface, dynamics = system.surface, system.dynamics
    contact, memory, work = surface.contact, surface.memory, surface.work
    report = work.response.report
    for _ in range(n):
        touching_unit_responses(system.method, dynamics, work.response.links)
        inverse_inertia(dynamics, work.response.links)
        compliances(contact, work.response, surface.points.size[0])
        if memory.trial.shape[1] > DURATION:
            for point in range(memory.trial.shape[0]):
                memory.trial[point, DURATION] = 0
        contact_forces(system.model, dynamics, contact, memory, work, dt)
    return report.iterations[0], report.stage[0] != NOT_CONVERGED


@routine
def _repeat_per_point(system: Any, matrix: PointMatrix, dt: float, n: int) -> Any:
    """Solve n times point by point; returns sweeps and success."""
    sweeps, solved = 0, False
    for _ in range(n):
        sweeps, solved = solve_per_point(system, matrix, dt)
    return sweeps, solved
