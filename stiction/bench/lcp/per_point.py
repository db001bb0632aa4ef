"""Contact forces point by point, as Chardonnet et al. compute them; see `contact/gauss_seidel.py`.

    Paper         Here               Meaning
    q''_{f=1}     matrix.change      accelerations per unit force on one point, Eq. (16)
    Lambda_c^-1   matrix.inverse     accelerations of all points, Eq. (17)

Each unit force takes a pass through the recursions of Featherstone's algorithm, and each visit to a
contact in Algorithm 1 sums over all m points: a sweep costs O(m^2). `GaussSeidel` does the same on
links. Here it serves as the reference whose time is measured.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from stiction.compiler.compiled import kernel
from stiction.contact.friction import choose_friction, speed_scale
from stiction.contact.solvers.sweeps import prepare_points, solve_contact
from stiction.kernels.forward_dynamics import respond
from stiction.kernels.response import arm_from_centre, free_velocity, pair_twist, wrenches_alone
from stiction.kernels.spatial import (
    Wrench,
    point_velocity,
    store_wrench,
    wrench_at_point,
)
from stiction.kernels.touching_links import twists_of_accelerations
from stiction.kernels.vectors import (
    add,
    dot,
    like,
    load_vector,
    scale,
    store_vector,
    sub,
    zero_vector,
)


class PointMatrix(NamedTuple):
    """Response of every point to unit forces on every point."""

    inverse: np.ndarray  # (3 m, 3 m)
    change: np.ndarray  # (nv)


def allocate_matrix(points: int, nv: int) -> PointMatrix:
    """Return zeros for so many points."""
    return PointMatrix(np.zeros((3 * points, 3 * points)), np.zeros(nv))


@kernel
def solve_per_point(system: Any, matrix: Any, dt: Any) -> Any:
    """Write the impulses of all points, from none; returns sweeps and success."""
    params, dynamics, contact = system.model, system.dynamics, system.surface.contact
    response, scratch = system.surface.work.response, system.surface.work.scratch
    choose_friction(params, contact, scratch.cases.mu)
    speed = params.tolerance * speed_scale(dynamics, contact, response, dt)
    for i in range(contact.count[0]):
        store_vector(contact.impulse, i, zero_vector(dt))
    respond_to_unit_forces(system, matrix)
    prepare_points(contact, response, scratch.local)
    sweeps, moved = 0, speed
    while sweeps < int(params.sweeps):
        moved = sweep_points(contact, response, scratch, matrix)
        sweeps += 1
        if moved <= speed:
            break
    return sweeps, moved <= speed


@kernel
def respond_to_unit_forces(system: Any, matrix: Any) -> None:
    """Write Lambda_c^-1, column by column; `dynamics.u` and accelerations are overwritten."""
    dynamics, contact = system.dynamics, system.surface.contact
    response, change = system.surface.work.response, matrix.change
    one, none = like(contact.depth[0], 1), zero_vector(contact.depth[0])
    for j in range(contact.count[0]):
        for k in range(3):
            for touching in range(contact.touching_count[0]):
                store_wrench(response.wrench, touching, Wrench(none, none))
            unit = (like(one, k == 0), like(one, k == 1), like(one, k == 2))
            wrench = wrench_at_point(unit, arm_from_centre(contact, response, j))
            store_wrench(response.wrench, contact.touching[j], wrench)
            wrenches_alone(dynamics, contact, response, one)
            for d in range(len(change)):
                change[d] = 0
            respond(system.method, dynamics, change)  # Eq. (16)
            for d in range(len(change)):
                dynamics.acceleration[d] = change[d]
            twists_of_accelerations(dynamics, response.links, one)
            for i in range(contact.count[0]):
                t = pair_twist(response, contact.touching[i])
                v = point_velocity(t, arm_from_centre(contact, response, i))  # Eq. (17)
                for row in range(3):
                    matrix.inverse[3 * i + row, 3 * j + k] = v[row]


@kernel
def sweep_points(contact: Any, response: Any, scratch: Any, matrix: Any) -> Any:
    """Visit every contact once; returns the largest change of a point's velocity when visited."""
    moved = like(contact.depth[0], 0)
    for i in range(contact.count[0]):
        old, n = load_vector(contact.impulse, i), load_vector(contact.normal, i)
        v = add(free_velocity(contact, response, i), scale(-contact.least_velocity[i], n))
        for j in range(contact.count[0]):
            v = add(v, response_of(matrix, i, j, load_vector(contact.impulse, j)))
        new = solve_contact(scratch.cases.mu[i], scratch.local, i, n, old, v)
        gained = response_of(matrix, i, i, sub(new, old))
        store_vector(contact.impulse, i, new)
        moved = max(moved, dot(gained, gained))
    return math.sqrt(moved)


@kernel
def response_of(matrix: Any, i: Any, j: Any, p: Any) -> Any:
    """Velocity of point i by an impulse p on point j."""
    inverse, a, b = matrix.inverse, 3 * i, 3 * j
    return (
        inverse[a, b] * p[0] + inverse[a, b + 1] * p[1] + inverse[a, b + 2] * p[2],
        inverse[a + 1, b] * p[0] + inverse[a + 1, b + 1] * p[1] + inverse[a + 1, b + 2] * p[2],
        inverse[a + 2, b] * p[0] + inverse[a + 2, b + 1] * p[1] + inverse[a + 2, b + 2] * p[2],
    )
