"""Least squares and least norm, against SciPy's pseudo-inverse of the whole matrix."""

import numpy as np
import pytest
import scipy.linalg

import stiction as st
from contact.problems import plate
from mechanisms import fewer
from stiction.contact.solvers.pseudo_inverse import least_norm_solution
from stiction.simulation.allocation import make_surface

RANK_TOLERANCE = 1e-11  # of both, between what is singular by rounding and what is not


def cross_matrix(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def velocities_of(arms, links, n):
    """P: velocities of points per twist of the links that they are on."""
    P = np.zeros((3 * len(arms), 6 * n))
    for i, (r, touching) in enumerate(zip(arms, links, strict=True)):
        P[3 * i : 3 * i + 3, 6 * touching : 6 * touching + 3] = np.eye(3)
        P[3 * i : 3 * i + 3, 6 * touching + 3 : 6 * touching + 6] = -cross_matrix(r)
    return P


def problem(points, L):
    """Arrays of a contact between points, a list of arms for each link, and links with L."""
    total, n = sum(len(arms) for arms in points), len(points)
    robots = [
        plate(max(len(arms), 1)) if len(arms) in (1, 2, 4, 8, 16) else plate(16) for arms in points
    ]
    world = st.World(*robots)
    surface, _, _ = make_surface(world, st.Multipoint())
    contact, response = surface.contact, surface.work.response
    contact.count[0], contact.touching_count[0] = total, n
    row = 0
    for touching, arms in enumerate(points):
        for r in arms:
            contact.touching[row], contact.arm[row] = touching, r
            row += 1
    response.centre[:] = 0.0
    for c in range(n):
        for k in range(6):
            for b in range(n):
                response.inverse_inertia[6 * c + k, b] = L[6 * b : 6 * b + 6, 6 * c + k]
    return contact, response, surface.work.scratch.problem


def solve(points, L, wanted, chosen=None):
    """What the kernel finds, and SciPy's pseudo-inverse of the same problem."""
    contact, response, scratch = problem(points, L)
    arms = [r for group in points for r in group]
    links = [touching for touching, group in enumerate(points) for _ in group]
    chosen = np.ones(len(arms), bool) if chosen is None else chosen
    scratch.chosen[: len(arms)] = chosen
    scratch.wanted[: len(arms)] = wanted
    force = np.full((contact.impulse.shape[0], 3), np.nan)
    least_norm_solution(contact, response, scratch, RANK_TOLERANCE, force)
    P = velocities_of(arms, links, len(points))[np.repeat(chosen, 3)]
    M = P @ L @ P.T
    expected = np.zeros((len(arms), 3))
    found = scipy.linalg.pinv(M, rtol=RANK_TOLERANCE) @ wanted[chosen].ravel()
    expected[chosen] = found.reshape(-1, 3)
    return force[: len(arms)], expected


def inertia(rng, n, spread=2.0):
    """A random inverse inertia of n links that are joined, 6n x 6n; it differs by 10^spread."""
    Q, _ = np.linalg.qr(rng.normal(size=(6 * n, 6 * n)))
    return (Q * 10 ** rng.uniform(0, spread, 6 * n)) @ Q.T


def sole(rng, points, kind):
    """Arms of points under a link: scattered, on a plane, on a line, or all at one point."""
    arms = rng.uniform(-0.1, 0.1, (points, 3))
    if kind == "plane":
        arms[:, 2] = -0.05
    if kind == "line":
        arms = np.outer(rng.uniform(-0.1, 0.1, points), rng.normal(size=3)) + rng.normal(size=3) / 9
    if kind == "point":
        arms[:] = arms[0]
    return list(arms)


@pytest.mark.parametrize("kind", ["scattered", "plane", "line", "point"])
@pytest.mark.parametrize("points", [1, 2, 3, 4, 8, 16])
@pytest.mark.parametrize("links", [1, 2])
def test_least_norm_solutions_are_those_of_the_pseudo_inverse(kind, points, links):
    """Any right-hand side: also those that no forces can give, where errors must be least."""
    rng = np.random.default_rng(100 * points + links)
    for _ in range(fewer(20, 3)):
        feet = [sole(rng, points, kind) for _ in range(links)]
        found, expected = solve(feet, inertia(rng, links), rng.normal(size=(points * links, 3)))
        # three points by chance nearly on a line make both lose digits
        assert np.allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


def test_links_that_are_held_together_share_their_loads():
    """Feet on stiff legs, or of a robot whose base is held: L has not full rank."""
    rng = np.random.default_rng(7)
    for rank in (1, 3, 6, 9):
        for _ in range(fewer(20, 3)):
            B = rng.normal(size=(12, rank))
            feet = [sole(rng, 4, "plane"), sole(rng, 4, "plane")]
            found, expected = solve(feet, B @ B.T, rng.normal(size=(8, 3)))
            assert np.allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_what_cannot_move_gets_no_force():
    found, _ = solve(
        [sole(np.random.default_rng(0), 4, "plane")], np.zeros((6, 6)), np.ones((4, 3))
    )
    assert (found == 0).all()


def test_points_that_are_left_out_get_no_force():
    rng = np.random.default_rng(11)
    for _ in range(fewer(20, 3)):
        chosen = rng.random(8) < 0.6
        feet = [sole(rng, 4, "plane"), sole(rng, 4, "plane")]
        found, expected = solve(feet, inertia(rng, 2), rng.normal(size=(8, 3)), chosen)
        assert np.allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
        assert (found[~chosen] == 0).all()


def test_units_of_length_do_not_decide_the_rank():
    """A sole of a millimetre, or of a kilometre, is as flat as one of 0.2 m."""
    rng = np.random.default_rng(3)
    for size in (1e-2, 1.0, 1e4):
        arms = [size * r for r in sole(rng, 4, "plane")]
        scales = np.repeat([1.0, 1.0 / size], 3)
        L = inertia(rng, 1) * np.outer(scales, scales)
        found, expected = solve([arms], L, rng.normal(size=(4, 3)))
        assert np.allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
